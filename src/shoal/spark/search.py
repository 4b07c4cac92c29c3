"""How an algorithm is run on a cluster: by counts, or by blocks of rows, as it declares.

If nobody named one, several are tried on a sample of the rows, and the one that loses least is run on all.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.algorithms.auto.block_sizes import BlockSizes
from shoal.algorithms.auto.candidates import BUDGET, automatic, named, serving
from shoal.algorithms.auto.trial import CHOSEN, Ranking, Trial
from shoal.algorithms.catalogue import ALGORITHMS, make_algorithm, takes
from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.parameters import AS_PRINTED
from shoal.algorithms.search import Search
from shoal.algorithms.within_levels import asks_for_levels, keeping_to_levels, seen, trimmed_trees
from shoal.errors import BadInput, Cancelled, LimitReached, Problem, ShoalError
from shoal.privacy.check import require_feasible
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.spark.blocks import PublishRows, RunClock, rows_searched_at_once
from shoal.spark.by_counts import search_by_counts
from shoal.spark.data import SparkData, SparkFound, empty_table
from shoal.spark.disassociation import search_clusters
from shoal.spark.publish_tasks import published_schema
from shoal.spark.sample import sample_of_sets, sample_of_table
from shoal.spark.set_blocks import search_parts, search_sets
from shoal.spark.table_blocks import DividedTable, divided_table, search_table

_UNCOMPARED = "what the form of the output costs beside a free choice is not measured on Spark"


def on_spark() -> dict[str, Distribution]:
    """What runs on Spark, and how, by name."""
    return {name: how for name, each in ALGORITHMS.items() if (how := each.distributed) is not None}


def _what_runs() -> str:
    return f"what runs there is {', '.join(on_spark())}; run others on one machine (--engine local)"


def spark_algorithm(
    search: Search, models: Sequence[Model], data: SparkData | None = None
) -> tuple[Algorithm, tuple[str, ...]]:
    """The algorithm that shall search; BadInput if it does not run on Spark, naming those that do.

    Without data the choice is not final, but what cannot be searched for at all is refused.
    """
    if search.algorithm == "auto":
        return _automatic(search, models, data)
    name, options = named(search.algorithm, models), dict(search.options)
    if search.limits.memory is not None and takes(name, "memory_limit"):
        options["memory_limit"] = search.limits.memory
    if takes(name, "on_limit"):
        options["on_limit"] = search.limits.on_limit
    if data is not None and takes(name, "block"):
        measure = str(options.get("measure", "lm"))
        options = {**BlockSizes(_in_a_task(data), models, measure, BUDGET).options(name), **options}
    _refuse_what_spark_cannot(name, models, search)
    algorithm = make_algorithm(name, _in_one_thread(name, options))
    if getattr(algorithm, "delta", None) == "frontier":
        what = f"{name} on Spark keeps one bound at a time, not several for a frontier"
        raise BadInput(Problem(what, "give delta as a number"))
    return algorithm, ()


def _in_a_task(data: SparkData) -> SparkData:
    """The data as large as one task may see them."""
    return replace(data, row_count=min(data.row_count, rows_searched_at_once(data)))


def _in_one_thread(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Spark has a task for every processor already."""
    return {"threads": 1, **options} if takes(name, "threads") else dict(options)


def _is_global(name: str) -> bool:
    """Whether it decides for all rows at once that every value has one label."""
    how = on_spark().get(name)
    return how is not None and how.by == "counts" and ALGORITHMS[name].recodes_globally


def _refuse_what_spark_cannot(name: str, models: Sequence[Model], search: Search) -> None:
    how = on_spark().get(name)
    if how is None:
        raise BadInput(Problem(f"{name} does not run on Spark", _what_runs()))
    if others := [model.name for model in models if type(model) not in how.serves]:
        names = ", ".join(model.name for model in how.serves)
        what = f"{name} on Spark does not serve {', '.join(others)}"
        raise BadInput(Problem(what, f"it serves {names} there; run it on one machine (--engine local)"))
    if search.recoding == "global" and not _is_global(name):
        what = f"one label per value was asked for, and {name} on Spark may publish a value in several ways"
        raise BadInput(
            Problem(
                what,
                f"use one of {', '.join(filter(_is_global, on_spark()))} for sets, or run it on one machine",
            )
        )
    if search.options.get(AS_PRINTED) is True:
        what = f"{name} on Spark divides the rows, or counts, as its paper does not"
        raise BadInput(Problem(what, "leave as_printed out, or run it on one machine (--engine local)"))
    if search.keep_order and how.by != "counts":
        what = f"{name} on Spark brings rows together, so their order cannot be kept"
        raise BadInput(Problem(what, "leave keep_order out"))


