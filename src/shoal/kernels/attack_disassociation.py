"""What a chunk tells about the terms that VERPART did not put into it.

VERPART tries the terms of a cluster by falling support, equal ones by their numbers, and puts each into the
first chunk that stays k^m-anonymous with it. A term of a later chunk was refused by every earlier one: beside
some up to m - 1 of the terms that were in there already, it occurs in at least 1 and in fewer than k records.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.growable import with_room
from shoal.kernels.set_recoding import sort_unique

_PAIR = 3


class ChunkedClusters(NamedTuple):
    """Cluster c, of sizes[c] records, has the chunks first_chunk[c]..first_chunk[c + 1] - 1.

    Subrecords chunk_starts[h]..chunk_starts[h + 1] - 1 are chunk h. Terms are below term_count.
    """

    sizes: Ints
    first_chunk: Ints
    chunk_starts: Ints
    subrecords: SetArrays
    term_count: int


class _Terms(NamedTuple):
    """The terms of a cluster's chunks in the order in which VERPART tried them.

    Term i is numbers[i], in the chunk chunks[i] and in the subrecords rows[starts[i]:starts[i + 1]]. Terms in
    the same subrecords have the same `kind`.
    """

    numbers: Ints
    chunks: Ints
    starts: Ints
    rows: Ints
    kinds: Ints


@kernel
def covered_pairs(chunked: ChunkedClusters, clusters: Ints, k: int, m: int) -> Ints:
    """List cluster, earlier term and refused term, for pairs that at least 1 and fewer than k records hold.

    A pair is listed if every set of terms that can have been the reason of a refusal is in the same
    subrecords as its earlier term. Reads only. O(items + terms^2 of each cluster).
    """
    found = np.empty(1024, dtype=np.int64)
    count = 0
    number_of = np.full(chunked.term_count, -1, dtype=np.int64)
    for cluster in clusters:
        terms = _terms_in_order(chunked, cluster, number_of)
        for refused in range(len(terms.numbers)):
            for earlier in range(refused):
                if _opens_earlier_chunk(terms, earlier, refused):
                    kind = _only_reason(terms, chunked.sizes[cluster], earlier, refused, k)
                    if m > 2 and not _no_reason_together(terms, chunked.sizes[cluster], kind, refused, k):
                        kind = -1
                    for other in range(len(terms.numbers)):
                        if kind >= 0 and terms.kinds[other] == kind:
                            found = with_room(found, _PAIR * count, _PAIR * (count + 1))
                            found[_PAIR * count] = cluster
                            found[_PAIR * count + 1] = terms.numbers[other]
                            found[_PAIR * count + 2] = terms.numbers[refused]
                            count += 1
    return found[: _PAIR * count].copy()


@kernel(part=True)
def _opens_earlier_chunk(terms: _Terms, earlier: int, refused: int) -> bool:
    """Whether a term is the first of its chunk, and that chunk was there before the one of the other term."""
    chunk = terms.chunks[earlier]
    for index in range(earlier):
        if terms.chunks[index] == chunk or terms.chunks[index] == terms.chunks[refused]:
            return False
    return chunk != terms.chunks[refused]


@kernel(part=True)
def _only_reason(terms: _Terms, size: int, first: int, refused: int, k: int) -> int:
    """The kind of all terms that can be why the first one's chunk refused another; -1 if they differ."""
    kind = -1
    for index in range(first, refused):
        if terms.chunks[index] == terms.chunks[first] and _can_be_reason(terms, size, index, refused, k):
            if kind >= 0 and terms.kinds[index] != kind:
                return -1
            kind = terms.kinds[index]
    return kind


@kernel
def _can_be_reason(terms: _Terms, size: int, place: int, refused: int, k: int) -> bool:
    """Whether fewer than k records can hold both terms: there may be no other records left."""
    supports = (
        terms.starts[place + 1] - terms.starts[place] + terms.starts[refused + 1] - terms.starts[refused]
    )
    return supports - size < k


