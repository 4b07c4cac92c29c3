"""Itemsets that many records hold: what a miner of the data would find."""

from __future__ import annotations

import numpy as np

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Bools, Ints, SetArrays, frozen_ints, only_items, taken_rows
from shoal.kernels.frequent_itemsets import ALL, CountedRows, Itemsets, Kinship, WantedItemsets, mine
from shoal.kernels.sets import group_sets

NO_KIN = Kinship(frozen_ints([]), frozen_ints([]))


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
