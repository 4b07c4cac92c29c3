"""HORPART: records are split by the most frequent term until the parts are small."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, Items, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.heap import sort_ascending

_NONE = -1


class Desk(NamedTuple):
    """Room for splitting one part: arrays over terms, rows and occurrences.

    `counts` is all zero and `taken` all false between two parts, and `with_count` all -1: it names a term
    that so many rows hold, and next_alike the next one of these. `lists` holds, term by term from
    `list_starts`, the places of the rows with that term. `ends` are those of the parts that were split off.
    """

    counts: Ints
    touched: Ints
    list_starts: Ints
    alike: Ints
    next_alike: Ints
    with_count: Ints
    lists: Items
    taken: Bools
    reordered: Ints
    ends: Ints


class TermSplit(NamedTuple):
    """Rows of sets in the order of their parts; starts_part tells at which places a part starts."""

    sets: SetArrays
    rows: Ints
    starts_part: Bools


class BlockLimits(NamedTuple):
    """What a part needs: `least` rows, and no sensitive term in more than `numerator` of `denominator`."""

    least: int
    limit: int
    numerator: int
    denominator: int


def new_desk(term_count: int, most_rows: int, most_items: int) -> Desk:
    """Room for parts of so many rows and items. NumPy asks the system for large pages, kernels do not."""
    return Desk(
        counts=np.zeros(term_count, dtype=np.int64),
        touched=np.empty(term_count, dtype=np.int64),
        list_starts=np.empty(term_count, dtype=np.int64),
        alike=np.empty(term_count, dtype=np.int64),
        next_alike=np.empty(term_count, dtype=np.int64),
        with_count=np.full(most_rows + 1, _NONE, dtype=np.int64),
        lists=np.empty(most_items, dtype=np.int32),
        taken=np.zeros(most_rows, dtype=np.bool_),
        reordered=np.empty(most_rows, dtype=np.int64),
        ends=np.empty(most_rows, dtype=np.int64),
    )


@kernel
def split_parts(split: TermSplit, parts: Ints, limit: int, again: int, desk: Desk) -> None:
    """Split the parts rows[parts[p, 0]:parts[p, 1]], reordering them, and mark where the new parts start.

    The rows with the most frequent term are split off, then, of the others, those with their most frequent
    term, and so on until fewer than `limit` are left; ties go to the first term. A term that all rows of a
    part hold splits nothing off. Rows that no term tells apart are cut by size. What was split off is split
    again if it has `again` rows or more. O(items) for each level.
    """
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


@kernel(part=True)
def _split(split: TermSplit, first: int, last: int, limit: int, desk: Desk) -> int:
    """Split one part; the ends of what was split off are left in desk.ends, their number is returned."""
    sets, rows, starts_part = split
    touched_count = _list_rows(sets, rows, first, last, desk)
    count = _sort_terms_by_count(last - first, touched_count, desk)
    split_off, done = int(np.int64(0)), int(np.int64(0))
    # Counts only fall, so no term comes to a count once all that have it are collected.
    while last - first - done >= limit and count > 0:
        alike_count = _collect_terms_with(count, desk)
        for number in range(alike_count):
            term = desk.alike[number]
            if desk.counts[term] < count:  # others took rows of it
                _put_by_count(term, desk)
            elif last - first - done >= limit:
                done = _take_rows_with(term, split, first, done, desk)
                desk.ends[split_off] = first + done
                split_off += 1
        count -= 1
    while count > 0:
        desk.with_count[count] = _NONE
        count -= 1
    start = first
    for number in range(split_off):
        starts_part[start] = True
        start = desk.ends[number]
    _cut_by_size(start, last, limit, starts_part)
    _put_back(rows, first, last, done, desk)
    for number in range(touched_count):
        desk.counts[desk.touched[number]] = 0
    return split_off


@kernel(part=True)
def _list_rows(sets: SetArrays, rows: Ints, first: int, last: int, desk: Desk) -> int:
    touched_count = 0
    for index in range(first, last):
        row = rows[index]
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
    for index in range(first, last):
        row = rows[index]
        for position in range(sets.starts[row], sets.starts[row + 1]):
            term = sets.items[position]
            desk.lists[desk.list_starts[term]] = index - first
            desk.list_starts[term] += 1
    for number in range(touched_count):  # back from the ends of the lists
        term = desk.touched[number]
        desk.list_starts[term] -= desk.counts[term]
    return touched_count


@kernel(part=True)
def _sort_terms_by_count(row_count: int, touched_count: int, desk: Desk) -> int:
    """Put each term, but those that all rows hold, with others of its count; the largest count there is."""
    largest = 0
    for number in range(touched_count):
        term = desk.touched[number]
        if desk.counts[term] < row_count:
            _put_by_count(term, desk)
            largest = max(largest, desk.counts[term])
    return largest


@kernel
def _put_by_count(term: int, desk: Desk) -> None:
    count = desk.counts[term]
    if count > 0:
        desk.next_alike[term] = desk.with_count[count]
        desk.with_count[count] = term


@kernel(part=True)
def _collect_terms_with(count: int, desk: Desk) -> int:
    """Take out the terms that were put under a count, ascending; how many they are."""
    alike_count = int(np.int64(0))
    term = desk.with_count[count]
    while term != _NONE:
        desk.alike[alike_count] = term
        alike_count += 1
        term = desk.next_alike[term]
    desk.with_count[count] = _NONE
    sort_ascending(desk.alike, alike_count)
    return alike_count


@kernel(part=True)
def _take_rows_with(term: int, split: TermSplit, first: int, done: int, desk: Desk) -> int:
    """Split off the rows with a term that are still there, and count what the others hold."""
    sets, rows = split.sets, split.rows
    index = desk.list_starts[term]
    left = desk.counts[term]
    while left > 0:
        offset = desk.lists[index]
        index += 1
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


@kernel(part=True)
def _cut_by_size(first: int, last: int, limit: int, starts_part: Bools) -> None:
    """Mark parts of about equal size below `limit`."""
    count = last - first
    parts = 0 if count == 0 else 1 + (count - 1) // max(1, limit - 1)
    for part in range(parts):
        starts_part[first + count * part // parts] = True


@kernel(part=True)
def _put_back(rows: Ints, first: int, last: int, done: int, desk: Desk) -> None:
    """Put the rows that were split off first, and all others behind them."""
    for offset in range(last - first):
        if not desk.taken[offset]:
            desk.reordered[done] = rows[first + offset]
            done += 1
        desk.taken[offset] = False
    for offset in range(last - first):
        rows[first + offset] = desk.reordered[offset]


@kernel
def unite_parts(starts: Ints, sensitive: SetArrays, sensitive_count: int, constraint: BlockLimits) -> Ints:
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
        suffices = size >= constraint.least and alone * constraint.denominator <= size * constraint.numerator
        _forget(sensitive, first, last, others)
        before = first - united[count]
        complete = (
            before >= constraint.least and most * constraint.denominator <= before * constraint.numerator
        )
        if before > 0 and complete and (suffices or before + size >= constraint.limit):
            _forget(sensitive, united[count], first, counts)
            count += 1
            united[count] = first
            most = 0
        most = max(most, _count_most(sensitive, first, last, counts))
    end = starts[-1]
    while count > 0:
        size = end - united[count]
        if size >= constraint.least and most * constraint.denominator <= size * constraint.numerator:
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
