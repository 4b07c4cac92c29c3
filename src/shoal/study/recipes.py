"""Hierarchies that a person would draw: round ranges, calendars, neighbours, masks, rare ones together."""

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.detect.look import Look
from shoal.detect.numbers import NumberMarks
from shoal.detect.observed import Observed
from shoal.kernels.arrays import Floats

FEW = 20  # distinct values that need no groups
MOST_KEPT = 30
_RARE = 0.01  # share of rows below which a value is rare
_FINEST = 20  # finest ranges over the span of most values
_FEW_NUMBERS = 3  # of which narrow ranges hide nothing, and wide ones all
_SHORT_SPAN = 20  # of whole numbers

Recipe = Mapping[str, Any]


def recipe_for(look: Look, column: Observed) -> Recipe:
    """The recipe for the hierarchy of a column."""
    if look.kind == "set":
        return {"fanout": 5}
    if look.kind == "date":
        return {"dates": list(_calendar(column))}
    if look.kind == "number" and look.numbers is not None:
        return _ranges(column, look.numbers.style, whole=look.numbers.whole)
    return _recipe_for_categories(look, column)


def _recipe_for_categories(look: Look, column: Observed) -> Recipe:
    recipe: Recipe = {"flat": True}
    if look.prefixes is not None:
        recipe = {"prefixes": list(look.prefixes)}
    elif look.looks_like == "postal codes" or _are_codes_of_one_length(column):
        recipe = {"mask": "right"}
    elif look.looks_like == "countries":
        recipe = {"continents": True}
    elif look.order is not None:
        recipe = {"order": list(look.order)}
    elif column.distinct > FEW:
        recipe = _frequent_ones(column)
    return recipe


def _are_codes_of_one_length(column: Observed) -> bool:
    values = column.some()
    return column.distinct > FEW and all(value.isdigit() and len(value) == len(values[0]) for value in values)


def _frequent_ones(column: Observed) -> Recipe:
    """Frequent values stay on their own, the rare ones share `other`."""
    enough = max(column.present * _RARE, 10)
    order = np.argsort(-column.rows, kind="stable")[:MOST_KEPT]
    kept = column.texts.take(pa.array(order[column.rows[order] >= enough])).to_pylist()
    return {"keep": sorted(kept)} if kept else {"flat": True}


def _calendar(column: Observed) -> tuple[str, ...]:
    years = {
        int(year) for text in column.some() for year in re.findall(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)", text)
    }
    span = max(years) - min(years) if years else 10
    if span <= 3:
        return ("month", "quarter", "year")
    return ("month", "year", "decade") if span <= 40 else ("year", "decade")


def _ranges(column: Observed, style: NumberMarks, *, whole: bool) -> Recipe:
    numbers, rows = _parsed(column, style)
    if len(numbers) <= _FEW_NUMBERS:
        return {"flat": True}
    order = np.argsort(numbers)
    shares = np.cumsum(rows[order]) / rows.sum()
    low, high = (float(numbers[order][np.searchsorted(shares, share)]) for share in (0.01, 0.99))
    least, most = float(numbers.min()), float(numbers.max())
    span = (high - low) or (most - least)
    if whole and most - least < 4:
        return {"flat": True}
    widths = _round_widths(span, whole=whole)
    recipe: dict[str, Any] = {"ranges": [_plain(width) for width in widths]}
    top, bottom = _above(high, widths[1]), _below(low, widths[1])
    if most > top + span / 2:
        recipe["top"] = _plain(top)
    if least < bottom - span / 2:
        recipe["bottom"] = _plain(bottom)
    return recipe


def _round_widths(span: float, *, whole: bool) -> list[float]:
    """5, 10, 20, 40 and so on by powers of ten: at most twenty of the finest over the span."""
    if whole and span < _SHORT_SPAN:
        return [2, 4, 8]
    power = 10.0 ** math.floor(math.log10(span / _FINEST))
    width = next(step * power for step in (5, 10, 50) if step * power >= span / _FINEST * (1 - 1e-9))
    widths = [width, width * 2]
    while widths[-1] < span / 2:
        widths.append(widths[-1] * 2)
    return widths


def _above(value: float, width: float) -> float:
    return math.floor(value / width + 1) * width


def _below(value: float, width: float) -> float:
    return math.floor(value / width) * width


def _plain(number: float) -> float | int:
    rounded = float(f"{number:.10g}")
    return int(rounded) if rounded == int(rounded) else rounded


def _parsed(column: Observed, style: NumberMarks) -> tuple[Floats, Any]:
    """The numbers of values that are written in a style; currencies and signs of percent do not matter."""
    numbers, rows = [], []
    for text, count in zip(column.texts.to_pylist(), column.rows.tolist(), strict=True):
        body = re.sub(r"[^\d.,eE+\-−]", "", text).replace("−", "-")
        body = body.replace(style.thousands, "") if style.thousands in (".", ",") else body
        try:
            numbers.append(float(body.replace(",", ".")))
        except ValueError:
            continue
        rows.append(count)
    return np.array(numbers, dtype=np.float64), np.array(rows, dtype=np.int64)
