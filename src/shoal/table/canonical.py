"""When two written values are one value: the only rule there is, for data, hierarchies and missing tokens.

Text
    White space at both ends and a stray byte order mark are dropped (white space is what Unicode gives the
    property White_Space), and the rest is brought into Unicode normal form C. Nothing else changes: inner
    white space and upper and lower case stay, and `01` is not `1`.
Numbers
    A text is a number when, after the rule for text, it is written in decimal digits with an optional sign,
    point and exponent. Equal numbers are one value, however written. The published text is the shortest one
    that reads back as the same number, without an exponent: `5` for `5.0`; only below 1e-15 it has one.
    Infinities and numbers from 2^53 on, which cannot be told from their neighbours, are refused. An original
    may write numbers in another style (`table.number_style`): `1.234,50 €`, `48,2 %`. What is published is
    `1234.5` and `48.2` all the same.
Dates
    A text is a date when it is an ISO 8601 day `YYYY-MM-DD`, or such a day with a time of day, which is
    dropped: the day counts as written, whatever its time zone. A column of an original may have another
    format instead (`table.dates`). Published as ISO days.
Missing
    A null, a NaN of a typed column, an empty text and every missing token of the reader, in every role;
    tokens follow the same rules, so that in a column of numbers the token `-9` also covers `-9.0`.
Typed columns
    Values that are no text are taken as the text that would publish them: whole numbers without a point,
    `true` and `false`, ISO dates.

Published values
    What a release shows of quasi-identifiers is read as it is written: whoever has the file can tell `A` from
    `A ` and one normal form from another, so a check of the file must, too. Two cells are one published value
    when they are both null, or have the same type (text, number, yes or no, date) and are written alike: in
    formats with types the number 20 is not the text 20, 1 is not 1.0 where the file can hold both, and an
    empty text is not a null. How a format encloses a text (quotes, escapes, line ends, encoding) is not part
    of the value. Two sets are one when they hold the same items equally often, in whatever order; a null is
    not the empty set.

All of it works on the distinct values of a column.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.kernels.arrays import Bools, Floats, Ints, frozen_floats
from shoal.table.columns import Domain, Kind
from shoal.table.dates import EPOCH, EXCEL, read_days
from shoal.table.number_style import NumberStyle, read_numbers

WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
LARGEST_NUMBER = 2.0**53 - 1  # 2^53 itself is also what 2^53 + 1 is read as
SMALLEST_WITHOUT_EXPONENT = 1e-15

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_ISO_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?", re.ASCII
)


class UnsupportedType(Exception):
    """Values of this type cannot stand in a column of single values."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """The values behind the distinct entries of a column.

    codes[e] is the place of entry e in the domain, one behind its end when the entry is missing or invalid.
    `units` are the currencies, or the percent sign, that stand beside numbers.
    """

    domain: Domain
    codes: Ints
    invalid: Bools
    units: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingTokens:
    """How missing values are written, in canonical form; nulls are missing in any case."""

    texts: pa.StringArray
    numbers: Floats

    @classmethod
    def of(cls, tokens: Iterable[str]) -> MissingTokens:
        """The tokens in canonical form, and the empty text."""
        texts = canonical_text(pa.array(["", *tokens], type=pa.string())).unique()
        return cls(texts, _parsed(texts))

    @classmethod
    def only_nulls(cls) -> MissingTokens:
        """Every text is a value, the empty one, too."""
        return cls(pa.array([], type=pa.string()), np.empty(0, dtype=np.float64))


def canonical(text: str) -> str:
    """The rule for one text."""
    return unicodedata.normalize("NFC", text.strip(WHITE_SPACE))


def canonical_text(texts: pa.StringArray) -> pa.StringArray:
    """The rule for many texts."""
    trimmed = pc.utf8_trim(texts, characters=WHITE_SPACE)
    if pc.all(pc.string_is_ascii(trimmed), min_count=0).as_py():
        return trimmed
    return pc.utf8_normalize(trimmed, form="NFC")


def categories(
    entries: pa.Array, missing: MissingTokens, kind: Kind = Kind.CATEGORY, *, as_written: bool = False
) -> Canonical:
    """Entries as texts, ordered by code point; `as_written` leaves them as they stand."""
    texts = as_text(entries)
    texts = texts if as_written else canonical_text(texts)
    present = _to_numpy(pc.invert(pc.or_(texts.is_null(), pc.is_in(texts, value_set=missing.texts))))
    encoded = texts.filter(pa.array(present)).dictionary_encode()
    order = _to_numpy(pc.array_sort_indices(encoded.dictionary)).astype(np.int64)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    codes = np.full(len(entries), len(order), dtype=np.int64)
    codes[present] = rank[_to_numpy(encoded.indices)]
    domain = Domain(kind, encoded.dictionary.take(pa.array(order)))
    return Canonical(domain, codes, np.zeros(len(entries), dtype=np.bool_))


def numbers(entries: pa.Array, missing: MissingTokens, style: NumberStyle | None = None) -> Canonical:
    """Entries as numbers, ascending; `style` is how texts write them, if not as they are published."""
    tokens = missing.numbers
    units: tuple[str, ...] = ()
    if _is_numeric(entries.type):
        values = _to_numpy(_widened(entries).fill_null(np.nan))
        absent = np.isnan(values)
    else:
        texts = canonical_text(as_text(entries).fill_null(""))
        absent = _to_numpy(pc.is_in(texts, value_set=missing.texts))
        values, units = _parsed_in_style(texts, absent, style)
        if style is not None:
            tokens, _ = _parsed_in_style(missing.texts, np.zeros(len(missing.texts), dtype=np.bool_), style)
    absent = absent | np.isin(values, tokens[np.isfinite(tokens)])
    valid = ~absent & (np.abs(values) <= LARGEST_NUMBER)
    distinct, codes = _coded(values + 0.0, valid)  # minus zero becomes zero
    domain = Domain(Kind.NUMBER, number_texts(distinct), frozen_floats(distinct))
    return Canonical(domain, codes, ~absent & ~valid, units)


def dates(
    entries: pa.Array, missing: MissingTokens, date_format: str | None = None, *, mixed: bool = False
) -> Canonical:
    """Entries as days, ascending; `date_format` is how texts write them, if not in ISO 8601.

    In a `mixed` column some do the one and some the other, and what means two different days means none.
    """
    texts = canonical_text(as_text(entries).fill_null(""))
    absent = _to_numpy(pc.is_in(texts, value_set=missing.texts))
    if date_format is not None and (is_text(entries.type) or _counts_days(entries.type, date_format)):
        days = read_days(texts.to_pylist(), date_format)
        days = _one_or_the_other(days, _iso_days(texts)) if mixed else days
    else:
        days = _iso_days(texts)
    valid = ~absent & np.isfinite(days)
    distinct, codes = _coded(days, valid)
    labels = [date.fromordinal(int(day) + EPOCH).isoformat() for day in distinct]
    domain = Domain(Kind.DATE, pa.array(labels, type=pa.string()), frozen_floats(distinct))
    return Canonical(domain, codes, ~absent & ~valid)


def as_text(values: pa.Array) -> pa.StringArray:
    """Values of any single type as the texts that would publish them."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        return as_text(values.dictionary_decode())
    if pa.types.is_floating(kind):
        return _floats_as_text(values)
    if pa.types.is_timestamp(kind):
        return _timestamps_as_text(values)
    if is_text(kind) or _is_plain(kind):
        return values.cast(pa.string())
    raise UnsupportedType(str(kind))


