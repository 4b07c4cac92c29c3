"""One run on Spark from start to end: the rows stay where they are, the driver decides."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from pyspark.sql import functions as sql

from shoal.algorithms.catalogue import takes
from shoal.algorithms.interface import Algorithm
from shoal.algorithms.mixed.joint_search.options import FRONTIER
from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.disassociation.algorithm import Disassociate
from shoal.algorithms.sets.lra.algorithm import LRA
from shoal.algorithms.sets.vpa import VPA
from shoal.engine.memory import peak_memory_mb
from shoal.errors import BadInput, Infeasible, Problem
from shoal.policy.coverage import coverage_problems, protects_sensitive
from shoal.policy.plan import Search
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.set_k_anonymity import SetKAnonymity
from shoal.privacy.verdict import Model
from shoal.progress import Progress
from shoal.report.certified import published_roles
from shoal.report.class_sizes import SizeCounts
from shoal.report.outcome import Outcome, Promise
from shoal.run.found import refuse_broken
from shoal.run.release import WithinLimits, algorithm_for
from shoal.spark.blocks import Within, k_of
from shoal.spark.by_counts import parts_of, release_by_cut
from shoal.spark.classes import quoted
from shoal.spark.data import SparkData, Spread, empty_table
from shoal.spark.disassociation import release_pieces
from shoal.spark.publish_tasks import in_order_of_content, published_schema
from shoal.spark.reader import ROWS_ON_DISK, VALUES, CountValues
from shoal.spark.result import SparkResult
from shoal.spark.set_blocks import release_parts, release_sets
from shoal.spark.table_blocks import release_table
from shoal.spark.verification import Published, class_sizes, refuse_unverifiable, verify_published_frame
from shoal.table.roles import Insensitive, QuasiSet

_JOINT = (KKmAnonymity, KLmDiversity)
ON_SPARK: Mapping[str, tuple[type[Model], ...]] = MappingProxyType(
    {
        "aa": (KmAnonymity,),
        "lra": (KmAnonymity,),
        "vpa": (KmAnonymity,),
        "mondrian": (KAnonymity, LDiversity, AlphaKAnonymity),
        "partition": (SetKAnonymity,),
        "lgr": (SetKAnonymity,),
        "disassociation": (Disassociation,),
        **dict.fromkeys(("rmerge-rt", "rmerge-r", "rmerge-t"), _JOINT),
        **dict.fromkeys(("tmerge-rt", "tmerge-r", "tmerge-t", "rfirst", "tfirst"), _JOINT),
    }
)
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
    if isinstance(algorithm, Disassociate) and isinstance(models[0], Disassociation):
        return release_pieces(
            algorithm,
            data,
            models[0],
            search,
            progress,
            started=started,
            notices=choice_notices,
            policy_text=policy_text,
        )
    searching = time.perf_counter()
    spread = _search(algorithm, data, models, WithinLimits(progress, search.limits), search)
    search_seconds = time.perf_counter() - searching

    progress.stage("applying")
    published = spread.published
    if not search.keep_order:
        published = in_order_of_content(published, parts_of(data))
    published = published.persist(ROWS_ON_DISK)

    progress.stage("verifying")
    release = Published.of(published, data.roles, data.options)
    verdicts = tuple(verify_published_frame(release, models))
    if spread.working is not None:
        spread.working.unpersist()
    refuse_broken(verdicts)

    progress.stage("measuring")
    sizes = class_sizes(release.frame, release.reader)
    outcome = Outcome(
        model=models[0].name,
        algorithm=algorithm.name,
        verdicts=verdicts,
        quasi=(*data.quasi, *data.quasi_sets),
        sensitive=data.sensitive,
        roles=published_roles(data.roles, data.roles, _published_items(release)),
        records=data.row_count,
        published_records=release.row_count,
        suppressed_records=data.row_count - release.row_count,
        losses={**spread.losses, **(_losses_of_classes(sizes, data, models) if data.quasi else {})},
        column_losses=spread.column_losses,
        class_sizes_before=class_sizes(data.frame, data.reader),
        class_sizes_after=sizes,
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


def _published_items(release: Published) -> dict[str, list[str]]:
    """The sensitive items that were published, by their column; what is not published must not be named."""
    items = {}
    for name, role in release.reader.roles.items():
        if isinstance(role, QuasiSet) and role.sensitive:
            counting = CountValues(release.reader.only(name), [name])
            held = release.frame.select(quoted(name)).mapInArrow(counting, VALUES)
            rows = (
                held.filter(sql.col("label").isin(list(role.sensitive))).select("label").distinct().collect()
            )
            items[name] = [row.label for row in rows]
    return items


def _losses_of_classes(sizes: SizeCounts, data: SparkData, models: Sequence[Model]) -> dict[str, float]:
    """What the sizes of classes tell about the loss of a table without sets."""
    if data.quasi_sets:
        return {}
    return {
        "discernibility": float((sizes.classes * np.square(sizes.sizes.astype(np.float64))).sum()),
        "c_avg": data.row_count / max(1, int(sizes.classes.sum())) / k_of(models),
    }


def spark_algorithm(search: Search, models: Sequence[Model]) -> tuple[Algorithm, tuple[str, ...]]:
    """The algorithm that shall search; BadInput if it does not run on Spark, naming those that do."""
    if search.algorithm == "auto":
        return _first_that_serves(search, models)
    algorithm, notices = algorithm_for(_with_one_thread(search), models)
    if algorithm.name not in ON_SPARK:
        raise BadInput(Problem(f"{algorithm.name} does not run on Spark", _WHAT_RUNS))
    served = ON_SPARK[algorithm.name]
    if others := [model.name for model in models if type(model) not in served]:
        names = ", ".join(model.name for model in served)
        what = f"{algorithm.name} on Spark does not serve {', '.join(others)}"
        raise BadInput(Problem(what, f"it serves {names} there; run it on one machine (--engine local)"))
    if getattr(algorithm, "delta", None) == FRONTIER:
        what = f"{algorithm.name} on Spark keeps one bound at a time, not several for a frontier"
        raise BadInput(Problem(what, "give delta as a number"))
    if search.keep_order and not isinstance(algorithm, AA | VPA):
        what = f"{algorithm.name} on Spark brings rows together, so their order cannot be kept"
        raise BadInput(Problem(what, "leave keep_order out"))
    return algorithm, notices


def _with_one_thread(search: Search) -> Search:
    """Every task runs in one thread unless told otherwise: Spark has a task for every processor already."""
    if search.algorithm not in ON_SPARK or not takes(search.algorithm, "threads"):
        return search
    return replace(search, options={"threads": 1, **search.options})


def _first_that_serves(search: Search, models: Sequence[Model]) -> tuple[Algorithm, tuple[str, ...]]:
    for name in ON_SPARK:
        try:
            algorithm, _ = spark_algorithm(replace(search, algorithm=name), models)
        except BadInput:
            continue
        return algorithm, (
            f"auto took {name}, the first algorithm that runs on Spark and serves the promise",
        )
    promise = " with ".join(model.name for model in models)
    raise BadInput(Problem(f"nothing that runs on Spark serves {promise}", _WHAT_RUNS))


def _search(
    algorithm: Algorithm, data: SparkData, models: Sequence[Model], progress: Progress, search: Search
) -> Spread:
    schema = published_schema(empty_table(data.frame).schema, data.roles)
    within = Within.starting_now(search.limits)
    if isinstance(algorithm, AA | VPA):
        return release_by_cut(algorithm, data, models, progress, schema=schema, within=within)
    seed = search.seed if search.seed is not None else secrets.randbits(64)
    if isinstance(algorithm, LRA):
        return release_parts(algorithm, data, models, progress, schema=schema, seed=seed, within=within)
    by_branches = release_table if data.quasi else release_sets
    return by_branches(algorithm, data, models, progress, schema=schema, seed=seed, within=within)


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
