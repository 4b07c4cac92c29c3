from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import BadInput, Infeasible, Problem
from shoal.kernels.arrays import Floats, Ints, frozen_ints
from shoal.kernels.diversity import CLOSE_EQUAL, CLOSE_ORDERED
from shoal.privacy import diversity
from shoal.privacy.parameters import Number, check_choice, check_number, exact
from shoal.privacy.verdict import Verdict
from shoal.table.columns import Domain

Distance = Literal["equal", "ordered"]


@dataclass(frozen=True, slots=True)
class TCloseness:
    """The sensitive values of every class are distributed nearly as in the whole table.

    The earth mover's distance between the two distributions is at most t. With distance `equal` any two
    values are 1 apart; with `ordered` neighbours among the values that occur in the table are
    1 / (number of values - 1) apart, which needs numbers or dates. Missing values count in neither
    distribution, and a class without values fails.

    Defined by Li, Li, Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007.
    """

    name: ClassVar[str] = "t-closeness"
    higher_is_better: ClassVar[bool] = False
    figure_name: ClassVar[str] = "highest_distance"

    t: Number
    distance: Distance = "equal"

    def __post_init__(self) -> None:
        check_number("TCloseness", "t", self.t, "a number above 0 and up to 1", most=1)
        check_choice("TCloseness", "distance", self.distance, get_args(Distance))

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""
        return f"satisfies {self.t}-closeness ({self.distance} distance) {diversity.columns_in_words(data)}"

    def check_column(self, data: LocalData, column: str) -> None:
        """An ordered distance needs values whose order means something, numbered in that order."""
        domain = data.table.coded(column).domain
        if self.distance == "ordered" and not _in_order(domain):
            raise BadInput(
                Problem(
                    "t-closeness with distance 'ordered' needs numbers or dates in their order",
                    "declare kind = 'number' or 'date' for it, or use distance 'equal'",
                    column=column,
                )
            )

    @property
    def threshold(self) -> Fraction:
        """The largest distance."""
        return exact(self.t)

    def requirement(self) -> Ints:
        """The promise as kernels take it."""
        kind = CLOSE_EQUAL if self.distance == "equal" else CLOSE_ORDERED
        return frozen_ints([kind, self.threshold.numerator, self.threshold.denominator, 0])

    def holds_for(
        self,
        values: Sequence[int],
        counts: Sequence[int],
        totals: Sequence[int],
        size: int | None = None,  # noqa: ARG002 - distributions are shares of all values that were counted
    ) -> bool:
        """Whether a class with these counts keeps the promise, exactly."""
        return bool(counts) and self._distance(values, counts, totals) <= self.threshold

    def _distance(self, values: Sequence[int], counts: Sequence[int], totals: Sequence[int]) -> Fraction:
        count_of = dict(zip(values, counts, strict=True))
        size, table_size = sum(counts), sum(totals)
        differences = [
            count_of.get(value, 0) * table_size - total * size for value, total in enumerate(totals) if total
        ]
        if self.distance == "equal":
            return Fraction(sum(map(abs, differences)), 2 * size * table_size)
        steps = max(len(differences) - 1, 1)
        return Fraction(sum(map(abs, accumulate(differences))), steps * size * table_size)

    def table_holds(self, data: LocalData) -> bool:
        """Whether the whole table, as one class, would do: always, if there is any value."""
        return diversity.table_holds(self, data)

    def infeasible(self, data: LocalData) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        return diversity.infeasible(self, data)

    def figure_in_words(self, figure: float) -> str:
        """A clause about a class that reaches this figure."""
        return f"its distance ({self.distance}) to the whole table is {figure:.6g} where {self.t} is allowed"

    def reported(self, figure: float) -> float:
        """The figure as it stands in a verdict."""
        return figure

    def infeasible_because(self, figure: float) -> str:
        """A clause about a table whose own figure is too bad."""
        return f"the table's own distance is {figure:.6g}"

    def verify(self, data: LocalData) -> Verdict:
        """Judge every class of the released table."""
        return diversity.verify_diversity(self, data)


def _in_order(domain: Domain) -> bool:
    numbers = domain.numbers if domain.numbers is not None else _numbers_of_labels(domain)
    return numbers is not None and bool(np.all(np.diff(numbers) > 0))


def _numbers_of_labels(domain: Domain) -> Floats | None:
    try:
        return np.array([float(label) for label in domain.texts()], dtype=np.float64)
    except ValueError:
        return None