def refuse_unsupported(kind: pa.DataType) -> None:
    """Raise UnsupportedType for a type whose values cannot be told apart as texts."""
    as_text(pa.array([], type=kind))


def is_supported(kind: pa.DataType) -> bool:
    """Whether values of a type can be told apart as texts."""
    with suppress(UnsupportedType):
        refuse_unsupported(kind)
        return True
    return False


def is_text(kind: pa.DataType) -> bool:
    """Whether values of this type are texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def holds_lists(kind: pa.DataType) -> bool:
    """Whether values of this type are lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def number_texts(values: Floats) -> pa.StringArray:
    """The shortest texts of finite numbers, without exponents."""
    whole = (values == np.floor(values)) & (np.abs(values) <= LARGEST_NUMBER)
    as_integers = pa.array(np.where(whole, values, 0.0).astype(np.int64)).cast(pa.string())
    if whole.all():
        return as_integers
    short = pc.if_else(pa.array(whole), as_integers, pa.array(values).cast(pa.string()))
    with_exponent = np.flatnonzero(_to_numpy(pc.match_substring(short, "e")))
    if not len(with_exponent):
        return short
    texts = np.array(short.to_pylist(), dtype=object)
    texts[with_exponent] = [_without_exponent(value) for value in values[with_exponent]]
    return pa.array(texts, type=pa.string())


