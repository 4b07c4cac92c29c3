"""Rows of a Spark DataFrame as a worker reads them: like a small file of their own, bound to common trees."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel

from shoal.algorithms.within_levels import Trimmed, seen
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.hierarchy.binding import bind_part
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.unknown import rows_of_each_value
from shoal.spark.answers import Answers, Batches, arrow_schema
from shoal.spark.encoded_sets import chunks_of
from shoal.table.columns import Coded, Column, Sets
from shoal.table.reading import ReadOptions, read_published, read_table
from shoal.table.roles import Quasi, QuasiSet, Role

ROWS_AT_ONCE = 50_000
ROWS_PER_PART = 1_000_000  # where they are counted or written, which takes less memory than a search
ROWS_ON_DISK = StorageLevel.DISK_ONLY  # what Spark keeps in memory must fit there, a whole part at a time
VALUES = "column string, label string, rows bigint, problem string"


@dataclass(frozen=True, eq=False)
class Reader:
    """How rows of a DataFrame are read: the roles of the columns used, and the trees made for all rows.

    With `published` the values are read as a release shows them.
    """

    roles: Mapping[str, Role]
    options: ReadOptions
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    published: bool = False

    def read(self, rows: pa.Table) -> LocalData:
        """Some rows; raises BadInput with whatever is wrong with them."""
        options = ReadOptions(missing=self.options.missing, others="drop")
        loaded = (read_published if self.published else read_table)(rows, self.roles, options)
        columns: dict[str, Column] = {}
        for name, tree in self.trees.items():
            column, role = loaded.table.column(name), loaded.roles[name]
            if isinstance(column, Coded | Sets) and isinstance(role, Quasi | QuasiSet):
                columns[name] = bind_part(column, role, tree)
        return LocalData(loaded.table.replacing(columns), loaded.roles, self.trees)

    def only(self, *columns: str) -> Self:
        """The same for some columns."""
        return replace(
            self,
            roles={name: self.roles[name] for name in columns},
            trees={name: tree for name, tree in self.trees.items() if name in columns},
        )


def in_blocks(batches: Iterable[pa.RecordBatch], rows_at_once: int = ROWS_AT_ONCE) -> Iterator[pa.Table]:
    """The batches put together to blocks of some size, so that what is done once per block pays."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        if batch.num_rows:
            waiting.append(batch)
            count += batch.num_rows
        if count >= rows_at_once:
            yield pa.Table.from_batches(waiting)
            waiting, count = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def count_values(reader: Reader, listed: Sequence[str], batches: Batches) -> Answers:
    """How many rows hold each value of the listed columns, and what cannot be read of any column.

    A null label counts missing values, of sets the empty ones; without a column it counts all rows.

    One row per value of a column, or problem.
    """
    values: Counter[tuple[str, str | None]] = Counter()
    problems: Counter[str] = Counter()
    for rows in in_blocks(batches):
        try:
            data = reader.read(rows)
        except BadInput as error:
            problems.update(map(_problem_text, error.problems))
            continue
        values["", None] += data.row_count
        for name in listed:
            column = data.table.column(name)
            if isinstance(column, Coded | Sets):
                values.update({(name, label): count for label, count in _values_in(column)})
    found = [{"column": name, "label": label, "rows": count} for (name, label), count in values.items()]
    found += [{"rows": count, "problem": problem} for problem, count in problems.items()]
    yield pa.RecordBatch.from_pylist(found, schema=arrow_schema(VALUES))


def problem_of(text: str) -> Problem:
    """A problem that a worker found."""
    return Problem(**json.loads(text))


def encode_sets(reader: Reader, trees: Trimmed, most_items: int, batches: Batches) -> Answers:
    """The quasi-identifier items of a column of sets, as chunks of leaves of its tree, trimmed or not.

    The chunks of all rows.
    """
    for rows in in_blocks(batches):
        yield from chunks_of(seen(reader.read(rows), trees).joined_sets().quasi, most_items)


def _values_in(column: Coded | Sets) -> Iterator[tuple[str | None, int]]:
    counts = rows_of_each_value(column)
    for code in np.flatnonzero(counts).tolist():
        yield column.domain.label(code), int(counts[code])
    absent = column.missing_count if isinstance(column, Coded) else np.count_nonzero(column.sizes == 0)
    if absent:
        yield None, int(absent)


def _problem_text(problem: Problem) -> str:
    """A problem without its place, which is one within a part that nobody knows."""
    what = problem.what.rsplit(" (row", 1)[0]
    return json.dumps(
        {"what": what, "remedy": problem.remedy, "column": problem.column, "value": problem.value}
    )
