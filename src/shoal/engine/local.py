"""Data in this process's memory: they answer what the port asks, and let searches see their rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.detect.observed import Observed
from shoal.engine.absent_items import rarest_facts
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
    Shown,
    SizeCounts,
    WeakestClass,
)
from shoal.engine.joined_sets import JoinedSets, join_sets
from shoal.engine.port import MATCHES, Question, Wildcard
from shoal.engine.rare_rows import rows_with_rare_itemsets
from shoal.engine.wildcard import wildcard_reading
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints, SetArrays, starts_of, wide
from shoal.kernels.grouping import (
    Packed,
    count_rows,
    group_rows,
    group_sets,
    members,
    room_for_classes,
    with_more_room,
)
from shoal.table.canonical import UnsupportedType, as_text, holds_lists
from shoal.table.columns import Carried, Coded, Sets, Table, code_counts
from shoal.table.roles import Quasi, QuasiSet, Role, Sensitive

_ROWS_AT_ONCE, _CLASSES_AT_FIRST = 2**18, 2**10
_ROWS_COUNTED_TOGETHER = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """The first row of each class, and how many rows it has."""

    first_rows: Ints
    sizes: Ints

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Rows that agree on some columns, numbered by first appearance."""

    class_of_row: Ints
    first_rows: Ints
    sizes: Ints

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def counts(self) -> ClassCounts:
        """Their sizes."""
        return ClassCounts(self.first_rows, self.sizes)

    def rows(self, number: int) -> Ints:
        """The rows of one class, ascending."""
        return np.flatnonzero(self.class_of_row == number)


