"""tKd: which of the itemsets that most records hold are still among the top in a publication.

Both sides are sets of the same codes, and both lists are made by the same rule: by support, then by itemset.
tKd-ML2 looks at all levels of a tree together: an itemset may hold any nodes but the root, none beside a node
above it, and a record holds a node if it holds something below it.
"""

from __future__ import annotations

import numpy as np

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints, SetArrays, frozen_sets, joined_rows, owners, starts_of
from shoal.kernels.frequent_itemsets import Itemsets, Kinship
from shoal.kernels.sets import group_sets
from shoal.metrics.frequent_itemsets import top_itemsets

TOP = 1000


def top_deviation(original: SetArrays, published: SetArrays, item_count: int, *, top: int = TOP) -> float:
    """The share of the original's top itemsets that are lost; 0 if there are none.

    Both sides hold codes below item_count.
    """
    return _deviation(
        top_itemsets(original, item_count, _checked(top)), top_itemsets(published, item_count, top)
    )


def generalized_top_deviation(
    tree: Hierarchy, original: SetArrays, published: SetArrays, *, top: int = TOP
) -> float:
    """The same over all levels of a tree, of which both sides hold nodes."""
    kinship = Kinship(tree.arrays.first_leaf, tree.arrays.last_leaf)

    def best(sets: SetArrays) -> Itemsets:
        return top_itemsets(with_nodes_above(tree, sets), tree.root, _checked(top), kinship=kinship)

    return _deviation(best(original), best(published))


def with_nodes_above(tree: Hierarchy, sets: SetArrays) -> SetArrays:
    """Sets of nodes together with all nodes above them but the root."""
    row_count = len(sets.starts) - 1
    rows = owners(sets.starts)
    nodes = sets.items
    keys: list[Ints] = []
    while len(nodes):
        below = nodes != tree.root
        rows, nodes = rows[below], nodes[below]
        keys.append(rows * tree.node_count + nodes)
        nodes = tree.arrays.parent[nodes]
    distinct = np.unique(np.concatenate(keys)) if keys else np.zeros(0, dtype=np.int64)
    sizes = np.bincount(distinct // tree.node_count, minlength=row_count)
    return frozen_sets(starts_of(sizes), distinct % tree.node_count)


def _checked(top: int) -> int:
    if top < 1:
        raise InvalidParameter("tKd", "top", top, "an integer of 1 or more")
    return top


def _deviation(original: Itemsets, published: Itemsets) -> float:
    wanted = len(original.sets.starts) - 1
    found = _count_among(original.sets, published.sets)
    return (wanted - found) / wanted if wanted else 0.0


def _count_among(itemsets: SetArrays, others: SetArrays) -> int:
    """How many of some distinct itemsets are among others."""
    class_of_row, _ = group_sets(joined_rows(others, itemsets))
    other_count = len(others.starts) - 1
    return int(np.count_nonzero(class_of_row[other_count:] < other_count))
