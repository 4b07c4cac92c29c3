"""Numbers and names as people read them."""

import json
from collections.abc import Mapping
from typing import Any

from shoal.json_values import json_value
from shoal.metrics.catalogue import MEASURES

_UNITS = {"bits": " bits", "multiples of k": " × k", "levels": " levels"}


def measure(name: str, value: float) -> str:
    """A loss in the unit of its measure."""
    metric = MEASURES.get(name)
    if metric is not None and metric.unit == "share":
        return share(value)
    unit = _UNITS.get(metric.unit, "") if metric else ""
    return f"{value:,.0f}{unit}" if abs(value) >= 1000 else f"{value:,.3g}{unit}"


def measure_in_words(name: str) -> str:
    """What a measure says; nothing for one that is not in the catalogue."""
    metric = MEASURES.get(name)
    return metric.description if metric else ""


def share(value: float) -> str:
    """A share as a percentage; only a true 0 or 1 is written as 0% or 100%."""
    if value in (0, 1):
        return f"{value:.0%}"
    if value < 0.001:
        return "below 0.1%"
    return "above 99.9%" if 0.999 < value < 1 else f"{value:.1%}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number of things: 1 row, 2 rows."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def with_options(algorithm: str, options: Mapping[str, Any]) -> str:
    """An algorithm and the options that it was given, as a policy writes them."""
    given = ", ".join(f"{name} = {json.dumps(json_value(value))}" for name, value in options.items())
    return f"{algorithm} with {given}" if given else algorithm


def in_words(key: str) -> str:
    """The name of a figure."""
    return key.replace("_", " ")


def capitalized(text: str) -> str:
    """The text with a capital at its start, the rest as it is."""
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return f"{capitalized(text.strip())}{'' if text.rstrip().endswith(('.', '!', '?')) else '.'}"
