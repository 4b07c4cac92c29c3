"""How an algorithm is run on a cluster: by counts, or by blocks of rows, as it declares."""

import secrets
from collections.abc import Sequence
from dataclasses import replace

from shoal.algorithms.auto.candidates import named
from shoal.algorithms.catalogue import ALGORITHMS, make_algorithm, takes
from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.search import Search
from shoal.errors import BadInput, Problem
from shoal.privacy.check import require_feasible
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.spark.blocks import PublishRows, RunClock
from shoal.spark.by_counts import search_by_counts
from shoal.spark.data import SparkData, SparkFound, empty_table
from shoal.spark.disassociation import search_clusters
from shoal.spark.publish_tasks import published_schema
from shoal.spark.set_blocks import search_parts, search_sets
from shoal.spark.table_blocks import search_table


def on_spark() -> dict[str, Distribution]:
    """What runs on Spark, and how, by name."""
    return {name: how for name, each in ALGORITHMS.items() if (how := each.distributed) is not None}


def _what_runs() -> str:
    return f"what runs there is {', '.join(on_spark())}; run others on one machine (--engine local)"


def spark_algorithm(search: Search, models: Sequence[Model]) -> tuple[Algorithm, tuple[str, ...]]:
    """The algorithm that shall search; BadInput if it does not run on Spark, naming those that do."""
    if search.algorithm == "auto":
        return _first_that_serves(search, models)
    options = dict(search.options)
    if search.algorithm in on_spark() and takes(search.algorithm, "threads"):
        options = {"threads": 1, **options}  # Spark has a task for every processor already
    name = named(search.algorithm, models)
    if takes(name, "on_limit"):
        options["on_limit"] = search.limits.on_limit
    algorithm = make_algorithm(name, options)
    _refuse_what_spark_cannot(algorithm, models, search)
    return algorithm, ()


def _refuse_what_spark_cannot(algorithm: Algorithm, models: Sequence[Model], search: Search) -> None:
    how = algorithm.distributed
    if how is None:
        raise BadInput(Problem(f"{algorithm.name} does not run on Spark", _what_runs()))
    if others := [model.name for model in models if type(model) not in how.serves]:
        names = ", ".join(model.name for model in how.serves)
        what = f"{algorithm.name} on Spark does not serve {', '.join(others)}"
        raise BadInput(Problem(what, f"it serves {names} there; run it on one machine (--engine local)"))
    if getattr(algorithm, "delta", None) == "frontier":
        what = f"{algorithm.name} on Spark keeps one bound at a time, not several for a frontier"
        raise BadInput(Problem(what, "give delta as a number"))
    if search.keep_order and how.by != "counts":
        what = f"{algorithm.name} on Spark brings rows together, so their order cannot be kept"
        raise BadInput(Problem(what, "leave keep_order out"))


def _first_that_serves(search: Search, models: Sequence[Model]) -> tuple[Algorithm, tuple[str, ...]]:
    for name in on_spark():
        try:
            algorithm, _ = spark_algorithm(replace(search, algorithm=name), models)
        except BadInput:
            continue
        notice = f"auto took {name}, the first algorithm that runs on Spark and serves the promise"
        return algorithm, (notice,)
    raise BadInput(Problem(f"nothing that runs on Spark serves {Promise(models)}", _what_runs()))


def search_on_spark(
    algorithm: Algorithm, data: SparkData, promise: Promise, search: Search, progress: Progress
) -> SparkFound:
    """Decide how the rows are published, and what is published of each."""
    require_feasible(promise, data.port)
    task = PublishRows(
        data.reader,
        algorithm,
        tuple(promise),
        published_schema(empty_table(data.frame).schema, data.roles),
        search.seed if search.seed is not None else secrets.randbits(64),
        RunClock.starting_now(search.limits),
    )
    match algorithm.distributed:
        case Distribution(by="counts"):
            return search_by_counts(data, task, progress)
        case Distribution(by="clusters"):
            return search_clusters(algorithm, data, promise, search, progress)
        case Distribution(by="parts"):
            return search_parts(data, task, progress)
        case _:
            return (search_table if data.quasi else search_sets)(data, task, progress)
