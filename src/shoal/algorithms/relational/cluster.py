from dataclasses import dataclass

import numpy as np

from shoal.algorithms.relational.clustering.clustering_algorithm import ClusteringAlgorithm, Found
from shoal.algorithms.relational.clustering.growing import around_random_seeds
from shoal.algorithms.relational.clustering.records import Records
from shoal.progress import Progress


@dataclass(frozen=True, slots=True)
class Cluster(ClusteringAlgorithm):
    """Gather around random records the k - 1 others that are cheapest to publish with them.

    Fewer than k records that are left go each to the cluster where they add least to the cost. Clusters that
    would be published alike are one.

    Contract
        needs:      rows; quasi-identifiers with trees
        gives:      one node per cluster and column
        guarantees: every cluster satisfies every model passed to find()
        cost:       O(n / k * distinct records * columns), memory O(n)

    After Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, Anonymizing data with relational and transaction
    attributes, ECML PKDD 2013.
    """

    name = "cluster"
    turn = None
    paper = (
        "Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction "
        "attributes. ECML PKDD 2013."
    )

    def clusters(self, records: Records, k: int, rng: np.random.Generator, progress: Progress) -> Found:
        """Gather clusters of k records around seeds in random order."""
        grown = around_random_seeds(records, k, rng, progress)
        return grown.clustering, grown.notices
