"""The overview of commands, and how little it loads."""

import os
import subprocess
import sys
from importlib import import_module
from inspect import getdoc
from pathlib import Path

import pytest
import typer

from shoal.cli.main import COMMANDS, app_for

ENTRIES = {name: entry for commands in COMMANDS.values() for name, entry in commands.items()}
HEAVY = {"numba", "numpy", "pandas", "pyarrow", "shoal.algorithms", "shoal.run", "shoal.study"}


@pytest.mark.parametrize("name", ENTRIES)
def test_the_overview_says_what_the_command_says_of_itself(name):
    module, sentence = ENTRIES[name]
    command = getattr(import_module(f"shoal.cli.{module}"), name.replace("-", "_"))
    told = command.info.help if isinstance(command, typer.Typer) else getdoc(command).splitlines()[0]
    assert sentence == told


def test_the_overview_leads_with_what_every_release_needs():
    assert list(ENTRIES)[:4] == ["run", "check", "verify", "profile"]


def test_commands_have_the_same_names_loaded_or_not():
    for words in ([], ["run"], ["hierarchy", "show"]):
        app = app_for(words)
        groups = [group.name for group in app.registered_groups]
        assert {*(command.name for command in app.registered_commands), *groups} == set(ENTRIES)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["rum"]])
def test_an_overview_loads_no_command(words):
    script = f"""
import sys
from shoal.cli.main import main
try:
    main({words!r})
except SystemExit:
    pass
print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("typed", "offered"), [("shoal ver", {"verify", "verifier"}), ("shoal hierarchy li", {"lint"})]
)
def test_shells_complete_commands(typed, offered):
    typed_words = len(typed.split())
    shell = {"_SHOAL_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed_words - 1)}
    command = Path(sys.executable).with_name("shoal")
    done = subprocess.run([command], env=os.environ | shell, capture_output=True, text=True, check=False)
    assert set(done.stdout.split()) == offered
