"""What a column holds, and whether it names people: one look for the profile, for checks and for the page."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from shoal.detect import categories
from shoal.detect.codes import code_system, digit_system, named_system
from shoal.detect.dates import DateReading, are_serials, dates_of
from shoal.detect.headers import Says, says, spelled
from shoal.detect.numbers import (
    NumberReading,
    has_leading_zeros,
    number_reading,
    plain_reading,
    unit_of,
    whole_digits,
    written_in_two_ways,
)
from shoal.detect.observed import FITS, Observed
from shoal.detect.postal import are_postal_codes, postal_codes
from shoal.detect.sets import set_separator
from shoal.detect.suspicion import (
    Suspicion,
    numbered_people,
    recognized,
    suspicious_codes,
    suspicious_words,
)

_MISFITS_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a column holds: the kind a policy would give it, how it is written, and what is suspected."""

    kind: str
    looks_like: str
    numbers: NumberReading | None = None
    dates: DateReading | None = None
    separator: str | None = None
    order: tuple[str, ...] | None = None
    prefixes: tuple[int | str, ...] | None = None
    why: str | None = None
    suspicion: Suspicion | None = None
    fits: float = 1.0
    misfits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileHints:
    """What other columns of the same file say about how it is written."""

    decimal: str | None = None
    date_order: str | None = None


NO_HINTS = FileHints()


def look_at(column: Observed, hints: FileHints = NO_HINTS) -> Look:
    """What one column holds."""
    if column.distinct == 0:
        return Look(kind="category", looks_like="nothing")
    if _is_typed(column.type):
        return _look_at_typed(column)
    return _look_at_texts(column, hints)


def suspicion_of(column: Observed) -> Suspicion | None:
    """Whether a column looks as if it named people or held free text, whatever its role is."""
    return look_at(column).suspicion


def _is_typed(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_temporal(kind)
    )


def _look_at_typed(column: Observed) -> Look:
    kind = column.type
    if pa.types.is_boolean(kind):
        return Look(kind="category", looks_like="yes or no")
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return Look(kind="date", looks_like="dates")
    if pa.types.is_temporal(kind):
        return Look(kind="category", looks_like="times of day")
    if pa.types.is_integer(kind) and (known := _look_at_digit_codes(column, column.some())) is not None:
        return known
    return _look_at_numbers(column, plain_reading(column.texts), column.some())


def _look_at_texts(column: Observed, hints: FileHints) -> Look:
    values = column.some()
    if (known := _look_at_digit_codes(column, values)) is not None:
        return known
    if suspicion := recognized(column, values):
        return Look(kind="category", looks_like=suspicion.what, suspicion=suspicion)
    dates = dates_of(column, hints.date_order)
    if dates is not None and dates.share >= FITS:
        return _look_at_dates(dates)
    if (found := _look_at_number_texts(column, values, hints)) is not None:
        return found
    separator = set_separator(column)
    if separator is not None and not (Says.TEXT in says(column.name) and separator in " ,"):
        return Look(kind="set", looks_like=f"sets with {separator!r} between items", separator=separator)
    return _look_at_words_and_codes(column, values)


def _look_at_number_texts(column: Observed, values: Sequence[str], hints: FileHints) -> Look | None:
    texts, rows = column.texts, column.rows
    numbers = number_reading(texts, rows, hints.decimal)
    if has_leading_zeros(texts, rows):
        return None
    if numbers is not None and numbers.share >= FITS:
        return _look_at_numbers(column, numbers, values)
    if written_in_two_ways(texts, rows):
        what, remedy = "numbers with decimal points and decimal commas", "write all of them in one way"
    elif Says.NUMBER not in says(column.name) and (measured := unit_of(texts, rows)):
        what, remedy = measured, "write each number alone, in a column of its own"
    else:
        return None
    why = f"taken for words: to have it published as ranges, {remedy}"
    return Look(kind="category", looks_like=what, why=why)