@kernel(part=True)
def _no_reason_together(terms: _Terms, size: int, kind: int, refused: int, k: int) -> bool:
    """Whether terms that are no reason by themselves are none together, nor beside terms of a kind.

    So it is if the subrecords that hold them all are too many for that, and those of the kind among them.
    """
    if kind < 0:
        return False
    others, held_by_all, of_kind = 0, 0, 0
    first_row, last_row = terms.rows.min(), terms.rows.max()
    held = np.zeros(last_row - first_row + 1, dtype=np.int64)
    for index in range(refused):
        if terms.chunks[index] == terms.chunks[kind] and not _can_be_reason(terms, size, index, refused, k):
            others += 1
            for position in range(terms.starts[index], terms.starts[index + 1]):
                held[terms.rows[position] - first_row] += 1
    for count in held:
        held_by_all += count == others
    for position in range(terms.starts[kind], terms.starts[kind + 1]):
        of_kind += held[terms.rows[position] - first_row] == others
    support = terms.starts[refused + 1] - terms.starts[refused]
    together = others == 0 or held_by_all + support - size >= k
    return together and of_kind == terms.starts[kind + 1] - terms.starts[kind]


@kernel(part=True)
def _terms_in_order(chunked: ChunkedClusters, cluster: int, number_of: Ints) -> _Terms:
    """number_of is -1 for every term before and after."""
    subrecords, first_chunk, chunk_starts = chunked.subrecords, chunked.first_chunk, chunked.chunk_starts
    first_row = chunk_starts[first_chunk[cluster]]
    last_row = chunk_starts[first_chunk[cluster + 1]]
    first_item, last_item = subrecords.starts[first_row], subrecords.starts[last_row]
    items = subrecords.items[first_item:last_item].copy()
    count = sort_unique(items, 0, len(items))
    supports = np.zeros(count, dtype=np.int64)
    for number in range(count):
        number_of[items[number]] = number
    for position in range(first_item, last_item):
        supports[number_of[subrecords.items[position]]] += 1
    keys = np.empty(count, dtype=np.int64)
    for number in range(count):
        keys[number] = (last_row - first_row - supports[number]) * count + number
    sort_unique(keys, 0, count)
    numbers, starts = np.empty(count, dtype=np.int64), np.zeros(count + 1, dtype=np.int64)
    for index in range(count):
        number = keys[index] % count
        numbers[index] = items[number]
        starts[index + 1] = starts[index] + supports[number]
        number_of[items[number]] = index
    chunks, rows = np.empty(count, dtype=np.int64), np.empty(last_item - first_item, dtype=np.int64)
    filled = starts.copy()
    for chunk in range(first_chunk[cluster], first_chunk[cluster + 1]):
        for row in range(chunk_starts[chunk], chunk_starts[chunk + 1]):
            for position in range(subrecords.starts[row], subrecords.starts[row + 1]):
                index = number_of[subrecords.items[position]]
                chunks[index] = chunk
                rows[filled[index]] = row
                filled[index] += 1
    for index in range(count):
        number_of[numbers[index]] = -1
    kinds = np.empty(count, dtype=np.int64)
    for index in range(count):
        kinds[index] = index
        for other in range(index):
            if kinds[index] == index and _same_rows(starts, rows, other, index):
                kinds[index] = kinds[other]
    return _Terms(numbers, chunks, starts, rows, kinds)


@kernel(part=True)
def _same_rows(starts: Ints, rows: Ints, one: int, other: int) -> bool:
    """Whether two terms are in the same subrecords; those of different chunks never are."""
    count = starts[one + 1] - starts[one]
    if starts[other + 1] - starts[other] != count:
        return False
    index = 0
    while index < count and rows[starts[one] + index] == rows[starts[other] + index]:
        index += 1
    return index == count
