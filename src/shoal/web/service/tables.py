"""Tables of what a finished run shows, to be looked at on a page and taken away as CSV."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.policy.output_names import CODEBOOK
from shoal.report.codebook import Codebook, in_words
from shoal.report.wording import share
from shoal.table.formulas import marked_item

_FIGURES = {
    "risk": "Risk before and after",
    "class_sizes": "How many share the same values",
    "loss": "Loss by column",
    "frontier": "What each bound would cost",
}


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table with a name for addresses, a title for people, and a drawing where there is one."""

    name: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    svg: str = ""

    def as_csv(self) -> str:
        """The table as text; what a spreadsheet would take for a formula is marked."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(map(_cell, self.heads))
        writer.writerows([_cell(value) for value in row] for row in self.rows)
        return text.getvalue()


def figure_tables(view: Mapping[str, Any]) -> list[ShownTable]:
    """The figures of a run; views of earlier versions have some without drawing."""
    return [
        _table(name.replace("_", "-"), _FIGURES.get(name, name), drawn)
        for name, drawn in view["figures"].items()
        if "svg" in drawn
    ]


def distribution_tables(view: Mapping[str, Any]) -> dict[str, dict[str, ShownTable]]:
    """How often each group of values occurs before and after, by column and by the size of the groups.

    The size that shows most without crowding is the first.
    """
    return {
        each["column"]: {
            level["name"]: _table(
                f"distribution-{number}-{at}", f"{each['column']}, by {level['name']}", level
            )
            for at, level in enumerate(each["levels"])
        }
        for number, each in enumerate(view.get("distributions", []))
    }


def measured_tables(view: Mapping[str, Any]) -> list[ShownTable]:
    """What models learn from the release and what became of relations, if a task was named."""
    return [_table(each["name"], each["title"], each) for each in view.get("measured", [])]


def codebook_table(out: Path) -> ShownTable | None:
    """What the labels of the published file stand for; None for releases without a codebook."""
    if not (out / CODEBOOK).is_file():
        return None
    book = Codebook.from_json(json.loads((out / CODEBOOK).read_text(encoding="utf-8")), CODEBOOK)
    rows = [
        (name, label, in_words(cover))
        for name, column in book.columns.items()
        for label, cover in column.covers.items()
    ]
    return ShownTable("codebook", "What the labels stand for", ("Column", "Label", "Stands for"), tuple(rows))


def attack_table(facts: Mapping[str, Any]) -> ShownTable:
    """What each adversary finds, from the facts of an attack."""
    heads = (
        "Who knows", "Promised", "Records below k", "Below k in the original", "Fewest candidates",
        "Highest risk", "Mean risk", "Expected right guesses",
    )  # fmt: skip
    rows = tuple(_finding(each) for each in facts["findings"])
    return ShownTable("attack", "What attackers find", heads, rows)


def _finding(finding: Mapping[str, Any]) -> tuple[str, ...]:
    after, before = finding["after"], finding["before"]
    return (
        finding["known"],
        "yes" if finding["promised"] else "no",
        share(after["below_k"]),
        "" if before is None else share(before["below_k"]),
        "" if after["smallest"] is None else f"{after['smallest']:,}",
        "" if after["highest_risk"] is None else share(after["highest_risk"]),
        share(after["mean_risk"]),
        f"{after['expected']:,.1f}",
    )


def _table(name: str, title: str, drawn: Mapping[str, Any]) -> ShownTable:
    rows: Iterable[Sequence[Any]] = drawn["rows"]
    return ShownTable(name, title, tuple(drawn["columns"]), tuple(map(tuple, rows)), drawn["svg"])


def _cell(value: Any) -> Any:
    return marked_item(value) if isinstance(value, str) else value
