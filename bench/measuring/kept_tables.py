"""Tables that docs/measurements.md shows: each in a file of its own, with the command that measured it.

Nobody edits numbers of that page: a benchmark keeps its table here, and `python bench/measurements.py` writes
the page anew.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

TABLES = Path(__file__).parents[1] / "kept" / "tables"
KEEP = "--keep"
_NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?( ?(%|x|s|GB|MB))?\*?")


@dataclass(frozen=True)
class KeptTable:
    """What was measured, as texts; `command` measures it anew, or says that nothing does."""

    command: str
    date: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self, more: str = "") -> str:
        """The table, and below it where it comes from, and what more there is to say of that."""
        align = ["---:" if self._is_of_numbers(place) else "---" for place in range(len(self.columns))]
        lines = [_line(self.columns), _line(align), *map(_line, self.rows)]
        return "\n".join([*lines, "", f"*{self._origin}{self.date and f', {self.date}'}{more}.*"])

    def cell(self, row: str, column: str) -> str:
        """One cell without marks of the table; rows and columns by their first cell or as #1, #2, .."""
        place = _place(column, self.columns)
        return self.rows[_place(row, [cells[0] for cells in self.rows])][place].strip("*")

    @property
    def _origin(self) -> str:
        by_hand, _, what = self.command.partition("by hand: ")
        return f"By hand, {what}" if what else f"`{by_hand}`"

    def _is_of_numbers(self, place: int) -> bool:
        cells = [row[place].replace("*", "") for row in self.rows]
        return all(_NUMBER.fullmatch(cell) for cell in cells if cell not in ("", "-"))


def _place(wanted: str, among: Sequence[str]) -> int:
    """Where something stands, by its name or its number."""
    names = [name.replace("`", "") for name in among]
    if re.fullmatch(r"#\d+", wanted) and int(wanted[1:]) <= len(names):
        return int(wanted[1:]) - 1
    if names.count(wanted) != 1:
        raise KeyError(f"{wanted!r} is {names.count(wanted)} times among {names}")
    return names.index(wanted)


def read_table(name: str, folder: Path = TABLES) -> KeptTable:
    """A table that was kept."""
    return KeptTable(**json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))


def is_kept(name: str, folder: Path = TABLES) -> bool:
    """Whether there is such a table."""
    return (folder / f"{name}.json").exists()


def keep_table(
    name: str, columns: Sequence[str], rows: Sequence[Sequence[object]], folder: Path = TABLES
) -> None:
    """Keep a table with today's date and the command that runs now."""
    program, *words = sys.argv
    command = shlex.join(["python", f"bench/{Path(program).name}", *(word for word in words if word != KEEP)])
    texts = [[str(cell) for cell in row] for row in rows]
    write_table(name, KeptTable(command, f"{datetime.now(UTC):%Y-%m-%d}", list(columns), texts), folder)


def offer_to_keep(parser: ArgumentParser) -> None:
    """Let a command be told to keep its table."""
    parser.add_argument(KEEP, action="store_true", help="keep the table for docs/measurements.md")


@contextmanager
def printed_table(name: str, columns: Sequence[str]) -> Iterator[Callable[..., None]]:
    """A table that is printed row by row as it is measured, and kept in the end if that was asked for."""
    rows: list[Sequence[object]] = []

    def add_row(*cells: object) -> None:
        rows.append(cells)
        print(_line([str(cell) for cell in cells]), flush=True)

    print(_line(columns), _line(["---"] * len(columns)), sep="\n")
    yield add_row
    if KEEP in sys.argv:
        keep_table(name, columns, rows)


def show_table(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A whole table, printed, and kept if that was asked for."""
    with printed_table(name, columns) as add_row:
        for row in rows:
            add_row(*row)


def write_table(name: str, table: KeptTable, folder: Path = TABLES) -> None:
    """One line for each row, so that differences can be read."""
    rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in table.rows)
    fields = [
        f'  "{field}": {json.dumps(getattr(table, field), ensure_ascii=False)}'
        for field in ("command", "date", "columns")
    ]
    folder.mkdir(parents=True, exist_ok=True)
    text = "{\n" + ",\n".join([*fields, f'  "rows": [\n{rows}\n  ]']) + "\n}\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")


def _line(cells: Sequence[str]) -> str:
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)
