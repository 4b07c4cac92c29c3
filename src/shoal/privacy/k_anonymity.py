from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.engine.answers import ClassSizes
from shoal.engine.local import LocalData
from shoal.engine.port import Described, Port
from shoal.errors import Infeasible
from shoal.kernels.arrays import Bools
from shoal.privacy.model import K, Model, Named
from shoal.privacy.parameters import check_k
from shoal.privacy.verdict import Verdict, Witness, counted, verdict_without_records


@dataclass(frozen=True, slots=True)
class KAnonymity(Model):
    """Every record agrees with at least k - 1 others on all quasi-identifiers.

    A missing value is a value of its own, and suppressed records (rows of `*`) are a class like any other.
    Where several rows belong to one person, a class must hold k people. Defined by Sweeney, k-anonymity: a
    model for protecting privacy, IJUFKS 10(5), 2002.

    Args:
        k: How many records, or people, agree at least.

    Raises:
        InvalidParameter: k is no integer of 2 or more.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"age": ["30-39", "30-39"]})
        >>> (verdict,) = sh.verify(published, {"age": sh.Quasi()}, sh.KAnonymity(k=2))
        >>> verdict.claim, verdict.holds
        ('satisfies k-anonymity with k=2 on age', True)
    """

    name: ClassVar[str] = "k-anonymity"
    named: ClassVar[Named | None] = Named(
        knowledge="All the single values of a person", keys=(K,), make=lambda given: KAnonymity(given["k"])
    )

    k: int

    def __post_init__(self) -> None:
        check_k("KAnonymity", self.k)

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "Take a reader who knows what a person in this file has in the columns {quasi}. At least {k} rows"
            " fit that person equally well, and these columns give no way to tell which of them is the right"
            " one."
        )

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        if not data.quasi:
            return f"satisfies k-anonymity with k={self.k} as one class: no column is a quasi-identifier"
        return f"satisfies k-anonymity with k={self.k} on {', '.join(data.quasi)}"

    def holds_for(self, size: int) -> bool:
        """Whether a class of this many records, or people, is large enough."""
        return size >= self.k

    def table_holds(self, data: Port) -> bool:
        """Whether the whole table, as one class, would do: if not, nothing does."""
        return self.holds_for(data.people_count())

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        largest = data.people_count()
        if self.holds_for(largest):
            return None
        have = counted(largest, "record" if largest == data.row_count else "person")
        return Infeasible(
            f"k-anonymity with k={self.k} cannot be met: there {'is' if largest == 1 else 'are'} "
            f"only {have}, so k can be at most {largest}",
            largest_k=largest,
            records=data.row_count,
        )

    def rows_to_leave_out(self, data: LocalData) -> Bools:
        """Rows of a release that have to go so that the promise can hold."""
        return data.rows_of_small_classes(data.quasi, self.k)

    def verify(self, data: Port) -> Verdict:
        """Find the smallest class of the released table."""
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        found = data.class_sizes(data.quasi, self.k)
        holds = self.holds_for(found.support)
        size, place = counted(found.support, found.unit), found.weakest.in_words()
        what = f"class {place} has {size}, fewer than k={self.k}"
        return Verdict(
            holds=holds,
            claim=self.claim(data),
            evidence=f"the smallest of {counted(found.sizes.class_count, 'class')} has {size} ({place})",
            smallest=found.support,
            witness=None if holds else Witness.of(what, found.weakest),
            figures=_figures(data.row_count, found),
            wildcard=data.missing_matched(self.k),
        )


def _figures(records: int, found: ClassSizes) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "records": records,
        "classes": found.sizes.class_count,
        "smallest_class": found.sizes.smallest,
        "mean_class": records / found.sizes.class_count,
        "share_of_records_below_k": found.below / records,
    }
    if found.people is not None:
        figures["people"] = found.people
        figures["smallest_class_people"] = found.support
    return figures
