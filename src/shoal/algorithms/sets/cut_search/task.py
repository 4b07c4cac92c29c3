"""What the algorithms for k^m-anonymity have in common before and after their search for a cut."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import Tally
from shoal.algorithms.sets.cut_search.specialization import Specialized, exchange, obstacles_at, specialize
from shoal.algorithms.sets.cut_search.transactions import Transactions, set_column
from shoal.algorithms.sets.cut_search.violations import Questions, Violation, Violations
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import Hierarchy
from shoal.privacy.check import require_feasible
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.cuts import Cuts, Reason
from shoal.recoding.rows import RowRecoding

DOWNCODING = (
    "the cut was made minimal: nothing could be published in more detail, and who knows that can sometimes"
    " conclude more from it (downcoding); minimal = false leaves this step out"
)


@dataclass(frozen=True, slots=True, eq=False)
class CutTask:
    """A set column wherever it is, and what is asked about it; `row_count` of its rows are in memory."""

    column: str
    row_count: int
    violations: Questions
    notices: tuple[str, ...]

    def finish(
        self, cut: Cut, tally: Tally, progress: Progress, *, minimal: bool, exchanges: int = 0
    ) -> RowRecoding:
        """Make the cut minimal if that is wanted, and tell how it was found and why it is no finer.

        `exchanges` nodes of a minimal cut are tried for a cheaper one.
        """
        figures: dict[str, Any] = {"itemsets_found": tally.found, "itemsets_resolved": tally.mended}
        step = Specialized(in_time=tally.in_time)
        if minimal and tally.in_time:
            progress.stage("specializing")
            figures["ncp_before_minimal_cut"] = cut.ncp
            step = specialize(self.violations, cut, progress)
            figures["nodes_expanded_by_minimal_cut"] = step.expanded
            if exchanges and step.in_time and self.violations.constraint.diverse_m == 0:
                figures["ncp_before_exchanges"] = cut.ncp
                exchanged = exchange(self.violations, cut, step, exchanges, progress)
                cut, step = exchanged.cut, exchanged.step
                figures["exchanges"] = exchanged.made
        figures |= {"nodes_on_cut": len(cut.nodes), "ncp": cut.ncp}
        obstacles = obstacles_at(self.violations, cut, step.obstacles, progress) if step.in_time else {}
        figures["occurrences_counted"] = self.violations.counted
        cuts = Cuts(
            column=self.column,
            part_of_row=np.zeros(self.row_count, dtype=np.int64),
            node_of_leaf=cut.node_of_leaf[np.newaxis, :].copy(),
            reasons=reasons_of(obstacles, self.violations.constraint),
        )
        return RowRecoding(
            items=(cuts,),
            notices=(*self.notices, *_notices(cut, tally, step, minimal=minimal)),
            figures=figures,
        )


@dataclass(frozen=True, slots=True, eq=False)
class ItemTask(CutTask):
    """A set column in memory and what is required of it."""

    violations: Violations

    @classmethod
    def of(cls, data: LocalData, models: Sequence[Model]) -> Self:
        """Check that the task can be done; raises Infeasible, or BadInput for columns it is not made for."""
        column = set_column(data)
        require_feasible(models, data)
        transactions = Transactions.of(data)
        constraint, notices = fitting(ItemConstraint.of(models), transactions.tree, transactions.longest)
        return cls(column, data.row_count, Violations(transactions, constraint), notices)


class CutAlgorithm(Algorithm):
    """Looks for cuts through the tree of one set column; nothing is left to chance.

    `without_absence` says why, if it cannot hold against somebody who knows what is absent.
    """

    __slots__ = ()
    paper = (
        "Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data."
        " VLDB Journal 20(1), 2011."
    )
    without_absence: ClassVar[Problem | None] = None

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Check that the task can be done, and search."""
        task = ItemTask.of(data, models)
        if self.without_absence is not None and task.violations.constraint.negative:
            raise BadInput(replace(self.without_absence, column=task.column))
        return self.search(task, progress)

    def search(self, task: ItemTask, progress: Progress) -> RowRecoding:
        """Cuts at which every itemset keeps the promise."""
        raise NotImplementedError


def fitting(
    constraint: ItemConstraint, tree: Hierarchy, longest: int
) -> tuple[ItemConstraint, tuple[str, ...]]:
    """The constraint with m no larger than what there is to know, which asks for the same."""
    if constraint.negative:
        most, of = tree.leaf_count, "the hierarchy"
    else:
        most, of = longest, "the longest transaction"
    most = max(1, most)
    if constraint.largest <= most:
        return constraint, ()
    notice = f"m = {constraint.largest} was reduced to {most}, the number of items in {of}"
    return constraint.known_at_most(most), (notice,)


def reasons_of(obstacles: dict[int, Violation], constraint: ItemConstraint) -> tuple[Reason, ...]:
    """What stands in the way of expanding each node."""
    return tuple(
        Reason(
            node,
            tuple(sorted(obstacle.present)),
            obstacle.support,
            absent=tuple(sorted(obstacle.absent)),
            sensitive=obstacle.support >= constraint.k_for(len(obstacle.present)),
        )
        for node, obstacle in obstacles.items()
    )


def _notices(cut: Cut, tally: Tally, step: Specialized, *, minimal: bool) -> tuple[str, ...]:
    if not tally.in_time and cut.holds(cut.tree.root):
        label = cut.tree.labels[cut.tree.root]
        return (f"time was up before the search ended, so every item is published as {label}",)
    if not tally.in_time:
        return ("time was up before the search ended: another cut may lose less",)
    if not minimal:
        return ()
    if not step.in_time:
        return ("time was up before the cut was minimal: some items could be published in more detail",)
    return (DOWNCODING,)
