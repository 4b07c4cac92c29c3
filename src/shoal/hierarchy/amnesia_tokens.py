"""How Amnesia writes a node: a value, a number as a Java double, or a range of numbers or dates.

Within Shoal ranges are called `low-high` whatever the file form, and numbers are written as data write them.
"""

import calendar
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, get_args

import numpy as np

from shoal.errors import InvalidParameter
from shoal.hierarchy.intervals import Interval
from shoal.hierarchy.outline import ValueType
from shoal.hierarchy.values import canonical_labels, numbers_of
from shoal.table.canonical import canonical
from shoal.table.columns import Kind

LeafKind = Literal["distinct", "range"]

_NUMBER = r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_DATE = r"(?:(?:\d{1,2}/)?\d{1,2}/)?\d{4}"
_RANGE_OF_NUMBERS = re.compile(f"({_NUMBER})[,-]({_NUMBER})")
_RANGE_OF_DATES = re.compile(f"({_DATE})[,-]({_DATE})")
_MISSING = {
    "distinct": frozenset(("NaN", "(null)")),
    "range": frozenset(("(null)", "NaN,NaN", "NaN-NaN", "null,null", "null-null")),
}
_EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class AmnesiaNodes:
    """What tokens mean: labels, None for a missing value; bounds of ranges; and tokens that mean nothing."""

    labels: dict[str, str | None] = field(default_factory=dict)
    intervals: dict[str, Interval] = field(default_factory=dict)
    senseless: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Notation:
    """Whether the lowest nodes are values or ranges, and of which type."""

    leaves: LeafKind = "distinct"
    value_type: ValueType = "string"

    def __post_init__(self) -> None:
        if self.leaves not in get_args(LeafKind):
            raise InvalidParameter("Amnesia hierarchy", "leaves", self.leaves, "'distinct' or 'range'")
        if self.value_type not in get_args(ValueType):
            raise InvalidParameter(
                "Amnesia hierarchy", "type", self.value_type, "string, int, decimal or date"
            )
        if (self.leaves, self.value_type) in (("distinct", "date"), ("range", "string")):
            raise InvalidParameter(
                "Amnesia hierarchy", "type", self.value_type, f"another one where leaves are {self.leaves}"
            )

    @property
    def of_numbers(self) -> bool:
        """Whether the values are numbers."""
        return self.value_type in ("int", "decimal")

    def read(self, tokens: Iterable[str]) -> AmnesiaNodes:
        """The meaning of each token."""
        nodes = AmnesiaNodes()
        present = []
        for token in tokens:
            if token in _MISSING[self.leaves]:
                nodes.labels[token] = None
            else:
                present.append(token)
        if self.leaves == "range":
            self._read_ranges(present, nodes)
        elif self.of_numbers:
            _read_numbers(present, nodes)
        else:
            nodes.labels.update((token, canonical(token)) for token in present)
            nodes.senseless.extend(token for token in present if not nodes.labels[token])
        return nodes

    def written(self, label: str, link: str) -> str | None:
        """The token of a label, with `link` between the ends of a range; None if it cannot be written."""
        if label in _MISSING[self.leaves]:
            return None
        if self.leaves == "distinct":
            return _java_double(label) if self.of_numbers else label
        pattern = _RANGE_OF_NUMBERS if self.of_numbers else _RANGE_OF_DATES
        ends = pattern.fullmatch(label)
        if ends is None:
            return None
        low, high = (self._end_written(end, link) for end in ends.groups())
        return f"{low}{link}{high}"

    def _end_written(self, end: str, link: str) -> str:
        if self.value_type == "date" or (self.value_type == "int" and link == "-"):
            return end
        return _java_double(end) or end

    def _read_ranges(self, tokens: Sequence[str], nodes: AmnesiaNodes) -> None:
        pattern = _RANGE_OF_NUMBERS if self.of_numbers else _RANGE_OF_DATES
        bounds = _number_bounds if self.of_numbers else _date_bounds
        for token in tokens:
            ends = pattern.fullmatch(token)
            interval = None if ends is None else bounds(*ends.groups())
            if ends is None or interval is None:
                nodes.senseless.append(token)
                continue
            low, high = canonical_labels(ends.groups(), Kind.NUMBER) if self.of_numbers else ends.groups()
            nodes.labels[token] = f"{low}-{high}"
            nodes.intervals[f"{low}-{high}"] = interval


def _read_numbers(tokens: Sequence[str], nodes: AmnesiaNodes) -> None:
    numbers = numbers_of(tokens, Kind.NUMBER)
    nodes.senseless.extend(tokens[index] for index in np.flatnonzero(np.isnan(numbers)).tolist())
    nodes.labels.update(zip(tokens, canonical_labels(tokens, Kind.NUMBER), strict=True))


def _java_double(label: str) -> str | None:
    """A number as Java prints it, but never with an exponent, which Amnesia's ranges cannot hold."""
    number = float(numbers_of([label], Kind.NUMBER)[0])
    return None if np.isnan(number) else np.format_float_positional(number, trim="0")


def _number_bounds(low: str, high: str) -> Interval | None:
    return _ordered(float(low), float(high), float(high))


def _date_bounds(low: str, high: str) -> Interval | None:
    first, last = _days(low), _days(high)
    return None if first is None or last is None else _ordered(first[0], last[0], last[1])


def _ordered(low: float, high: float, reach: float) -> Interval | None:
    if low > high:
        return None
    # A range of one number or day holds it.
    return Interval(low, float(np.nextafter(high, np.inf)) if low == high == reach else high, reach)


def _days(text: str) -> tuple[float, float] | None:
    """The first and the last day of a year, a month (MM/yyyy) or a day (dd/MM/yyyy)."""
    *day_and_month, year = (int(part) for part in text.split("/"))
    first_month, last_month = (day_and_month[-1:] or [1])[0], (day_and_month[-1:] or [12])[0]
    try:
        first = date(year, first_month, day_and_month[0] if len(day_and_month) == 2 else 1)
        last_day = first.day if len(day_and_month) == 2 else calendar.monthrange(year, last_month)[1]
        last = date(year, last_month, last_day)
    except ValueError:
        return None
    return float(first.toordinal() - _EPOCH), float(last.toordinal() - _EPOCH)
