"""How close the sets of clusters are: what their union will cost in items, estimated or tried out."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from shoal.algorithms.mixed.joint_search.clusters import JointClusters
from shoal.algorithms.mixed.joint_search.item_step import ItemStep
from shoal.kernels.arrays import Floats, Ints, SetArrays
from shoal.kernels.mixed_closeness import Gathered, of_unions, within_clusters
from shoal.progress import Progress

_ROOM = 4


class Closeness(Protocol):
    """Tells what unions promise to cost in items; smaller is closer."""

    def of_unions(self, cluster: int, others: Ints) -> Floats:
        """A figure for the union of a cluster with each of the others."""

    def unite(self, cluster: int, other: int) -> None:
        """Take note of a union."""


class Distance:
    """BTD, the largest distance between the sets of two records: cheap, and large for unlike large sets."""

    def __init__(self, sets: SetArrays, clusters: JointClusters) -> None:
        self._sizes = np.diff(sets.starts)
        self._clusters = clusters
        self._gathered = self._gather(sets)
        self._used = len(self._sizes)
        self._inner = within_clusters(self._gathered)

    def of_unions(self, cluster: int, others: Ints) -> Floats:
        """The BTD of each union."""
        return of_unions(self._gathered, self._inner, cluster, others)

    def unite(self, cluster: int, other: int) -> None:
        """Take note of a union; to be called once its rows are in the cluster."""
        self._inner[cluster] = self.of_unions(cluster, np.array([other]))[0]
        rows = self._largest_first(self._clusters.rows(cluster))
        if self._used + len(rows) > len(self._gathered.pool):
            self._gathered = self._gather(self._gathered.sets)
            self._used = len(self._sizes)
            return
        self._gathered.pool[self._used : self._used + len(rows)] = rows
        self._gathered.starts[cluster] = self._used
        self._used += len(rows)
        self._gathered.ends[cluster] = self._used

    def _gather(self, sets: SetArrays) -> Gathered:
        """All clusters one behind the other, and room for unions behind them."""
        count = len(self._clusters.sizes)
        pool = np.empty(_ROOM * len(self._sizes), dtype=np.int64)
        starts, ends = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        used = 0
        for cluster in self._clusters.alive.tolist():
            rows = self._largest_first(self._clusters.rows(cluster))
            starts[cluster], ends[cluster] = used, used + len(rows)
            pool[used : used + len(rows)] = rows
            used += len(rows)
        return Gathered(sets, pool, starts, ends)

    def _largest_first(self, rows: Ints) -> Ints:
        return rows[np.lexsort((rows, -self._sizes[rows]))]


class TriedLoss:
    """The UL of each union after its item step: exact, and as slow as that."""

    def __init__(self, step: ItemStep, clusters: JointClusters, progress: Progress) -> None:
        self._step, self._clusters, self._progress = step, clusters, progress

    def of_unions(self, cluster: int, others: Ints) -> Floats:
        """The mean UL of the records of each union."""
        mine = self._clusters.rows(cluster)
        unions = (np.concatenate((mine, self._clusters.rows(other))) for other in others.tolist())
        return np.array([self._step.solve(rows, self._progress).loss / len(rows) for rows in unions])

    def unite(self, cluster: int, other: int) -> None:
        """Nothing is kept between unions."""
