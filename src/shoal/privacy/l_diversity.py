from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, get_args

from shoal.engine.local import LocalData
from shoal.errors import Infeasible, InvalidParameter
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.kernels.diversity import DISTINCT, ENTROPY, ENTROPY_MARGIN, FREQUENCY, RECURSIVE
from shoal.privacy import diversity
from shoal.privacy.parameters import Number, check_choice, check_number, exact
from shoal.privacy.verdict import Verdict

DiversityKind = Literal["frequency", "distinct", "entropy", "recursive"]

_KERNEL_KIND = {"frequency": FREQUENCY, "distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}


@dataclass(frozen=True, slots=True)
class LDiversity:
    """No class gives its sensitive values away.

    `frequency`: no value has more than a 1/l share of its class. `distinct`: a class has at least l values.
    `entropy`: the entropy of a class is at least log l. `recursive`: the most frequent value is less than c
    times as frequent as the values from the l-th most frequent one on together. Missing values count in
    none of them, and a class without values fails.

    Defined by Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, l-diversity: privacy beyond k-anonymity,
    ACM TKDD 1(1), 2007; `frequency` after Xiao and Tao, Anatomy, VLDB 2006.
    """

    name: ClassVar[str] = "l-diversity"

    l: Number
    kind: DiversityKind = "frequency"
    c: Number | None = None

    def __post_init__(self) -> None:
        check_choice("LDiversity", "kind", self.kind, get_args(DiversityKind))
        check_number("LDiversity", "l", self.l, "a number of 1 or more", least=1)
        if self.kind in ("distinct", "recursive") and exact(self.l).denominator != 1:
            raise InvalidParameter("LDiversity", "l", self.l, f"a whole number for kind {self.kind!r}")
        if self.kind != "recursive" and self.c is not None:
            raise InvalidParameter("LDiversity", "c", self.c, "left out unless kind is 'recursive'")
        if self.kind == "recursive":
            check_number("LDiversity", "c", self.c, "a number above 0 for kind 'recursive'")

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""
        kind = self.kind if self.c is None else f"{self.kind}, c={self.c}"
        return f"satisfies {self.l}-diversity ({kind}) {diversity.columns_in_words(data)}"

    def check_column(self, data: LocalData, column: str) -> None:
        """Any sensitive column will do."""

    @property
    def threshold(self) -> Fraction:
        """The least diversity, or the bound on the ratio of a recursive promise."""
        return exact(self.l if self.c is None else self.c)

    @property
    def higher_is_better(self) -> bool:
        """The ratio of a recursive promise must stay small; the other figures must be large."""
        return self.kind != "recursive"

    @property
    def figure_name(self) -> str:
        """What the worst class's figure is called in a verdict."""
        return "lowest_diversity" if self.higher_is_better else "highest_ratio"

    def requirement(self) -> Ints:
        """The promise as kernels take it."""
        rank = int(self.l) if self.kind == "recursive" else 0
        return frozen_ints(
            [_KERNEL_KIND[self.kind], self.threshold.numerator, self.threshold.denominator, rank]
        )

    def holds_for(
        self,
        values: Sequence[int],  # noqa: ARG002 - only closeness asks which values they are
        counts: Sequence[int],
        totals: Sequence[int],  # noqa: ARG002
        size: int | None = None,
    ) -> bool:
        """Whether a class with these counts keeps the promise, exactly."""
        if not counts:
            return False
        if self.kind == "frequency":
            return Fraction(size or sum(counts), max(counts)) >= exact(self.l)
        if self.kind == "distinct":
            return len(counts) >= exact(self.l)
        if self.kind == "entropy":
            return _entropy_at_least_log(exact(self.l), counts)
        rarer = sum(sorted(counts, reverse=True)[int(self.l) - 1 :])
        return max(counts) < self.threshold * rarer

    def table_holds(self, data: LocalData) -> bool:
        """Whether the whole table, as one class, would do: if not, nothing does."""
        return diversity.table_holds(self, data)

    def infeasible(self, data: LocalData) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        return diversity.infeasible(self, data)

    def figure_in_words(self, figure: float) -> str:
        """A clause about a class that reaches this figure."""
        if self.kind == "recursive":
            return f"{self._ratio_in_words(figure)}, where c={self.c} is asked"
        return f"its diversity ({self.kind}) is {figure:.6g} where {self.l} is asked"

    def reported(self, figure: float) -> float:
        """The figure as it stands in a verdict."""
        return figure

    def infeasible_because(self, figure: float) -> str:
        """A clause about a table whose own figure is too bad."""
        if self.kind == "recursive":
            return f"in the table itself {self._ratio_in_words(figure)}, so c must be larger or l smaller"
        reached = f"{math.floor(figure * 10_000) / 10_000:g}"
        return f"the table's own diversity is {reached}, so l can be at most {reached}"

    def verify(self, data: LocalData) -> Verdict:
        """Judge every class of the released table."""
        return diversity.verify_diversity(self, data)

    def _ratio_in_words(self, figure: float) -> str:
        if math.isinf(figure):
            return f"there are fewer than {self.l} different values"
        return f"the most frequent value is {figure:.6g} times as frequent as those from rank {self.l} on"


def _entropy_at_least_log(least: Fraction, counts: Sequence[int]) -> bool:
    """Whether the entropy of the counts is at least log(least).

    That is size^size >= least^size * product of count^count, in integers where logarithms are too close.
    """
    size = sum(counts)
    slack = math.log(size) - math.fsum(c * math.log(c) for c in counts) / size - math.log(least)
    if abs(slack) > ENTROPY_MARGIN:
        return slack > 0
    degree = math.gcd(*counts)  # both sides are powers of this degree
    power = size // degree
    spread = math.prod(int(c ** (c // degree)) for c in counts)
    return int((size * least.denominator) ** power) >= int(least.numerator**power) * spread
