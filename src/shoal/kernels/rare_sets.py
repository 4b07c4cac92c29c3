"""Sets of numbers that break a promise, one by one in lexicographic order, for a search that drops numbers.

Who mends a set generalizes some of its numbers, and then no set that contains those is of interest any more.
So sets are counted lazily: depth-first, one first number (anchor) after the other, and a prefix
that contains a dropped number is left at once. Memory does not depend on how many sets there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.set_recoding import sort_unique
from shoal.kernels.shares import ShareLimit, count_row, exceeds

DONE, FOUND, PAUSED = range(3)

_DEPTH, _START, _END, _NEXT_RARE, _RARE_END, _SIZE, _SUPPORT, _SEEN, _WORK = range(9)


class Numbered(NamedTuple):
    """What the numbers stand for: number i is the node node_of[i], which covers first_leaf[i]..last_leaf[i].

    It weighs weights[i]: how many facts somebody must know to know it. Only sets with a number that is
    `fresh` are listed, and only those whose first number is below `anchors`. `dropped[node]` may become true
    while the sets are listed; those that contain the node are then skipped.
    """

    node_of: Ints
    first_leaf: Ints
    last_leaf: Ints
    weights: Ints
    fresh: Bools
    anchors: int
    dropped: Bools


class Wanted(NamedTuple):
    """Which sets are listed: of total weight `weight`, or of at most it if `lighter`, that break the promise.

    A set breaks it if fewer than k rows hold it, or a sensitive item has too large a share of them.
    """

    weight: int
    lighter: bool
    k: int
    limit: ShareLimit


class RareSets(NamedTuple):
    """Where the listing stands; `found` tells the set it stopped at.

    Rows are laid end to end: numbers ascending, then the end mark `count + row`. The set visited is
    prefix[:at[_DEPTH]], which goes on at the places from at[_START] to at[_END], one for each row that holds
    it. Its branches cursor[d]..stop[d] - 1 are still to visit; branch b adds branch_numbers[b] and goes on at
    places[branch_starts[b]:branch_starts[b + 1]]. left[d] is the weight that prefix[:d] may still take up,
    is_fresh[d] whether it holds a fresh number. rare[at[_NEXT_RARE]:at[_RARE_END]] are numbers that make the
    set visited a rare one. `counts` is all zero between two uses; `touched` lists the numbers counted.
    """

    items: Ints
    row_of: Ints
    numbered: Numbered
    wanted: Wanted
    at: Ints
    prefix: Ints
    left: Ints
    is_fresh: Bools
    cursor: Ints
    stop: Ints
    branch_numbers: Ints
    branch_starts: Ints
    places: Ints
    counts: Ints
    touched: Ints
    rare: Ints
    rare_supports: Ints


@kernel
def lay_out(sets: SetArrays, rows: Ints, numbers_of_leaf: SetArrays, count: int) -> Ints:
    """Lay the given rows end to end, each leaf exchanged for its numbers, which are below `count`.

    Row rows[j] ends with the mark count + j. Reads only. O(items log longest row).
    """
    starts = numbers_of_leaf.starts
    total = len(rows)
    for row in rows:
        for place in range(sets.starts[row], sets.starts[row + 1]):
            leaf = sets.items[place]
            total += starts[leaf + 1] - starts[leaf]
    laid = np.empty(total, dtype=np.int64)
    end = 0
    for j in range(len(rows)):
        start = end
        for place in range(sets.starts[rows[j]], sets.starts[rows[j] + 1]):
            leaf = sets.items[place]
            for number in range(starts[leaf], starts[leaf + 1]):
                laid[end] = numbers_of_leaf.items[number]
                end += 1
        end = sort_unique(laid, start, end)
        laid[end] = count + j
        end += 1
    return laid[:end]


@kernel
def lay_out_with_absent(laid: Ints, count: int, absent_number: Ints) -> Ints:
    """Add to every laid row absent_number[i] for each number i that it lacks, unless that is negative.

    Rows were laid with `count` numbers and are laid anew with 2 * count; absent numbers ascend from count on.
    """
    row_count, total = 0, 0
    for item in laid:
        row_count += item >= count
    total = len(laid) + row_count * count
    wider = np.empty(total, dtype=np.int64)
    end, begin = 0, 0
    for place in range(len(laid)):
        if laid[place] < count:
            wider[end] = laid[place]
            end += 1
            continue
        known = begin
        for number in range(count):
            if known < place and laid[known] == number:
                known += 1
            elif absent_number[number] >= 0:
                wider[end] = absent_number[number]
                end += 1
        wider[end] = laid[place] + count
        end += 1
        begin = place + 1
    return wider[:end].copy()


@kernel
def begin(items: Ints, row_of: Ints, numbered: Numbered, wanted: Wanted) -> RareSets:
    """Start listing the sets of laid rows; row_of[j] is the row behind end mark count + j.

    O(items); memory in 8-byte words: one per item, and for sets of three and more numbers as many per level
    as the largest number of items that stand behind one and the same number.
    """
    count = len(numbered.node_of)
    occurrences, reach = _reach(items, count)
    levels = wanted.weight + 1
    branching = wanted.weight - (len(wanted.limit.whole_of) == 0)
    deeper = max(0, branching - 1)
    branches = count + 1 + deeper * (min(count, reach) + 1)
    rare = RareSets(
        items,
        row_of,
        numbered,
        wanted,
        np.zeros(9, dtype=np.int64),
        np.zeros(levels, dtype=np.int64),
        np.zeros(levels, dtype=np.int64),
        np.zeros(levels, dtype=np.bool_),
        np.zeros(levels, dtype=np.int64),
        np.zeros(levels, dtype=np.int64),
        np.empty(branches, dtype=np.int64),
        np.empty(branches, dtype=np.int64),
        np.empty(len(row_of) + (occurrences if branching > 0 else 0) + deeper * reach, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.int64),
    )
    rare.left[0] = wanted.weight
    at_row_start, row = True, 0
    for place in range(len(items)):
        if at_row_start:
            rare.places[row] = place
            row += 1
        at_row_start = items[place] >= count
    rare.at[_END] = len(row_of)
    _extend(rare)
    return rare


@kernel
def next_broken(rare: RareSets, budget: int) -> int:
    """Go on to the next set that breaks the promise: FOUND, or DONE, or PAUSED after about `budget` steps."""
    at = rare.at
    enough = at[_WORK] + budget
    while at[_WORK] < enough:
        if _take_rare(rare):
            return FOUND
        if not _advance(rare):
            return DONE
        if _breaks(rare):
            return FOUND
        _extend(rare)
    return PAUSED


@kernel
def found(rare: RareSets) -> tuple[Ints, int]:
    """The set that the listing stopped at, and how many rows hold it."""
    return rare.prefix[: rare.at[_SIZE]].copy(), rare.at[_SUPPORT]


@kernel
def progress_of(rare: RareSets) -> tuple[int, int]:
    """How many anchors are behind, and how many sets were found so far, skipped ones included."""
    return (rare.prefix[0] if rare.at[_DEPTH] > 0 else 0), rare.at[_SEEN]


@kernel
def _reach(items: Ints, count: int) -> tuple[int, int]:
    """How many items there are, and the most that stand behind one and the same number."""
    behind = np.zeros(count, dtype=np.int64)
    occurrences, reach, after = 0, 0, 0
    for place in range(len(items) - 1, -1, -1):
        if items[place] >= count:
            after = 0
        else:
            behind[items[place]] += after
            reach = max(reach, behind[items[place]])
            after += 1
            occurrences += 1
    return occurrences, reach


@kernel
def _take_rare(rare: RareSets) -> bool:
    """Stop at the next number that makes the set visited a rare one."""
    at, numbered = rare.at, rare.numbered
    depth = at[_DEPTH]
    if at[_NEXT_RARE] < at[_RARE_END] and _is_dropped(rare, depth):
        at[_NEXT_RARE] = at[_RARE_END]
    while at[_NEXT_RARE] < at[_RARE_END]:
        place = at[_NEXT_RARE]
        at[_NEXT_RARE] += 1
        if not numbered.dropped[numbered.node_of[rare.rare[place]]]:
            rare.prefix[depth] = rare.rare[place]
            at[_SIZE], at[_SUPPORT] = depth + 1, rare.rare_supports[place]
            return True
    return False


@kernel
def _advance(rare: RareSets) -> bool:
    """Visit the next set; False if there is no other."""
    at, numbered = rare.at, rare.numbered
    depth = at[_DEPTH]
    while True:
        while depth >= 0 and (rare.cursor[depth] == rare.stop[depth] or _is_dropped(rare, depth)):
            depth -= 1
        if depth < 0:
            return False
        branch = rare.cursor[depth]
        rare.cursor[depth] += 1
        number = rare.branch_numbers[branch]
        if not numbered.dropped[numbered.node_of[number]]:
            break
    rare.prefix[depth] = number
    rare.left[depth + 1] = rare.left[depth] - numbered.weights[number]
    rare.is_fresh[depth + 1] = rare.is_fresh[depth] or numbered.fresh[number]
    at[_DEPTH] = depth + 1
    at[_START], at[_END] = rare.branch_starts[branch], rare.branch_starts[branch + 1]
    at[_WORK] += 1
    rare.cursor[depth + 1] = rare.stop[depth + 1] = 0
    return True


@kernel
def _is_dropped(rare: RareSets, depth: int) -> bool:
    numbered, dropped = rare.numbered, False
    for place in range(depth):
        dropped |= numbered.dropped[numbered.node_of[rare.prefix[place]]]
    return dropped


@kernel
def _breaks(rare: RareSets) -> bool:
    """Whether the set visited breaks the promise itself; most are judged where they are counted."""
    at, wanted = rare.at, rare.wanted
    depth = at[_DEPTH]
    if (rare.left[depth] > 0 and not wanted.lighter) or not rare.is_fresh[depth]:
        return False
    support = at[_END] - at[_START]
    if support >= wanted.k and not (len(wanted.limit.whole_of) > 0 and _exceeds_share(rare)):
        return False
    at[_SIZE], at[_SUPPORT] = depth, support
    at[_SEEN] += 1
    return True


@kernel
def _exceeds_share(rare: RareSets) -> bool:
    at, limit, count = rare.at, rare.wanted.limit, len(rare.counts)
    distinct = 0
    for number in range(at[_START], at[_END]):
        place = rare.places[number]
        while rare.items[place] < count:
            place += 1
        distinct = count_row(limit, rare.row_of[rare.items[place] - count], distinct)
    return exceeds(limit, at[_END] - at[_START], distinct)


@kernel
def _extend(rare: RareSets) -> None:
    """Count the sets with one number more than the one visited: note rare ones, branch to heavier ones."""
    at, depth = rare.at, rare.at[_DEPTH]
    at[_NEXT_RARE] = at[_RARE_END] = 0
    if rare.left[depth] == 0:
        return
    dense = at[_END] - at[_START] >= len(rare.counts) // 8
    distinct = _count_many(rare) if dense else _count_few(rare)
    _note_rare(rare, distinct)
    if rare.left[depth] > 1 or len(rare.wanted.limit.whole_of) > 0:
        if not dense:
            sort_unique(rare.touched, 0, distinct)
        _branch(rare, distinct)
    for number in range(distinct):
        rare.counts[rare.touched[number]] = 0


@kernel
def _count_many(rare: RareSets) -> int:
    # Asking each time whether a number is new costs more than looking for the new ones afterwards.
    items, counts, at, count = rare.items, rare.counts, rare.at, len(rare.counts)
    for number in range(at[_START], at[_END]):
        place = rare.places[number]
        start = place
        item = items[place]
        while item < count:
            counts[item] += 1
            place += 1
            item = items[place]
        at[_WORK] += place - start
    distinct = 0
    for item in range(count):
        if counts[item] > 0:
            rare.touched[distinct] = item
            distinct += 1
    return distinct


@kernel
def _count_few(rare: RareSets) -> int:
    items, counts, at, count = rare.items, rare.counts, rare.at, len(rare.counts)
    distinct = 0
    for number in range(at[_START], at[_END]):
        place = rare.places[number]
        start = place
        item = items[place]
        while item < count:
            if counts[item] == 0:
                rare.touched[distinct] = item
                distinct += 1
            counts[item] += 1
            place += 1
            item = items[place]
        at[_WORK] += place - start
    return distinct


@kernel
def _note_rare(rare: RareSets, distinct: int) -> None:
    """List the numbers that complete the set visited to a rare one, ascending."""
    wanted, numbered, at = rare.wanted, rare.numbered, rare.at
    if len(wanted.limit.whole_of) > 0:
        return  # judged when visited
    depth = at[_DEPTH]
    end = 0
    for place in range(distinct):
        number = rare.touched[place]
        if (
            rare.counts[number] < wanted.k
            and numbered.weights[number] == rare.left[depth]
            and _belongs(rare, depth, number)
            and (rare.is_fresh[depth] or numbered.fresh[number])
        ):
            rare.rare[end] = number
            end += 1
    sort_unique(rare.rare, 0, end)
    for place in range(end):
        rare.rare_supports[place] = rare.counts[rare.rare[place]]
    at[_RARE_END] = end
    at[_SEEN] += end


@kernel
def _belongs(rare: RareSets, depth: int, number: int) -> bool:
    """Whether a number may stand behind the prefix: still wanted there, and below none of it."""
    numbered = rare.numbered
    if numbered.dropped[numbered.node_of[number]] or (depth == 0 and number >= numbered.anchors):
        return False
    for place in range(depth):
        above = rare.prefix[place]
        if (
            numbered.first_leaf[above] <= numbered.first_leaf[number]
            and numbered.last_leaf[number] <= numbered.last_leaf[above]
        ):
            return False
    return True


@kernel
def _branch(rare: RareSets, distinct: int) -> None:
    """List where each of the heavier sets goes on. Uses up the counts."""
    at, numbered = rare.at, rare.numbered
    depth = at[_DEPTH]
    heaviest = rare.left[depth] - (len(rare.wanted.limit.whole_of) == 0)
    branch = 0 if depth == 0 else rare.stop[depth - 1] + 1
    free = len(rare.row_of) if depth == 0 else rare.branch_starts[branch - 1]
    rare.cursor[depth] = branch
    for place in range(distinct):
        number = rare.touched[place]
        occurrences = rare.counts[number]
        rare.counts[number] = -1
        if numbered.weights[number] <= heaviest and _belongs(rare, depth, number):
            rare.branch_numbers[branch], rare.branch_starts[branch] = number, free
            rare.counts[number] = free
            free += occurrences
            branch += 1
    rare.stop[depth], rare.branch_starts[branch] = branch, free
    items, next_free, count = rare.items, rare.counts, len(rare.counts)
    for number in range(at[_START], at[_END]):
        place = rare.places[number]
        item = items[place]
        while item < count:
            place += 1
            if next_free[item] >= 0:
                rare.places[next_free[item]] = place
                next_free[item] += 1
            item = items[place]
