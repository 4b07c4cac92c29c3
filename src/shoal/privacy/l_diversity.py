from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, get_args

from shoal.engine.port import Described
from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.kernels.diversity import DISTINCT, ENTROPY, ENTROPY_MARGIN, FREQUENCY, RECURSIVE
from shoal.privacy import diversity
from shoal.privacy.diversity import Diversity
from shoal.privacy.items import ONE_IN_L
from shoal.privacy.model import Beside, Key, L
from shoal.privacy.parameters import Number, check_choice, check_l, check_number, exact

DiversityKind = Literal["frequency", "distinct", "entropy", "recursive"]

_KERNEL_KIND = {"frequency": FREQUENCY, "distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}
_MEANING = {
    "frequency": (
        "Among the rows that fit a person, no value of {sensitive} makes up more than one in {l}, so"
        " finding the right group of rows does not give the value away."
    ),
    "distinct": "The rows that fit a person show at least {l} different values of {sensitive}.",
    "entropy": (
        "The values of {sensitive} among the rows that fit a person are at least as mixed (by their entropy)"
        " as {l} values that are equally frequent."
    ),
    "recursive": (
        "Among the rows that fit a person, the most frequent value of {sensitive} occurs less than {c} times"
        " as often as the values from the {l}th most frequent on taken together."
    ),
}


@dataclass(frozen=True, slots=True)
class LDiversity(Diversity):
    """No class gives its sensitive values away.

    Missing values count in no kind of diversity, and a class without values fails. Defined by
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, l-diversity: privacy beyond k-anonymity, ACM TKDD
    1(1), 2007; `frequency` after Xiao and Tao, Anatomy, VLDB 2006.

    Args:
        l: How diverse a class is at least.
        kind: With `frequency` no value has more than a 1/l share of its class; with `distinct` a class has at
            least l values; with `entropy` the entropy of a class is at least log l; with `recursive` the most
            frequent value is less than c times as frequent as the values from the l-th most frequent one on
            together.
        c: The factor of `recursive`.

    Raises:
        InvalidParameter: l or c is out of its range, or the kind is not known.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"age": ["30-39"] * 3, "illness": ["flu", "flu", "gout"]})
        >>> columns = {"age": sh.Quasi(), "illness": sh.Sensitive()}
        >>> kinds = ("frequency", "distinct")
        >>> [sh.verify(published, columns, sh.LDiversity(2, kind))[0].holds for kind in kinds]
        [False, True]
    """

    name: ClassVar[str] = "l-diversity"
    beside: ClassVar[Beside | None] = Beside(
        models=frozenset({"k-anonymity"}),
        keys=(
            L,
            Key(name="diversity", help="How values are counted", kind=get_args(DiversityKind)),
            Key(
                name="c",
                help="How many times as frequent the most frequent value may be",
                kind=float,
                stricter="smaller",
            ),
        ),
        make=lambda given: LDiversity(given["l"], given.get("diversity", "frequency"), given.get("c")),
        sensitive=ONE_IN_L,
    )

    l: Number
    kind: DiversityKind = "frequency"
    c: Number | None = None

    def __post_init__(self) -> None:
        check_choice("LDiversity", "kind", self.kind, get_args(DiversityKind))
        check_l("LDiversity", self.l)
        if self.kind in ("distinct", "recursive") and exact(self.l).denominator != 1:
            raise InvalidParameter("LDiversity", "l", self.l, f"a whole number for kind {self.kind!r}")
        if self.kind != "recursive" and self.c is not None:
            raise InvalidParameter("LDiversity", "c", self.c, "left out unless kind is 'recursive'")
        if self.kind == "recursive":
            check_number("LDiversity", "c", self.c, "a number above 0 for kind 'recursive'")

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return _MEANING[self.kind]

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        kind = self.kind if self.c is None else f"{self.kind}, c={self.c}"
        return f"satisfies {self.l}-diversity ({kind}) {diversity.columns_in_words(data)}"

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

    def class_constraint(self) -> Ints:
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

    def figure_in_words(self, figure: float) -> str:
        """A clause about a class that reaches this figure."""
        if self.kind == "recursive":
            return f"{self._ratio_in_words(figure)}, where c={self.c} is asked"
        return f"its diversity ({self.kind}) is {figure:.6g} where {self.l} is asked"

    def infeasible_because(self, figure: float) -> str:
        """A clause about a table whose own figure is too bad."""
        if self.kind == "recursive":
            return f"in the table itself {self._ratio_in_words(figure)}, so c must be larger or l smaller"
        reached = f"{math.floor(figure * 10_000) / 10_000:g}"
        return f"the table's own diversity is {reached}, so l can be at most {reached}"

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
