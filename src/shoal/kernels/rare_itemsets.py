"""Sets of numbers that break a promise, one by one in lexicographic order, for a search that drops numbers.

Who mends a set generalizes some of its numbers, and then no set that contains those is of interest any more.
So sets are counted lazily: depth-first, one first number (anchor) after the other, and a prefix
that contains a dropped number is left at once. Memory does not depend on how many sets there are.
"""

from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, Items, SetArrays, starts_of
from shoal.kernels.compile import kernel
from shoal.kernels.set_recoding import sort_unique
from shoal.kernels.shares import ShareLimit, count_row, exceeds
from shoal.threads import mapped, processors

DONE, FOUND, PAUSED = range(3)
NODE, FIRST_LEAF, LAST_LEAF, WEIGHT, IS_FRESH = range(5)

_DEPTH, _START, _END, _NEXT_RARE, _RARE_END, _NEXT_PAIR, _SIZE, _SUPPORT, _SEEN, _WORK, _BEGUN = range(11)
_PREFIX, _LEFT, _HAS_FRESH, _CURSOR, _STOP = range(5)
_NUMBER, _PLACES = range(2)
_COUNT, _TOUCHED, _RARE, _RARE_SUPPORT = range(4)

_ITEMS_FOR_THREADS = 50_000
_PAIR = 2
_ROWS_OF_A_TABLE = 16  # a table of pairs suits where it has fewer places for each row
_LARGEST_PAIR_TABLE = 2**20  # 8 MB: beyond the cache, one list of places per number is faster


class Numbered(NamedTuple):
    """What the numbers stand for: number i is the node what[NODE, i].

    The node covers the leaves what[FIRST_LEAF, i]..what[LAST_LEAF, i], and somebody must know what[WEIGHT, i]
    facts to know it. Only sets with a number that is IS_FRESH are listed, and only those whose first number
    is below `anchors`. dropped[node] may become true while sets are listed; those with the node are skipped.
    """

    what: Ints
    anchors: int
    dropped: Bools


class WantedSets(NamedTuple):
    """Which sets are listed: of total weight `weight`, or of at most it if `lighter`, that break the promise.

    A set breaks it if fewer than k rows hold it, or a sensitive item has too large a share of them.
    """

    weight: int
    lighter: bool
    k: int
    limit: ShareLimit


class RareSets(NamedTuple):
    """Where the listing stands; few arrays with named rows, because compiling takes longer for each array.

    Rows are laid end to end: numbers ascending, then the end mark `count + row`. The set visited is made of
    the first at[_DEPTH] numbers of levels[_PREFIX], and goes on at the places from at[_START] to at[_END],
    one for each row that holds it. At depth d the set may still take up the weight levels[_LEFT, d], has a
    fresh number if levels[_HAS_FRESH, d], and branches levels[_CURSOR, d] to levels[_STOP, d] - 1 are still
    to visit: branch b adds branches[_NUMBER, b] and goes on at the places that stand from
    branches[_PLACES, b] to branches[_PLACES, b + 1]. The numbers from at[_NEXT_RARE] to at[_RARE_END] in
    scratch[_RARE] make the set visited a rare one. scratch[_COUNT] is all zero between two uses;
    scratch[_TOUCHED] lists the numbers counted. Where two numbers are wanting and the rows are many, the
    pairs are counted in one go: pair b < c of `count` numbers at pairs[b * count + c], which is zero
    everywhere before at[_NEXT_PAIR].
    """

    items: Items
    row_of: Ints
    numbered: Numbered
    wanted: WantedSets
    at: Ints
    levels: Ints
    branches: Ints
    places: Ints
    scratch: Ints
    pairs: Ints


# Arrays as large as the data are made here and not in kernels: NumPy asks the system for large pages, Numba
# does not, and without them time per item rises with the number of rows.


