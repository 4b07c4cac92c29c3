"""One random original of a disassociated release.

Subrecords of different chunks are combined at random: those of a chunk go into as many different records of
its cluster. A term of a term chunk goes into one record, into an empty one if there is any. Records must not
stay empty, so where that leaves too few terms for the empty records, subrecords move there from records that
have another one, and at last terms are repeated.

A simple cluster without a term chunk that has fewer subrecords than records waits for shared subrecords of
the clusters above it; the lowest ones that have any fill it, which never takes from others what only that
one could give.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, Items, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.set_recoding import sort_unique

NOBODY = -1


class ClusterLayout(NamedTuple):
    """Where everything stands: clusters before those in them, each with a range of records and of chunks.

    Cluster c has the records first_record[c]..first_record[c] + sizes[c] - 1 and, itself, the chunks
    first_chunk[c]..first_chunk[c + 1] - 1. Subrecords chunk_starts[h]..chunk_starts[h + 1] - 1 are chunk h.
    """

    sizes: Ints
    simple: Bools
    first_record: Ints
    first_chunk: Ints
    chunk_starts: Ints
    record_count: int


class _Range(NamedTuple):
    """Numbers from start to stop - 1."""

    start: int
    stop: int


class _Draw(NamedTuple):
    """What one original is made of so far.

    Subrecord s is in record record_of[s]. The first placed[0] of `terms` are in `term_records`. `held` counts
    what each record has, and one that only a shared subrecord can fill is `waiting`. The other arrays are for
    work in between; until all subrecords are placed, seats[i] == i before and after it.
    """

    record_of: Ints
    term_records: Ints
    terms: Ints
    placed: Ints
    held: Ints
    waiting: Bools
    seats: Ints
    order: Ints


@kernel
def random_original(
    layout: ClusterLayout, subrecords: SetArrays, term_chunks: SetArrays, random: np.random.Generator
) -> SetArrays:
    """Draw one original, its records in the order of the simple clusters.

    No chunk has more subrecords than its cluster has records, terms of a cluster's chunks occur in no other
    chunk of it or below it, and there is an original without empty records. Reads only. O(items + records of
    joint clusters, if some records wait).
    """
    draw = _nothing_drawn(layout.record_count, len(subrecords.starts) - 1, len(term_chunks.items))
    cluster_count = len(layout.sizes)
    waiting = 0
    for cluster in range(cluster_count):
        if layout.simple[cluster]:
            without_terms = term_chunks.starts[cluster] == term_chunks.starts[cluster + 1]
            if without_terms and _too_few(layout, cluster):
                waiting += _place_apart(layout, draw, cluster, random)
            else:
                _place_chunks(layout, draw, cluster, random)
    for cluster in range(cluster_count - 1, -1, -1):
        if not layout.simple[cluster]:
            if waiting == 0:
                _place_chunks(layout, draw, cluster, random)
            else:
                waiting -= _place_shared_chunks(layout, draw, cluster, random)
    for cluster in range(cluster_count):
        if layout.simple[cluster]:
            terms = term_chunks.items[term_chunks.starts[cluster] : term_chunks.starts[cluster + 1]]
            empty = _empty_records(draw, _records(layout, cluster))
            empty = _spread(draw, _subrecords(layout, cluster), empty, len(terms), random)
            _place_terms(draw, _records(layout, cluster), empty, terms, random)
    return _united(draw, subrecords)


@kernel(part=True)
def _nothing_drawn(record_count: int, subrecord_count: int, term_count: int) -> _Draw:
    return _Draw(
        np.full(subrecord_count, NOBODY, dtype=np.int64),
        np.empty(term_count + record_count, dtype=np.int64),
        np.empty(term_count + record_count, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(record_count, dtype=np.int64),
        np.zeros(record_count, dtype=np.bool_),
        np.arange(record_count),
        np.empty(max(record_count, subrecord_count, term_count), dtype=np.int64),
    )


@kernel
def _records(layout: ClusterLayout, cluster: int) -> _Range:
    first = layout.first_record[cluster]
    return _Range(first, first + layout.sizes[cluster])


@kernel
def _subrecords(layout: ClusterLayout, cluster: int) -> _Range:
    return _Range(
        layout.chunk_starts[layout.first_chunk[cluster]], layout.chunk_starts[layout.first_chunk[cluster + 1]]
    )


@kernel(part=True)
def _too_few(layout: ClusterLayout, cluster: int) -> bool:
    subrecords = _subrecords(layout, cluster)
    return subrecords.stop - subrecords.start < layout.sizes[cluster]


@kernel
def _below(limit: int, random: np.random.Generator) -> int:
    return int(random.random() * limit)


@kernel
def _shuffle(numbers: Ints, start: int, stop: int, random: np.random.Generator) -> None:
    for index in range(start, stop - 1):
        other = index + _below(stop - index, random)
        numbers[index], numbers[other] = numbers[other], numbers[index]


@kernel
def _place_chunks(layout: ClusterLayout, draw: _Draw, cluster: int, random: np.random.Generator) -> None:
    records = _records(layout, cluster)
    for chunk in range(layout.first_chunk[cluster], layout.first_chunk[cluster + 1]):
        subrecords = _Range(layout.chunk_starts[chunk], layout.chunk_starts[chunk + 1])
        _seat(draw, subrecords, records, random)


@kernel(part=True)
def _place_apart(layout: ClusterLayout, draw: _Draw, cluster: int, random: np.random.Generator) -> int:
    """Put every subrecord of a cluster into a record of its own; returns how many records wait now."""
    records = _records(layout, cluster)
    _seat(draw, _subrecords(layout, cluster), records, random)
    waiting = 0
    for record in range(records.start, records.stop):
        if draw.held[record] == 0:
            draw.waiting[record] = True
            waiting += 1
    return waiting


@kernel
def _seat(draw: _Draw, subrecords: _Range, records: _Range, random: np.random.Generator) -> None:
    """Put subrecords into different records."""
    seats, size = draw.seats, records.stop - records.start
    count = subrecords.stop - subrecords.start
    for index in range(count):
        other = index + _below(size - index, random)
        seats[index], seats[other] = seats[other], seats[index]
        draw.order[index] = other
        record = records.start + seats[index]
        draw.record_of[subrecords.start + index] = record
        draw.held[record] += 1
    for index in range(count - 1, -1, -1):
        other = draw.order[index]
        seats[index], seats[other] = seats[other], seats[index]


@kernel(part=True)
def _place_shared_chunks(
    layout: ClusterLayout, draw: _Draw, cluster: int, random: np.random.Generator
) -> int:
    """Put shared subrecords into records that wait before all others; returns how many wait no longer."""
    filled = 0
    for chunk in range(layout.first_chunk[cluster], layout.first_chunk[cluster + 1]):
        subrecords = _Range(layout.chunk_starts[chunk], layout.chunk_starts[chunk + 1])
        count = subrecords.stop - subrecords.start
        _waiting_first(draw, _records(layout, cluster), random)
        # Which subrecords go to those that wait is left to chance, too.
        turn = _below(count, random)
        for index in range(count):
            record = draw.order[index]
            draw.record_of[subrecords.start + (index + turn) % count] = record
            draw.held[record] += 1
            if draw.waiting[record]:
                draw.waiting[record] = False
                filled += 1
    return filled


@kernel(part=True)
def _waiting_first(draw: _Draw, records: _Range, random: np.random.Generator) -> None:
    """List the records in `order`: those that wait, then the others, each part in random order."""
    waiting = 0
    for record in range(records.start, records.stop):
        if draw.waiting[record]:
            draw.order[waiting] = record
            waiting += 1
    listed = waiting
    for record in range(records.start, records.stop):
        if not draw.waiting[record]:
            draw.order[listed] = record
            listed += 1
    _shuffle(draw.order, 0, waiting, random)
    _shuffle(draw.order, waiting, listed, random)


@kernel(part=True)
def _empty_records(draw: _Draw, records: _Range) -> int:
    """List the empty records at the beginning of `seats`; returns their number."""
    empty = 0
    for record in range(records.start, records.stop):
        if draw.held[record] == 0:
            draw.seats[empty] = record
            empty += 1
    return empty


@kernel(part=True)
def _spread(draw: _Draw, subrecords: _Range, empty: int, enough: int, random: np.random.Generator) -> int:
    """Move subrecords from records that have another into empty ones until no more than `enough` are left.

    Returns how many are left.
    """
    if empty <= enough:
        return empty
    count = subrecords.stop - subrecords.start
    _shuffle(draw.seats, 0, empty, random)
    for index in range(count):
        draw.order[index] = subrecords.start + index
    _shuffle(draw.order, 0, count, random)
    for index in range(count):
        subrecord = draw.order[index]
        if empty > enough and draw.held[draw.record_of[subrecord]] > 1:
            empty -= 1
            draw.held[draw.record_of[subrecord]] -= 1
            draw.record_of[subrecord] = draw.seats[empty]
            draw.held[draw.seats[empty]] = 1
    return empty


@kernel(part=True)
def _place_terms(draw: _Draw, records: _Range, empty: int, terms: Items, random: np.random.Generator) -> None:
    """Put every term into one record, empty ones first, and some terms again if records are still empty."""
    if len(terms) == 0:
        return
    _shuffle(draw.seats, 0, empty, random)
    for index in range(len(terms)):
        draw.order[index] = terms[index]
    _shuffle(draw.order, 0, len(terms), random)
    count = draw.placed[0]
    for index in range(max(len(terms), empty)):
        anywhere = records.start + _below(records.stop - records.start, random)
        draw.term_records[count] = draw.seats[index] if index < empty else anywhere
        draw.terms[count] = draw.order[index if index < len(terms) else _below(len(terms), random)]
        count += 1
    draw.placed[0] = count


@kernel(part=True)
def _united(draw: _Draw, subrecords: SetArrays) -> SetArrays:
    record_count, term_count = len(draw.held), draw.placed[0]
    starts = np.zeros(record_count + 1, dtype=np.int64)
    for subrecord in range(len(draw.record_of)):
        record = draw.record_of[subrecord]
        starts[record + 1] += subrecords.starts[subrecord + 1] - subrecords.starts[subrecord]
    for index in range(term_count):
        starts[draw.term_records[index] + 1] += 1
    for record in range(record_count):
        starts[record + 1] += starts[record]
    items = np.empty(starts[record_count], dtype=np.int32)
    free = draw.seats
    for record in range(record_count):
        free[record] = starts[record]
    for subrecord in range(len(draw.record_of)):
        record = draw.record_of[subrecord]
        for index in range(subrecords.starts[subrecord], subrecords.starts[subrecord + 1]):
            items[free[record]] = subrecords.items[index]
            free[record] += 1
    for index in range(term_count):
        record = draw.term_records[index]
        items[free[record]] = draw.terms[index]
        free[record] += 1
    for record in range(record_count):
        sort_unique(items, starts[record], starts[record + 1])
    return SetArrays(starts, items)
