"""The choice by trial: several algorithms on the data themselves, and the one that loses least."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from shoal.algorithms.auto.objective import in_words, loss_of
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.interface import Algorithm
from shoal.algorithms.relational.clustering.blocks import block_of
from shoal.engine.local import LocalData
from shoal.errors import Cancelled, LimitReached, ShoalError
from shoal.posix import give_back_memory
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.recoding.recoding import Recoding
from shoal.threads import those_in_time

_SHARE_OF_SAMPLE = 0.3  # of the budget
_OVERTIME = 1.1  # times the budget, after which a candidate that does not heed it is given up
_GIVEN_UP = 1.25  # times the budget, after which nobody waits for it if there is another recoding
_FEW_TIMES_K = 5
_MANY_ROWS = 1_000_000  # whose search leaves hundreds of megabytes with the C library

AT_ONCE = 2
CHOSEN = "chosen"  # among the figures: the name of the algorithm that was taken

Sample = Callable[[LocalData, Sequence[Model], np.random.Generator], LocalData | None]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An algorithm with options; `mentioned` are those that tell it from other candidates.

    A quick one is run on all records beside the best, in case that does not get far in time.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    mentioned: tuple[str, ...] = ()
    quick: bool = False

    def in_words(self) -> str:
        """What it is called."""
        said = [f"{name} = {self.options[name]}" for name in self.mentioned if name in self.options]
        return f"{self.name} ({', '.join(said)})" if said else self.name


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """What came of a candidate: a recoding and its loss, or why there is none."""

    candidate: Candidate
    recoding: Recoding | None = None
    loss: float = float("inf")
    failure: ShoalError | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Candidates from the one that loses least on some records on; those that failed there come last."""

    tried: tuple[Tried, ...]
    row_count: int
    told: str

    @property
    def candidates(self) -> list[Candidate]:
        """In their order."""
        return [each.candidate for each in self.tried]

    @property
    def losses(self) -> dict[str, float]:
        """What each lost that did not fail."""
        return {each.candidate.in_words(): each.loss for each in self.tried if each.recoding}


