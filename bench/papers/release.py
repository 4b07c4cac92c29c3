"""One release, made by `shoal.anonymize` itself, what was measured of it, and a file that remembers."""

from __future__ import annotations

import json
import math
import multiprocessing
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

import shoal as sh
from measuring.cells import FORK, peak_memory_mb
from measuring.count_tree import nodes_at_once, watched_count_trees
from papers.sources import WITH_VALUES, load
from shoal.errors import Infeasible, LimitReached, ShoalError
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.set_recoding import renumbered_sets
from shoal.metrics.estimates import RecordsEstimator, relative_errors
from shoal.metrics.items import published_occurrences
from shoal.metrics.mining import generalized_loss
from shoal.metrics.ml2 import mining_loss
from shoal.metrics.workloads import generate_workload
from shoal.privacy.model import Model
from shoal.progress import Progress, Silent
from shoal.recoding.rows import RowRecoding
from shoal.run.result import Result

QUERY_SHAPES = ((1, 0), (2, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
_HOLDERS_OF_COUNT_TREES = ("oa", "da", "aa", "lra", "vpa")
_WORDS_OF_LIMITS = ("time was up", "a limit stopped")
_FEW = 500  # records to compile with
_GRACE = 180.0  # seconds beyond those of both searches: reading, checking, and what cannot be interrupted


@dataclass(frozen=True)
class Release:
    """Some records of some data, published by an algorithm under a promise.

    The promise has k, and m for items, l for diversity, epsilon for noise; with `whole_sets` records have to
    be equal in all their items. `queries` asks for the errors of counts.
    """

    data: str
    algorithm: str
    promise: Mapping[str, float]
    options: Mapping[str, Any] = field(default_factory=dict)
    records: int | None = None
    whole_sets: bool = False
    queries: bool = False
    mined_at: Sequence[float] = ()

    @property
    def key(self) -> str:
        """What tells this release from others."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def holds_count_trees(self) -> bool:
        """Whether the paper's own form of the algorithm counts itemsets in a tree."""
        as_printed = self.algorithm == "oa" or self.options.get("as_printed", False)
        return self.algorithm in _HOLDERS_OF_COUNT_TREES and as_printed

    @property
    def models(self) -> list[Model]:
        """The promise as models."""
        k, m, l = (self.promise.get(name, 0) for name in ("k", "m", "l"))
        if "epsilon" in self.promise:
            return [sh.DifferentialPrivacy(self.promise["epsilon"])]
        if self.algorithm == "disassociation":
            return [sh.Disassociation(int(k), int(m))]
        if self.whole_sets:
            return [sh.SetKAnonymity(int(k))]
        base, _, change = self.data.partition(":")
        if base in WITH_VALUES and change != "values":
            return [sh.KLmDiversity(int(k), l, int(m)) if l else sh.KKmAnonymity(int(k), int(m))]
        if m:
            return [sh.KmAnonymity(int(k), int(m))]
        return [sh.KAnonymity(int(k)), *([sh.LDiversity(l)] if l > 1 else [])]


@dataclass(frozen=True)
class Measured:
    """The figures of a release; `problem` says why there are none, `limit` how many seconds it had."""

    release: Release
    figures: Mapping[str, float] = field(default_factory=dict)
    problem: str = ""
    in_time: bool = True
    limit: float | None = None

    def figure(self, name: str) -> float:
        """A figure by its name, or what is no number."""
        return self.figures.get(name, math.nan)


class SearchClock(Silent):
    """Processor seconds of the search alone, those of all its threads together."""

    def __init__(self) -> None:
        super().__init__()
        self._began = self.seconds = math.nan

    def stage(self, name: str) -> None:
        """A search begins, or what was found is applied."""
        if name.startswith("searching with "):
            self._began = time.process_time()
        elif name == "applying":
            self.seconds = time.process_time() - self._began


def measure(release: Release, seconds: float) -> Measured:
    """Publish; the verifier has judged what comes back."""
    clock, started = SearchClock(), time.process_time()
    found = _published(release, release.records, seconds, clock)
    if isinstance(found, ShoalError):
        in_time = not isinstance(found, LimitReached)
        return Measured(release, problem=str(found).splitlines()[0], in_time=in_time, limit=seconds)
    outcome = found.outcome
    figures = {
        **_errors_of_pairs(found),
        **outcome.cost.losses,
        **{name: float(value) for name, value in outcome.provenance.figures.items() if _is_number(value)},
        "seconds": outcome.provenance.seconds["algorithm"],
        "processor_seconds": time.process_time() - started,
        "search_processor_seconds": clock.seconds,
        "memory_mb": peak_memory_mb(),
    }
    if release.mined_at:
        figures |= _mined(found, release.mined_at)
    if release.queries:
        figures |= _query_errors(found)
    if release.holds_count_trees:
        figures |= _count_trees(release, seconds)
    in_time = not any(word in notice for notice in outcome.provenance.notices for word in _WORDS_OF_LIMITS)
    return Measured(release, figures, in_time=in_time, limit=seconds)


def measure_compiled(release: Release, seconds: float) -> Measured:
    """The same, after kernels were compiled with a few records."""
    _published(release, min(_FEW, release.records or _FEW), seconds, Silent())
    return measure(release, seconds)


def _published(
    release: Release, records: int | None, seconds: float, progress: Progress
) -> Result | ShoalError:
    try:
        return sh.anonymize(
            load(release.data, records),
            release.models,
            algorithm=release.algorithm,
            time_limit=seconds,
            on_limit="best",
            seed=None if "epsilon" in release.promise else 0,
            progress=progress,
            **release.options,
        )
    except (Infeasible, LimitReached) as error:
        return error


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _errors_of_pairs(found: Result) -> dict[str, float]:
    """re of generalized items, each of which counts evenly for the items below it."""
    data, recoding = found.data.local, found.recoding
    if not isinstance(recoding, RowRecoding) or recoding.clusters is not None:
        return {}
    (items,) = recoding.items
    tree = items.vocabulary(data.trees)
    if not isinstance(tree, Hierarchy):
        return {}
    sets, nodes = published_occurrences(data, items)
    published = renumbered_sets(sets.starts, nodes)
    return dict(generalized_loss(data.table.sets(items.column), published, tree).losses)


def _mined(found: Result, shares: Sequence[float]) -> dict[str, float]:
    data, recoding = found.data.local, found.recoding
    if not isinstance(recoding, RowRecoding):
        raise TypeError("only generalized items have ML2 by level")
    (items,) = recoding.items
    tree = items.vocabulary(data.trees)
    if not isinstance(tree, Hierarchy):
        raise TypeError("ML2 needs a tree")
    losses = [mining_loss(tree, *published_occurrences(data, items), share) for share in shares]
    levels = [loss.dml2 for loss in losses if loss.dml2 is not None]
    return {"ml2": fmean(loss.ml2 for loss in losses), **({"dml2": fmean(levels)} if levels else {})}


def _query_errors(found: Result) -> dict[str, float]:
    """ARE of 100 counts for each shape, as the papers estimate and as Shoal does."""
    data, errors = found.data.local, {}
    truth = RecordsEstimator(data, data.table)
    for name, estimator in (("are", "subsets"), ("are_best", "best")):
        published = RecordsEstimator(data, found.released, estimator)  # type: ignore[arg-type]
        for values, items in QUERY_SHAPES:
            queries = generate_workload(data, np.random.default_rng(7), values=values, items=items)
            errors[f"{name}_{values}_{items}"] = relative_errors(queries, truth, published).are
    return errors


def _count_trees(release: Release, seconds: float) -> dict[str, float]:
    """The nodes of count-trees, from a search of its own because counting them takes time.

    OA looks up its supports in the complete tree, which is that of DA.
    """
    like = replace(release, algorithm="da", options={"as_printed": True})
    with watched_count_trees() as trees:
        _published(like if release.algorithm == "oa" else release, release.records, seconds, Silent())
    return {
        "count_tree_nodes": max(tree.nodes for tree in trees),
        "count_tree_nodes_at_once": nodes_at_once(trees, then_all=release.algorithm == "vpa"),
    }


class Notebook:
    """What was measured so far: a run that was stopped goes on where it was."""

    def __init__(self, path: Path, seconds: float, *, apart: bool) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._seconds, self._apart = path, seconds, apart
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        known = [
            Measured(**{**each, "release": Release(**each["release"])}) for each in map(json.loads, lines)
        ]
        self._known = {each.release.key: each for each in known}

    def known(self, release: Release) -> Measured | None:
        """What was measured of a release, if it was."""
        return self._known.get(release.key)

    def all(self) -> list[Measured]:
        """Everything that was measured."""
        return [*self._known.values()]

    def is_wanted(self, release: Release) -> bool:
        """Whether it was not measured yet, or time was up and there is more of it now."""
        known = self.known(release)
        return known is None or (not known.in_time and (known.limit or math.inf) < self._seconds)

    def measure_now(self, release: Release) -> Measured:
        """Measured, apart in a process of its own, and written down; the last line about it counts."""
        self._known[release.key] = self._measured_now(release)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(self._known[release.key])) + "\n")
        return self._known[release.key]

    def _measured_now(self, release: Release) -> Measured:
        if not self._apart:
            return measure(release, self._seconds)
        with FORK.Pool(1) as pool:  # importing takes longer than many a search
            try:
                return pool.apply_async(measure_compiled, (release, self._seconds)).get(
                    2 * self._seconds + _GRACE
                )
            except multiprocessing.TimeoutError:
                problem = f"it did not end soon after the {self._seconds:g} seconds that it had"
                return Measured(release, problem=problem, in_time=False, limit=self._seconds)
