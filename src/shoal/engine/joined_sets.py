"""The sets of a table as one: what may be asked about items, whatever columns they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engine.answers import Guess, Item, NamedRows, Rarest
from shoal.kernels.arrays import (
    Bools,
    Ints,
    Items,
    SetArrays,
    freeze,
    frozen_ints,
    frozen_sets,
    only_items,
    starts_of,
)
from shoal.kernels.grouping import members
from shoal.kernels.itemset_supports import (
    NEVER_GUESSED,
    SHARE_OF_ROWS,
    GroupedRows,
    ItemRows,
    ItemsetSupports,
    itemset_supports,
    pair_supports,
    pairs_fit_into_table,
)
from shoal.table.columns import Coded, Domain, Sets, Table
from shoal.table.roles import QuasiSet, Role, Sensitive

if TYPE_CHECKING:
    from shoal.engine.local import Classes


@dataclass(frozen=True, slots=True, eq=False)
class Numbering:
    """Items of several columns under one sequence of numbers: first[c] is the number of column c's code 0."""

    columns: tuple[str, ...]
    domains: tuple[Domain, ...]
    first: Ints
    count: int

    @classmethod
    def of(cls, columns: Mapping[str, Domain]) -> Numbering:
        """Number the columns in order; each has one number more than values, for the code of missing."""
        ends = np.cumsum([len(domain) + 1 for domain in columns.values()], dtype=np.int64)
        first = np.concatenate((np.zeros(1, dtype=np.int64), ends))
        return cls(tuple(columns), tuple(columns.values()), frozen_ints(first[:-1]), int(first[-1]))

    def item(self, number: int) -> Item:
        """The column and label behind a number."""
        index = int(np.searchsorted(self.first, number, side="right")) - 1
        return Item(self.columns[index], str(self.domains[index].label(number - int(self.first[index]))))


@dataclass(frozen=True, slots=True, eq=False)
class JoinedSets:
    """Row by row the quasi-identifier items and the sensitive ones of all columns.

    Sensitive are the items that a set column names as such, all items of a sensitive set column, and the
    values of a sensitive column; a missing value is none, and shares of values are shares of those that are
    there. `whole_of` says so to the kernel.
    """

    quasi: SetArrays
    sensitive: SetArrays
    quasi_items: Numbering
    sensitive_items: Numbering
    whole_of: Ints

    @property
    def row_count(self) -> int:
        """How many records there are."""
        return len(self.quasi.starts) - 1

    def items_of_row(self, row: int) -> tuple[Item, ...]:
        """The quasi-identifier items of one record."""
        numbers = self.quasi.items[self.quasi.starts[row] : self.quasi.starts[row + 1]]
        return self._items(numbers)

    def of_column(self, name: str) -> SetArrays:
        """The quasi-identifier items of one column, in that column's codes."""
        index = self.quasi_items.columns.index(name)
        if len(self.quasi_items.columns) == 1:
            return self.quasi
        first = int(self.quasi_items.first[index])
        last = first + len(self.quasi_items.domains[index])
        kept = (self.quasi.items >= first) & (self.quasi.items <= last)
        sets = only_items(self.quasi, kept)
        return SetArrays(sets.starts, freeze(sets.items - np.int32(first)))

    def rarest(self, m: int, k: int, classes: Classes | None = None) -> Rarest:
        """The smallest support over all itemsets of at most m items in each class, by default in all rows."""
        if m == 2 and classes is None and pairs_fit_into_table(self.quasi, self.quasi_items.count):
            found = pair_supports(self.quasi, self.quasi_items.count, k)
        else:
            none = frozen_sets(np.zeros(self.row_count + 1), [])
            found = self._supports(none, frozen_ints([]), m, k, classes)
        if found.smallest == 0:
            return Rarest(None, (), NamedRows({}, frozen_ints([]), 0), 0)
        rows = _rows_of_class(_rows_holding(self.quasi, found.itemset), classes, found.group)
        where = NamedRows({}, rows, int(found.smallest))
        return Rarest(int(found.smallest), self._items(found.itemset), where, int(found.below))

    def likeliest_guess(self, m: int, classes: Classes | None = None) -> Guess | None:
        """The largest share of a sensitive item over all itemsets of 0..m items in each class.

        Without classes all rows are one. None when no sensitive item occurs.
        """
        found = self._supports(self.sensitive, self.whole_of, m, 1, classes)
        if found.guessed < 0:
            return None
        knowing = _rows_holding(self.quasi, found.known)
        holding = _rows_holding(self.sensitive, np.array([found.guessed]))
        both = np.intersect1d(knowing, holding, assume_unique=True)
        rows = _rows_of_class(both, classes, found.known_group)
        return Guess(
            self._items(found.known),
            self.sensitive_items.item(int(found.guessed)),
            int(found.holding),
            int(found.knowing),
            NamedRows({}, rows, int(found.holding)),
        )

    def _items(self, numbers: Ints | Items) -> tuple[Item, ...]:
        return tuple(self.quasi_items.item(int(number)) for number in numbers)

    def _supports(
        self, sensitive: SetArrays, whole_of: Ints, m: int, k: int, classes: Classes | None
    ) -> ItemsetSupports:
        if classes is None:
            starts, rows = np.array([0, self.row_count]), np.arange(self.row_count)
        else:
            starts, rows = members(classes.class_of_row, len(classes))
        groups = GroupedRows(frozen_ints(starts), frozen_ints(rows))
        return itemset_supports(
            ItemRows(self.quasi, self.quasi_items.count, sensitive, whole_of), groups, m, k
        )


