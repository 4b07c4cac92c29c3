"""Itemsets that many records hold, and tKd: which of the top ones are still there in a release.

Both sides are sets of the same codes, and both lists are made by the same rule: by support, then by itemset.
tKd-ML2 looks at all levels of a tree together: an itemset may hold any nodes but the root, none beside a node
above it, and a record holds a node if it holds something below it.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Self

import numpy as np

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import (
    AnySets,
    Ints,
    Items,
    SetArrays,
    counts_of,
    frozen_ints,
    frozen_sets,
    in_pieces,
    joined_rows,
    only_items,
    piece_of,
    taken_rows,
)
from shoal.kernels.bits import BITS, Words
from shoal.kernels.frequent_itemsets import ALL, ENDLESS, CountedRows, Itemsets, Kinship, WantedItemsets, mine
from shoal.kernels.grouping import group_sets
from shoal.kernels.itemset_bitmaps import mark_rows, mine_bitmaps, no_bitmaps
from shoal.kernels.set_recoding import renumbered_sets, with_nodes_above

NO_KIN = Kinship(frozen_ints([]), frozen_ints([]))
TOP = 1000

# Itemsets of so few of the most frequent items already tell much of how frequent the top ones are.
_FIRST_ITEMS = 16
_LARGEST_BITMAPS = 2**24  # words
# About so many words of bitmaps are compared in the time that a pair of items in a record takes.
_WORDS_PER_PAIR = 64


# What a piece of some sets becomes before it is mined; the slice tells where its items stand among all.
Grown = Callable[[SetArrays, slice], SetArrays]


class _Counted(NamedTuple):
    """Sets of which, when all pieces have become what `grown` makes of them, supports[item] hold an item."""

    sets: AnySets
    supports: Ints
    grown: Grown

    @classmethod
    def of(cls, sets: AnySets, item_count: int, grown: Grown) -> Self:
        """Count the items."""
        counted = cls(sets, np.zeros(item_count, dtype=np.int64), grown)
        for _, piece in counted.pieces():
            counted.supports[:] += counts_of(piece.items, item_count)
        return counted

    def pieces(self) -> Iterator[tuple[int, SetArrays]]:
        """The first row of each piece, and what it becomes."""
        starts = self.sets.starts
        for first, behind in in_pieces(starts):
            piece = piece_of(self.sets, first, behind)
            yield first, self.grown(piece, slice(int(starts[first]), int(starts[behind])))


def _as_they_are(sets: SetArrays, _: slice) -> SetArrays:
    return sets


def frequent_itemsets(
    sets: AnySets,
    item_count: int,
    minimum_support: int,
    longest: int | None = None,
    patience: int = ENDLESS,
    *,
    grown: Grown = _as_they_are,
) -> Itemsets:
    """Every itemset of 1..longest items that at least minimum_support records hold.

    Itemsets come in lexicographic order of their codes, a beginning before what it begins. Codes are below
    item_count. Time and memory follow the number of itemsets, which can double with every item that the
    records share: `longest` keeps dense data in bounds, and the search gives up after reading `patience`
    items, its answer then being incomplete. Records hold what `grown` makes of them.
    """
    _check("minimum_support", minimum_support)
    counted = _Counted.of(sets, item_count, grown)
    frequent = np.flatnonzero(counted.supports >= minimum_support)
    wanted = _wanted(minimum_support, longest, ALL, item_count)._replace(patience=patience)
    return _mined(counted, frequent, wanted, NO_KIN)


def top_itemsets(
    sets: AnySets,
    item_count: int,
    most: int,
    longest: int | None = None,
    *,
    kinship: Kinship = NO_KIN,
    grown: Grown = _as_they_are,
) -> Itemsets:
    """The `most` itemsets of 1..longest items that most records hold, or all if there are fewer.

    They come by support, the largest first, and those of equal support in lexicographic order; the same rule
    decides which ones are the last that still belong to them. Itemsets with two items of one kin are none.
    Records hold what `grown` makes of them, which is never there for all records at once.
    """
    _check("most", most)
    counted = _Counted.of(sets, item_count, grown)
    supports = counted.supports
    wanted = _wanted(_least_top_support(supports, most), longest, most, item_count)
    first_items = np.argsort(-supports, kind="stable")[:_FIRST_ITEMS]
    first_items.sort()
    of_first_items = _mined(counted, first_items, wanted, kinship)
    minimum = max(wanted.minimum_support, _least_top_support(of_first_items.supports, most))
    wanted = wanted._replace(minimum_support=minimum)
    frequent = np.flatnonzero(supports >= minimum)
    mined = _mined(counted, frequent, wanted, kinship)
    best = np.argsort(-mined.supports, kind="stable")[:most]
    return Itemsets(taken_rows(mined.sets, best), mined.supports[best], complete=True)


def _least_top_support(supports: Ints, most: int) -> int:
    """The support that an itemset needs to be among the best, if there are itemsets with these supports."""
    return max(1, int(np.sort(supports)[-most])) if most <= len(supports) else 1


def _mined(counted: _Counted, items: Ints, wanted: WantedItemsets, kinship: Kinship) -> Itemsets:
    """The wanted itemsets of the given items, by bitmaps if they are few beside what records hold."""
    bits = _bitmaps(counted, items)
    if bits is not None:
        return mine_bitmaps(bits, items, wanted, kinship)
    rows = _distinct_rows(counted, items)
    return mine(rows, int(items.max(initial=-1)) + 1, wanted, kinship)


def _bitmaps(counted: _Counted, items: Ints) -> Words | None:
    """Which rows hold each of some items; None where these are too many beside what rows hold."""
    words = -(-(len(counted.sets.starts) - 1) // BITS)
    if len(items) * words > _LARGEST_BITMAPS:
        return None
    place_of = np.full(len(counted.supports), -1, dtype=np.int64)
    place_of[items] = np.arange(len(items))
    bits, pairs = no_bitmaps(len(items), len(counted.sets.starts) - 1), 0
    for first, piece in counted.pieces():
        pairs += mark_rows(piece, place_of, first, bits)
    return bits if len(items) ** 2 * words <= _WORDS_PER_PAIR * pairs else None


def _check(name: str, value: int) -> None:
    if value < 1:
        raise InvalidParameter("Frequent itemsets", name, value, "an integer of 1 or more")


def _wanted(minimum_support: int, longest: int | None, most: int, item_count: int) -> WantedItemsets:
    if longest is not None:
        _check("longest", longest)
    return WantedItemsets(minimum_support, longest or max(1, item_count), most, ENDLESS)


def _distinct_rows(counted: _Counted, items: Ints) -> CountedRows:
    """The distinct sets of some items, and how many records have each of them; found piece by piece first."""
    is_wanted = np.zeros(len(counted.supports), dtype=np.bool_)
    is_wanted[items] = True
    none = frozen_sets([0], [])
    parts = [CountedRows(none, np.empty(0, dtype=np.int64))]
    for _, piece in counted.pieces():
        wanted = only_items(piece, is_wanted[piece.items])
        parts.append(_united(CountedRows(wanted, np.ones(len(wanted.starts) - 1, dtype=np.int64))))
    return _united(
        CountedRows(
            joined_rows(*(part.sets for part in parts)), np.concatenate([part.weights for part in parts])
        )
    )


def _united(rows: CountedRows) -> CountedRows:
    """Each set once, in the order in which they come."""
    class_of_row, first_rows = group_sets(rows.sets)
    weights = np.zeros(len(first_rows), dtype=np.int64)
    np.add.at(weights, class_of_row, rows.weights)
    return CountedRows(taken_rows(rows.sets, first_rows), weights)


def top_deviation(original: AnySets, published: AnySets, item_count: int, *, top: int = TOP) -> float:
    """The share of the original's top itemsets that are lost; 0 if there are none.

    Both sides hold codes below item_count.
    """
    return _deviation(
        top_itemsets(original, item_count, _checked(top)), top_itemsets(published, item_count, top)
    )


def generalized_top_deviation(
    tree: Hierarchy, original: AnySets, published: AnySets, *, top: int = TOP
) -> float:
    """The same over all levels of a tree, of which both sides hold nodes."""
    return _deviation(_top_nodes(tree, original, top), _top_nodes(tree, published, top))


def node_top_deviation(
    tree: Hierarchy, original: AnySets, node_of_occurrence: Items, *, top: int = TOP
) -> float:
    """The same of sets of leaves, each occurrence of which is published as a node or, below 0, not at all."""

    def published(piece: SetArrays, places: slice) -> SetArrays:
        return renumbered_sets(piece.starts, node_of_occurrence[places])

    return _deviation(_top_nodes(tree, original, top), _top_nodes(tree, original, top, published))


def _top_nodes(tree: Hierarchy, sets: AnySets, top: int, published: Grown = _as_they_are) -> Itemsets:
    """The top itemsets of nodes that sets hold something below."""
    kinship = Kinship(tree.arrays.first_leaf, tree.arrays.last_leaf)

    def with_all_above(piece: SetArrays, places: slice) -> SetArrays:
        return with_nodes_above(published(piece, places), tree.arrays)

    return top_itemsets(sets, tree.root, _checked(top), kinship=kinship, grown=with_all_above)


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
