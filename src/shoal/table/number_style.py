"""Numbers as people write them: `1.234,50 €`, `CHF 1'234.50`, `48,2 %`.

Marks between thousands stand before groups of three digits, or as in India of two and at last three; where
they stand otherwise the text is no number. A sign, a currency before or after the digits and a percent sign
after them are allowed: `48,2 %` is the number 48.2.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Floats

DECIMAL_MARKS = (".", ",")
THOUSANDS_MARKS = ("", ".", ",", " ", "'")

_PERCENT = "%"
_WRITTEN_ALIKE = {" ": "[ \u00a0\u202f\u2009]", "'": "['\u2019]"}
# fmt: off
_CURRENCIES = frozenset((
    "kr", "Kr", "zł", "Kč", "Ft", "lei", "leu", "Fr", "SFr", "R$", "US$", "лв", "руб", "грн", "ден", "дин",
    "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "INR",
    "ISK", "JPY", "KRW", "MXN", "NOK", "NZD", "PLN", "RON", "RSD", "RUB", "SEK", "SGD", "TRY", "TL", "UAH",
    "USD", "ZAR",
))
# fmt: on
_SAME_CURRENCY = {
    "€": "EUR",
    "£": "GBP",
    "₽": "RUB",
    "руб": "RUB",
    "₺": "TRY",
    "TL": "TRY",
    "zł": "PLN",
    "Kč": "CZK",
    "Ft": "HUF",
    "Fr": "CHF",
    "SFr": "CHF",
    "US$": "USD",
    "Kr": "kr",
    "leu": "lei",
}


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """The mark before decimals and the one between thousands, if any."""

    decimal: str = "."
    thousands: str = ""


@dataclass(frozen=True, slots=True)
class StyledNumbers:
    """What texts say: the number of each, NaN where it is none, and the units found beside them."""

    values: Floats
    units: tuple[str, ...]


def check_style(owner: str, decimal: object, thousands: object) -> None:
    """Refuse marks that are none, or that cannot be told apart; None stands for a mark that is not given."""
    if decimal is not None and decimal not in DECIMAL_MARKS:
        raise InvalidParameter(owner, "decimal", decimal, "'.' or ','")
    if thousands is not None and thousands not in THOUSANDS_MARKS:
        raise InvalidParameter(owner, "thousands", thousands, "'', '.', ',', ' ' or \"'\"")
    if decimal is not None and decimal == thousands:
        raise InvalidParameter(owner, "thousands", thousands, "another mark than decimal")


def read_numbers(texts: Iterable[str], style: NumberStyle) -> StyledNumbers:
    """The numbers that canonical texts write in this style."""
    found = [_number_and_unit(text, style) for text in texts]
    units = sorted({unit for _, unit in found if unit})
    return StyledNumbers(np.array([number for number, _ in found], dtype=np.float64), tuple(units))


def _number_and_unit(text: str, style: NumberStyle) -> tuple[float, str]:
    match = _pattern(style).fullmatch(text.replace("\u2212", "-"))
    if match is None:
        return np.nan, ""
    before, after = (match[side].strip().removesuffix(".") for side in ("before", "after"))
    signs = match["sign"] + match["inner_sign"]
    if (before and after) or len(signs) > 1 or not _is_unit(before, after):
        return np.nan, ""
    unit = before or after
    whole = re.sub("[^0-9]", "", match["whole"])
    decimals = (match["decimals"] or "").replace(style.decimal, ".")
    number = float(f"{signs}{whole}{decimals}{match['exponent'] or ''}")
    return number, _SAME_CURRENCY.get(unit, unit)


def _is_unit(before: str, after: str) -> bool:
    unit = before or after
    is_symbol = len(unit) == 1 and unicodedata.category(unit) == "Sc"
    return not unit or is_symbol or unit in _CURRENCIES or after == _PERCENT


@cache
def _pattern(style: NumberStyle) -> re.Pattern[str]:
    point = re.escape(style.decimal)
    whole = "[0-9]+"
    if style.thousands:
        mark = _WRITTEN_ALIKE.get(style.thousands, re.escape(style.thousands))
        of_three = f"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+"
        of_two = f"[1-9][0-9]?(?:{mark}[0-9]{{2}})+{mark}[0-9]{{3}}"
        whole = f"(?:{of_three}|{of_two}|[0-9]+)"
    unit = r"[^0-9+\-\s'\u2019.,]+\.?"
    digits = f"(?P<whole>{whole}|(?={point}[0-9]))(?P<decimals>{point}[0-9]*)?"
    return re.compile(
        rf"(?P<sign>[+-]?)\s*(?P<before>(?:{unit}\s*)?)(?P<inner_sign>[+-]?)\s*"
        rf"{digits}(?P<exponent>[eE][+-]?[0-9]+)?(?P<after>(?:\s*{unit})?)"
    )
