"""The tour on the bundled sample: a table, sets, and a table with sets."""

import multiprocessing
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from shoal.progress import Progress
from shoal.report.outcome import Outcome
from shoal.run.output import refuse_unusable
from shoal.run.policy_run import run_policy
from shoal.study.child_processes import end_with_parent
from shoal.table.sample import copy_sample

_SECONDS_BETWEEN_LOOKS = 0.1


class Stop(NamedTuple):
    """One release of the tour, with its algorithm: named, so that a first run compiles that one only."""

    policy: str
    what: str
    algorithm: Mapping[str, Any]


# Classes of 60 patients leave most diagnoses within their chapter.
STOPS = (
    Stop("table", "the patients without their diagnoses", {"algorithm.name": "mondrian"}),
    Stop("sets", "the diagnoses alone", {"algorithm.name": "itemwise"}),
    Stop(
        "mixed",
        "the patients with their diagnoses",
        {"algorithm.name": "classwise", "algorithm.class_size": 60, "algorithm.items": "itemwise"},
    ),
)


@dataclass(frozen=True, slots=True)
class Made:
    """A release of the tour, and where it is."""

    stop: Stop
    outcome: Outcome
    folder: Path


@dataclass(frozen=True, slots=True)
class Tour:
    """All releases of the tour, on their way."""

    folder: Path
    outcomes: Mapping[str, Future[Outcome]]

    def made(self, stop: Stop, progress: Progress) -> Made:
        """Wait for one of them."""
        progress.stage(f"releasing {stop.what}")
        outcome = self.outcomes[stop.policy]
        while True:
            try:
                return Made(stop, outcome.result(_SECONDS_BETWEEN_LOOKS), _output(self.folder, stop))
            except NotYet:
                progress.update(0)


@contextmanager
def touring(folder: Path, *, replace: bool) -> Iterator[Tour]:
    """Copy the sample into `folder`, and begin to release it beside that.

    Most of a first tour is compiling, which one process does on one core, so there are two.
    """
    for stop in STOPS:
        refuse_unusable(_output(folder, stop), replace=replace)
    sample = folder / "sample"
    if not sample.exists():
        copy_sample(sample)
    processes, spawn = min(os.cpu_count() or 1, 2), multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=spawn, initializer=end_with_parent) as pool:
        try:
            longest_first = reversed(STOPS)
            yield Tour(
                folder, {stop.policy: pool.submit(_released, folder, stop, replace) for stop in longest_first}
            )
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _output(folder: Path, stop: Stop) -> Path:
    return folder / f"{stop.policy}-out"


def _released(folder: Path, stop: Stop, replace: bool) -> Outcome:  # noqa: FBT001 - a pool passes no names
    policy = folder / "sample" / f"{stop.policy}.toml"
    output = _output(folder, stop)
    return run_policy(policy, settings=stop.algorithm, out=output, replace=replace).outcome
