"""The same words for data in memory and for data in Spark, which is loaded only when it is used."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from shoal.algorithms.search import Limits, Search
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.metrics.catalogue import measure as measure_local
from shoal.metrics.tasks.usefulness import Task
from shoal.policy.coverage import coverage_problems
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdicts
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
from shoal.threads import at_most

if TYPE_CHECKING:
    from shoal.run.on_spark import SparkResult
    from shoal.spark.data import SparkData

_DEFAULTS = ReadOptions()


class SparkFrame(Protocol):
    """A DataFrame of Spark, for those who have Spark and those who have not."""

    def mapInArrow(self, func: Any, schema: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N802
        """What only such frames have."""


@overload
def read(
    source: str | PathLike[str],
    columns: Mapping[str, Role],
    *,
    options: ReadOptions = ...,
    subject: str | None = ...,
    table: str | None = ...,
    query: str | None = ...,
) -> Data: ...
@overload
def read(
    source: SparkFrame,
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

    The rows of a Spark DataFrame stay where they are; its values are checked, and its trees are made.

    Args:
        source: A path (a file, a folder, a pattern such as `data/*.parquet`, or an address such as
            `s3://bucket/data.parquet`); a pandas, polars, pyarrow or Spark frame; a relation of DuckDB; with
            `table` or `query` the URL of a database or a connection of ADBC or DuckDB.
        columns: The role of each column.
        options: How files are written.
        subject: An identifier column: rows with the same value belong to one person.
        table: The table of a database.
        query: A query to a database.

    Returns:
        Data ready for `anonymize`.

    Raises:
        BadInput: Everything that is wrong with the data and their hierarchies, at once.
        InvalidParameter: Something in `columns` is no role.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> people = pa.table({"age": [31, 34, 36, 39], "town": ["Ulm", "Ulm", "Jena", "Jena"]})
        >>> roles = {"age": sh.Quasi(kind="number"), "town": sh.Quasi(hierarchy=sh.flat())}
        >>> sh.read(people, roles)
        <Data: 4 records; quasi age, town>
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
def anonymize(
    data: Data,
    models: Model | Sequence[Model],
    *,
    algorithm: str = ...,
    seed: int | None = ...,
    time_limit: float | None = ...,
    memory_limit: float | None = ...,
    on_limit: Literal["stop", "best"] = ...,
    keep_order: bool = ...,
    reproducible: bool = ...,
    recoding: Literal["any", "global"] = ...,
    target: str | None = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
    **options: Any,
) -> Result: ...
@overload
def anonymize(
    data: SparkData,
    models: Model | Sequence[Model],
    *,
    algorithm: str = ...,
    seed: int | None = ...,
    time_limit: float | None = ...,
    memory_limit: float | None = ...,
    on_limit: Literal["stop", "best"] = ...,
    keep_order: bool = ...,
    reproducible: bool = ...,
    recoding: Literal["any", "global"] = ...,
    target: str | None = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
    **options: Any,
) -> SparkResult: ...
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
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Result | SparkResult:
    """Find a release of the data that keeps the promise, check it, and measure what it cost.

    Args:
        data: What `read` gives.
        models: The promise: one model, or several that hold together.
        algorithm: The name of an algorithm, or "auto" to try several.
        seed: Steers the search only; what protects is drawn by the operating system.
        time_limit: Seconds for the search.
        memory_limit: Bytes for the search.
        on_limit: At a limit, "stop", or go on with the "best" that was found if it is safe.
        keep_order: Keep the order of the rows; the result is then marked as not publishable.
        reproducible: Fix the order of the published rows, for tests; marked likewise.
        recoding: "global" gives every value one label in all records.
        target: A column: models are trained on the release to predict it, and `result.usefulness` tells how
            well they do (needs the extra `ml`).
        threads: How many threads may work at once, by default one for each core that this process may use;
            what is published does not depend on it.
        progress: Whom to tell how far the work is.
        **options: Those of the algorithm.

    Returns:
        The release with its verdict and its cost.

    Raises:
        BadInput: Why these data cannot be published under this promise.
        Infeasible: The promise cannot be met for these data.
        LimitReached: A limit was reached without a safe result.
        PromiseBroken: The release did not pass its own check.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> people = pa.table({"age": [31, 34, 36, 39], "town": ["Ulm", "Ulm", "Jena", "Jena"]})
        >>> roles = {"age": sh.Quasi(kind="number"), "town": sh.Quasi(hierarchy=sh.flat())}
        >>> result = sh.anonymize(sh.read(people, roles), sh.KAnonymity(k=2), algorithm="mondrian")
        >>> result
        <Result: satisfies k-anonymity with k=2 on age, town; holds; 4 of 4 records published by mondrian>
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
        with at_most(threads):
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
) -> Verdicts:
    """Check a published file or frame, knowing nothing of how it was made.

    Args:
        published: The path of a published file, or a frame.
        columns: The role of each column.
        models: What is promised.
        options: How the original was written; of a published file only `others` and `missing` count.

    Returns:
        One verdict per promise, with a witness where it is broken; false unless all of them hold.

    Raises:
        BadInput: The file cannot be read, or the promise leaves a column open.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"age": ["30-39", "30-39", "40-49"]})
        >>> (verdict,) = sh.verify(published, {"age": sh.Quasi(kind="number")}, sh.KAnonymity(k=2))
        >>> verdict.holds, verdict.smallest
        (False, 1)
        >>> bool(sh.verify(published, {"age": sh.Quasi(kind="number")}, sh.KAnonymity(k=2)))
        False
    """
    roles, promises = checked_roles(columns), Promise.of(models)
    if findings := coverage_problems(promises, roles):
        raise BadInput(*(Problem(what, remedy, column=column) for column, what, remedy in findings))
    if is_spark_frame(published):
        from shoal.run.spark_frames import verified_frame

        return Verdicts(verified_frame(published, roles, promises, options).verdicts)
    return Verdicts(verify_file(published, roles, promises, options))


@interrupts_between_steps()
def measure(data: Any, recoding: Recoding, k: int = 1) -> dict[str, float]:
    """What a recoding costs on data that were read, by every measure that applies.

    Data in Spark are measured where they are, under the one cut of a global recoding.

    Args:
        data: What `read` gives.
        recoding: What was decided about these data.
        k: That of the promise.

    Returns:
        The losses by the names of their measures.

    Raises:
        InvalidParameter: `data` were not read, or are in Spark and were not published by one cut.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> data = sh.read(pa.table({"age": [31, 34, 36, 39]}), {"age": sh.Quasi(kind="number")})
        >>> result = sh.anonymize(data, sh.KAnonymity(k=2), algorithm="mondrian")
        >>> sh.measure(data, result.recoding, k=2)["ncp"] == result.loss["ncp"]
        True
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

    return measure_cut(data, cuts[0]).losses


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