class Trial(Algorithm):
    """Runs candidates within some seconds and keeps the recoding that loses least, of equals the first.

    Where data are large, all are run on a sample first, and then the best one on everything, beside those
    that are quick; the next takes its place if all fail. Of those that are run on everything so many are at
    the same time. The same data and random numbers give the same recoding as long as the time suffices.
    """

    name = "auto"
    serves = ()
    paper = "the best of several"
    guarantee = "that of the algorithm that was taken"

    def __init__(
        self,
        candidates: Sequence[Candidate],
        objective: str,
        seconds: float,
        sample: Sample,
        *,
        compiles_first: bool = False,
        at_once: int = AT_ONCE,
    ) -> None:
        self.candidates, self.seconds, self.at_once = tuple(candidates), seconds, at_once
        self._objective, self._sample, self._compiles_first = objective, sample, compiles_first

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> Recoding:
        """The cheapest recoding of all candidates."""
        run = self._begin(data, models, rng, progress)
        ranked, notices = list(self.candidates), []
        sample = self._sample(data, models, rng)
        if sample is not None:
            ranking = self._rank(run, sample, progress)
            ranked = ranking.candidates
            notices.append(f"auto tried on {sample.row_count:,} records: {ranking.told}")
        tried: list[Tried] = []
        while ranked and not any(each.recoding is not None for each in tried):
            now = ranked if sample is None else [*(each for each in ranked[1:] if each.quick), ranked[0]]
            progress.stage(f"trying {', '.join(each.in_words() for each in now)}")
            found = run.all(now, data, progress, self.seconds, self.at_once)
            tried += sorted(found, key=lambda each: ranked.index(each.candidate))
            ranked = [each for each in ranked if each not in now]
        best = min(tried, key=lambda each: each.loss)
        if best.recoding is None:
            raise best.failure or LimitReached("no algorithm found a release in time")
        notices.append(f"auto took {best.candidate.in_words()}: {run.told(data, tried)}")
        return replace(
            best.recoding,
            notices=(*notices, *best.recoding.notices),
            figures={
                **best.recoding.figures,
                CHOSEN: best.candidate.name,
                "tried": {each.candidate.in_words(): each.loss for each in tried if each.recoding},
            },
        )

    def rank(
        self, sample: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> Ranking:
        """The candidates in the order of what they lose on some of the records, for whoever runs them on all.

        The same records and random numbers give the same order as long as the time suffices.
        """
        return self._rank(self._begin(sample, models, rng, progress), sample, progress)

    def _begin(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> _Run:
        if self._compiles_first:
            self._compile(data, models, progress)
        return _Run(models, self._objective, rng.spawn(1)[0], time.monotonic())

    def _rank(self, run: _Run, sample: LocalData, progress: Progress) -> Ranking:
        progress.stage(f"trying {len(self.candidates)} algorithms on {sample.row_count:,} records")
        tried = run.all(self.candidates, sample, progress, _SHARE_OF_SAMPLE * self.seconds)
        tried.sort(key=lambda each: each.loss)
        return Ranking(tuple(tried), sample.row_count, run.told(sample, tried))

    def _compile(self, data: LocalData, models: Sequence[Model], progress: Progress) -> None:
        """Run all on a few records, so that the first run of an installation does not spend its time so."""
        few = block_of(data, np.arange(min(data.row_count, _FEW_TIMES_K * Promise(models).k)))
        progress.stage(f"getting {len(self.candidates)} algorithms ready")
        run = _Run(models, self._objective, np.random.default_rng(0), time.monotonic())
        run.all(self.candidates, few, progress, math.inf)


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """What all candidates have in common."""

    models: Sequence[Model]
    objective: str
    rng: np.random.Generator
    started: float

    def all(
        self,
        candidates: Sequence[Candidate],
        data: LocalData,
        progress: Progress,
        seconds: float,
        at_once: int = AT_ONCE,
    ) -> list[Tried]:
        """Run candidates, some at the same time, until so many seconds after the start."""
        searches = [
            partial(self._one, candidate, data, rng, seconds)
            for candidate, rng in zip(candidates, self.rng.spawn(len(candidates)), strict=True)
        ]
        given_up = self.started + _GIVEN_UP * seconds

        def is_over(ended: Sequence[Tried]) -> bool:
            if time.monotonic() <= given_up:
                return False
            return any(each.recoding is not None for each in ended) or progress.expired()

        tried = those_in_time(searches, progress, at_once, is_over)
        late = LimitReached("it did not end in time")
        return [
            each or Tried(candidate, failure=late) for candidate, each in zip(candidates, tried, strict=True)
        ]

    def _one(
        self,
        candidate: Candidate,
        data: LocalData,
        rng: np.random.Generator,
        seconds: float,
        progress: Progress,
    ) -> Tried:
        hurried = _UntilThen(progress, self.started + seconds, self.started + _OVERTIME * seconds)
        try:
            algorithm = make_algorithm(candidate.name, candidate.options)
            recoding = algorithm.find(data, self.models, rng, hurried)
            loss = loss_of(data, recoding, self.objective, Promise(self.models).k)
        except Cancelled:
            raise
        except ShoalError as error:
            return Tried(candidate, failure=_without_frames(error))
        if data.row_count >= _MANY_ROWS:
            give_back_memory()
        return Tried(candidate, recoding, loss)

    def told(self, data: LocalData, tried: Sequence[Tried]) -> str:
        """What each candidate loses, in a line."""
        losses = [
            f"{each.candidate.in_words()} "
            + (_written(each.loss, self.objective) if each.recoding else f"failed ({each.failure})")
            for each in tried
        ]
        return f"{in_words(data, self.objective)} {', '.join(losses)}"


def _without_frames(error: ShoalError) -> ShoalError:
    """The error without the frames it went through, which keep the arrays of a whole search in memory."""
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)


def _written(loss: float, objective: str) -> str:
    return f"{loss:.4g} bits" if "entropy" in objective else f"{100 * loss:.4g} %"


class _UntilThen:
    """Progress of a candidate that has to end in time; one that does not is ended a little later.

    Its time begins with it: where others ran first, a share is one of what they left.
    """

    def __init__(self, inner: Progress, end: float, given_up: float) -> None:
        self._inner, self._started, self._given_up = inner, time.monotonic(), given_up
        self._seconds = max(end - self._started, 0.0)

    def stage(self, name: str) -> None:
        """Name the part of the work that begins now."""
        self._inner.stage(name)

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        """Tell how much of the current stage is done."""
        self._inner.update(done, total, note)
        if time.monotonic() > self._given_up:
            raise LimitReached("it did not end in time")

    def expired(self, share: float = 1.0) -> bool:
        """Whether the time, or a share of it, has passed."""
        return self._inner.expired(share) or time.monotonic() > self._started + share * self._seconds