def _look_at_digit_codes(column: Observed, values: Sequence[str]) -> Look | None:
    """Codes of digits that a list of classes or the name of the column tells from numbers."""
    if system := named_system(spelled(column.name), values):
        return Look(kind="category", looks_like=system[0], prefixes=system[1])
    if system := digit_system(values):
        return Look(
            kind="category",
            looks_like=system[0],
            prefixes=system[1],
            why=f"taken for {system[0]} because nearly all values are in its classes",
        )
    return None


def _look_at_dates(reading: DateReading) -> Look:
    return Look(kind="date", looks_like=f"dates, {reading.in_words()}", dates=reading, fits=reading.share)


def _look_at_numbers(column: Observed, reading: NumberReading, values: Sequence[str]) -> Look:
    said = says(column.name)
    if said & {Says.DATE, Says.BIRTH} and are_serials(values) and column.distinct > 2:
        dates = DateReading("excel", reading.share)
        return Look(kind="date", looks_like="dates, days as Excel counts them", dates=dates)
    if Says.POSTAL in said and reading.whole and not (reading.money or reading.percent):
        return _look_at_postal_codes(column, values)
    suspicion = None
    if reading.whole and not (reading.money or reading.percent) and reading.style.thousands in ("", " "):
        joined = [whole_digits(value, reading.style) for value in values]
        suspicion = numbered_people(column, joined, said)
    if suspicion is not None:
        return Look(kind="category", looks_like=suspicion.what, suspicion=suspicion)
    described = "amounts of money" if reading.money else "percent" if reading.percent else "numbers"
    if said & {Says.LATITUDE, Says.LONGITUDE} and not reading.whole:
        described = "coordinates"
    elif reading.whole and described == "numbers":
        described = "whole numbers"
    return Look(
        kind="number",
        looks_like=f"{described}, {reading.style.in_words()}"
        if reading.style.decimal == "," or reading.style.thousands
        else described,
        numbers=reading,
        fits=reading.share,
        misfits=_misfits(column, reading.style.pattern) if reading.share < 1 else (),
    )


def _misfits(column: Observed, pattern: str) -> tuple[str, ...]:
    wrong = column.texts.filter(pc.invert(pc.match_substring_regex(column.texts, pattern)))
    return tuple(wrong.slice(0, _MISFITS_SHOWN).to_pylist())


def _look_at_words_and_codes(column: Observed, values: Sequence[str]) -> Look:
    said = says(column.name)
    known = _known_categories(column, values, said)
    if known is not None:
        return known
    suspicion = suspicious_codes(column, values, said) or suspicious_words(column, values, said)
    if suspicion is not None:
        return Look(kind="category", looks_like=suspicion.what, suspicion=suspicion)
    if Says.POSTAL in said:
        return _look_at_postal_codes(column, values)
    return Look(kind="category", looks_like="categories")


def _are_postal_codes(column: Observed, values: Sequence[str], said: frozenset[Says]) -> bool:
    if Says.POSTAL in said:
        return postal_codes(values, spelled(column.name)).country is not None
    return Says.NUMBER not in said and are_postal_codes(values)


def _look_at_postal_codes(column: Observed, values: Sequence[str]) -> Look:
    found = postal_codes(values, spelled(column.name))
    return Look(kind="category", looks_like="postal codes", prefixes=found.cuts, why=found.why)


def _known_categories(column: Observed, values: Sequence[str], said: frozenset[Says]) -> Look | None:
    """Categories that have an order, a build or a list of their own; None if they have not."""
    order = categories.order_of(values)
    system = code_system(values)
    found: Look | None = None
    if order is not None:
        found = Look(kind="category", looks_like="ordered categories", order=order)
    elif column.distinct == 2 and suspicious_words(column, values, said) is None:
        found = Look(kind="category", looks_like="one of two values")
    elif system is not None:
        found = Look(kind="category", looks_like=system[0], prefixes=system[1])
    elif _are_postal_codes(column, values, said):
        found = _look_at_postal_codes(column, values)
    elif categories.are_times(values):
        found = Look(kind="category", looks_like="times of day", prefixes=(2,))
    elif categories.are_months(values):
        found = Look(kind="category", looks_like="months", prefixes=(4,))
    elif categories.are_countries(values):
        found = Look(kind="category", looks_like="countries")
    return found
