"""HORPART: records are split by the most frequent term until the parts are small."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.heap import make_heap, sink


class _Desk(NamedTuple):
    """Room for splitting one part: arrays over terms, rows and occurrences.

    `counts` is all zero and `taken` all false between two parts. `lists` holds, term by term from
    `list_starts`, the places of the rows with that term. `ends` are those of the parts that were split off.
    """

    counts: Ints
    touched: Ints
    list_starts: Ints
    heap: Ints
    lists: Ints
    taken: Bools
    reordered: Ints
    ends: Ints


class Split(NamedTuple):
    """Rows of sets in the order of their parts; starts_part tells at which places a part starts."""

    sets: SetArrays
    rows: Ints
    starts_part: Bools


class Needs(NamedTuple):
    """What a part needs: `least` rows, and no sensitive term in more than `numerator` of `denominator`."""

    least: int
    limit: int
    numerator: int
    denominator: int


@kernel
def split_parts(split: Split, parts: Ints, term_count: int, limit: int, again: int) -> None:
    """Split the parts rows[parts[p, 0]:parts[p, 1]], reordering them, and mark where the new parts start.

    The rows with the most frequent term are split off, then, of the others, those with their most frequent
    term, and so on until fewer than `limit` are left; ties go to the first term. A term that all rows of a
    part hold splits nothing off. Rows that no term tells apart are cut by size. What was split off is split
    again if it has `again` rows or more. O(items) for each level.
    """
    desk = _new_desk(split.sets, split.rows, parts, term_count)
    waiting = np.empty((len(split.rows) // limit + 1, 2), dtype=np.int64)
    for part in range(len(parts)):
        waiting[0, 0], waiting[0, 1] = parts[part, 0], parts[part, 1]
        waiting_count = 1
        while waiting_count > 0:
            waiting_count -= 1
            first, last = waiting[waiting_count, 0], waiting[waiting_count, 1]
            split_off = _split(split, first, last, limit, desk)
            for number in range(split_off):
                end = desk.ends[number]
                if end - first >= again:
                    waiting[waiting_count, 0], waiting[waiting_count, 1] = first, end
                    waiting_count += 1
                first = end


@kernel
def _new_desk(sets: SetArrays, rows: Ints, parts: Ints, term_count: int) -> _Desk:
    most_rows, most_items = 0, 0
    for part in range(len(parts)):
        items = 0
        for place in range(parts[part, 0], parts[part, 1]):
            items += sets.starts[rows[place] + 1] - sets.starts[rows[place]]
        most_rows, most_items = max(most_rows, parts[part, 1] - parts[part, 0]), max(most_items, items)
    return _Desk(
        np.zeros(term_count, dtype=np.int64),
        np.empty(term_count, dtype=np.int64),
        np.empty(term_count, dtype=np.int64),
        np.empty(term_count, dtype=np.int64),
        np.empty(most_items, dtype=np.int64),
        np.zeros(most_rows, dtype=np.bool_),
        np.empty(most_rows, dtype=np.int64),
        np.empty(most_rows, dtype=np.int64),
    )


@kernel
def _split(split: Split, first: int, last: int, limit: int, desk: _Desk) -> int:
    """Split one part; the ends of what was split off are left in desk.ends, their number is returned."""
    sets, rows, starts_part = split
    touched_count = _list_rows(sets, rows, first, last, desk)
    heap_count = _make_heap_of_terms(last - first, touched_count, desk)
    split_off, done, top = (
        int(np.int64(0)),
        int(np.int64(0)),
        int(np.int64(0)),
    )  # typed at once, or callees are compiled for a literal 0 too
    while last - first - done >= limit and heap_count > 0:
        key = desk.heap[0]
        term = _term_of(key, len(desk.counts))
        if key // len(desk.counts) == desk.counts[term]:
            done = _take_rows_with(term, split, first, done, desk)
            desk.ends[split_off] = first + done
            split_off += 1
        if desk.counts[term] > 0:  # counted before others took rows of it
            desk.heap[0] = _key(desk.counts[term], term, len(desk.counts))
        else:
            heap_count -= 1
            desk.heap[0] = desk.heap[heap_count]
        sink(desk.heap, top, heap_count)
    start = first
    for number in range(split_off):
        starts_part[start] = True
        start = desk.ends[number]
    _cut_by_size(start, last, limit, starts_part)
    _put_back(rows, first, last, done, desk)
    for number in range(touched_count):
        desk.counts[desk.touched[number]] = 0
    return split_off


@kernel
def _list_rows(sets: SetArrays, rows: Ints, first: int, last: int, desk: _Desk) -> int:
    touched_count = 0
    for place in range(first, last):
        row = rows[place]
        for position in range(sets.starts[row], sets.starts[row + 1]):
            term = sets.items[position]
            if desk.counts[term] == 0:
                desk.touched[touched_count] = term
                touched_count += 1
            desk.counts[term] += 1
    start = 0
    for number in range(touched_count):
        term = desk.touched[number]
        desk.list_starts[term] = start
        start += desk.counts[term]
    for place in range(first, last):
        row = rows[place]
        for position in range(sets.starts[row], sets.starts[row + 1]):
            term = sets.items[position]
            desk.lists[desk.list_starts[term]] = place - first
            desk.list_starts[term] += 1
    for number in range(touched_count):  # back from the ends of the lists
        term = desk.touched[number]
        desk.list_starts[term] -= desk.counts[term]
    return touched_count


@kernel
def _make_heap_of_terms(row_count: int, touched_count: int, desk: _Desk) -> int:
    heap_count = int(np.int64(0))
    for number in range(touched_count):
        term = desk.touched[number]
        if desk.counts[term] < row_count:
            desk.heap[heap_count] = _key(desk.counts[term], term, len(desk.counts))
            heap_count += 1
    make_heap(desk.heap, heap_count)
    return heap_count


@kernel
def _key(count: int, term: int, term_count: int) -> int:
    """Larger for terms that are more frequent, of these for those that come first."""
    return count * term_count + term_count - 1 - term


@kernel
def _term_of(key: int, term_count: int) -> int:
    return term_count - 1 - key % term_count


@kernel
def _take_rows_with(term: int, split: Split, first: int, done: int, desk: _Desk) -> int:
    """Split off the rows with a term that are still there, and count what the others hold."""
    sets, rows = split.sets, split.rows
    place = desk.list_starts[term]
    left = desk.counts[term]
    while left > 0:
        offset = desk.lists[place]
        place += 1
        if desk.taken[offset]:
            continue
        left -= 1
        desk.taken[offset] = True
        row = rows[first + offset]
        desk.reordered[done] = row
        done += 1
        for position in range(sets.starts[row], sets.starts[row + 1]):
            desk.counts[sets.items[position]] -= 1
    return done


@kernel
def _cut_by_size(first: int, last: int, limit: int, starts_part: Bools) -> None:
    """Mark parts of about equal size below `limit`."""
    count = last - first
    parts = 0 if count == 0 else 1 + (count - 1) // max(1, limit - 1)
    for part in range(parts):
        starts_part[first + count * part // parts] = True


@kernel
def _put_back(rows: Ints, first: int, last: int, done: int, desk: _Desk) -> None:
    """Put the rows that were split off first, and all others behind them."""
    for offset in range(last - first):
        if not desk.taken[offset]:
            desk.reordered[done] = rows[first + offset]
            done += 1
        desk.taken[offset] = False
    for offset in range(last - first):
        rows[first + offset] = desk.reordered[offset]


@kernel
def unite_parts(starts: Ints, sensitive: SetArrays, sensitive_count: int, needs: Needs) -> Ints:
    """The starts of parts after each that is too small, or not diverse, was united with a neighbour.

    Part p holds the rows starts[p]..starts[p + 1] - 1. A part that falls short goes to the one before it,
    unless that can do without and would reach needs.limit rows; then it goes to the next. At the end of the
    rows there is no next, so whatever falls short there takes in the parts before it. O(sensitive items +
    parts).
    """
    united = np.empty(len(starts), dtype=np.int64)
    united[0] = starts[0]
    count = 0
    counts, others = np.zeros(sensitive_count, dtype=np.int64), np.zeros(sensitive_count, dtype=np.int64)
    most = 0
    for part in range(len(starts) - 1):
        first, last = starts[part], starts[part + 1]
        size = last - first
        alone = _count_most(sensitive, first, last, others)
        suffices = size >= needs.least and alone * needs.denominator <= size * needs.numerator
        _forget(sensitive, first, last, others)
        before = first - united[count]
        complete = before >= needs.least and most * needs.denominator <= before * needs.numerator
        if before > 0 and complete and (suffices or before + size >= needs.limit):
            _forget(sensitive, united[count], first, counts)
            count += 1
            united[count] = first
            most = 0
        most = max(most, _count_most(sensitive, first, last, counts))
    end = starts[-1]
    while count > 0:
        size = end - united[count]
        if size >= needs.least and most * needs.denominator <= size * needs.numerator:
            break
        count -= 1
        most = max(most, _count_most(sensitive, united[count], united[count + 1], counts))
    united[count + 1] = end
    return united[: count + 2].copy()


@kernel
def _count_most(sensitive: SetArrays, first: int, last: int, counts: Ints) -> int:
    most = 0
    for position in range(sensitive.starts[first], sensitive.starts[last]):
        term = sensitive.items[position]
        counts[term] += 1
        most = max(most, counts[term])
    return most


@kernel
def _forget(sensitive: SetArrays, first: int, last: int, counts: Ints) -> None:
    for position in range(sensitive.starts[first], sensitive.starts[last]):
        counts[sensitive.items[position]] = 0
