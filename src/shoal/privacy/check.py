"""Several promises at once."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.engine.port import Port
from shoal.privacy.model import Model
from shoal.privacy.verdict import Verdict


def verify_all(models: Sequence[Model], data: Port) -> list[Verdict]:
    """One verdict per promise."""
    return [model.verify(data) for model in models]


def require_feasible(models: Sequence[Model], data: Port) -> None:
    """Raise Infeasible, with the largest parameters possible, for a promise that these data cannot keep."""
    for model in models:
        if reason := model.infeasible(data):
            raise reason
