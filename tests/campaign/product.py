"""Shoal as its users have it: the command line, in this process, and the stand-alone verifier."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import typer.main

import shoal.run.result as result_files
from shoal.cli.main import main
from shoal.errors import ShoalError
from shoal.report.certificate import certificate as made
from shoal.report.certified import promise_of_certificate, roles_of_certificate
from shoal.run.public_facts import statement_of
from shoal.run.published_file import AS_PUBLISHED, verified_file

BUG = 70

# The words of the command line are the same for every case; to make them anew takes longer than a small run.
typer.main.get_command = cache(typer.main.get_command)


@dataclass(frozen=True)
class Answer:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def crashed(self) -> bool:
        return self.code not in (0, 1, 2, 3, 4) or "Traceback (most recent call last)" in self.err


def shoal(*words: object) -> Answer:
    """Run the command line with these words."""
    return _captured(lambda: main([str(word) for word in words]))


@contextlib.contextmanager
def reports_written(wanted: bool) -> Iterator[None]:
    """Leave out the two reports unless they are wanted: they take nine tenths of a small run."""
    names = () if wanted else ("page", "public_page")
    kept = {name: getattr(result_files, name) for name in names}
    for name in names:
        setattr(result_files, name, lambda *_, **__: "<!doctype html>")
    try:
        yield
    finally:
        for name, page in kept.items():
            setattr(result_files, name, page)


def verify_alone(certificate: Path, file: Path, script: Path) -> Answer:
    """Run the verifier for people without Shoal."""
    return _captured(lambda: sys.exit(_loaded(script).main([str(certificate), str(file)])))


def restated(certificate: dict[str, Any], file: Path) -> dict[str, Any]:
    """What Shoal itself would certify of another file; the same certificate if that breaks the promise."""
    try:
        promise, roles = promise_of_certificate(certificate), roles_of_certificate(certificate)
        checked = verified_file(file, roles, promise, AS_PUBLISHED)
        return made(statement_of(checked, roles, promise), file)
    except ShoalError:
        return certificate


def write_script(folder: Path) -> Path:
    """The verifier for people without Shoal, as the command writes it."""
    answer = shoal("verifier", folder)
    if answer.code:
        raise RuntimeError(answer.err)
    return folder / "verify_release.py"


@cache
def _loaded(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_release_alone", script)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{script} is no script")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _captured(command: Callable[[], object]) -> Answer:
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            command()
        except SystemExit as ended:
            code = ended.code
        except BaseException as error:
            import traceback

            traceback.print_exception(error)
            code = BUG
            if isinstance(error, KeyboardInterrupt):
                raise
    return Answer(code if isinstance(code, int) else 0 if code is None else 1, out.getvalue(), err.getvalue())


def words_of(answer: Answer) -> Sequence[str]:
    return [line for line in answer.err.splitlines() if line.startswith("error:")]
