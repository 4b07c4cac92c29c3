"""How numbers are written: with point or comma, with separators of thousands, as money, as percent."""

import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from shoal.detect.observed import FITS
from shoal.kernels.arrays import Ints

_SPACE = r"[ \x{00A0}\x{202F}\x{2009}]"
_SPACES = " \u00a0\u202f\u2009"
_APOSTROPHE = r"['’]"
_MONEY = (
    r"(?:\p{Sc}|R\$|CHF|EUR|USD|GBP|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|HRK|TRY|TL|RUB|UAH|JPY|CNY|KRW|INR|BRL|"
    r"[Kk]r\.?|(?i:zł|kč|ft|lei|лв\.?|руб\.?|грн\.?|rs\.?|din\.?|円|元|원))"
)
_SIGN = r"[+\-−]?"
_NUMBER = rf"{_SIGN}[0-9]+(?:[.,][0-9]+)?"
_UNITS = (
    "kg|g|mg|µg|mcg|t|lbs?|oz|st|km|m|cm|mm|µm|mi|ft|in|l|dl|cl|ml|h|hrs?|hours?|min|mins|minutes?|sek|secs?|s|"
    "days?|tage?|jours?|d[ií]as?|giorn[io]|dagen|weeks?|wochen?|months?|monate?|mois|mes|meses|mes[ei]|"
    "years?|yrs?|yo|jahre?|ans?|a[ñn]os?|ann[io]|jaar|[åa]r|vuotta|lat|let|[ée]v|ani|"
    "bpm|mm ?hg|kcal|kj|°c|°f|°|mg/dl|mmol/l|g/l|g/dl|kg/m2|kg/m²|iu|ie|units?|points?|punkte?"
)
_MEASURED = {
    "numbers with a unit": rf"^{_NUMBER}{_SPACE}?(?i:{_UNITS})\.?$",
    "two numbers with a slash, as of blood pressure": r"^[1-9][0-9]{1,2} ?/ ?[1-9][0-9]{1,2} ?(?i:mm ?hg)?$",
}


@dataclass(frozen=True, slots=True)
class NumberMarks:
    """What separates decimals, and what separates thousands, if anything does."""

    decimal: str = "."
    thousands: str = ""

    @property
    def _grouped(self) -> str:
        mark = {"": "", " ": _SPACE, "'": _APOSTROPHE}.get(self.thousands, f"[{self.thousands}]")
        return rf"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{2,3}})*{mark}[0-9]{{3}}" if mark else ""

    @property
    def pattern(self) -> str:
        """What a number looks like; the first group is the number without sign and currency."""
        whole = rf"(?:{self._grouped}|[0-9]+)" if self.thousands else "[0-9]+"
        body = rf"({whole}(?:[{self.decimal}][0-9]+)?|[{self.decimal}][0-9]+)(?:[eE]{_SIGN}[0-9]+)?"
        return rf"^{_SIGN}{_SPACE}?(?:{_MONEY}{_SPACE}?)?{_SIGN}{body}{_SPACE}?(?:{_MONEY}|%)?$"

    def in_words(self) -> str:
        """Such as `decimal comma, points between thousands`."""
        decimal = {".": "decimal point", ",": "decimal comma"}[self.decimal]
        marks = {".": "points", ",": "commas", " ": "spaces", "'": "apostrophes"}
        return decimal if not self.thousands else f"{decimal}, {marks[self.thousands]} between thousands"


PLAIN, COMMA = NumberMarks(), NumberMarks(",")
STYLES = (
    PLAIN,
    COMMA,
    NumberMarks(".", ","),
    NumberMarks(",", "."),
    NumberMarks(",", " "),
    NumberMarks(".", " "),
    NumberMarks(".", "'"),
    NumberMarks(",", "'"),
)
# `1.234` and `1,234` can be read in two ways.
_EITHER = {".": r"^\D*[0-9]{1,3}\.[0-9]{3}\D*$", ",": r"^\D*[0-9]{1,3},[0-9]{3}\D*$"}


