"""The same words for data in memory and for data in Spark, which is loaded only when it is used."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from shoal.algorithms.search import Limits, Search
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.metrics.catalogue import measure as measure_local
from shoal.metrics.tasks.usefulness import Task
from shoal.policy.coverage import coverage_problems
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.progress import Progress, Silent, interrupts_between_steps
from shoal.recoding.recoding import Recoding
from shoal.recoding.rows import RowRecoding
from shoal.run.in_memory import InMemory
from shoal.run.prepare import Data, checked_roles
from shoal.run.prepare import read as read_local
from shoal.run.release import release
from shoal.run.result import Result
from shoal.run.verification import verify_file
from shoal.table.database import DatabaseTable, is_connection
from shoal.table.reading import ReadOptions
from shoal.table.roles import Role

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.run.on_spark import SparkResult
    from shoal.spark.data import SparkData

_DEFAULTS = ReadOptions()


@overload
def read(
    source: DataFrame,
    columns: Mapping[str, Role],
    *,
    options: ReadOptions = ...,
    subject: str | None = ...,
) -> SparkData: ...
@overload
def read(
    source: Any,
    columns: Mapping[str, Role],
    *,
    options: ReadOptions = ...,
    subject: str | None = ...,
    table: str | None = ...,
    query: str | None = ...,
) -> Data: ...
@interrupts_between_steps()
def read(
    source: Any,
    columns: Mapping[str, Role],
    *,
    options: ReadOptions = _DEFAULTS,
    subject: str | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Data | SparkData:
    """Read a file or a frame, and bind its quasi-identifiers to their hierarchies.

    With `table` or `query` the source is a database: its URL, or a connection of ADBC or DuckDB. A relation
    of DuckDB is a frame. The rows of a Spark DataFrame stay where they are; its values are checked, and its
    trees are made.
    """
    if table is not None or query is not None:
        source = _in_database(source, table, query)
    elif is_connection(source):
        raise BadInput(Problem("a connection alone does not say what to read", "give table or query"))
    if is_spark_frame(source):
        from shoal.spark.data import read_spark

        return read_spark(source, checked_roles(columns), options, subject)
    return read_local(source, columns, options=options, subject=subject)


@overload
def anonymize(data: SparkData, models: Model | Sequence[Model], **how: Any) -> SparkResult: ...
@overload
def anonymize(data: Data, models: Model | Sequence[Model], **how: Any) -> Result: ...
@interrupts_between_steps()
def anonymize(
    data: Any,
    models: Model | Sequence[Model],
    *,
    algorithm: str = "auto",
    seed: int | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    on_limit: Literal["stop", "best"] = "stop",
    keep_order: bool = False,
    reproducible: bool = False,
    recoding: Literal["any", "global"] = "any",
    target: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Result | SparkResult:
    """Find a release of the data that keeps the promise, check it, and measure what it cost.

    Limits are seconds and bytes. Further options are those of the algorithm. For `seed`, `keep_order`,
    `reproducible` and `recoding` see `Search`. When a `target` is named, models are trained on the release to
    predict that column, and `result.usefulness` tells how well they do (needs the extra `ml`).
    """
    started = time.perf_counter()
    progress = progress or Silent()
    if not (isinstance(data, Data) or _is_read_by_spark(data)):
        raise InvalidParameter("anonymize", "data", data, "what `read` gives")
    search = Search(
        algorithm=algorithm,
        options=options,
        seed=seed,
        limits=Limits(time=time_limit, memory=memory_limit, on_limit=on_limit),
        keep_order=keep_order,
        reproducible=reproducible,
        recoding=recoding,
    )
    task = None if target is None else Task(target=target)
    if isinstance(data, Data):
        return release(InMemory(data), Promise.of(models), search, progress, started=started, task=task)
    from shoal.run.on_spark import OnSpark

    return release(OnSpark(data), Promise.of(models), search, progress, started=started, task=task)


@interrupts_between_steps()
def verify(
    published: Any,
    columns: Mapping[str, Role],
    models: Model | Sequence[Model],
    *,
    options: ReadOptions = _DEFAULTS,
) -> tuple[Verdict, ...]:
    """Check a published file or frame: one verdict per promise; BadInput if they leave a column open."""
    roles, promises = checked_roles(columns), Promise.of(models)
    if findings := coverage_problems(promises, roles):
        raise BadInput(*(Problem(what, remedy, column=column) for column, what, remedy in findings))
    if is_spark_frame(published):
        from shoal.run.spark_frames import verified_frame

        return verified_frame(published, roles, promises, options).verdicts
    return verify_file(published, roles, promises, options)


@interrupts_between_steps()
def measure(data: Any, recoding: Recoding, k: int = 1) -> dict[str, float]:
    """What a decision costs on data that were read, by every measure that applies; k is that of the promise.

    Data in Spark are measured where they are, under the one cut of a global recoding.
    """
    if isinstance(data, Data):
        return measure_local(data.local, recoding, k)
    if not _is_read_by_spark(data):
        raise InvalidParameter("measure", "data", data, "what `read` gives")
    cuts = recoding.all_cuts if isinstance(recoding, RowRecoding) else ()
    if len(cuts) != 1 or cuts[0].part_count != 1:
        raise InvalidParameter(
            "measure", "recoding", recoding, "one cut for all records where data are in Spark"
        )
    from shoal.spark.by_counts import measure_cut

    return measure_cut(data, cuts[0])


def _in_database(source: Any, table: str | None, query: str | None) -> DatabaseTable:
    if isinstance(source, str):
        return DatabaseTable(url=source, table=table, query=query)
    if is_connection(source):
        return DatabaseTable(connection=source, table=table, query=query)
    what = f"{type(source).__module__}.{type(source).__qualname__} is no database that Shoal can ask"
    raise BadInput(
        Problem(what, "give a url such as sqlite:///people.sqlite, or a connection of ADBC or DuckDB")
    )


def is_spark_frame(source: Any) -> bool:
    """Whether something is a Spark DataFrame, without loading Spark to find out."""
    return type(source).__module__.startswith("pyspark.sql.") and hasattr(source, "mapInArrow")


def _is_read_by_spark(data: Any) -> bool:
    return type(data).__module__ == "shoal.spark.data"
