"""The risk of somebody who does not know whether a person is in the file."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.attack.links import Linked
from shoal.attack.values import originals_behind_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Journalist:
    """Picks a published row and guesses who it is, among all people it could be about.

    `smallest` is the fewest people behind a row, so 1 / smallest the highest chance of a right guess; `mean`
    is the chance for a row picked at random.
    """

    smallest: int
    mean: float

    @property
    def highest(self) -> float:
        """The chance of a right guess for the least protected row."""
        return 1 / self.smallest


def journalist_risk(linked: Linked) -> Journalist | None:
    """The risk by single values, with the original as the population; None where there are none.

    Rows that no original record fits are not counted: they are about nobody.
    """
    if not linked.has_values:
        return None
    behind = originals_behind_rows(linked)
    behind = behind[behind > 0]
    return Journalist(smallest=int(behind.min()), mean=float((1 / behind).mean())) if len(behind) else None
