"""Rum-bound: the loss in single values is bounded, that in items is kept low."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.algorithms.mixed.joint_search.clusters import JointClusters
from shoal.algorithms.mixed.joint_search.frontier import best_of, grid
from shoal.algorithms.mixed.joint_search.merging import ROUNDING, MergeOrder, closeness_of, merge_within
from shoal.algorithms.mixed.joint_search.options import (
    closeness_parameter,
    delta_parameter,
    first_parameter,
    items_parameter,
    measure_parameter,
)
from shoal.algorithms.mixed.joint_search.task import BoundAlgorithm, JointTask
from shoal.algorithms.parameters import as_printed_parameter
from shoal.algorithms.sets.cut_search.options import minimal_parameter
from shoal.errors import Infeasible, LimitReached
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding


@dataclass(frozen=True, slots=True)
class RumBound(BoundAlgorithm):
    """Unite clusters of like records as long as single values lose no more than delta; then do the items.

    Cluster gathers records around random seeds. The cluster whose records cost least takes in a partner, as
    long as NCP of the whole table stays within `delta`; the larger clusters are, the less has to be done to
    their items. At last the items of each cluster are generalized until every set of at most m of them occurs
    k times in it.

    Contract
        needs:      rows; quasi-identifiers with trees; set columns, with trees or without
        gives:      one node per cluster and column, and one cut per cluster
        guarantees: every model passed to find(); NCP of the single values is at most delta
        cost:       O(clusters^2 * columns) for uniting, one item step per cluster; with `closeness` "loss"
                    one item step per cluster and union

    After Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML PKDD 2013. Its RmergeRT tests one cluster
    and takes another; here the cluster taken is the one tested.
    """

    order: ClassVar[MergeOrder]
    guarantee = "every model holds in each class; the loss in single values is at most delta"

    delta: float | str = delta_parameter("NCP of the single values")
    items: str = items_parameter()
    closeness: str = closeness_parameter()
    first: str = first_parameter()
    measure: str = measure_parameter()
    minimal: bool = minimal_parameter("with aa, ")
    as_printed: bool = as_printed_parameter()

    def search(self, task: JointTask, rng: np.random.Generator, progress: Progress) -> RowRecoding:
        """Gather clusters, unite them within the bound, and generalize the items of each."""
        initial = task.initial_clusters(rng, progress)
        if isinstance(self.delta, str):
            deltas = grid(initial.loss, 1.0)
            return best_of(
                task, deltas, lambda delta: self._within(task, initial.copy(), delta, progress), progress
            )
        return self._within(task, initial, self.delta, progress)

    def _within(
        self, task: JointTask, clusters: JointClusters, delta: float, progress: Progress
    ) -> RowRecoding:
        before = clusters.loss
        if before > delta + ROUNDING:
            if progress.expired():
                raise LimitReached(
                    f"time was up before there were clusters whose single values lose as little as"
                    f" delta={delta:g}: they lose {before:.4f}; raise time_limit, or delta"
                )
            raise Infeasible(
                f"the single values cannot lose as little as delta={delta:g}: clusters of records that keep"
                f" the promise already lose {before:.4f}; raise delta to that or more",
                relational_loss=before,
                delta=delta,
            )
        progress.stage("uniting clusters")
        closeness = closeness_of(self.closeness, task, clusters, progress)
        merges, count, notices = 0, len(clusters.alive), []
        for _ in merge_within(clusters, closeness, self.order, delta):
            merges += 1
            progress.update(merges, count)
            if progress.expired():
                notices.append("time was up: uniting more clusters might have lowered the loss in items")
                break
        clusters = clusters.united_alike()
        progress.stage("items")
        parts = task.solve(clusters, progress)
        figures = {"delta": delta, "merges": merges, "relational_loss_before_merging": before}
        return task.joint(clusters, parts, figures, notices)


class RmergeR(RumBound):
    """Rum-bound in which the partner is the cluster that is cheapest in single values."""

    __slots__ = ()
    name = "rmerge-r"
    turn = None
    order = MergeOrder.VALUES


class RmergeT(RumBound):
    """Rum-bound in which the partner is the cluster closest in items of those that keep the bound."""

    __slots__ = ()
    name = "rmerge-t"
    turn = None
    order = MergeOrder.ITEMS


class RmergeRT(RumBound):
    """Rum-bound in which the partner is the best by its ranks in both orders of those that keep the bound."""

    __slots__ = ()
    name = "rmerge-rt"
    turn = 2
    order = MergeOrder.BOTH