def _without_exponent(value: float) -> str:
    if abs(value) < SMALLEST_WITHOUT_EXPONENT:
        return repr(float(value))
    return np.format_float_positional(value, trim="-")


def _widened(values: pa.Array) -> pa.Array:
    if pa.types.is_floating(values.type) and values.type.bit_width < 64:
        # 0.1 in single precision is 0.1, not the double that happens to lie nearest to it.
        return values.cast(pa.float32()).cast(pa.string()).cast(pa.float64())
    if pa.types.is_decimal(values.type):
        return values.cast(pa.string()).cast(pa.float64())  # the direct way does not give the nearest number
    return values.cast(pa.float64(), safe=False)


def _floats_as_text(values: pa.Array) -> pa.StringArray:
    wide = _to_numpy(_widened(values).fill_null(0.0)) + 0.0
    finite = np.isfinite(wide)
    texts = pc.if_else(
        pa.array(finite), number_texts(np.where(finite, wide, 0.0)), pa.array(wide).cast(pa.string())
    )
    return pc.if_else(pa.array(_to_numpy(values.is_valid()) & ~np.isnan(wide)), texts, None)


def _timestamps_as_text(values: pa.Array) -> pa.StringArray:
    local = values if values.type.tz is None else pc.local_timestamp(values)
    for coarser in (pa.date32(), pa.timestamp("s")):
        rounded = local.cast(coarser, safe=False)
        if pc.all(pc.equal(rounded.cast(local.type), local), min_count=0).as_py():
            return rounded.cast(pa.string())
    return local.cast(pa.string())


def _parsed(texts: pa.StringArray) -> Floats:
    plausible = pc.match_substring_regex(texts, _NUMBER)
    return _to_numpy(pc.if_else(plausible, texts, None).cast(pa.float64()).fill_null(np.nan))


def _parsed_in_style(
    texts: pa.StringArray, absent: Bools, style: NumberStyle | None
) -> tuple[Floats, tuple[str, ...]]:
    """The number of each text, and the units beside them; what no fast way reads is read text by text."""
    has_point = style is None or style.decimal == "."
    values = _parsed(texts) if has_point else np.full(len(texts), np.nan)
    left = np.flatnonzero(np.isnan(values) & ~absent)
    if style is None or not len(left):
        return values, ()
    found = read_numbers(texts.take(pa.array(left)).to_pylist(), style)
    values = values.copy()
    values[left] = found.values
    return values, found.units


def _coded(values: Floats, valid: Bools) -> tuple[Floats, Ints]:
    distinct, places = np.unique(values[valid], return_inverse=True)
    codes = np.full(len(values), len(distinct), dtype=np.int64)
    codes[valid] = places
    return distinct, codes


def _iso_days(texts: pa.StringArray) -> Floats:
    return np.array([_iso_day(text) for text in texts.to_pylist()], dtype=np.float64)


def _one_or_the_other(one: Floats, other: Floats) -> Floats:
    agree = np.isnan(one) | np.isnan(other) | (one == other)
    return np.where(agree, np.where(np.isnan(one), other, one), np.nan)


def _iso_day(text: str) -> float:
    if not _ISO_DATE.fullmatch(text):
        return np.nan
    try:
        return datetime.fromisoformat(text).toordinal() - EPOCH
    except ValueError:
        return np.nan


def _counts_days(kind: pa.DataType, date_format: str) -> bool:
    return date_format == EXCEL and _is_numeric(kind)


def _is_numeric(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_plain(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_date(kind)
        or pa.types.is_time(kind)
        or pa.types.is_null(kind)
    )


def _to_numpy(values: pa.Array) -> NDArray[Any]:
    array: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return array
