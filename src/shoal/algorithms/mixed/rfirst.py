from dataclasses import dataclass

import numpy as np

from shoal.algorithms.mixed.joint_search.options import items_parameter
from shoal.algorithms.mixed.joint_search.task import JointAlgorithm, JointTask
from shoal.algorithms.parameters import as_printed_parameter
from shoal.algorithms.sets.cut_search.options import minimal_parameter
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding


@dataclass(frozen=True, slots=True)
class Rfirst(JointAlgorithm):
    """Gather clusters of like records, whatever their items, and make the items of each cluster safe.

    A baseline: single values lose little, and items, which have few records to hide in, nearly everything.

    Contract
        needs:      rows; quasi-identifiers with trees; set columns, with trees or without
        gives:      one node per cluster and column, and one cut per cluster
        guarantees: every model passed to find()
        cost:       Cluster, and one item step per cluster

    After Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML PKDD 2013.
    """

    name = "rfirst"
    turn = None
    guarantee = "every model holds in each class; no bound on the loss"

    items: str = items_parameter()
    minimal: bool = minimal_parameter("with aa, ")
    as_printed: bool = as_printed_parameter()

    def search(self, task: JointTask, rng: np.random.Generator, progress: Progress) -> RowRecoding:
        """Gather clusters and generalize the items of each."""
        clusters = task.initial_clusters(rng, progress)
        progress.stage("items")
        return task.joint(clusters, task.solve(clusters, progress), {})
