"""What a DataFrame answers: classes and itemsets are counted where the rows are, and counts are added up.

What is inside classes is answered where whole classes were brought together, by the same code as in memory,
and the answers are merged on the driver.
"""

import pickle
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import methodcaller
from typing import Any, ClassVar, NoReturn, Self, TypeVar

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.pandas.types import to_arrow_type

from shoal.detect.observed import SAMPLE, Observed
from shoal.engine.answers import (
    ClassSizes,
    Combinations,
    Facts,
    Guess,
    Histogram,
    Item,
    Judgement,
    Labels,
    NamedRows,
    Rarest,
    SizeCounts,
    WeakestClass,
)
from shoal.engine.local import LocalData
from shoal.engine.port import MATCHES, Mergeable, Question, Wildcard
from shoal.engine.wildcard import wildcard_reading
from shoal.errors import CannotVerify, LimitReached
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import frozen_ints
from shoal.spark.answers import Answers, Batches, answer
from shoal.spark.classes import ROWS, count_classes, encode_labels, quoted
from shoal.spark.encoded_sets import ITEMS_PER_CHUNK, SCHEMA
from shoal.spark.itemsets import LARGEST_KEY, SpreadSets, furthest
from shoal.spark.itemsets import ItemsetQuestion as ItemQuestion
from shoal.spark.reader import ROWS_ON_DISK, ROWS_PER_PART, VALUES, Reader, count_values, in_blocks
from shoal.table.encoding import NULL_SET
from shoal.table.reading import ReadOptions
from shoal.table.roles import Quasi, QuasiSet, Role, Sensitive

CLASSES_COLLECTED = 200_000  # for the weaker reading of missing values, which is computed on the driver

_ANSWER = "answer binary"
_TOTAL = "total bigint"
_LABEL = "label string"
_NOWHERE = frozen_ints([])


Answer = TypeVar("Answer", bound=Mergeable)


