"""VERPART: the terms of each cluster in chunks that are k^m-anonymous, and the rest in its term chunk."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from shoal.algorithms.sets.cut_search.parts import balanced_borders
from shoal.algorithms.sets.disassociation.horpart import require_time
from shoal.kernels.arrays import Bools, Ints, SetArrays, joined_starts
from shoal.kernels.verpart import (
    ChunkPromise,
    Chunks,
    SharedTerms,
    TermLists,
    chunk_clusters,
    chunk_shared_terms,
)
from shoal.progress import Progress
from shoal.threads import in_threads

_ITEMS_PER_BATCH = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class Chunked:
    """The chunks and term chunks of simple clusters; `enough` are those that could do without the latter."""

    chunks: Chunks
    held: TermLists
    enough: Bools


def vertical_partition(
    sets: SetArrays,
    starts: Ints,
    is_sensitive: Bools,
    promise: ChunkPromise,
    *,
    threads: int,
    progress: Progress,
) -> Chunked:
    """Divide the terms of each cluster; cluster c holds the rows starts[c]..starts[c + 1] - 1 of `sets`."""

    def divide(first: int, last: int, progress: Progress) -> tuple[Chunks, TermLists, Bools]:
        require_time(progress)
        return chunk_clusters(sets, starts[first : last + 1], is_sensitive, promise)

    items = np.diff(sets.starts[starts])
    batches = _batches(items, 1 + int(items.sum()) // _ITEMS_PER_BATCH)
    found = in_threads([partial(divide, *batch) for batch in batches], progress, threads)
    return Chunked(
        _joined_chunks([chunks for chunks, _, _ in found]),
        _joined_lists([held for _, held, _ in found]),
        np.concatenate([enough for _, _, enough in found]),
    )


def shared_chunks(
    shared: SharedTerms,
    held: TermLists,
    row_count: int,
    promise: ChunkPromise,
    *,
    threads: int,
    progress: Progress,
) -> Chunks:
    """Divide the terms that joint clusters share."""

    def divide(first: int, last: int, progress: Progress) -> Chunks:
        progress.update(0)
        local_of = np.full(row_count, -1, dtype=np.int64)
        return chunk_shared_terms(shared, (first, last), held, local_of, promise)

    weights = np.diff(shared.entry_starts[shared.starts])
    batches = _batches(weights, threads) if len(weights) else []
    return _joined_chunks(
        in_threads([partial(divide, first, last) for first, last in batches], progress, threads)
    )


def _batches(weights: Ints, count: int) -> list[tuple[int, int]]:
    return list(pairwise([0, *balanced_borders(weights, count).tolist(), len(weights)]))


def _joined_chunks(parts: Sequence[Chunks]) -> Chunks:
    nothing = np.zeros(0, dtype=np.int64)
    together = [Chunks(nothing, nothing, nothing, np.zeros(0, dtype=np.int32)), *parts]
    return Chunks(*(np.concatenate(column) for column in zip(*together, strict=True)))


def _joined_lists(parts: Sequence[TermLists]) -> TermLists:
    return TermLists(
        joined_starts(part.starts for part in parts),
        np.concatenate([part.terms for part in parts]),
        joined_starts(part.row_starts for part in parts),
        np.concatenate([part.rows for part in parts]),
    )
