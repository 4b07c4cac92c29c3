"""Which branches below a node of a tree the sets of some rows reach into."""

import numpy as np

from shoal.kernels.arrays import Ints, SetArrays
from shoal.kernels.compile import kernel


@kernel
def branches_held(sets: SetArrays, rows: Ints, first_leaf: int, branch_of_leaf: Ints) -> Ints:
    """One number per row: bit b is set if the row holds a leaf of branch b.

    The leaf first_leaf + i is in branch branch_of_leaf[i]; other leaves are in none. There are fewer than 63
    branches. Reads only. O(items of these rows).
    """
    held = np.zeros(len(rows), dtype=np.int64)
    for index in range(len(rows)):
        for position in range(sets.starts[rows[index]], sets.starts[rows[index] + 1]):
            leaf = sets.items[position] - first_leaf
            if 0 <= leaf < len(branch_of_leaf):
                held[index] |= np.int64(1) << branch_of_leaf[leaf]
    return held
