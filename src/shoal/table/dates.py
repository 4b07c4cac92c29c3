"""Dates as people write them: `03.04.2021`, `3. März 2021`, `3 de marzo de 2021`, Excel's day numbers.

A format is written in the letters of `strptime`, of which these are known: %d %m %Y %y %B %b %H %M %S %p %A
%a. White space of a format stands for any, other marks for themselves, and single digits need no zero before
them.

Time of day
    One after the date is dropped, whether the format names it or not, and may be absent even then.
Month names
    %B and %b stand for full and abbreviated names in the languages of `month_names`, with or without a point,
    in any case, with accents or without. A name that means different months in different languages is only
    read if the other names of the column tell which language it is. Beside a month name the day may be an
    ordinal (`1st`, `1er`, `3º`, `1.`), a weekday may come before, and `de` may link the parts.
Two-digit years
    %y is the latest such year that is not after the current one: in 2026, 26 is 2026 and 27 is 1927.
Excel
    The format `excel` reads the numbers by which Excel counts days since 1900, such as 44197 or 44197.5.
    Excel believes in a 29 February 1900, its day 60, which is no date.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import numpy as np

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Floats
from shoal.table.month_names import folded, months_meant, weekday_names

EXCEL = "excel"
EPOCH = date(1970, 1, 1).toordinal()

_EXCEL_SERIAL = re.compile(r"(?P<day>[0-9]{1,7})(?:[.,][0-9]+)?")
_EXCEL_BELIEVED_DAY = 60
_EXCEL_DAY_ZERO = date(1899, 12, 30).toordinal()

_WORD = r"[^\W\d_]+"
_NAMED_MONTH = ("B", "b")
_DAY = r"(?P<d>3[01]|[12][0-9]|0[1-9]|[1-9]| [1-9])"
_ORDINAL = r"(?:st|nd|rd|th|er|re|ère|[.ºª°])?"
_LINK = r"(?:de\s+|del\s+|d['\u2019]\s*)?"
_YEAR = r"(?P<Y>[0-9]{4})"
_DIRECTIVES = {
    "d": _DAY,
    "m": r"(?P<m>1[0-2]|0[1-9]|[1-9])",
    "Y": _YEAR,
    "y": r"(?P<y>[0-9]{2})",
    "B": rf"(?P<name>{_WORD})\.?",
    "b": rf"(?P<name>{_WORD})\.?",
    "H": r"(?:2[0-3]|[01][0-9]|[0-9])",
    "M": r"(?:[0-5][0-9]|[0-9])",
    "S": r"(?:6[01]|[0-5][0-9]|[0-9])",
    "p": r"[ap]\.?m\.?",
    "A": rf"(?P<weekday>{_WORD}(?:-{_WORD})?)\.?",
    "a": rf"(?P<weekday>{_WORD}(?:-{_WORD})?)\.?",
    "%": "%",
}
_OF_TIME = frozenset("HMSp")
_TIME_OF_DAY = (
    r"(?:T|,?\s+)(?:2[0-3]|[01]?[0-9])[:.][0-5][0-9](?:[:.][0-5][0-9](?:[.,][0-9]+)?)?"
    r"(?:\s*[ap]\.?m\.?)?(?:\s*(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?))?"
)
_A_WEEKDAY = rf"(?:(?P<weekday>{_WORD}(?:-{_WORD})?)[.,]?\s+)?"
_DIRECTIVE_OR_MARK = re.compile(r"%(?P<letter>.?)|(?P<space>\s+)|(?P<mark>.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Written:
    """What stands in a text, before the name of its month is understood."""

    day: int
    year: int
    month: int | None
    name: str | None


def check_date_format(owner: str, name: str, date_format: object) -> None:
    """Refuse a format that has unknown letters, one of them twice, or no year."""
    if date_format is None or date_format == EXCEL:
        return
    known = " ".join(f"%{letter}" for letter in _DIRECTIVES if letter != "%")
    must_be = f"{EXCEL!r}, or a format with a year such as '%d.%m.%Y', of {known}, each at most once"
    if not isinstance(date_format, str):
        raise InvalidParameter(owner, name, date_format, must_be)
    letters = [letter for letter in _letters(date_format) if letter != "%"]
    same = [letter.lower() if letter in "AaBbYy" else letter for letter in letters]
    if set(letters) - _DIRECTIVES.keys() or len(set(same)) < len(same) or "y" not in same:
        raise InvalidParameter(owner, name, date_format, must_be)


def names_months(date_format: str | None) -> bool:
    """Whether months are written by their names."""
    return date_format is not None and not {*_NAMED_MONTH}.isdisjoint(_letters(date_format))


def read_days(texts: Sequence[str], date_format: str) -> Floats:
    """The day since 1970-01-01 that each text of one column writes; NaN where it is none."""
    if date_format == EXCEL:
        return np.array([_day_of_excel(text) for text in texts], dtype=np.float64)
    found = [_written(text, date_format) for text in texts]
    months = months_meant(each.name for each in found if each is not None and each.name is not None)
    return np.array([_day(each, months) for each in found], dtype=np.float64)


def _day_of_excel(text: str) -> float:
    match = _EXCEL_SERIAL.fullmatch(text)
    serial = int(match["day"]) if match else 0
    if serial in (0, _EXCEL_BELIEVED_DAY):
        return np.nan
    ordinal = _EXCEL_DAY_ZERO + serial + (1 if serial < _EXCEL_BELIEVED_DAY else 0)
    return ordinal - EPOCH if ordinal <= date.max.toordinal() else np.nan


def _written(text: str, date_format: str) -> _Written | None:
    match = _pattern(date_format).fullmatch(text)
    if match is None:
        return None
    parts = match.groupdict()
    if parts.get("weekday") and folded(parts["weekday"]) not in weekday_names():
        return None
    name = parts.get("name")
    return _Written(
        day=int(parts.get("d") or 1),
        year=int(parts["Y"]) if parts.get("Y") else _latest_year(int(parts["y"])),
        month=None if name else int(parts.get("m") or 1),
        name=folded(name) if name else None,
    )


def _latest_year(last_digits: int) -> int:
    current = date.today().year
    return current - (current - last_digits) % 100


def _day(written: _Written | None, months: Mapping[str, int]) -> float:
    if written is None:
        return np.nan
    month = months.get(written.name, 0) if written.name else written.month
    try:
        return date(written.year, month or 0, written.day).toordinal() - EPOCH
    except ValueError:  # a day that its month does not have, or a month that nobody knows
        return np.nan


def _letters(date_format: str) -> list[str]:
    return [
        match["letter"] for match in _DIRECTIVE_OR_MARK.finditer(date_format) if match["letter"] is not None
    ]


@cache
def _pattern(date_format: str) -> re.Pattern[str]:
    last_of_date = max(
        match.end()
        for match in _DIRECTIVE_OR_MARK.finditer(date_format)
        if match["letter"] and match["letter"] not in _OF_TIME
    )
    by_name = names_months(date_format)
    date_part = _translated(date_format[:last_of_date], by_name=by_name)
    its_time = _translated(date_format[last_of_date:], by_name=False)
    weekday = _A_WEEKDAY if by_name and not {"A", "a"} & set(_letters(date_format)) else ""
    return re.compile(f"{weekday}{date_part}(?:{its_time}|{_TIME_OF_DAY})?", re.IGNORECASE)


def _translated(part: str, *, by_name: bool) -> str:
    """A part of a format as a pattern; beside month names days are ordinals and parts may be linked."""
    pattern = ""
    for match in _DIRECTIVE_OR_MARK.finditer(part):
        letter = match["letter"]
        if letter is None:
            pattern += r"\s+" if match["space"] else re.escape(match["mark"])
            continue
        is_linked = by_name and letter in "BbYy" and pattern
        pattern += (_LINK if is_linked else "") + _DIRECTIVES[letter]
        pattern += _ORDINAL if by_name and letter == "d" else ""
    return pattern
