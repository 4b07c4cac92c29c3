from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shoal.engine.local import LocalData
from shoal.errors import Infeasible
from shoal.privacy.items import check_sensitive, sensitive_names, verdict_on_guess
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.parameters import Number, check_number, check_whole
from shoal.privacy.verdict import Verdict, class_in_words


@dataclass(frozen=True, slots=True)
class KLmDiversity:
    """(k,k^m)-anonymity, and nobody who knows as much guesses what is sensitive better than once in l times.

    Within every class of records that agree on the quasi-identifiers with single values, and for every set of
    at most m items that are not sensitive, the empty set included, at most 1/l of the records of the class
    that hold it also hold any one sensitive item or value. Missing values are no values. Defined by Poulis,
    Loukides, Gkoulalas-Divanis and Skiadopoulos, ECML PKDD 2013.
    """

    name: ClassVar[str] = "k-lm-diversity"

    k: int
    l: Number
    m: int

    def __post_init__(self) -> None:
        check_whole("KLmDiversity", "k", self.k)
        check_number("KLmDiversity", "l", self.l, "a number of 1 or more", least=1)
        check_whole("KLmDiversity", "m", self.m)

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""
        return (
            f"satisfies (k,l^m)-diversity with k={self.k}, l={self.l}, m={self.m}"
            f" for {', '.join(sensitive_names(data))} on {', '.join((*data.quasi, *data.quasi_sets))}"
        )

    def infeasible(self, data: LocalData) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can as far as k goes."""
        return KKmAnonymity(self.k, self.m).infeasible(data)

    def verify(self, data: LocalData) -> Verdict:
        """Check (k,k^m)-anonymity, then find the likeliest guess within a class."""
        check_sensitive(self.name, data)
        supports = replace(KKmAnonymity(self.k, self.m).verify(data), claim=self.claim(data))
        if data.row_count == 0:
            return supports
        guess = data.joined_sets().likeliest_guess(self.m, data.classes(data.quasi))
        place = "" if guess is None else f" of class {class_in_words(data, data.quasi, int(guess.rows[0]))}"
        shares = verdict_on_guess(data, self.claim(data), guess, self.l, place)
        broken = supports if not supports.holds else shares
        return replace(
            supports,
            holds=supports.holds and shares.holds,
            evidence=f"{supports.evidence}; {shares.evidence}" if broken.holds else broken.evidence,
            witness=broken.witness,
            figures={**supports.figures, **shares.figures},
        )
