"""A Spark DataFrame ready for a search: its values checked and its trees made, its rows where they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import NumericType, StringType

from shoal.errors import BadInput, Problem
from shoal.hierarchy.binding import bind, tree_of
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.unknown import Unknown
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.recoding.label_notation import unpublishable_tree
from shoal.recoding.rows import RowRecoding
from shoal.spark.brought import rows_for_one
from shoal.spark.classes import quoted
from shoal.spark.port import SparkPort
from shoal.spark.reader import VALUES, Reader, count_values, problem_of
from shoal.table.canonical import WHITE_SPACE, MissingTokens, canonical
from shoal.table.columns import Coded, Kind, Sets
from shoal.table.dates import names_months
from shoal.table.reading import ReadOptions, read_table, usable_roles
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Role, Sensitive
from shoal.table.written import as_published

Counts = Mapping[str | None, int]  # rows per label, None being a missing value or an empty set


@dataclass(frozen=True, eq=False)
class SparkData:
    """A DataFrame with the roles of its columns, in their order, without identifiers.

    `counts` are the values of the quasi-identifiers that have a tree.
    """

    frame: DataFrame
    roles: Mapping[str, Role]
    options: ReadOptions
    trees: Mapping[str, Hierarchy]
    counts: Mapping[str, Counts]
    row_count: int
    notices: tuple[str, ...] = ()
    dropped: tuple[str, ...] = field(default=())

    @property
    def reader(self) -> Reader:
        """How workers read rows."""
        return Reader(self.roles, self.options, self.trees)

    @property
    def port(self) -> SparkPort:
        """The rows, as far as they may be asked about."""
        return SparkPort(self.frame, self.reader, self.row_count)

    @property
    def quasi(self) -> tuple[str, ...]:
        """Quasi-identifiers with single values."""
        return self._with_role(Quasi)

    @property
    def quasi_sets(self) -> tuple[str, ...]:
        """Quasi-identifiers with sets."""
        return self._with_role(QuasiSet)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Sensitive columns."""
        return self._with_role(Sensitive)

    def _with_role(self, role: type) -> tuple[str, ...]:
        return tuple(name for name, of_name in self.roles.items() if isinstance(of_name, role))

    @property
    def rows_for_one(self) -> int:
        """Of how many rows one comes to the driver where sets are measured."""
        listed = [self.counts[name] for name in self.quasi_sets if name in self.counts]
        return rows_for_one(
            sum(rows for counts in listed for label, rows in counts.items() if label is not None)
        )

    @property
    def rows_for_one_of_values(self) -> int:
        """Of how many rows one comes to the driver where it looks at what columns tell about others."""
        return rows_for_one(self.row_count * (len(self.quasi) + len(self.roles)))

    def value_counts(self) -> dict[str, Ints]:
        """How many rows have each leaf of the trees of quasi-identifiers with single values, none last."""
        found = {}
        for name in self.quasi:
            if name in self.trees:
                counts, labels = self.counts[name], self.trees[name].leaf_labels
                found[name] = frozen_ints([*(counts.get(label, 0) for label in labels), counts.get(None, 0)])
        return found

    def non_empty(self, column: str) -> int:
        """How many rows of a column of sets have an item."""
        return self.row_count - self.counts[column].get(None, 0)


@dataclass(frozen=True, eq=False)
class SparkFound:
    """What a search decided, applied to rows that are still in the order of the original.

    `working` is persisted and may be given up once the release is complete. `left_out` rows have nothing that
    could be published; `chunks` counts what clusters consist of.
    """

    frame: DataFrame
    losses: Mapping[str, float]
    notices: tuple[str, ...]
    figures: Mapping[str, Any]
    column_losses: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    recoding: RowRecoding | None = None
    working: DataFrame | None = None
    left_out: int = 0
    chunks: Mapping[str, int] = field(default_factory=dict)


def read_spark(
    frame: DataFrame, columns: Mapping[str, Role], options: ReadOptions, subject: str | None
) -> SparkData:
    """Check a DataFrame and make its trees before anything long begins; BadInput lists all problems."""
    _refuse_unsupported(columns, options, subject)
    frame = frame.toDF(*map(canonical, frame.columns))
    roles = usable_roles(empty_table(frame), columns, options)
    kept = {name: role for name, role in roles.items() if not isinstance(role, Identifier)}
    frame = frame.select(*(_shown(frame, name, role, options) for name, role in kept.items()))
    counts = _count_values(frame, Reader(kept, options))
    row_count = counts.get("", {}).get(None, 0)
    if row_count == 0:
        raise BadInput(
            Problem("holds no records", "give a DataFrame with at least one", file="the DataFrame")
        )
    trees, notices = _make_trees(kept, options, counts)
    return SparkData(
        frame=frame,
        roles=kept,
        options=options,
        trees=trees,
        counts=counts,
        row_count=row_count,
        notices=notices,
        dropped=tuple(name for name in roles if name not in kept),
    )


def _shown(frame: DataFrame, name: str, role: Role, options: ReadOptions) -> SparkColumn:
    """A column; of one that no worker reads, because it is published untouched, missing values are nulls."""
    column, kind = sql.col(quoted(name)), frame.schema[name].dataType
    missing = MissingTokens.of(options.missing)
    if not isinstance(role, Insensitive) or not isinstance(kind, StringType | NumericType):
        return column
    if isinstance(kind, StringType):
        absent = sql.btrim(column, sql.lit(WHITE_SPACE)).isin(missing.texts.to_pylist())
    else:
        absent = sql.isnan(column) | column.isin(missing.numbers[np.isfinite(missing.numbers)].tolist())
    return sql.when(absent, None).otherwise(column).alias(name)


