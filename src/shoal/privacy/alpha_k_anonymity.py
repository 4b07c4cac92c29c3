from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from shoal.engine.local import LocalData
from shoal.engine.port import Described, Port
from shoal.errors import Infeasible
from shoal.kernels.arrays import Bools, Ints, frozen_ints
from shoal.kernels.diversity import FREQUENCY
from shoal.privacy import diversity
from shoal.privacy.diversity import Diversity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import Beside, Key
from shoal.privacy.parameters import Number, check_k, check_share, exact
from shoal.privacy.verdict import Verdict


@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(Diversity):
    """k-anonymity, and no sensitive value has more than the share alpha of a class.

    Every value of every sensitive column is protected. Missing values count for k and in no share, and a
    class without values fails. Defined by Wong, Li, Fu, Wang, (alpha, k)-anonymity, KDD 2006.

    Args:
        alpha: The largest share, between 0 and 1.
        k: How many records, or people, agree at least.

    Raises:
        InvalidParameter: alpha or k is out of its range.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"age": ["30-39"] * 3, "illness": ["flu", "flu", "gout"]})
        >>> columns = {"age": sh.Quasi(), "illness": sh.Sensitive()}
        >>> [sh.verify(published, columns, sh.AlphaKAnonymity(alpha, 2))[0].holds for alpha in (0.5, 0.7)]
        [False, True]
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    higher_is_better: ClassVar[bool] = True
    figure_name: ClassVar[str] = "highest_share"
    beside: ClassVar[Beside | None] = Beside(
        models=frozenset({"k-anonymity", "k-km-anonymity"}),
        keys=(
            Key(
                name="alpha",
                help="The share, from 0 to 1 (alpha)",
                kind=float,
                safe=0.5,
                least=0.05,
                most=0.95,
                step=0.05,
                stricter="smaller",
            ),
        ),
        make=lambda given: AlphaKAnonymity(given["alpha"], given["k"]),
        sensitive="Among them no value makes up more than the share alpha",
    )

    alpha: Number
    k: int

    def __post_init__(self) -> None:
        check_share("AlphaKAnonymity", "alpha", self.alpha, "everybody may have the same sensitive value")
        check_k("AlphaKAnonymity", self.k)

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "At least {k} rows fit a person on {quasi}, and no value of {sensitive} makes up more than a"
            " share of {alpha} of them."
        )

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        share = f"no value has more than the share {self.alpha}"
        return f"{KAnonymity(self.k).claim(data)}, and {share} {diversity.columns_in_words(data)}"

    @property
    def threshold(self) -> Fraction:
        """The least ratio of a class's size to its most frequent value."""
        return 1 / exact(self.alpha)

    def class_constraint(self) -> Ints:
        """The promise about shares as kernels take it."""
        return frozen_ints([FREQUENCY, self.threshold.numerator, self.threshold.denominator, 0])

    def holds_for(
        self,
        values: Sequence[int],  # noqa: ARG002 - only closeness asks which values they are
        counts: Sequence[int],
        totals: Sequence[int],  # noqa: ARG002
        size: int | None = None,
    ) -> bool:
        """Whether the shares of a class with these counts keep the promise, exactly."""
        return bool(counts) and Fraction(max(counts), size or sum(counts)) <= exact(self.alpha)

    def table_holds(self, data: Port) -> bool:
        """Whether the whole table, as one class, would do: if not, nothing does."""
        return KAnonymity(self.k).table_holds(data) and diversity.table_holds(self, data)

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        return KAnonymity(self.k).infeasible(data) or diversity.infeasible(self, data)

    def figure_in_words(self, figure: float) -> str:
        """A clause about a class that reaches this figure."""
        return f"that is a share of {1 / figure:.6g} where {self.alpha} is allowed"

    def reported(self, figure: float) -> float:
        """The highest share, of which the figure is the inverse."""
        return 1 / figure

    def infeasible_because(self, figure: float) -> str:
        """A clause about a table whose own figure is too bad."""
        return f"the table's own highest share is {1 / figure:.6g}, so alpha can be no lower"

    def rows_to_leave_out(self, data: LocalData) -> Bools:
        """Rows of a release that have to go so that the promise can hold."""
        small = KAnonymity(self.k).rows_to_leave_out(data)
        return small | data.rows_of_broken_classes(self.judge, data.quasi)

    def verify(self, data: Port) -> Verdict:
        """Judge size and shares of every class of the released table."""
        sizes, shares = KAnonymity(self.k).verify(data), diversity.verify_diversity(self, data)
        worse = shares if sizes.holds and not shares.holds else sizes
        return replace(
            sizes,
            holds=sizes.holds and shares.holds,
            claim=self.claim(data),
            evidence=f"{sizes.evidence}; {shares.evidence}" if data.row_count else sizes.evidence,
            witness=worse.witness,
            figures={**shares.figures, **sizes.figures},
        )
