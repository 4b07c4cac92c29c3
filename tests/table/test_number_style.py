import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.table.canonical import MissingTokens, numbers
from shoal.table.columns import Kind
from shoal.table.number_style import DECIMAL_MARKS, THOUSANDS_MARKS, NumberStyle, read_numbers
from shoal.table.reading import ReadOptions, read_published, read_table
from shoal.table.roles import Quasi, Sensitive
from tests.table.views import values

COMMA = NumberStyle(",", ".")
STYLES = [NumberStyle(d, t) for d in DECIMAL_MARKS for t in THOUSANDS_MARKS if d != t]
NUMBER = Quasi(kind=Kind.NUMBER)


def number(text, style=COMMA):
    value = read_numbers([text], style).values[0]
    return None if np.isnan(value) else value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234,50 €", 1234.5),
        ("€ 1.234", 1234),
        ("1234,5", 1234.5),
        ("48,2 %", 48.2),
        ("48,2%", 48.2),
        ("-€5", -5),
        ("€-5", -5),
        ("€ -5", -5),
        ("\u22125,5", -5.5),
        ("+ 5", 5),
        ("kr. 5", 5),
        ("5 kr.", 5),
        ("R$ 5,00", 5),
        ("5 zł", 5),
        ("USD5", 5),
        ("12.34.567", 1234567),
        (",5", 0.5),
        ("5,", 5),
        ("1,5e3", 1500),
    ],
)
def test_what_is_a_number(text, value):
    assert number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "1.5",
        "1.23",
        "0.123",
        "1.234.56",
        "1234.567",
        "1..234",
        "1,234,5",
        "%5",
        "5 € €",
        "€ 5 €",
        "--5",
        "-€-5",
        "5 apples",
        "€",
        "-",
        "",
        "∞",
    ],
)
def test_what_is_none(text):
    assert number(text) is None


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f", "\u2009"])
def test_spaces_between_thousands(space):
    assert number(f"1{space}234,5 €", NumberStyle(",", " ")) == 1234.5
    assert number(f"12{space}34", NumberStyle(",", " ")) is None


@pytest.mark.parametrize("mark", ["'", "\u2019"])
def test_apostrophes_between_thousands(mark):
    assert number(f"CHF 1{mark}234.50", NumberStyle(".", "'")) == 1234.5


@given(st.integers(-(10**12), 10**12), st.integers(0, 4), st.sampled_from(STYLES))
def test_numbers_written_in_a_style_are_read_as_they_were(digits, decimals, style):
    value = digits / 10**decimals
    written = f"{value:,.{decimals}f}".translate({ord(","): style.thousands, ord("."): style.decimal})
    assert number(written, style) == float(f"{value:.{decimals}f}")


@given(st.lists(st.text("0123456789.,+-eE \u00a0'€%", max_size=8), min_size=1), st.sampled_from(STYLES))
def test_no_text_breaks_the_reader(texts, style):
    assert len(read_numbers(texts, style).values) == len(texts)


@given(st.lists(st.text("0123456789.+-eE", max_size=6), min_size=1))
def test_in_plain_style_plain_numbers_mean_the_same(texts):
    entries, missing = pa.array(texts, type=pa.string()), MissingTokens.of(())
    plain, styled = numbers(entries, missing), numbers(entries, missing, NumberStyle())
    assert plain.domain.texts() == styled.domain.texts()
    assert plain.invalid.tolist() == styled.invalid.tolist()


def test_missing_tokens_are_written_in_the_style_of_the_column():
    found = numbers(pa.array(["-9,0", "1.000", "1"]), MissingTokens.of(["-9", "1.000,0"]), COMMA)
    assert found.domain.texts() == ["1"]
    assert not found.invalid.any()


@pytest.mark.parametrize(
    "given",
    [{"decimal": ";"}, {"thousands": "_"}, {"decimal": ",", "thousands": ","}, {"thousands": "."}],
)
def test_marks_that_cannot_be(given):
    with pytest.raises(InvalidParameter, match=r"decimal|thousands"):
        ReadOptions(**given)


class TestColumns:
    def test_the_options_speak_for_all_columns_and_a_role_for_its_own(self, tmp_path):
        path = tmp_path / "d.csv"
        path.write_text('a;b;c\n1.234,5;"1,234.5";7\n2;3;48,2 %\n')
        roles = {
            "a": NUMBER,
            "b": Quasi(kind=Kind.NUMBER, decimal=".", thousands=","),
            "c": Sensitive(kind=Kind.NUMBER, thousands=""),
        }
        loaded = read_table(path, roles, ReadOptions(decimal=",", thousands="."))
        assert [values(loaded.table.column(name)) for name in "abc"] == [
            ["1234.5", "2"],
            ["1234.5", "3"],
            ["7", "48.2"],
        ]

    def test_a_point_is_not_taken_for_a_decimal_mark(self, tmp_path):
        path = tmp_path / "d.csv"
        path.write_text("a\n1.234\n5.678\n")
        loaded = read_table(path, {"a": NUMBER}, ReadOptions(decimal=",", thousands="."))
        assert values(loaded.table.column("a")) == ["1234", "5678"]
        with pytest.raises(BadInput, match=r"is not a number.*decimal, thousands"):
            read_table(path, {"a": NUMBER}, ReadOptions(decimal=","))

    def test_typed_numbers_have_no_style(self):
        loaded = read_table(pa.table({"a": [1.234, 5.5]}), {"a": NUMBER}, ReadOptions(decimal=","))
        assert values(loaded.table.column("a")) == ["1.234", "5.5"]

    def test_currencies_in_plain_style(self):
        loaded = read_table(pa.table({"a": ["$5.50", "$ 7", "7.0"]}), {"a": NUMBER})
        assert values(loaded.table.column("a")) == ["5.5", "7", "7"]

    def test_several_currencies_are_no_numbers_of_one_column(self):
        with pytest.raises(BadInput, match="several units: '\\$', 'EUR'"):
            read_table(pa.table({"a": ["$5", "€5", "5 EUR"]}), {"a": NUMBER})

    def test_a_role_and_the_options_that_do_not_go_together(self):
        role = Quasi(kind=Kind.NUMBER, thousands=".")
        with pytest.raises(BadInput, match=r"column 'a': thousands must be another mark than decimal"):
            read_table(pa.table({"a": ["1"]}), {"a": role})

    def test_published_numbers_are_canonical_whatever_the_style_of_the_original(self, tmp_path):
        path = tmp_path / "d.csv"
        path.write_text("a\n1.234\n5.5\n")
        role = Sensitive(kind=Kind.NUMBER, decimal=",", thousands=".")
        loaded = read_published(path, {"a": role}, ReadOptions(decimal=",", thousands="."))
        assert values(loaded.table.column("a")) == ["1.234", "5.5"]
