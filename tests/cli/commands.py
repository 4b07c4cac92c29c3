"""The command line as a user meets it: words in; exit code, standard output and standard error out."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.cli.main import main


@dataclass(frozen=True)
class Done:
    """How a command ended; no command may end in a traceback."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def words(self) -> str:
        """Standard output without the frames of tables and their line breaks."""
        return " ".join("".join(c if c not in "│┃┏┓┗┛┡┩└┘┌┐━─┴┬┼╇┳┻╋┠┨├┤" else " " for c in self.out).split())


def shoal(*words: object) -> Done:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(word) for word in words])
        except SystemExit as end:
            return Done(int(end.code or 0), out.getvalue(), err.getvalue())
    raise AssertionError("a command ends with an exit code")


def process(*words: object) -> list[str]:
    """The command as the words of a process of its own."""
    return [sys.executable, "-c", "from shoal.cli.main import main; main()", *map(str, words)]


def in_process(*words: object, **options: Any) -> Done:
    """Run a command in a process of its own."""
    ended = subprocess.run(
        process(*words), capture_output=True, text=True, timeout=120, check=False, **options
    )
    return Done(ended.returncode, ended.stdout, ended.stderr)


def policy(folder: Path, columns: Mapping[str, str], **changes: str) -> Path:
    """Write a policy; sections other than the columns are given as their TOML lines."""
    sections = {
        "data": 'path = "data.csv"',
        "columns": "\n".join(f'"{name}" = {{ {entry} }}' for name, entry in columns.items()),
        "privacy": 'model = "k-anonymity"\nk = 2',
        **changes,
    }
    path = folder / "policy.toml"
    path.write_text("\n".join(f"[{name}]\n{lines}\n" for name, lines in sections.items()), encoding="utf-8")
    return path


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
