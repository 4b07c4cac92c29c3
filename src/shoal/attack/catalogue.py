"""The adversaries by name; the command line, the docs and the tests iterate over them."""

from collections.abc import Sequence
from typing import ClassVar, Protocol

from shoal.attack.absence import Absence
from shoal.attack.exact_sets import ExactSets
from shoal.attack.finding import Finding
from shoal.attack.items import Items
from shoal.attack.links import Linked
from shoal.attack.values import ValueAdversary
from shoal.attack.values_and_items import ValuesAndItems
from shoal.progress import Progress


class Adversary(Protocol):
    """Somebody who knows something of each original record and looks for it in the release.

    `find` gives one finding per amount of knowledge; none where the data have nothing of that sort. An
    adversary knows the hierarchies and the original record, never the order of rows or the algorithm.
    """

    name: ClassVar[str]

    def find(self, linked: Linked, progress: Progress) -> Sequence[Finding]:
        """Attack the release, and the original itself for comparison."""


def adversaries(most: int | None = None) -> dict[str, Adversary]:
    """All adversaries; those who know some items try up to `most` of them, or two beyond the promise."""
    everybody: tuple[Adversary, ...] = (
        ValueAdversary(),
        Items(most),
        ExactSets(),
        Absence(most),
        ValuesAndItems(most),
    )
    return {adversary.name: adversary for adversary in everybody}