def empty_table(frame: DataFrame) -> pa.Table:
    """The columns of a DataFrame without its rows."""
    return to_arrow_schema(frame.schema).empty_table()


def _refuse_unsupported(columns: Mapping[str, Role], options: ReadOptions, subject: str | None) -> None:
    problems = []
    if subject is not None:
        problems.append(Problem("Spark does not yet count people by a subject", "unite their rows first"))
    if options.long is not None:
        problems.append(
            Problem("Spark does not yet read the long form", "group it with collect_set before it is read")
        )
    for name, role in columns.items():
        if isinstance(role, Quasi | Sensitive) and role.kind == Kind.DATE:
            problems += _month_name_problems(name, role.date_format or options.date_format)
        if isinstance(role, Identifier) and role.pseudonym:
            remedy = "drop the identifier (pseudonym = false)"
            problems.append(Problem("Spark does not yet make pseudonyms", remedy, column=name))
        if isinstance(role, QuasiSet) and role.multiset:
            remedy = "leave out multiset = true"
            problems.append(Problem("Spark does not yet count multisets", remedy, column=name))
    if problems:
        raise BadInput(*problems)


def _month_name_problems(name: str, date_format: str | None) -> list[Problem]:
    """A month name can depend on the other names of its column, which no worker sees."""
    if not names_months(date_format):
        return []
    remedy = "make it a column of dates first, with to_date"
    return [Problem("Spark does not yet read the names of months", remedy, column=name)]


def _count_values(frame: DataFrame, reader: Reader) -> dict[str, dict[str | None, int]]:
    """How many rows hold each value of each column with a tree; BadInput with what cannot be read."""
    read = [name for name, role in reader.roles.items() if _must_be_read(role)]
    listed = [name for name in read if getattr(reader.roles[name], "hierarchy", None) is not None]
    found = (
        frame.select(*map(quoted, read))
        .mapInArrow(partial(count_values, reader.only(*read), listed), VALUES)
        .groupBy("column", "label", "problem")
        .agg(sql.sum("rows").alias("rows"))
        .collect()
    )
    problems = sorted({row.problem for row in found if row.problem is not None})
    if problems:
        raise BadInput(*map(problem_of, problems))
    counts: dict[str, dict[str | None, int]] = {name: {} for name in listed}
    for row in found:
        counts.setdefault(row.column, {})[row.label] = row.rows
    return counts


def _must_be_read(role: Role) -> bool:
    """Whether something can be wrong with the values of a column."""
    if isinstance(role, Insensitive):
        return False
    return not isinstance(role, Sensitive) or role.kind is not Kind.CATEGORY or role.missing == "reject"


def _make_trees(
    roles: Mapping[str, Role], options: ReadOptions, counts: Mapping[str, Counts]
) -> tuple[dict[str, Hierarchy], tuple[str, ...]]:
    trees: dict[str, Hierarchy] = {}
    notices: list[str] = []
    problems: list[Problem] = []
    for name, role in roles.items():
        if isinstance(role, Quasi | QuasiSet):
            problems += unpublishable_tree(name, role)
        if isinstance(role, Quasi | QuasiSet) and role.hierarchy is not None:
            try:
                column = _column_of_values(name, role, options, counts[name])
                problems += _lacking_values(name, role, column, counts[name])
                bound = None if problems else bind(name, column, role)
            except BadInput as error:
                problems += error.problems
                continue
            if bound is not None:
                trees[name] = bound.tree
                notices += bound.notices
    if problems:
        raise BadInput(*problems)
    return trees, tuple(notices)


def _column_of_values(
    name: str, role: Quasi | QuasiSet, options: ReadOptions, counts: Counts
) -> Coded | Sets:
    """Every value of a column in one row each."""
    labels = [label for label in counts if label is not None]
    values: list[object] = [[label] for label in labels] if isinstance(role, QuasiSet) else [*labels, None]
    kind = pa.list_(pa.string()) if isinstance(role, QuasiSet) else pa.string()
    as_written = role if isinstance(role, QuasiSet) else replace(as_published(role), missing="own")
    table = pa.table({name: pa.array(values, type=kind)})
    column = read_table(table, {name: as_written}, ReadOptions(missing=options.missing)).table.column(name)
    if not isinstance(column, Coded | Sets):
        raise TypeError(f"column {name!r} has no values")
    return column


def _lacking_values(name: str, role: Quasi | QuasiSet, column: Coded | Sets, counts: Counts) -> list[Problem]:
    """The values that the hierarchy lacks, with how many rows hold each, if that is an error."""
    if role.unknown != "error":
        return []
    tree = tree_of(name, column.domain, role)
    known = {*tree.leaf_labels, *(role.sensitive if isinstance(role, QuasiSet) else ())}
    lacking = [label for label in column.domain.texts() if label not in known]
    if not lacking:
        return []
    rows = np.array([counts.get(label, 0) for label in lacking], dtype=np.int64)
    unknown = Unknown(np.arange(len(lacking)), lacking, rows)
    return unknown.problems(tree.leaf_labels, name, most=len(lacking))
