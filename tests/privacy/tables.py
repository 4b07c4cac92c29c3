"""Small random tables for the tests of models, as data of ours and as rows of the twins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from shoal.engine.local import LocalData
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.builders import local_data

QUASI = ("age", "zip")
ROLES = {"age": Quasi(), "zip": Quasi(), "illness": Sensitive(kind=Kind.NUMBER)}
VALUES = {
    "age": ("20-24", "*", None),
    "zip": ("123**", "124**", None),
    "illness": (1, 2, 5, None),
}


@dataclass(frozen=True)
class SmallTable:
    """Rows, and the person behind each of them; None when each row is a person of its own."""

    rows: tuple[tuple[Any, ...], ...]
    subjects: tuple[int, ...] | None = None

    @property
    def data(self) -> LocalData:
        return local_data(self.rows, ROLES, subjects=self.subjects)

    @property
    def dictionaries(self) -> list[dict[str, Any]]:
        return [dict(zip(ROLES, row, strict=True)) for row in self.rows]

    @property
    def people(self) -> list[int]:
        return list(range(len(self.rows)) if self.subjects is None else self.subjects)

    def changed(self, row: int, column: str, value: Any) -> SmallTable:
        place = list(ROLES).index(column)
        cells = list(self.rows[row])
        cells[place] = value
        return SmallTable((*self.rows[:row], tuple(cells), *self.rows[row + 1 :]), self.subjects)


rows = st.tuples(*(st.sampled_from(values) for values in VALUES.values()))


@st.composite
def small_tables(draw: st.DrawFn) -> SmallTable:
    drawn = draw(st.lists(rows, min_size=1, max_size=8))
    people = st.lists(st.integers(0, 4), min_size=len(drawn), max_size=len(drawn))
    return SmallTable(tuple(drawn), draw(st.none() | people.map(tuple)))


@st.composite
def tables_after_one_change(draw: st.DrawFn) -> tuple[SmallTable, SmallTable]:
    """A table, and the same with another value in one of its cells."""
    table = draw(small_tables())
    column = draw(st.sampled_from(list(VALUES)))
    value = draw(st.sampled_from(VALUES[column]))
    return table, table.changed(draw(st.integers(0, len(table.rows) - 1)), column, value)
