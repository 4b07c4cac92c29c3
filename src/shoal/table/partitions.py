"""A released table as Parquet files in folders called by values of its columns: `year=2020/part-0.parquet`.

Names of folders are written as Hive, Spark and Arrow read them. Whatever is written reads back as the same
table, but that columns which folders are called by come last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import OutputFailed, Problem
from shoal.table.arrow_form import in_text_order, text_column
from shoal.table.columns import Kind, Table
from shoal.table.parts import HIVE_NULL
from shoal.table.writing import schema_of, sync, typed_batches, with_kinds

_NO_FOLDER = re.compile(r"[%/=\\\x00-\x1f]")  # signs that the name of a column cannot have in a folder's


def partition_problems(partitions: Sequence[str], published: Sequence[str]) -> list[Problem]:
    """Why a release cannot be partitioned as its source was, whose folders are called by `partitions`."""
    remedy = "leave partitioned out"
    if not partitions:
        return [
            Problem("the data are in no folders such as year=2020 that a release could have, too", remedy)
        ]
    if not set(partitions) & set(published):
        what = f"none of the columns that its folders are called by is published: {', '.join(partitions)}"
        return [Problem(what, remedy)]
    if set(published) <= set(partitions):
        return [Problem("beside the columns that its folders are called by none is published", remedy)]
    return []


def write_partitioned(table: Table, folder: Path, keys: Sequence[str], kinds: Mapping[str, Kind]) -> None:
    """Write a table into a new folder, with a folder in it for each value of the keys that it has."""
    from pyarrow import dataset

    table = in_text_order(table)
    inside = with_kinds(table.without(keys), kinds)
    names = pa.schema([(_folder_name(key), pa.string()) for key in keys])
    schema = pa.schema([*schema_of(inside), *names])
    batches = _with_keys(typed_batches(inside), table, keys, schema)
    try:
        dataset.write_dataset(
            pa.RecordBatchReader.from_batches(schema, batches),
            folder,
            format="parquet",
            partitioning=dataset.partitioning(names, flavor="hive"),
            basename_template="part-{i}.parquet",
            max_partitions=table.row_count + 1,
            use_threads=False,
        )
        for part in folder.rglob("*.parquet"):
            sync(part)
    except (OSError, pa.ArrowException) as error:
        raise OutputFailed(f"{folder}: cannot be written: {error}") from error


def _with_keys(
    batches: Iterator[pa.RecordBatch], table: Table, keys: Sequence[str], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    start = 0
    for batch in batches:
        stop = start + batch.num_rows
        values = [_folder_values(table, key, start, stop) for key in keys]
        yield pa.RecordBatch.from_arrays([*batch.columns, *values], schema=schema)
        start = stop


def _folder_values(table: Table, key: str, start: int, stop: int) -> pa.StringArray:
    values = text_column(table.column(key), start, stop)
    if pc.any(pc.equal(values, HIVE_NULL)).as_py():
        raise OutputFailed(f"column {key!r}: a folder called {HIVE_NULL} is one of missing values: rename it")
    return values


def _folder_name(key: str) -> str:
    return _NO_FOLDER.sub(lambda sign: quote(sign[0], safe=""), key)
