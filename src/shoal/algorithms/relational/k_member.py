from dataclasses import dataclass

import numpy as np

from shoal.algorithms.relational.clustering.clustering_algorithm import ClusteringAlgorithm, Found
from shoal.algorithms.relational.clustering.growing import (
    Grown,
    completed,
    nothing_grown,
    steps_per_slice,
    without_a_search,
)
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.greedy_clusters import grow_by_members
from shoal.progress import Progress


@dataclass(frozen=True, slots=True)
class KMember(ClusteringAlgorithm):
    """Grow one cluster after the other, each from a record far away from the one before.

    A cluster takes the record that is cheapest to publish with all it has, until it has k. The next one
    begins with the record that is dearest to unite with the last one taken. Fewer than k records that are
    left go each to the cluster where they add least to the cost.

    Contract
        needs:      rows; quasi-identifiers with trees
        gives:      one node per cluster and column
        guarantees: every cluster satisfies every model passed to find()
        cost:       O(n * distinct records * columns), memory O(n)

    After Byun, Kamra, Bertino, Li, Efficient k-anonymization using clustering techniques, DASFAA 2007.
    """

    name = "k-member"
    turn = None
    paper = "Byun, Kamra, Bertino, Li. Efficient k-anonymization using clustering techniques. DASFAA 2007."

    def clusters(self, records: Records, k: int, rng: np.random.Generator, progress: Progress) -> Found:
        """Grow clusters of k records; the first one begins far away from a random record."""
        grown = self._grown(records, k, rng, progress)
        return grown.clustering, grown.notices

    def _grown(self, records: Records, k: int, rng: np.random.Generator, progress: Progress) -> Grown:
        growth = nothing_grown(records)
        last = int(records.record_of_place[rng.integers(records.row_count)])
        at_once = steps_per_slice(records, k)
        progress.stage("clusters")
        while growth.state[1] >= k:
            progress.update(records.row_count - int(growth.state[1]), records.row_count)
            if progress.expired():
                return without_a_search(records, growth, k)
            last = grow_by_members(records.trees, growth, k, last, at_once)
        return Grown(completed(records, growth), finished=True)
