"""How dates are written, decided by values that only one reading fits."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.detect.observed import FITS, Observed

_TIME = (
    r"(?:[T ,]+\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?(?:Z| ?[+-]\d{2}:?\d{2})?)?"
)
_TIME_AT_END = re.compile(r"([T ,]+)\d{1,2}([:.])\d{2}(\2\d{2})?( ?)([AaPp][Mm])?$")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}" + _TIME)
_TRIPLE = re.compile(r"(\d{1,4})([./\-] ?| )(\d{1,2})\2(\d{1,4})(\.?|[ \u00a0\u202f]?г\.?)" + _TIME)
_DIGITS = re.compile(r"(\d{4})(\d{2})(\d{2})")
_EASTERN = re.compile(r"(\d{4})(年|년 ?)(\d{1,2})(月|월 ?)(\d{1,2})(日|일)" + _TIME)
_NAMED = (
    (
        re.compile(
            r"(\d{1,2})(\.?)([ \-/]?)([^\W\d_]{3,}\.?)([ \-/.,]{0,2})(\d{4}|\d{2})"
            r"(\.|[ \u00a0\u202f]?[гр]\.?)?" + _TIME
        ),
        "day",
    ),
    (re.compile(r"(\d{4})(\. gada )(\d{1,2})(\. )([^\W\d_]{3,}\.?)()" + _TIME), "gada"),
    (re.compile(r"(\d{4})( m\. )([^\W\d_]{3,}\.?)( )(\d{1,2})( d\.)?" + _TIME), "year"),
    (re.compile(r"([^\W\d_]{3,}\.?) (\d{1,2}),? (\d{4})" + _TIME), "month"),
    (re.compile(r"(\d{4})(\.?[ \-/])([^\W\d_]{3,}\.?)([ \-/])(\d{1,2})(\.?)" + _TIME), "year"),
    (re.compile(r"(\d{1,2})\.? de ([^\W\d_]{3,}\.?) (?:de |del )?(\d{4})" + _TIME), "de"),
)
_TRIED = 50
_EARLIEST, _LATEST = 1800, 2100
_SERIALS = (10_000, 60_000)  # days from 1927 to 2064, as Excel counts
_WITHOUT_ZEROS = ("-", "Y", "2", "")  # the shape of 2026-1-5
DAY_FIRST, MONTH_FIRST, YEAR_FIRST = "day first", "month first", "year first"


@dataclass(frozen=True, slots=True)
class DateReading:
    """A way to read a column as dates: its format (None is ISO), the share it reads, what else would fit."""

    format: str | None
    share: float
    order: str | None = None
    other: str | None = None
    decided_by: str | None = None

    def in_words(self) -> str:
        """Such as `%d.%m.%Y (day first, as only "31.12.1999" shows)`."""
        written = self.format or "ISO days (2026-11-16)"
        return f"{written}, {self.order}" if self.order else written


def dates_of(column: Observed, hint: str | None = None) -> DateReading | None:
    """How a column writes dates; None for one that has none among some of its values."""
    if not any(_shape(text)[0] is not None for text in column.some()[:_TRIED]):
        return None
    return date_reading(column.texts.to_pylist(), column.rows.tolist(), hint)


def reads_as_date(column: Observed) -> bool:
    """Whether nearly all values of a column are dates."""
    reading = dates_of(column)
    return reading is not None and reading.share >= FITS


def date_reading(texts: Sequence[str], rows: Sequence[int], hint: str | None = None) -> DateReading | None:
    """How most values are dates; `hint` is the order in which other columns of the file have their parts."""
    total = sum(rows)
    if not total:
        return None
    shapes = Counter[Any]()
    parts: dict[Any, list[tuple[int, int, int, str]]] = {}
    for text, count in zip(texts, rows, strict=True):
        shape, values = _shape(text)
        if shape is not None:
            shapes[shape] += count
            parts.setdefault(shape, []).append((*values, text))
    if not shapes:
        return None
    if _WITHOUT_ZEROS in shapes and "iso" in shapes:
        return DateReading("%Y-%m-%d", (shapes["iso"] + shapes[_WITHOUT_ZEROS]) / total)
    shape, count = shapes.most_common(1)[0]
    if shape == "iso":
        return DateReading(None, count / total)
    if isinstance(shape, str):
        return DateReading(shape, count / total)
    return _numeric_reading(shape, parts[shape], total, dict(zip(texts, rows, strict=True)), hint)


def are_serials(texts: Iterable[str]) -> bool:
    """Whether values could be days as Excel counts them."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return False
    return bool(numbers) and all(_SERIALS[0] <= number <= _SERIALS[1] for number in numbers)


