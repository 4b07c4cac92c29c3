"""Data in this process's memory, and the questions that may be asked of them.

Searches and verifiers ask in these words only, so that data elsewhere can answer them too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints
from shoal.kernels.grouping import group_rows, members
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


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often each value of a column occurs in each class; missing values are not counted.

    Class c has the values values[starts[c]:starts[c + 1]], ascending, with those `counts`. `totals[v]` is
    the count of value v over all classes.
    """

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
    when several rows can belong to one person; None when each row is a person of its own.
    """

    table: Table
    roles: Mapping[str, Role]
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    subjects: Ints | None = None

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
        class_of_row, first_rows = group_rows(self._stacked(columns))
        sizes = np.bincount(class_of_row, minlength=len(first_rows)).astype(np.int64)
        return Classes(class_of_row, first_rows, sizes)

    def histogram(self, classes: Classes, column: str) -> Histogram:
        """How often each value of a column occurs in each class."""
        coded = self.table.coded(column)
        present = np.flatnonzero(coded.codes != coded.domain.missing)
        pairs = np.stack((classes.class_of_row[present], coded.codes[present]), axis=1)
        return _histogram(pairs, len(classes), len(coded.domain))

    def subject_histogram(self, classes: Classes, column: str) -> Histogram:
        """How many people of each class have each value of a column."""
        coded = self.table.coded(column)
        present = np.flatnonzero(coded.codes != coded.domain.missing)
        triples = np.stack(
            (classes.class_of_row[present], coded.codes[present], self.people()[present]), axis=1
        )
        _, distinct = group_rows(triples)
        return _histogram(np.ascontiguousarray(triples[distinct, :2]), len(classes), len(coded.domain))

    def people(self) -> Ints:
        """The number of the person behind each row."""
        return np.arange(self.row_count, dtype=np.int64) if self.subjects is None else self.subjects

    def people_per_class(self, classes: Classes) -> Ints:
        """How many distinct people each class holds."""
        pairs = np.stack((classes.class_of_row, self.people()), axis=1)
        _, first_rows = group_rows(pairs)
        return np.bincount(classes.class_of_row[first_rows], minlength=len(classes)).astype(np.int64)

    def _stacked(self, columns: Sequence[str]) -> Ints:
        if not columns:
            return np.zeros((self.row_count, 1), dtype=np.int64)
        return np.stack([self.table.coded(name).codes for name in columns], axis=1)


def _histogram(pairs: Ints, class_count: int, value_count: int) -> Histogram:
    pair_of_row, first_rows = group_rows(pairs)
    counts = np.bincount(pair_of_row, minlength=len(first_rows)).astype(np.int64)
    classes, values = pairs[first_rows, 0], pairs[first_rows, 1]
    order = np.lexsort((values, classes))
    starts, _ = members(classes, class_count)
    totals = np.bincount(pairs[:, 1], minlength=value_count).astype(np.int64)
    return Histogram(starts, values[order], counts[order], totals)
