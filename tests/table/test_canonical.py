from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.table.canonical import (
    WHITE_SPACE,
    MissingTokens,
    UnsupportedType,
    as_text,
    canonical,
    canonical_text,
    categories,
    dates,
    number_texts,
    numbers,
)
from tests.reference import table as reference

spaced = st.text(st.sampled_from([*WHITE_SPACE, "a", "é", "e", "\u0301", "\u212b", "0", "1"]), max_size=8)
any_text = spaced | st.text(st.characters(exclude_categories=("Cs", "Cn")), max_size=8)
tokens = st.lists(st.sampled_from(["NA", "?", "-9", " é "]), max_size=2)


def strings(values):
    return pa.array(values, type=pa.string())


def labels_of(found):
    return [found.domain.label(int(code)) for code in found.codes]


@settings(deadline=None)
@given(st.lists(any_text, max_size=6))
def test_text_follows_the_rule(texts):
    expected = [reference.canonical(text) for text in texts]
    assert canonical_text(strings(texts)).to_pylist() == expected
    assert [canonical(text) for text in texts] == expected


@settings(deadline=None)
@given(any_text)
def test_canonical_text_stays_as_it_is(text):
    assert canonical(canonical(text)) == canonical(text)


def test_white_space_is_what_unicode_says():
    separators_of_information = set("\x1c\x1d\x1e\x1f")  # space for Python, not for Unicode
    spaces = {character for character in map(chr, range(0x10000)) if character.isspace()}
    assert set(WHITE_SPACE) == spaces - separators_of_information | {"\ufeff"}


@settings(deadline=None)
@given(st.lists(any_text | st.sampled_from(["NA", " NA", "?", ""]) | st.none(), max_size=8), tokens)
def test_categories_are_texts_in_order(entries, missing):
    found = categories(strings(entries), MissingTokens.of(missing))
    expected = [reference.category(entry, missing) for entry in entries]
    assert labels_of(found) == expected
    assert found.domain.texts() == sorted({text for text in expected if text is not None})
    assert not found.invalid.any()


def test_a_leading_zero_makes_another_category():
    assert categories(strings(["01", "1"]), MissingTokens.of(())).domain.texts() == ["01", "1"]


number_text = st.one_of(
    st.floats(-1e9, 1e9).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.sampled_from(
        [
            "5",
            "5.0",
            "+5",
            " 5 ",
            "05",
            "5.",
            ".5",
            "5e0",
            "-0",
            "0",
            "-9",
            "-9.0",
            "NA",
            "",
            "1e-300",
            "1e16",
        ]
    ),
    st.sampled_from(
        ["x", "1,5", "0x10", "nan", "inf", "-inf", "1_000", "٣", "1e400", "9007199254740993e3", "- 5"]
    ),
)


@settings(deadline=None)
@given(st.lists(number_text, max_size=8), st.lists(st.sampled_from(["-9", "NA", "nan"]), max_size=2))
def test_numbers_are_read_as_decimal_numbers(texts, missing):
    found = numbers(strings(texts), MissingTokens.of(missing))
    for text, code, invalid in zip(texts, found.codes, found.invalid, strict=True):
        try:
            expected = reference.number(text, missing)
        except ValueError:
            assert invalid
            continue
        assert not invalid
        assert (None if code == found.domain.missing else found.domain.numbers[code]) == expected
    assert (np.diff(found.domain.numbers) > 0).all()


@settings(deadline=None)
@given(st.lists(st.floats(-(2.0**53), 2.0**53), max_size=6))
@example([1e-7, 12345678901.5, 1e15, 1e-16, 0.1, 2.0**53])
def test_published_numbers_are_short_and_read_back(values):
    texts = number_texts(np.array(values, dtype=np.float64) + 0.0).to_pylist()
    assert [float(text) for text in texts] == [value + 0.0 for value in values]
    for value, text in zip(values, texts, strict=True):
        assert "e" not in text or abs(value) < 1e-15
        assert text == str(int(value)) if value.is_integer() else len(text.strip("-0.")) <= len(repr(value))