def join_sets(table: Table, roles: Mapping[str, Role]) -> JoinedSets:
    """Join the columns of a table that hold quasi-identifier sets, sensitive items or sensitive values."""
    quasi: dict[str, tuple[Domain, SetArrays]] = {}
    sensitive: dict[str, tuple[Domain, SetArrays]] = {}
    for name, column in table.columns.items():
        role = roles.get(name)
        if isinstance(role, QuasiSet) and isinstance(column, Sets):
            marked = _labelled(column.domain, role.sensitive)
            quasi[name] = column.domain, _items_where(column.arrays, ~marked)
            if marked.any():
                sensitive[name] = column.domain, _items_where(column.arrays, marked)
        elif isinstance(role, Sensitive) and isinstance(column, Sets):
            sensitive[name] = column.domain, column.arrays
        elif isinstance(role, Sensitive) and isinstance(column, Coded):
            sensitive[name] = column.domain, _values_as_sets(column)
    quasi_items = Numbering.of({name: domain for name, (domain, _) in quasi.items()})
    sensitive_items = Numbering.of({name: domain for name, (domain, _) in sensitive.items()})
    return JoinedSets(
        _joined([arrays for _, arrays in quasi.values()], quasi_items.first, table.row_count),
        _joined([arrays for _, arrays in sensitive.values()], sensitive_items.first, table.row_count),
        quasi_items,
        sensitive_items,
        _whole_of(table, sensitive_items),
    )


def _labelled(domain: Domain, labels: Sequence[str]) -> Bools:
    marked = pc.is_in(domain.labels, value_set=pa.array(labels, type=pa.string()))
    return np.asarray(marked.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _items_where(sets: SetArrays, wanted: Bools) -> SetArrays:
    return sets if wanted.all() else only_items(sets, wanted[sets.items])


def _values_as_sets(column: Coded) -> SetArrays:
    """Each value beside the code of missing, which here stands for `there is a value`."""
    present = column.codes != column.domain.missing
    starts = starts_of(2 * present)
    values = column.codes[present]
    items = np.stack((values, np.full(len(values), column.domain.missing)), axis=1)
    return frozen_sets(starts, items.ravel())


def _whole_of(table: Table, sensitive: Numbering) -> Ints:
    whole_of = np.full(sensitive.count, SHARE_OF_ROWS, dtype=np.int64)
    for name, domain, first in zip(sensitive.columns, sensitive.domains, sensitive.first, strict=True):
        if isinstance(table.columns[name], Coded):
            there_is_a_value = first + domain.missing
            whole_of[first:there_is_a_value] = there_is_a_value
            whole_of[there_is_a_value] = NEVER_GUESSED
    return frozen_ints(whole_of)


def _joined(parts: Sequence[SetArrays], first: Ints, row_count: int) -> SetArrays:
    """Put the parts of each row one behind the other; the codes of part p are numbered from first[p]."""
    if len(parts) == 1:
        return parts[0]
    starts = np.zeros(row_count + 1, dtype=np.int64)
    for part in parts:
        starts += part.starts
    items = np.empty(starts[-1], dtype=np.int32)
    filled = starts[:-1].copy()
    for part, number in zip(parts, first, strict=True):
        sizes = np.diff(part.starts)
        places = np.arange(len(part.items)) + np.repeat(filled - part.starts[:-1], sizes)
        items[places] = part.items + number
        filled += sizes
    return SetArrays(freeze(starts), freeze(items))


def _rows_holding(sets: SetArrays, itemset: Ints) -> Ints:
    held = np.zeros(len(sets.starts) - 1, dtype=np.int64)
    for item in itemset:
        places = np.flatnonzero(sets.items == item)
        held[np.searchsorted(sets.starts, places, side="right") - 1] += 1
    return np.flatnonzero(held == len(itemset))


def _rows_of_class(rows: Ints, classes: Classes | None, number: int) -> Ints:
    return rows if classes is None else rows[classes.class_of_row[rows] == number]
