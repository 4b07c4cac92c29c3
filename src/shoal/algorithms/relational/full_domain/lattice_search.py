"""The search for the cheapest safe choice of levels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.constraint import constraint_within
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.full_domain.lattice import ClassesAt, ClassHistory, Lattice, Levels
from shoal.engine.local import LocalData
from shoal.kernels.arrays import Bools, Floats
from shoal.kernels.constraint import ClassConstraint, classes_admissible
from shoal.kernels.diversity import CLOSE_EQUAL, CLOSE_ORDERED
from shoal.kernels.generalized_records import vector_costs
from shoal.kernels.grouping import members
from shoal.progress import Progress

_CHOICES_SKIPPED_AT_ONCE = 4096
_MOST_CHOICES_OF_A_START = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class LevelJudgement:
    """Which classes may be published, whether the others may be suppressed, and what that tells."""

    safe: Bools
    holds: bool
    finer_fail_too: bool


@dataclass(frozen=True, slots=True, eq=False)
class Safety:
    """Whether a choice may be published: at most `allowed` rows are in classes that lack what is needed."""

    records: Records
    constraint: ClassConstraint
    allowed: int

    def judge(self, classes: ClassesAt) -> LevelJudgement:
        """Look at the classes of a choice."""
        large = classes.counts >= self.constraint.k
        if self._suppressed(classes, large) > self.allowed:
            # Classes only grow under coarser choices, and so does the number of rows in large ones.
            return LevelJudgement(large, holds=False, finer_fail_too=True)
        safe = self._safe(classes) if self._asks_for_more_than_rows else large
        holds = bool(safe.any()) and self._suppressed(classes, safe) <= self.allowed
        return LevelJudgement(safe, holds=holds, finer_fail_too=not holds and self._unions_of_safe_are_safe)

    @property
    def _asks_for_more_than_rows(self) -> bool:
        return len(self.constraint.rules) > 0 or len(self.constraint.people) > 0

    @property
    def _unions_of_safe_are_safe(self) -> bool:
        """Whether a choice above one that holds must hold, so that below one that fails all fail.

        With diversity not if an unsafe class may be suppressed, because it can spoil the union with a safe
        one; nor in people, because somebody in both classes counts once in their union.
        """
        return len(self.constraint.rules) == 0 or (self.allowed == 0 and len(self.constraint.people) == 0)

    def _safe(self, classes: ClassesAt) -> Bools:
        class_of_row = classes.class_of_record[self.records.record_of_row]
        starts, rows = members(class_of_row, len(classes.counts))
        safe = classes_admissible(self.constraint, starts, rows)
        if not np.isin(self.constraint.rules[:, 0], (CLOSE_EQUAL, CLOSE_ORDERED)).any():
            return safe
        # Closeness is to the table that is published, which is smaller with every class that is suppressed.
        while safe.any() and not safe.all() and self._suppressed(classes, safe) <= self.allowed:
            before = safe
            published = constraint_within(self.constraint, safe[class_of_row])
            safe = before & classes_admissible(published, starts, rows)
            if np.array_equal(safe, before):
                break
        return safe

    def _suppressed(self, classes: ClassesAt, safe: Bools) -> int:
        return int(classes.counts[~safe].sum())


class LatticeSearch:
    """Looks at choices from the cheapest on until none that could be better is left.

    `best` is the best choice so far, at first the coarsest one: it is safe because the table as one class is.
    """

    def __init__(self, lattice: Lattice, safety: Safety, suppressed: Sequence[float]) -> None:
        """A suppressed record costs suppressed[j] in column j."""
        self.lattice, self.safety, self.history = lattice, safety, ClassHistory(lattice)
        self._may_suppress = safety.allowed > 0
        self._cost_of_suppressed = sum(suppressed)
        costs = lattice.column_costs()
        self._least_costs = _sums(lattice.least_column_costs(suppressed) if self._may_suppress else costs)
        self._settled = np.zeros(lattice.shape, dtype=np.bool_)
        self.best = lattice.top
        self.best_cost = float(sum(of_column[-1] for of_column in costs))
        self.looked_at = 0

    def run(self, progress: Progress) -> bool:
        """Search; False if time was up before the end."""
        for choice in self._open_choices():
            while self._is_open(choice):
                progress.update(self.looked_at, note=f"{self.lattice.size:,} choices of levels")
                if progress.expired():
                    return False
                path = self._path_up(choice)
                self._look_at(path[len(path) // 2])
        return True

    def _open_choices(self) -> Iterator[Levels]:
        """The choices that are not settled when their turn comes, from the cheapest to the best so far."""
        order = np.argsort(self._least_costs, axis=None, kind="stable")
        settled = self._settled.reshape(-1)
        for start in range(0, len(order), _CHOICES_SKIPPED_AT_ONCE):
            some = order[start : start + _CHOICES_SKIPPED_AT_ONCE]
            for number in some[~settled[some]]:
                choice = tuple(map(int, np.unravel_index(number, self.lattice.shape)))
                if self._least_costs[choice] >= self.best_cost:
                    return
                yield choice

    def _is_open(self, choice: Levels) -> bool:
        """Whether a choice might still be the best."""
        return not self._settled[choice] and bool(self._least_costs[choice] < self.best_cost)

    def _path_up(self, choice: Levels) -> list[Levels]:
        """Open choices one above the other from the given one on, each the cheapest step."""
        path = [choice]
        while True:
            steps = [
                (*choice[:column], level + 1, *choice[column + 1 :])
                for column, level in enumerate(choice)
                if level + 1 < self.lattice.shape[column]
            ]
            steps = [step for step in steps if self._is_open(step)]
            if not steps:
                return path
            choice = min(steps, key=lambda step: float(self._least_costs[step]))
            path.append(choice)

    def _look_at(self, choice: Levels) -> None:
        classes = self.history.classes(choice)
        judgement = self.safety.judge(classes)
        self.looked_at += 1
        self._settled[choice] = True
        if judgement.finer_fail_too:
            self._settled[tuple(slice(0, level + 1) for level in choice)] = True
        if judgement.holds and (cost := self._cost(classes, judgement.safe)) < self.best_cost:
            self.best, self.best_cost = choice, cost

    def _cost(self, classes: ClassesAt, safe: Bools) -> float:
        """The mean cost of a record."""
        if not self._may_suppress:
            return float(self._least_costs[classes.choice])
        costs = np.where(
            safe, vector_costs(self.lattice.records.trees, classes.vectors), self._cost_of_suppressed
        )
        return float(np.dot(classes.counts, costs) / self.lattice.records.row_count)


def _sums(of_columns: Sequence[Floats]) -> Floats:
    """The sum over columns for every choice of levels."""
    return np.asarray(reduce(np.add.outer, of_columns, np.zeros(())))


def cheapest_levels(
    data: LocalData, records: Records, constraint: ClassConstraint, progress: Progress
) -> Clustering | None:
    """The classes of the cheapest safe choice, as a clustering to start from; None if choices are too many.

    If time is up, those of the cheapest choice so far.
    """
    lattice = Lattice.of(records, [data.trees[name] for name in records.columns])
    if lattice.size > _MOST_CHOICES_OF_A_START:
        return None
    search = LatticeSearch(lattice, Safety(records, constraint, allowed=0), suppressed=())
    search.run(progress)
    classes = search.history.classes(search.best)
    return Clustering(classes.class_of_record[records.record_of_row])
