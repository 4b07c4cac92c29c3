from dataclasses import dataclass

import numpy as np

from shoal.algorithms.parameters import OneOf, YesOrNo, parameter
from shoal.algorithms.relational.clustering.clustering_algorithm import ClusteringAlgorithm, Found
from shoal.algorithms.relational.clustering.growing import TIME_WAS_UP
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.clustering.uniting import united
from shoal.kernels.agglomerative import EXCESS, GROWTH, RATIO, SCALED, MergeRules
from shoal.progress import Progress

DISTANCES = {"growth": GROWTH, "excess": EXCESS, "scaled": SCALED, "ratio": RATIO}


@dataclass(frozen=True, slots=True)
class Agglomerative(ClusteringAlgorithm):
    """Unite the two closest clusters until all have k records.

    At first every distinct record is a cluster. With d(C) the cost of a record in cluster C, the distance of
    A and B is one of

        growth  |A u B| d(A u B) - |A| d(A) - |B| d(B)
        excess  d(A u B) - d(A) - d(B)
        scaled  (d(A u B) - d(A) - d(B)) / log2 |A u B|
        ratio   d(A u B) / (d(A) + d(B) + 0.1)

    A cluster of k records is ripe and is united no more; if `modified`, it expels the records that are
    furthest from the rest of it until it has k, and they are clusters again. Fewer than k records that are
    left go each to the cluster where they add least to the cost.

    Contract
        needs:      rows; quasi-identifiers with trees
        gives:      one node per cluster and column
        guarantees: every cluster satisfies every model passed to find()
        cost:       O(distinct records^2 * columns) as a rule, memory O(n * columns)

    After Gionis, Mazza, Tassa, k-anonymization revisited, ICDE 2008.
    """

    name = "agglomerative"
    turn = 2
    needs_trees = True
    paper = "Gionis, Mazza, Tassa. k-anonymization revisited. ICDE 2008."

    distance: str = parameter("scaled", OneOf(tuple(DISTANCES)), "how near two clusters are")
    modified: bool = parameter(
        default=True, rule=YesOrNo(), help="clusters above k records expel the most distant ones"
    )

    def clusters(self, records: Records, k: int, rng: np.random.Generator, progress: Progress) -> Found:
        """Unite clusters until all are ripe; uses no random numbers."""
        progress.stage("clusters")
        rules = MergeRules(DISTANCES[self.distance], k, self.modified)
        found = united(records, np.arange(len(records), dtype=np.int64), rules, progress)
        return found.clustering, () if found.finished else (TIME_WAS_UP,)
