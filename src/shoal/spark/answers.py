"""What workers answer: batches of columns that are declared once, in the words of Spark."""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

# What workers do are functions that they can import, with arguments bound by `partial`: a nested function
# would take its kernels with it as source, and every worker would compile them anew.
Batches = Iterable[pa.RecordBatch]
Answers = Iterator[pa.RecordBatch]

_TYPES = {
    "bigint": pa.int64(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "double": pa.float64(),
    "int": pa.int32(),
    "string": pa.string(),
}


def arrow_schema(columns: str) -> pa.Schema:
    """The same columns in the words of Arrow."""
    return pa.schema([(name, _TYPES[kind]) for name, kind in map(str.split, columns.split(", "))])


def answer(columns: str, *values: Iterable[Any]) -> pa.RecordBatch:
    """One batch with the values of each column."""
    schema = arrow_schema(columns)
    arrays = [pa.array(each, type=kind) for each, kind in zip(values, schema.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
