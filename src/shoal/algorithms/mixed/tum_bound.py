"""Tum-bound: the loss in items is bounded, that in single values is kept low."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.algorithms.mixed.joint_search.clusters import JointClusters
from shoal.algorithms.mixed.joint_search.frontier import best_of, grid
from shoal.algorithms.mixed.joint_search.merging import (
    ROUNDING,
    MergeOrder,
    SolvedItems,
    closeness_of,
    merge_always,
)
from shoal.algorithms.mixed.joint_search.options import (
    closeness_parameter,
    delta_parameter,
    first_parameter,
    items_parameter,
    measure_parameter,
)
from shoal.algorithms.mixed.joint_search.task import BoundAlgorithm, JointTask, Parts
from shoal.algorithms.parameters import as_printed_parameter
from shoal.algorithms.sets.cut_search.options import minimal_parameter
from shoal.errors import Infeasible, LimitReached
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding


@dataclass(frozen=True, slots=True)
class TumBound(BoundAlgorithm):
    """Make the items of clusters of like records safe, and unite clusters until items lose at most delta.

    Cluster gathers records around random seeds, and the items of each cluster are generalized. While UL of
    the whole table is above `delta`, the cluster whose records cost least takes in a partner, and the items
    of the union are generalized anew: in more records there is more to hide in.

    Contract
        needs:      rows; quasi-identifiers with trees; set columns, with trees or without
        gives:      one node per cluster and column, and one cut per cluster
        guarantees: every model passed to find(); UL of the items is at most delta, or Infeasible tells the
                    lowest UL that was reached
        cost:       O(clusters^2 * columns) for uniting, one item step per cluster and per union; with
                    `closeness` "loss" one per cluster and union

    After Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML PKDD 2013, whose pseudo-code would return
    the data before their items are safe and unite only once the bound is met.
    """

    order: ClassVar[MergeOrder]
    guarantee = "every model holds in each class; the loss in items is at most delta"

    delta: float | str = delta_parameter("UL of the items")
    items: str = items_parameter()
    closeness: str = closeness_parameter()
    first: str = first_parameter()
    measure: str = measure_parameter()
    minimal: bool = minimal_parameter("with aa, ")
    as_printed: bool = as_printed_parameter()

    def search(self, task: JointTask, rng: np.random.Generator, progress: Progress) -> RowRecoding:
        """Gather clusters, make their items safe, and unite clusters until the bound is met."""
        initial = task.initial_clusters(rng, progress)
        progress.stage("items")
        parts = task.solve(initial, progress)
        if isinstance(self.delta, str):
            everybody = task.step.solve(np.arange(task.data.row_count, dtype=np.int64), progress)
            ends = sorted((everybody.loss / max(1, task.data.row_count), task.utility_loss(parts)))
            return best_of(
                task,
                grid(*ends),
                lambda delta: self._until(task, initial.copy(), dict(parts), delta, progress),
                progress,
            )
        return self._until(task, initial, parts, self.delta, progress)

    def _until(
        self, task: JointTask, clusters: JointClusters, parts: Parts, delta: float, progress: Progress
    ) -> RowRecoding:
        items = SolvedItems(task, parts, progress)
        before = lowest = items.loss
        merges, count = 0, len(clusters.alive)
        progress.stage("uniting clusters")
        closeness = closeness_of(self.closeness, task, clusters, progress)
        merging = merge_always(clusters, closeness, self.order, items)
        while items.loss > delta + ROUNDING:
            if progress.expired():
                raise LimitReached(
                    f"time was up before the items lost as little as delta={delta:g}: the lowest loss reached"
                    f" was {lowest:.4f}; raise time_limit, or delta"
                )
            if next(merging, None) is None:
                raise Infeasible(
                    f"the items cannot lose as little as delta={delta:g} in this way: the lowest loss reached"
                    f" was {lowest:.4f}; raise delta to that or more",
                    utility_loss=lowest,
                    delta=delta,
                )
            merges += 1
            lowest = min(lowest, items.loss)
            progress.update(merges, count)
        figures = {"delta": delta, "merges": merges, "utility_loss_before_merging": before}
        return task.joint(clusters, parts, figures)


class TmergeR(TumBound):
    """Tum-bound in which the partner is the cluster that is cheapest in single values."""

    __slots__ = ()
    name = "tmerge-r"
    turn = None
    order = MergeOrder.VALUES


class TmergeT(TumBound):
    """Tum-bound in which the partner is the cluster that is closest in items."""

    __slots__ = ()
    name = "tmerge-t"
    turn = None
    order = MergeOrder.ITEMS


class TmergeRT(TumBound):
    """Tum-bound in which the partner is the best by its ranks in both orders."""

    __slots__ = ()
    name = "tmerge-rt"
    turn = None
    order = MergeOrder.BOTH
