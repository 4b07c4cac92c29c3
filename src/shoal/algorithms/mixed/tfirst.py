from dataclasses import dataclass

import numpy as np

from shoal.algorithms.mixed.joint_search.clusters import JointClusters
from shoal.algorithms.mixed.joint_search.diversity import unite_for_diversity
from shoal.algorithms.mixed.joint_search.options import items_parameter
from shoal.algorithms.mixed.joint_search.task import JointAlgorithm, JointTask
from shoal.algorithms.parameters import Within, as_printed_parameter, parameter
from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.sets.cut_search.options import minimal_parameter
from shoal.algorithms.sets.cut_search.parts import balanced_borders
from shoal.algorithms.sets.equal_sets.gray_order import gray_order
from shoal.algorithms.sets.lra import moved_border, subset_counts, united
from shoal.kernels.arrays import Ints
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

_FLEXIBILITY = 10


@dataclass(frozen=True, slots=True)
class Tfirst(JointAlgorithm):
    """Divide the records into parts with like items, as LRA does, and give each part one record of values.

    A baseline: items lose little, and single values, which have nothing to do with the parts, nearly all.

    Contract
        needs:      rows; quasi-identifiers with trees; set columns, with trees or without
        gives:      one node per cluster and column, and one cut per part
        guarantees: every model passed to find()
        cost:       sorting, and one item step per part

    After Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML PKDD 2013.
    """

    name = "tfirst"
    turn = None
    guarantee = "every model holds in each class; no bound on the loss"

    parts: int = parameter(3, Within(1), "into how many parts of like items the records are divided")
    items: str = items_parameter()
    minimal: bool = minimal_parameter("with aa, ")
    as_printed: bool = as_printed_parameter()

    def search(self, task: JointTask, rng: np.random.Generator, progress: Progress) -> RowRecoding:
        """Divide the records, and generalize values and items of each part."""
        clusters = JointClusters(task.records, Clustering(self._part_of_row(task)))
        unite_for_diversity(task.sets.transactions, clusters, task.constraint, progress)
        progress.stage("items")
        return task.joint(clusters, task.solve(clusters, progress), {})

    def _part_of_row(self, task: JointTask) -> Ints:
        transactions, k = task.sets.transactions, task.constraint.k
        order = gray_order(transactions.sets, transactions.tree.leaf_count)
        subsets = subset_counts(transactions.sizes, task.constraint.largest)[order]
        borders = {
            moved_border(transactions.sets, order, border, _FLEXIBILITY)
            for border in balanced_borders(subsets, self.parts).tolist()
        }
        parts = united(
            np.split(order, sorted(borders)),
            lambda rows: int(np.count_nonzero(transactions.sizes[rows])) >= k,
        )
        part_of_row = np.empty(task.data.row_count, dtype=np.int64)
        for part, rows in enumerate(parts):
            part_of_row[rows] = part
        return part_of_row
