from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.engine.joined_sets import Rarest
from shoal.engine.local import LocalData
from shoal.errors import Infeasible, InvalidParameter
from shoal.privacy.items import READING, check_sets, itemset_in_words
from shoal.privacy.negative_knowledge import too_few_empty, verify_with_absence
from shoal.privacy.parameters import check_whole
from shoal.privacy.verdict import Verdict, Witness, counted, verdict_without_records


@dataclass(frozen=True, slots=True)
class KmAnonymity:
    """Every set of at most m items that occurs in a record occurs in at least k records.

    Nobody who knows up to m items of a person can single out fewer than k records. It says nothing about
    somebody who knows more items, or which items are absent. With `negative` the latter counts as well: to
    know that a published item is absent takes as many facts as it stands for items, and whatever takes at
    most m facts fits no record or at least k. Sensitive items are not counted: they are what must not be
    learnt, not what is known. Records without items pass, unless their emptiness can be known. Defined by
    Terrovitis, Mamoulis and Kalnis, Local and global recoding methods for anonymizing set-valued data, VLDB
    Journal 20(1), 2011.
    """

    name: ClassVar[str] = "km-anonymity"

    k: int
    m: int
    negative: bool = False

    def __post_init__(self) -> None:
        check_whole("KmAnonymity", "k", self.k)
        check_whole("KmAnonymity", "m", self.m)
        if not isinstance(self.negative, bool):
            raise InvalidParameter("KmAnonymity", "negative", self.negative, "true or false")

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""
        negative = " and negative knowledge" if self.negative else ""
        return (
            f"satisfies k^m-anonymity with k={self.k}, m={self.m}{negative} on {', '.join(data.quasi_sets)}"
        )

    def holds_for(self, support: int) -> bool:
        """Whether an itemset that occurs this often is frequent enough."""
        return support >= self.k

    def infeasible(self, data: LocalData) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        check_sets(self.name, data)
        with_items = int(np.count_nonzero(np.diff(data.joined_sets().quasi.starts)))
        reason = self.too_few_with_items(with_items, data.row_count)
        return too_few_empty(data, self.k, self.m) if reason is None and self.negative else reason

    def too_few_with_items(self, with_items: int, records: int) -> Infeasible | None:
        """Why so few records with any item cannot keep the promise; None if they can, or there are none."""
        if with_items == 0 or self.holds_for(with_items):
            return None
        return Infeasible(
            f"k^m-anonymity with k={self.k} cannot be met: only {counted(with_items, 'record')} "
            f"{'has' if with_items == 1 else 'have'} any item, so k can be at most {with_items}",
            largest_k=with_items,
            records=records,
        )

    def verify(self, data: LocalData) -> Verdict:
        """Find the rarest itemset of the released sets."""
        check_sets(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        if self.negative:
            return verify_with_absence(data, self.claim(data), self.k, self.m)
        return self.verdict_on(data, data.joined_sets().rarest(self.m, self.k))

    def verdict_on(self, data: LocalData, rarest: Rarest) -> Verdict:
        """The verdict, given the rarest itemset; of the data themselves only the names are used."""
        figures = {"records": data.row_count, "itemsets_below_k": rarest.below_k}
        if rarest.support is None:
            evidence = "no record has an item that must be counted"
            return Verdict(holds=True, claim=self.claim(data), evidence=evidence, figures=figures)
        holds = self.holds_for(rarest.support)
        words = rarest_in_words(data, rarest)
        return Verdict(
            holds=holds,
            claim=self.claim(data),
            evidence=f"the rarest set of at most {counted(self.m, 'item')}: {words}; {READING}",
            smallest=rarest.support,
            witness=None if holds else Witness.at(f"{words}, fewer than k={self.k}", rarest.rows),
            figures=figures,
        )


def rarest_in_words(data: LocalData, rarest: Rarest) -> str:
    """The rarest itemset and where it occurs: '{beer, wine} occurs in 3 records'."""
    return f"{itemset_in_words(data, rarest.itemset)} occurs in {counted(rarest.support or 0, 'record')}"
