from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.engine.local import LocalData
from shoal.engine.port import Described, Port, Question
from shoal.errors import Infeasible
from shoal.kernels.arrays import Bools
from shoal.privacy.items import (
    ONE_IN_L,
    READING,
    check_sensitive,
    check_sets,
    guess_in_words,
    rows_of_guess,
    sensitive_names,
    set_in_words,
    too_few_records,
    verdict_on_guess,
)
from shoal.privacy.model import SETS, Beside, K, L, Model, Named
from shoal.privacy.parameters import Number, check_k, check_l, exact
from shoal.privacy.verdict import Verdict, Witness, counted, verdict_without_records


@dataclass(frozen=True, slots=True)
class SetKAnonymity(Model):
    """Every published set is equal to those of at least k - 1 other records; empty sets count like others.

    Nobody who knows all items of a person can single out fewer than k records. Sensitive items are left out
    of the comparison. Defined by He and Naughton, Anonymization of set-valued data via top-down, local
    generalization, VLDB 2009.

    Args:
        k: How many records have equal sets at least.

    Raises:
        InvalidParameter: k is no integer of 2 or more.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"bought": [["tea", "figs"], ["figs", "tea"], ["tea"]]})
        >>> sh.verify(published, {"bought": sh.QuasiSet()}, sh.SetKAnonymity(k=2))[0].holds
        False
    """

    name: ClassVar[str] = "set-k-anonymity"
    covers: ClassVar[frozenset[type]] = SETS
    named: ClassVar[Named | None] = Named(
        knowledge="All of a person's items", keys=(K,), make=lambda given: SetKAnonymity(given["k"])
    )

    k: int

    def __post_init__(self) -> None:
        check_k("SetKAnonymity", self.k)

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "Every set in the file occurs at least {k} times, so even a reader who knows a person's whole set"
            " finds at least {k} rows that fit."
        )

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        return f"satisfies complete k-anonymity of sets with k={self.k} on {', '.join(data.quasi_sets)}"

    def holds_for(self, size: int) -> bool:
        """Whether this many equal sets are enough."""
        return size >= self.k

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        check_sets(self.name, data)
        return too_few_records("complete k-anonymity of sets", self.k, data.row_count)

    def rows_to_leave_out(self, data: LocalData) -> Bools:
        """Rows of a release that have to go so that the promise can hold."""
        return data.rows_of_small_classes(data.quasi_sets, self.k)

    def verify(self, data: Port) -> Verdict:
        """Find the rarest of the released sets."""
        check_sets(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        found = data.class_sizes(data.quasi_sets, self.k)
        smallest = found.sizes.smallest
        holds = self.holds_for(smallest)
        words = f"{set_in_words(data, found.weakest)} is the set of {counted(smallest, 'record')}"
        return Verdict(
            holds=holds,
            claim=self.claim(data),
            evidence=f"the rarest of {counted(found.sizes.class_count, 'different set')}: {words}; {READING}",
            smallest=smallest,
            witness=None if holds else Witness.of(f"{words}, fewer than k={self.k}", found.weakest),
            figures={
                "records": data.row_count,
                "different_sets": found.sizes.class_count,
                "sets_below_k": found.classes_below,
            },
        )


@dataclass(frozen=True, slots=True)
class SetLDiversity(Model):
    """Among records with equal sets at most 1/l have any one sensitive item or value.

    Missing values are no values: shares are shares of the records that have one.

    Args:
        l: Once in how many times somebody guesses right.

    Raises:
        InvalidParameter: l is out of its range.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"bought": [["tea"], ["tea"]], "income": ["low", "high"]})
        >>> columns = {"bought": sh.QuasiSet(), "income": sh.Sensitive()}
        >>> sh.verify(published, columns, sh.SetLDiversity(l=2))[0].holds
        True
    """

    name: ClassVar[str] = "set-l-diversity"
    questions: ClassVar[frozenset[Question]] = frozenset({Question.GUESSES_WITHIN_CLASSES})
    covers: ClassVar[frozenset[type]] = SETS
    beside: ClassVar[Beside | None] = Beside(
        models=frozenset({"set-k-anonymity"}),
        keys=(L,),
        make=lambda given: SetLDiversity(given["l"]),
        sensitive=ONE_IN_L,
    )

    l: Number

    def __post_init__(self) -> None:
        check_l("SetLDiversity", self.l)

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return "Among equal sets, no sensitive item occurs in more than one in {l} rows."

    @property
    def diverse(self) -> bool:
        """It is about sensitive items and values."""
        return True

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        return (
            f"satisfies l-diversity with l={self.l} for {', '.join(sensitive_names(data))}"
            f" among records with equal sets on {', '.join(data.quasi_sets)}"
        )

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no generalization of the items can keep the promise; None if one can.

        Whatever groups of equal sets the records with items form, one of them has at least the share that all
        of them have together.
        """
        check_sets(self.name, data)
        check_sensitive(self.name, data)
        guess = data.likeliest_guess(0, with_items=True)
        if guess is None or guess.share * exact(self.l) <= 1:
            return None
        place = " that have an item which is not sensitive"
        return Infeasible(
            f"l-diversity of equal sets with l={self.l} cannot be met: {guess_in_words(data, guess, place)},"
            f" and no generalization changes that; l can be at most {1 / guess.share}",
            largest_l=float(1 / guess.share),
            records=data.row_count,
        )

    def rows_to_leave_out(self, data: LocalData) -> Bools:
        """Rows of a release that have to go so that the promise can hold."""
        return rows_of_guess(data, data.likeliest_guess(0, data.quasi_sets), self.l)

    def verify(self, data: Port) -> Verdict:
        """Find the likeliest guess among records with equal sets."""
        check_sets(self.name, data)
        check_sensitive(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        guess = data.likeliest_guess(0, data.quasi_sets)
        place = "" if guess is None else f" with the set {set_in_words(data, guess.where)}"
        return verdict_on_guess(data, self.claim(data), guess, self.l, place)
