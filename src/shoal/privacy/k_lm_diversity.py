from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shoal.engine.local import LocalData
from shoal.engine.port import Described, Port, Question
from shoal.errors import Infeasible
from shoal.kernels.arrays import Bools
from shoal.privacy.items import check_sensitive, rows_of_guess, sensitive_names, verdict_on_guess
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.model import BOTH, Model
from shoal.privacy.parameters import Number, check_k, check_l, check_whole
from shoal.privacy.verdict import Verdict


@dataclass(frozen=True, slots=True)
class KLmDiversity(Model):
    """(k,k^m)-anonymity, and nobody who knows as much guesses what is sensitive better than once in l times.

    Within every class of records that agree on the quasi-identifiers with single values, and for every set of
    at most m items that are not sensitive, the empty set included, at most 1/l of the records of the class
    that hold it also hold any one sensitive item or value. Missing values are no values. Defined by Poulis,
    Loukides, Gkoulalas-Divanis and Skiadopoulos, ECML PKDD 2013.

    Args:
        k: How many records are found at least.
        l: Once in how many times somebody guesses right.
        m: How many items somebody knows at most.

    Raises:
        InvalidParameter: k, l or m is out of its range.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"age": ["30-39"] * 4, "codes": [["401", "HIV"], ["401"], ["401"], ["401"]]})
        >>> columns = {"age": sh.Quasi(), "codes": sh.QuasiSet(sensitive=("HIV",))}
        >>> [sh.verify(published, columns, sh.KLmDiversity(k=2, l=l, m=1))[0].holds for l in (4, 5)]
        [True, False]
    """

    name: ClassVar[str] = "k-lm-diversity"
    questions: ClassVar[frozenset[Question]] = KKmAnonymity.questions | {Question.GUESSES_WITHIN_CLASSES}
    covers: ClassVar[frozenset[type]] = BOTH
    bounded: ClassVar[bool] = True

    k: int
    l: Number
    m: int

    def __post_init__(self) -> None:
        check_k("KLmDiversity", self.k)
        check_l("KLmDiversity", self.l)
        check_whole("KLmDiversity", "m", self.m)

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "Take a reader who knows all single values of a person in the columns {values}, and up to {m}"
            " items of {sets}. If any row fits, at least {k} do, and no sensitive item or value belongs to"
            " more than one in {l} of them."
        )

    @property
    def diverse(self) -> bool:
        """It is about sensitive items and values, too."""
        return True

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        return (
            f"satisfies (k,l^m)-diversity with k={self.k}, l={self.l}, m={self.m}"
            f" for {', '.join(sensitive_names(data))} on {', '.join((*data.quasi, *data.quasi_sets))}"
        )

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can as far as k goes."""
        return KKmAnonymity(self.k, self.m).infeasible(data)

    def rows_to_leave_out(self, data: LocalData) -> Bools:
        """Rows of a release that have to go so that the promise can hold."""
        rare = KKmAnonymity(self.k, self.m).rows_to_leave_out(data)
        return rare | rows_of_guess(data, data.likeliest_guess(self.m, data.quasi), self.l)

    def verify(self, data: Port) -> Verdict:
        """Check (k,k^m)-anonymity, then find the likeliest guess within a class."""
        check_sensitive(self.name, data)
        supports = replace(KKmAnonymity(self.k, self.m).verify(data), claim=self.claim(data))
        if data.row_count == 0:
            return supports
        guess = data.likeliest_guess(self.m, data.quasi)
        place = "" if guess is None else f" of class {guess.where.in_words()}"
        shares = verdict_on_guess(data, self.claim(data), guess, self.l, place)
        broken = supports if not supports.holds else shares
        return replace(
            supports,
            holds=supports.holds and shares.holds,
            evidence=f"{supports.evidence}; {shares.evidence}" if broken.holds else broken.evidence,
            witness=broken.witness,
            figures={**supports.figures, **shares.figures},
        )
