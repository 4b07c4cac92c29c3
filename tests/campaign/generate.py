"""Random cases over all algorithms, models, options and formats of the catalogues.

A name in a catalogue that this module does not know raises `Uncovered`, so that nothing new is left out.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import random
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.algorithms.catalogue import ALGORITHMS
from shoal.algorithms.parameters import (
    AS_PRINTED,
    NumberOrWord,
    OneOf,
    Within,
    YesOrNo,
    parameters_of,
    without_additions,
)
from shoal.policy.output_names import PUBLISHED_ENDINGS, SPREADSHEET_ENDINGS
from shoal.policy.policy_file import RECIPES as POLICY_RECIPES
from shoal.policy.promise import added_to, keys_of, named_models
from shoal.privacy.catalogue import MODELS
from shoal.recoding.disassociated_file import ENDINGS as CLUSTER_ENDINGS
from shoal.table.reading import COMPRESSIBLE, FORMATS
from shoal.table.statistics_files import STATISTICS_ENDINGS
from tests.campaign.case import Case, Column, Row, Value, text_of
from tests.campaign.labels import RECIPES, Tree, built_tree, file_tree

AUTO = "auto"
ALGORITHM_NAMES = (*ALGORITHMS, AUTO)
# Files of statistics programs are not drawn: pyreadstat reads more forms of them than it writes.
INPUTS = tuple(ending for ending in FORMATS if ending not in STATISTICS_ENDINGS)
TEXT_INPUTS = (".csv", ".tsv", ".txt", ".dat")


class Uncovered(Exception):
    """Something in a catalogue that the campaign does not know how to try."""


def make_case(seed: int, number: int) -> Case:
    """The case of a number; algorithms take turns."""
    rng = random.Random(f"{seed}/{number}")
    name = ALGORITHM_NAMES[number % len(ALGORITHM_NAMES)]
    model = _model_for(rng, name)
    draft = _FAMILIES[model](rng, model, name)
    return _Finishing(rng, draft, seed, number).case()


def _model_for(rng: random.Random, algorithm: str) -> str:
    named = named_models()
    if algorithm == AUTO:
        return rng.choice(list(named))
    served = [model.name for model in ALGORITHMS[algorithm].serves if model.name in named]
    if not served:
        raise Uncovered(f"the algorithm {algorithm} serves no model that a policy can name")
    return rng.choice(served)


# ------------------------------------------------------------------------------------------------ values

_WORDS = ("red", "blue", "green", "white", "black", "grey", "pink", "lime")
_STYLES: tuple[dict[str, Any], ...] = (
    {"decimal": ","},
    {"decimal": ",", "thousands": "."},
    {"decimal": ".", "thousands": ","},
    {"decimal": ",", "thousands": " "},
)
_DAY_FORMATS = ("%d.%m.%Y", "%Y/%m/%d", "%Y-%d-%m", "%d/%m/%Y", "%m/%d/%Y")
_UNICODE = ("Zürich", "Łódź", "東京", "naïve", "Ελλάδα", "œuvre", "mañana", "🙂 ok")
_ODD = (
    "a,b",
    'say "x"',
    "semi;colon",
    "tab\there",
    "NULL",
    "nan",
    "-7x",
    "=1+1",
    "+x",
    "@y",
    "a|b",
    "(p|q)",
    "x..y",
)
_CODES = ("1234", "1235", "1244", "12", "120", "127", "5555", "5501", "01", "0012")
_NAMES = (
    "age",
    "zip",
    "sex",
    "born",
    "city",
    "income",
    "Ort",
    "größe",
    "a b",
    'q"x',
    "x,y",
    "col.umn",
    "名前",
    "k",
)
_SETS = ("items", "drugs", "codes", "einkäufe", "set 1")
_TOKENS = (("",), ("", "?"), ("", "NA", "n/a"), ("", "-9"))
_SEPARATORS = (" ", " ", ",", "|", ";", "||", ", ", "/")
_ITEMS = ("milk", "bread", "beer", "wine", "eggs", "tea", "rice", "salt", "corn", "kiwi")
_ODD_ITEMS = ("Käse", "a(1)", "-hiv", "=sum", "x'y", 'q"r', "0042", "1.0", "1", "p_q", "NaN", "ø")


def _categories(rng: random.Random) -> list[str]:
    pool = rng.choice((_WORDS, _WORDS, _CODES, _UNICODE, _WORDS + _ODD))
    return rng.sample(pool, rng.randint(1, min(len(pool), 7)))


def _numbers(rng: random.Random) -> list[int | Decimal]:
    kind = rng.choice(("ages", "ages", "small", "negative", "decimals", "large"))
    count = rng.randint(1, 12)
    if kind == "decimals":
        return [Decimal(rng.randint(-40, 400)) / rng.choice((4, 10, 20)) for _ in range(count)]
    low, high = {"ages": (18, 70), "small": (0, 6), "negative": (-30, 10), "large": (0, 10**9)}[kind]
    return [rng.randint(low, high) for _ in range(count)]


def _days(rng: random.Random) -> list[date]:
    first = date(rng.choice((1931, 1999, 2020)), rng.randint(1, 12), 1)
    spread = rng.choice((20, 400, 8000))
    return [first + timedelta(rng.randint(0, spread)) for _ in range(rng.randint(1, 10))]


_POOLS: dict[str, Callable[[random.Random], Sequence[Value]]] = {
    "category": _categories,
    "number": _numbers,
    "date": _days,
}


def _drawn(
    rng: random.Random, pool: Sequence[Value], count: int, missing: float, *, evenly: bool = False
) -> list[Value]:
    weights = [1 if evenly else rng.choice((1, 1, 2, 5)) for _ in pool]
    values: list[Value] = list(rng.choices(pool, weights, k=count))
    return [None if rng.random() < missing else value for value in values]


# ------------------------------------------------------------------------------------------------ drafts


@dataclass
class Draft:
    """A case in the making: columns with their values, before anything is written."""

    privacy: dict[str, Any]
    algorithm: dict[str, Any]
    count: int
    columns: list[Column] = field(default_factory=list)
    values: dict[str, list[Value]] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    output: dict[str, Any] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    people: list[int] | None = None
    lists: bool = (
        False  # whether sets can only be written as lists, because text would be read in another way
    )

    def add(self, column: Column, values: Sequence[Value]) -> None:
        self.columns.append(column)
        self.values[column.name] = list(values)


def _record_count(rng: random.Random) -> int:
    return rng.choice((1, 3, 8)) if rng.random() < 0.06 else rng.randint(12, 48)


def _free_name(rng: random.Random, draft: Draft, pool: Sequence[str] = _NAMES) -> str:
    return rng.choice([name for name in pool if name not in draft.values])


def _table(rng: random.Random, model: str, algorithm: str) -> Draft:
    draft = Draft(*_promise(rng, model, algorithm), _record_count(rng))
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        _add_quasi(rng, draft, needs_tree=rng.random() < (0.5 if algorithm in ("mondrian", AUTO) else 0.97))
    _add_others(rng, draft)
    return draft


def _sets(rng: random.Random, model: str, algorithm: str) -> Draft:
    draft = Draft(*_promise(rng, model, algorithm), _record_count(rng))
    _add_set(rng, draft, algorithm)
    if model != "disassociation" and rng.random() < 0.25:
        _add_others(rng, draft)
    elif rng.random() < 0.2:
        _add_identifier(rng, draft)
    return draft


def _mixed(rng: random.Random, model: str, algorithm: str) -> Draft:
    draft = Draft(*_promise(rng, model, algorithm), _record_count(rng))
    for _ in range(rng.choice((1, 1, 2))):
        _add_quasi(rng, draft, needs_tree=rng.random() < 0.95)
    for _ in range(rng.choice((1, 1, 1, 2))):
        _add_set(rng, draft, algorithm)
    _add_others(rng, draft)
    return draft


def _private(rng: random.Random, model: str, algorithm: str) -> Draft:
    draft = Draft(*_promise(rng, model, algorithm), rng.choice((12, 60, 150)))
    _add_set(rng, draft, algorithm, from_file=True)
    if rng.random() < 0.1:
        _add_identifier(rng, draft)
    return draft


_FAMILIES: dict[str, Callable[[random.Random, str, str], Draft]] = {
    "k-anonymity": _table,
    "km-anonymity": _sets,
    "set-k-anonymity": _sets,
    "k-km-anonymity": _mixed,
    "disassociation": _sets,
    "differential-privacy": _private,
}


# ------------------------------------------------------------------------------------------ the promise


def _promise(rng: random.Random, model: str, algorithm: str) -> tuple[dict[str, Any], dict[str, Any]]:
    privacy: dict[str, Any] = {"model": model}
    for key in named_models()[model].keys:
        if key.needed or key.name == "epsilon":
            privacy[key.name] = _value_of_key(rng, key.name)
    wanted = _more_promises(rng, model, algorithm)
    for key in keys_of(model):
        if key.name in wanted and key.name not in privacy:
            privacy[key.name] = _value_of_key(rng, key.name)
    for name in _NOT_SERVED.get(algorithm, ()) if rng.random() < 0.95 else ():
        privacy.pop(name, None)
    if algorithm == "lgr-literal" and rng.random() < 0.95:
        privacy["m"] = 1
    if privacy.get("diversity") in ("distinct", "recursive"):
        privacy["l"] = math.ceil(privacy["l"])
    if privacy.get("diversity") == "recursive":
        privacy["c"] = rng.choice((1, 2, 3, 1.5, 4))
    elif "c" in privacy:
        del privacy["c"]
    return privacy, _algorithm(rng, algorithm)


# Keys that the algorithm refuses although it serves the model.
_NOT_SERVED = {
    "lgr-literal": ("negative", "l"),
    "lra": ("negative",),
    "da": ("l",),
    "oa": ("l",),
    "hghs": ("negative", "l"),
    "itemwise": ("negative", "l"),
    "classwise": ("l",),
    "pcta": ("negative",),
}


def _more_promises(rng: random.Random, model: str, algorithm: str) -> set[str]:
    """Keys beside those that the model needs, mostly such as the algorithm serves."""
    serves = {each.name for each in ALGORITHMS[algorithm].serves} if algorithm in ALGORITHMS else set(MODELS)
    wanted: set[str] = set()
    for beside in added_to(model):
        served = any(beside is MODELS[name].beside for name in serves)
        if rng.random() < (0.3 if served else 0.03):
            first, *others = (key.name for key in beside.keys)
            wanted |= {first, *(name for name in others if name != "c" and rng.random() < 0.7)}
    own = {key.name for key in named_models()[model].keys if not key.needed}
    return wanted | {name for name in own if rng.random() < 0.35}


def _value_of_key(rng: random.Random, name: str) -> Any:
    choices: dict[str, Sequence[Any]] = {
        "k": (2, 2, 2, 3, 3, 4, 5),
        "m": (1, 2, 2, 2, 3),
        "l": (1.2, 1.5, 2, 2, 2, 3),
        "diversity": ("frequency", "distinct", "entropy", "recursive"),
        "c": (1, 2, 3, 1.5),
        "t": (0.1, 0.25, 0.3, 0.5, 0.8, 0.95),
        "distance": ("equal", "ordered"),
        "alpha": (0.4, 0.5, 0.6, 0.75, 0.95),
        "negative": (True, False),
        "epsilon": (0.1, 0.5, 1, 2.5, 10),
    }
    if name not in choices:
        raise Uncovered(f"the key {name} of [privacy]")
    return rng.choice(choices[name])


def _algorithm(rng: random.Random, name: str) -> dict[str, Any]:
    algorithm: dict[str, Any] = {"name": name}
    if name in ALGORITHMS and rng.random() < 0.4:
        for declared in parameters_of(ALGORITHMS[name]):
            if declared.name not in ("memory_limit", "on_limit") and rng.random() < 0.4:
                algorithm[declared.name] = _value_of_rule(rng, declared.rule, declared.default)
    if algorithm.get(AS_PRINTED):
        algorithm = without_additions(ALGORITHMS[name], algorithm)
    if name != "diffpart" and rng.random() < 0.3:
        algorithm["seed"] = rng.randint(0, 99)
    if rng.random() < 0.03:
        algorithm |= {"time_limit": "20 s", "on_limit": rng.choice(("stop", "best"))}
    return algorithm


def _value_of_rule(rng: random.Random, rule: Any, default: Any) -> Any:
    match rule:
        case OneOf():
            return rng.choice(rule.choices)
        case YesOrNo():
            return rng.random() < 0.5
        case Within():
            most = min(rule.most, max(4, 2 * default))
            if rule.whole:
                return rng.randint(int(rule.least), int(most))
            return round(rng.uniform(rule.least, min(most, 1.0)), 2)
        case NumberOrWord():
            return _value_of_rule(rng, rng.choice((rule.number, rule.number, rule.word)), default)
    raise Uncovered(f"the rule {rule!r}")


# ------------------------------------------------------------------------------------------------ columns


def _add_quasi(rng: random.Random, draft: Draft, *, needs_tree: bool) -> None:
    kind = rng.choice(("category", "category", "number", "number", "date"))
    pool = _POOLS[kind](rng)
    missing = rng.choice((0, 0, 0.05, 0.2))
    values = _drawn(rng, pool, draft.count, missing)
    name = _free_name(rng, draft)
    settings: dict[str, Any] = {}
    tree: Tree | None = None
    if needs_tree or kind == "category":
        settings, tree = _hierarchy(rng, draft, kind, values)
    elif kind == "number" and rng.random() < 0.3:
        settings |= {"bounds": [-100, 10**9 + 1], "unit": "mm Hg"}
    if rng.random() < 0.1:
        settings["weight"] = rng.choice((0, 0.5, 2))
    if rng.random() < 0.05:
        settings["missing"] = rng.choice(("own", "reject"))
    draft.add(Column(name, "quasi", kind, settings, _frozen(tree)), values)


_FORMS_OF_OUTPUT: tuple[dict[str, Any], ...] = (
    {"min_level": 1},
    {"max_level": 1},
    {"levels": [0, 1]},
    {"publish_hierarchy": True},
)
_RECIPES_OF_KIND: dict[str, tuple[str, ...]] = {
    "category": ("flat", "mask", "fanout", "digits", "file", "order", "keep", "prefixes", "continents"),
    "number": ("ranges", "ranges", "fanout", "flat", "file", "mask"),
    "date": ("dates", "dates", "flat", "fanout", "file"),
    "set": ("flat", "fanout", "fanout", "file", "file", "digits", "mask"),
}


def _hierarchy(
    rng: random.Random,
    draft: Draft,
    kind: str,
    values: Iterable[Value],
    separator: str | None = None,
) -> tuple[dict[str, Any], Tree]:
    if set(POLICY_RECIPES) != set(RECIPES):
        raise Uncovered(f"recipes of hierarchies: {set(POLICY_RECIPES) ^ set(RECIPES)}")
    present = [value for value in dict.fromkeys(values) if value is not None]
    recipe = rng.choice(_RECIPES_OF_KIND[kind])
    if recipe == "file":
        return _hierarchy_file(rng, draft, present)
    recipes: dict[str, dict[str, Any]] = {
        "flat": {"flat": True},
        "mask": {"mask": rng.choice(("right", "left"))},
        "fanout": {"fanout": rng.randint(2, 4)},
        "digits": {"digits": True},
        "order": {"order": _some_texts(rng, present, "low", "high")},
        "keep": {"keep": _some_texts(rng, present, "kept")},
        "prefixes": {"prefixes": rng.choice(([3, 1], [2], [4, 2, 1], [-2, -3, "letters"]))},
        "continents": {"continents": True},
        "ranges": _ranges(rng, present),
        "dates": {
            "dates": rng.choice(
                (["month", "year"], ["year"], ["quarter", "year", "decade"], ["day", "century"])
            )
        },
    }
    given = recipes[recipe]
    return {"hierarchy": given}, built_tree(given, present, separator)


def _some_texts(rng: random.Random, values: Sequence[Value], *more: str) -> list[str]:
    texts = list(dict.fromkeys((*map(text_of, values), *more)))
    rng.shuffle(texts)
    return texts[: max(len(more), rng.randint(0, len(texts)))]


def _ranges(rng: random.Random, values: Sequence[Value]) -> dict[str, Any]:
    if any(isinstance(value, Decimal) and value % 1 for value in values):
        return {"ranges": rng.choice(([0.5, 5], [2.5, 10, 100]))}
    given: dict[str, Any] = {"ranges": rng.choice(([5, 10, 20, 40], [10], [2, 4, 100], [1000, 10**6, 10**9]))}
    given |= {"start": rng.choice((1, -3, 18))} if rng.random() < 0.2 else {}
    given |= {"top": rng.choice((30, 65))} if rng.random() < 0.2 else {}
    return given | ({"bottom": rng.choice((-2, 12))} if rng.random() < 0.2 else {})


def _hierarchy_file(rng: random.Random, draft: Draft, values: Sequence[Value]) -> tuple[dict[str, Any], Tree]:
    leaves = sorted(map(text_of, values))
    lacking = leaves.pop(rng.randrange(len(leaves))) if len(leaves) > 2 and rng.random() < 0.1 else None
    leaves += [extra for extra in ("extra1", "extra2") if rng.random() < 0.3]
    if not leaves:
        leaves = ["extra1", "extra2"]
    rng.shuffle(leaves)
    root = "*" if rng.random() < 0.85 else "Any"
    ways = [(leaf, *way, root) for leaf, way in zip(leaves, _ways_up(rng, len(leaves)), strict=True)]
    content, ending = rng.choice((_arx, _arx, _arx, _amnesia_json, _amnesia_text))(rng, ways)
    file = f"tree{len(draft.files)}{ending}"
    draft.files[file] = content
    settings: dict[str, Any] = {"hierarchy": file}
    tree = file_tree(ways)
    if lacking is not None and rng.random() < 0.9:
        settings["unknown"] = rng.choice(("root", "suppress"))
        tree.setdefault(root, set()).add(lacking)
        if settings["unknown"] == "root":
            tree[lacking] = {lacking}
    return settings, tree


def _arx(rng: random.Random, ways: Sequence[tuple[str, ...]]) -> tuple[bytes, str]:
    buffer = io.StringIO()
    ending = rng.choice(("\n", "\r\n"))
    csv.writer(buffer, delimiter=rng.choice(";;,\t"), lineterminator=ending).writerows(ways)
    return buffer.getvalue().encode(), ".csv"


def _amnesia_json(rng: random.Random, ways: Sequence[tuple[str, ...]]) -> tuple[bytes, str]:
    tree: dict[str, Any] = {"hierType": "distinct", "name": "x", "type": "string", "height": len(ways[0])}
    for level, children in enumerate(_children(ways), start=1):
        tree[f"level{level}"] = children
    return json.dumps(tree, ensure_ascii=rng.random() < 0.5).encode(), ".json"


def _amnesia_text(rng: random.Random, ways: Sequence[tuple[str, ...]]) -> tuple[bytes, str]:
    if any(not label or " " in label or label == "has" for way in ways for label in way):
        return _arx(rng, ways)  # which this form cannot write
    lines = ["distinct", "name x", "type string", f"height {len(ways[0])}", ""]
    for children in reversed(list(_children(ways))):
        lines += [f"{parent} has {' '.join(below)}" for parent, below in children.items()] + [""]
    return ("\n".join(lines) + "\n").encode(), ".txt"


def _children(ways: Sequence[tuple[str, ...]]) -> Iterator[dict[str, list[str]]]:
    """The children of each node, level by level from the root."""
    for level in range(len(ways[0]) - 1, 0, -1):
        children: dict[str, dict[str, None]] = {}
        for way in ways:
            children.setdefault(way[level], {})[way[level - 1]] = None
        yield {parent: list(below) for parent, below in children.items()}


def _ways_up(rng: random.Random, count: int) -> list[tuple[str, ...]]:
    """Labels between so many leaves and the root, in one or two levels."""
    groups = rng.randint(1, max(1, count // 2))
    first = [rng.randrange(groups) for _ in range(count)]
    if rng.random() < 0.5:
        return [(f"G{group}",) for group in first]
    return [(f"G{group}", f"H{group % 2}") for group in first]


def _frozen(tree: Mapping[str, set[str]] | None) -> dict[str, frozenset[str]] | None:
    return None if tree is None else {label: frozenset(values) for label, values in tree.items()}


def _add_set(rng: random.Random, draft: Draft, algorithm: str, *, from_file: bool = False) -> None:
    separator = rng.choice(_SEPARATORS)
    pool = rng.sample(_ITEMS, rng.randint(1, 7))
    if rng.random() < 0.3:
        pool += rng.sample(_ODD_ITEMS, rng.randint(1, 3))
    if rng.random() < 0.1:
        pool += [f"x{separator[0]}", f"{separator[-1]}y", "two words"]
        draft.lists = True
    pool = [item for item in dict.fromkeys(pool) if separator not in item and item == item.strip()]
    pool = pool or ["milk"]
    wants_secrets = not from_file and _wants_secrets(rng, draft)
    sensitive = rng.sample(pool, 1 if len(pool) < 4 else rng.randint(1, 2)) if wants_secrets else []
    multiset = rng.random() < (0.02 if from_file else 0.12)
    if multiset:
        pool = [item for item in pool if not item.endswith(")")]
    empty = rng.choice((0, 0, 0.03, 0.2))
    sets: list[Value] = [_one_set(rng, pool, sensitive, empty, multiset=multiset) for _ in range(draft.count)]
    settings: dict[str, Any] = {} if separator == " " and rng.random() < 0.5 else {"separator": separator}
    tree: Tree | None = None
    name = "items" if rng.random() < 0.5 and "items" not in draft.values else _free_name(rng, draft, _SETS)
    open_items = [item for item in pool if item not in sensitive]
    if algorithm not in ("pcta", "disassociation") or rng.random() < 0.2:
        if from_file and rng.random() < 0.95:
            more, tree = _hierarchy_file(rng, draft, [*open_items])
        else:
            more, tree = _hierarchy(rng, draft, "set", open_items, separator)
        settings |= more
    if sensitive and not from_file:
        settings["sensitive"] = rng.sample(sensitive, len(sensitive))
    if multiset:
        settings["multiset"] = True
    if rng.random() < 0.05 and open_items:
        settings["item_weights"] = {open_items[0]: 0.2}
    draft.add(Column(name, "quasi", "set", settings, _frozen(tree)), sets)


def _wants_secrets(rng: random.Random, draft: Draft) -> bool:
    asked = any(key in draft.privacy for key in ("l", "t", "alpha"))
    return rng.random() < (0.85 if asked else 0.1)


def _one_set(
    rng: random.Random, pool: Sequence[str], sensitive: Sequence[str], empty: float, *, multiset: bool
) -> tuple[str, ...]:
    if rng.random() < empty:
        return ()
    open_items = [item for item in pool if item not in sensitive]
    weights = [1 / (place + 1) for place in range(len(open_items))]
    held = set(rng.choices(open_items, weights, k=rng.randint(1, 4))) if open_items else set()
    held |= {item for item in sensitive if rng.random() < 0.15}
    repeated = [item for item in held if multiset and rng.random() < 0.15]
    return tuple(sorted([*held, *repeated]))


def _add_others(rng: random.Random, draft: Draft) -> None:
    """Columns that are no quasi-identifiers."""
    has_secrets = any(column.sensitive_items for column in draft.columns)
    asked = any(key in draft.privacy for key in ("l", "t", "alpha"))
    for _ in range(rng.choice((1, 1, 2)) if asked and not has_secrets else rng.random() < 0.2):
        _add_sensitive(rng, draft)
    if rng.random() < 0.2:
        _add_insensitive(rng, draft)
    if rng.random() < 0.25:
        _add_identifier(rng, draft)


def _add_sensitive(rng: random.Random, draft: Draft) -> None:
    ordered = draft.privacy.get("distance") == "ordered"
    kind = (
        rng.choice(("number", "date"))
        if ordered and rng.random() < 0.9
        else rng.choice(("category", "number", "date"))
    )
    makers: dict[str, Callable[[random.Random], Sequence[Value]]] = {
        "category": lambda rng: [*_categories(rng), "flu"],
        "number": _numbers,
        "date": _days,
    }
    values = _drawn(rng, makers[kind](rng), draft.count, rng.choice((0, 0, 0.1)), evenly=True)
    settings: dict[str, Any] = {"hierarchy": {"flat": True}} if rng.random() < 0.05 else {}
    if rng.random() < 0.05:
        settings["missing"] = rng.choice(("own", "reject"))
    draft.add(Column(_free_name(rng, draft), "sensitive", kind, settings), values)


def _add_insensitive(rng: random.Random, draft: Draft) -> None:
    values: list[Value]
    settings: dict[str, Any] = {}
    kind = "category"
    if rng.random() < 0.15:
        pool = [("x",), ("x", "y"), ()]
        separator, kind = rng.choice((" ", ";")), "set"
        values, settings = _drawn(rng, pool, draft.count, 0), {"separator": separator, "confirm": True}
    elif rng.random() < 0.3:
        values, settings = [f"note {number}" for number in range(draft.count)], {"confirm": True}
    else:
        values = _drawn(rng, _categories(rng)[:3], draft.count, 0.05)
        settings = {"confirm": True} if rng.random() < 0.5 else {}
    draft.add(Column(_free_name(rng, draft), "insensitive", kind, settings), values)


def _add_identifier(rng: random.Random, draft: Draft) -> None:
    name = _free_name(rng, draft, ("name", "id", "Person"))
    numbers = list(range(draft.count))
    united = any(column.is_set for column in draft.columns) and len(draft.columns) > 1
    if rng.random() < 0.4 and not united and draft.count > 4:
        numbers = [rng.randrange(max(1, draft.count * 2 // 3)) for _ in numbers]
        draft.data["subject"], draft.people = name, numbers
    rarely = any(column.is_set for column in draft.columns) and "subject" in draft.data
    settings = {"pseudonym": True} if rng.random() < (0.02 if rarely else 0.2) else {}
    draft.add(Column(name, "identifier", "category", settings), [f"Ident{number:04}Q" for number in numbers])


# ---------------------------------------------------------------------------------------------- finishing


class _Finishing:
    """From a draft to a case: formats, missing values, several rows per person, odd options."""

    def __init__(self, rng: random.Random, draft: Draft, seed: int, number: int) -> None:
        self._rng, self._draft, self._seed, self._number = rng, draft, seed, number

    def case(self) -> Case:
        rng, draft = self._rng, self._draft
        if rng.random() < 0.3:
            draft.data["missing"] = list(rng.choice(_TOKENS))
            self._take_tokens_as_missing()
        self._choose_output()
        self._ways_of_writing()
        self._confirm_some()
        long = self._is_long()
        rows = self._rows()
        content, name = self._written(rows, long=long)
        self._odd_options()
        self._keep_some_to_levels()
        return Case(
            seed=self._seed,
            number=self._number,
            columns=tuple(draft.columns),
            rows=tuple(self._meant(rows)),
            data={"path": name, **draft.data},
            privacy=draft.privacy,
            algorithm=draft.algorithm,
            output=draft.output,
            files={**draft.files, name: content},
        )

    def _take_tokens_as_missing(self) -> None:
        tokens = self._draft.data["missing"]
        for column in self._draft.columns:
            if not column.is_set and column.role != "insensitive":
                values = self._draft.values[column.name]
                self._draft.values[column.name] = [
                    None if value is None or text_of(value) in tokens else value for value in values
                ]

    def _rows(self) -> list[Row]:
        draft = self._draft
        names = [column.name for column in draft.columns]
        self._rng.shuffle(draft.columns)
        return [{name: draft.values[name][place] for name in names} for place in range(draft.count)]

    def _meant(self, rows: list[Row]) -> list[Row]:
        """The records behind the rows: sets of one person are united."""
        draft = self._draft
        if draft.people is None or not any(column.is_set for column in draft.columns):
            return rows
        united: dict[int, Row] = {}
        for person, row in zip(draft.people, rows, strict=True):
            known = united.setdefault(person, dict(row))
            if known is not row:
                known |= {name: _union(known[name], value) for name, value in row.items()}
        return list(united.values())

    def _is_long(self) -> bool:
        draft = self._draft
        alone = len(draft.columns) == 1 and draft.columns[0].is_set
        if not alone or draft.columns[0].name != "items" or self._rng.random() > 0.1:
            return False
        draft.data["long"] = {"id": "who", "item": "what"}
        return True

    def _choose_output(self) -> None:
        rng, draft = self._rng, self._draft
        clusters = draft.privacy["model"] == "disassociation"
        endings = list(CLUSTER_ENDINGS if clusters else PUBLISHED_ENDINGS)
        shown = [column for column in draft.columns if column.published]
        if not clusters and not (len(shown) == 1 and shown[0].is_set):
            endings = [ending for ending in endings if not ending.startswith((".txt", ".dat"))]
        ending = rng.choice(endings)
        if rng.random() < 0.9 or not clusters:
            draft.output["path"] = f"published{ending}"
        if rng.random() < 0.05:
            draft.output["keep_order"] = True
        if ending in SPREADSHEET_ENDINGS and rng.random() < 0.25:
            draft.output["neutralize_formulas"] = True
        if ending in SPREADSHEET_ENDINGS:  # of all dialects the judges, who know nothing of Shoal, read one
            between = "\t" if ending.startswith(".tsv") else ","
            draft.output |= {"delimiter": between, "decimal": ".", "encoding": "utf-8", "bom": False}

    def _ways_of_writing(self) -> None:
        rng, draft = self._rng, self._draft
        if rng.random() < 0.05:
            draft.data |= rng.choice(_STYLES)
        if rng.random() < 0.05:
            draft.data["date_format"] = rng.choice(_DAY_FORMATS)
        for place, column in enumerate(draft.columns):
            if column.role in ("insensitive", "identifier") or rng.random() > 0.25:
                continue
            given: dict[str, Any] = {}
            if column.kind == "date":
                given = {"format": rng.choice(_DAY_FORMATS)}
            elif column.kind == "number":
                given = rng.choice(_STYLES)
            draft.columns[place] = replace(column, settings={**column.settings, **given})

    def _confirm_some(self) -> None:
        for place, column in enumerate(self._draft.columns):
            doubtful = column.settings.get("confirm") and self._rng.random() < 0.8
            if doubtful or (column.role != "identifier" and self._rng.random() < 0.03):
                settings = {**column.settings, "confirm": True, "reason": "it is invented"}
                self._draft.columns[place] = replace(column, settings=settings)

    def _keep_some_to_levels(self) -> None:
        for place, column in enumerate(self._draft.columns):
            if "hierarchy" in column.settings and self._rng.random() < 0.05:
                given = self._rng.choice(_FORMS_OF_OUTPUT)
                self._draft.columns[place] = replace(column, settings={**column.settings, **given})

    def _odd_options(self) -> None:
        rng, draft = self._rng, self._draft
        if rng.random() < 0.05:
            others = [column for column in draft.columns if column.role == "insensitive"]
            if others:
                draft.columns.remove(others[0])
                kept = others[0].kind == "category" and not others[0].settings.get("confirm")
                draft.data["others"] = rng.choice(("drop", "insensitive")) if kept else "drop"

    def _written(self, rows: list[Row], *, long: bool) -> tuple[bytes, str]:
        rng, draft = self._rng, self._draft
        alone = len(draft.columns) == 1 and draft.columns[0].name == "items" and not long
        endings = [ending for ending in INPUTS if alone or ending not in (".txt", ".dat")]
        if draft.lists:
            endings = [ending for ending in endings if ending not in (*TEXT_INPUTS, ".xlsx")]
        ending = rng.choice(endings)
        if ending not in WRITERS:
            raise Uncovered(f"the input format {ending}")
        columns = list(draft.columns)
        if long:
            columns, rows = _long_form(draft.columns[0], rows)
        missing = draft.data.get("missing", [""])
        content = WRITERS[ending](_Sheet(rng, columns, rows, missing, draft.data, lists=draft.lists))
        name = f"data{ending}"
        if ending in COMPRESSIBLE and rng.random() < 0.2:
            return gzip.compress(content), f"{name}.gz"
        return content, name


def _union(one: Value, other: Value) -> Value:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return tuple(sorted({*one, *other}))
    return one


def _long_form(column: Column, rows: list[Row]) -> tuple[list[Column], list[Row]]:
    pairs: list[Row] = []
    for number, row in enumerate(rows):
        held = row[column.name]
        items = held if isinstance(held, tuple) and held else (None,)
        pairs += [{"who": f"P{number}", "what": item} for item in items]
    return [Column("who", "identifier"), Column("what", "insensitive")], pairs


# ------------------------------------------------------------------------------------------ input formats


@dataclass
class _Sheet:
    """What a writer of an input format needs."""

    rng: random.Random
    columns: Sequence[Column]
    rows: Sequence[Row]
    missing: Sequence[str]
    data: dict[str, Any]
    lists: bool

    def text(self, column: Column, value: Value) -> str:
        """A value as some careless person might write it."""
        if value is None:
            return self.rng.choice(self.missing)
        if isinstance(value, tuple):
            return column.separator.join(value)
        if isinstance(value, date):
            midnight = " 00:00:00" if column.role == "quasi" and self.rng.random() < 0.05 else ""
            usual = f"%Y-%m-%d{midnight}"
            if column.role != "insensitive":
                usual = self.data.get("date_format", usual)
            return value.strftime(column.settings.get("format", usual))
        text = text_of(value)
        if column.kind == "number" and column.role != "insensitive":
            return self._number(column, value)
        if column.kind == "category" and column.role != "insensitive" and self.rng.random() < 0.05:
            return self.rng.choice((f" {text}", f"{text} ", unicodedata.normalize("NFD", text)))
        return text

    def _number(self, column: Column, value: Value) -> str:
        style = {name: column.settings.get(name, self.data.get(name)) for name in ("decimal", "thousands")}
        decimal, thousands = style["decimal"] or ".", style["thousands"] or ""
        text = text_of(value)
        if isinstance(value, int) and self.rng.random() < 0.1:
            text = self.rng.choice((f"{text}.0", f" {text}"))
        if thousands and text.strip().lstrip("-").isdigit() and self.rng.random() < 0.5:
            return f"{int(text):,}".replace(",", thousands)
        return text.replace(".", decimal)


def _csv(sheet: _Sheet, delimiter: str | None = None) -> bytes:
    rng = sheet.rng
    if delimiter is None:
        delimiter = rng.choice(",,,;\t|")
        if rng.random() < 0.6:
            sheet.data["delimiter"] = delimiter
    encoding = "utf-8"
    if rng.random() < 0.1:
        sheet.data["quote"] = '"'
    if rng.random() < 0.15:
        encoding = rng.choice(("utf-8-sig", "utf-16", "latin-1"))
    buffer = io.StringIO()
    quoted = rng.random() < 0.5
    writer = csv.writer(
        buffer,
        delimiter=delimiter,
        quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL,
        lineterminator=rng.choice(("\n", "\r\n")),
    )
    writer.writerow([column.name for column in sheet.columns])
    writer.writerows(
        [[sheet.text(column, row[column.name]) for column in sheet.columns] for row in sheet.rows]
    )
    try:
        content = buffer.getvalue().encode(encoding)
    except UnicodeEncodeError:
        return buffer.getvalue().encode()
    if encoding in ("utf-16", "latin-1"):
        sheet.data["encoding"] = encoding
    return content


def _tsv(sheet: _Sheet) -> bytes:
    return _csv(sheet, "\t")


def _set_lines(sheet: _Sheet) -> bytes:
    (column,) = sheet.columns
    ending = sheet.rng.choice(("\n", "\r\n"))
    return "".join(sheet.text(column, row[column.name]) + ending for row in sheet.rows).encode()


def _json_lines(sheet: _Sheet) -> bytes:
    as_numbers = sheet.rng.random() < 0.5
    as_lists = sheet.lists or sheet.rng.random() < 0.5

    def cell(column: Column, value: Value) -> Any:
        if value is None:
            return None if sheet.rng.random() < 0.7 else sheet.rng.choice(sheet.missing)
        if isinstance(value, tuple):
            return list(value) if as_lists else column.separator.join(value)
        if as_numbers and isinstance(value, int | Decimal):
            return int(value) if value == int(value) else float(value)
        return sheet.text(column, value)

    lines = [{column.name: cell(column, row[column.name]) for column in sheet.columns} for row in sheet.rows]
    return "".join(json.dumps(line, ensure_ascii=sheet.rng.random() < 0.5) + "\n" for line in lines).encode()


def _arrow_table(sheet: _Sheet) -> pa.Table:
    return pa.table(
        [_arrow_column(sheet, column, [row[column.name] for row in sheet.rows]) for column in sheet.columns],
        names=[column.name for column in sheet.columns],
    )


def _arrow_column(sheet: _Sheet, column: Column, values: list[Value]) -> pa.Array:
    rng = sheet.rng
    if column.is_set:
        if sheet.lists or rng.random() < 0.7:
            return pa.array(
                [list(value) if isinstance(value, tuple) else None for value in values], pa.list_(pa.string())
            )
        return pa.array([sheet.text(column, value) for value in values], pa.string())
    if column.kind == "number" and rng.random() < 0.8:
        return _arrow_numbers(rng, values)
    if column.kind == "date" and rng.random() < 0.8:
        days = rng.choice((pa.date32(), pa.timestamp("us"), pa.timestamp("ms")))
        return pa.array(values, pa.date32()).cast(days)
    texts = pa.array([None if value is None else sheet.text(column, value) for value in values], pa.string())
    if column.role == "quasi" and rng.random() < 0.3 and all(_is_code(text) for text in texts.to_pylist()):
        return texts.cast(pa.int64())
    kind = rng.choice((pa.string(), pa.string(), pa.large_string(), pa.string_view()))
    return texts.dictionary_encode() if rng.random() < 0.15 else texts.cast(kind)


def _is_code(text: str | None) -> bool:
    return text is None or (text.isdecimal() and not text.startswith("0"))


def _arrow_numbers(rng: random.Random, values: list[Value]) -> pa.Array:
    if all(value is None or isinstance(value, int) for value in values) and rng.random() < 0.6:
        return pa.array(values, pa.int64())
    numbers = [None if value is None else Decimal(text_of(value)) for value in values]
    if rng.random() < 0.2:
        return pa.array(numbers, pa.decimal128(20, 4))
    return pa.array([None if number is None else float(number) for number in numbers], pa.float64())


def _parquet(sheet: _Sheet) -> bytes:
    sink = io.BytesIO()
    pq.write_table(_arrow_table(sheet), sink)
    return sink.getvalue()


def _arrow(sheet: _Sheet) -> bytes:
    table, sink = _arrow_table(sheet), io.BytesIO()
    opened = pa.ipc.new_file if sheet.rng.random() < 0.7 else pa.ipc.new_stream
    with opened(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _excel(sheet: _Sheet) -> bytes:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    if sheet.rng.random() < 0.15:
        page.append(["another sheet"])
        page, sheet.data["sheet"] = book.create_sheet("data"), "data"
    as_types = sheet.rng.random() < 0.7
    for place, column in enumerate(sheet.columns, start=1):
        page.cell(1, place, column.name).data_type = "s"
        for line, row in enumerate(sheet.rows, start=2):
            _excel_cell(sheet, page.cell(line, place), column, row[column.name], as_types=as_types)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def _excel_cell(sheet: _Sheet, cell: Any, column: Column, value: Value, *, as_types: bool) -> None:
    if as_types and isinstance(value, int | Decimal):
        cell.value = int(value) if value == int(value) else float(value)
    elif as_types and isinstance(value, date):
        cell.value = datetime(value.year, value.month, value.day)
    elif text := sheet.text(column, value):
        cell.value = text
        cell.data_type = "s"


WRITERS: dict[str, Callable[[_Sheet], bytes]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".txt": _set_lines,
    ".dat": _set_lines,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json_lines,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".ipc": _arrow,
    ".xlsx": _excel,
}