@dataclass(frozen=True, eq=False)
class SparkPort:
    """A DataFrame, and how its values are read; promises are about `roles`, in their order."""

    frame: DataFrame
    reader: Reader
    row_count: int

    answers: ClassVar[frozenset[Question]] = frozenset(
        {
            Question.CLASSES,
            Question.SENSITIVE_VALUES,
            Question.ITEMSETS,
            Question.ITEMSETS_WITHIN_CLASSES,
            Question.GUESSES_WITHIN_CLASSES,
            Question.CLUSTERS,
        }
    )

    @classmethod
    def of_release(cls, frame: DataFrame, roles: Mapping[str, Role], options: ReadOptions) -> Self:
        """A DataFrame that was published, with its values as a release shows them."""
        frame = _with_nulls_told_apart(
            frame, [name for name, role in roles.items() if isinstance(role, QuasiSet)]
        )
        return cls(frame, Reader(roles, options, published=True), frame.count())

    @property
    def roles(self) -> Mapping[str, Role]:
        """What each column is to an adversary."""
        return self.reader.roles

    @property
    def trees(self) -> Mapping[str, Hierarchy]:
        """The trees of the quasi-identifiers; none of a release."""
        return self.reader.trees

    @property
    def quasi(self) -> tuple[str, ...]:
        """Quasi-identifiers with single values."""
        return self.with_role(Quasi)

    @property
    def quasi_sets(self) -> tuple[str, ...]:
        """Quasi-identifiers with sets."""
        return self.with_role(QuasiSet)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Sensitive columns, all of which hold single values here."""
        return self.with_role(Sensitive)

    def with_role(self, *roles: type) -> tuple[str, ...]:
        """Columns of the given roles, in their order."""
        return tuple(name for name, role in self.roles.items() if isinstance(role, roles))

    def class_sizes(self, columns: Sequence[str], k: int) -> ClassSizes:
        """The classes of rows that agree on these columns."""
        classes = count_classes(self.frame, self.reader.only(*columns)).persist(ROWS_ON_DISK)
        try:
            sizes = _counted_sizes(classes)
            smallest = classes.filter(sql.col(quoted(ROWS)) == sizes.smallest)
            first = smallest.orderBy(*(sql.asc_nulls_first(quoted(name)) for name in columns)).first()
        finally:
            classes.unpersist()
        found = {name: first[name] for name in columns} if first else {}
        labels = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
        below = sizes.sizes < k
        return ClassSizes(
            sizes=sizes,
            weakest=NamedRows(labels, _NOWHERE, sizes.smallest),
            support=sizes.smallest,
            below=int((sizes.sizes * sizes.classes)[below].sum()),
            classes_below=int(sizes.classes[below].sum()),
        )

    def missing_matched(self, k: int) -> Wildcard | None:
        """The weaker reading of missing values; None if no quasi-identifier has one."""
        if not self.quasi:
            return None
        classes = count_classes(self.frame, self.reader.only(*self.quasi)).persist(ROWS_ON_DISK)
        try:
            lacking = [sql.max(sql.col(quoted(name)).isNull()) for name in self.quasi]
            if not any(classes.agg(*lacking).first() or ()):
                return None
            rows = classes.limit(CLASSES_COLLECTED + 1).collect()
        finally:
            classes.unpersist()
        if len(rows) > CLASSES_COLLECTED:
            reason = f"there are more than {CLASSES_COLLECTED:,} classes"
            return {"holds": None, "smallest": None, "not_computed": reason}
        columns = [pa.array([row[name] for row in rows], type=pa.string()) for name in self.quasi]
        codes = np.stack([_codes(column) for column in columns], axis=1)
        sizes = np.array([row[ROWS] for row in rows], dtype=np.int64)
        return wildcard_reading(codes, codes == 0, sizes, k)

    def weakest_classes(
        self, judge: Callable[[Histogram], Judgement], within: Sequence[str]
    ) -> list[WeakestClass]:
        """For each sensitive column the weakest class of rows that agree on some columns."""
        if not within:
            return [self._whole_table(judge, column) for column in self.sensitive]
        found = (
            self._of_whole_classes(
                within, partial(_weakest_class, judge, tuple(within)), self.reader.only(*within, column)
            )
            for column in self.sensitive
        )
        return [weakest for weakest in found if weakest is not None]

    def _whole_table(self, judge: Callable[[Histogram], Judgement], column: str) -> WeakestClass:
        counts = self._value_counts(column)
        counts.pop(None, None)
        labels = sorted(label for label in counts if label is not None)
        values = np.array([counts[label] for label in labels], dtype=np.int64)
        size = int(values.sum())
        numbers = np.arange(len(values), dtype=np.int64)
        histogram = Histogram(frozen_ints([size]), frozen_ints([0, len(values)]), numbers, values, values)
        judged = judge(histogram)
        return WeakestClass(
            column=column,
            unit="record",
            figure=float(judged.figures[0]),
            slack=float(judged.slacks[0]),
            classes=1,
            broken=int(judged.broken[0]),
            where=NamedRows({}, _NOWHERE, self.row_count),
            frequent=labels[int(values.argmax())] if labels else None,
            holding=int(values.max(initial=0)),
            size=size,
        )

    def rarest_itemset(self, m: int, k: int, within: Sequence[str] = ()) -> Rarest:
        """The smallest support over all itemsets of at most m items among rows that agree on some columns."""
        if within:
            found = self._of_whole_classes(
                within, methodcaller("rarest_itemset", m, k, tuple(within)), self.reader
            )
            return found or Rarest(None, (), NamedRows({}, _NOWHERE, 0), 0)
        labels = self._labels_of_items()
        items = [Item(name, label) for name, of_name in labels.items() for label in of_name.to_pylist()]
        encode = partial(encode_labels, self._reader_of_sets(), labels, ITEMS_PER_CHUNK)
        chunks = self._select(*self.quasi_sets).mapInArrow(encode, SCHEMA)
        chunks = chunks.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            counted = _rarest_of(SpreadSets(chunks, len(items)), len(items), m, k)
        finally:
            chunks.unpersist()
        if counted is None:
            return Rarest(None, (), NamedRows({}, _NOWHERE, 0), 0)
        support, itemset, below = counted
        named = tuple(items[number] for number in itemset)
        return Rarest(support, named, NamedRows({}, _NOWHERE, support), below)

    def likeliest_guess(
        self, m: int, within: Sequence[str] = (), *, with_items: bool = False
    ) -> Guess | None:
        """The largest share of a sensitive item over all itemsets of 0..m items in each class."""
        if not within or with_items:
            self._cannot(Question.GUESSES)
        return self._of_whole_classes(within, methodcaller("likeliest_guess", m, tuple(within)), self.reader)

    def rarest_facts(self, m: int, k: int) -> Facts | None:  # noqa: ARG002
        """Spark does not look for absent items."""
        self._cannot(Question.ABSENCE)

    def rows_with_items(self, *, sensitive: bool = False) -> int:
        """How many rows have any item that is not sensitive, or any at all."""
        counting = partial(_rows_with_items, self._reader_of_sets(), sensitive=sensitive)
        total = self._select(*self.quasi_sets).mapInArrow(counting, _TOTAL).agg(sql.sum("total")).first()
        return int(total[0] or 0) if total else 0

    def most_held_sensitive(self) -> tuple[Item, int] | None:
        """The sensitive item that the most rows hold, and how many do."""
        held = [
            (-rows, name, label)
            for name in self.quasi_sets
            for label, rows in self._value_counts(name).items()
            if label in getattr(self.roles[name], "sensitive", ())
        ]
        rows, name, label = min(held, default=(0, "", ""))
        return (Item(name, str(label)), -rows) if rows else None

    def item_count(self) -> int:
        """How many items the trees of the sets hold."""
        return sum(tree.leaf_count for name, tree in self.reader.trees.items() if name in self.quasi_sets)

    def people_count(self) -> int:
        """Every row is a person here."""
        return self.row_count

    def combinations(self, columns: Sequence[str]) -> Combinations:
        """How many different combinations of values columns have that are published as they are."""
        counted = self.frame.groupBy(*map(quoted, columns)).agg(sql.count("*").alias(ROWS))
        alone = sql.sum((sql.col(quoted(ROWS)) == 1).cast("int"))
        found = counted.agg(sql.count("*"), alone).first()
        return Combinations(int(found[0]), int(found[1] or 0)) if found else Combinations(0, 0)

    def all_match(self, column: str, form: str) -> bool:
        """Whether every value of a column has the form of a regular expression."""
        value = sql.col(quoted(column)).cast("string")
        return self.frame.filter(value.isNotNull() & ~value.rlike(form)).first() is None

    def observed(self, column: str) -> Observed:
        """The values of a column, or the items of its sets, as detection sees them; many in a sample."""
        if isinstance(self.roles[column], QuasiSet):
            counts = {label: rows for label, rows in self._value_counts(column).items() if label is not None}
            rows = np.array(list(counts.values()), dtype=np.int64)
            return Observed.of(column, pa.array(list(counts), type=pa.string()), rows, pa.string())
        return count_column(self.frame, column).observed

    def matching(self, column: str, form: str) -> list[str]:
        """Values of a column, or items of its sets, in which a regular expression is found; some if many."""
        if isinstance(self.roles[column], QuasiSet):
            labels = [label for label in self._value_counts(column) if label is not None]
            return [label for label in labels if re.search(form, label)][:MATCHES]
        value = sql.col(quoted(column)).cast("string").alias("value")
        found = self.frame.select(value).filter(value.rlike(form)).distinct().limit(MATCHES)
        return [row.value for row in found.collect()]

    def is_ordered(self, column: str) -> bool:  # noqa: ARG002
        """Spark does not compare distributions."""
        self._cannot(Question.DISTRIBUTIONS)

    def held(self, column: str, labels: Collection[str]) -> set[str]:
        """Which of these labels a column of single values or of sets has."""
        if not labels:
            return set()
        looking = partial(_held, self.reader.only(column), frozenset(labels))
        found = self._select(column).mapInArrow(looking, _LABEL).distinct().collect()
        return {row.label for row in found}

    def labels(self, columns: Sequence[str]) -> dict[str, Labels]:
        """The labels of columns of single values or of sets."""
        if not columns:
            return {}
        counting = partial(count_values, self.reader.only(*columns), list(columns))
        found = self._select(*columns).mapInArrow(counting, VALUES).select("column", "label").distinct()
        texts: dict[str, list[str]] = {name: [] for name in columns}
        missing = set()
        for name, label in found.filter(sql.col("column") != "").collect():
            if label is not None:
                texts[name].append(label)
            elif name not in self.quasi_sets:
                missing.add(name)
        return {name: Labels(tuple(sorted(of_column)), name in missing) for name, of_column in texts.items()}

    def type_of(self, column: str) -> pa.DataType:
        """The type of a column that is published as it is."""
        return _column_type(self.frame, column)

    def _cannot(self, question: Question) -> NoReturn:
        raise CannotVerify(f"Spark does not yet answer questions about {question}")

    def _select(self, *columns: str) -> DataFrame:
        return self.frame.select(*map(quoted, columns))

    def _reader_of_sets(self) -> Reader:
        return self.reader.only(*self.quasi_sets)

    def _value_counts(self, column: str) -> dict[str | None, int]:
        """How many rows have each value, or hold each item, of a column; None counts missing ones."""
        counting = partial(count_values, self.reader.only(column), [column])
        found = self._select(column).mapInArrow(counting, VALUES).filter(sql.col("column") == column)
        rows = found.groupBy("label").agg(sql.sum("rows").alias("rows")).collect()
        return {row.label: row.rows for row in rows}

    def _labels_of_items(self) -> dict[str, pa.StringArray]:
        """All labels of quasi-identifier items by column, in order."""
        labels = {}
        for name in self.quasi_sets:
            sensitive = getattr(self.roles[name], "sensitive", ())
            found = (label for label in self._value_counts(name) if label is not None)
            labels[name] = pa.array(sorted(label for label in found if label not in sensitive), pa.string())
        return labels

    def _of_whole_classes(
        self, columns: Sequence[str], question: Callable[[LocalData], Answer | None], reader: Reader
    ) -> Answer | None:
        """Bring whole classes together, ask part by part, and merge the answers; None if there are none."""
        known = (name for name in self.with_role(Quasi, QuasiSet, Sensitive) if name in reader.roles)
        asked = reader.only(*known)
        frame = self._select(*asked.roles)
        parts = max(frame.rdd.getNumPartitions(), -(-self.row_count // ROWS_PER_PART))
        keys = [_comparable(name, self.roles[name], frame) for name in columns]
        rows = frame.repartition(parts, *keys).mapInArrow(partial(_asked, asked, question), _ANSWER).collect()
        told = [pickle.loads(row.answer) for row in rows]  # noqa: S301 - what our own tasks just sent
        answers: list[Answer] = [answer for answer in told if answer is not None]
        return reduce(lambda one, other: one.merge(other), answers) if answers else None


def _column_type(frame: DataFrame, column: str) -> pa.DataType:
    return to_arrow_type(frame.schema[column].dataType)


@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """A column as detection sees it, and how many of its values stand in one row only."""

    observed: Observed
    alone: int


def count_column(frame: DataFrame, column: str, missing: Sequence[str] = ()) -> ColumnCounts:
    """Exact counts of a column, and a sample of its values chosen by their hashes."""
    value = sql.trim(sql.col(quoted(column)).cast("string")).alias("value")
    present = frame.select(value).filter(~sql.col("value").isin("", *missing))
    counted = present.groupBy("value").count().persist(ROWS_ON_DISK)
    try:
        alone = sql.sum(sql.when(sql.col("count") == 1, 1).otherwise(0))
        total = counted.agg(sql.count("*"), sql.sum("count"), alone).first()
        rows = counted.orderBy(sql.xxhash64("value"), "value").limit(SAMPLE).collect()
    finally:
        counted.unpersist()
    texts = pa.array([row["value"] for row in rows], type=pa.string())
    counts = np.array([row["count"] for row in rows], dtype=np.int64)
    distinct, held, single = (int(number or 0) for number in total) if total else (0, 0, 0)
    observed = Observed(column, texts, counts, distinct, held, _column_type(frame, column))
    return ColumnCounts(observed, single)


def _with_nulls_told_apart(frame: DataFrame, sets: Sequence[str]) -> DataFrame:
    """Nulls as sets of their own where other texts are empty, which no block of rows can tell alone."""
    for name in sets:
        if frame.schema[name].dataType.typeName() == "string":
            cell = sql.col(quoted(name))
            found = frame.agg(sql.max(cell.isNull()), sql.max(cell == "")).first()
            if found and all(found):
                frame = frame.withColumn(name, sql.coalesce(cell, sql.lit(NULL_SET)))
    return frame


def class_sizes_of(frame: DataFrame, reader: Reader) -> SizeCounts:
    """How many classes of each size the rows form on all quasi-identifiers."""
    return _counted_sizes(count_classes(frame, reader))


def _counted_sizes(classes: DataFrame) -> SizeCounts:
    rows = classes.groupBy(quoted(ROWS)).count().collect()
    sizes = np.array(sorted((row[ROWS], row["count"]) for row in rows), dtype=np.int64).reshape(-1, 2)
    return SizeCounts(frozen_ints(sizes[:, 0]), frozen_ints(sizes[:, 1]))


def _codes(column: pa.Array) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Numbers of values from 1 on; a missing one is 0."""
    codes = column.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return np.asarray(codes, dtype=np.int64) + 1


