"""Columns of days, as people in many countries write them."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from babel.dates import format_date

from messy.source import Recipe, Source
from messy.truth import Drawn

EXCEL_BEGINS = date(1899, 12, 30)
_PATTERN_LETTERS = {
    "d": "%d", "dd": "%d", "M": "%m", "MM": "%m", "MMM": "%b", "MMMM": "%B", "y": "%Y", "yyyy": "%Y",
}  # fmt: skip
_DAY_AND_MONTH = {
    "US": "%m/%d/%Y", "GB": "%d/%m/%Y", "FR": "%d/%m/%Y", "ES": "%d/%m/%Y", "IT": "%d/%m/%Y",
    "BR": "%d/%m/%Y", "PT": "%d/%m/%Y", "GR": "%d/%m/%Y", "MX": "%d/%m/%Y", "NL": "%d-%m-%Y",
    "DK": "%d-%m-%Y", "SE": "%Y-%m-%d", "CA": "%Y-%m-%d", "HU": "%Y.%m.%d.", "JP": "%Y/%m/%d",
    "CN": "%Y/%m/%d", "KR": "%Y.%m.%d", "LT": "%Y-%m-%d",
}  # fmt: skip
_DOTTED = "%d.%m.%Y"
_TIMES = (" %H:%M", " %H:%M:%S")


def local_format(source: Source) -> str:
    return _DAY_AND_MONTH.get(source.country, _DOTTED)


def _births(source: Source, count: int) -> Drawn:
    days = _days(source, count, date(1935, 1, 1), date(2008, 12, 31))
    style = source.rng.choice((local_format(source), local_format(source), "%Y-%m-%d", "%Y%m%d"))
    return _written(days, style)


def _visits(source: Source, count: int) -> Drawn:
    local = local_format(source)
    two_digits = local.replace("%Y", "%y") if local.endswith("%Y") else "%d-%m-%y"
    style = source.rng.choice((local, local, "%Y-%m-%d", two_digits, "%d-%b-%Y", "without zeros"))
    days = _recent(source, count)
    if style != "without zeros":
        return _written(days, style)
    drawn = _written(days, local)
    return Drawn([re.sub(r"\b0", "", text) for text in drawn.texts], days, kind="date", date=drawn.date)


def _moments(source: Source, count: int) -> Drawn:
    style = source.rng.choice(("%Y-%m-%dT%H:%M:%S", *(local_format(source) + time for time in _TIMES)))
    days = _recent(source, count)
    moments = [
        datetime(day.year, day.month, day.day, source.rng.randint(6, 22), source.rng.randint(0, 59))
        for day in days
    ]
    return Drawn([moment.strftime(style) for moment in moments], days, kind="date", date=style)


def _in_words(source: Source, count: int) -> Drawn:
    length = source.rng.choice(("long", "long", "medium"))
    days = _recent(source, count)
    texts = [format_date(day, length, locale=source.babel) for day in days]
    return Drawn(texts, days, kind="date", date=_strptime_letters(source.babel.date_formats[length].pattern))


def _excel(source: Source, count: int) -> Drawn:
    """Numbers, and so they may be read, unless the name of the column says that it has dates."""
    days = _recent(source, count)
    return Drawn([str((day - EXCEL_BEGINS).days) for day in days], days, kind="any", date="excel")


def _ambiguous(source: Source, count: int) -> Drawn:
    days = [day.replace(day=source.rng.randint(1, 12)) for day in _recent(source, count)]
    style = source.rng.choice(("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y"))
    return Drawn([day.strftime(style) for day in days], days, kind="date", date=style, ambiguous=True)


def _recent(source: Source, count: int) -> list[date]:
    return _days(source, count, date(2000, 1, 1), date(2024, 12, 31))


def _days(source: Source, count: int, first: date, last: date) -> list[date]:
    return [first + timedelta(source.rng.randint(0, (last - first).days)) for _ in range(count)]


def _written(days: list[date], style: str) -> Drawn:
    return Drawn([day.strftime(style) for day in days], days, kind="date", date=style)


def _strptime_letters(pattern: str) -> str:
    """The pattern of Unicode as strptime has it: "d. MMMM y" is "%d. %B %Y"."""
    parts = re.findall(r"'([^']*)'|([A-Za-z])(\2*)|([^A-Za-z']+)", pattern)
    return "".join(
        quoted or other or _PATTERN_LETTERS.get(letter + more, "") for quoted, letter, more, other in parts
    )


BIRTH = Recipe("birth date", "harmless", _births)
VISIT = Recipe("date", "harmless", _visits, per_person=False)
OTHER_DATES = (
    Recipe("date and time", "harmless", _moments, per_person=False),
    Recipe("written date", "harmless", _in_words, per_person=False),
    Recipe("Excel date", "harmless", _excel, per_person=False),
    Recipe("ambiguous date", "harmless", _ambiguous, per_person=False),
)
