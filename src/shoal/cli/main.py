"""The command line: words to plan, result to words.

Commands are named here, and loaded when they are asked for: help and completion stay quick, whatever else
there is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer
from typer.exceptions import TyperException

from shoal import __version__
from shoal.cli import output

# Each command is a function of its name, or an app of its name with commands of its own, in a module of this
# folder. The sentence is the first of its documentation.
COMMANDS = {
    "For every release": {
        "run": ("running", "Anonymize, verify, measure, report."),
        "check": (
            "checking",
            "List every problem of data, hierarchies and policy at once, and what the run will cost.",
        ),
        "verify": (
            "verifying",
            "Check the promise from the published file alone; exit code 1 and a witness when it is broken.",
        ),
        "profile": (
            "profiling",
            "Show what is in a file and how unique its people are; suggest a role for each column.",
        ),
    },
    "Before you decide": {
        "demo": ("touring", "Make the whole tour on the bundled sample of invented patients."),
        "compare": (
            "comparing",
            "Run algorithms with parameters side by side; started again, it goes on where it was stopped.",
        ),
        "hierarchy": ("hierarchies", "Build, check, show and convert hierarchies."),
        "algorithms": ("listing", "List the algorithms, what they promise and the papers they come from."),
        "serve": ("serving", "Open the web page on this machine; the printed link lets one browser in."),
    },
    "With a release": {
        "attack": (
            "attacking",
            "Link a published file to its original as adversaries would; exit code 1 for a broken promise.",
        ),
        "query": (
            "queries",
            "Say how many records have certain values or hold an itemset, from the published file.",
        ),
        "convert": (
            "converting",
            "Write a release with bounds, midpoints, levels, probabilities or imputed values, or for SQL.",
        ),
        "apply": (
            "applying",
            "Publish another file by an earlier recoding, verified like any release.",
        ),
        "explain": (
            "explaining",
            "Say why an item is generalized: what would break if it were published in more detail.",
        ),
        "reconstruct": (
            "disassociated",
            "Draw possible originals of a disassociated file, each consistent with all that it says.",
        ),
        "verifier": (
            "verifying",
            "Write scripts that verify and decode published files without Shoal.",
        ),
    },
    "More": {
        "generate": ("generate", "Generate Quest market-basket data."),
        "warm-up": ("warming", "Compile now what the first runs would wait for."),
    },
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    output.show_any_character()
    app = app_for(given or _words_to_complete())
    if "--json" not in given:
        app(given)
    try:
        sys.exit(app(given, standalone_mode=False))
    except TyperException as error:
        output.show_usage_error(error.format_message())
        sys.exit(output.BAD_INPUT)


def app_for(words: Sequence[str]) -> typer.Typer:
    """The command line, of which only the command that these words ask for is loaded."""
    app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback(invoke_without_command=True)(_shoal)
    wanted = next((word for word in words if not word.startswith("-")), None)
    for panel, commands in COMMANDS.items():
        for name, (module, sentence) in commands.items():
            if name != wanted:
                app.command(name, help=sentence, rich_help_panel=panel)(_not_loaded)
                continue
            command = getattr(import_module(f"shoal.cli.{module}"), name.replace("-", "_"))
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name, rich_help_panel=panel)
            else:
                app.command(name, rich_help_panel=panel)(command)
    return app


def _shoal(
    *, version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False
) -> None:
    """Anonymize tables and set-valued data, verify the published file, and see what the promise cost."""
    if version:
        output.show_text(__version__)
        raise typer.Exit


def _not_loaded() -> None:
    """Stands for a command of which the overview needs the sentence only."""


def _words_to_complete() -> list[str]:
    """What somebody has typed who asks the shell for completion, in which shells hand it over."""
    typed = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or ""
    return typed.split()[1:]
