from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.engine.local import LocalData, rows_as_class
from shoal.errors import Infeasible
from shoal.privacy.items import (
    READING,
    check_sensitive,
    check_sets,
    guess_in_words,
    itemset_in_words,
    sensitive_names,
    too_few_records,
    verdict_on_guess,
)
from shoal.privacy.parameters import Number, check_number, check_whole, exact
from shoal.privacy.verdict import Verdict, Witness, counted, verdict_without_records


@dataclass(frozen=True, slots=True)
class SetKAnonymity:
    """Every published set is equal to those of at least k - 1 other records; empty sets count like others.

    Nobody who knows all items of a person can single out fewer than k records. Sensitive items are left out
    of the comparison. Defined by He and Naughton, Anonymization of set-valued data via top-down, local
    generalization, VLDB 2009.
    """

    name: ClassVar[str] = "set-k-anonymity"

    k: int

    def __post_init__(self) -> None:
        check_whole("SetKAnonymity", "k", self.k)

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""
        return f"satisfies complete k-anonymity of sets with k={self.k} on {', '.join(data.quasi_sets)}"

    def holds_for(self, size: int) -> bool:
        """Whether this many equal sets are enough."""
        return size >= self.k

    def infeasible(self, data: LocalData) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        check_sets(self.name, data)
        return too_few_records("complete k-anonymity of sets", self.k, data.row_count)

    def verify(self, data: LocalData) -> Verdict:
        """Find the rarest of the released sets."""
        check_sets(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        sets = data.joined_sets()
        classes = data.set_classes(sets)
        rarest = int(classes.sizes.argmin())
        smallest = int(classes.sizes[rarest])
        holds = self.holds_for(smallest)
        items = itemset_in_words(data, sets.items_of_row(int(classes.first_rows[rarest])))
        words = f"{items} is the set of {counted(smallest, 'record')}"
        return Verdict(
            holds=holds,
            claim=self.claim(data),
            evidence=f"the rarest of {counted(len(classes), 'different set')}: {words}; {READING}",
            smallest=smallest,
            witness=None if holds else Witness.at(f"{words}, fewer than k={self.k}", classes.rows(rarest)),
            figures={
                "records": data.row_count,
                "different_sets": len(classes),
                "sets_below_k": int((classes.sizes < self.k).sum()),
            },
        )


@dataclass(frozen=True, slots=True)
class SetLDiversity:
    """Among records with equal sets at most 1/l have any one sensitive item or value.

    Missing values are no values: shares are shares of the records that have one.
    """

    name: ClassVar[str] = "set-l-diversity"

    l: Number

    def __post_init__(self) -> None:
        check_number("SetLDiversity", "l", self.l, "a number of 1 or more", least=1)

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""
        return (
            f"satisfies l-diversity with l={self.l} for {', '.join(sensitive_names(data))}"
            f" among records with equal sets on {', '.join(data.quasi_sets)}"
        )

    def infeasible(self, data: LocalData) -> Infeasible | None:
        """Why no generalization of the items can keep the promise; None if one can.

        Whatever groups of equal sets the records with items form, one of them has at least the share that all
        of them have together.
        """
        check_sets(self.name, data)
        check_sensitive(self.name, data)
        sets = data.joined_sets()
        guess = sets.likeliest_guess(0, rows_as_class(np.diff(sets.quasi.starts) > 0))
        if guess is None or guess.share * exact(self.l) <= 1:
            return None
        place = " that have an item which is not sensitive"
        return Infeasible(
            f"l-diversity of equal sets with l={self.l} cannot be met: {guess_in_words(data, guess, place)},"
            f" and no generalization changes that; l can be at most {1 / guess.share}",
            largest_l=float(1 / guess.share),
            records=data.row_count,
        )

    def verify(self, data: LocalData) -> Verdict:
        """Find the likeliest guess among records with equal sets."""
        check_sets(self.name, data)
        check_sensitive(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        sets = data.joined_sets()
        guess = sets.likeliest_guess(0, data.set_classes(sets))
        place = ""
        if guess is not None:
            place = f" with the set {itemset_in_words(data, sets.items_of_row(int(guess.rows[0])))}"
        return verdict_on_guess(data, self.claim(data), guess, self.l, place)