def test_equal_numbers_are_one_value():
    found = numbers(strings(["5", "5.0", "5e0", "+5", "10", "-0", "0"]), MissingTokens.of(()))
    assert found.domain.texts() == ["0", "5", "10"]
    assert found.codes.tolist() == [1, 1, 1, 1, 2, 0, 0]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([1, None, 2**60]), ["1", None, "invalid"]),
        (pa.array([0.1, 5.0], pa.float32()), ["0.1", "5"]),
        (pa.array([0.5, float("nan"), float("inf")]), ["0.5", None, "invalid"]),
        (pa.array([Decimal("1.50"), None]), ["1.5", None]),
        (pa.array([True]), ["invalid"]),
    ],
    ids=["integers", "single precision", "not finite", "decimals", "no numbers"],
)
def test_typed_numbers(values, expected):
    found = numbers(values, MissingTokens.of(()))
    got = ["invalid" if bad else label for bad, label in zip(found.invalid, labels_of(found), strict=True)]
    assert got == expected


date_text = st.one_of(
    st.dates().map(str),
    st.datetimes().map(str),
    st.sampled_from(
        ["2020-02-30", "20200101", "2020-1-1", "x", "", "2020-01-01T12:00", "2020-01-01 12:00:00Z"]
    ),
    st.sampled_from(["2020-01-01T25:00", "2020-W01", "2020-01-01T23:30:00-11:00", " 2020-01-01 "]),
)


@settings(deadline=None)
@given(st.lists(date_text, max_size=6))
def test_dates_are_iso_days(texts):
    found = dates(strings(texts), MissingTokens.of(()))
    for text, label, invalid in zip(texts, labels_of(found), found.invalid, strict=True):
        try:
            expected = reference.day(text)
        except ValueError:
            expected = "invalid"
        if text == "2020-01-01T25:00":
            expected = "invalid"
        assert ("invalid" if invalid else label) == (expected and str(expected))


def test_dates_in_another_format():
    found = dates(strings(["31/12/1999", "1999-12-31", "01/01/1970"]), MissingTokens.of(()), "%d/%m/%Y")
    assert labels_of(found) == ["1999-12-31", None, "1970-01-01"]
    assert found.invalid.tolist() == [False, True, False]
    assert found.domain.numbers.tolist() == [0.0, 10956.0]


def test_a_typed_date_needs_no_format():
    days = pa.array([0, 1], pa.int32()).cast(pa.date32())
    assert labels_of(dates(days, MissingTokens.of(()), "%d/%m/%Y")) == ["1970-01-01", "1970-01-02"]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array([1.0, 2.5, None]), ["1", "2.5", None]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array([0, 86400]).cast(pa.timestamp("s")), ["1970-01-01", "1970-01-02"]),
        (pa.array([0, 60]).cast(pa.timestamp("s")), ["1970-01-01 00:00:00", "1970-01-01 00:01:00"]),
        (pa.array([0], pa.int64()).cast(pa.timestamp("ns", tz="Asia/Tokyo")), ["1970-01-01 09:00:00"]),
        (pa.array(["a", None, "a"]).dictionary_encode(), ["a", None, "a"]),
        (pa.array([None, None]), [None, None]),
        (pa.array([float("nan"), -0.0]), [None, "0"]),
    ],
    ids=["floats", "booleans", "days", "times", "time zones", "categories", "nothing", "special floats"],
)
def test_typed_values_as_text(values, texts):
    assert as_text(values).to_pylist() == texts


@pytest.mark.parametrize("values", [pa.array([b"x"]), pa.array([{"a": 1}]), pa.array([[1]])])
def test_some_types_have_no_text(values):
    with pytest.raises(UnsupportedType):
        as_text(values)


@pytest.mark.parametrize(
    "entries", [[2**53 - 1, 2**53, 2**53 + 1], [str(2**53 - 1), str(2**53), str(2**53 + 1)]]
)
def test_numbers_that_would_collide_are_no_numbers(entries):
    found = numbers(pa.array(entries), MissingTokens.of(()))
    assert found.invalid.tolist() == [False, True, True]
