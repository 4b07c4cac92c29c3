"""What a command line says differently from a policy file: `--set privacy.k=10`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import BadInput, Problem
from shoal.policy.policy_text import key

_EXAMPLES = "such as --set privacy.k=10 or --set algorithm.name=mondrian (other texts than words in quotes)"
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of a policy, the value it gets instead of the policy's, if any, and the words that said so."""

    path: tuple[str, ...]
    value: Any
    words: str


def setting_of(given: str) -> Setting:
    """The meaning of KEY=VALUE, both as TOML writes them or the value a word; BadInput for anything else."""
    name, value = _halves(given)
    path = _path_of(name)
    if path is None:
        raise BadInput(
            Problem(f"--set {name.strip()} names no key of a policy", f"give KEY=VALUE, {_EXAMPLES}")
        )
    words = f"--set {'.'.join(map(key, path))}"
    try:
        content = tomllib.loads(f"value = {value}")
    except (tomllib.TOMLDecodeError, RecursionError):
        content = {"value": value.strip()} if _WORD.fullmatch(value.strip()) else {}
    if set(content) != {"value"}:
        raise BadInput(Problem(f"{words}: the value is not valid TOML", f"give KEY=VALUE, {_EXAMPLES}"))
    return Setting(path, content["value"], words)


def with_settings(content: Mapping[str, Any], settings: Iterable[Setting]) -> dict[str, Any]:
    """The content of a policy file with other values for some keys; BadInput for a key below a value."""
    changed: Mapping[str, Any] = content
    for setting in settings:
        changed = _with_value(changed, setting, 0)
    return dict(changed)


def _halves(given: str) -> tuple[str, str]:
    quote = ""
    for place, character in enumerate(given):
        if character == "=" and not quote:
            return given[:place], given[place + 1 :]
        if character in "\"'":
            quote = "" if character == quote else quote or character
    return given, ""


def _path_of(name: str) -> tuple[str, ...] | None:
    """The parts of a dotted key; None if it is none."""
    try:
        content: Any = tomllib.loads(f"{name} = 0")
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    path = []
    while isinstance(content, dict) and len(content) == 1:
        ((part, content),) = content.items()
        path.append(part)
    return tuple(path) if content == 0 and len(path) > 1 else None


def _with_value(content: Mapping[str, Any], setting: Setting, depth: int) -> dict[str, Any]:
    part, *below = setting.path[depth:]
    if not below:
        kept = {name: value for name, value in content.items() if name != part}
        return kept if setting.value is None else {**content, part: setting.value}
    inner = content.get(part, {})
    if not isinstance(inner, Mapping):
        above = ".".join(setting.path[: depth + 1])
        raise BadInput(Problem(f"{setting.words}: {above} is a value and has no keys", f"set {above} itself"))
    return {**content, part: _with_value(inner, setting, depth + 1)}
