"""Itemsets that many records hold, and tKd: which of the top ones are still there in a release.

Both sides are sets of the same codes, and both lists are made by the same rule: by support, then by itemset.
tKd-ML2 looks at all levels of a tree together: an itemset may hold any nodes but the root, none beside a node
above it, and a record holds a node if it holds something below it.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import (
    AnySets,
    Ints,
    SetArrays,
    counts_of,
    freeze,
    frozen_ints,
    in_pieces,
    joined_rows,
    only_items,
    piece_of,
    starts_of,
    taken_rows,
)
from shoal.kernels.bits import BITS, Words
from shoal.kernels.frequent_itemsets import ALL, ENDLESS, CountedRows, Itemsets, Kinship, WantedItemsets, mine
from shoal.kernels.grouping import group_sets
from shoal.kernels.itemset_bitmaps import mark_rows, mine_bitmaps, no_bitmaps
from shoal.kernels.set_recoding import with_nodes_above

NO_KIN = Kinship(frozen_ints([]), frozen_ints([]))
TOP = 1000

# Itemsets of so few of the most frequent items already tell much of how frequent the top ones are.
_FIRST_ITEMS = 16
_LARGEST_BITMAPS = 2**24  # words
# About so many words of bitmaps are compared in the time that a pair of items in a record takes.
_WORDS_PER_PAIR = 64


class _Counted(NamedTuple):
    """Sets of which supports[item] hold an item, as soon as a piece of them is made what `grown` says."""

    sets: AnySets
    supports: Ints
    grown: Callable[[SetArrays], SetArrays]


def _as_they_are(sets: SetArrays) -> SetArrays:
    return sets


def frequent_itemsets(
    sets: AnySets,
    item_count: int,
    minimum_support: int,
    longest: int | None = None,
    patience: int = ENDLESS,
) -> Itemsets:
    """Every itemset of 1..longest items that at least minimum_support records hold.

    Itemsets come in lexicographic order of their codes, a beginning before what it begins. Codes are below
    item_count. Time and memory follow the number of itemsets, which can double with every item that the
    records share: `longest` keeps dense data in bounds, and the search gives up after reading `patience`
    items, its answer then being incomplete.
    """
    _check("minimum_support", minimum_support)
    supports = counts_of(sets.items, item_count)
    frequent = np.flatnonzero(supports >= minimum_support)
    wanted = _wanted(minimum_support, longest, ALL, item_count)._replace(patience=patience)
    return _mined(_Counted(sets, supports, _as_they_are), frequent, wanted, NO_KIN)


def top_itemsets(
    sets: AnySets,
    item_count: int,
    most: int,
    longest: int | None = None,
    *,
    kinship: Kinship = NO_KIN,
    grown: Callable[[SetArrays], SetArrays] = _as_they_are,
) -> Itemsets:
    """The `most` itemsets of 1..longest items that most records hold, or all if there are fewer.

    They come by support, the largest first, and those of equal support in lexicographic order; the same rule
    decides which ones are the last that still belong to them. Itemsets with two items of one kin are none.
    Records hold what `grown` makes of them, which is never there for all records at once.
    """
    _check("most", most)
    supports = np.zeros(item_count, dtype=np.int64)
    for first, behind in in_pieces(sets.starts):
        supports += counts_of(grown(piece_of(sets, first, behind)).items, item_count)
    counted = _Counted(sets, supports, grown)
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


def _with_only(counted: _Counted, items: Ints) -> SetArrays:
    """What the records hold of some items."""
    sets, supports, grown = counted
    is_wanted = np.zeros(len(supports), dtype=np.bool_)
    is_wanted[items] = True
    kept = np.empty(int(supports[items].sum()), dtype=np.int32)
    sizes = np.empty(len(sets.starts) - 1, dtype=np.int64)
    filled = 0
    for first, behind in in_pieces(sets.starts):
        piece = grown(piece_of(sets, first, behind))
        part = only_items(piece, is_wanted[piece.items])
        sizes[first:behind] = np.diff(part.starts)
        kept[filled : filled + len(part.items)] = part.items
        filled += len(part.items)
    return SetArrays(freeze(starts_of(sizes)), freeze(kept))


def _mined(counted: _Counted, items: Ints, wanted: WantedItemsets, kinship: Kinship) -> Itemsets:
    """The wanted itemsets of the given items, by bitmaps if they are few beside what records hold."""
    words = -(-(len(counted.sets.starts) - 1) // BITS)
    if len(items) * words <= _LARGEST_BITMAPS:
        bits, pairs = _bitmaps(counted, items)
        if len(items) ** 2 * words <= _WORDS_PER_PAIR * pairs:
            return mine_bitmaps(bits, items, wanted, kinship)
    rows = _distinct_rows(_with_only(counted, items))
    return mine(rows, int(items.max(initial=-1)) + 1, wanted, kinship)


def _bitmaps(counted: _Counted, items: Ints) -> tuple[Words, int]:
    """Which rows hold each of some items, and how many pairs of them rows hold, counted in both orders."""
    sets, supports, grown = counted
    place_of = np.full(len(supports), -1, dtype=np.int64)
    place_of[items] = np.arange(len(items))
    bits, pairs = no_bitmaps(len(items), len(sets.starts) - 1), 0
    for first, behind in in_pieces(sets.starts):
        pairs += mark_rows(grown(piece_of(sets, first, behind)), place_of, first, bits)
    return bits, pairs


def _check(name: str, value: int) -> None:
    if value < 1:
        raise InvalidParameter("Frequent itemsets", name, value, "an integer of 1 or more")


def _wanted(minimum_support: int, longest: int | None, most: int, item_count: int) -> WantedItemsets:
    if longest is not None:
        _check("longest", longest)
    return WantedItemsets(minimum_support, longest or max(1, item_count), most, ENDLESS)


def _distinct_rows(rows: SetArrays) -> CountedRows:
    """The distinct sets, and how many records have each of them."""
    class_of_row, first_rows = group_sets(rows)
    weights = np.bincount(class_of_row, minlength=len(first_rows)).astype(np.int64, copy=False)
    return CountedRows(taken_rows(rows, first_rows), weights)


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
    kinship = Kinship(tree.arrays.first_leaf, tree.arrays.last_leaf)

    def best(sets: AnySets) -> Itemsets:
        above = partial(with_nodes_above, tree=tree.arrays)
        return top_itemsets(sets, tree.root, _checked(top), kinship=kinship, grown=above)

    return _deviation(best(original), best(published))


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