def rows_as_class(chosen: Bools) -> Classes:
    """The chosen rows as one class; the others, as class -1, are in none. Without any there is no class."""
    first, count = np.flatnonzero(chosen)[:1], np.count_nonzero(chosen)
    return Classes(np.where(chosen, 0, -1), first, np.full(len(first), count, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class LocalData:
    """A table with the roles of its columns and, before publication, the trees of its quasi-identifiers.

    The codes of a column with a tree are nodes of that tree. `subjects` numbers the person behind each row
    when several rows can belong to one person; None when each row is a person of its own. Of published sets,
    `leaves_of_label` tells how many items each label of a column stands for, where that is known.
    """

    table: Table
    roles: Mapping[str, Role]
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    subjects: Ints | None = None
    leaves_of_label: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    answers: ClassVar[frozenset[Question]] = frozenset(Question)

    def __repr__(self) -> str:
        return f"<LocalData: {self.row_count:,} records, {len(self.table.columns):,} columns>"

    @property
    def row_count(self) -> int:
        """How many records there are."""
        return self.table.row_count

    def with_role(self, *roles: type) -> tuple[str, ...]:
        """Columns of the given roles in table order."""
        return tuple(name for name in self.table.columns if isinstance(self.roles.get(name), roles))

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
        """Sensitive columns with single values."""
        return tuple(name for name in self.with_role(Sensitive) if isinstance(self.table.column(name), Coded))

    def weights(self) -> dict[str, float]:
        """The weight of each quasi-identifier with single values, as the user gave it."""
        return {name: role.weight for name in self.quasi if isinstance(role := self.roles[name], Quasi)}

    def classes(self, columns: Sequence[str]) -> Classes:
        """Which rows agree on all the given columns; without columns all rows do."""
        class_of_row = np.empty(self.row_count, dtype=np.int64)
        counted = self._counted(columns, class_of_row)
        return Classes(class_of_row, counted.first_rows, counted.sizes)

    def class_counts(self, columns: Sequence[str]) -> ClassCounts:
        """The same classes without which rows they have, which takes no memory for each row."""
        return self._counted(columns, None)

    def _counted(
        self, columns: Sequence[str], class_of_row: Ints | None, part: tuple[int, int] = (0, 1)
    ) -> ClassCounts:
        """The classes of rows; of rows with one remainder if `part` says so, but then not which they are."""
        packed = Packed.of([self.table.coded(name).narrow for name in columns])
        counted = room_for_classes(packed.width, _CLASSES_AT_FIRST)
        first = 0
        while first < self.row_count:
            last = min(first + _ROWS_AT_ONCE, self.row_count)
            of_rows = (
                np.empty(last - first, dtype=np.int64) if class_of_row is None else class_of_row[first:last]
            )
            codes, done = packed.rows(first, last), 0
            if part[1] > 1:
                codes = codes[_remainders(codes, part[1]) == part[0]]
            while done < len(codes):
                done += count_rows(counted, codes[done:], first + done, of_rows[done:])
                if done < len(codes):
                    counted = with_more_room(counted)
            first = last
        count = int(counted.state[0])
        return ClassCounts(counted.first_rows[:count].copy(), counted.sizes[:count].copy())

    def histogram(self, classes: Classes, column: str) -> Histogram:
        """How often each value of a column occurs in each class."""
        coded = self.table.coded(column)
        present = np.flatnonzero(coded.narrow != coded.domain.missing)
        in_class, values = classes.class_of_row[present], wide(coded.narrow[present])
        return _histogram(in_class, values, _counts(in_class, len(classes)), len(coded.domain))

    def subject_histogram(self, classes: Classes, column: str) -> Histogram:
        """How many people of each class have each value of a column."""
        coded = self.table.coded(column)
        present = np.flatnonzero(coded.narrow != coded.domain.missing)
        in_class, people = classes.class_of_row[present], self.people()[present]
        values = wide(coded.narrow[present])
        _, once = group_rows(_packed([in_class, people]))
        sizes = _counts(in_class[once], len(classes))
        _, once = group_rows(_packed([in_class, values, people]))
        histogram = _histogram(in_class[once], values[once], sizes, len(coded.domain))
        _, once = group_rows(_packed([values, people]))  # somebody in two classes is one person of the table
        return replace(histogram, totals=_counts(values[once], len(coded.domain)))

    def people(self) -> Ints:
        """The number of the person behind each row."""
        return np.arange(self.row_count, dtype=np.int64) if self.subjects is None else self.subjects

    def people_per_class(self, classes: Classes) -> Ints:
        """How many distinct people each class holds."""
        _, once = group_rows(_packed([classes.class_of_row, self.people()]))
        return _counts(classes.class_of_row[once], len(classes))

    def joined_sets(self) -> JoinedSets:
        """The items of all set columns and all sensitive values, row by row."""
        return join_sets(self.table, self.roles)

    def set_classes(self, sets: JoinedSets) -> Classes:
        """Which rows have the same quasi-identifier items; those without any are a class, too."""
        class_of_row, first_rows = group_sets(sets.quasi)
        return Classes(class_of_row, first_rows, _counts(class_of_row, len(first_rows)))

    def alike(self) -> Classes:
        """Which rows agree on all quasi-identifiers, single values and sets."""
        by_value = self.classes(self.quasi)
        if not self.quasi_sets:
            return by_value
        by_set = self.set_classes(self.joined_sets())
        class_of_row, first_rows = group_rows(_packed([by_value.class_of_row, by_set.class_of_row]))
        return Classes(class_of_row, first_rows, _counts(class_of_row, len(first_rows)))

    def size_counts(self) -> SizeCounts:
        """The sizes of the classes of rows that agree on all quasi-identifiers.

        Of many rows those are counted together that have the same remainder, as rows of a class have.
        """
        if self.quasi_sets:
            return SizeCounts.of(self.alike().sizes)
        parts = max(1, -(-self.row_count // _ROWS_COUNTED_TOGETHER))
        return SizeCounts.joined(
            [SizeCounts.of(self._counted(self.quasi, None, (part, parts)).sizes) for part in range(parts)]
        )

    def class_sizes(self, columns: Sequence[str], k: int) -> ClassSizes:
        """The classes of rows that agree on these columns, of which sets are compared all together."""
        whole = None if self.subjects is None and not self._have_sets(columns) else self._classes_by(columns)
        classes = self.class_counts(columns) if whole is None else whole.counts
        supports = classes.sizes
        if whole is not None and self.subjects is not None:
            supports = self.people_per_class(whole)
        weakest = self._first_by_labels(columns, classes, np.flatnonzero(supports == supports.min()))
        first, size = int(classes.first_rows[weakest]), int(classes.sizes[weakest])
        rows = self._rows_like(columns, first) if whole is None else whole.rows(weakest)
        below = supports < k
        return ClassSizes(
            sizes=SizeCounts.of(classes.sizes),
            weakest=NamedRows(self._labels(columns, first), rows, size),
            support=int(supports[weakest]),
            below=int(classes.sizes[below].sum()),
            classes_below=int(np.count_nonzero(below)),
            people=None if self.subjects is None else self.people_count(),
        )

    def _have_sets(self, columns: Sequence[str]) -> bool:
        return any(name in self.quasi_sets for name in columns)

    def _rows_like(self, columns: Sequence[str], row: int) -> Ints:
        """The rows that agree with one on some columns of single values, ascending."""
        alike = np.ones(self.row_count, dtype=np.bool_)
        for name in columns:
            narrow = self.table.coded(name).narrow
            alike &= narrow == narrow[row]
        return np.flatnonzero(alike)

    def rows_of_small_classes(self, columns: Sequence[str], k: int) -> Bools:
        """Rows that agree on these columns with too few others, or with rows of too few people."""
        classes = self._classes_by(columns)
        supports = classes.sizes if self.subjects is None else self.people_per_class(classes)
        return (supports < k)[classes.class_of_row]

    def rows_with_rare_itemsets(self, m: int, k: int, within: Sequence[str] = ()) -> Bools:
        """Rows with at most m items that fewer than k rows have which agree with them on some columns."""
        return rows_with_rare_itemsets(self.joined_sets().quasi, self._classes_by(within).class_of_row, m, k)

    def rows_of_broken_classes(self, judge: Callable[[Histogram], Judgement], within: Sequence[str]) -> Bools:
        """Rows of classes that break a promise about some sensitive column, counted in rows or in people."""
        classes = self._classes_by(within)
        broken = np.zeros(len(classes), dtype=np.bool_)
        for column in self.sensitive:
            for _, histogram in self._histograms(classes, column):
                broken |= judge(histogram).broken
        return broken[classes.class_of_row]

    def missing_matched(self, k: int) -> Wildcard | None:
        """The weaker reading of missing values; None if no quasi-identifier has one."""
        columns = [self.table.coded(name) for name in self.quasi]
        if not any(column.missing_count for column in columns):
            return None
        classes = self.class_counts(self.quasi)
        codes = np.stack([wide(column.narrow[classes.first_rows]) for column in columns], axis=1)
        missing = codes == np.array([column.domain.missing for column in columns])
        return wildcard_reading(codes, missing, classes.sizes, k)

    def weakest_classes(
        self, judge: Callable[[Histogram], Judgement], within: Sequence[str]
    ) -> list[WeakestClass]:
        """One per sensitive column, and another one in people where rows are not people."""
        classed = _Classed(within, self._classes_in_order(within))
        return [
            self._weakest(column, unit, histogram, judge(histogram), classed)
            for column in self.sensitive
            for unit, histogram in self._histograms(classed.classes, column)
        ]

    def rarest_itemset(self, m: int, k: int, within: Sequence[str] = ()) -> Rarest:
        """The smallest support over all itemsets of at most m items among rows that agree on some columns."""
        classes = self._classes_in_order(within) if within else None
        rarest = self.joined_sets().rarest(m, k, classes)
        return replace(rarest, where=self._named(rarest.where, within))

    def likeliest_guess(
        self, m: int, within: Sequence[str] = (), *, with_items: bool = False
    ) -> Guess | None:
        """The largest share of a sensitive item over all itemsets of 0..m items in each class."""
        sets = self.joined_sets()
        classes = self._classes_in_order(within) if within else None
        if with_items:
            classes = rows_as_class(np.diff(sets.quasi.starts) > 0)
        guess = sets.likeliest_guess(m, classes)
        return None if guess is None else replace(guess, where=self._named(guess.where, within))

    def rarest_facts(self, m: int, k: int) -> Facts | None:
        """What at most m facts about present and absent items fit the fewest records."""
        return rarest_facts(self.joined_sets(), self.leaves_of_label, m, k)

    def rows_with_items(self, *, sensitive: bool = False) -> int:
        """How many rows have any item that is not sensitive, or any at all."""
        sets = self.joined_sets()
        items = np.diff(sets.quasi.starts)
        if sensitive:
            items = items + np.diff(sets.sensitive.starts)
        return int(np.count_nonzero(items))

    def most_held_sensitive(self) -> tuple[Item, int] | None:
        """The sensitive item that the most rows hold, and how many do."""
        sets = self.joined_sets()
        if len(sets.sensitive.items) == 0:
            return None
        counts = np.bincount(sets.sensitive.items)
        return sets.sensitive_items.item(int(counts.argmax())), int(counts.max())

    def item_count(self) -> int:
        """How many items the trees of the sets hold."""
        return sum(tree.leaf_count for name, tree in self.trees.items() if name in self.quasi_sets)

    def people_count(self) -> int:
        """How many people there are: rows, unless several can belong to one person."""
        return self.row_count if self.subjects is None else len(np.unique(self.subjects))

    def combinations(self, columns: Sequence[str]) -> Combinations:
        """How many different combinations of values columns have that are published as they are."""
        class_of_row, first_rows = group_rows(_packed([self._carried_codes(name) for name in columns]))
        sizes = _counts(class_of_row, len(first_rows))
        return Combinations(len(first_rows), int(np.count_nonzero(sizes == 1)))

    def all_match(self, column: str, form: str) -> bool:
        """Whether every value of a column has the form of a regular expression."""
        labels = self.table.coded(column).domain.labels
        return bool(pc.all(pc.match_substring_regex(labels, form), min_count=0).as_py())

    def observed(self, column: str) -> Observed:
        """The values of a column, or the items of its sets, as detection sees them; many in a sample."""
        labels, counts, kind = self._labels_and_counts(column)
        held = np.flatnonzero(counts)
        return Observed.of(column, labels.take(pa.array(held)), counts[held], kind)

    def matching(self, column: str, form: str) -> list[str]:
        """Values of a column, or items of its sets, in which a regular expression is found; some if many."""
        labels, counts, _ = self._labels_and_counts(column)
        held = labels.take(pa.array(np.flatnonzero(counts)))
        found = held.filter(pc.match_substring_regex(held, form)).slice(0, MATCHES)
        return [str(text) for text in found.to_pylist()]

    def _labels_and_counts(self, column: str) -> tuple[pa.StringArray, Ints, pa.DataType]:
        """Distinct values, and how many rows have each; of sets, their items."""
        values = self.table.column(column)
        if isinstance(values, Carried):
            return _carried_values(values.values)
        tree = self.trees.get(column)
        labels = values.domain.labels if tree is None else pa.array(tree.labels, type=pa.string())
        counts = code_counts(values, len(labels))[: len(labels)]
        if tree is not None:
            counts[tree.missing] = 0
        return labels, counts, pa.string()

    def is_ordered(self, column: str) -> bool:
        """Whether the values of a column are numbers or dates, numbered in their order."""
        domain = self.table.coded(column).domain
        try:
            numbers = np.array(domain.texts() if domain.numbers is None else domain.numbers, dtype=np.float64)
        except ValueError:
            return False
        return bool(np.all(np.diff(numbers) > 0))

    def held(self, column: str, labels: Collection[str]) -> set[str]:
        """Which of these labels a column of single values or of sets has."""
        return set(labels).intersection(self._labelled(column).domain.texts())

    def labels(self, columns: Sequence[str]) -> dict[str, Labels]:
        """The labels of columns of single values or of sets."""
        return {name: _labels_of(self._labelled(name)) for name in columns}

    def type_of(self, column: str) -> pa.DataType:
        """The type of a column that is published as it is; pseudonyms are texts."""
        carried = self.table.column(column)
        return carried.values.type if isinstance(carried, Carried) else pa.string()

    def _labelled(self, column: str) -> Coded | Sets:
        labelled = self.table.column(column)
        if isinstance(labelled, Carried):
            raise TypeError(f"column {column!r} is published as it is")
        return labelled

    def _carried_codes(self, column: str) -> Ints:
        carried = self.table.column(column)
        if not isinstance(carried, Carried):
            raise TypeError(f"column {column!r} is not published as it is")
        try:
            return carried_codes(carried.values)
        except pa.ArrowNotImplementedError:
            return np.arange(len(carried), dtype=np.int64)  # of a type whose values may all differ

    def _histograms(self, classes: Classes, column: str) -> Iterator[tuple[str, Histogram]]:
        yield "record", self.histogram(classes, column)
        if self.subjects is not None:
            yield "person", self.subject_histogram(classes, column)

    def _weakest(
        self, column: str, unit: str, histogram: Histogram, judged: Judgement, classes: _Classed
    ) -> WeakestClass:
        candidates = np.flatnonzero(judged.broken) if judged.broken.any() else np.arange(len(judged.slacks))
        weakest = int(candidates[judged.slacks[candidates].argmin()])
        values, counts = histogram.of_class(weakest)
        domain = self.table.coded(column).domain
        return WeakestClass(
            column=column,
            unit=unit,
            figure=float(judged.figures[weakest]),
            slack=float(judged.slacks[weakest]),
            classes=len(classes.classes),
            broken=int(np.count_nonzero(judged.broken)),
            where=self._class(classes.columns, classes.classes, weakest),
            frequent=domain.label(int(values[counts.argmax()])) if len(values) else None,
            holding=int(counts.max(initial=0)),
            size=int(histogram.sizes[weakest]),
        )

    def _classes_by(self, columns: Sequence[str]) -> Classes:
        """Which rows agree on these columns; of set columns there are all or none among them."""
        values = [name for name in columns if name not in self.quasi_sets]
        if len(values) == len(columns):
            return self.classes(values)
        return self.alike() if values else self.set_classes(self.joined_sets())

    def _classes_in_order(self, columns: Sequence[str]) -> Classes:
        """Which rows agree on some columns, the classes numbered in the order of their labels."""
        classes = self._classes_by(columns)
        if not columns:
            return classes
        keys = [self._ranks(name, classes.first_rows) for name in reversed(columns)]
        order = np.lexsort(keys)
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order))
        return Classes(number[classes.class_of_row], classes.first_rows[order], classes.sizes[order])

    def _ranks(self, column: str, rows: Ints) -> Ints:
        """The places of the values of some rows in the order of their labels; missing ones come first."""
        if column in self.quasi_sets:
            return _ranks_of_sets(self.joined_sets().of_column(column), rows)
        coded = self.table.coded(column)
        ranks = np.zeros(len(coded.domain) + 1, dtype=np.int64)
        texts = self.trees[column].labels[: len(coded.domain)] if column in self.trees else None
        labels = coded.domain.labels if texts is None else pa.array(texts, type=pa.string())
        ranks[pc.sort_indices(labels).to_numpy()] = np.arange(1, len(ranks))
        return ranks[coded.narrow[rows]]

    def _first_by_labels(self, columns: Sequence[str], classes: ClassCounts, candidates: Ints) -> int:
        """Of some classes the first in the order of their labels."""
        for name in columns:
            if len(candidates) > 1:
                rows = classes.first_rows[candidates]
                if name in self.quasi_sets:
                    are_first = _are_first_sets(self.joined_sets().of_column(name), rows)
                else:
                    ranks = self._ranks(name, rows)
                    are_first = ranks == ranks.min()
                candidates = candidates[are_first]
        return int(candidates[0])

    def _class(self, columns: Sequence[str], classes: Classes, number: int) -> NamedRows:
        row = int(classes.first_rows[number])
        return NamedRows(self._labels(columns, row), classes.rows(number), int(classes.sizes[number]))

    def _named(self, found: NamedRows, within: Sequence[str]) -> NamedRows:
        return replace(found, labels=self._labels(within, int(found.rows[0]))) if len(found.rows) else found

    def _labels(self, columns: Sequence[str], row: int) -> dict[str, Shown]:
        """The values of a row in some columns, of sets the items that are not sensitive."""
        sets = [name for name in columns if name in self.quasi_sets]
        items = self.joined_sets().items_of_row(row) if sets else ()
        return {
            name: tuple(item.label for item in items if item.column == name)
            if name in sets
            else self.label(name, row)
            for name in columns
        }

    def label(self, column: str, row: int) -> str | None:
        """The value of a row as it is or would be published; None for a missing one."""
        coded = self.table.coded(column)
        code = int(coded.narrow[row])
        if column in self.trees and code != coded.domain.missing:
            return self.trees[column].labels[code]
        return coded.domain.label(code)


def carried_codes(values: pa.ChunkedArray) -> Ints:
    """Numbers of values that are published as they are; a null is a value like others."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if holds_lists(values.type):
        values = _lists_of_numbers(values)
    encoded = pc.dictionary_encode(values, null_encoding="encode").combine_chunks()
    codes: Ints = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _lists_of_numbers(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text for each list, the same for the same items in the same order."""
    lists = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], type=values.type)
    items = carried_codes(pa.chunked_array([pc.list_flatten(lists)]))
    sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    offsets = pa.array(starts_of(sizes).astype(np.int32))
    texts = pc.binary_join(pa.ListArray.from_arrays(offsets, pa.array(items).cast(pa.string())), " ")
    return pa.chunked_array([pc.if_else(lists.is_valid(), texts, None)])


