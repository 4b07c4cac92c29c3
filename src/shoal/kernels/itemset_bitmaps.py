"""Frequent itemsets, depth-first through bitmaps: for few items that many rows hold.

An itemset is followed by the bitmap of the rows that hold it. It grows by items that were frequent beside its
beginning, whose bitmaps are there already: what both have in common are the rows of the longer itemset.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints, SetArrays
from shoal.kernels.bits import BITS, Words, ones
from shoal.kernels.compile import kernel
from shoal.kernels.frequent_itemsets import (
    Itemsets,
    Kinship,
    WantedItemsets,
    are_kin,
    as_itemsets,
    minimum_of,
    noted,
    nothing_found,
)

# Words of bitmaps that are compared in about the time that an item of a row takes.
_WORDS_PER_ITEM = 8


class _Branches(NamedTuple):
    """Itemsets that are one item longer than the one visited or than a beginning of it, on a stack.

    Number b adds items[b], has supports[b], and is held by the rows of bits[b].
    """

    items: Ints
    supports: Ints
    bits: Words


def no_bitmaps(item_count: int, row_count: int) -> Words:
    """A bitmap for each item, of rows that hold nothing yet, and room that takes memory as it is used."""
    return np.zeros((2 * item_count + 1, -(-row_count // BITS)), dtype=np.uint64)


@kernel
def mark_rows(rows: SetArrays, place_of: Ints, first: int, bits: Words) -> int:
    """Mark in bits[place_of[item]] the rows that hold an item, numbered from `first` on; -1 is no place.

    Returns how many ordered pairs of marked items the rows hold, those of an item with itself among them.
    """
    pairs = 0
    for row in range(len(rows.starts) - 1):
        word, bit = (first + row) // BITS, np.uint64(1) << np.uint64((first + row) % BITS)
        count = 0
        for index in range(rows.starts[row], rows.starts[row + 1]):
            place = place_of[rows.items[index]]
            if place >= 0:
                bits[place, word] |= bit
                count += 1
        pairs += count * count
    return pairs


@kernel
def mine_bitmaps(bits: Words, items: Ints, wanted: WantedItemsets, kinship: Kinship) -> Itemsets:
    """As `mine` of rows that count once each; bits[i] tells which of them hold items[i], and items ascend.

    O(for each itemset listed, the items that are frequent beside its beginning, times rows / 64); memory: a
    bitmap for each of these items of the itemset visited and of its beginnings.
    """
    branches = _single_items(bits, items)
    deepest = min(wanted.longest, len(items))
    prefix = np.empty(deepest + 1, dtype=np.int64)
    cursor, stop = np.zeros(deepest + 1, dtype=np.int64), np.zeros(deepest + 1, dtype=np.int64)
    stop[0] = len(items)
    found = nothing_found(wanted.minimum_support, wanted.most)
    depth, words_read = int(np.int64(0)), 0
    while depth >= 0 and words_read <= _WORDS_PER_ITEM * wanted.patience:
        branch = cursor[depth]
        if branch == stop[depth]:
            depth -= 1
            continue
        cursor[depth] += 1
        if branches.supports[branch] < minimum_of(found):
            continue
        prefix[depth] = branches.items[branch]
        found = noted(prefix, depth + 1, branches.supports[branch], found)
        if depth + 1 < deepest:
            words_read += (stop[depth] - cursor[depth]) * branches.bits.shape[1]
            branches, end = _extended(branches, branch, stop[depth], minimum_of(found), kinship)
            if end > stop[depth]:
                cursor[depth + 1], stop[depth + 1] = stop[depth], end
                depth += 1
    return as_itemsets(found, depth < 0)


@kernel(part=True)
def _single_items(bits: Words, items: Ints) -> _Branches:
    supports = np.zeros(len(bits), dtype=np.int64)
    numbers = np.empty(len(bits), dtype=np.int64)
    for place in range(len(items)):
        numbers[place] = items[place]
        for word in range(bits.shape[1]):
            supports[place] += ones(bits[place, word])
    return _Branches(numbers, supports, bits)


@kernel(part=True)
def _extended(
    branches: _Branches, branch: int, stop: int, minimum: int, kinship: Kinship
) -> tuple[_Branches, int]:
    """Push the itemsets that add a later branch of the same beginning to this one; where they end."""
    end = stop
    for other in range(branch + 1, stop):
        if branches.supports[other] < minimum or are_kin(
            kinship, branches.items[branch], branches.items[other]
        ):
            continue
        if end == len(branches.items):
            branches = _with_room(branches)
        items, supports, bits = branches
        support = 0
        for word in range(bits.shape[1]):
            both = bits[branch, word] & bits[other, word]
            bits[end, word] = both
            support += ones(both)
        if support >= minimum:
            items[end], supports[end] = items[other], support
            end += 1
    return branches, end


@kernel(part=True)
def _with_room(branches: _Branches) -> _Branches:
    """The same branches, with room for a quarter more."""
    count, width = branches.bits.shape
    room = count + count // 4 + 1
    items, supports = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    bits = np.empty((room, width), dtype=np.uint64)
    for place in range(count):
        items[place], supports[place] = branches.items[place], branches.supports[place]
        for word in range(width):
            bits[place, word] = branches.bits[place, word]
    return _Branches(items, supports, bits)
