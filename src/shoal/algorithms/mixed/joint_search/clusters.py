"""Clusters of records while they are united, and what they cost in single values."""

from __future__ import annotations

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.generalized_records import unite, vector_cost, vector_costs
from shoal.kernels.joint_search import union_costs


class JointClusters:
    """Clusters by number; a union gets the number of the cluster that was united with another.

    The relational loss is the mean cost of a record. A union changes it by what its own records cost more, so
    nothing else is looked at.
    """

    def __init__(self, records: Records, clustering: Clustering) -> None:
        self.records = records
        starts, rows = clustering.members()
        self._rows: list[Ints] = np.split(rows, starts[1:-1])
        self.sizes: Ints = clustering.sizes.copy()
        self.vectors: Ints = clustering.closures(records)
        self.costs: Floats = vector_costs(records.trees, self.vectors)
        self._alive = np.ones(len(self.sizes), dtype=np.bool_)
        self._total = float(np.dot(self.sizes, self.costs))

    @property
    def alive(self) -> Ints:
        """The numbers of the clusters that there are, ascending."""
        return np.flatnonzero(self._alive)

    @property
    def loss(self) -> float:
        """The mean cost of a record."""
        return self._total / max(1, self.records.row_count)

    def rows(self, cluster: int) -> Ints:
        """The rows of a cluster."""
        return self._rows[cluster]

    def seed(self) -> int:
        """The cluster whose records cost least; of equals the first."""
        alive = self.alive
        return int(alive[np.argmin(self.costs[alive])])

    def others(self, cluster: int) -> Ints:
        """All clusters but one."""
        others: Ints = np.flatnonzero(self._alive)
        return np.delete(others, np.searchsorted(others, cluster))

    def union_costs(self, cluster: int, others: Ints) -> Floats:
        """What a record costs when a cluster is united with each of the others."""
        return union_costs(self.records.trees, self.vectors, cluster, others)

    def losses_with(self, cluster: int, others: Ints, costs: Floats) -> Floats:
        """The relational loss after a union with each of the others, of which a record has these costs."""
        sizes = self.sizes[cluster] + self.sizes[others]
        before = self.sizes[cluster] * self.costs[cluster] + self.sizes[others] * self.costs[others]
        losses: Floats = (self._total + sizes * costs - before) / max(1, self.records.row_count)
        return losses

    def unite(self, cluster: int, other: int) -> None:
        """Put the records of another cluster into one."""
        self._total -= float(
            self.sizes[cluster] * self.costs[cluster] + self.sizes[other] * self.costs[other]
        )
        self.sizes[cluster] += self.sizes[other]
        unite(self.records.trees, self.vectors[cluster], self.vectors[other])
        self.costs[cluster] = vector_cost(self.records.trees, self.vectors[cluster])
        self._total += float(self.sizes[cluster] * self.costs[cluster])
        self._rows[cluster] = np.concatenate((self._rows[cluster], self._rows[other]))
        self._rows[other] = np.empty(0, dtype=np.int64)
        self._alive[other] = False

    def copy(self) -> JointClusters:
        """The same clusters, to be united in another way."""
        return JointClusters(self.records, self.clustering())

    def united_alike(self) -> JointClusters:
        """The same with one cluster for those that are published alike, which costs nothing."""
        return JointClusters(self.records, self.clustering().unite_alike(self.records))

    def clustering(self) -> Clustering:
        """The clusters as they are now, numbered without gaps in their order."""
        cluster_of_row = np.empty(self.records.row_count, dtype=np.int64)
        for number, cluster in enumerate(self.alive.tolist()):
            cluster_of_row[self._rows[cluster]] = number
        return Clustering(cluster_of_row)
