"""Clusters that are grown one after the other, and what becomes of rows that are left without one."""

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.arrays import Ints
from shoal.kernels.generalized_records import closures
from shoal.kernels.greedy_clusters import NO_CLUSTER, Growth, grow_around_seeds, place_leftovers
from shoal.kernels.grouping import members
from shoal.kernels.hilbert import curve_positions
from shoal.progress import Progress

TIME_WAS_UP = "time was up: records that had no cluster of k yet are grouped without a search"

_LOOKUPS_PER_SLICE = 50_000_000
_BITS_ON_THE_CURVE = 10


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """A clustering of which every cluster has k rows; `finished` unless time was up."""

    clustering: Clustering
    finished: bool

    @property
    def notices(self) -> tuple[str, ...]:
        """What to know about it."""
        return () if self.finished else (TIME_WAS_UP,)


def around_random_seeds(records: Records, k: int, rng: np.random.Generator, progress: Progress) -> Grown:
    """Clusters of k rows around seeds in random order; what is left goes where it adds least."""
    growth = nothing_grown(records)
    seeds = rng.permutation(records.row_count)
    at_once = steps_per_slice(records)
    progress.stage("clusters")
    for begin in range(0, len(seeds), at_once):
        progress.update(begin, len(seeds))
        if progress.expired():
            return without_a_search(records, growth, k)
        grow_around_seeds(records.trees, growth, k, seeds[begin : begin + at_once])
    return Grown(completed(records, growth), finished=True)


def steps_per_slice(records: Records, records_per_step: int = 1) -> int:
    """How many steps that each look at so many records, beside all others, take a moment together."""
    lookups = len(records) * len(records.columns) * records_per_step
    return max(1, _LOOKUPS_PER_SLICE // max(1, lookups))


def without_a_search(records: Records, growth: Growth, k: int) -> Grown:
    """The clusters that were grown before time was up, and the other rows in clusters of neighbours."""
    return Grown(with_leftovers(records, growth.cluster_of_place, k), finished=False)


def nothing_grown(records: Records) -> Growth:
    """All records are candidates, and there is no cluster."""
    return Growth(
        vectors=records.nodes,
        row_starts=records.row_starts,
        record_of_place=records.record_of_place,
        left=records.counts.copy(),
        cluster_of_place=np.full(records.row_count, NO_CLUSTER, dtype=np.int64),
        candidates=np.arange(len(records), dtype=np.int64),
        state=np.array([len(records), records.row_count, 0], dtype=np.int64),
        union_costs=records.room_for_union_costs(),
    )


def completed(records: Records, growth: Growth) -> Clustering:
    """The clustering once the records that are left went where they add least; there must be a cluster."""
    count = int(growth.state[2])
    starts, places = members(growth.cluster_of_place, count)
    vectors = closures(records.trees, records.nodes, starts, records.record_of_place[places])
    place_leftovers(records.trees, growth, vectors, np.diff(starts))
    return Clustering.of_places(records, growth.cluster_of_place)


def with_leftovers(records: Records, cluster_of_place: Ints, k: int) -> Clustering:
    """The clustering in which every row has a cluster.

    Rows without one are the last of their record's places. While there are k of them, those that are next to
    each other become clusters of k, in the order of values or on a Hilbert curve, whichever costs less: which
    one that is depends on the table. The others go each where they add least to the cost. The table must have
    k rows.
    """
    left = np.flatnonzero(cluster_of_place == NO_CLUSTER)
    by_values = _in_runs(records, cluster_of_place, left, k)
    if len(left) < k:
        return by_values
    by_curve = _in_runs(records, cluster_of_place, _along_a_curve(records, left), k)
    return min(by_values, by_curve, key=lambda clustering: clustering.cost(records))


def _in_runs(records: Records, cluster_of_place: Ints, left: Ints, k: int) -> Clustering:
    """The clustering in which places that are left become clusters of k in their order."""
    cluster_of_place = cluster_of_place.copy()
    count = int(cluster_of_place.max(initial=NO_CLUSTER)) + 1
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


def _along_a_curve(records: Records, places: Ints) -> Ints:
    """The places in the order in which a Hilbert curve through the leaves of all columns meets their records.

    Columns that cost nothing are no dimension of the curve; equal records stay in the order of their places.
    """
    trees = records.trees
    roots = trees.starts[1:] - 1
    dimensions = np.flatnonzero(trees.cost[roots] > 0)
    if len(dimensions) == 0:
        return places
    met, record_of = np.unique(records.record_of_place[places], return_inverse=True)
    leaves = trees.first_leaf[records.nodes[met][:, dimensions]]
    widths = trees.last_leaf[roots[dimensions]] + 1
    points = np.minimum((leaves << _BITS_ON_THE_CURVE) // widths, (1 << _BITS_ON_THE_CURVE) - 1)
    order = np.lexsort(curve_positions(np.ascontiguousarray(points), _BITS_ON_THE_CURVE)[::-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return places[np.argsort(rank[record_of], kind="stable")]
