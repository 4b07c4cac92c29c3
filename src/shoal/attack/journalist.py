"""The risk of somebody who does not know whether a person is in the file."""

from dataclasses import dataclass, replace

import numpy as np

from shoal.attack.links import Linked
from shoal.attack.values import originals_behind_rows
from shoal.engine.local import LocalData


@dataclass(frozen=True, slots=True, kw_only=True)
class Journalist:
    """Picks a published row and guesses who it is, among all people of a population it could be about.

    `smallest` is the fewest people behind a row, so 1 / smallest the highest chance of a right guess; `mean`
    is the chance for a row picked at random, and `unique` the share of rows that only one person fits.
    `unique_people` is the share of the `people` who are the only ones with their values: population
    uniqueness. Without a file of the population the original stands for it (`sampled` is False).
    """

    smallest: int
    mean: float
    unique: float
    people: int
    unique_people: float
    sampled: bool

    @property
    def highest(self) -> float:
        """The chance of a right guess for the least protected row."""
        return 1 / self.smallest


def journalist_risk(linked: Linked, population: LocalData | None = None) -> Journalist | None:
    """The risk by single values; None where there are none. The original is the population unless given.

    Rows that nobody of the population fits are not counted: they are about nobody.
    """
    if not linked.has_values:
        return None
    everybody = linked.original if population is None else population
    behind = originals_behind_rows(linked if population is None else replace(linked, original=everybody))
    behind = behind[behind > 0]
    if len(behind) == 0:
        return None
    alone = np.count_nonzero(everybody.classes(linked.original.quasi).sizes == 1)
    return Journalist(
        smallest=int(behind.min()),
        mean=float((1 / behind).mean()),
        unique=float((behind == 1).mean()),
        people=everybody.row_count,
        unique_people=float(alone / everybody.row_count),
        sampled=population is not None,
    )
