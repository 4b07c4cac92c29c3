"""`-`: data from standard input, the published file to standard output.

Readers go through a file more than once, and nothing may be published before it is checked. So both pass
through a private folder, which is gone when the command ends.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from shoal.errors import BadInput, Problem
from shoal.policy.output_names import PUBLISHED_ENDINGS
from shoal.run.output import folder_for_a_while
from shoal.table.reading import COMPRESSIBLE, FORMATS

STREAM = "-"
STANDARD_INPUT = "standard input"
_READABLE = (*FORMATS, *(f"{ending}.gz" for ending in COMPRESSIBLE))
_INPUT = "shoal-input"
_PIECE = 2**20


def ending_of(name: str, given: str | None, *, reading: bool) -> str:
    """The ending that tells a format: the given one, or that of a name in the policy."""
    known = _READABLE if reading else PUBLISHED_ENDINGS
    wanted = f".{given.lower().removeprefix('.')}" if given else name
    found = max((ending for ending in known if wanted.lower().endswith(ending)), key=len, default=None)
    if found is None or (given and found != wanted):
        what = f"the format {given!r} is unknown" if given else "nobody says which format a stream has"
        formats = ", ".join(ending.removeprefix(".") for ending in known)
        raise BadInput(Problem(what, f"name one of {formats} with --format"))
    return found


@contextmanager
def standard_input(ending: str) -> Iterator[Path]:
    """Standard input as a file with the given ending, while the block runs; problems name what it was."""
    with folder_for_a_while(_INPUT) as folder:
        path = folder / f"input{ending}"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, _PIECE)
        try:
            yield path
        except BadInput as error:
            raise BadInput(*(_of_stream(problem, str(path)) for problem in error.problems)) from error


def to_standard_output(file: Path) -> None:
    """Hand a file on, byte by byte."""
    with file.open("rb") as stream:
        shutil.copyfileobj(stream, sys.stdout.buffer, _PIECE)
    sys.stdout.buffer.flush()


def shown_path(path: Path) -> str:
    """A path as people know it."""
    return STANDARD_INPUT if path.parent.name.startswith(f".{_INPUT}-") else str(path)


def _of_stream(problem: Problem, path: str) -> Problem:
    file = None if problem.file is None else problem.file.replace(path, STANDARD_INPUT)
    return replace(problem, file=file, what=problem.what.replace(path, STANDARD_INPUT))
