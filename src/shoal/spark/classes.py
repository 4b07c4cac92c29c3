"""Records that look alike, counted wherever they are, and parts of the data that hold whole classes."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from shoal.engine.local import LocalData
from shoal.kernels.arrays import Ints, frozen_items
from shoal.kernels.set_recoding import renumbered_sets
from shoal.spark.answers import Answers, Batches
from shoal.spark.encoded_sets import chunks_of
from shoal.spark.reader import Reader, in_blocks
from shoal.table.arrow_form import text_column
from shoal.table.roles import Quasi, QuasiSet

ROWS = "shoal rows"


def count_classes(frame: DataFrame, reader: Reader) -> DataFrame:
    """The different values of the quasi-identifiers together, with how many rows have them.

    Values are texts and sets are lists of texts without sensitive items, as `reader` reads them.
    """
    names = [name for name, role in reader.roles.items() if isinstance(role, Quasi | QuasiSet)]
    types = {
        name: "array<string>" if isinstance(reader.roles[name], QuasiSet) else "string" for name in names
    }
    schema = ", ".join(f"{quoted(name)} {kind}" for name, kind in {**types, ROWS: "bigint"}.items())
    counted = frame.select(*map(quoted, names)).mapInArrow(
        partial(_classes_in_blocks, reader.only(*names)), schema
    )
    return counted.groupBy(*map(quoted, names)).agg(sql.sum(quoted(ROWS)).alias(ROWS))


def quoted(name: str) -> str:
    """A column's name as Spark takes it, whatever characters are in it."""
    return "`" + name.replace("`", "``") + "`"


def _classes_in_blocks(reader: Reader, batches: Batches) -> Answers:
    for rows in in_blocks(batches):
        data = reader.read(rows)
        classes = data.alike()
        first = data.table.take(classes.first_rows)
        columns = {
            name: _sets_as_lists(data, name, classes.first_rows)
            if name in data.quasi_sets
            else text_column(first.column(name), 0, first.row_count)
            for name in reader.roles
        }
        yield from pa.table({**columns, ROWS: pa.array(classes.sizes)}).to_batches()


def _sets_as_lists(data: LocalData, name: str, rows: Ints) -> pa.Array:
    sets = data.joined_sets().of_column(name)
    items = data.table.sets(name).domain.labels.take(pa.array(sets.items))
    return pa.ListArray.from_arrays(pa.array(sets.starts.astype(np.int32)), items).take(pa.array(rows))


def encode_labels(
    reader: Reader, labels: Mapping[str, pa.StringArray], most_items: int, batches: Batches
) -> Answers:
    """The quasi-identifier items of all columns of sets, numbered as their labels are listed.

    The chunks of all rows.
    """
    first = dict(zip(labels, np.cumsum([0, *map(len, labels.values())]).tolist(), strict=False))
    for rows in in_blocks(batches):
        joined = reader.read(rows).joined_sets()
        numbers = np.full(joined.quasi_items.count, -1, dtype=np.int64)
        items = joined.quasi_items
        for name, domain, start in zip(items.columns, items.domains, items.first.tolist(), strict=True):
            # Sensitive items are in a column's domain, but among no quasi-identifier items.
            places = pc.index_in(domain.labels, value_set=labels[name]).fill_null(-1)
            numbers[start : start + len(domain)] = first[name] + places.to_numpy()
        sets = renumbered_sets(joined.quasi.starts, frozen_items(numbers)[joined.quasi.items])
        yield from chunks_of(sets, most_items)
