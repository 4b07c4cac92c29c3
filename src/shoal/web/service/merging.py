"""Changes of settings that meet other changes: merged where they touch something else, refused where not."""

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.errors import BadInput, Problem
from shoal.study.starter import Sections
from shoal.web.service.setting_words import name_of_setting, setting_in_words

Path = tuple[str, ...]
_ABSENT: Any = None  # a key without a value is no key


class Stale(BadInput):
    """A change from settings that are others by now, which cannot be merged with what they are."""


def merged(base: Sections, wanted: Mapping[str, Any], current: Sections) -> Sections:
    """The current settings with what was changed from `base` to `wanted`.

    Stale lists everything that was changed meanwhile to something else, with both values.
    """
    before, now = dict(_leaves(base)), dict(_leaves(current))
    after = dict(_leaves(wanted))
    changes = {path: after.get(path, _ABSENT) for path in {**before, **after}}
    changes = {path: value for path, value in changes.items() if value != before.get(path, _ABSENT)}
    conflicts = [
        _conflict(path, here=value, there=now.get(path, _ABSENT))
        for path, value in changes.items()
        if now.get(path, _ABSENT) not in (before.get(path, _ABSENT), value)
    ]
    if conflicts:
        raise Stale(*conflicts)
    return _sections({**now, **changes}, (*current, *wanted))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """What is not the same in two settings, in words."""
    old, new = dict(_leaves(before)), dict(_leaves(after))
    return tuple(
        f"{name_of_setting(path)} was {setting_in_words(path, old.get(path))}"
        f" and is {setting_in_words(path, new.get(path))} now"
        for path in {**old, **new}
        if old.get(path, _ABSENT) != new.get(path, _ABSENT)
    )


def _leaves(sections: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Every key with its value; a recipe and a list are one value."""
    for section, keys in sections.items():
        for key, value in keys.items():
            if section == "columns" and isinstance(value, Mapping):
                yield from (((section, key, part), inner) for part, inner in value.items())
            else:
                yield (section, key), value


def _sections(leaves: Mapping[Path, Any], names: tuple[str, ...]) -> Sections:
    found: Sections = {name: {} for name in dict.fromkeys(names)}
    for (section, key, *part), value in leaves.items():
        if value is _ABSENT:
            continue
        if part:
            found[section].setdefault(key, {})[part[0]] = value
        else:
            found[section][key] = value
    return found


def _conflict(path: Path, *, here: Any, there: Any) -> Problem:
    return Problem(
        f"{name_of_setting(path)} was changed to {setting_in_words(path, there)} elsewhere, and would become"
        f" {setting_in_words(path, here)} here",
        "reload the page to go on from what holds now, and change it again if need be",
    )
