"""What becomes of rows that a search has left without a cluster, at its end or because time was up."""

from __future__ import annotations

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.growing import completed
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.arrays import Ints
from shoal.kernels.greedy_clusters import NO_CLUSTER, Growth


def with_leftovers(records: Records, cluster_of_place: Ints, k: int) -> Clustering:
    """The clustering in which every row has a cluster.

    Rows without one are the last of their record's places. While there are k of them, those that are next to
    each other in the order of values become clusters of k; the others go each where they add least to the
    cost. The table must have k rows.
    """
    cluster_of_place = cluster_of_place.copy()
    count = int(cluster_of_place.max(initial=NO_CLUSTER)) + 1
    left = np.flatnonzero(cluster_of_place == NO_CLUSTER)
    runs = len(left) // k
    cluster_of_place[left[: runs * k]] = count + np.arange(runs * k) // k
    remaining = left[runs * k :]
    copies = np.bincount(records.record_of_place[remaining], minlength=len(records)).astype(np.int64)
    candidates = np.flatnonzero(copies)
    growth = Growth(
        vectors=records.nodes,
        row_starts=records.row_starts,
        record_of_place=records.record_of_place,
        left=copies,
        cluster_of_place=cluster_of_place,
        candidates=candidates,
        state=np.array([len(candidates), len(remaining), count + runs], dtype=np.int64),
        union_costs=records.room_for_union_costs(),
    )
    return completed(records, growth)
