"""A clustering is improved by moving and swapping records while every cluster keeps what the models ask."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.arrays import Ints
from shoal.kernels.constraint import ClassConstraint
from shoal.kernels.generalized_records import NOTHING
from shoal.kernels.grouping import group_rows, members
from shoal.kernels.local_search import Board, ClusterEntries, Cursor, all_entries, refresh_all
from shoal.kernels.local_search_exchange import improve
from shoal.kernels.local_search_neighbourhoods import deal_neighbours
from shoal.kernels.local_search_regroup import dissolve_clusters, found_clusters
from shoal.progress import Progress

_LOOKS_PER_SLICE = 2_000_000
_LEAST_GAIN = 1e-12  # as a share of the highest cost that the table could have

_Step = Callable[[Board, ClusterEntries, Cursor], float]
_CLUSTERS_IN_A_DEAL = (6, 4, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Improved:
    """A clustering that costs no more than the one before; `finished` if no step would lower its cost."""

    clustering: Clustering
    finished: bool


def improved(
    records: Records,
    clustering: Clustering,
    constraint: ClassConstraint,
    progress: Progress,
    *,
    thorough: bool = True,
) -> Improved:
    """Take steps that lower the cost until there is none, or time is up.

    Every cluster of the clustering must be admissible, and remains so. Unless `thorough`, records are only
    moved and swapped between two clusters.
    """
    kind_of_row, sample_rows = _kinds(records, constraint)
    board = Board(
        trees=records.trees,
        vectors=records.nodes[records.record_of_row[sample_rows]],
        sample_rows=sample_rows,
        constraint=constraint,
        least_gain=_LEAST_GAIN * records.row_count * _dearest(records),
        rows=np.empty(records.row_count, dtype=np.int64),
        union_costs=records.room_for_union_costs(),
    )
    partition = _partition(board, clustering, kind_of_row)
    steps: list[_Step] = [improve]
    if thorough:
        deals = (_dealing(most, len(partition.sizes)) for most in _CLUSTERS_IN_A_DEAL)
        steps = [dissolve_clusters, found_clusters, improve, *deals]
    finished = _improve_until_nothing_helps(steps, board, partition, progress)
    return Improved(_clustering(partition, kind_of_row, len(sample_rows)), finished)


def _improve_until_nothing_helps(
    steps: Sequence[_Step], board: Board, partition: ClusterEntries, progress: Progress
) -> bool:
    """Take steps of each sort in turn; False when time was up before none was left."""
    idle = 0
    while idle < len(steps):
        for step in steps:
            gained = _take_all(step, board, partition, progress)
            if gained is None:
                return False
            idle = 0 if gained > 0 else idle + 1
    return True


def _dealing(most: int, cluster_count: int) -> _Step:
    """Deals of rows among so many clusters, which remember where one was in vain."""
    tried = np.zeros(cluster_count, dtype=np.int64)

    def step(board: Board, partition: ClusterEntries, cursor: Cursor) -> float:
        return deal_neighbours(board, partition, cursor, most, tried)

    return step


def _take_all(step: _Step, board: Board, partition: ClusterEntries, progress: Progress) -> float | None:
    """Take steps of one sort until there is none; what they gained, None when time was up."""
    gained = 0.0
    while True:
        before = gained
        place = np.zeros(2, dtype=np.int64)
        while place[0] < len(partition.sizes):
            if progress.expired():
                return None
            progress.update(float(place[0]), len(partition.sizes))
            pause = int(partition.state[2]) + _looks_per_slice(board, partition)
            gained += step(board, partition, Cursor(place, pause))
        if gained == before:
            return gained


def _looks_per_slice(board: Board, partition: ClusterEntries) -> int:
    """How much is looked at between two chances to stop; where classes are judged, a look is at all rows."""
    if len(board.constraint.rules) == 0 and len(board.constraint.people) == 0:
        return _LOOKS_PER_SLICE
    return _LOOKS_PER_SLICE // int(partition.sizes.max()) + 1


def _dearest(records: Records) -> float:
    """More than any record can cost."""
    costs = records.trees.cost
    return float(sum(costs[begin:end].max() for begin, end in pairwise(records.trees.starts.tolist())))


def _kinds(records: Records, constraint: ClassConstraint) -> tuple[Ints, Ints]:
    """Which rows nobody can tell apart, in the order of records, and a row of each kind."""
    columns = [records.record_of_row]
    if len(constraint.rules):
        columns += list(constraint.sensitive.T)
    if len(constraint.people):
        columns.append(constraint.people)
    seen, first_rows = group_rows(np.ascontiguousarray(np.stack(columns, axis=1)[records.rows]))
    kind_of_row = np.empty(records.row_count, dtype=np.int64)
    kind_of_row[records.rows] = seen
    return kind_of_row, records.rows[first_rows]


def _partition(board: Board, clustering: Clustering, kind_of_row: Ints) -> ClusterEntries:
    count, row_count = len(clustering), len(kind_of_row)
    pairs = np.stack((clustering.cluster_of_row, kind_of_row), axis=1)
    entry_of_row, first_rows = group_rows(pairs)
    entry_count = len(first_rows)
    entries = np.arange(entry_count, dtype=np.int64)
    starts, listed = members(clustering.cluster_of_row[first_rows], count)
    after = np.full(row_count, NOTHING, dtype=np.int64)
    before = np.full(row_count, NOTHING, dtype=np.int64)
    inside = np.ones(entry_count, dtype=bool)
    inside[starts[1:-1]] = False
    links = np.flatnonzero(inside)[1:] if entry_count else entries
    after[listed[links - 1]] = listed[links]
    before[listed[links]] = listed[links - 1]

    def room(values: Ints) -> Ints:
        return np.concatenate((values, np.zeros(row_count - len(values), dtype=np.int64)))

    def room_for_clusters(values: Ints, fill: int = 0) -> Ints:
        return np.concatenate((values, np.full(most - count, fill, dtype=np.int64)))

    most = max(count, row_count // board.constraint.k)
    dimensions = board.vectors.shape[1]
    partition = ClusterEntries(
        kinds=room(kind_of_row[first_rows]),
        counts=room(np.bincount(entry_of_row, minlength=entry_count).astype(np.int64)),
        after=after,
        before=before,
        without=np.zeros((row_count, dimensions), dtype=np.int64),
        without_costs=np.zeros(row_count, dtype=np.float64),
        heads=room_for_clusters(listed[starts[:-1]], NOTHING),
        lengths=room_for_clusters(np.diff(starts)),
        sizes=room_for_clusters(clustering.sizes),
        closures=np.zeros((most, dimensions), dtype=np.int64),
        costs=np.zeros(most, dtype=np.float64),
        changed=np.zeros(most, dtype=np.int64),
        visited=np.zeros(most, dtype=np.int64),
        searched=np.zeros(most, dtype=np.int64),
        state=np.array([0, row_count - entry_count, 0], dtype=np.int64),
        free=room(np.arange(row_count - 1, entry_count - 1, -1, dtype=np.int64)),
    )
    refresh_all(board, partition)
    return partition


def _clustering(partition: ClusterEntries, kind_of_row: Ints, kind_count: int) -> Clustering:
    """Deal the rows of each kind to the clusters that hold it, in the order of clusters and rows."""
    entry, cluster = all_entries(partition)
    _, number = np.unique(cluster, return_inverse=True)
    order = np.lexsort((number, partition.kinds[entry]))
    entry, number = entry[order], number[order]
    _, rows = members(kind_of_row, kind_count)
    cluster_of_row = np.empty(len(kind_of_row), dtype=np.int64)
    cluster_of_row[rows] = np.repeat(number, partition.counts[entry])
    return Clustering(cluster_of_row)
