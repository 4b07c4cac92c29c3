"""Which algorithm serves a promise, when the user leaves the choice to us."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.algorithms.catalogue import ALGORITHMS
from shoal.errors import BadInput, Problem, UnknownName
from shoal.privacy.verdict import Model


@dataclass(frozen=True, slots=True)
class Choice:
    """An algorithm's name, and why it was taken if the choice was ours."""

    name: str
    notices: tuple[str, ...] = ()


def choose(name: str, models: Sequence[Model]) -> Choice:
    """The named algorithm if it serves all the models; for "auto" the first of the catalogue that does."""
    promise = " with ".join(model.name for model in models)
    serving = [
        algorithm.name
        for algorithm in ALGORITHMS.values()
        if all(isinstance(model, algorithm.serves) for model in models)
    ]
    if name == "auto":
        if not serving:
            raise BadInput(
                Problem(f"no algorithm of this version serves {promise}", "see `shoal algorithms`")
            )
        return Choice(serving[0], (f"auto chose {serving[0]}, the first algorithm that serves {promise}",))
    if name not in ALGORITHMS:
        raise UnknownName("Shoal", "algorithm", name, ("auto", *ALGORITHMS))
    if name not in serving:
        remedy = f"use one of {', '.join(serving)}" if serving else "see `shoal algorithms`"
        raise BadInput(Problem(f"the algorithm {name} does not serve {promise}", remedy))
    return Choice(name)
