"""Frequent itemsets, depth-first through projected rows.

An itemset is followed by the places just behind its last item in every row that holds it. One pass over the
items from there on counts all itemsets that are one item longer; the frequent ones get lists of places of
their own. Only items that were frequent beside the shorter itemset can be frequent beside the longer one, so
the candidates shrink on the way down, and they stay in order: itemsets are found in lexicographic order.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints, Items, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.growable import with_room

ALL = 0
ENDLESS = 2**56

# A branch is four numbers: the item it adds, the support with it, and the listed places where it goes on.
_ITEM, _SUPPORT, _LIST_START, _LIST_END, _BRANCH = range(5)
# A listed place is two numbers: the place, and how often its row counts.
_PLACE, _WEIGHT, _LISTED = range(3)
_DEPTH, _SUPPORT_HERE, _START, _END, _CANDIDATE, _CANDIDATE_STOP, _FREE, _READ = range(8)
_COUNT, _MINIMUM, _KEPT = range(3)
_NOT_FOLLOWED = -1


class CountedRows(NamedTuple):
    """Sets that stand for several rows each: set r for weights[r] of them, at least one."""

    sets: SetArrays
    weights: Ints


class Itemsets(NamedTuple):
    """Distinct itemsets, and how many rows hold each of them; whether all that were wanted are there."""

    sets: SetArrays
    supports: Ints
    complete: bool


class WantedItemsets(NamedTuple):
    """Itemsets of 1..longest items that minimum_support rows or more hold: the `most` best of them, or ALL.

    Both bounds are at least 1. The search gives up when it has read about `patience` items, or words of
    bitmaps for as long as these would take; ENDLESS is never.
    """

    minimum_support: int
    longest: int
    most: int
    patience: int


class Kinship(NamedTuple):
    """Items that never stand together in an itemset: those whose intervals first..last have a part in common.

    Without intervals all items may stand together.
    """

    first: Ints
    last: Ints


class _Laid(NamedTuple):
    """Rows laid end to end, each with an end mark behind it that is larger than any item."""

    items: Items
    first: Ints
    end_mark: int
    longest: int


class _Search(NamedTuple):
    """Where the depth-first search stands.

    It visits the itemset prefix[:at[_DEPTH]], which goes on at the listed places from at[_START] to at[_END].
    The items that may come next are those of the branches from at[_CANDIDATE] up to at[_CANDIDATE_STOP], and
    lists are free from at[_FREE] on. at[_READ] items were read so far. The itemset prefix[:d] has branches
    cursor[d]..stop[d] - 1 still to visit, and their lists end before list_stop[d]. For a candidate,
    `supports` and `rows` are what the last pass counted; `next_free` is the free place in its list,
    _NOT_FOLLOWED for all items between two passes.
    """

    deepest: int
    at: Ints
    prefix: Ints
    cursor: Ints
    stop: Ints
    list_stop: Ints
    branches: Ints
    listed: Ints
    supports: Ints
    rows: Ints
    next_free: Ints


class FoundItemsets(NamedTuple):
    """tally[_COUNT] itemsets so far, in CSR form with their supports.

    Others must have a support of tally[_MINIMUM] now. If only some of the best are wanted, largest[:kept] is
    a heap with the smallest support on top, kept = tally[_KEPT].
    """

    starts: Ints
    items: Items
    supports: Ints
    tally: Ints
    largest: Ints


@kernel
def mine(rows: CountedRows, item_count: int, wanted: WantedItemsets, kinship: Kinship) -> Itemsets:
    """List the itemsets that are wanted in lexicographic order, without those that hold two items of one kin.

    With `most` other than ALL the minimum rises on the way, and the list holds the `most` itemsets of largest
    support, of equal ones those that come first, and some others that it met before them. A search that gave
    up lists the first ones only. Reads only.
    O(items + for each itemset listed the items behind it in its rows); memory: the list and, for the itemset
    visited and each of its beginnings, the items behind.
    """
    laid = _lay_out(rows.sets, item_count)
    search = _at_the_empty_itemset(laid, rows.weights, min(wanted.longest, laid.longest))
    found = nothing_found(wanted.minimum_support, wanted.most)
    going = True
    while going and search.at[_READ] <= wanted.patience:
        if _can_be_extended(search):
            search = _extended(laid, search, minimum_of(found), kinship)
        going = _advance(search, minimum_of(found))
        if going:
            found = noted(search.prefix, search.at[_DEPTH], search.at[_SUPPORT_HERE], found)
    return as_itemsets(found, not going)


@kernel(part=True)
def _lay_out(rows: SetArrays, end_mark: int) -> _Laid:
    row_count = len(rows.starts) - 1
    items = np.empty(len(rows.items) + row_count, dtype=np.int32)
    first = np.empty(row_count, dtype=np.int64)
    longest, index = 0, 0
    for row in range(row_count):
        first[row] = index
        longest = max(longest, rows.starts[row + 1] - rows.starts[row])
        for position in range(rows.starts[row], rows.starts[row + 1]):
            items[index] = rows.items[position]
            index += 1
        items[index] = end_mark
        index += 1
    return _Laid(items, first, end_mark, longest)


@kernel(part=True)
def _at_the_empty_itemset(laid: _Laid, weights: Ints, deepest: int) -> _Search:
    row_count, item_count = len(weights), laid.end_mark
    listed = np.empty(_LISTED * row_count, dtype=np.int64)
    for row in range(row_count):
        listed[_LISTED * row + _PLACE] = laid.first[row]
        listed[_LISTED * row + _WEIGHT] = weights[row]
    branches = np.empty(_BRANCH * item_count, dtype=np.int64)
    for item in range(item_count):
        branches[_BRANCH * item + _ITEM] = item
    at = np.zeros(8, dtype=np.int64)
    at[_END] = at[_FREE] = row_count
    at[_CANDIDATE_STOP] = item_count
    return _Search(
        deepest,
        at,
        np.empty(deepest, dtype=np.int64),
        np.zeros(deepest + 1, dtype=np.int64),
        np.zeros(deepest + 1, dtype=np.int64),
        np.zeros(deepest + 1, dtype=np.int64),
        branches,
        listed,
        np.empty(item_count, dtype=np.int64),
        np.empty(item_count, dtype=np.int64),
        np.full(item_count, _NOT_FOLLOWED, dtype=np.int64),
    )


@kernel
def nothing_found(minimum_support: int, most: int) -> FoundItemsets:
    """The start of a list of itemsets."""
    tally = np.zeros(3, dtype=np.int64)
    tally[_MINIMUM] = minimum_support
    return FoundItemsets(
        np.zeros(1024, dtype=np.int64),
        np.empty(1024, dtype=np.int32),
        np.empty(1024, dtype=np.int64),
        tally,
        np.empty(most, dtype=np.int64),
    )


@kernel(part=True)
def _can_be_extended(search: _Search) -> bool:
    at = search.at
    return at[_DEPTH] < search.deepest and at[_CANDIDATE] < at[_CANDIDATE_STOP] and at[_START] < at[_END]


@kernel(part=True)
def _extended(laid: _Laid, search: _Search, minimum: int, kinship: Kinship) -> _Search:
    """Give the itemset visited its branches; those that can grow further get their lists, too."""
    _count(laid, search)
    at, depth = search.at, search.at[_DEPTH]
    candidates = at[_CANDIDATE_STOP] - at[_CANDIDATE]
    branches = with_room(
        search.branches, _BRANCH * at[_CANDIDATE_STOP], _BRANCH * (at[_CANDIDATE_STOP] + candidates)
    )
    search.cursor[depth] = branch = at[_CANDIDATE_STOP]
    free = at[_FREE]
    for candidate in range(at[_CANDIDATE], at[_CANDIDATE_STOP]):
        item = branches[_BRANCH * candidate + _ITEM]
        # Kin of items further up the prefix are no candidates any more.
        if search.supports[item] >= minimum and not (
            depth > 0 and are_kin(kinship, search.prefix[depth - 1], item)
        ):
            branches[_BRANCH * branch + _ITEM] = item
            branches[_BRANCH * branch + _SUPPORT] = search.supports[item]
            branches[_BRANCH * branch + _LIST_START] = branches[_BRANCH * branch + _LIST_END] = free
            branch += 1
            free += search.rows[item]
    search.stop[depth] = branch
    if depth + 1 == search.deepest:
        return _resized(search, branches, search.listed)
    search.list_stop[depth] = free
    listed = _with_spare_room(search.listed, _LISTED * at[_FREE], _LISTED * free)
    larger = _resized(search, branches, listed)
    _list_places(laid, larger)
    return larger


@kernel(part=True)
def _with_spare_room(listed: Ints, used: int, wanted: int) -> Ints:
    """The lists themselves or, if they have fewer than `wanted` places, with that many and an eighth more.

    The lists of single items are by far the longest: doubling them for those of pairs would be for nothing.
    """
    if wanted <= len(listed):
        return listed
    longer = np.empty(wanted + wanted // 8, dtype=np.int64)
    for index in range(used):
        longer[index] = listed[index]
    return longer


@kernel
def are_kin(kinship: Kinship, one: int, other: int) -> bool:
    """Whether two items never stand together."""
    first, last = kinship.first, kinship.last
    return len(first) > 0 and first[one] <= last[other] and first[other] <= last[one]


@kernel
def _resized(search: _Search, branches: Ints, listed: Ints) -> _Search:
    return _Search(
        search.deepest,
        search.at,
        search.prefix,
        search.cursor,
        search.stop,
        search.list_stop,
        branches,
        listed,
        search.supports,
        search.rows,
        search.next_free,
    )


@kernel(part=True)
def _count(laid: _Laid, search: _Search) -> None:
    items, listed, supports, rows = laid.items, search.listed, search.supports, search.rows
    # Other items than candidates are counted, too, onto whatever their counters hold: nobody reads those.
    for candidate in range(search.at[_CANDIDATE], search.at[_CANDIDATE_STOP]):
        item = search.branches[_BRANCH * candidate + _ITEM]
        supports[item] = rows[item] = 0
    for number in range(search.at[_START], search.at[_END]):
        index, weight = listed[_LISTED * number + _PLACE], listed[_LISTED * number + _WEIGHT]
        item = items[index]
        while item < laid.end_mark:
            supports[item] += weight
            rows[item] += 1
            index += 1
            item = items[index]
        search.at[_READ] += index - listed[_LISTED * number + _PLACE]


@kernel(part=True)
def _list_places(laid: _Laid, search: _Search) -> None:
    """List where each new branch goes on; rows that end with its item are left out."""
    items, listed, next_free, branches = laid.items, search.listed, search.next_free, search.branches
    depth = search.at[_DEPTH]
    for branch in range(search.cursor[depth], search.stop[depth]):
        next_free[branches[_BRANCH * branch + _ITEM]] = branches[_BRANCH * branch + _LIST_START]
    for number in range(search.at[_START], search.at[_END]):
        index, weight = listed[_LISTED * number + _PLACE], listed[_LISTED * number + _WEIGHT]
        item = items[index]
        while item < laid.end_mark:
            index += 1
            following = items[index]
            free = next_free[item]
            if free != _NOT_FOLLOWED and following < laid.end_mark:
                listed[_LISTED * free + _PLACE] = index
                listed[_LISTED * free + _WEIGHT] = weight
                next_free[item] = free + 1
            item = following
    for branch in range(search.cursor[depth], search.stop[depth]):
        item = branches[_BRANCH * branch + _ITEM]
        branches[_BRANCH * branch + _LIST_END] = next_free[item]
        next_free[item] = _NOT_FOLLOWED


@kernel(part=True)
def _advance(search: _Search, minimum: int) -> bool:
    """Go on to the next itemset that is frequent enough by now; False if there is no other."""
    depth, branch, support = search.at[_DEPTH], 0, 0
    while depth >= 0 and support < minimum:
        if search.cursor[depth] == search.stop[depth]:
            depth -= 1
        else:
            branch = search.cursor[depth]
            search.cursor[depth] += 1
            support = search.branches[_BRANCH * branch + _SUPPORT]
    if depth < 0:
        return False
    at = search.at
    search.prefix[depth] = search.branches[_BRANCH * branch + _ITEM]
    at[_DEPTH], at[_SUPPORT_HERE] = depth + 1, support
    at[_START] = search.branches[_BRANCH * branch + _LIST_START]
    at[_END] = search.branches[_BRANCH * branch + _LIST_END]
    at[_CANDIDATE], at[_CANDIDATE_STOP] = branch + 1, search.stop[depth]
    at[_FREE] = search.list_stop[depth]
    search.cursor[depth + 1] = search.stop[depth + 1] = 0
    return True


@kernel
def minimum_of(found: FoundItemsets) -> int:
    """The support that others must have."""
    return found.tally[_MINIMUM]


@kernel
def as_itemsets(found: FoundItemsets, complete: bool) -> Itemsets:  # noqa: FBT001 - kernels take no keywords
    """What was found, without the room behind it."""
    count = found.tally[_COUNT]
    sets = SetArrays(found.starts[: count + 1].copy(), found.items[: found.starts[count]].copy())
    return Itemsets(sets, found.supports[:count].copy(), complete)


@kernel
def noted(prefix: Ints, depth: int, support: int, found: FoundItemsets) -> FoundItemsets:
    """Add the itemset prefix[:depth] to those found, and raise the minimum if there are enough of them."""
    count = found.tally[_COUNT]
    end = found.starts[count]
    starts = with_room(found.starts, count + 1, count + 2)
    items = with_room(found.items, end, end + depth)
    supports = with_room(found.supports, count, count + 1)
    for index in range(depth):
        items[end + index] = prefix[index]
    starts[count + 1] = end + depth
    supports[count] = support
    found.tally[_COUNT] = count + 1
    most = len(found.largest)
    if most > 0:
        found.tally[_KEPT] = _keep(found.largest, found.tally[_KEPT], support)
        if found.tally[_KEPT] == most:
            # Itemsets of equal support that are still to come stand behind those that are there already.
            found.tally[_MINIMUM] = max(found.tally[_MINIMUM], found.largest[0] + 1)
    return FoundItemsets(starts, items, supports, found.tally, found.largest)


@kernel(part=True)
def _keep(heap: Ints, size: int, value: int) -> int:
    """Put a value into the heap, in place of the smallest one if the heap is full; returns its new size."""
    if size < len(heap):
        index = size
        while index > 0 and heap[(index - 1) // 2] > value:
            heap[index] = heap[(index - 1) // 2]
            index = (index - 1) // 2
        heap[index] = value
        return size + 1
    index, child = 0, 1
    while child < size:
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[index] = heap[child]
        index, child = child, 2 * child + 1
    heap[index] = value
    return size
