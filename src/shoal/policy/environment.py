"""`${NAME}` in the texts of a policy: variables of the environment, so that a policy need not hold secrets.

`$${NAME}` stands for the text `${NAME}` itself. What is kept of a policy has the names, never the values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_VARIABLE = re.compile(r"(\$?)\$\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Missing = tuple[tuple[str, ...], str]


def expanded(
    content: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[dict[str, Any], list[Missing]]:
    """The content with the values of variables, and which keys name variables that are not set."""
    missing: list[Missing] = []
    return {name: _expanded(value, environment, (name,), missing) for name, value in content.items()}, missing


def _expanded(
    value: Any, environment: Mapping[str, str], path: tuple[str, ...], missing: list[Missing]
) -> Any:
    match value:
        case str():
            return _expanded_text(value, environment, path, missing)
        case Mapping():
            return {
                name: _expanded(entry, environment, (*path, str(name)), missing)
                for name, entry in value.items()
            }
        case list():
            return [_expanded(entry, environment, path, missing) for entry in value]
        case _:
            return value


def _expanded_text(
    text: str, environment: Mapping[str, str], path: tuple[str, ...], missing: list[Missing]
) -> str:
    def value_of(found: re.Match[str]) -> str:
        escaped, name = found[1], found[2]
        if escaped:
            return found[0][1:]
        if not _NAME.fullmatch(name) or name not in environment:
            missing.append((path, name))
            return ""
        return environment[name]

    return _VARIABLE.sub(value_of, text)


def value_at(content: Any, path: Sequence[str]) -> Any:
    """What stands at a path of keys and places; None where nothing does."""
    for part in path:
        if isinstance(content, Mapping):
            content = content.get(part)
        elif isinstance(content, list) and part.isdecimal() and int(part) < len(content):
            content = content[int(part)]
        else:
            return None
    return content
