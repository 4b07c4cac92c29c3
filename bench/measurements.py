"""Writes docs/measurements.md from what was kept.

    python bench/measurements.py

The words stand in bench/kept/measurements.md. There `{table NAME}` is a table of bench/kept/tables with its
command, with the rows as printed that `bench/paper.py` kept; `{table NAME or COMMAND}` may be kept later by
that command. `{sweep NAME}` is a table of releases that `bench/paper.py` kept (`papers/sweeps.py`), and
`{claims PAPER}` what a paper claims of its figures, judged for the form as printed, the sound one and ours by
what was kept. `{cell NAME / ROW / COLUMN}` in a sentence is a number of such a table: the row by its first
cell (or its number, as `#3`), the column by what stands above it (or its number).
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from measuring.kept_tables import is_kept, read_table
from papers.catalogue import PAPERS
from papers.figures import FORMS, Known, Paper
from papers.page import verdicts
from papers.printed_rows import completed, kept_markdown
from papers.release import Notebook
from papers.sweeps import SWEEPS

HERE = Path(__file__).parent
WORDS = HERE / "kept" / "measurements.md"
PAGE = HERE.parent / "docs" / "measurements.md"
ABOUT = "<!-- Made by `python bench/measurements.py` from bench/kept: do not edit. -->"
_MARK = re.compile(r"^\{(table|sweep|claims) ([\w-]+)(?: or ([^}]+))?\}$", re.MULTILINE)
_CELL = re.compile(r"\{cell ([\w-]+) / ([^/}]+) / ([^/}]+)\}")


def page() -> str:
    """The whole page."""
    return f"{ABOUT}\n\n{filled(WORDS.read_text(encoding='utf-8'))}"


def filled(words: str) -> str:
    """Words with what their marks stand for."""
    return _CELL.sub(_quoted, _MARK.sub(_filled, words))


def claims(paper: Paper, known: Known) -> Iterator[str]:
    """Every claim of a paper as the line of a table."""
    yield "| figure | claim of the paper | " + " | ".join(FORMS) + " |"
    yield "| --- " * (2 + len(FORMS)) + "|"
    for figure in paper.figures:
        for panel in figure.panels:
            for text, by_form in verdicts(panel, known):
                told = {form: "yes" if holds else "no" for form, holds in by_form}
                cells = (f"{figure.name}, {panel.title}", text, *(told.get(form, "") for form in FORMS))
                yield "| " + " | ".join(cells) + " |"


def _quoted(mark: re.Match[str]) -> str:
    name, row, column = mark.groups()
    table = SWEEPS[name].table() if name in SWEEPS else completed(name, read_table(name))[0]
    return table.cell(row, column)


def _filled(mark: re.Match[str]) -> str:
    kind, name, command = mark.groups()
    if kind == "table":
        return f"*Not kept yet: `{command}`.*" if command and not is_kept(name) else kept_markdown(name)
    if kind == "sweep":
        return SWEEPS[name].table().markdown("; [the page of the paper](papers/rt.md)")
    paper: Paper = importlib.import_module(PAPERS[name]).PAPER
    notebook = Notebook(HERE / "kept" / f"{name}.jsonl", 0, apart=False)
    source = f"*`python bench/paper.py {name}`; [the page of the paper](papers/{name}.md).*"
    return "\n".join([*claims(paper, notebook.known), "", source])


def main() -> int:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"written to {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