@dataclass(frozen=True, slots=True)
class NumberReading:
    """A way to read a column as numbers: the share of rows that it reads, and another that does, too."""

    style: NumberMarks
    share: float
    other: NumberMarks | None = None
    money: bool = False
    percent: bool = False
    whole: bool = False


def number_reading(texts: pa.StringArray, rows: Ints, hint: str | None = None) -> NumberReading | None:
    """The style that reads the most values, the plainest among equals; `hint` is the file's decimal mark."""
    if not len(texts) or not pc.any(pc.match_substring_regex(texts, "[0-9]")).as_py():
        return None
    shares = {style: _share(texts, rows, style.pattern) for style in STYLES}
    best = max(shares.values())
    if best == 0:
        return None
    fitting = [style for style, share in shares.items() if share >= best - 1e-9]
    style = fitting[0]
    other = _other_reading(texts, style, fitting)
    money = _any(texts, _MONEY)
    if other is not None and _rather(other, hint, texts):
        style, other = other, style
    return NumberReading(
        style=style,
        share=best,
        other=other,
        money=money,
        percent=_any(texts, "%$"),
        whole=not _any(texts, _decimals_of(style)),
    )


def written_in_two_ways(texts: pa.StringArray, rows: Ints) -> bool:
    """Whether all are numbers, some with a decimal point and some with a decimal comma."""
    marks = all(_any(texts, rf"^{_SIGN}[0-9]+[{mark}][0-9]+$") for mark in ".,")
    return marks and _share(texts, rows, rf"^{_NUMBER}$") >= FITS


def unit_of(texts: pa.StringArray, rows: Ints) -> str | None:
    """What is measured where a unit stands behind nearly all numbers, as in `72,5 kg` or `120/80`."""
    for what, behind in _MEASURED.items():
        if _share(texts, rows, behind) >= FITS:
            return what
    return None


def plain_reading(texts: pa.StringArray) -> NumberReading:
    """Numbers of a source that has types: their texts are ours and can be read in one way only."""
    return NumberReading(PLAIN, share=1.0, whole=not _any(texts, _decimals_of(PLAIN)))


def whole_digits(text: str, style: NumberMarks) -> str:
    """A whole number without what separates its thousands, and without decimals that are zero."""
    digits = re.sub(rf"[{_SPACES}]", "", text) if style.thousands == " " else text
    return re.sub(rf"[{style.decimal}]0+$", "", digits)


def has_leading_zeros(texts: pa.StringArray, rows: Ints) -> bool:
    """Whether values are digits of which many begin with 0, as codes do and numbers do not."""
    return _share(texts, rows, r"^0[0-9]+$") > 0.02 and _share(texts, rows, r"^[0-9]+$") > 0.9


def _other_reading(
    texts: pa.StringArray, style: NumberMarks, fitting: list[NumberMarks]
) -> NumberMarks | None:
    """The style with the other decimal mark, if each value with a mark could be read both ways."""
    for mark in (".", ","):
        marked = texts.filter(pc.match_substring(texts, mark))
        if len(marked) and pc.all(pc.match_substring_regex(marked, _EITHER[mark])).as_py():
            return next((each for each in fitting if each.decimal != style.decimal), None)
    return None


def _rather(other: NumberMarks, hint: str | None, texts: pa.StringArray) -> bool:
    """Whether numbers that can be read in two ways are rather read in the other one.

    Without a hint from the file, `12.345` is a number of thousands, because few decimals have three digits.
    """
    if other.thousands and _any(texts, _MONEY):
        return True  # money has two decimals or none
    if hint is not None:
        return other.decimal == hint
    large = pc.mean(pc.match_substring_regex(texts, r"^\D*[1-9][0-9]{1,2}[.,]").cast(pa.float64())).as_py()
    return bool(other.thousands) and large > 0.5


def _decimals_of(style: NumberMarks) -> str:
    """Decimals that are not all zero; what separates thousands separates none."""
    return rf"[{style.decimal}][0-9]*[1-9][0-9]*\D*$"


def _any(texts: pa.StringArray, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(texts, pattern), min_count=0).as_py())


def _share(texts: pa.StringArray, rows: Ints, pattern: str) -> float:
    fits = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return float(rows[fits].sum() / max(rows.sum(), 1))
