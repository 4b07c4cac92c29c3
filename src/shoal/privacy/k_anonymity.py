from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.engine.local import Classes, LocalData
from shoal.errors import Infeasible
from shoal.kernels.arrays import Ints
from shoal.privacy.parameters import check_whole
from shoal.privacy.verdict import Verdict, Witness, class_in_words, counted, verdict_without_records
from shoal.privacy.wildcard import wildcard_reading


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every record agrees with at least k - 1 others on all quasi-identifiers.

    A missing value is a value of its own, and suppressed records (rows of `*`) are a class like any other.
    Where several rows belong to one person, a class must hold k people. Defined by Sweeney, k-anonymity: a
    model for protecting privacy, IJUFKS 10(5), 2002.
    """

    name: ClassVar[str] = "k-anonymity"

    k: int

    def __post_init__(self) -> None:
        check_whole("KAnonymity", "k", self.k)

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""
        if not data.quasi:
            return f"satisfies k-anonymity with k={self.k} as one class: no column is a quasi-identifier"
        return f"satisfies k-anonymity with k={self.k} on {', '.join(data.quasi)}"

    def holds_for(self, size: int) -> bool:
        """Whether a class of this many records, or people, is large enough."""
        return size >= self.k

    def table_holds(self, data: LocalData) -> bool:
        """Whether the whole table, as one class, would do: if not, nothing does."""
        return self.holds_for(_supports_of_table(data))

    def infeasible(self, data: LocalData) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        if self.table_holds(data):
            return None
        largest = _supports_of_table(data)
        have = counted(largest, "person" if data.subjects is not None else "record")
        return Infeasible(
            f"k-anonymity with k={self.k} cannot be met: there {'is' if largest == 1 else 'are'} "
            f"only {have}, so k can be at most {largest}",
            largest_k=largest,
            records=data.row_count,
        )

    def verify(self, data: LocalData) -> Verdict:
        """Find the smallest class of the released table."""
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        classes = data.classes(data.quasi)
        supports = classes.sizes if data.subjects is None else data.people_per_class(classes)
        smallest_class = int(supports.argmin())
        smallest = int(supports[smallest_class])
        holds = self.holds_for(smallest)
        size = counted(smallest, "record" if data.subjects is None else "person")
        place = class_in_words(data, data.quasi, int(classes.first_rows[smallest_class]))
        return Verdict(
            holds=holds,
            claim=self.claim(data),
            evidence=f"the smallest of {counted(len(classes), 'class')} has {size} ({place})",
            smallest=smallest,
            witness=None
            if holds
            else Witness.at(f"class {place} has {size}, fewer than k={self.k}", classes.rows(smallest_class)),
            figures=_figures(data, classes, supports, self.k),
            wildcard=wildcard_reading(data, classes, self.k),
        )


def _supports_of_table(data: LocalData) -> int:
    return data.row_count if data.subjects is None else len(np.unique(data.subjects))


def _figures(data: LocalData, classes: Classes, supports: Ints, k: int) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "records": data.row_count,
        "classes": len(classes),
        "smallest_class": int(classes.sizes.min()),
        "mean_class": data.row_count / len(classes),
        "share_of_records_below_k": int(classes.sizes[supports < k].sum()) / data.row_count,
    }
    if data.subjects is not None:
        figures["people"] = _supports_of_table(data)
        figures["smallest_class_people"] = int(supports.min())
    return figures
