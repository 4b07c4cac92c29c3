from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.engine.joined_sets import Rarest
from shoal.engine.local import Classes, LocalData
from shoal.errors import Infeasible
from shoal.kernels.arrays import Ints
from shoal.privacy.items import READING, check_sets, too_few_records
from shoal.privacy.km_anonymity import rarest_in_words
from shoal.privacy.parameters import check_whole
from shoal.privacy.verdict import Verdict, Witness, class_in_words, counted, verdict_without_records
from shoal.privacy.wildcard import wildcard_reading


@dataclass(frozen=True, slots=True)
class KKmAnonymity:
    """Whoever knows all single values of a person and up to m of the items finds at least k records.

    Every class of records that agree on the quasi-identifiers with single values has at least k records, and
    every set of at most m items that occurs in a class occurs in at least k of its records. k-anonymity of
    the one part and k^m-anonymity of the other do not imply it. A missing value is a value of its own.
    Sensitive items are not counted. Defined by Poulis, Loukides, Gkoulalas-Divanis and Skiadopoulos,
    Anonymizing data with relational and transaction attributes, ECML PKDD 2013.
    """

    name: ClassVar[str] = "k-km-anonymity"

    k: int
    m: int

    def __post_init__(self) -> None:
        check_whole("KKmAnonymity", "k", self.k)
        check_whole("KKmAnonymity", "m", self.m)

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""
        return (
            f"satisfies (k,k^m)-anonymity with k={self.k}, m={self.m}"
            f" on {', '.join((*data.quasi, *data.quasi_sets))}"
        )

    def holds_for(self, support: int) -> bool:
        """Whether a class, or an itemset within a class, of this many records is large enough."""
        return support >= self.k

    def infeasible(self, data: LocalData) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        check_sets(self.name, data)
        return too_few_records("(k,k^m)-anonymity", self.k, data.row_count)

    def verify(self, data: LocalData) -> Verdict:
        """Find the smallest class and the rarest itemset within a class."""
        check_sets(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        classes = data.classes(data.quasi)
        smallest_class = int(classes.sizes.argmin())
        rarest = data.joined_sets().rarest(self.m, self.k, classes)
        smallest, rows = int(classes.sizes[smallest_class]), classes.rows(smallest_class)
        words = f"class {_class_of_row(data, rows)} has {counted(smallest, 'record')}"
        if rarest.support is not None and rarest.support < smallest:
            smallest, rows = rarest.support, rarest.rows
            words = f"{rarest_in_words(data, rarest)} of class {_class_of_row(data, rows)}"
        holds = self.holds_for(smallest)
        return Verdict(
            holds=holds,
            claim=self.claim(data),
            evidence=f"the smallest support in {counted(len(classes), 'class')}: {words}; {READING}",
            smallest=smallest,
            witness=None if holds else Witness.at(f"{words}, fewer than k={self.k}", rows),
            figures=_figures(data, classes, rarest, self.k),
        )


def _class_of_row(data: LocalData, rows: Ints) -> str:
    return class_in_words(data, data.quasi, int(rows[0]))


def _figures(data: LocalData, classes: Classes, rarest: Rarest, k: int) -> dict[str, Any]:
    figures = {
        "records": data.row_count,
        "classes": len(classes),
        "smallest_class": int(classes.sizes.min()),
        "smallest_itemset_in_a_class": rarest.support,
        "itemsets_below_k": rarest.below_k,
    }
    # Of the single values only: items of records that could match are not looked into.
    wildcard = wildcard_reading(data, classes, k)
    if wildcard is not None:
        figures["smallest_class_if_missing_matched_all"] = wildcard["smallest"]
    return figures
