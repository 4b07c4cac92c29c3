"""A release written in another form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.policy.output_names import PUBLISHED_ENDINGS
from shoal.run.output import file_that_appears_whole
from shoal.study.open_release import columns_of, open_release
from shoal.study.sql_view import sql_view
from shoal.table.arrow_form import text_column, typed_column
from shoal.table.canonical import holds_lists
from shoal.table.columns import Carried, Column, Table
from shoal.table.statistics_files import WRITTEN_STATISTICS, write_statistics
from shoal.table.writing import write_table

SQL = "sql"
_SEPARATOR = " "
_ENDINGS = (*PUBLISHED_ENDINGS, *WRITTEN_STATISTICS)


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written."""

    records: int
    columns: tuple[str, ...]


def convert_release(
    release: Path, form: str, out: Path, *, copies: int = 5, seed: int | None = None
) -> Converted:
    """Write a release in a form of `OpenedRelease`, in the format of its ending, or a script for SQL."""
    opened = open_release(release)
    if form == SQL:
        with file_that_appears_whole(out) as partial:
            partial.write_text(sql_view(opened), encoding="utf-8")
        return Converted(opened.table.row_count, tuple(opened.table.columns))
    if not out.name.endswith(_ENDINGS):
        what, remedy = "has an ending that Shoal does not write", f"use one of {', '.join(_ENDINGS)}"
        raise BadInput(Problem(what, remedy, file=str(out)))
    if out.resolve() == opened.file.resolve():
        raise BadInput(Problem("is the published file itself", "choose another name", file=str(out)))
    separators = {name: book.separator for name, book in opened.codebook.columns.items()}
    table = Table.of(
        {
            name: Carried(pa.chunked_array([values]), separators.get(name) or _SEPARATOR)
            for name, values in columns_of(opened, form, copies=copies, seed=seed).items()
        }
    )
    with file_that_appears_whole(out) as partial:
        if out.suffix in WRITTEN_STATISTICS:
            write_statistics(_single_values(table), partial)
        else:
            write_table(table, partial)
    return Converted(table.row_count, tuple(table.columns))


def _single_values(table: Table) -> dict[str, pa.Array]:
    """The columns of a table, with lists as texts."""
    return {name: _single(column) for name, column in table.columns.items()}


def _single(column: Column) -> pa.Array:
    values = typed_column(column, 0, len(column))
    if holds_lists(values.type):
        return text_column(column, 0, len(column))
    return values.cast(pa.string()) if pa.types.is_large_string(values.type) else values
