"""Reads cells as a profile says that they are to be read, without any of Shoal's code."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache

from babel import Locale
from babel.dates import get_month_names

from messy.days import EXCEL_BEGINS

_DIGITS = {"%d": r"(?P<d>\d{1,2})", "%m": r"(?P<m>\d{1,2})", "%Y": r"(?P<Y>\d{4})", "%y": r"(?P<y>\d{2})"}
_SKIPPED = {"%H": r"\d{1,2}", "%I": r"\d{1,2}", "%M": r"\d{2}", "%S": r"\d{2}", "%f": r"\d+", "%p": r"\w+",
            "%z": r"\S+", "%A": r"\w+", "%a": r"\w+\.?"}  # fmt: skip
_PIVOT = 69  # two-digit years from here on are of the 20th century, as strptime has it
_AROUND_NUMBERS = re.compile(r"[€$£%\s]|EUR|USD")


def number_read(text: str, decimal: str, thousands: str) -> float | None:
    """The number of a cell, None if it has none. Signs of currency and all blanks count for nothing."""
    plain = _AROUND_NUMBERS.sub("", text).replace("’", "'")
    if thousands.strip():
        plain = plain.replace(thousands.replace("’", "'"), "")
    if not re.fullmatch(rf"[+-]?\d+({re.escape(decimal)}\d+)?", plain):
        return None
    return float(plain.replace(decimal, "."))


def day_read(text: str, style: str | None, babel: Locale) -> date | None:
    """The day of a cell, None if it cannot be read in this style: letters of strptime, or "excel"."""
    if style is None:
        return _iso(text.strip())
    if style == "excel":
        return EXCEL_BEGINS + timedelta(int(text)) if text.strip().isdigit() else None
    found = re.fullmatch(_pattern(style, str(babel)), text.strip(), re.IGNORECASE)
    return found and _day(found.groupdict(), babel)


def _iso(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10] if not text[:8].isdigit() else text[:8])
    except ValueError:
        return None


def _day(parts: dict[str, str], babel: Locale) -> date | None:
    if "y" in parts:
        year = int(parts["y"]) + (1900 if int(parts["y"]) >= _PIVOT else 2000)
    else:
        year = int(parts["Y"])
    month = int(parts["m"]) if "m" in parts else month_numbers(str(babel))[_bare(parts["b"])]
    try:
        return date(year, month, int(parts["d"]))
    except ValueError:
        return None


@lru_cache(maxsize=256)
def _pattern(style: str, locale: str) -> str:
    names = "|".join(sorted(map(re.escape, month_numbers(locale)), key=len, reverse=True))
    letters = {**_DIGITS, **_SKIPPED, "%B": rf"(?P<b>{names})\.?", "%b": rf"(?P<b>{names})\.?"}
    parts = re.split(r"(%.)|(\s+)", style)
    return "".join(letters.get(part, r"\s*" if part.isspace() else re.escape(part)) for part in parts if part)


@lru_cache(maxsize=64)
def month_numbers(locale: str) -> dict[str, int]:
    """The number of a month by all its names, in a language and in English, without a closing point."""
    return {
        _bare(name): number
        for language in (Locale("en"), Locale.parse(locale))
        for width in ("wide", "abbreviated")
        for context in ("format", "stand-alone")
        for number, name in get_month_names(width, context, language).items()
    }


def _bare(name: str) -> str:
    return name.lower().rstrip(".")
