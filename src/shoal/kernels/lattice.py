"""Classes of records under a coarser generalization, from those under a finer one."""

import numpy as np

from shoal.kernels.arrays import Ints
from shoal.kernels.compile import kernel
from shoal.kernels.grouping import group_rows


@kernel
def roll_up(vectors: Ints, counts: Ints, node_above: Ints) -> tuple[Ints, Ints, Ints]:
    """Unite the classes that become equal when every node u is exchanged for node_above[u].

    vectors[c, j] is the node of class c in column j, counts[c] its rows. Returns the new class of each old
    one, numbered by first appearance, and the vectors and counts of the new ones. Reads only.
    O(classes * columns) expected.
    """
    raised = np.empty(vectors.shape, dtype=np.int64)
    for c in range(len(vectors)):
        for j in range(vectors.shape[1]):
            raised[c, j] = node_above[vectors[c, j]]
    new_class, first = group_rows(raised)
    sizes = np.zeros(len(first), dtype=np.int64)
    for c in range(len(vectors)):
        sizes[new_class[c]] += counts[c]
    return new_class, raised[first], sizes