def _time_format(texts: Sequence[str]) -> str:
    """The time of day behind the dates, if all of them have one."""
    forms = {_time_form(text) for text in texts}
    return forms.pop() if len(forms) == 1 else ""


def _time_form(text: str) -> str:
    found = _TIME_AT_END.search(text)
    if found is None:
        return ""
    gap, mark, seconds, half_gap, half = found.groups()
    hour = "%I" if half else "%H"
    return f"{gap}{hour}{mark}%M{f'{mark}%S' if seconds else ''}{f'{half_gap}%p' if half else ''}"


def _shape(text: str) -> tuple[Any, tuple[int, int, int]]:
    none = (0, 0, 0)
    if _ISO.fullmatch(text):
        return "iso", none
    if found := _TRIPLE.fullmatch(text):
        first, mark, second, third = int(found[1]), found[2], int(found[3]), int(found[4])
        lengths = ("Y" if len(found[1]) == 4 else "2", "Y" if len(found[4]) == 4 else "2")
        if len(found[1]) in (1, 2, 4) and len(found[4]) in (1, 2, 4) and lengths != ("Y", "Y"):
            return (mark, *lengths, found[5]), (first, second, third)
        return None, none
    if found := _DIGITS.fullmatch(text):
        year, month, day = map(int, found.groups())
        plausible = _EARLIEST <= year <= _LATEST and 1 <= month <= 12 and 1 <= day <= 31
        return ("%Y%m%d", none) if plausible else (None, none)
    if found := _EASTERN.fullmatch(text):
        return f"%Y{found[2]}%m{found[4]}%d{found[6]}", none
    return _named_shape(text), none


def _named_shape(text: str) -> str | None:
    for pattern, order in _NAMED:
        if found := pattern.fullmatch(text):
            if order == "day":
                year = "%Y" if len(found[6]) == 4 else "%y"
                return f"%d{found[2]}{found[3]}%b{found[5]}{year}{found[7] or ''}"
            if order == "gada":
                return f"%Y{found[2]}%d{found[4]}%b"
            if order == "year":
                return f"%Y{found[2]}%b{found[4]}%d{found[6] or ''}"
            comma = "," if "," in text else ""
            return f"%b %d{comma} %Y" if order == "month" else "%d de %b de %Y"
    return None


def _numeric_reading(
    shape: tuple[str, str, str, str],
    parts: list[tuple[int, int, int, str]],
    total: int,
    rows_of: dict[str, int],
    hint: str | None,
) -> DateReading | None:
    mark, first_length, last_length, end = shape
    numbers = np.array([part[:3] for part in parts])
    weights = np.array([rows_of[part[3]] for part in parts])
    year = "%Y" if "Y" in (first_length, last_length) else "%y"
    if first_length == "Y":
        orders = {YEAR_FIRST: (numbers[:, 1], numbers[:, 2], f"%Y{mark}%m{mark}%d")}
    else:
        orders = {
            DAY_FIRST: (numbers[:, 1], numbers[:, 0], f"%d{mark}%m{mark}{year}"),
            MONTH_FIRST: (numbers[:, 0], numbers[:, 1], f"%m{mark}%d{mark}{year}"),
        }
        if last_length != "Y":
            orders[YEAR_FIRST] = (numbers[:, 1], numbers[:, 2], f"%y{mark}%m{mark}%d")
    fits = {
        order: (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
        for order, (month, day, _) in orders.items()
    }
    shares = {order: float(weights[fit].sum() / total) for order, fit in fits.items()}
    best = max(shares.values())
    if best == 0:
        return None
    fitting = [order for order, share in shares.items() if share >= best - 1e-9]
    chosen = hint if hint in fitting else fitting[0]
    others = [order for order in fitting if order != chosen]
    decisive = [
        part[3]
        for part, *other in zip(parts, *(fits[each] for each in fits if each != chosen), strict=True)
        if not all(other)
    ]
    return DateReading(
        format=orders[chosen][2] + end + _time_format([part[3] for part in parts]),
        share=best,
        order=chosen,
        other=others[0] if others else None,
        decided_by=decisive[0] if decisive and not others else None,
    )
