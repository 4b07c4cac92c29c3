"""A table as integer codes: what every later part of Shoal works on.

Strings end here. A column of single values is one code per row; a column of sets is two arrays. Codes follow
the order of the values (numbers and dates ascending, text by code point), and a missing value has the code
after the last value. Columns of single values hold their codes in as few bytes as these need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Self

import numpy as np
import pyarrow as pa

from shoal.errors import UnknownName
from shoal.kernels.arrays import (
    Codes,
    Floats,
    HeldSets,
    Ints,
    SetArrays,
    counts_of,
    freeze,
    frozen_codes,
    frozen_floats,
    frozen_ints,
    looked_up,
    taken_runs,
    wide,
)


class Kind(StrEnum):
    """What the values of a column are."""

    CATEGORY = "category"
    NUMBER = "number"
    DATE = "date"
    SET = "set"


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """The distinct values of a column in their order, without the missing one.

    `labels` are canonical texts, as they would be published. `numbers` are the values of a number column, or
    the days since 1970-01-01 of a date column; None for other kinds. A column that is bound to a tree has
    the tree's leaves as its domain, in tree order.
    """

    kind: Kind
    labels: pa.StringArray
    numbers: Floats | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def missing(self) -> int:
        """The code of a missing value."""
        return len(self.labels)

    def texts(self) -> list[str]:
        """The labels as Python strings."""
        return list(self.labels.to_pylist())

    def label(self, code: int) -> str | None:
        """One label; None for the missing value."""
        return None if code == self.missing else str(self.labels[code])


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of single values: codes[r] is the position of row r's value in the domain.

    `narrow` are the codes as they are held, in the narrowest type that has room for them.
    """

    narrow: Codes
    domain: Domain

    def __repr__(self) -> str:
        return (
            f"<Coded: {len(self):,} values of kind {self.domain.kind}, {len(self.domain.labels):,} distinct>"
        )

    @classmethod
    def of(cls, codes: object, domain: Domain) -> Coded:
        """Take over codes in the narrowest type, which nobody can write to."""
        return cls(frozen_codes(codes), domain)

    @property
    def codes(self) -> Ints:
        """The codes as all kernels take them: made for whoever asks, so ask once."""
        return wide(self.narrow)

    def __len__(self) -> int:
        return len(self.narrow)

    @property
    def missing_count(self) -> int:
        """How many rows have no value."""
        return int(np.count_nonzero(self.narrow == self.domain.missing))


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """A column of sets: row r holds the codes narrow[starts[r]:starts[r + 1]], ascending and without repeats.

    `narrow` are the codes as they are held, in the narrowest type that has room for them.
    """

    starts: Ints
    narrow: Codes
    domain: Domain
    separator: str = " "

    def __repr__(self) -> str:
        items = len(self.domain.labels)
        return f"<Sets: {len(self):,} sets, {len(self.narrow):,} entries of {items:,} items>"

    @classmethod
    def of(cls, starts: object, items: object, domain: Domain, separator: str = " ") -> Self:
        """Freeze the arrays; items must ascend without repeats within each row."""
        return cls(frozen_ints(starts), frozen_codes(items), domain, separator)

    @property
    def arrays(self) -> SetArrays:
        """The sets as all kernels take them: made for whoever asks, so ask once."""
        return SetArrays(self.starts, freeze(self.narrow.astype(np.int32, copy=False)))

    @property
    def held(self) -> HeldSets:
        """The sets as they are held, for those who take them piece by piece."""
        return HeldSets(self.starts, self.narrow)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Ints:
        """Items per row."""
        return np.diff(self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """A column that passes through untouched; `separator` joins its lists where they must be texts."""

    values: pa.ChunkedArray
    separator: str | None = None

    def __repr__(self) -> str:
        return f"<Carried: {len(self):,} values of type {self.values.type}>"

    def __len__(self) -> int:
        return len(self.values)


Column = Coded | Sets | Carried


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Named columns of equal length, in the order of the file."""

    columns: Mapping[str, Column]
    row_count: int

    def __repr__(self) -> str:
        return f"<Table: {self.row_count:,} rows, {len(self.columns):,} columns>"

    @classmethod
    def of(cls, columns: Mapping[str, Column], row_count: int | None = None) -> Table:
        """Check that all columns are equally long."""
        lengths = {len(column) for column in columns.values()}
        count = row_count if row_count is not None else (lengths.pop() if lengths else 0)
        if lengths - {count}:
            raise ValueError(f"columns of different lengths: {sorted(lengths | {count})}")
        return cls(MappingProxyType(dict(columns)), count)

    def __reduce__(self) -> tuple[object, ...]:
        return Table.of, (dict(self.columns), self.row_count)  # a read-only mapping cannot be pickled

    def column(self, name: str) -> Column:
        """A column by name."""
        if name not in self.columns:
            raise UnknownName("The table", "column", name, self.columns)
        return self.columns[name]

    def coded(self, name: str) -> Coded:
        """A column of single values by name."""
        column = self.column(name)
        if not isinstance(column, Coded):
            raise TypeError(f"column {name!r} is not a column of single values")
        return column

    def sets(self, name: str) -> Sets:
        """A column of sets by name."""
        column = self.column(name)
        if not isinstance(column, Sets):
            raise TypeError(f"column {name!r} is not a column of sets")
        return column

    def replacing(self, columns: Mapping[str, Column]) -> Table:
        """The same table with some columns exchanged."""
        return Table.of({**self.columns, **columns}, self.row_count)

    def without(self, names: Sequence[str]) -> Table:
        """The same table with some columns dropped."""
        kept = {name: column for name, column in self.columns.items() if name not in names}
        return Table.of(kept, self.row_count)

    def take(self, rows: Codes) -> Table:
        """The given rows, in the given order."""
        return Table.of({name: _take(column, rows) for name, column in self.columns.items()}, len(rows))


def _take(column: Column, rows: Codes) -> Column:
    if isinstance(column, Coded):
        return Coded(freeze(looked_up(column.narrow, rows)), column.domain)
    if isinstance(column, Carried):
        return replace(column, values=column.values.take(pa.array(rows)))
    starts, narrow = taken_runs(column.starts, column.narrow, wide(rows))
    return replace(column, starts=starts, narrow=narrow)


def code_counts(column: Coded | Sets, length: int = 0) -> Ints:
    """How often each code occurs: `length` codes or more, so that the missing value is one of them."""
    codes = column.narrow
    return counts_of(codes, max(length, len(column.domain) + 1, int(codes.max(initial=0)) + 1))


def occurring_labels(column: Coded | Sets) -> set[str]:
    """The labels that some row has."""
    times = code_counts(column)[: len(column.domain)]
    return set(column.domain.labels.filter(pa.array(times > 0)).to_pylist())


def category_domain(labels: Sequence[str]) -> Domain:
    """The domain of the given labels, which must be distinct and in order."""
    return Domain(Kind.CATEGORY, pa.array(labels, type=pa.string()))


def number_domain(numbers: Sequence[float], labels: Sequence[str]) -> Domain:
    """The domain of the given numbers, which must ascend strictly."""
    return Domain(Kind.NUMBER, pa.array(labels, type=pa.string()), frozen_floats(numbers))
