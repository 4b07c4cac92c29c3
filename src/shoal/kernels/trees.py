"""Questions about trees whose nodes cover intervals of leaves, asked for many groups at once."""

import numpy as np

from shoal.kernels.arrays import Ints, TreeArrays
from shoal.kernels.compile import kernel


@kernel
def lowest_common_ancestors(tree: TreeArrays, first: Ints, last: Ints) -> Ints:
    """The lowest node that covers the leaves first[i]..last[i], for every i.

    0 <= first[i] <= last[i] <= the missing value's number, which only the root covers together with a leaf.
    Reads only. O(height) each.
    """
    nodes = np.empty(len(first), dtype=np.int64)
    for i in range(len(first)):
        node = first[i]
        while tree.last_leaf[node] < last[i]:
            node = tree.parent[node]
        nodes[i] = node
    return nodes
