from dataclasses import dataclass, replace

import numpy as np

from shoal.algorithms.parameters import Within, parameter
from shoal.algorithms.relational.clustering.clustering_algorithm import ClusteringAlgorithm, Found
from shoal.algorithms.relational.clustering.growing import steps_per_slice
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.clustering.uniting import United, united
from shoal.kernels.agglomerative import GROWTH, MergeRules
from shoal.kernels.arrays import Ints
from shoal.kernels.generalized_records import NOTHING, closures, vector_costs
from shoal.kernels.grouping import members
from shoal.kernels.sequential import Allotment, move_records
from shoal.progress import Progress

_LARGEST_AT_FIRST = (
    8  # a random cluster of more has little in common, and then no single move lowers its cost
)

_TIME_WAS_UP = "time was up: more rounds of moving records might have lowered the loss"


@dataclass(frozen=True, slots=True)
class Sequential(ClusteringAlgorithm):
    """Begin with random clusters and move one record after the other to where the total cost falls most.

    Equal records stay together, and those of k rows or more begin as a cluster of their own. The others begin
    in clusters of k, or of a few if k is large: moves alone would not lead out of large random ones. After a
    round over all records, clusters of 2k or more are divided at random, if the cost is monotone; when a
    round moves nothing and divides nothing, clusters of fewer than k records are united, those first that add
    least to the cost. The best of several starts is kept.

    Contract
        needs:      rows; quasi-identifiers with trees
        gives:      one node per cluster and column
        guarantees: every cluster satisfies every model passed to find()
        cost:       O(rounds * distinct records * n * columns) for each start, memory O(n * columns)

    After Goldberger, Tassa, Efficient anonymizations with enhanced utility, Transactions on Data Privacy
    2010.
    """

    name = "sequential"
    turn = None
    paper = (
        "Goldberger, Tassa. Efficient anonymizations with enhanced utility. Transactions on Data Privacy "
        "2010."
    )

    starts: int = parameter(2, Within(1, 1000), "how many random partitions are tried")

    def clusters(self, records: Records, k: int, rng: np.random.Generator, progress: Progress) -> Found:
        """Try several random partitions; without time for all, those that there was time for."""
        best = _from_random_clusters(records, k, rng, progress)
        for _ in range(self.starts - 1):
            if not best.finished or progress.expired():
                best = replace(best, finished=False)
                break
            other = _from_random_clusters(records, k, rng, progress)
            finished = other.finished
            if other.clustering.cost(records) < best.clustering.cost(records):
                best = other
            best = replace(best, finished=finished)
        return best.clustering, () if best.finished else (_TIME_WAS_UP,)


def _from_random_clusters(records: Records, k: int, rng: np.random.Generator, progress: Progress) -> United:
    """A random partition, improved until a full round changes nothing or time is up."""
    progress.stage("rounds")
    clusters, stable = _rounds(records, k, rng, progress)
    progress.stage("small clusters")
    whole = united(records, clusters, MergeRules(GROWTH, k, shrinks=False), progress)
    return replace(whole, finished=whole.finished and stable)


def _rounds(records: Records, k: int, rng: np.random.Generator, progress: Progress) -> tuple[Ints, bool]:
    """The cluster of each record once a round changes nothing; False if time was up before."""
    clusters = _random_clusters(records, k, rng)
    order = rng.permutation(len(records))
    at_once = steps_per_slice(records)
    while True:
        allotment = allotted(records, clusters)
        moved = 0
        for begin in range(0, len(order), at_once):
            if progress.expired():
                return _without_gaps(allotment.cluster_of), False
            progress.update(begin, len(order))
            moved += move_records(records.trees, allotment, order[begin : begin + at_once])
        clusters = _without_gaps(allotment.cluster_of)
        # With another cost, dividing could undo what moves have gained, and rounds would never end.
        divided = _divided(records, clusters, k, rng) if records.monotone else clusters
        if moved == 0 and divided.max() == clusters.max():
            return clusters, True
        clusters = divided


def _random_clusters(records: Records, k: int, rng: np.random.Generator) -> Ints:
    """Records in random order are cut into clusters of about k rows or fewer; each of k rows has its own."""
    own = records.counts >= k
    size = min(k, _LARGEST_AT_FIRST)
    clusters = np.where(own, np.arange(len(records)), 0)
    others = rng.permutation(np.flatnonzero(~own))
    clusters[others] = len(records) + (np.cumsum(records.counts[others]) - 1) // size
    return _without_gaps(clusters)


def _divided(records: Records, clusters: Ints, k: int, rng: np.random.Generator) -> Ints:
    """Each cluster of m * k rows or more is cut at random into up to m parts; equal records stay together."""
    order = rng.permutation(len(records))
    order = order[np.argsort(clusters[order], kind="stable")]
    counts, cluster = records.counts[order], clusters[order]
    sizes = np.bincount(clusters, weights=records.counts).astype(np.int64)
    rows_before = np.cumsum(counts) - counts
    rows_before -= (np.cumsum(sizes) - sizes)[cluster]
    part = rows_before * np.maximum(sizes // k, 1)[cluster] // sizes[cluster]
    divided = np.empty(len(records), dtype=np.int64)
    divided[order] = cluster * records.row_count + part
    return _without_gaps(divided)


def _without_gaps(clusters: Ints) -> Ints:
    _, numbers = np.unique(clusters, return_inverse=True)
    return numbers.astype(np.int64)


def allotted(records: Records, cluster_of: Ints) -> Allotment:
    """The clusters of the distinct records, numbered from 0 without gaps; `cluster_of` changes with moves."""
    starts, listed = members(cluster_of, int(cluster_of.max()) + 1)
    vectors = closures(records.trees, records.nodes, starts, listed)
    follows = np.flatnonzero(np.diff(cluster_of[listed]) == 0)
    after = np.full(len(records), NOTHING, dtype=np.int64)
    before = np.full(len(records), NOTHING, dtype=np.int64)
    after[listed[follows]] = listed[follows + 1]
    before[listed[follows + 1]] = listed[follows]
    return Allotment(
        vectors=records.nodes,
        counts=records.counts,
        cluster_of=cluster_of,
        after=after,
        before=before,
        heads=listed[starts[:-1]],
        sizes=np.add.reduceat(records.counts[listed], starts[:-1]),
        closures=vectors,
        costs=vector_costs(records.trees, vectors),
        union_costs=records.room_for_union_costs(),
    )