@dataclass(frozen=True, slots=True, eq=False)
class _Classed:
    columns: Sequence[str]
    classes: Classes


def _are_first_sets(sets: SetArrays, rows: Ints) -> Bools:
    """Which of some rows have the first set, in the order of items."""
    left, place = np.arange(len(rows)), 0
    while True:
        ended = sets.starts[rows[left]] + place == sets.starts[rows[left] + 1]
        if ended.any():
            break
        items = sets.items[sets.starts[rows[left]] + place]
        left, place = left[items == items.min()], place + 1
    are_first: Bools = np.zeros(len(rows), dtype=np.bool_)
    are_first[left[ended]] = True
    return are_first


def _ranks_of_sets(sets: SetArrays, rows: Ints) -> Ints:
    """The places of some rows' sets among them, in the order of their items."""
    items = sets.items.astype(">i8").tobytes()
    starts, ends = (8 * sets.starts[rows]).tolist(), (8 * sets.starts[rows + 1]).tolist()
    keys = [items[start:end] for start, end in zip(starts, ends, strict=True)]
    rank_of = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([rank_of[key] for key in keys], dtype=np.int64)


def _carried_values(values: pa.ChunkedArray) -> tuple[pa.StringArray, Ints, pa.DataType]:
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    try:
        encoded = pc.dictionary_encode(values.cast(kind)).combine_chunks()
        texts = as_text(encoded.dictionary)
    except (UnsupportedType, pa.ArrowNotImplementedError):
        return pa.array([], type=pa.string()), np.empty(0, dtype=np.int64), kind
    present = encoded.indices.drop_null().to_numpy(zero_copy_only=False).astype(np.int64)
    return texts, _counts(present, len(texts)), kind


