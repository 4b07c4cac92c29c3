"""The text of a policy file from its sections."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

DEEPEST = 8  # a policy nests no deeper than a recipe in a column
SECTIONS = ("data", "columns", "privacy", "algorithm", "report", "output")


def policy_text(sections: Mapping[str, Mapping[str, Any]], remarks: Mapping[str, str] | None = None) -> str:
    """A policy as TOML: one line per key; `remarks` are comments above columns.

    Keys without value vanish; of a column its remark stays.
    """
    return "\n".join(
        line
        for name in SECTIONS
        if name in sections
        for line in (f"[{name}]", *_lines(sections[name], (remarks or {}) if name == "columns" else {}), "")
    )


def _lines(section: Mapping[str, Any], remarks: Mapping[str, str]) -> list[str]:
    lines = []
    for name, value in section.items():
        if value is None and name in remarks:
            lines.append(_comment(f"{key(name)} is left out: {remarks[name]}"))
        elif value is not None:
            if name in remarks:
                lines.append(_comment(remarks[name]))
            lines.append(f"{key(name)} = {toml_value(value)}")
    return lines


def _comment(text: str) -> str:
    return f"# {' '.join(text.split())}"


def toml_value(value: Any, depth: int = 0) -> str:
    """One value on one line; a TypeError for what no policy can hold."""
    if depth > DEEPEST:
        raise TypeError("a policy does not nest so deeply")
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return quoted(value)
        case Mapping():
            entries = [
                f"{key(name)} = {toml_value(entry, depth + 1)}"
                for name, entry in value.items()
                if entry is not None
            ]
            return "{ " + ", ".join(entries) + " }" if entries else "{}"
        case list() | tuple():
            return "[" + ", ".join(toml_value(entry, depth + 1) for entry in value) + "]"
        case _:
            raise TypeError(f"a policy holds no {type(value).__name__}")


def key(name: str) -> str:
    """A name as a key, quoted where it has to be."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def quoted(text: str) -> str:
    """A text in double quotes."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 2**16 else f"\\U{ord(character):08x}"
