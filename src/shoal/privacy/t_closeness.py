from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar, Literal, get_args

from shoal.engine.port import Described, Port, Question
from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.kernels.diversity import CLOSE_EQUAL, CLOSE_ORDERED
from shoal.privacy import diversity
from shoal.privacy.diversity import Diversity
from shoal.privacy.model import Beside, Key
from shoal.privacy.parameters import Number, check_choice, check_share, exact

Distance = Literal["equal", "ordered"]


@dataclass(frozen=True, slots=True)
class TCloseness(Diversity):
    """The sensitive values of every class are distributed nearly as in the whole table.

    The earth mover's distance between the two distributions is at most t. Missing values count in neither
    distribution, and a class without values fails. Defined by Li, Li, Venkatasubramanian, t-closeness:
    privacy beyond k-anonymity and l-diversity, ICDE 2007.

    Args:
        t: The largest distance, between 0 and 1.
        distance: With `equal` any two values are 1 apart; with `ordered`, which needs numbers or dates,
            neighbours among the values that occur in the table are 1 / (number of values - 1) apart.

    Raises:
        InvalidParameter: t is out of its range, or the distance is not known.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"age": ["30-39"] * 2 + ["40-49"] * 2, "illness": ["flu", "gout"] * 2})
        >>> columns = {"age": sh.Quasi(), "illness": sh.Sensitive()}
        >>> sh.verify(published, columns, sh.TCloseness(0.1))[0].holds
        True
    """

    name: ClassVar[str] = "t-closeness"
    questions: ClassVar[frozenset[Question]] = frozenset({Question.DISTRIBUTIONS})
    higher_is_better: ClassVar[bool] = False
    figure_name: ClassVar[str] = "highest_distance"
    beside: ClassVar[Beside | None] = Beside(
        models=frozenset({"k-anonymity", "k-km-anonymity"}),
        keys=(
            Key(
                name="t",
                help="The distance, from 0 for the same to 1 for nothing alike (t)",
                kind=float,
                safe=0.2,
                least=0.05,
                most=0.95,
                step=0.05,
                stricter="smaller",
            ),
            Key(name="distance", help="How far apart values are", kind=get_args(Distance)),
        ),
        make=lambda given: TCloseness(given["t"], given.get("distance", "equal")),
        sensitive="Among them it is spread as in the whole file, up to a distance of t (t-closeness)",
    )

    t: Number
    distance: Distance = "equal"

    def __post_init__(self) -> None:
        check_share("TCloseness", "t", self.t, "nothing is farther apart than 1")
        check_choice("TCloseness", "distance", self.distance, get_args(Distance))

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "The values of {sensitive} among the rows that fit a person are spread as in the whole file, up"
            " to a distance of {t}: finding the group tells little more than the file as a whole."
        )

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        return f"satisfies {self.t}-closeness ({self.distance} distance) {diversity.columns_in_words(data)}"

    def check_column(self, data: Port, column: str) -> None:
        """An ordered distance needs values whose order means something, numbered in that order."""
        if self.distance == "ordered" and not data.is_ordered(column):
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

    def class_constraint(self) -> Ints:
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

    def figure_in_words(self, figure: float) -> str:
        """A clause about a class that reaches this figure."""
        return f"its distance ({self.distance}) to the whole table is {figure:.6g} where {self.t} is allowed"

    def infeasible_because(self, figure: float) -> str:
        """A clause about a table whose own figure is too bad."""
        return f"the table's own distance is {figure:.6g}"
