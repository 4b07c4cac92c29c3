"""The closed frequent generalized records of a table: mined in slices, within time and memory."""

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels import kanon_cf_closed_records as kernels
from shoal.kernels.arrays import Bools, Ints
from shoal.kernels.kanon_cf_closed_records import FoundRecords, MiningTask, Packing, Paths, Walk

_BITS_OF_A_WORD = 62
_LOOKS_PER_SLICE = 5_000_000
_RECORDS_PER_CHUNK = 2**18
_BYTES_PER_NUMBER = 8


@dataclass(frozen=True, slots=True, eq=False)
class ClosedRecords:
    """Closed generalized records in the order in which they were met, the closure of all records first.

    packed[i] is the i-th one as `packing` says, and counts[i] rows support it. `complete` unless the search
    was stopped before it had met all.
    """

    packing: Packing
    packed: Ints
    counts: Ints
    complete: bool

    def __len__(self) -> int:
        return len(self.counts)

    def vectors(self) -> Ints:
        """All of them as vectors of nodes."""
        return kernels.unpacked(self.packing, self.packed)


class Mining:
    """A search for all closed records that at least k rows support."""

    def __init__(self, records: Records, k: int) -> None:
        self._task = MiningTask(_paths(records), _packing(records), k)
        self._walk = _walk_from_roots(records)
        self._chunks: list[FoundRecords] = []
        self._in_chunks = 0
        self._chunk = self._new_chunk()
        self.complete = False

    @property
    def count(self) -> int:
        """How many closed records were met."""
        return self._in_chunks + int(self._chunk.state[0])

    @property
    def bytes_per_record(self) -> int:
        """The memory that a closed record takes here."""
        return _BYTES_PER_NUMBER * (_word_count(self._task.packing) + 1)

    def go_on(self) -> None:
        """Search for a moment; the first time at least the closure of all records is met."""
        while True:
            outcome = kernels.mine(self._task, self._walk, self._chunk, _LOOKS_PER_SLICE)
            if outcome == kernels.STACK_CROWDED:
                self._walk = _with_twice_the_room(self._walk, "nodes", "begins", "ends", "rows", "columns")
            elif outcome == kernels.SUPPORTS_CROWDED:
                self._walk = _with_twice_the_room(self._walk, "supports")
            else:
                break
        if outcome == kernels.MUCH_FOUND:
            self._chunks.append(self._chunk)
            self._in_chunks += _RECORDS_PER_CHUNK
            self._chunk = self._new_chunk()
        self.complete = outcome == kernels.FINISHED

    def found(self) -> ClosedRecords:
        """What was met so far; ends the search."""
        count = self.count
        packed = np.empty((count, _word_count(self._task.packing)), dtype=np.int64)
        counts = np.empty(count, dtype=np.int64)
        chunks = [self._chunk, *reversed(self._chunks)]
        self._chunks.clear()
        begin = 0
        while chunks:  # one after the other is let go, so that all of it is never held twice
            chunk = chunks.pop()
            end = begin + int(chunk.state[0])
            packed[begin:end] = chunk.packed[: end - begin]
            counts[begin:end] = chunk.counts[: end - begin]
            begin = end
        return ClosedRecords(self._task.packing, packed, counts, self.complete)

    def _new_chunk(self) -> FoundRecords:
        return FoundRecords(
            state=np.zeros(1, dtype=np.int64),
            packed=np.empty((_RECORDS_PER_CHUNK, _word_count(self._task.packing)), dtype=np.int64),
            counts=np.empty(_RECORDS_PER_CHUNK, dtype=np.int64),
        )


def _paths(records: Records) -> Paths:
    parent = records.trees.parent
    depths = _depths(parent)
    is_leaf: Bools = np.ones(len(parent), dtype=bool)
    is_leaf[parent] = False
    columns, starts = [], [0]
    for column, begin in enumerate(records.trees.starts[:-1].tolist()):
        nodes = records.nodes[:, column]
        lowest = int(depths[begin : records.trees.starts[column + 1]].max())
        above = [nodes]
        for depth in range(lowest, -1, -1):
            above.append(np.where(depths[above[-1]] > depth, parent[above[-1]], above[-1]))
        columns += above[::-1]
        starts.append(len(columns))
    return Paths(
        nodes=np.stack(columns, axis=1) if columns else np.empty((len(records), 0), dtype=np.int64),
        starts=np.array(starts, dtype=np.int64),
        copies=records.counts,
        depths=depths,
        is_leaf=is_leaf,
    )


def _depths(parent: Ints) -> Ints:
    depths = np.zeros(len(parent), dtype=np.int64)
    node = np.arange(len(parent), dtype=np.int64)
    while (parent[node] != node).any():
        depths += parent[node] != node
        node = parent[node]
    return depths


def _packing(records: Records) -> Packing:
    """Columns one behind the other, in a new word where the last one has no room."""
    sizes = [int(size) - 1 for size in np.diff(records.trees.starts)]
    words, shifts, word, used = [], [], 0, 0
    for bits in (size.bit_length() for size in sizes):
        if used + bits > _BITS_OF_A_WORD:
            word, used = word + 1, 0
        words.append(word)
        shifts.append(used)
        used += bits
    return Packing(
        words=np.array(words, dtype=np.int64),
        shifts=np.array(shifts, dtype=np.int64),
        masks=np.array([2 ** size.bit_length() - 1 for size in sizes], dtype=np.int64),
        node_starts=records.trees.starts,
    )


def _word_count(packing: Packing) -> int:
    return int(packing.words.max(initial=0)) + 1


def _walk_from_roots(records: Records) -> Walk:
    """One entry: all records, at the roots of all columns."""
    node_count, column_count = len(records.trees.parent), len(records.columns)

    def per_node() -> Ints:
        return np.zeros(node_count, dtype=np.int64)

    def entry(value: int) -> Ints:
        return np.array([value], dtype=np.int64)

    return Walk(
        state=np.array([1, 0], dtype=np.int64),
        nodes=records.trees.starts[np.newaxis, 1:] - 1,
        begins=entry(0),
        ends=entry(len(records)),
        rows=entry(records.row_count),
        columns=entry(0),
        supports=np.arange(len(records), dtype=np.int64),
        vector=np.empty(column_count, dtype=np.int64),
        rows_below=per_node(),
        records_below=per_node(),
        places=per_node(),
        nodes_below=per_node(),
    )


def _with_twice_the_room(walk: Walk, *names: str) -> Walk:
    def twice(array: Ints) -> Ints:
        return np.concatenate((array, np.empty_like(array)))

    return walk._replace(**{name: twice(getattr(walk, name)) for name in names})
