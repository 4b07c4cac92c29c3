"""The distinct items of groups."""

import numpy as np

from shoal.kernels.arrays import Ints, Items, SetArrays
from shoal.kernels.compile import kernel


@kernel
def distinct_in_groups(starts: Ints, items: Items, item_count: int) -> SetArrays:
    """Each item of items[starts[g]:starts[g + 1]] once, in the order in which they come.

    Items are below item_count. Reads only. O(items + groups), memory item_count.
    """
    last_group = np.full(item_count, -1, dtype=np.int64)
    found, found_starts = np.empty(len(items), dtype=np.int32), np.zeros(len(starts), dtype=np.int64)
    count = 0
    for group in range(len(starts) - 1):
        for index in range(starts[group], starts[group + 1]):
            if last_group[items[index]] != group:
                last_group[items[index]] = group
                found[count] = items[index]
                count += 1
        found_starts[group + 1] = count
    return SetArrays(found_starts, found[:count].copy())
