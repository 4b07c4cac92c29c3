"""Baskets filled with patterns: the part of the Quest model that goes from basket to basket."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints, Items, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.growable import with_room

# Patterns in a row that bring nothing new before a basket stays smaller than it was meant to be.
PATIENCE = 16


class Patterns(NamedTuple):
    """Items that are bought together.

    Pattern p holds items[starts[p]:starts[p + 1]]. A random number between 0 and 1 picks the first pattern
    whose `picked_below` is larger, and the pattern then loses one item after the other as long as further
    ones are below corruption[p].
    """

    starts: Ints
    items: Ints
    picked_below: Floats
    corruption: Floats


class _Shopping(NamedTuple):
    """The items of a pattern that are on their way, and the last basket that each item went into."""

    hand: Ints
    basket_of: Ints


@kernel
def fill_baskets(sizes: Ints, patterns: Patterns, item_count: int, random: np.random.Generator) -> SetArrays:
    """Fill a basket of about each size with patterns; every basket holds at least one item.

    All sizes are at least 1. Shuffles patterns.items. O(items in baskets + picks * log patterns).
    """
    longest = 0
    for pattern in range(len(patterns.corruption)):
        longest = max(longest, patterns.starts[pattern + 1] - patterns.starts[pattern])
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    items = np.empty(1024, dtype=np.int32)
    shopping = _Shopping(np.empty(longest, dtype=np.int64), np.full(item_count, -1, dtype=np.int64))
    end, held = 0, 0
    for basket in range(len(sizes)):
        items = with_room(items, end, end + sizes[basket] + longest)
        start, idle = end, 0
        while end - start < sizes[basket] and idle < PATIENCE:
            if held == 0:
                held = _pick(patterns, shopping.hand, random)
            room, fresh = sizes[basket] - (end - start), _fresh(shopping, held, basket)
            if fresh > room and end > start:
                if random.random() < 0.5:
                    break  # what is in the hand goes into the next basket
                room = fresh
            added = _put(shopping, held, basket, items[end : end + room])
            end, held = end + added, 0
            idle = 0 if added > 0 else idle + 1
        _sort(items, start, end)
        starts[basket + 1] = end
    return SetArrays(starts, items[:end].copy())


@kernel(part=True)
def _pick(patterns: Patterns, hand: Ints, random: np.random.Generator) -> int:
    """Put a random part of a random pattern into the hand; returns its size."""
    mark = random.random()
    pattern, after = 0, len(patterns.corruption) - 1
    while pattern < after:
        middle = (pattern + after) // 2
        if mark < patterns.picked_below[middle]:
            after = middle
        else:
            pattern = middle + 1
    start = patterns.starts[pattern]
    size = patterns.starts[pattern + 1] - start
    kept = size
    while kept > 1 and random.random() < patterns.corruption[pattern]:
        kept -= 1
    for index in range(kept):
        other = start + index + int(random.random() * (size - index))
        hand[index] = patterns.items[other]
        patterns.items[other] = patterns.items[start + index]
        patterns.items[start + index] = hand[index]
    return kept


@kernel(part=True)
def _fresh(shopping: _Shopping, held: int, basket: int) -> int:
    """How many of the items held the basket lacks."""
    fresh = 0
    for item in shopping.hand[:held]:
        fresh += shopping.basket_of[item] != basket
    return fresh


@kernel(part=True)
def _put(shopping: _Shopping, held: int, basket: int, room: Items) -> int:
    """Put the items held that the basket lacks into its room, as far as they fit; returns how many did."""
    added = 0
    for item in shopping.hand[:held]:
        if shopping.basket_of[item] != basket and added < len(room):
            shopping.basket_of[item] = basket
            room[added] = item
            added += 1
    return added


@kernel(part=True)
def _sort(items: Items, start: int, end: int) -> None:
    for index in range(start + 1, end):
        item, hole = items[index], index
        while hole > start and items[hole - 1] > item:
            items[hole] = items[hole - 1]
            hole -= 1
        items[hole] = item
