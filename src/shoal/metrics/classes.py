"""Measures of the classes of a published table: how many records look alike."""

from __future__ import annotations

import numpy as np

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Ints
from shoal.kernels.grouping import group_rows
from shoal.metrics.relational import cluster_sizes
from shoal.recoding.generalized_clusters import GeneralizedClusters


def class_sizes(clusters: GeneralizedClusters) -> Ints:
    """The sizes of the published classes, in the order of their first cluster.

    Clusters that are published alike are one class; suppressed records are in none.
    """
    sizes = cluster_sizes(clusters)
    occupied = np.flatnonzero(sizes)
    class_of_cluster, first_clusters = group_rows(_published_records(clusters)[occupied])
    return np.bincount(class_of_cluster, sizes[occupied], len(first_clusters)).astype(np.int64)


def discernibility(clusters: GeneralizedClusters) -> float:
    """The sum over records of the size of their class; a suppressed record counts as many as there are."""
    published = float(np.square(class_sizes(clusters).astype(np.float64)).sum())
    return published + float(clusters.suppressed_count) * len(clusters.cluster_of_row)


def average_class_size(clusters: GeneralizedClusters, k: int) -> float:
    """C_avg: records per published class, in multiples of k.

    Suppressed records are records without a class; when nothing is published, all are taken as one class.
    """
    if k < 1:
        raise InvalidParameter("average_class_size", "k", k, "an integer of 1 or more")
    return len(clusters.cluster_of_row) / max(len(class_sizes(clusters)), 1) / k


def _published_records(clusters: GeneralizedClusters) -> Ints:
    columns = [np.asarray(nodes) for nodes in clusters.nodes.values()]
    for ranges in clusters.ranges.values():
        # Infinite ends are a suppressed cell whatever their sign; NaNs and both zeros are equal in np.unique.
        alike = np.where(np.isinf(ranges), np.inf, ranges)
        columns += [np.unique(ends, return_inverse=True)[1] for ends in alike.T]
    if not columns:
        return np.zeros((clusters.cluster_count, 1), dtype=np.int64)
    return np.stack(columns, axis=1).astype(np.int64)
