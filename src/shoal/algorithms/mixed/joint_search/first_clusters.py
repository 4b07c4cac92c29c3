"""The clusters of like records that algorithms for tables with sets begin with."""

from collections.abc import Callable, Mapping

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.relational.agglomerative import Agglomerative
from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.growing import around_random_seeds
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.hilbert.algorithm import Hilbert
from shoal.algorithms.relational.kanon_cf.algorithm import KAnonCF
from shoal.engine.local import LocalData
from shoal.privacy.k_anonymity import KAnonymity
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

CLUSTER = "cluster"
FIRST_CLUSTERINGS: Mapping[str, Callable[[str], Algorithm]] = {
    "kanon-cf": lambda measure: KAnonCF(measure=measure, on_limit="best"),
    "agglomerative": lambda measure: Agglomerative(measure=measure),
    "hilbert": lambda measure: Hilbert(measure=measure),
}


def first_clusters(
    data: LocalData, records: Records, k: int, first: str, *, rng: np.random.Generator, progress: Progress
) -> Clustering:
    """Clusters of at least k records, by Cluster or by another algorithm."""
    if first == CLUSTER or not records.columns:
        return around_random_seeds(records, k, rng, progress).clustering
    found = FIRST_CLUSTERINGS[first](records.measure).find(data, [KAnonymity(k)], rng, progress)
    if not isinstance(found, RowRecoding) or found.clusters is None:
        raise TypeError(f"{first} found no clusters")
    return Clustering(found.clusters.cluster_of_row)