def _comparable(name: str, role: Role, frame: DataFrame) -> SparkColumn:
    """Equal for rows whose published values are equal, however a set is ordered."""
    column = sql.col(quoted(name))
    if not isinstance(role, QuasiSet):
        return sql.coalesce(column.cast("string"), sql.lit(""))
    if frame.schema[name].dataType.typeName() != "array":
        column = sql.split(column, "\\Q" + role.separator + "\\E")
    items = sql.array_sort(column.cast("array<string>"))
    if role.sensitive:
        items = sql.array_except(items, sql.array(*map(sql.lit, role.sensitive)))
    return sql.coalesce(items, sql.array().cast("array<string>"))


def _rarest_of(sets: SpreadSets, item_count: int, m: int, k: int) -> tuple[int, tuple[int, ...], int] | None:
    """The smallest support, the first of the shortest itemsets that have it, and how many are below k."""
    under_one_root = np.full(item_count + 1, item_count, dtype=np.int64)
    totals = sets.totals(under_one_root)
    supports = totals.supports[:item_count]
    if totals.non_empty == 0:
        return None
    rarest = int(supports.argmin())
    best = (int(supports[rarest]), 1, (rarest,))
    below = int(np.count_nonzero(supports < k))
    numbers = np.arange(item_count, dtype=np.int64)
    for size in range(2, min(m, totals.longest) + 1):
        if item_count**size > LARGEST_KEY:
            raise LimitReached(
                f"sets of {size} out of {item_count:,} items cannot be numbered: check a smaller m"
            )
        fresh = np.ones(item_count, dtype=np.bool_)
        question = ItemQuestion(size=size, base=item_count, fresh=fresh, first=0, end=item_count)
        expected = sets.occurrences(question, numbers)
        first = 0
        while first < item_count:
            end = furthest(expected, first)
            part = replace(question, first=first, end=end)
            found = sets.rarest(part, numbers, k, int(expected[first:end].sum()))
            below += found.below
            if found.support:
                itemset = tuple(part.sets(frozen_ints([found.key]))[0].tolist())
                best = min(best, (found.support, size, itemset))
            first = end
    return best[0], best[2], below


def _asked(reader: Reader, question: Callable[[LocalData], Any], batches: Batches) -> Answers:
    filled = [batch for batch in batches if batch.num_rows]
    if filled:
        found = question(reader.read(pa.Table.from_batches(filled)))
        yield answer(_ANSWER, [pickle.dumps(_placeless(found))])


def _placeless(answer: Any) -> Any:
    """An answer without the positions of rows, which mean nothing outside their part."""
    if answer is None:
        return None
    return replace(answer, where=replace(answer.where, rows=_NOWHERE))


def _weakest_class(
    judge: Callable[[Histogram], Judgement], within: tuple[str, ...], data: LocalData
) -> WeakestClass:
    (found,) = data.weakest_classes(judge, within)
    return found


def _held(reader: Reader, labels: frozenset[str], batches: Batches) -> Answers:
    (column,) = reader.roles
    for rows in in_blocks(batches):
        yield answer(_LABEL, sorted(reader.read(rows).held(column, labels)))


def _rows_with_items(reader: Reader, batches: Batches, *, sensitive: bool) -> Answers:
    for rows in in_blocks(batches):
        yield answer(_TOTAL, [reader.read(rows).rows_with_items(sensitive=sensitive)])
