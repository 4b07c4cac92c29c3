"""Which records are published alike: a clustering, its closures and its cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.generalized_records import closures, vector_costs
from shoal.kernels.grouping import group_rows, members
from shoal.recoding.generalized_clusters import GeneralizedClusters


def where_united(united_into: Ints) -> Ints:
    """The cluster that each one ended in: united_into[c] took cluster c in, itself if none did."""
    last = united_into
    while not np.array_equal(last, last[last]):
        last = last[last]
    return last


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """The cluster of each row of the table, numbered from 0 without gaps."""

    cluster_of_row: Ints

    @classmethod
    def of_places(cls, records: Records, cluster_of_place: Ints) -> Clustering:
        """A clustering of the places of `records`: each record in turn, as often as it occurs."""
        cluster_of_row = np.empty(records.row_count, dtype=np.int64)
        cluster_of_row[records.rows] = cluster_of_place
        return cls(cluster_of_row)

    def __len__(self) -> int:
        return int(self.cluster_of_row.max(initial=-1)) + 1

    @property
    def sizes(self) -> Ints:
        """How many rows each cluster holds."""
        return np.bincount(self.cluster_of_row, minlength=len(self)).astype(np.int64, copy=False)

    def members(self) -> tuple[Ints, Ints]:
        """Cluster c holds rows[starts[c]:starts[c + 1]], ascending."""
        return members(self.cluster_of_row, len(self))

    def closures(self, records: Records) -> Ints:
        """The lowest nodes above each cluster's records, numbered as in `records.trees`."""
        starts, rows = self.members()
        return closures(records.trees, records.nodes, starts, records.record_of_row[rows])

    def costs(self, records: Records) -> Floats:
        """What one record of each cluster costs."""
        return vector_costs(records.trees, self.closures(records))

    def cost(self, records: Records) -> float:
        """The mean cost of a record."""
        return float(np.dot(self.sizes, self.costs(records)) / max(records.row_count, 1))

    def unite_alike(self, records: Records) -> Clustering:
        """The same clusters, but one cluster for those that would be published alike."""
        number, _ = group_rows(self.closures(records))
        return Clustering(number[self.cluster_of_row])

    def generalized(self, records: Records) -> GeneralizedClusters:
        """What is published."""
        vectors = self.closures(records)
        return GeneralizedClusters(
            self.cluster_of_row,
            nodes={
                name: vectors[:, number] - records.trees.starts[number]
                for number, name in enumerate(records.columns)
            },
        )
