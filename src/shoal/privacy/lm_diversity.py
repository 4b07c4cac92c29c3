from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.engine.local import LocalData
from shoal.engine.port import Described, Port, Question
from shoal.errors import Infeasible
from shoal.kernels.arrays import Bools
from shoal.privacy.items import (
    ONE_IN_L,
    check_sensitive,
    check_sets,
    guess_in_words,
    rows_of_guess,
    sensitive_names,
    verdict_on_guess,
)
from shoal.privacy.model import SETS, Beside, L, Model
from shoal.privacy.parameters import Number, check_l, check_whole, exact
from shoal.privacy.verdict import Verdict, verdict_without_records


@dataclass(frozen=True, slots=True)
class LmDiversity(Model):
    """Nobody who knows up to m items can guess a sensitive item or value better than once in l times.

    For every set of at most m items that are not sensitive, the empty set included, at most 1/l of the
    records that hold it also hold any one sensitive item. A sensitive column is treated alike, its values in
    place of sensitive items; missing values are no values, so shares are shares of the records that have one.
    It contains no k and goes beside k^m-anonymity. Defined by Terrovitis, Mamoulis and Kalnis, VLDB Journal
    20(1), 2011.

    Args:
        l: Once in how many times somebody guesses right.
        m: How many items somebody knows at most.

    Raises:
        InvalidParameter: l or m is out of its range.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"bought": [["tea", "test"], ["tea"], ["figs"]]})
        >>> columns = {"bought": sh.QuasiSet(sensitive=("test",))}
        >>> [sh.verify(published, columns, sh.LmDiversity(l=l, m=1))[0].holds for l in (2, 3)]
        [True, False]
    """

    name: ClassVar[str] = "lm-diversity"
    questions: ClassVar[frozenset[Question]] = frozenset({Question.GUESSES})
    covers: ClassVar[frozenset[type]] = SETS
    bounded: ClassVar[bool] = True
    beside: ClassVar[Beside | None] = Beside(
        models=frozenset({"km-anonymity"}),
        keys=(L,),
        make=lambda given: LmDiversity(given["l"], given["m"]),
        sensitive=ONE_IN_L,
    )

    l: Number
    m: int

    def __post_init__(self) -> None:
        check_l("LmDiversity", self.l)
        check_whole("LmDiversity", "m", self.m)

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "Knowing up to {m} items of a person's set does not give a sensitive item away: it occurs in no"
            " more than one in {l} of the rows that fit."
        )

    @property
    def diverse(self) -> bool:
        """It is about sensitive items."""
        return True

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        return (
            f"satisfies l^m-diversity with l={self.l}, m={self.m} for {', '.join(sensitive_names(data))}"
            f" on {', '.join(data.quasi_sets)}"
        )

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no generalization of the items can keep the promise; None if one can.

        It changes neither what is sensitive of all records, nor of those that have any other item, which
        know nothing but that when all their items are published alike.
        """
        check_sets(self.name, data)
        check_sensitive(self.name, data)
        among_all = data.likeliest_guess(0)
        among_known = data.likeliest_guess(0, with_items=True)
        likelier = [guess for guess in (among_all, among_known) if guess and guess.share * exact(self.l) > 1]
        if not likelier:
            return None
        likeliest = max(likelier, key=lambda guess: guess.share)
        place = "" if likeliest is among_all else " that have an item which is not sensitive"
        return Infeasible(
            f"l^m-diversity with l={self.l} cannot be met: {guess_in_words(data, likeliest, place)}, and no"
            f" generalization changes that; l can be at most {1 / likeliest.share}",
            largest_l=float(1 / likeliest.share),
            records=data.row_count,
        )

    def rows_to_leave_out(self, data: LocalData) -> Bools:
        """Rows of a release that have to go so that the promise can hold."""
        return rows_of_guess(data, data.likeliest_guess(self.m), self.l)

    def verify(self, data: Port) -> Verdict:
        """Find the likeliest guess over all itemsets of at most m items."""
        check_sets(self.name, data)
        check_sensitive(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        guess = data.likeliest_guess(self.m)
        return verdict_on_guess(data, self.claim(data), guess, self.l)
