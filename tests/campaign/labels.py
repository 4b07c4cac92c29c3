"""Which values a published label stands for, found by writing down every label that a hierarchy could have.

Nothing of Shoal: this is what the documentation says about labels, once more.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from tests.campaign.case import Column, Value, text_of

Tree = dict[str, set[str]]

_CONTINENTS = {"DE": "Europe", "France": "Europe", "Brasil": "Americas", "JPN": "Asia", "Kenya": "Africa"}
_RANGE = re.compile(r"\[(.+), (.+)\]")


def built_tree(recipe: Mapping[str, Any], values: Iterable[Value], separator: str | None = None) -> Tree:
    """All labels that a recipe could give to these values, with the values under each."""
    (name,) = recipe.keys() - {"start", "top", "bottom"}
    present: list[Value] = [value for value in dict.fromkeys(values) if value is not None]
    tree: Tree = {"*": {text_of(value) for value in present}}
    for value in present:
        tree.setdefault(text_of(value), set()).add(text_of(value))
    for label, under in _RECIPES[name](recipe, present):
        tree.setdefault(label, set()).add(text_of(under))
    return tree if separator is None else without_separator(tree, separator)


def file_tree(ways: Iterable[tuple[str, ...]]) -> Tree:
    """The tree of a file: each way leads from a value up to the root."""
    tree: Tree = {}
    for way in ways:
        for label in way:
            tree.setdefault(label, set()).add(way[0])
    return tree


def without_separator(tree: Tree, separator: str) -> Tree:
    """The same labels as a set column can show them."""
    written: Tree = {}
    for label, values in tree.items():
        shown = label.replace(separator, "_") if label not in values else label
        written.setdefault(shown, set()).update(values)
    return written


def covers(column: Column, label: str | None, value: Value) -> bool:
    """Whether a published cell may stand for a value of the original."""
    if value is None:
        return label in (None, "", "*") or label in _roots(column)
    if label is None or isinstance(value, tuple):
        return False
    if label in ("*", text_of(value)):
        return True
    if column.tree is None:
        return _in_range(column.kind, label, value)
    return any(text_of(value) in column.tree.get(way, ()) for way in _ways_to_write(label))


def _roots(column: Column) -> list[str]:
    """Labels over all values."""
    most = max(map(len, (column.tree or {}).values()), default=0)
    return [label for label, values in (column.tree or {}).items() if len(values) == most]


def covers_item(column: Column, label: str, item: str, times: int) -> bool:
    """Whether a published item may stand for one that was held so many times."""
    names = {item, f"{item}({times})"} if column.settings.get("multiset") else {item}
    if label in names:
        return True
    if any(name in union for union in _union(column, label) for name in names):
        return True
    if label == "*":
        return True
    return any(item in (column.tree or {}).get(way, ()) for way in _ways_to_write(label))


def _union(column: Column, label: str) -> Iterable[list[str]]:
    """The items that a label such as `(a|b)` unites; `(a_b)` beside the separator `|`, or as items allow."""
    inner = label.rstrip("'")[1:-1] if label.startswith("(") and label.rstrip("'").endswith(")") else ""
    first = "_" if "|" in column.separator else "|"
    links = (link for link in f"{first}+&;¦‖" if link in inner and link not in column.separator)
    return [_with_links(inner.split(link), link) for link in links]


def _with_links(pieces: list[str], link: str) -> list[str]:
    """All runs of pieces, because an item may hold the link itself."""
    places = range(len(pieces))
    return [link.join(pieces[first : last + 1]) for first in places for last in places if first <= last]


def leaves_under(column: Column, label: str) -> int | None:
    """How many items a label stands for; None if nobody can tell."""
    for way in _ways_to_write(label):
        if column.tree is not None and way in column.tree:
            return max(1, len(column.tree[way]))
    return None


def _ways_to_write(label: str) -> list[str]:
    """A label that was taken already carries marks at its end."""
    return [label, label.rstrip("~"), label.rstrip("^"), label.rstrip("'")]


def _in_range(kind: str, label: str, value: Value) -> bool:
    found = _RANGE.fullmatch(label)
    if found is None:
        return False
    if kind == "date":
        return isinstance(value, date) and found[1] <= value.isoformat() <= found[2]
    return Decimal(found[1]) <= Decimal(text_of(value)) <= Decimal(found[2])


def _ranges(recipe: Mapping[str, Any], values: list[Value]) -> Iterable[tuple[str, Value]]:
    begin = Decimal(str(recipe.get("start", 0)))
    top = Decimal(str(recipe.get("top", "Infinity")))
    bottom = Decimal(str(recipe.get("bottom", "-Infinity")))
    for width in (Decimal(str(width)) for width in recipe["ranges"]):
        for value in values:
            number = Decimal(text_of(value))
            if number >= top or number < bottom:
                yield f"{text_of(top)}+" if number >= top else f"<{text_of(bottom)}", value
                continue
            low = begin + (number - begin) // width * width
            low = low - width if low > number else low
            low, high = max(low, bottom), min(low + width, top)
            yield f"{text_of(low)}-{text_of(high - 1)}", value
            yield f"[{text_of(low)}, {text_of(high)})", value
            if high - low == 1:
                yield text_of(low), value


def _mask(recipe: Mapping[str, Any], values: list[Value]) -> Iterable[tuple[str, Value]]:
    right = recipe["mask"] == "right"
    for value in values:
        text = text_of(value)
        for hidden in range(1, len(text)):
            yield (text[:-hidden] + "*" * hidden if right else "*" * hidden + text[hidden:]), value


def _dates(recipe: Mapping[str, Any], values: list[Value]) -> Iterable[tuple[str, Value]]:
    for value in values:
        day = text_of(value)
        year, month = day[:4], int(day[5:7])
        periods = {
            "day": day,
            "month": day[:7],
            "quarter": f"{year}-Q{(month + 2) // 3}",
            "year": year,
            "decade": f"{year[:3]}0s",
            "century": f"{year[:2]}00-{year[:2]}99",
        }
        for level in recipe["dates"]:
            yield periods[level], value


def _order(recipe: Mapping[str, Any], values: list[Value]) -> Iterable[tuple[str, Value]]:
    steps = recipe["order"]
    for value in values:
        if (text := text_of(value)) in steps:
            for size in (2**power for power in range(1, 10)):
                first = steps.index(text) // size * size
                last = min(first + size, len(steps)) - 1
                yield f"{steps[first]}..{steps[last]}", value


def _keep(recipe: Mapping[str, Any], values: list[Value]) -> Iterable[tuple[str, Value]]:
    return [("other", value) for value in values if text_of(value) not in recipe["keep"]]


def _prefixes(recipe: Mapping[str, Any], values: list[Value]) -> Iterable[tuple[str, Value]]:
    for value in values:
        begin = text = text_of(value)
        for length in recipe["prefixes"]:
            if length == "letters":
                begin = "".join(itertools.takewhile(str.isalpha, begin))
            else:
                begin = begin[: length if length > 0 else max(0, len(text) + length)]
            yield f"{begin}*", value


def _continents(_: Mapping[str, Any], values: list[Value]) -> Iterable[tuple[str, Value]]:
    return [(_CONTINENTS[text_of(value)], value) for value in values if text_of(value) in _CONTINENTS]


def _fanout(_: Mapping[str, Any], values: list[Value]) -> Iterable[tuple[str, Value]]:
    numbers = _as_numbers(values)
    texts = {value: text_of(value) for value in values}
    ordered = sorted(values, key=lambda value: (numbers.get(value, Decimal(0)), texts[value]))
    link = "-" if numbers else ".."
    for first in range(len(ordered)):
        for last in range(first + 1, len(ordered)):
            label = f"{texts[ordered[first]]}{link}{texts[ordered[last]]}"
            for value in ordered[first : last + 1]:
                yield label, value


def _as_numbers(values: list[Value]) -> dict[Value, Decimal]:
    try:
        numbers = {value: Decimal(text_of(value)) for value in values}
    except ArithmeticError:
        return {}
    return numbers if all(number.is_finite() for number in numbers.values()) else {}


def _digits(_: Mapping[str, Any], values: list[Value]) -> Iterable[tuple[str, Value]]:
    for value in values:
        text = text_of(value)
        for length in range(1, len(text) + 1):
            yield f"{text[:length]}*", value


def _flat(_: Mapping[str, Any], __: list[Value]) -> Iterable[tuple[str, Value]]:
    return ()


_RECIPES: dict[str, Callable[[Mapping[str, Any], list[Value]], Iterable[tuple[str, Value]]]] = {
    "ranges": _ranges,
    "mask": _mask,
    "dates": _dates,
    "order": _order,
    "keep": _keep,
    "prefixes": _prefixes,
    "continents": _continents,
    "fanout": _fanout,
    "digits": _digits,
    "flat": _flat,
}
RECIPES = tuple(_RECIPES)
