"""Several promises at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from shoal.engine.local import LocalData
from shoal.errors import Infeasible
from shoal.privacy.verdict import Model, Verdict


@runtime_checkable
class Foreseeable(Protocol):
    """A promise that can tell from the data alone that nothing will keep it."""

    def infeasible(self, data: LocalData) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""


def verify_all(models: Sequence[Model], data: LocalData) -> list[Verdict]:
    """One verdict per promise."""
    return [model.verify(data) for model in models]


def require_feasible(models: Sequence[Model], data: LocalData) -> None:
    """Raise Infeasible, with the largest parameters possible, for a promise that these data cannot keep."""
    for model in models:
        if isinstance(model, Foreseeable) and (reason := model.infeasible(data)):
            raise reason