def _labels_of(column: Coded | Sets) -> Labels:
    missing = isinstance(column, Coded) and column.missing_count > 0
    return Labels(tuple(column.domain.texts()), missing)


def _counts(numbers: Ints, length: int) -> Ints:
    return np.bincount(numbers, minlength=length).astype(np.int64, copy=False)


def _histogram(in_class: Ints, values: Ints, sizes: Ints, value_count: int) -> Histogram:
    pair_of_row, first_rows = group_rows(_packed([in_class, values]))
    counts = _counts(pair_of_row, len(first_rows))
    classes, distinct = in_class[first_rows], values[first_rows]
    order = np.lexsort((distinct, classes))
    starts, _ = members(classes, len(sizes))
    return Histogram(sizes, starts, distinct[order], counts[order], _counts(values, value_count))


def _remainders(codes: Ints, divisor: int) -> Ints:
    """A number below the divisor for each row, the same for equal rows."""
    mixed = np.zeros(len(codes), dtype=np.uint64)
    for number in range(codes.shape[1]):
        mixed = (mixed ^ codes[:, number].view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(33)) % np.uint64(divisor)).view(np.int64)


def _packed(columns: Sequence[Ints]) -> Ints:
    """Rows as one number each, or as few as fit into 63 bits; equal exactly where all the columns are.

    The columns hold numbers of 0 or more. One number per row is hashed and compared in a fraction of the
    time that a row of columns takes.
    """
    packed: list[Ints] = []
    room = 0
    for codes in columns:
        radix = int(codes.max(initial=0)) + 1
        if radix <= room:
            packed[-1] *= radix
            packed[-1] += codes
            room //= radix
        else:
            packed.append(codes.copy())
            room = (2**63 - 1) // radix
    return packed[0].reshape(-1, 1) if len(packed) == 1 else np.stack(packed, axis=1)
