"""Arrays that grow while a kernel fills them, because nobody knows beforehand how much it will find."""

import numpy as np

from shoal.kernels.arrays import Array
from shoal.kernels.compile import kernel


@kernel
def with_room(array: Array, used: int, wanted: int) -> Array:
    """The array itself, or a longer copy of array[:used] if it has fewer than `wanted` places.

    Lengths at least double, so that filling n places one by one copies O(n).
    """
    if wanted <= len(array):
        return array
    longer = np.empty(max(wanted, 2 * len(array)), dtype=array.dtype)
    for index in range(used):  # assigning slices would take seconds to compile
        longer[index] = array[index]
    return longer  # type: ignore[return-value]
