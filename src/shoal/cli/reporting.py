"""How every command ends: an error becomes a sentence and an exit code, never a traceback."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any, ParamSpec

import typer

from shoal.cli import output
from shoal.errors import LimitReached, ShoalError

P = ParamSpec("P")

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON for machines.")]


def reporting(command: Callable[P, int | None]) -> Callable[P, None]:
    """Run a command, tell what went wrong, and exit with the code that says so."""

    @functools.wraps(command)
    def reported(*args: P.args, **kwargs: P.kwargs) -> None:
        as_json: Any = kwargs.get("as_json", False)
        try:
            code = command(*args, **kwargs)
        except ShoalError as error:
            output.show_error(error, as_json=bool(as_json))
            raise typer.Exit(output.exit_code(error)) from error
        except MemoryError as error:
            sentence = "the machine's memory is used up; use fewer columns or records, or a larger machine"
            output.show_error(LimitReached(sentence), as_json=bool(as_json))
            raise typer.Exit(output.LIMIT_REACHED) from error
        except KeyboardInterrupt as error:
            output.say("interrupted; nothing was written")
            raise typer.Exit(output.INTERRUPTED) from error
        except (typer.Exit, BrokenPipeError):
            raise
        except Exception as error:
            output.show_bug(error)
            raise typer.Exit(output.BUG) from error
        raise typer.Exit(code or output.FINE)

    return reported