def _automatic(
    search: Search, models: Sequence[Model], data: SparkData | None
) -> tuple[Algorithm, tuple[str, ...]]:
    """The only one that serves there, or a trial of several."""
    names = []
    for name in serving(models) if data is None else keeping_to_levels(serving(models), data.roles):
        try:
            _refuse_what_spark_cannot(name, models, search)
        except BadInput:
            continue
        names.append(name)
    if not names:
        how = " with one label per value" if search.recoding == "global" else ""
        raise BadInput(Problem(f"nothing that runs on Spark serves {Promise(models)}{how}", _what_runs()))
    shape = None if data is None else _in_a_task(data)
    algorithm = automatic(models, search.options, search.limits, shape, names)
    if isinstance(algorithm, Trial):
        return algorithm, ()
    notice = f"auto took {algorithm.name}, the only one on Spark that suits these data and this promise"
    return algorithm, (notice,)


def search_on_spark(
    algorithm: Algorithm, data: SparkData, promise: Promise, search: Search, progress: Progress
) -> SparkFound:
    """Decide how the rows are published, and what is published of each."""
    require_feasible(promise, data.port)
    seed = search.seed if search.seed is not None else secrets.randbits(64)
    clock = RunClock.starting_now(search.limits)
    engine = _OnBlocks(data, promise, search, seed, clock)
    found = (
        engine.best_of(algorithm, progress)
        if isinstance(algorithm, Trial)
        else engine.search(algorithm, progress)
    )
    if search.recoding == "global" or asks_for_levels(data.roles):
        return replace(found, notices=(*found.notices, _UNCOMPARED))
    return found


@dataclass(frozen=True, eq=False)
class _OnBlocks:
    """Rows in Spark and what is promised of them."""

    data: SparkData
    promise: Promise
    wanted: Search
    seed: int
    clock: RunClock

    def search(
        self, algorithm: Algorithm, progress: Progress, divided: DividedTable | None = None
    ) -> SparkFound:
        """Run an algorithm as it declares that it can be run."""
        data = self.data
        schema = published_schema(empty_table(data.frame).schema, data.roles)
        task = PublishRows(
            data.reader,
            algorithm,
            tuple(self.promise),
            schema,
            self.seed,
            self.clock,
            value_counts=data.value_counts(),
            every=data.rows_for_one,
            every_of_values=data.rows_for_one_of_values,
        )
        match algorithm.distributed:
            case Distribution(by="counts"):
                return search_by_counts(data, task, progress)
            case Distribution(by="clusters"):
                return search_clusters(algorithm, data, self.promise, self.wanted, progress)
            case Distribution(by="parts"):
                return search_parts(data, task, progress)
            case _ if data.quasi:
                return search_table(data, task, progress, divided)
            case _:
                return search_sets(data, task, progress)

    def best_of(self, trial: Trial, progress: Progress) -> SparkFound:
        """Rank the candidates on a sample, and run the first one on all rows; the next one if it fails."""
        divided = divided_table(self.data, self.promise.k, progress) if self.data.quasi else None
        rng = np.random.default_rng(self.seed)
        progress.stage("bringing a sample to the driver")
        if divided is None:
            sample = sample_of_sets(self.data, self.promise, rng)
        else:
            sample = sample_of_table(divided, self.promise, rng)
        sample = seen(sample, trimmed_trees(sample.roles, sample.trees))
        ranking = trial.rank(sample, self.promise, rng, progress)
        hurried = self._within(trial)
        failures: list[tuple[str, ShoalError]] = []
        for candidate in ranking.candidates:
            options = _in_one_thread(candidate.name, candidate.options)
            try:
                found = hurried.search(make_algorithm(candidate.name, options), progress, divided)
            except (Cancelled, LimitReached):
                raise
            except ShoalError as error:
                failures.append((candidate.name, error))
                continue
            notice = _how_it_was_chosen(candidate.name, ranking, self.data.row_count, failures)
            figures = {**found.figures, CHOSEN: candidate.name, "tried": ranking.losses}
            return replace(found, notices=(notice, *found.notices), figures=figures)
        raise failures[0][1]

    def _within(self, trial: Trial) -> "_OnBlocks":
        """The same with a search that goes on with what it found when the time of the trial is up, if any."""
        limits = self.clock.limits
        if limits.time is None:
            return self
        return replace(
            self, clock=replace(self.clock, limits=replace(limits, time=trial.seconds, on_limit="best"))
        )


def _how_it_was_chosen(
    name: str, ranking: Ranking, row_count: int, failures: Sequence[tuple[str, ShoalError]]
) -> str:
    failed = "".join(f"; {other} failed on all ({error})" for other, error in failures)
    return (
        f"auto took {name}, tried on {ranking.row_count:,} of {row_count:,} records: {ranking.told}{failed}"
    )
