"""VERPART: the terms of some records are divided into chunks that are k^m-anonymous.

The same is done for the records of one cluster and, when clusters are joined, for the terms that they share.
Either way there are terms, each with the list of the records that hold it; a term is a bitmap over these
records while chunks are formed.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, Items, SetArrays
from shoal.kernels.bits import BITS, Words, ones
from shoal.kernels.compile import kernel
from shoal.kernels.heap import sort_ascending

IN_TERM_CHUNK = -1
_CHUNKS, _SUBRECORDS, _ITEMS = range(3)


class Chunks(NamedTuple):
    """Chunks of several units: unit u has chunk_counts[u] of them, one behind the other.

    Each has subrecord_counts[h] subrecords, and each of these item_counts[r] of the `items`.
    """

    chunk_counts: Ints
    subrecord_counts: Ints
    item_counts: Ints
    items: Items


class TermLists(NamedTuple):
    """The term chunks of several clusters, with the rows that hold each term.

    Cluster c has the terms terms[starts[c]:starts[c + 1]], ascending; entry e occurs in the rows
    rows[row_starts[e]:row_starts[e + 1]].
    """

    starts: Ints
    terms: Items
    row_starts: Ints
    rows: Ints


class SharedTerms(NamedTuple):
    """What the joint clusters take out of term chunks.

    Joint cluster j shares the terms terms[starts[j]:starts[j + 1]], by falling support. The term at place p
    comes from the entries entries[entry_starts[p]:entry_starts[p + 1]] of the term lists.
    """

    starts: Ints
    terms: Ints
    entry_starts: Ints
    entries: Ints


class ChunkPromise(NamedTuple):
    """Every combination of up to m terms of a chunk is in k of its subrecords at least."""

    k: int
    m: int


class Unit(NamedTuple):
    """Some records and their terms: term i is terms[i], and occurs in rows[starts[i]:starts[i + 1]].

    The rows are numbered from 0 within the unit. `order` lists the terms that may go into chunks by falling
    support, and chunk_of[i] is the chunk of term i or IN_TERM_CHUNK.
    """

    terms: Ints
    starts: Ints
    rows: Ints
    order: Ints
    chunk_of: Ints


class _Vocabulary(NamedTuple):
    """All terms: which are sensitive, and which number each has in a unit; -1 between two units."""

    is_sensitive: Bools
    number_of: Ints


class _Output(NamedTuple):
    """Chunks as they are filled, how far they are, and room for the rows of a unit.

    `row_counts` is zero for every row between two chunks.
    """

    chunks: Chunks
    filled: Ints
    row_counts: Ints
    row_places: Ints


class _Search(NamedTuple):
    """Bitmaps of terms, and at each depth d of a search the rows of a term and of d others."""

    bits: Words
    met: Words
    next_member: Ints


@kernel
def chunk_clusters(
    sets: SetArrays, cluster_starts: Ints, is_sensitive: Bools, promise: ChunkPromise
) -> tuple[Chunks, TermLists, Bools]:
    """Divide the terms of each cluster, whose rows are cluster_starts[c]..cluster_starts[c + 1] - 1.

    Sensitive terms, and those in fewer than k rows, go into the term chunk. Where that stays empty although
    the chunks have too few subrecords to hide what stands together, the least frequent term goes there. The
    last result tells which clusters have subrecords enough to do without a term chunk.
    """
    first_row, last_row = cluster_starts[0], cluster_starts[-1]
    room = sets.starts[last_row] - sets.starts[first_row]
    cluster_count = len(cluster_starts) - 1
    largest = 0
    for cluster in range(cluster_count):
        largest = max(largest, cluster_starts[cluster + 1] - cluster_starts[cluster])
    out = _new_output(cluster_count, room, largest)
    held = TermLists(
        np.zeros(cluster_count + 1, dtype=np.int64),
        np.empty(room, dtype=np.int32),
        np.zeros(room + 1, dtype=np.int64),
        np.empty(room, dtype=np.int64),
    )
    vocabulary = _Vocabulary(is_sensitive, np.full(len(is_sensitive), -1, dtype=np.int64))
    enough = np.zeros(cluster_count, dtype=np.bool_)
    for cluster in range(cluster_count):
        first, last = cluster_starts[cluster], cluster_starts[cluster + 1]
        unit = _unit_of_rows(sets, first, last, promise.k, vocabulary)
        bits = _bitmaps(unit, last - first)
        chunk_count = form_chunks(unit, bits, promise)
        needed = last - first + promise.k * (min(promise.m, chunk_count) - 1)
        if len(unit.order) == len(unit.terms) and _subrecord_count(unit, bits, chunk_count) < needed:
            chunk_count = _move_least_frequent(unit, chunk_count)
            needed = last - first + promise.k * (min(promise.m, chunk_count) - 1)
        enough[cluster] = chunk_count > 0 and _subrecord_count(unit, bits, chunk_count) >= needed
        out.chunks.chunk_counts[cluster] = chunk_count
        _emit(unit, chunk_count, out)
        _keep_term_chunk(unit, first, cluster, held)
    entries = held.starts[-1]
    occurrences = held.row_starts[entries]
    return (
        _trimmed(out.chunks, out.filled),
        TermLists(
            held.starts,
            held.terms[:entries].copy(),
            held.row_starts[: entries + 1].copy(),
            held.rows[:occurrences].copy(),
        ),
        enough,
    )


@kernel
def chunk_shared_terms(
    shared: SharedTerms, joints: tuple[int, int], held: TermLists, local_of: Ints, promise: ChunkPromise
) -> Chunks:
    """Divide the terms that the joint clusters from the first of `joints` to before the second share.

    local_of has a place for every row of the data and is -1 everywhere before and after.
    """
    first, last = joints
    room = int(np.int64(0))
    for entry in shared.entries[
        shared.entry_starts[shared.starts[first]] : shared.entry_starts[shared.starts[last]]
    ]:
        room += held.row_starts[entry + 1] - held.row_starts[entry]
    out = _new_output(last - first, room, room)
    for joint in range(first, last):
        unit, row_count = _unit_of_shared_terms(shared, joint, held, local_of)
        chunk_count = form_chunks(unit, _bitmaps(unit, row_count), promise)
        out.chunks.chunk_counts[joint - first] = chunk_count
        _emit(unit, chunk_count, out)
    return _trimmed(out.chunks, out.filled)


@kernel
def _new_output(unit_count: int, room: int, row_count: int) -> _Output:
    chunks = Chunks(
        np.zeros(unit_count, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int32),
    )
    return _Output(
        chunks,
        np.zeros(3, dtype=np.int64),
        np.zeros(row_count, dtype=np.int64),
        np.empty(row_count, dtype=np.int64),
    )


@kernel
def _trimmed(chunks: Chunks, filled: Ints) -> Chunks:
    return Chunks(
        chunks.chunk_counts,
        chunks.subrecord_counts[: filled[_CHUNKS]].copy(),
        chunks.item_counts[: filled[_SUBRECORDS]].copy(),
        chunks.items[: filled[_ITEMS]].copy(),
    )


@kernel(part=True)
def _unit_of_rows(sets: SetArrays, first: int, last: int, k: int, vocabulary: _Vocabulary) -> Unit:
    """The terms of some rows, ascending."""
    is_sensitive, number_of = vocabulary
    first_item, last_item = sets.starts[first], sets.starts[last]
    terms = np.empty(last_item - first_item, dtype=np.int64)
    term_count = int(np.int64(0))
    for position in range(first_item, last_item):
        if number_of[sets.items[position]] < 0:
            number_of[sets.items[position]] = 0
            terms[term_count] = sets.items[position]
            term_count += 1
    sort_ascending(terms, term_count)
    for number in range(term_count):
        number_of[terms[number]] = number
    starts = np.zeros(term_count + 2, dtype=np.int64)
    for position in range(first_item, last_item):
        starts[number_of[sets.items[position]] + 2] += 1
    order = np.empty(term_count, dtype=np.int64)
    in_order = int(np.int64(0))
    for number in range(term_count):
        support = starts[number + 2]
        if support >= k and not is_sensitive[terms[number]]:
            order[in_order] = (last - first - support) * term_count + number
            in_order += 1
    sort_ascending(order, in_order)
    for index in range(in_order):
        order[index] %= term_count
    for number in range(term_count):
        starts[number + 2] += starts[number + 1]
    rows = np.empty(last_item - first_item, dtype=np.int64)
    for row in range(first, last):
        for position in range(sets.starts[row], sets.starts[row + 1]):
            number = number_of[sets.items[position]] + 1
            rows[starts[number]] = row - first
            starts[number] += 1
    for number in range(term_count):
        number_of[terms[number]] = -1
    chunk_of = np.full(term_count, IN_TERM_CHUNK, dtype=np.int64)
    return Unit(terms[:term_count], starts[: term_count + 1], rows, order[:in_order], chunk_of)


@kernel(part=True)
def _unit_of_shared_terms(
    shared: SharedTerms, joint: int, held: TermLists, local_of: Ints
) -> tuple[Unit, int]:
    """The terms that a joint cluster shares, ascending, with all rows of its clusters that hold them."""
    first = shared.starts[joint]
    term_count = shared.starts[joint + 1] - first
    by_term = np.empty(term_count, dtype=np.int64)
    for index in range(term_count):
        by_term[index] = shared.terms[first + index] * term_count + index
    sort_ascending(by_term, term_count)
    occurrences = 0
    for entry in shared.entries[shared.entry_starts[first] : shared.entry_starts[first + term_count]]:
        occurrences += held.row_starts[entry + 1] - held.row_starts[entry]
    terms, starts = np.empty(term_count, dtype=np.int64), np.zeros(term_count + 1, dtype=np.int64)
    rows, order = np.empty(occurrences, dtype=np.int64), np.empty(term_count, dtype=np.int64)
    distinct = np.empty(occurrences, dtype=np.int64)
    row_count = 0
    for number in range(term_count):
        index = by_term[number] % term_count
        terms[number] = shared.terms[first + index]
        order[index] = number
        filled = starts[number]
        for entry in shared.entries[
            shared.entry_starts[first + index] : shared.entry_starts[first + index + 1]
        ]:
            for row in held.rows[held.row_starts[entry] : held.row_starts[entry + 1]]:
                if local_of[row] < 0:
                    local_of[row] = row_count
                    distinct[row_count] = row
                    row_count += 1
                rows[filled] = local_of[row]
                filled += 1
        starts[number + 1] = filled
    for row in distinct[:row_count]:
        local_of[row] = -1
    return Unit(terms, starts, rows, order, np.full(term_count, IN_TERM_CHUNK, dtype=np.int64)), row_count


@kernel
def _bitmaps(unit: Unit, row_count: int) -> Words:
    """One bitmap over the rows for each term of unit.order, in that order."""
    bits = np.zeros((len(unit.order), (row_count + BITS - 1) // BITS), dtype=np.uint64)
    for index in range(len(unit.order)):
        number = unit.order[index]
        for row in unit.rows[unit.starts[number] : unit.starts[number + 1]]:
            bits[index, row // BITS] |= np.uint64(1) << np.uint64(row % BITS)
    return bits


@kernel
def form_chunks(unit: Unit, bits: Words, promise: ChunkPromise) -> int:
    """Put each term of unit.order into the first chunk that stays k^m-anonymous with it; their number.

    A chunk is filled as far as it goes before the next one is opened, so for a term the chunks are tried
    against those terms that come before it only.
    """
    members, member_count = np.empty(len(unit.order), dtype=np.int64), 0
    search = _Search(
        bits, np.empty((promise.m, bits.shape[1]), dtype=np.uint64), np.zeros(promise.m, dtype=np.int64)
    )
    placed, chunk = 0, 0
    while placed < len(unit.order):
        member_count = 0
        for index in range(len(unit.order)):
            number = unit.order[index]
            if unit.chunk_of[number] == IN_TERM_CHUNK and _stays_frequent(
                search, index, members[:member_count], promise
            ):
                unit.chunk_of[number] = chunk
                members[member_count] = index
                member_count += 1
        placed += member_count
        chunk += 1
    return chunk


@kernel(part=True)
def _stays_frequent(search: _Search, place: int, members: Ints, promise: ChunkPromise) -> bool:
    """Whether a term occurs with every set of up to m - 1 members of a chunk in no row, or in k at least.

    Depth-first: at depth d, met[d] are the rows of the term and of d members.
    """
    bits, met, next_member = search
    k, m = promise
    for word in range(bits.shape[1]):
        met[0, word] = bits[place, word]
    next_member[0] = 0
    depth = 0
    while depth >= 0:
        if depth == m - 1 or next_member[depth] == len(members):
            depth -= 1
            continue
        member = members[next_member[depth]]
        next_member[depth] += 1
        support = 0
        for word in range(bits.shape[1]):
            both = met[depth, word] & bits[member, word]
            met[depth + 1, word] = both
            support += ones(both)
        if 0 < support < k:
            return False
        if support > 0 and depth + 1 < m - 1:
            next_member[depth + 1] = next_member[depth]
            depth += 1
    return True


@kernel
def _subrecord_count(unit: Unit, bits: Words, chunk_count: int) -> int:
    """How many rows hold a term of each chunk, over all chunks."""
    held = np.zeros((chunk_count, bits.shape[1]), dtype=np.uint64)
    for index in range(len(unit.order)):
        chunk = unit.chunk_of[unit.order[index]]
        if chunk != IN_TERM_CHUNK:
            for word in range(bits.shape[1]):
                held[chunk, word] |= bits[index, word]
    count = 0
    for chunk in range(chunk_count):
        for word in range(bits.shape[1]):
            count += ones(held[chunk, word])
    return count


@kernel(part=True)
def _move_least_frequent(unit: Unit, chunk_count: int) -> int:
    """Move the least frequent term into the term chunk; how many chunks are left.

    Only the last chunk can hold that term alone: the term is tried last in every chunk.
    """
    number = unit.order[-1]
    chunk = unit.chunk_of[number]
    unit.chunk_of[number] = IN_TERM_CHUNK
    for other in unit.order:
        if unit.chunk_of[other] == chunk:
            return chunk_count
    return chunk_count - 1


@kernel
def _emit(unit: Unit, chunk_count: int, out: _Output) -> None:
    """Append the subrecords of all chunks."""
    chunk_starts = np.zeros(chunk_count + 2, dtype=np.int64)
    for chunk in unit.chunk_of:
        if chunk != IN_TERM_CHUNK:
            chunk_starts[chunk + 2] += 1
    for chunk in range(chunk_count):
        chunk_starts[chunk + 2] += chunk_starts[chunk + 1]
    members = np.empty(chunk_starts[-1], dtype=np.int64)
    for number in range(len(unit.terms)):
        chunk = unit.chunk_of[number] + 1
        if chunk > 0:
            members[chunk_starts[chunk]] = number
            chunk_starts[chunk] += 1
    for chunk in range(chunk_count):
        _emit_chunk(unit, members[chunk_starts[chunk] : chunk_starts[chunk + 1]], out)


@kernel(part=True)
def _emit_chunk(unit: Unit, members: Ints, out: _Output) -> None:
    chunks, filled, row_counts, row_places = out
    occurrences = 0
    for number in members:
        occurrences += unit.starts[number + 1] - unit.starts[number]
    distinct, row_count = np.empty(min(occurrences, len(row_counts)), dtype=np.int64), 0
    for number in members:
        for row in unit.rows[unit.starts[number] : unit.starts[number + 1]]:
            if row_counts[row] == 0:
                distinct[row_count] = row
                row_count += 1
            row_counts[row] += 1
    index = filled[_ITEMS]
    for offset in range(row_count):
        row = distinct[offset]
        row_places[row] = index
        index += row_counts[row]
        chunks.item_counts[filled[_SUBRECORDS] + offset] = row_counts[row]
        row_counts[row] = 0
    for number in members:
        for row in unit.rows[unit.starts[number] : unit.starts[number + 1]]:
            chunks.items[row_places[row]] = unit.terms[number]
            row_places[row] += 1
    chunks.subrecord_counts[filled[_CHUNKS]] = row_count
    filled[_CHUNKS] += 1
    filled[_SUBRECORDS] += row_count
    filled[_ITEMS] = index


@kernel(part=True)
def _keep_term_chunk(unit: Unit, first_row: int, cluster: int, held: TermLists) -> None:
    entry = held.starts[cluster]
    for number in range(len(unit.terms)):
        if unit.chunk_of[number] == IN_TERM_CHUNK:
            held.terms[entry] = unit.terms[number]
            filled = held.row_starts[entry]
            for row in unit.rows[unit.starts[number] : unit.starts[number + 1]]:
                held.rows[filled] = first_row + row
                filled += 1
            held.row_starts[entry + 1] = filled
            entry += 1
    held.starts[cluster + 1] = entry
