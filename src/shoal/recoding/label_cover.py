"""What a published label covers, as far as the label itself or a hierarchy that may be published says it.

Nothing here looks at the values of the original but to make sure that a label is not misread.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property

from shoal.table.columns import Kind

Bound = int | float | str  # numbers as they are, days in ISO form, texts by code point


class CoverForm(StrEnum):
    """How a label says what it covers."""

    VALUE = "value"  # one value: itself
    RANGE = "range"  # numbers or days between two bounds
    BEGINNING = "beginning"  # texts that begin so
    ENDING = "ending"  # texts that end so
    BETWEEN = "between"  # texts from one to another by code point
    VALUES = "values"  # the values that are listed
    EVERYTHING = "everything"  # any value, also a missing one
    NAME = "name"  # several values that the release does not tell


@dataclass(frozen=True)
class Cover:
    """What one label covers.

    `lower` is inside; `upper` is if `includes_upper`; None is no bound. Of `whole` ranges only integers
    count. `text` is the beginning or the ending, of texts of `length` characters where that is given.
    """

    form: CoverForm
    lower: Bound | None = None
    upper: Bound | None = None
    includes_upper: bool = True
    whole: bool = False
    text: str = ""
    length: int | None = None
    values: tuple[str, ...] = ()

    @cached_property
    def count(self) -> int | None:
        """How many values the label could stand for; None where nobody can say."""
        match self.form:
            case CoverForm.VALUE:
                return 1
            case CoverForm.VALUES:
                return len(self.values)
            case CoverForm.RANGE if isinstance(self.lower, str) and isinstance(self.upper, str):
                return (date.fromisoformat(self.upper) - date.fromisoformat(self.lower)).days + 1
            case CoverForm.RANGE if (
                self.whole and isinstance(self.lower, int) and isinstance(self.upper, int)
            ):
                return self.upper - self.lower + 1
            case _:
                return None

    @cached_property
    def _values(self) -> frozenset[str]:
        return frozenset(self.values)

    def holds(self, value: str, number: Bound | None) -> bool:
        """Whether a value is covered, given as a text and, if it is one, as a number or ISO day."""
        match self.form:
            case CoverForm.VALUE | CoverForm.RANGE if self.lower is not None or self.upper is not None:
                return number is not None and self._spans(number)
            case CoverForm.BEGINNING | CoverForm.ENDING:
                at_end = value.startswith if self.form is CoverForm.BEGINNING else value.endswith
                return at_end(self.text) and self.length in (None, len(value))
            case CoverForm.BETWEEN:
                return str(self.lower) <= value <= str(self.upper)
            case CoverForm.VALUES:
                return value in self._values
            case CoverForm.VALUE:
                return value == self.text
            case _:
                return True

    def _spans(self, number: Bound) -> bool:
        above = self.lower is None or not _below(number, self.lower)
        below = self.upper is None or _below(number, self.upper)
        return above and (below or (self.includes_upper and number == self.upper))


def _below(one: Bound, other: Bound) -> bool:
    """Both are numbers, or both texts: a column has one kind."""
    return str(one) < str(other) if isinstance(one, str) else one < other  # type: ignore[operator]


EVERYTHING = Cover(CoverForm.EVERYTHING)
NAME = Cover(CoverForm.NAME)

_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_DAY = r"\d{4}-\d\d-\d\d"
_INTEGER = re.compile(r"[+-]?\d+")
_ONE_NUMBER = re.compile(_NUMBER)
# Where a set is separated by a blank or a hyphen, `_` or `-` takes its place in labels.
_BRACKETS = re.compile(rf"\[({_NUMBER}),[ _-]({_NUMBER})([\])])")
_DAYS_IN_BRACKETS = re.compile(rf"\[({_DAY}),[ _-]({_DAY})\]")
_FROM_TO = re.compile(rf"({_NUMBER})[-_]({_NUMBER})")
_BELOW = re.compile(rf"<({_NUMBER})")
_FROM_ON = re.compile(rf"({_NUMBER})\+")
_AMNESIA_DAYS = re.compile(r"((?:(?:\d\d?/)?\d\d?/)?\d{4})-((?:(?:\d\d?/)?\d\d?/)?\d{4})")
_MARKS = "~"
UNION_LINKS = "|+&;¦‖"


def value_cover(label: str, kind: Kind) -> Cover:
    """A label that is a value of the column."""
    number = number_of(label, kind)
    return Cover(CoverForm.VALUE, number, number, text=label)


def number_of(text: str, kind: Kind) -> Bound | None:
    """The number or ISO day that a text writes, None where it is none."""
    if kind is Kind.NUMBER and _ONE_NUMBER.fullmatch(text):
        return _number(text)
    return text if kind is Kind.DATE and _day(text) is not None else None


def range_cover(label: str, kind: Kind, *, whole: bool = False) -> Cover | None:
    """The numbers or days between the bounds that a label names; None if it names none."""
    plain = label.rstrip(_MARKS)
    return _range_of_days(plain) if kind is Kind.DATE else _range_of_numbers(plain, whole=whole)


def _range_of_numbers(label: str, *, whole: bool) -> Cover | None:
    if ends := _BRACKETS.fullmatch(label):
        return _ordered(_number(ends[1]), _number(ends[2]), includes_upper=ends[3] == "]")
    if ends := _FROM_TO.fullmatch(label):
        return _ordered(_number(ends[1]), _number(ends[2]), whole=whole)
    if end := _BELOW.fullmatch(label):
        return Cover(CoverForm.RANGE, None, _number(end[1]), includes_upper=False)
    if end := _FROM_ON.fullmatch(label):
        return Cover(CoverForm.RANGE, _number(end[1]))
    if end := _ONE_NUMBER.fullmatch(label):
        return Cover(CoverForm.RANGE, _number(label), _number(label), whole=whole)
    return None


def _ordered(lower: Bound, upper: Bound, *, includes_upper: bool = True, whole: bool = False) -> Cover | None:
    if _below(upper, lower):
        return None
    return Cover(CoverForm.RANGE, lower, upper, includes_upper=includes_upper, whole=whole)


def _number(text: str) -> int | float:
    return int(text) if _INTEGER.fullmatch(text) else float(text)


_PERIODS: Sequence[tuple[re.Pattern[str], Callable[..., tuple[int, int, int, int]]]] = (
    (re.compile(r"(\d{4})-(\d\d)"), lambda year, month: (year, month, year, month)),
    (re.compile(r"(\d{4})-Q([1-4])"), lambda year, quarter: (year, 3 * quarter - 2, year, 3 * quarter)),
    (re.compile(r"(\d{4})"), lambda year: (year, 1, year, 12)),
    (re.compile(r"(\d{3})0s"), lambda decade: (10 * decade, 1, 10 * decade + 9, 12)),
)


def _range_of_days(label: str) -> Cover | None:
    if (ends := _DAYS_IN_BRACKETS.fullmatch(label)) and _day(ends[1]) and _day(ends[2]):
        return _ordered(ends[1], ends[2])
    if _day(label):
        return Cover(CoverForm.RANGE, label, label)
    for pattern, months in _PERIODS:
        if found := pattern.fullmatch(label):
            return _months(*months(*map(int, found.groups())))
    if ends := _AMNESIA_DAYS.fullmatch(label):
        first, last = _first_and_last(ends[1]), _first_and_last(ends[2])
        return _ordered(first[0], last[1]) if first and last else None
    return None


def _first_and_last(text: str) -> tuple[str, str] | None:
    """The first and the last day of a year, a month (MM/yyyy) or a day (dd/MM/yyyy)."""
    *before, year = map(int, text.split("/"))
    if len(before) == 2:
        day = f"{year:04d}-{before[1]:02d}-{before[0]:02d}"
        return (day, day) if _day(day) else None
    cover = _months(year, (before or [1])[0], year, (before or [12])[0])
    return (str(cover.lower), str(cover.upper)) if cover else None


def _months(first_year: int, first_month: int, last_year: int, last_month: int) -> Cover | None:
    try:
        last_day = calendar.monthrange(last_year, last_month)[1]
        ends = date(first_year, first_month, 1), date(last_year, last_month, last_day)
    except ValueError:  # a month or a year that no calendar has
        return None
    return Cover(CoverForm.RANGE, ends[0].isoformat(), ends[1].isoformat())


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if re.fullmatch(_DAY, text) else None
    except ValueError:
        return None


def masked_right_cover(label: str) -> Cover | None:
    """`12**`: four characters, of which the first two are told."""
    plain = label.rstrip(_MARKS)
    shown = plain.rstrip("*")
    return Cover(CoverForm.BEGINNING, text=shown, length=len(plain)) if shown != plain else None


def masked_left_cover(label: str) -> Cover | None:
    """`**34`: four characters, of which the last two are told."""
    plain = label.rstrip(_MARKS)
    shown = plain.lstrip("*")
    return Cover(CoverForm.ENDING, text=shown, length=len(plain)) if shown != plain else None


def beginning_cover(label: str) -> Cover | None:
    """`12*`: whatever begins so."""
    plain = label.rstrip(_MARKS)
    return Cover(CoverForm.BEGINNING, text=plain.removesuffix("*")) if plain.endswith("*") else None


def between_cover(label: str) -> Cover | None:
    """`apple..cherry`: the texts from one to the other."""
    first, link, last = label.rstrip(_MARKS).partition("..")
    return Cover(CoverForm.BETWEEN, first, last) if link and ".." not in last and first <= last else None


def union_label(items: Sequence[str], link: str) -> str:
    """`(A|B)`: the items of a union, in order, between links of which none is in an item."""
    return f"({link.join(sorted(items))})"


def union_covers(label: str) -> list[Cover]:
    """What a label such as `(A|B)` can be read as: the items between links of one kind.

    Where bars separate items, what would be a bar inside of one is written as `_`.
    """
    union = label.rstrip("'")
    inner = union[1:-1] if union.startswith("(") and union.endswith(")") else ""
    return [
        Cover(CoverForm.VALUES, values=tuple(inner.split(link)))
        for link in (*UNION_LINKS, "_")
        if link in inner
    ]


def levels_of(covers: Sequence[Cover], *, nested: bool) -> list[int]:
    """How far each label is above single values, by what else is covered inside it; 0 is a value.

    Where labels are not nested, as ranges without a hierarchy, everything above a value is on one level.
    """
    levels = [0 if cover.form is CoverForm.VALUE else 1 for cover in covers]
    if nested:
        for form in (CoverForm.RANGE, CoverForm.BEGINNING, CoverForm.ENDING, CoverForm.BETWEEN):
            of_form = [place for place, cover in enumerate(covers) if cover.form is form]
            _raise_above_nested(of_form, covers, levels)
    is_all = [cover.form is CoverForm.EVERYTHING for cover in covers]
    top = 1 + max((level for level, every in zip(levels, is_all, strict=True) if not every), default=0)
    return [top if every else level for level, every in zip(levels, is_all, strict=True)]


def _raise_above_nested(places: Sequence[int], covers: Sequence[Cover], levels: list[int]) -> None:
    """Go through nested covers from outside to inside; each leaves its level with the one around it."""
    open_places: list[int] = []

    def close() -> None:
        closed = open_places.pop()
        if open_places:
            levels[open_places[-1]] = max(levels[open_places[-1]], levels[closed] + 1)

    for place in sorted(places, key=lambda place: _outer_first(covers[place])):
        while open_places and not is_within(covers[place], covers[open_places[-1]]):
            close()
        open_places.append(place)
    while open_places:
        close()


class _Reversed(str):
    """A text that is sorted the other way round."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


