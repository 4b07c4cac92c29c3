"""One case: what the data mean, what is promised, and the files that say so. Nothing of Shoal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

# A single value in canonical form, or the items of a set, repeated as often as they are held.
Value = str | int | Decimal | date | None | tuple[str, ...]
Row = dict[str, Value]

POLICY = "policy.toml"


@dataclass(frozen=True)
class Column:
    """What one column means. `tree` has for each label that may be published the values under it."""

    name: str
    role: str
    kind: str = "category"
    settings: Mapping[str, Any] = field(default_factory=dict)
    tree: Mapping[str, frozenset[str]] | None = None

    @property
    def is_set(self) -> bool:
        return self.kind == "set"

    @property
    def separator(self) -> str:
        return str(self.settings.get("separator", " "))

    @property
    def sensitive_items(self) -> frozenset[str]:
        return frozenset(self.settings.get("sensitive", ()))

    @property
    def published(self) -> bool:
        return self.role != "identifier" or bool(self.settings.get("pseudonym"))

    def line(self) -> dict[str, Any]:
        """What stands in the policy."""
        kind = {} if self.kind == "category" or self.role == "identifier" else {"kind": self.kind}
        return {"role": self.role, **kind, **self.settings}


@dataclass(frozen=True)
class Case:
    """Everything about one case; the same seed and number give the same case."""

    seed: int
    number: int
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    data: Mapping[str, Any]
    privacy: Mapping[str, Any]
    algorithm: Mapping[str, Any]
    output: Mapping[str, Any]
    files: Mapping[str, bytes]

    @property
    def model(self) -> str:
        return str(self.privacy["model"])

    @property
    def published_name(self) -> str:
        default = "published.jsonl" if self.model == "disassociation" else "published.csv"
        return str(self.output.get("path", default))

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def of_role(self, role: str) -> list[Column]:
        return [column for column in self.columns if column.role == role]

    def policy(self) -> str:
        """The text of the policy file."""
        sections = {
            "data": self.data,
            "columns": {column.name: column.line() for column in self.columns},
            "privacy": self.privacy,
            "algorithm": self.algorithm,
            "output": self.output,
        }
        lines = []
        for name, section in sections.items():
            lines.append(f"[{name}]")
            lines += [f"{_quoted(key)} = {toml(value)}" for key, value in section.items()]
        return "\n".join(lines) + "\n"

    def write(self, folder: Path) -> Path:
        """Write all files of the case; the path of its policy."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        path = folder / POLICY
        path.write_text(self.policy(), encoding="utf-8")
        return path


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_quoted(key)} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    # JSON leaves DEL as it is, which TOML does not take.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def text_of(value: Value) -> str:
    """A single value as a text file of the release would show it."""
    if isinstance(value, Decimal):
        return format(value.normalize(), "f") if value else "0"
    return value.isoformat() if isinstance(value, date) else str(value)
