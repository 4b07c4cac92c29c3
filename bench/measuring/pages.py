"""Tables in Markdown and CSV, and charts, of what was measured."""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from plotly.subplots import make_subplots

from measuring.cells import RESULTS, Found
from measuring.kept_tables import KEEP, keep_table

Grid = Mapping[str, Mapping[Any, Found]]  # a row per algorithm, a column per value of what varies

COLOURS = (
    "#1f4e79", "#c0504d", "#4f8f4f", "#7f5fa9", "#d98b2b", "#3aa6a6", "#8c6d4f", "#d16ba5", "#707070",
    "#9aa83a", "#5b9bd5", "#b04f2f",
)  # fmt: skip


@dataclass
class Page:
    """A Markdown page that is printed as it grows; it remembers what was missed."""

    name: str
    lines: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def say(self, text: str = "") -> None:
        print(text, flush=True)
        self.lines.append(text)

    def title(self, text: str) -> None:
        self.say(f"\n## {text}\n")

    def table(self, header: Sequence[object], rows: Sequence[Sequence[object]], kept_as: str = "") -> None:
        """Show a table, and keep it under a name if the command was asked to."""
        if kept_as and KEEP in sys.argv:
            keep_table(kept_as, [str(cell) for cell in header], rows)
        for cells in (header, ["---", *["---:"] * (len(header) - 1)], *rows):
            self.say("| " + " | ".join(str(cell) for cell in cells) + " |")
        self.say()

    def expect(self, sentence: str, *, met: bool) -> None:
        self.say(f"- {'met' if met else '**missed**'}: {sentence}")
        if not met:
            self.missed.append(sentence)

    def write(self) -> None:
        path = RESULTS / f"{self.name}.md"
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        print(f"written to {path.relative_to(RESULTS.parents[1])}")


def number(value: float, places: int = 2, *, unfinished: bool = False) -> str:
    """A figure of a table; a star says that time was up."""
    if math.isnan(value):
        return "-"
    return f"{value:.{places}f}{'*' if unfinished else ''}"


def grid_table(
    page: Page,
    grid: Grid,
    corner: str,
    figure: str,
    *,
    factor: float = 1,
    places: int = 2,
    kept_as: str = "",
) -> None:
    """One figure of every cell of a grid; the lowest of each column stands bold."""
    columns, rows = grid_rows(grid, figure, factor=factor, places=places)
    page.table([corner, *columns], rows, kept_as)


def grid_rows(
    grid: Grid, figure: str, *, factor: float = 1, places: int = 2
) -> tuple[list[Any], list[list[str]]]:
    """What varies, and a row of texts for each algorithm."""
    columns = list(dict.fromkeys(value for row in grid.values() for value in row))
    lowest = {
        column: min(
            (getattr(row[column], figure) for row in grid.values() if _known(row, column, figure)), default=0
        )
        for column in columns
    }
    rows = []
    for name, row in grid.items():
        cells = []
        for column in columns:
            if not _known(row, column, figure):
                cells.append("-")
                continue
            value = getattr(row[column], figure)
            text = number(factor * value, places, unfinished=not row[column].in_time)
            cells.append(f"**{text}**" if value == lowest[column] else text)
        rows.append([name, *cells])
    return columns, rows


def _known(row: Mapping[Any, Found], column: object, figure: str) -> bool:
    return column in row and not math.isnan(getattr(row[column], figure))


def write_csv(name: str, found: Sequence[Found]) -> None:
    """Every cell that was measured, one line each."""
    flat = [_flat(each) for each in found]
    names = list(dict.fromkeys(key for row in flat for key in row))
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(flat)


def _flat(found: Found) -> dict[str, Any]:
    values = asdict(found)
    cell = values.pop("cell")
    options = cell.pop("options")
    values.pop("figures")
    values["notices"] = "; ".join(found.notices)
    return {**cell, **{f"option {key}": value for key, value in options.items()}, **values}


def chart(
    file: str, title: str, panels: Mapping[str, tuple[Grid, str, float]], x_title: str, *, log: bool = False
) -> None:
    """One chart with a panel per grid and figure, and a line per algorithm."""
    picture = make_subplots(1, len(panels), subplot_titles=list(panels))
    names = list(dict.fromkeys(name for grid, _, _ in panels.values() for name in grid))
    for place, (grid, figure, factor) in enumerate(panels.values(), start=1):
        for name, row in grid.items():
            picture.add_scatter(
                x=list(row),
                y=[factor * getattr(found, figure) for found in row.values()],
                name=name,
                legendgroup=name,
                showlegend=place == 1,
                marker_color=COLOURS[names.index(name) % len(COLOURS)],
                row=1,
                col=place,
            )
    picture.update_xaxes(title_text=x_title)
    if log:
        picture.update_yaxes(type="log")
    picture.update_layout(template="simple_white", title=title)
    picture.write_html(RESULTS / f"{file}.html", include_plotlyjs="directory")