def _outer_first(cover: Cover) -> tuple[object, ...]:
    match cover.form:
        case CoverForm.BEGINNING:
            return (cover.length or 0, cover.text)
        case CoverForm.ENDING:
            return (cover.length or 0, cover.text[::-1])
        case _ if isinstance(cover.lower, str) or isinstance(cover.upper, str):
            return (str(cover.lower), _Reversed(cover.upper))
        case _:
            lower = float("-inf") if cover.lower is None else cover.lower
            upper = float("inf") if cover.upper is None else cover.upper
            return (lower, -upper, not cover.includes_upper)


def is_within(inner: Cover, outer: Cover) -> bool:
    """Whether whatever one label covers is covered by another, as far as they say."""
    if outer.form is CoverForm.EVERYTHING or inner == outer:
        return True
    if inner.form is CoverForm.VALUE:
        return outer.form is not CoverForm.NAME and outer.holds(inner.text, inner.lower)
    return inner.form is outer.form and _WITHIN[inner.form](inner, outer)


def _range_within(inner: Cover, outer: Cover) -> bool:
    if outer.lower is not None and (inner.lower is None or _below(inner.lower, outer.lower)):
        return False
    if outer.upper is None:
        return True
    if inner.upper is None or _below(outer.upper, inner.upper):
        return False
    return inner.upper != outer.upper or outer.includes_upper or not inner.includes_upper


_WITHIN: Mapping[CoverForm, Callable[[Cover, Cover], bool]] = {
    CoverForm.RANGE: _range_within,
    CoverForm.BEGINNING: lambda inner, outer: (
        inner.text.startswith(outer.text) and outer.length in (None, inner.length)
    ),
    CoverForm.ENDING: lambda inner, outer: (
        inner.text.endswith(outer.text) and outer.length in (None, inner.length)
    ),
    CoverForm.BETWEEN: lambda inner, outer: (
        str(outer.lower) <= str(inner.lower) and str(inner.upper) <= str(outer.upper)
    ),
    CoverForm.VALUES: lambda inner, outer: set(inner.values) <= set(outer.values),
    CoverForm.NAME: lambda _inner, _outer: False,
}
