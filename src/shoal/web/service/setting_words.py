"""Settings in the words of the pages, wherever people are told of one: never as a policy writes them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.errors import Problem
from shoal.web.service.bound import POLICY_NAME

ROLES = {
    "identifier": "Names a person: is left out",
    "quasi": "Somebody could know it",
    "sensitive": "Nobody should learn it",
    "insensitive": "Neither: published as it is",
    "drop": "Is left out",
}
KINDS = {"category": "words", "number": "numbers", "date": "dates", "set": "a set of items"}
_VALUES = {"role": ROLES, "kind": KINDS}
_NAMES = {
    ("data", "path"): "the data file",
    ("data", "missing"): "the words for missing values",
    ("data", "subject"): "the column that tells people apart",
    ("data", "others"): "what becomes of other columns",
    ("algorithm", "name"): "the algorithm",
    ("data", "quote"): "the sign around cells",
    ("data", "long"): "the columns of a file with one row per item",
    ("algorithm", "time_limit"): "the time limit",
    ("algorithm", "memory_limit"): "the memory limit",
    ("algorithm", "on_limit"): "what happens at a limit",
    ("output", "bom"): "the byte order mark of the published file",
    ("output", "keep_order"): "whether the order of the records is kept",
    ("output", "path"): "the name of the published file",
    ("report", "weak_promise"): "the confirmation of the promise",
    ("privacy", "model"): "the kind of promise",
}
_SECTIONS = {
    "privacy": "the promise",
    "algorithm": "the search",
    "data": "the data",
    "output": "the published file",
    "report": "the report",
}
_CLASS = re.compile(r"^[A-Z][A-Za-z]+: ")  # of the package, which refused a value
_KEY = re.compile(rf"\b({'|'.join((*_SECTIONS, 'columns'))})\.([\w-]+)(?:\.([a-z_]+))?")
_HEADING = re.compile(rf"(under )?\[({'|'.join((*_SECTIONS, 'columns'))})\]")
_MODEL = re.compile(r'model = "([a-z-]+)"')


def problem_in_words(problem: Problem) -> str:
    """What is wrong, for somebody who never saw a policy file."""
    here = problem.file == POLICY_NAME
    plain = replace(problem, file=None, line=None) if here else problem
    return str(replace(plain, what=_plain(_CLASS.sub("", problem.what)), remedy=_plain(problem.remedy)))


def _plain(text: str) -> str:
    text = _HEADING.sub(
        lambda found: f"{'in ' if found[1] else ''}{_SECTIONS.get(found[2], 'the columns')}", text
    )
    text = _KEY.sub(_key_in_words, text)
    return _MODEL.sub(lambda found: f"the promise {found[1]}", text)


def _key_in_words(found: re.Match[str]) -> str:
    section, first, second = found.groups()
    if section == "columns" and second is None:
        return f"the column {first}"
    return name_of_setting([each for each in (section, first, second) if each])


def name_of_setting(path: Sequence[str]) -> str:
    """What a setting is called: by section and key, of a column by section, column and key."""
    section, *keys = path
    if len(keys) == 2:
        return f"{keys[1].replace('_', ' ')} of the column {keys[0]}"
    own = f"{keys[0].replace('_', ' ')} of {_SECTIONS.get(section, section)}"
    return _NAMES.get((section, keys[0]), own)


def setting_in_words(path: Sequence[str], value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return f"“{_VALUES.get(path[-1], {}).get(value, value)}”"
    if isinstance(value, Mapping):
        return ", ".join(_pair(str(name), each) for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(str(each) or "an empty cell" for each in value) or "none"
    return str(value)


def _pair(name: str, value: Any) -> str:
    if value is True:
        return name
    shown = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{name} {shown}"
