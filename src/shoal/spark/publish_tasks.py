"""What workers publish: rows read, recoded and given the types of the published columns."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from shoal.recoding.apply import published_sets
from shoal.recoding.cuts import Cuts
from shoal.spark.answers import Answers, Batches
from shoal.spark.reader import Reader, in_blocks
from shoal.table.arrow_form import to_arrow
from shoal.table.canonical import is_text
from shoal.table.columns import Table
from shoal.table.roles import Quasi, QuasiSet, Role

_ORDER = "shoal order of publication"


def published_schema(source: pa.Schema, roles: Mapping[str, Role]) -> pa.Schema:
    """The types of the published columns: generalized values are texts, whatever they were."""
    return pa.schema([(name, _published_type(source.field(name).type, role)) for name, role in roles.items()])


def _published_type(kind: pa.DataType, role: Role) -> pa.DataType:
    if isinstance(role, Quasi):
        return pa.string()
    if isinstance(role, QuasiSet):
        return pa.string() if is_text(kind) else pa.list_(pa.string())
    return kind


def typed(table: Table, schema: pa.Schema) -> pa.Table:
    """A released table with the types that were promised for it."""
    return to_arrow(table, {name: schema.field(name).type for name in schema.names}).cast(schema)


def publish_cut(reader: Reader, cuts: Cuts, schema: pa.Schema, batches: Batches) -> Answers:
    """The rows with their sets under one cut for all rows, in the order of the original."""
    for rows in in_blocks(batches):
        data = reader.read(rows)
        everybody = replace(cuts, part_of_row=np.zeros(data.row_count, dtype=np.int64))
        sets = published_sets(data.table, data.trees, data.roles, everybody)
        yield from typed(data.table.replacing({cuts.column: sets}), schema).to_batches()


def in_order_of_content(published: DataFrame, parts: int) -> DataFrame:
    """The rows in an order that what they say decides, and nothing else.

    So it tells nothing about the original order. Randomness would do the same, but a task that is repeated
    after a failure would draw other numbers, and rows would be lost or stand twice.
    """
    content = sql.sha2(sql.to_json(sql.struct("*")), 256)
    ordered = published.withColumn(_ORDER, content).repartition(parts, _ORDER).sortWithinPartitions(_ORDER)
    return ordered.drop(_ORDER)
