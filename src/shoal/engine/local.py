"""Data in this process's memory, and the questions that may be asked of them.

Searches and verifiers ask in these words only, so that data elsewhere can answer them too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.engine.joined_sets import JoinedSets, join_sets
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints
from shoal.kernels.grouping import group_rows, members
from shoal.kernels.sets import group_sets
from shoal.table.columns import Coded, Table
from shoal.table.roles import Quasi, QuasiSet, Role, Sensitive


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Rows that agree on some columns, numbered by first appearance."""

    class_of_row: Ints
    first_rows: Ints
    sizes: Ints

    def __len__(self) -> int:
        return len(self.sizes)

    def rows(self, number: int) -> Ints:
        """The rows of one class, ascending."""
        return np.flatnonzero(self.class_of_row == number)


def rows_as_class(chosen: Bools) -> Classes:
    """The chosen rows as one class; the others, as class -1, are in none. Without any there is no class."""
    first, count = np.flatnonzero(chosen)[:1], np.count_nonzero(chosen)
    return Classes(np.where(chosen, 0, -1), first, np.full(len(first), count, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often each value of a column occurs in each class; missing values are not counted.

    Class c has the values values[starts[c]:starts[c + 1]], ascending, with those `counts`. `totals[v]` is
    the count of value v over all classes. `sizes[c]` is how many rows, or people, of class c have a value;
    a person with several values counts once.
    """

    sizes: Ints
    starts: Ints
    values: Ints
    counts: Ints
    totals: Ints

    def of_class(self, number: int) -> tuple[Ints, Ints]:
        """Values and counts of one class."""
        part = slice(self.starts[number], self.starts[number + 1])
        return self.values[part], self.counts[part]


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
        codes = [self.table.coded(name).codes for name in columns]
        class_of_row, first_rows = group_rows(_packed(codes or [np.zeros(self.row_count, dtype=np.int64)]))
        return Classes(class_of_row, first_rows, _counts(class_of_row, len(first_rows)))

    def histogram(self, classes: Classes, column: str) -> Histogram:
        """How often each value of a column occurs in each class."""
        coded = self.table.coded(column)
        present = np.flatnonzero(coded.codes != coded.domain.missing)
        in_class, values = classes.class_of_row[present], coded.codes[present]
        return _histogram(in_class, values, _counts(in_class, len(classes)), len(coded.domain))

    def subject_histogram(self, classes: Classes, column: str) -> Histogram:
        """How many people of each class have each value of a column."""
        coded = self.table.coded(column)
        present = np.flatnonzero(coded.codes != coded.domain.missing)
        in_class, values, people = (
            array[present] for array in (classes.class_of_row, coded.codes, self.people())
        )
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

    def label(self, column: str, row: int) -> str | None:
        """The value of a row as it is or would be published; None for a missing one."""
        coded = self.table.coded(column)
        code = int(coded.codes[row])
        if column in self.trees and code != coded.domain.missing:
            return self.trees[column].labels[code]
        return coded.domain.label(code)


def _counts(numbers: Ints, length: int) -> Ints:
    return np.bincount(numbers, minlength=length).astype(np.int64, copy=False)


def _histogram(in_class: Ints, values: Ints, sizes: Ints, value_count: int) -> Histogram:
    pair_of_row, first_rows = group_rows(_packed([in_class, values]))
    counts = _counts(pair_of_row, len(first_rows))
    classes, distinct = in_class[first_rows], values[first_rows]
    order = np.lexsort((distinct, classes))
    starts, _ = members(classes, len(sizes))
    return Histogram(sizes, starts, distinct[order], counts[order], _counts(values, value_count))


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
