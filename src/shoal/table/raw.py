"""What every format gives: columns as they stand in the source, before any of them has a meaning."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol

import pyarrow as pa

from shoal.errors import Problem
from shoal.kernels.arrays import Ints
from shoal.table.canonical import is_supported
from shoal.table.occurrences import Batches, ListBatch, ListBatches

LISTED = 10

TakesLists = Callable[[pa.Array], ListBatch]
NO_LISTS: Mapping[str, TakesLists] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class HowRead:
    """What was given or found out about a source; None where its format has no such thing.

    `partitions` are the columns that folders are called by, from the outermost.
    """

    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    sheet: str | None = None
    partitions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Raw:
    """Columns of a source, and where its rows stand.

    `lines_of` tells the lines at which the given ascending rows begin; None where rows have no lines.
    `library` names the library of a frame, and `own_types` are its types of the columns. In text that is not
    typed an empty cell is a missing value; other sources tell an empty text from a null. `mixed` are columns
    of texts some of whose cells were no texts: those are written as they would be published. `parts` are the
    files that the rows come from, in their order, where they are many. Columns that were taken batch by batch
    are in `batches`, or in `lists`, and not in the table, and `length` tells how many rows there are.
    """

    where: str
    table: pa.Table
    lines_of: Callable[[Sequence[int]], list[int]] | None = None
    notices: tuple[str, ...] = ()
    library: str | None = None
    typed: bool = True
    own_types: Mapping[str, Any] = field(default_factory=dict)
    mixed: frozenset[str] = frozenset()
    parts: tuple[Raw, ...] = ()
    batches: dict[str, Batches] = field(default_factory=dict)
    lists: dict[str, ListBatches] = field(default_factory=dict)
    length: int | None = None

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return self.table.num_rows if self.length is None else self.length

    def type_of(self, column: str) -> pa.DataType:
        """The type of a column in its source."""
        if column in self.batches:
            return self.batches[column].kind
        if column in self.lists:
            return self.lists[column].kind
        return self.table.schema.field(column).type

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were read."""
        return (*self.batches, *self.lists, *self.table.column_names)

    def with_column(self, name: str, cells: pa.ChunkedArray) -> Raw:
        """The same with a further column."""
        if not self.table.num_columns:
            return replace(self, table=pa.table({name: cells}), length=self.row_count)
        return replace(self, table=self.table.append_column(name, cells))

    def forget_batches(self, column: str) -> None:
        """Give the memory of a column free that has been encoded; its type is kept."""
        if column in self.batches:
            self.batches[column] = replace(self.batches[column], batches=())
        if column in self.lists:
            self.lists[column] = replace(self.lists[column], batches=())

    def in_batches(self, columns: Collection[str]) -> Raw:
        """The same with the given columns batch by batch, as far as their values can be told apart."""
        taken = {
            name: Batches.of(self.table.column(name))
            for name in self.table.column_names
            if name in columns and is_supported(self.type_of(name))
        }
        if not taken:
            return self
        rest = [name for name in self.table.column_names if name not in taken]
        return replace(
            self, table=self.table.select(rest), batches={**self.batches, **taken}, length=self.row_count
        )

    def problem_at(
        self, rows: Ints, what: str, remedy: str, column: str, value: str | None = None
    ) -> Problem:
        """A problem of one column, placed at the given ascending rows."""
        if self.parts:
            part, own_rows = self._first_part(rows)
            return part.problem_at(own_rows, what, remedy, column, value)
        shown = [int(row) for row in rows[:LISTED]]
        line = None
        if self.lines_of is None:
            places = _enumerated("row", [row + 1 for row in shown], len(rows))
        else:
            lines = self.lines_of(shown)
            line = lines[0]
            places = _enumerated("line", lines, len(rows))
        return Problem(f"{what} ({places})", remedy, file=self.where, line=line, column=column, value=value)

    def _first_part(self, rows: Ints) -> tuple[Raw, Ints]:
        """The file of the first of these rows, and those of them that are in it."""
        start = 0
        for part in self.parts:
            stop = start + part.row_count
            if rows[0] < stop:
                return part, rows[rows < stop] - start
            start = stop
        raise IndexError(int(rows[0]))


class Opened(Protocol):
    """A source whose column names are known and whose columns can be loaded."""

    @property
    def where(self) -> str:
        """The source's name for messages."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns in order, canonical."""

    @property
    def how_read(self) -> HowRead:
        """What was given or found out about it."""

    def load(
        self,
        columns: Sequence[str],
        numbers: Collection[str] = (),
        missing: Sequence[str] = (),
        single: Collection[str] = (),
        lists: Mapping[str, TakesLists] = NO_LISTS,
    ) -> Raw:
        """Read the given columns.

        Those in `numbers` may come as numbers, with `missing` texts as nulls; those of `single` values may
        come in batches, and those of `lists` as what these make of their cells, some at a time.
        """


def _enumerated(unit: str, places: Sequence[int], total: int) -> str:
    text = f"{unit}{'s' if total > 1 else ''} {', '.join(map(str, places))}"
    return text if total == len(places) else f"{text}, ...; {total} {unit}s in all"
