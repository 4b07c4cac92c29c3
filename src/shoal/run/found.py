"""What a search found, with all that the rest of a run needs to know."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import PromiseBroken
from shoal.policy.plan import Search
from shoal.privacy.verdict import Model, Verdict
from shoal.run.prepare import Data


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """The data, what is promised about them, and how the search went."""

    data: Data
    models: tuple[Model, ...]
    search: Search
    rng: np.random.Generator
    algorithm: str
    notices: tuple[str, ...]
    policy_text: str
    started: float
    search_seconds: float

    @property
    def k(self) -> int:
        """The largest k of the promises, 1 if they have none."""
        return max((int(getattr(model, "k", 1)) for model in self.models), default=1)

    def seconds(self) -> dict[str, float]:
        """How long the run has taken until now, and the search in it."""
        return {"total": time.perf_counter() - self.started, "algorithm": self.search_seconds}


def refuse_broken(verdicts: Sequence[Verdict]) -> None:
    """Raise PromiseBroken if a release did not pass its own check."""
    for verdict in verdicts:
        if not verdict.holds:
            sentence = f"the release was not written because it does not keep its promise: {verdict.evidence}"
            raise PromiseBroken(sentence, verdict)
