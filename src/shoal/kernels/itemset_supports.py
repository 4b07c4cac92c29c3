"""Supports of all itemsets of at most m items, group by group: exact, with memory known beforehand.

The search goes depth-first through the itemsets that occur. An itemset is followed by the places just behind
its last item in every row that holds it; one pass over the items from there on counts all itemsets that are
one item longer. So the work is the number of itemset occurrences, and the counters stay in the cache however
many different itemsets there are. Where only pairs matter and a table of all of them fits into memory,
filling it is faster: the rows are then read in order.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints, Items, SetArrays
from shoal.kernels.compile import kernel
from shoal.threads import mapped, processors

MOST_COUNTED = 2**61
TABLE_BYTES = 256 * 2**20
SHARE_OF_ROWS, NEVER_GUESSED = -1, -2

_ROWS_FOR_THREADS = 20_000
_TABLE_OF_A_THREAD = 2**25  # bytes; several larger ones would take more memory than the data

_START, _END, _DEPTH, _GROUP = range(4)
_SUPPORT, _SIZE, _IN_GROUP = range(3)
_HOLDING, _KNOWING, _GUESSED, _KNOWN_SIZE, _KNOWN_GROUP = range(5)


class ItemRows(NamedTuple):
    """The items of each row: quasi-identifier items, and sensitive ones numbered from 0 again.

    quasi_count is above every quasi-identifier item. The share of sensitive item s is one of all rows that
    hold an itemset, if whole_of[s] is SHARE_OF_ROWS, or of those that also hold sensitive item whole_of[s];
    no share is taken of items marked NEVER_GUESSED. Without sensitive items `whole_of` is empty.
    """

    quasi: SetArrays
    quasi_count: int
    sensitive: SetArrays
    whole_of: Ints


class GroupedRows(NamedTuple):
    """Rows listed group by group: group g holds rows[starts[g]:starts[g + 1]]."""

    starts: Ints
    rows: Ints


class ItemsetSupports(NamedTuple):
    """The rarest itemset, and the sensitive item that can be guessed best.

    `smallest` is the smallest support of an itemset of 1..m quasi-identifier items that occurs in a group, 0
    if none occurs. `itemset` attains it in `group`: a shortest one, of these in the first group, of these the
    first in lexicographic order. `smallest_in_group[g]` is the same for each group, `below` the number of
    itemsets of support 1..k-1 over all groups, or MOST_COUNTED if there are more.

    Of all itemsets of 0..m items and sensitive items, `known` in `known_group` and `guessed` have the largest
    share holding / knowing: rows with both among rows with the itemset; the choice among equals as above.
    `guessed` is -1 when no sensitive item occurs.
    """

    smallest: int
    group: int
    itemset: Ints
    smallest_in_group: Ints
    below: int
    holding: int
    knowing: int
    guessed: int
    known_group: int
    known: Ints


class _Laid(NamedTuple):
    """Rows laid end to end, group by group.

    A row is its quasi-identifier items, ascending, its sensitive items, numbered after all quasi-identifier
    items, and an end mark larger than any item. `first[r]` is the place of the r-th row's first item, and
    `tail[p]` the place where the sensitive items of the row around place p begin (empty without any).
    `longest` is the largest number of quasi-identifier items in a row, `reach` the largest number of them
    that stand behind one and the same item in all rows together.
    """

    items: Items
    first: Ints
    tail: Ints
    quasi_count: int
    end_mark: int
    longest: int
    reach: int


class _Search(NamedTuple):
    """Where the depth-first search stands.

    It visits the itemset prefix[:at[_DEPTH]] of group at[_GROUP], which goes on at the places from at[_START]
    to at[_END]. The itemset prefix[:d] has branches cursor[d]..stop[d] - 1 still to visit; branch b adds
    branch_items[b] and goes on at places[branch_starts[b]:branch_starts[b + 1]]. `counts` is all zero between
    two uses; `touched` lists the items that a pass has counted. Itemsets of up to `deepest` items are
    counted, those of fewer than `branching` items are followed further.
    """

    deepest: int
    branching: int
    at: Ints
    prefix: Ints
    cursor: Ints
    stop: Ints
    branch_items: Ints
    branch_starts: Ints
    places: Ints
    counts: Ints
    touched: Ints


class _Found(NamedTuple):
    """The best so far: rarest[_SUPPORT..] with its itemset, likeliest[_HOLDING..] with what must be known."""

    rarest: Ints
    itemset: Ints
    smallest_in_group: Ints
    likeliest: Ints
    known: Ints


@kernel
def itemset_supports(rows: ItemRows, groups: GroupedRows, m: int, k: int) -> ItemsetSupports:
    """Find the smallest support and the largest share over all itemsets of at most m items in each group.

    Reads only. O(items + occurrences of itemsets); memory in 8-byte words: two per item and row (three with
    sensitive items), four per distinct item, and m - 2 (m - 1) times the largest number of items that stand
    behind one and the same item.
    """
    laid = _lay_out(rows, groups)
    search = _new_search(laid, min(m, laid.longest))
    group_count = len(groups.starts) - 1
    found = _nothing_found(group_count, search.deepest)
    below = 0
    for group in range(group_count):
        going = _enter(laid, search, groups, group)
        while going:
            if len(rows.whole_of) > 0:
                _note_shares(laid, search, found, rows.whole_of)
            if search.at[_DEPTH] < search.deepest:
                below = min(MOST_COUNTED, below + _extend(laid, search, found, k))
            going = _advance(search)
    rarest, likeliest = found.rarest, found.likeliest
    return ItemsetSupports(
        rarest[_SUPPORT],
        rarest[_IN_GROUP],
        found.itemset[: rarest[_SIZE]].copy(),
        found.smallest_in_group,
        below,
        likeliest[_HOLDING],
        likeliest[_KNOWING],
        likeliest[_GUESSED],
        likeliest[_KNOWN_GROUP],
        found.known[: likeliest[_KNOWN_SIZE]].copy(),
    )


def pairs_fit_into_table(sets: SetArrays, item_count: int) -> bool:
    """Whether a table of all pairs is small enough, and not mostly empty."""
    sizes = np.diff(sets.starts)
    occurrences = int((sizes * (sizes + 1) // 2).sum())
    return item_count**2 <= min(TABLE_BYTES // 8, 8 * occurrences)


def pair_supports(sets: SetArrays, item_count: int, k: int) -> ItemsetSupports:
    """Find what `itemset_supports` finds for m = 2 in one group of all rows, without sensitive items.

    Reads only. O(occurrences of pairs + item_count ** 2), memory item_count ** 2 for each thread.
    """
    row_count = len(sets.starts) - 1
    pays = row_count >= _ROWS_FOR_THREADS and 8 * item_count**2 <= _TABLE_OF_A_THREAD
    shares = processors() if pays else 1
    borders = [row_count * share // shares for share in range(shares + 1)]

    def counted(ends: tuple[int, int]) -> Ints:
        table = np.zeros((item_count, item_count), dtype=np.int64)
        _count_pairs(sets, *ends, table)
        return table

    tables = mapped(counted, pairwise(borders))
    table = next(tables)
    for other in tables:
        table += other
    return _rarest_pair(table, k)


@kernel
def _count_pairs(sets: SetArrays, first: int, behind: int, table: Ints) -> None:
    """Count every pair of items of some rows, and every item as a pair with itself."""
    for row in range(first, behind):
        for left in range(sets.starts[row], sets.starts[row + 1]):
            item = sets.items[left]
            for right in range(left, sets.starts[row + 1]):
                table[item, sets.items[right]] += 1


@kernel
def _rarest_pair(table: Ints, k: int) -> ItemsetSupports:
    item_count = len(table)
    smallest, below, itemset = 0, 0, np.zeros(0, dtype=np.int64)
    for item in range(item_count):
        support = table[item, item]
        below += 0 < support < k
        if support > 0 and (smallest == 0 or support < smallest):
            smallest, itemset = support, np.array([item])
    for item in range(item_count):
        for other in range(item + 1, item_count):
            support = table[item, other]
            below += 0 < support < k
            if 0 < support < smallest:
                smallest, itemset = support, np.array([item, other])
    nothing = np.zeros(0, dtype=np.int64)
    return ItemsetSupports(smallest, 0, itemset, np.array([smallest]), below, 0, 1, -1, 0, nothing)


@kernel(part=True)
def _lay_out(rows: ItemRows, groups: GroupedRows) -> _Laid:
    quasi, sensitive = rows.quasi, rows.sensitive
    total = len(groups.rows)
    for row in groups.rows:
        total += quasi.starts[row + 1] - quasi.starts[row] + sensitive.starts[row + 1] - sensitive.starts[row]
    items = np.empty(total, dtype=np.int32)
    first = np.empty(len(groups.rows), dtype=np.int64)
    tail = np.empty(total if len(rows.whole_of) > 0 else 0, dtype=np.int64)
    behind = np.zeros(rows.quasi_count, dtype=np.int64)
    end_mark = rows.quasi_count + len(rows.whole_of)
    longest, reach, index = 0, 0, 0
    for number in range(len(groups.rows)):
        row = groups.rows[number]
        first[number] = index
        size = quasi.starts[row + 1] - quasi.starts[row]
        longest = max(longest, size)
        for offset in range(size):
            item = quasi.items[quasi.starts[row] + offset]
            items[index + offset] = item
            behind[item] += size - 1 - offset
            reach = max(reach, behind[item])
        if len(tail) > 0:
            for offset in range(size + 1):
                tail[index + offset] = index + size
        index += size
        for position in range(sensitive.starts[row], sensitive.starts[row + 1]):
            items[index] = rows.quasi_count + sensitive.items[position]
            index += 1
        items[index] = end_mark
        index += 1
    return _Laid(items, first, tail, rows.quasi_count, end_mark, longest, reach)


@kernel(part=True)
def _new_search(laid: _Laid, deepest: int) -> _Search:
    branching = deepest if len(laid.tail) > 0 else max(0, deepest - 1)
    # The lists of single items fit into one place per item; those of longer itemsets into `reach` per level.
    longer = max(0, branching - 1)
    branches = laid.quasi_count + 1 + longer * (min(laid.quasi_count, laid.reach) + 1)
    return _Search(
        deepest,
        branching,
        np.zeros(4, dtype=np.int64),
        np.zeros(deepest + 1, dtype=np.int64),
        np.zeros(deepest + 1, dtype=np.int64),
        np.zeros(deepest + 1, dtype=np.int64),
        np.empty(branches, dtype=np.int64),
        np.empty(branches, dtype=np.int64),
        np.empty(len(laid.items) + longer * laid.reach, dtype=np.int64),
        np.zeros(laid.end_mark, dtype=np.int64),
        np.empty(laid.end_mark, dtype=np.int64),
    )


@kernel(part=True)
def _nothing_found(group_count: int, deepest: int) -> _Found:
    likeliest = np.zeros(5, dtype=np.int64)
    likeliest[_KNOWING], likeliest[_GUESSED] = 1, -1
    return _Found(
        np.zeros(3, dtype=np.int64),
        np.zeros(deepest, dtype=np.int64),
        np.zeros(group_count, dtype=np.int64),
        likeliest,
        np.zeros(deepest, dtype=np.int64),
    )


@kernel(part=True)
def _enter(laid: _Laid, search: _Search, groups: GroupedRows, group: int) -> bool:
    """Stand at the empty itemset of a group; False if the group has no rows."""
    start, end = groups.starts[group], groups.starts[group + 1]
    _copy(laid.first[start:end], search.places, end - start)
    search.at[_START], search.at[_END], search.at[_DEPTH], search.at[_GROUP] = 0, end - start, 0, group
    search.cursor[0] = search.stop[0] = 0
    return end > start


@kernel(part=True)
def _advance(search: _Search) -> bool:
    """Go on to the next itemset; False if the group has no other."""
    depth = search.at[_DEPTH]
    while depth >= 0 and search.cursor[depth] == search.stop[depth]:
        depth -= 1
    if depth < 0:
        return False
    branch = search.cursor[depth]
    search.cursor[depth] += 1
    search.prefix[depth] = search.branch_items[branch]
    search.at[_START], search.at[_END] = search.branch_starts[branch], search.branch_starts[branch + 1]
    search.at[_DEPTH] = depth + 1
    search.cursor[depth + 1] = search.stop[depth + 1] = 0
    return True


@kernel(part=True)
def _extend(laid: _Laid, search: _Search, found: _Found, k: int) -> int:
    """Count the itemsets that begin with the one visited; returns how many occur fewer than k times."""
    depth = search.at[_DEPTH]
    if depth > 0 and search.at[_END] - search.at[_START] == 1:
        # They all occur once, like the one visited: none can be the first, and their number is known.
        behind = _quasi_items_from(laid, search.places[search.at[_START]])
        return _subset_count(behind, search.deepest - depth) if k > 1 else 0
    distinct = _count(laid, search)
    below = _note_supports(search, found, distinct, k)
    if depth < search.branching:
        _branch(laid, search, distinct)
    _reset(search, distinct)
    return below


@kernel(part=True)
def _count(laid: _Laid, search: _Search) -> int:
    if search.at[_END] - search.at[_START] < laid.quasi_count // 8:
        return _count_few(laid, search)
    # Asking each time whether an item is new costs more than looking for the new ones afterwards.
    items, counts = laid.items, search.counts
    for number in range(search.at[_START], search.at[_END]):
        index = search.places[number]
        item = items[index]
        while item < laid.quasi_count:
            counts[item] += 1
            index += 1
            item = items[index]
    distinct = 0
    for item in range(laid.quasi_count):
        if counts[item] > 0:
            search.touched[distinct] = item
            distinct += 1
    return distinct


@kernel(part=True)
def _count_few(laid: _Laid, search: _Search) -> int:
    items, counts = laid.items, search.counts
    distinct = 0
    for number in range(search.at[_START], search.at[_END]):
        index = search.places[number]
        item = items[index]
        while item < laid.quasi_count:
            if counts[item] == 0:
                search.touched[distinct] = item
                distinct += 1
            counts[item] += 1
            index += 1
            item = items[index]
    return distinct


@kernel(part=True)
def _count_sensitive(laid: _Laid, search: _Search) -> int:
    items, counts = laid.items, search.counts
    distinct = 0
    for number in range(search.at[_START], search.at[_END]):
        index = laid.tail[search.places[number]]
        item = items[index]
        while item < laid.end_mark:
            if counts[item] == 0:
                search.touched[distinct] = item
                distinct += 1
            counts[item] += 1
            index += 1
            item = items[index]
    return distinct


@kernel
def _reset(search: _Search, distinct: int) -> None:
    for number in range(distinct):
        search.counts[search.touched[number]] = 0


@kernel(part=True)
def _branch(laid: _Laid, search: _Search, distinct: int) -> None:
    """List where each of the longer itemsets goes on. Uses up the counts."""
    depth = search.at[_DEPTH]
    branch = 0 if depth == 0 else search.stop[depth - 1] + 1
    index = search.at[_END] if depth == 0 else search.branch_starts[branch - 1]
    search.cursor[depth], search.stop[depth] = branch, branch + distinct
    for number in range(distinct):
        item = search.touched[number]
        search.branch_items[branch + number] = item
        search.branch_starts[branch + number] = index
        index += search.counts[item]
        search.counts[item] = search.branch_starts[branch + number]
    search.branch_starts[branch + distinct] = index
    items, next_free = laid.items, search.counts
    for number in range(search.at[_START], search.at[_END]):
        index = search.places[number]
        item = items[index]
        while item < laid.quasi_count:
            index += 1
            search.places[next_free[item]] = index
            next_free[item] += 1
            item = items[index]


@kernel(part=True)
def _note_supports(search: _Search, found: _Found, distinct: int, k: int) -> int:
    """Keep the rarest itemset of those just counted; returns how many occur fewer than k times."""
    if distinct == 0:
        return 0
    below, best = 0, search.touched[0]
    support = search.counts[best]
    for number in range(distinct):
        item = search.touched[number]
        count = search.counts[item]
        below += count < k
        if count < support or (count == support and item < best):
            best, support = item, count
    depth, group = search.at[_DEPTH], search.at[_GROUP]
    search.prefix[depth] = best
    if found.smallest_in_group[group] == 0 or support < found.smallest_in_group[group]:
        found.smallest_in_group[group] = support
    if _is_rarer(search, found, support):
        found.rarest[_SUPPORT], found.rarest[_SIZE], found.rarest[_IN_GROUP] = support, depth + 1, group
        _copy(search.prefix, found.itemset, depth + 1)
    return below


@kernel(part=True)
def _is_rarer(search: _Search, found: _Found, support: int) -> bool:
    """Whether prefix[:depth + 1] comes before the rarest itemset so far: support, size, group, items."""
    rarest, size = found.rarest, search.at[_DEPTH] + 1
    if rarest[_SUPPORT] == 0 or support != rarest[_SUPPORT]:
        return rarest[_SUPPORT] == 0 or support < rarest[_SUPPORT]
    if size != rarest[_SIZE]:
        return size < rarest[_SIZE]
    return search.at[_GROUP] == rarest[_IN_GROUP] and _compare(search.prefix, found.itemset, size) < 0


@kernel(part=True)
def _note_shares(laid: _Laid, search: _Search, found: _Found, whole_of: Ints) -> None:
    """Keep the sensitive item with the largest share of the rows that hold the itemset visited."""
    support, likeliest = search.at[_END] - search.at[_START], found.likeliest
    distinct = _count_sensitive(laid, search)
    for number in range(distinct):
        item = search.touched[number] - laid.quasi_count
        whole = whole_of[item]
        if whole != NEVER_GUESSED:
            holding = search.counts[laid.quasi_count + item]
            knowing = support if whole == SHARE_OF_ROWS else search.counts[laid.quasi_count + whole]
            if _is_likelier(search, found, holding, knowing, item):
                likeliest[_HOLDING], likeliest[_KNOWING], likeliest[_GUESSED] = holding, knowing, item
                likeliest[_KNOWN_SIZE], likeliest[_KNOWN_GROUP] = search.at[_DEPTH], search.at[_GROUP]
                _copy(search.prefix, found.known, search.at[_DEPTH])
    _reset(search, distinct)


@kernel(part=True)
def _is_likelier(search: _Search, found: _Found, holding: int, knowing: int, item: int) -> bool:
    """Whether a guess comes before the likeliest so far: share, size, group, known items, guessed item."""
    likeliest, depth = found.likeliest, search.at[_DEPTH]
    more = holding * likeliest[_KNOWING] - likeliest[_HOLDING] * knowing
    if more != 0:
        return more > 0
    if depth != likeliest[_KNOWN_SIZE]:
        return depth < likeliest[_KNOWN_SIZE]
    if search.at[_GROUP] != likeliest[_KNOWN_GROUP]:
        return False
    order = _compare(search.prefix, found.known, depth)
    return order < 0 or (order == 0 and item < likeliest[_GUESSED])


@kernel
def _compare(left: Ints, right: Ints, size: int) -> int:
    """Negative, 0 or positive as left[:size] comes before, equals or comes after right[:size]."""
    for index in range(size):
        if left[index] != right[index]:
            return left[index] - right[index]
    return 0


@kernel
def _copy(source: Ints, target: Ints, count: int) -> None:
    for index in range(count):  # assigning slices would take seconds to compile
        target[index] = source[index]


@kernel(part=True)
def _quasi_items_from(laid: _Laid, place: int) -> int:
    end = place
    while laid.items[end] < laid.quasi_count:
        end += 1
    return end - place


@kernel(part=True)
def _subset_count(n: int, largest: int) -> int:
    """Number the subsets of 1..largest of n items; no more than MOST_COUNTED."""
    total, of_size = 0, 1
    for size in range(1, min(n, largest) + 1):
        if of_size > MOST_COUNTED // (n - size + 1):
            return MOST_COUNTED
        of_size = of_size * (n - size + 1) // size
        total = min(MOST_COUNTED, total + of_size)
    return total
