from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.engine.local import LocalData
from shoal.privacy.items import check_sensitive, check_sets, sensitive_names, verdict_on_guess
from shoal.privacy.parameters import Number, check_number, check_whole
from shoal.privacy.verdict import Verdict, verdict_without_records


@dataclass(frozen=True, slots=True)
class LmDiversity:
    """Nobody who knows up to m items can guess a sensitive item or value better than once in l times.

    For every set of at most m items that are not sensitive, the empty set included, at most 1/l of the
    records that hold it also hold any one sensitive item. A sensitive column is treated alike, its values in
    place of sensitive items; missing values are no values, so shares are shares of the records that have one.
    It contains no k and goes beside k^m-anonymity. Defined by Terrovitis, Mamoulis and Kalnis, VLDB Journal
    20(1), 2011.
    """

    name: ClassVar[str] = "lm-diversity"

    l: Number
    m: int

    def __post_init__(self) -> None:
        check_number("LmDiversity", "l", self.l, "a number of 1 or more", least=1)
        check_whole("LmDiversity", "m", self.m)

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""
        return (
            f"satisfies l^m-diversity with l={self.l}, m={self.m} for {', '.join(sensitive_names(data))}"
            f" on {', '.join(data.quasi_sets)}"
        )

    def verify(self, data: LocalData) -> Verdict:
        """Find the likeliest guess over all itemsets of at most m items."""
        check_sets(self.name, data)
        check_sensitive(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        guess = data.joined_sets().likeliest_guess(self.m)
        return verdict_on_guess(data, self.claim(data), guess, self.l)
