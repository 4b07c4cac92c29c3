"""How every command ends: an error becomes a sentence and an exit code, never a traceback."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, ParamSpec

import typer

from shoal.cli import output
from shoal.errors import Cancelled, LimitReached, OutputFailed, ShoalError

P = ParamSpec("P")

PolicyPath = Annotated[Path, typer.Argument(help="The policy file (TOML).", metavar="POLICY")]
Replace = Annotated[bool, typer.Option("--replace", help="Replace an earlier output in that folder.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON for machines.")]


def reporting(command: Callable[P, int | None]) -> Callable[P, None]:
    """Run a command, tell what went wrong, and exit with the code that says so."""

    @functools.wraps(command)
    def reported(*args: P.args, **kwargs: P.kwargs) -> None:
        as_json = bool(kwargs.get("as_json", False))
        try:
            code = command(*args, **kwargs) or output.FINE
            output.finish()
        except BrokenPipeError:
            output.abandon()
            code = output.READER_GONE
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - a traceback is no answer
            code = _tell(error, as_json=as_json)
        raise typer.Exit(code)

    return reported


def _tell(error: BaseException, *, as_json: bool) -> int:
    """Say what went wrong; the exit code that stands for it."""
    match error:
        case ShoalError():
            output.show_error(error, as_json=as_json)
            return output.exit_code(error)
        case _ if _is_lack_of_memory(error):
            sentence = "the machine's memory is used up; use fewer columns or records, or a larger machine"
            output.show_error(LimitReached(sentence), as_json=as_json)
            return output.LIMIT_REACHED
        case OSError():
            sentence = (
                f"the system refused to go on: {error}; check that the disk has room and may be written"
            )
            output.show_error(OutputFailed(sentence), as_json=as_json)
            return output.BAD_INPUT
        case KeyboardInterrupt():
            output.show_error(Cancelled("interrupted; nothing was written"), as_json=as_json)
            return output.INTERRUPTED
        case _:
            output.show_bug(error, as_json=as_json)
            return output.BUG


def _is_lack_of_memory(error: BaseException) -> bool:
    """Whether there is no room for data, or for the stack of one more thread."""
    return isinstance(error, MemoryError) or "can't start new thread" in str(error)
