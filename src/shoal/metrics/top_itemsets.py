"""Itemsets that many records hold, and tKd: which of the top ones are still there in a publication.

Both sides are sets of the same codes, and both lists are made by the same rule: by support, then by itemset.
tKd-ML2 looks at all levels of a tree together: an itemset may hold any nodes but the root, none beside a node
above it, and a record holds a node if it holds something below it.
"""

import numpy as np

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import (
    Bools,
    Ints,
    SetArrays,
    frozen_ints,
    frozen_sets,
    joined_rows,
    only_items,
    owners,
    starts_of,
    taken_rows,
)
from shoal.kernels.frequent_itemsets import ALL, CountedRows, Itemsets, Kinship, WantedItemsets, mine
from shoal.kernels.grouping import group_sets

NO_KIN = Kinship(frozen_ints([]), frozen_ints([]))
TOP = 1000


def frequent_itemsets(
    sets: SetArrays, item_count: int, minimum_support: int, longest: int | None = None
) -> Itemsets:
    """Every itemset of 1..longest items that at least minimum_support records hold.

    Itemsets come in lexicographic order of their codes, a beginning before what it begins. Codes are below
    item_count. Time and memory follow the number of itemsets, which can double with every item that the
    records share: `longest` keeps dense data in bounds.
    """
    _check("minimum_support", minimum_support)
    frequent = _supports(sets, item_count) >= minimum_support
    wanted = _wanted(minimum_support, longest, ALL, item_count)
    return mine(_distinct_rows(sets, frequent), item_count, wanted, NO_KIN)


def top_itemsets(
    sets: SetArrays, item_count: int, most: int, longest: int | None = None, kinship: Kinship = NO_KIN
) -> Itemsets:
    """The `most` itemsets of 1..longest items that most records hold, or all if there are fewer.

    They come by support, the largest first, and those of equal support in lexicographic order; the same rule
    decides which ones are the last that still belong to them. Itemsets with two items of one kin are none.
    """
    _check("most", most)
    supports = _supports(sets, item_count)
    # As many single items alone already reach this support, so nothing rarer can belong to the top.
    minimum = max(1, int(np.sort(supports)[-most])) if most <= item_count else 1
    wanted = _wanted(minimum, longest, most, item_count)
    mined = mine(_distinct_rows(sets, supports >= minimum), item_count, wanted, kinship)
    best = np.argsort(-mined.supports, kind="stable")[:most]
    return Itemsets(taken_rows(mined.sets, best), mined.supports[best])


def _check(name: str, value: int) -> None:
    if value < 1:
        raise InvalidParameter("Frequent itemsets", name, value, "an integer of 1 or more")


def _supports(sets: SetArrays, item_count: int) -> Ints:
    return np.bincount(sets.items, minlength=item_count).astype(np.int64, copy=False)


def _wanted(minimum_support: int, longest: int | None, most: int, item_count: int) -> WantedItemsets:
    if longest is not None:
        _check("longest", longest)
    return WantedItemsets(minimum_support, longest or max(1, item_count), most)


def _distinct_rows(sets: SetArrays, kept: Bools) -> CountedRows:
    """The distinct sets of the items that are kept, and how many records have each of them."""
    rows = only_items(sets, kept[sets.items])
    class_of_row, first_rows = group_sets(rows)
    weights = np.bincount(class_of_row, minlength=len(first_rows)).astype(np.int64, copy=False)
    return CountedRows(taken_rows(rows, first_rows), weights)


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
