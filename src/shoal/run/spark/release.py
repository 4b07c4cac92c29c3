"""One run on Spark from start to end: the rows stay where they are, the driver decides."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from pyspark import StorageLevel
from pyspark.sql import functions as sql

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.sets.aa import AA
from shoal.engine.spark.classes import quoted
from shoal.engine.spark.publishing import in_order_of_content, published_schema
from shoal.errors import BadInput, Infeasible, Problem
from shoal.privacy.verdict import Model
from shoal.progress import Progress
from shoal.report.outcome import Outcome, Promise
from shoal.run.certified import published_roles
from shoal.run.coverage import coverage_problems, protects_sensitive
from shoal.run.found import refuse_broken
from shoal.run.memory import peak_memory_mb
from shoal.run.plan import Search
from shoal.run.runner import WithinLimits, algorithm_for
from shoal.run.spark.data import SparkData, Spread, empty_table
from shoal.run.spark.result import SparkResult
from shoal.run.spark.verification import Published, class_sizes, refuse_unverifiable, verify_published_frame
from shoal.run.spark.whole import parts_of, release_by_cut
from shoal.table.roles import Insensitive

ON_SPARK = ("aa",)
_WHAT_RUNS = f"what runs there is {', '.join(ON_SPARK)}; run others on one machine (--engine local)"


def release_spark(
    data: SparkData,
    models: Sequence[Model],
    search: Search,
    progress: Progress,
    *,
    started: float,
    policy_text: str = "",
) -> SparkResult:
    """Search, apply, verify, measure: the steps of every run."""
    _refuse_too_few_records(data, models)
    _refuse_unsafe(data, models)
    for model in models:
        refuse_unverifiable(model)
    algorithm, choice_notices = spark_algorithm(search, models)
    searching = time.perf_counter()
    spread = _search(algorithm, data, models, WithinLimits(progress, search.limits))
    search_seconds = time.perf_counter() - searching

    progress.stage("applying")
    published = spread.published
    if not search.keep_order:
        published = in_order_of_content(published, parts_of(data.frame))
    published = published.persist(StorageLevel.MEMORY_AND_DISK)

    progress.stage("verifying")
    release = Published.of(published, data.roles, data.options)
    verdicts = tuple(verify_published_frame(release, models))
    refuse_broken(verdicts)

    progress.stage("measuring")
    outcome = Outcome(
        model=models[0].name,
        algorithm=algorithm.name,
        verdicts=verdicts,
        quasi=(*data.quasi, *data.quasi_sets),
        sensitive=data.sensitive,
        roles=published_roles(
            data.roles,
            data.roles,
            {name: [item for item in data.counts[name] if item is not None] for name in data.quasi_sets},
        ),
        records=data.row_count,
        published_records=release.row_count,
        suppressed_records=data.row_count - release.row_count,
        losses=spread.losses,
        column_losses=spread.column_losses,
        class_sizes_before=class_sizes(data.frame, data.reader),
        class_sizes_after=class_sizes(release.frame, release.reader),
        columns=tuple(data.roles),
        examples=(),
        seconds={"total": time.perf_counter() - started, "algorithm": search_seconds},
        peak_memory_mb=peak_memory_mb(),
        publishable=not search.keep_order,
        notices=(*data.notices, *choice_notices, *spread.notices, *_unprotected(data, models)),
        policy=policy_text,
        promises=tuple(map(Promise.of, models)),
        figures={"engine": "spark", **spread.figures},
    )
    return SparkResult(outcome, published, data, tuple(models), spread.cuts)


def spark_algorithm(search: Search, models: Sequence[Model]) -> tuple[Algorithm, tuple[str, ...]]:
    """The algorithm that shall search; BadInput if it does not run on Spark, naming those that do."""
    if search.algorithm == "auto":
        return _first_that_serves(search, models)
    algorithm, notices = algorithm_for(search, models)
    if algorithm.name not in ON_SPARK:
        raise BadInput(Problem(f"{algorithm.name} does not run on Spark", _WHAT_RUNS))
    return algorithm, notices


def _first_that_serves(search: Search, models: Sequence[Model]) -> tuple[Algorithm, tuple[str, ...]]:
    for name in ON_SPARK:
        try:
            algorithm, _ = algorithm_for(replace(search, algorithm=name), models)
        except BadInput:
            continue
        return algorithm, (
            f"auto took {name}, the first algorithm that runs on Spark and serves the promise",
        )
    promise = " with ".join(model.name for model in models)
    raise BadInput(Problem(f"nothing that runs on Spark serves {promise}", _WHAT_RUNS))


def _search(algorithm: Algorithm, data: SparkData, models: Sequence[Model], progress: Progress) -> Spread:
    if not isinstance(algorithm, AA):
        raise BadInput(Problem(f"{algorithm.name} does not run on Spark", _WHAT_RUNS))
    schema = published_schema(empty_table(data.frame).schema, data.roles)
    return release_by_cut(algorithm, data, models, progress, schema)


def _refuse_too_few_records(data: SparkData, models: Sequence[Model]) -> None:
    """Raise Infeasible where k is larger than the data."""
    for model in models:
        k = int(getattr(model, "k", 1))
        if k > data.row_count:
            raise Infeasible(
                f"{model.name} with k={k} cannot be met: k can be at most the number of records,"
                f" {data.row_count:,}",
                largest_k=data.row_count,
                records=data.row_count,
            )


def _refuse_unsafe(data: SparkData, models: Sequence[Model]) -> None:
    """Raise BadInput for what makes a release of these columns unsafe, whatever the search finds."""
    problems = [
        Problem(what, remedy, column=column) for column, what, remedy in coverage_problems(models, data.roles)
    ]
    k = max((int(getattr(model, "k", 1)) for model in models), default=1)
    untouched = [
        name for name, role in data.roles.items() if isinstance(role, Insensitive) and not role.confirm
    ]
    if untouched and k > 1:
        counts = data.frame.agg(*(sql.count_distinct(quoted(name)) for name in untouched)).first() or ()
        most = max(data.row_count / k, 1)
        problems += [
            Problem(
                f"is published untouched and has {distinct} distinct values, more than records / k ="
                f" {most:g}: it could tell people apart",
                'give it role "quasi", drop it, or set confirm = true if it really tells nothing',
                column=name,
            )
            for name, distinct in zip(untouched, counts, strict=True)
            if distinct > most
        ]
    if problems:
        raise BadInput(*problems)


def _unprotected(data: SparkData, models: Sequence[Model]) -> list[str]:
    """Sensitive columns that no promise protects."""
    names = [] if protects_sensitive(models) else list(data.sensitive)
    return [f"column {name!r} is sensitive, but nothing is promised about it" for name in names]
