"""The adversaries by name; the command line, the docs and the tests iterate over them."""

from __future__ import annotations

from shoal.attack.absence import Absence
from shoal.attack.adversary import Adversary
from shoal.attack.exact_sets import ExactSets
from shoal.attack.items import Items
from shoal.attack.values import ValueAdversary
from shoal.attack.values_and_items import ValuesAndItems


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
