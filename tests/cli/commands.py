"""The command line as a user meets it: words in; exit code, standard output and standard error out."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.cli.main import main

FRAMES = "│┃┏┓┗┛┡┩└┘┌┐━─┴┬┼╇┳┻╋┠┨├┤╭╮╰╯"

AGE = 'role = "quasi", kind = "number", hierarchy = { ranges = [5, 10] }'
SEX = 'role = "quasi", hierarchy = { flat = true }'
ILL = 'role = "sensitive"'
ITEMS = 'role = "quasi", kind = "set", hierarchy = { flat = true }'
NAME = 'role = "identifier"'
K2 = 'model = "k-anonymity"\nk = 2'

COLUMNS = {"age": AGE, "sex": SEX, "ill": ILL}
PATIENTS = "age,sex,ill\n" + "".join(f"{20 + i % 7},{'fm'[i % 2]},{'abc'[i % 3]}\n" for i in range(12))


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def words(self) -> str:
        """Standard output without the frames of tables and their line breaks."""
        return " ".join("".join(" " if character in FRAMES else character for character in self.out).split())

    @property
    def errors(self) -> list[str]:
        """The problems on standard error."""
        return [line.removeprefix("error: ") for line in self.err.splitlines() if line.startswith("error: ")]

    @property
    def notices(self) -> list[str]:
        return [
            line.removeprefix("notice: ") for line in self.err.splitlines() if line.startswith("notice: ")
        ]


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
    return [sys.executable, "-c", "from shoal.cli.start import main; main()", *map(str, words)]


def in_process(*words: object, **options: Any) -> Done:
    """Run a command in a process of its own."""
    ended = subprocess.run(
        process(*words), capture_output=True, text=True, timeout=120, check=False, **options
    )
    return Done(ended.returncode, ended.stdout, ended.stderr)


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def text_of(path: Path) -> str:
    """A published file, in the encoding of what it was made from."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252")


def records_of(path: Path) -> list[dict[str, str]]:
    text = text_of(path)
    header = text.partition("\n")[0]
    delimiter = max(",;", key=header.count)
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


@dataclass(frozen=True)
class Hospital:
    """A folder with data.csv and policy.toml, which every test spoils in its own way."""

    folder: Path

    @property
    def policy(self) -> Path:
        return self.folder / "policy.toml"

    @property
    def out(self) -> Path:
        return self.folder / "policy-out"

    @property
    def published(self) -> Path:
        return self.out / "published.csv"

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def write_policy(
        self,
        columns: Mapping[str, str] | None = None,
        *,
        privacy: str = K2,
        data: str = "",
        path: str = "data.csv",
        **sections: str,
    ) -> Path:
        entries = COLUMNS if columns is None else columns
        parts = {
            "data": f'path = "{path}"\n{data}',
            "columns": "\n".join(f'"{name}" = {{ {entry} }}' for name, entry in entries.items()),
            "privacy": privacy,
            **sections,
        }
        text = "\n".join(f"[{name}]\n{lines}\n" for name, lines in parts.items())
        return self.write("policy.toml", text)

    def run(
        self,
        content: str | bytes | None = PATIENTS,
        columns: Mapping[str, str] | None = None,
        *,
        command: str = "run",
        words: tuple[object, ...] = (),
        **policy: str,
    ) -> Done:
        """Write data and policy, and run a command on them; no data are written for None."""
        if content is not None:
            self.write("data.csv", content)
        return shoal(command, self.write_policy(columns, **policy), *words)

    def check(self, *args: Any, **kwargs: Any) -> Done:
        return self.run(*args, command="check", **kwargs)

    def verify(
        self,
        published: str | bytes,
        columns: Mapping[str, str] | None = None,
        *,
        name: str = "file.csv",
        words: tuple[object, ...] = (),
        **policy: str,
    ) -> Done:
        """Write a published file and a policy, and verify the one against the other."""
        file = self.write(name, published)
        return shoal("verify", file, "--policy", self.write_policy(columns, **policy), *words)
