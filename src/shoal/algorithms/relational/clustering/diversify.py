"""Clusters are united until every model holds in each, for any clustering and any models that unions serve.

After Algorithm 8 of Kenig, Tassa, A practical approximation algorithm for optimal k-anonymity, 2012: the
cluster that is furthest from what the models ask is united with the partner of least
w * added loss + (1 - w) * remaining gap, again and again. The loss is the sum over records of what they cost
more; the gap is the sum, over models and sensitive columns, of the model's threshold minus the figure of the
union, for k the missing rows or people.
"""

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering, where_united
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.arrays import Ints
from shoal.kernels.constraint import ClassConstraint
from shoal.kernels.diversify import (
    ClusterUnions,
    Scratch,
    UnitedClusters,
    judge,
    unite_neighbours,
    unite_worst,
)
from shoal.progress import Progress

_PARTNERS_PER_SLICE = 500_000


def diversify(
    records: Records, clustering: Clustering, constraint: ClassConstraint, w: float, progress: Progress
) -> Clustering:
    """The clustering itself if every cluster may be published, otherwise a coarser one in which each may.

    Ends with one cluster at the latest. O(clusters^2) unions are looked at; when time is up, clusters that
    may not be published are united with their neighbours in the order of their numbers.
    """
    if (
        len(constraint.rules) == 0
        and len(constraint.people) == 0
        and (clustering.sizes >= constraint.k).all()
    ):
        return clustering
    clusters = _clusters_under_way(records, clustering, constraint)
    scratch = _scratch(records, constraint, len(clusters.keys))
    judge(constraint, clusters, scratch)
    unions = ClusterUnions(records.trees, constraint, w)
    at_once = max(_PARTNERS_PER_SLICE // len(clustering), 1)
    done = 0
    while True:
        progress.update(done, len(clustering))
        if progress.expired():
            done += unite_neighbours(unions, clusters, scratch)
            break
        now = unite_worst(unions, clusters, scratch, at_once)
        done += now
        if now < at_once:
            break
    return _renumbered(clustering, clusters.united_into) if done else clustering


def _renumbered(clustering: Clustering, united_into: Ints) -> Clustering:
    """Follow each cluster to the one that it ended in, and number those without gaps."""
    _, number = np.unique(where_united(united_into), return_inverse=True)
    return Clustering(number.astype(np.int64)[clustering.cluster_of_row])


def _clusters_under_way(
    records: Records, clustering: Clustering, constraint: ClassConstraint
) -> UnitedClusters:
    count = len(clustering)
    lists = _lists(clustering.cluster_of_row, constraint)
    starts = np.zeros((count, len(lists)), dtype=np.int64)
    lengths = np.zeros((count, len(lists)), dtype=np.int64)
    keys, counts = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    used = 0
    for number, (of_cluster, of_key, of_count) in enumerate(lists):
        lengths[:, number] = np.bincount(of_cluster, minlength=count)
        starts[:, number] = used + np.cumsum(lengths[:, number]) - lengths[:, number]
        keys.append(of_key)
        counts.append(of_count)
        used += len(of_key)
    room = np.zeros(used, dtype=np.int64)
    return UnitedClusters(
        state=np.array([count, used], dtype=np.int64),
        alive=np.arange(count, dtype=np.int64),
        sizes=clustering.sizes.copy(),
        vectors=clustering.closures(records),
        starts=starts,
        lengths=lengths,
        keys=np.concatenate([*keys, room]),
        counts=np.concatenate([*counts, room]),
        gaps=np.zeros(count, dtype=np.float64),
        united_into=np.arange(count, dtype=np.int64),
    )


def _lists(cluster_of_row: Ints, constraint: ClassConstraint) -> list[tuple[Ints, Ints, Ints]]:
    """What clusters hold, as `kernels.diversify` lists it: clusters, keys and counts, in this order."""
    judged = range(constraint.sensitive.shape[1])
    present = [np.flatnonzero(constraint.sensitive[:, c] != constraint.missing[c]) for c in judged]
    if len(constraint.people) == 0:
        return [
            _counted(cluster_of_row[rows], constraint.sensitive[rows, c])
            for c, rows in zip(judged, present, strict=True)
        ]
    pairs = [
        _counted(
            cluster_of_row[rows],
            constraint.sensitive[rows, c] * constraint.people_count + constraint.people[rows],
        )
        for c, rows in zip(judged, present, strict=True)
    ]
    persons = [_counted(cluster_of_row[rows], constraint.people[rows]) for rows in present]
    return [*pairs, *persons, _counted(cluster_of_row, constraint.people)]


def _counted(clusters: Ints, keys: Ints) -> tuple[Ints, Ints, Ints]:
    """The distinct pairs of a cluster and a key, in their order, and how often each occurs."""
    order = np.lexsort((keys, clusters))
    clusters, keys = clusters[order], keys[order]
    begins = np.ones(len(keys), dtype=bool)
    begins[1:] = (np.diff(clusters) != 0) | (np.diff(keys) != 0)
    first = np.flatnonzero(begins)
    return clusters[first], keys[first], np.diff(np.append(first, len(keys)))


def _scratch(records: Records, constraint: ClassConstraint, room: int) -> Scratch:
    ints = [np.empty(room, dtype=np.int64) for _ in range(5)]
    columns = constraint.sensitive.shape[1]
    return Scratch(
        keys=ints[0],
        counts=ints[1],
        bounds=np.zeros(2 * columns + 2, dtype=np.int64),
        values=ints[2],
        row_counts=ints[3],
        people_counts=ints[4],
        union_costs=records.room_for_union_costs(),
    )