def lay_out(sets: SetArrays, rows: Ints, numbers_of_leaf: SetArrays, count: int) -> Items:
    """Lay the given rows end to end, each leaf exchanged for its numbers, which are below `count`.

    Row rows[j] ends with the mark count + j. O(items log longest row).
    """
    most = int(np.diff(numbers_of_leaf.starts).max(initial=0))
    before = starts_of(sets.starts[rows + 1] - sets.starts[rows])
    laid = np.empty(len(rows) + most * int(before[-1]), dtype=np.int32)
    shares = processors() if before[-1] >= _ITEMS_FOR_THREADS else 1
    borders = [len(rows) * share // shares for share in range(shares + 1)]
    rooms = [border + most * int(before[border]) for border in borders]

    def lay(share: int) -> int:
        first, room = borders[share], laid[rooms[share] : rooms[share + 1]]
        return _lay_rows(sets, rows[first : borders[share + 1]], numbers_of_leaf, count + first, room)

    end = 0
    for room, length in zip(rooms, mapped(lay, range(shares)), strict=False):
        if room > end:
            laid[end : end + length] = laid[room : room + length]
        end += length
    return laid[:end]


@kernel
def _lay_rows(sets: SetArrays, rows: Ints, numbers_of_leaf: SetArrays, count: int, laid: Items) -> int:
    """Fill `laid`; returns where the last row ends."""
    starts = numbers_of_leaf.starts
    end = 0
    for j in range(len(rows)):
        start = end
        for index in range(sets.starts[rows[j]], sets.starts[rows[j] + 1]):
            leaf = sets.items[index]
            for number in range(starts[leaf], starts[leaf + 1]):
                laid[end] = numbers_of_leaf.items[number]
                end += 1
        end = sort_unique(laid, start, end)
        laid[end] = count + j
        end += 1
    return end


@kernel
def lay_out_with_absent(laid: Items, count: int, absent_number: Ints) -> Items:
    """Add to every laid row absent_number[i] for each number i that it lacks, unless that is negative.

    Rows were laid with `count` numbers and are laid anew with 2 * count; absent numbers ascend from count on.
    """
    row_count, total = 0, 0
    for item in laid:
        row_count += item >= count
    total = len(laid) + row_count * count
    wider = np.empty(total, dtype=np.int32)
    end, begin = 0, 0
    for index in range(len(laid)):
        if laid[index] < count:
            wider[end] = laid[index]
            end += 1
            continue
        known = begin
        for number in range(count):
            if known < index and laid[known] == number:
                known += 1
            elif absent_number[number] >= 0:
                wider[end] = absent_number[number]
                end += 1
        wider[end] = laid[index] + count
        end += 1
        begin = index + 1
    return wider[:end].copy()


def begin(items: Items, row_of: Ints, numbered: Numbered, wanted: WantedSets) -> RareSets:
    """Start listing the sets of laid rows; row_of[j] is the row behind end mark count + j.

    O(items); memory in 8-byte words: one per item, and for sets of three and more numbers as many per level
    as the largest number of items that stand behind one and the same number.
    """
    count = numbered.what.shape[1]
    borders = _row_borders(items, count)
    occurrences, reach = _reach(items, count, borders)
    branching = wanted.weight - int(len(wanted.limit.whole_of) == 0)
    deeper = max(0, branching - 1)
    by_pairs = (
        wanted.weight > 1
        and not wanted.lighter
        and branching < wanted.weight
        and count * count <= _LARGEST_PAIR_TABLE
        and bool((numbered.what[WEIGHT] == 1).all())
    )
    rare = RareSets(
        items,
        row_of,
        numbered,
        wanted,
        np.zeros(11, dtype=np.int64),
        np.zeros((5, wanted.weight + 1), dtype=np.int64),
        np.empty((2, count + 1 + deeper * (min(count, reach) + 1)), dtype=np.int64),
        np.empty(len(row_of) + (occurrences if branching > 0 else 0) + deeper * reach, dtype=np.int64),
        np.zeros((4, count), dtype=np.int64),
        np.zeros(count * count if by_pairs else 0, dtype=np.int64),
    )
    rare.levels[_LEFT, 0] = wanted.weight
    rare.at[_NEXT_PAIR] = len(rare.pairs)
    rare.at[_END] = len(row_of)
    _find_rows(items, count, borders, rare.places)
    if (
        wanted.weight == _PAIR
        and 0 < len(rare.pairs) < _ROWS_OF_A_TABLE * len(row_of)
        and numbered.anchors == count
    ):
        _count_all_pairs(rare, borders)
    return rare


def _row_borders(items: Items, count: int) -> list[int]:
    """Where laid rows are divided among threads."""
    shares = processors() if len(items) >= _ITEMS_FOR_THREADS else 1
    inner = [_behind_row(items, count, len(items) * share // shares) for share in range(1, shares)]
    return [0, *inner, len(items)]


@kernel
def _behind_row(items: Items, count: int, place: int) -> int:
    """Behind the end mark of the laid row at a place."""
    while items[place] < count:
        place += 1
    return place + 1


def _find_rows(items: Items, count: int, borders: Sequence[int], places: Ints) -> None:
    """The places where the laid rows begin."""

    def find(share: tuple[int, int]) -> None:
        first, behind = share
        row = 0 if first == 0 else int(items[first - 1]) - count + 1
        _find_rows_between(items, count, first, behind, places[row:])

    deque(mapped(find, pairwise(borders)), maxlen=0)


@kernel
def _find_rows_between(items: Items, count: int, first: int, behind: int, places: Ints) -> None:
    at_row_start, row = True, 0
    for index in range(first, behind):
        if at_row_start:
            places[row] = index
            row += 1
        at_row_start = items[index] >= count


def _count_all_pairs(rare: RareSets, borders: Sequence[int]) -> None:
    """Count the pairs behind the empty set; each thread has a table of its own."""
    count = rare.scratch.shape[1]

    def counted(share: tuple[int, int]) -> tuple[Ints, int]:
        first, behind = np.searchsorted(rare.places[: len(rare.row_of)], share)
        pairs = rare.pairs if share[0] == 0 else np.zeros_like(rare.pairs)
        return pairs, _add_pairs(rare.items, rare.places[first:behind], count, pairs)

    for pairs, work in mapped(counted, pairwise(borders)):
        rare.at[_WORK] += work
        if pairs is not rare.pairs:
            rare.pairs[:] += pairs
    rare.at[_NEXT_PAIR], rare.at[_BEGUN] = 0, 1


@kernel
def next_broken(rare: RareSets, budget: int) -> int:
    """Go on to the next set that breaks the promise: FOUND, or DONE, or PAUSED after about `budget` steps."""
    at = rare.at
    enough = at[_WORK] + budget
    if not at[_BEGUN]:
        at[_BEGUN] = 1
        _extend(rare)  # the empty set; not in begin(), which would compile everything once more
    while at[_WORK] < enough:
        if _take_rare(rare) or _take_pair(rare):
            return FOUND
        if not _advance(rare):
            return DONE
        if _breaks(rare):
            return FOUND
        _extend(rare)
    return PAUSED


def found(rare: RareSets) -> tuple[Ints, int]:
    """The set that the listing stopped at, and how many rows hold it."""
    return rare.levels[_PREFIX, : rare.at[_SIZE]].copy(), int(rare.at[_SUPPORT])


class Done(NamedTuple):
    """How far a listing is: the first number of the set it is at, rare sets met, occurrences counted."""

    anchor: int
    found: int
    counted: int


def progress_of(rare: RareSets) -> Done:
    """How far the listing is; rare sets that were skipped count as met."""
    return Done(int(rare.levels[_PREFIX, 0]), int(rare.at[_SEEN]), int(rare.at[_WORK]))


def _reach(items: Items, count: int, borders: Sequence[int]) -> tuple[int, int]:
    """How many items there are, and the most that stand behind one and the same number."""

    def of_share(share: tuple[int, int]) -> tuple[int, Ints]:
        behind = np.zeros(count, dtype=np.int64)
        return _add_behind(items, count, share[0], share[1], behind), behind

    found = list(mapped(of_share, pairwise(borders)))
    reach = sum(behind for _, behind in found)
    return sum(occurrences for occurrences, _ in found), int(np.max(reach, initial=0))


@kernel
def _add_behind(items: Items, count: int, first: int, end: int, behind: Ints) -> int:
    occurrences, after = 0, 0
    for index in range(end - 1, first - 1, -1):
        if items[index] >= count:
            after = 0
        else:
            behind[items[index]] += after
            after += 1
            occurrences += 1
    return occurrences


@kernel(part=True)
def _take_rare(rare: RareSets) -> bool:
    """Stop at the next number that makes the set visited a rare one."""
    at = rare.at
    depth = at[_DEPTH]
    if at[_NEXT_RARE] < at[_RARE_END] and _holds_dropped(rare, depth):
        at[_NEXT_RARE] = at[_RARE_END]
    while at[_NEXT_RARE] < at[_RARE_END]:
        index = at[_NEXT_RARE]
        at[_NEXT_RARE] += 1
        number = rare.scratch[_RARE, index]
        if not _is_dropped(rare.numbered, number):
            rare.levels[_PREFIX, depth] = number
            at[_SIZE], at[_SUPPORT] = depth + 1, rare.scratch[_RARE_SUPPORT, index]
            return True
    return False


@kernel(part=True)
def _take_pair(rare: RareSets) -> bool:
    """Stop at the next pair of numbers that makes the set visited a rare one."""
    at, pairs, what, count = rare.at, rare.pairs, rare.numbered.what, rare.scratch.shape[1]
    depth, position = at[_DEPTH], at[_NEXT_PAIR]
    wanted = position < len(pairs) and not _holds_dropped(rare, depth)
    while position < len(pairs):
        support = pairs[position]
        pairs[position] = 0
        position += 1
        if wanted and 0 < support < rare.wanted.k:
            first, second = (position - 1) // count, (position - 1) % count
            is_fresh = rare.levels[_HAS_FRESH, depth] or what[IS_FRESH, first] or what[IS_FRESH, second]
            rare.levels[_PREFIX, depth] = first
            if is_fresh and _belongs(rare, depth, first) and _belongs(rare, depth + 1, second):
                rare.levels[_PREFIX, depth + 1] = second
                at[_SIZE], at[_SUPPORT], at[_NEXT_PAIR] = depth + 2, support, position
                at[_SEEN] += 1
                return True
    at[_NEXT_PAIR] = position
    return False


@kernel(part=True)
def _advance(rare: RareSets) -> bool:
    """Visit the next set; False if there is no other."""
    at, levels = rare.at, rare.levels
    depth = at[_DEPTH]
    while True:
        while depth >= 0 and (levels[_CURSOR, depth] == levels[_STOP, depth] or _holds_dropped(rare, depth)):
            depth -= 1
        if depth < 0:
            return False
        branch = levels[_CURSOR, depth]
        levels[_CURSOR, depth] += 1
        number = rare.branches[_NUMBER, branch]
        if not _is_dropped(rare.numbered, number):
            break
    what = rare.numbered.what
    levels[_PREFIX, depth] = number
    levels[_LEFT, depth + 1] = levels[_LEFT, depth] - what[WEIGHT, number]
    levels[_HAS_FRESH, depth + 1] = levels[_HAS_FRESH, depth] | what[IS_FRESH, number]
    levels[_CURSOR, depth + 1] = levels[_STOP, depth + 1] = 0
    at[_DEPTH] = depth + 1
    at[_START], at[_END] = rare.branches[_PLACES, branch], rare.branches[_PLACES, branch + 1]
    at[_WORK] += 1
    return True


@kernel
def _is_dropped(numbered: Numbered, number: int) -> bool:
    return numbered.dropped[numbered.what[NODE, number]]


@kernel
def _holds_dropped(rare: RareSets, depth: int) -> bool:
    dropped = False
    for index in range(depth):
        dropped |= _is_dropped(rare.numbered, rare.levels[_PREFIX, index])
    return dropped


@kernel(part=True)
def _breaks(rare: RareSets) -> bool:
    """Whether the set visited breaks the promise itself; most are judged where they are counted."""
    at, wanted = rare.at, rare.wanted
    depth = at[_DEPTH]
    if (rare.levels[_LEFT, depth] > 0 and not wanted.lighter) or not rare.levels[_HAS_FRESH, depth]:
        return False
    support = at[_END] - at[_START]
    if support >= wanted.k and not (len(wanted.limit.whole_of) > 0 and _exceeds_share(rare)):
        return False
    at[_SIZE], at[_SUPPORT] = depth, support
    at[_SEEN] += 1
    return True


@kernel(part=True)
def _exceeds_share(rare: RareSets) -> bool:
    at, limit, count = rare.at, rare.wanted.limit, rare.scratch.shape[1]
    distinct = 0
    for number in range(at[_START], at[_END]):
        index = rare.places[number]
        while rare.items[index] < count:
            index += 1
        distinct = count_row(limit, rare.row_of[rare.items[index] - count], distinct)
    return exceeds(limit, at[_END] - at[_START], distinct)


@kernel
def _extend(rare: RareSets) -> None:
    """Count the sets with one number more than the one visited: note rare ones, branch to heavier ones."""
    at, depth = rare.at, rare.at[_DEPTH]
    at[_NEXT_RARE] = at[_RARE_END] = 0
    if rare.levels[_LEFT, depth] == 0:
        return
    if rare.levels[_LEFT, depth] == 2 and _suit_a_table(rare):
        _count_pairs(rare)
        return
    few = at[_END] - at[_START] < rare.scratch.shape[1] // 8
    distinct = _count_few(rare) if few else _count_many(rare)
    _note_rare(rare, distinct)
    if rare.levels[_LEFT, depth] > 1 or len(rare.wanted.limit.whole_of) > 0:
        if few:
            sort_unique(rare.scratch[_TOUCHED], 0, distinct)
        _branch(rare, distinct)
    for number in range(distinct):
        rare.scratch[_COUNT, rare.scratch[_TOUCHED, number]] = 0


@kernel(part=True)
def _suit_a_table(rare: RareSets) -> bool:
    """Whether the pairs behind the set visited are many enough to be counted in one go."""
    at, all_may_begin = rare.at, rare.numbered.anchors == rare.scratch.shape[1]
    rows = at[_END] - at[_START]
    return 0 < len(rare.pairs) < _ROWS_OF_A_TABLE * rows and (at[_DEPTH] > 0 or all_may_begin)


@kernel(part=True)
def _count_pairs(rare: RareSets) -> None:
    at = rare.at
    places = rare.places[at[_START] : at[_END]]
    at[_WORK] += _add_pairs(rare.items, places, rare.scratch.shape[1], rare.pairs)
    at[_NEXT_PAIR] = 0


@kernel
def _add_pairs(items: Items, places: Ints, count: int, pairs: Ints) -> int:
    work = 0
    for place in places:
        index = place
        while items[index] < count:
            base = items[index] * count
            index += 1
            other = index
            while items[other] < count:
                pairs[base + items[other]] += 1
                other += 1
            work += other - index
    return work


@kernel(part=True)
def _count_many(rare: RareSets) -> int:
    # Asking each time whether a number is new costs more than looking for the new ones afterwards.
    items, at = rare.items, rare.at
    counts, touched = rare.scratch[_COUNT], rare.scratch[_TOUCHED]
    for number in range(at[_START], at[_END]):
        index = rare.places[number]
        start = index
        item = items[index]
        while item < len(counts):
            counts[item] += 1
            index += 1
            item = items[index]
        at[_WORK] += index - start
    distinct = 0
    for item in range(len(counts)):
        if counts[item] > 0:
            touched[distinct] = item
            distinct += 1
    return distinct


@kernel(part=True)
def _count_few(rare: RareSets) -> int:
    items, at = rare.items, rare.at
    counts, touched = rare.scratch[_COUNT], rare.scratch[_TOUCHED]
    distinct = 0
    for number in range(at[_START], at[_END]):
        index = rare.places[number]
        start = index
        item = items[index]
        while item < len(counts):
            if counts[item] == 0:
                touched[distinct] = item
                distinct += 1
            counts[item] += 1
            index += 1
            item = items[index]
        at[_WORK] += index - start
    return distinct


@kernel(part=True)
def _note_rare(rare: RareSets, distinct: int) -> None:
    """List the numbers that complete the set visited to a rare one, ascending."""
    wanted, what, at, scratch = rare.wanted, rare.numbered.what, rare.at, rare.scratch
    if len(wanted.limit.whole_of) > 0:
        return  # judged when visited
    depth = at[_DEPTH]
    end = 0
    for index in range(distinct):
        number = scratch[_TOUCHED, index]
        if (
            scratch[_COUNT, number] < wanted.k
            and what[WEIGHT, number] == rare.levels[_LEFT, depth]
            and (what[IS_FRESH, number] or rare.levels[_HAS_FRESH, depth])
            and _belongs(rare, depth, number)
        ):
            scratch[_RARE, end] = number
            end += 1
    sort_unique(scratch[_RARE], 0, end)
    for index in range(end):
        scratch[_RARE_SUPPORT, index] = scratch[_COUNT, scratch[_RARE, index]]
    at[_RARE_END] = end
    at[_SEEN] += end


@kernel
def _belongs(rare: RareSets, depth: int, number: int) -> bool:
    """Whether a number may stand behind the prefix: still wanted there, and below none of it."""
    numbered, what = rare.numbered, rare.numbered.what
    if _is_dropped(numbered, number) or (depth == 0 and number >= numbered.anchors):
        return False
    for index in range(depth):
        above = rare.levels[_PREFIX, index]
        if (
            what[FIRST_LEAF, above] <= what[FIRST_LEAF, number]
            and what[LAST_LEAF, number] <= what[LAST_LEAF, above]
        ):
            return False
    return True


@kernel(part=True)
def _branch(rare: RareSets, distinct: int) -> None:
    """List where each of the heavier sets goes on. Uses up the counts."""
    at, levels, branches = rare.at, rare.levels, rare.branches
    depth = at[_DEPTH]
    heaviest = levels[_LEFT, depth] - (len(rare.wanted.limit.whole_of) == 0)
    branch = 0 if depth == 0 else levels[_STOP, depth - 1] + 1
    free = len(rare.row_of) if depth == 0 else branches[_PLACES, branch - 1]
    next_free = rare.scratch[_COUNT]
    levels[_CURSOR, depth] = branch
    for index in range(distinct):
        number = rare.scratch[_TOUCHED, index]
        occurrences = next_free[number]
        next_free[number] = -1
        if rare.numbered.what[WEIGHT, number] <= heaviest and _belongs(rare, depth, number):
            branches[_NUMBER, branch], branches[_PLACES, branch] = number, free
            next_free[number] = free
            free += occurrences
            branch += 1
    levels[_STOP, depth], branches[_PLACES, branch] = branch, free
    items = rare.items
    for number in range(at[_START], at[_END]):
        index = rare.places[number]
        item = items[index]
        while item < len(next_free):
            index += 1
            if next_free[item] >= 0:
                rare.places[next_free[item]] = index
                next_free[item] += 1
            item = items[index]
