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
WAYS_OF_COUNTING = {
    "frequency": "No value makes up more than one in l",
    "distinct": "There are at least l different values",
    "entropy": "Values are as mixed as l equally frequent ones (entropy)",
    "recursive": "The most frequent value is not too frequent beside the rarer ones (recursive)",
    "equal": "All values are equally far apart",
    "ordered": "Values are as far apart as in their order",
}
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
_TITLES = {
    "confirm": "Publish it although ..",
    "item_weights": "Weights of items",
    "keep_order": "Keep the order of the records",
    "max_level": "And at most so many levels",
    "min_level": "Made coarser by at least so many levels",
    "multiset": "An item may stand in a set more than once",
    "neutralize_formulas": "Readers may open it in a spreadsheet",
    "publish_hierarchy": "The codebook shows its whole hierarchy",
}
_CLASS = re.compile(r"(^|: )[A-Z][A-Za-z]+: ")  # of the package, which refused a value
_KEY = re.compile(rf"\b({'|'.join((*_SECTIONS, 'columns'))})\.([\w-]+)(?:\.([a-z_]+))?")
_HEADING = re.compile(rf"(under )?\[({'|'.join((*_SECTIONS, 'columns'))})\]")
_MODEL = re.compile(r'model = "([a-z-]+)"')
_ROLE = re.compile(rf'(?:the )?role (?:= )?"?({"|".join(ROLES)})\b"?')
_A_KIND = rf"[\"']?({'|'.join(KINDS)})\b[\"']?"
_KIND = re.compile(rf"(?:the )?kind (?:= )?{_A_KIND}(?: or {_A_KIND})?")
_DISTANCE = re.compile(r"distance '(equal|ordered)'")
_TITLE = "|".join(_TITLES)
_TICK = re.compile(rf"set ({_TITLE}) = true")
_UNTICK = re.compile(rf"set ({_TITLE}) = false|leave ({_TITLE}) out|leave out ({_TITLE}) = true")
_TITLED = re.compile(rf"\b({'|'.join(key for key in _TITLES if '_' in key)})\b")
_OPTION = re.compile(r" --[a-z]")  # of the command line
# What only somebody with a policy file could do, and what the pages have for it.
_PHRASES = (
    (
        "a quasi-identifier of kind category needs a hierarchy, for example { flat = true }",
        "words that somebody could know need a hierarchy, which is chosen on the page of hierarchies",
    ),
    (', or set others = "insensitive" or "drop"', ""),
    ('leave it out of [columns] and set others = "drop" under [data]', f"give it the role “{ROLES['drop']}”"),
    ("read the column as a category", "read the column as words"),
    ("`sensitive = [...]`", "sensitive items"),
    (" under `sensitive`", ""),
    ('name = "auto"', "the algorithm auto"),
    (" in reason", " below it"),
    ("decimal, encoding and bom", "decimal sign, encoding and byte order mark"),
    ("the quasi-identifier", "the column"),
    ("a quasi-identifier", "a column that somebody could know"),
    ("got ()", "got none"),
    ("got None", "got nothing"),
    ("`", ""),
)


def problem_in_words(problem: Problem) -> str:
    """What is wrong, for somebody who never saw a policy file."""
    here = problem.file == POLICY_NAME
    plain = replace(problem, file=None, line=None) if here else problem
    remedy = "" if _OPTION.search(problem.remedy) else in_words(problem.remedy)
    return str(replace(plain, what=in_words(_CLASS.sub(r"\1", problem.what)), remedy=remedy))


def in_words(text: str) -> str:
    """A sentence about settings, in the words of the pages."""
    for phrase, told in _PHRASES:
        text = text.replace(phrase, told)
    text = _HEADING.sub(
        lambda found: f"{'in ' if found[1] else ''}{_SECTIONS.get(found[2], 'the columns')}", text
    )
    text = _KEY.sub(_key_in_words, text)
    text = _MODEL.sub(lambda found: f"the promise {found[1]}", text)
    text = _ROLE.sub(lambda found: f"the role “{ROLES[found[1]]}”", text)
    text = _KIND.sub(_kind_in_words, text)
    text = _DISTANCE.sub(lambda found: f"“{WAYS_OF_COUNTING[found[1]]}”", text)
    text = _TICK.sub(lambda found: f"tick “{_TITLES[found[1]]}”", text)
    text = _UNTICK.sub(lambda found: f"untick “{_TITLES[found[found.lastindex or 0]]}”", text)
    text = _TITLED.sub(lambda found: f"“{_TITLES[found[1]]}”", text)
    return re.sub(r"got \(([^()]*?),?\)$", r"got \1", text)


def _kind_in_words(found: re.Match[str]) -> str:
    return f"the kind {' or '.join(f'“{KINDS[kind]}”' for kind in found.groups() if kind)}"


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
