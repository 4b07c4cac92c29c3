"""The one module that prints, and the one place where outcomes become exit codes.

Results go to standard output, talk and errors to standard error; with `--json` the same content is printed
for machines.
"""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from shoal.errors import BadInput, Infeasible, LimitReached, PromiseBroken, ShoalError

FINE, PROMISE_BROKEN, BAD_INPUT, INFEASIBLE, LIMIT_REACHED = 0, 1, 2, 3, 4
BUG, INTERRUPTED, READER_GONE = 70, 130, 141

PIPED_WIDTH = 160  # nobody told how wide a file is; narrow tables would only break words
_WIDEST_NAME = 20  # up to here the first column of a table is never broken


class _Console(Console):
    """A console that lets the caller decide what a closed pipe means; by default it would exit with 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console(*, stderr: bool = False) -> Console:
    console = _Console(stderr=stderr, highlight=False, soft_wrap=stderr)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED_WIDTH
    return console


def exit_code(error: ShoalError) -> int:
    """The exit code that stands for an error."""
    if isinstance(error, PromiseBroken):
        return PROMISE_BROKEN
    if isinstance(error, Infeasible):
        return INFEASIBLE
    if isinstance(error, LimitReached):
        return LIMIT_REACHED
    return BAD_INPUT


def show_error(error: ShoalError, *, as_json: bool) -> None:
    """Say what went wrong, every problem on its own line."""
    if as_json:
        show_json(
            {"error": {"type": type(error).__name__, "message": str(error), "problems": _problems(error)}}
        )
        return
    lines = [str(problem) for problem in error.problems] if isinstance(error, BadInput) else [str(error)]
    for line in lines:
        _console(stderr=True).print(f"[bold red]error:[/] {escape(line)}")


def show_usage_error(sentence: str) -> None:
    """Say for machines that the words of the command line were wrong."""
    show_json({"error": {"type": "UsageError", "message": sentence, "problems": []}})


def _problems(error: ShoalError) -> list[dict[str, Any]]:
    if not isinstance(error, BadInput):
        return []
    fields = ("what", "remedy", "file", "line", "column", "value")
    return [{name: getattr(problem, name) for name in fields} for problem in error.problems]


def show_bug(error: BaseException, *, as_json: bool) -> None:
    """Say that the fault is ours, with what a maintainer needs."""
    sentence = "this is a bug in Shoal, not in your data; please report it with these lines:"
    if as_json:
        show_json({"error": {"type": "Bug", "message": f"{sentence} {error!r}", "problems": []}})
    _console(stderr=True).print(f"[bold red]error:[/] {sentence}")
    _console(stderr=True).print(escape("".join(traceback.format_exception(error))))


def show_json(content: Mapping[str, Any]) -> None:
    """Print one JSON document."""
    print(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def say(sentence: str) -> None:
    """Talk to the person at the terminal."""
    _console(stderr=True).print(escape(sentence))


def show_notices(notices: Iterable[str]) -> None:
    """What the user should know although nothing is wrong."""
    for notice in notices:
        _console(stderr=True).print(f"[yellow]notice:[/] {escape(notice)}")


def show_text(text: str) -> None:
    """Print a result as it is."""
    print(text)


def show_text_now(text: str) -> None:
    """Print a result that somebody waits for while the command goes on."""
    print(text, flush=True)


def show_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a result as a table."""
    grid = Grid(title=escape(title), title_justify="left", header_style="bold")
    cells = [[str(cell) for cell in row] for row in rows]
    longest_name = max((len(row[0]) for row in cells), default=0)
    for place, column in enumerate(columns):
        width = min(longest_name, _WIDEST_NAME) if place == 0 else None
        grid.add_column(escape(column), overflow="fold", min_width=width)
    for row in cells:
        grid.add_row(*map(escape, row))
    _console().print(grid)


def show_facts(title: str, facts: Mapping[str, object], *, stderr: bool = False) -> None:
    """Print a result as names and values; on standard error where standard output has something else."""
    grid = Grid(title=escape(title), title_justify="left", show_header=False)
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    for name, value in facts.items():
        grid.add_row(escape(name), escape(str(value)))
    _console(stderr=stderr).print(grid)


def show_any_character() -> None:
    """Escape characters that the terminal's encoding lacks, such as the bytes of a misnamed file."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish() -> None:
    """Hand over everything that was printed; a reader who has gone away is a BrokenPipeError here."""
    sys.stdout.flush()


def abandon() -> None:
    """Let nothing more be printed, because nobody reads it."""
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 - open until the process ends


def short_path(path: Path) -> str:
    """A path as the user would type it here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
