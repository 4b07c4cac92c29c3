"""Pieces of SQL: names, texts, and tables with their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def table(name: str, columns: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The statements that make a table and fill it."""
    yield f"CREATE OR REPLACE TABLE {name} ({columns});"
    if lines := [f"    ({', '.join(row)})" for row in rows]:
        yield f"INSERT INTO {name} VALUES"
        yield ",\n".join(lines) + ";"


def quoted(name: str) -> str:
    """A name, whatever stands in it."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text, whatever stands in it."""
    return "'" + value.replace("'", "''") + "'"
