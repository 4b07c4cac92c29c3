import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.detect.look import FileHints, look_at
from shoal.detect.numbers import STYLES, number_reading
from shoal.study.profile import profile
from shoal.table.columns import Kind
from shoal.table.reading import ReadOptions, read_table
from shoal.table.roles import Quasi
from tests.detect.columns import column
from tests.table.views import plain


def style_of(*texts, hint=None):
    observed = column(texts)
    found = number_reading(observed.texts, observed.rows, hint)
    return found and (found.style.decimal, found.style.thousands, found.other is not None)


@pytest.mark.parametrize(
    ("texts", "style"),
    [
        (("48,2", "7", "162,25"), (",", "", False)),
        (("48.2", "7"), (".", "", False)),
        (("1.234,5", "12"), (",", ".", False)),
        (("1,234.5", "12"), (".", ",", False)),
        (("1 234,5", "12\u00a0345,0"), (",", " ", False)),
        (("1'234.50", "12’345.00"), (".", "'", False)),
        (("12,34,567.0", "1"), (".", ",", False)),
        (("-3", "+4", "−5"), (".", "", False)),
        (("1.234", "0.500"), (".", "", False)),
    ],
)
def test_values_that_only_one_style_reads_decide(texts, style):
    assert style_of(*texts) == style


def test_three_digits_behind_a_mark_can_be_read_in_two_ways():
    assert style_of("1.234", "2.345") == (".", "", True)
    assert style_of("1.234", "2.345", hint=",") == (",", ".", True)
    assert style_of("12.345", "34.567") == (",", ".", True)
    assert style_of("1.234 €", "2.345 €") == (",", ".", True)


@pytest.mark.parametrize(
    ("texts", "looks_like"),
    [
        (("€ 3,50", "-12,00 €"), "amounts of money, decimal comma"),
        (("48,2 %", "7 %"), "percent, decimal comma"),
        (("3", "17", "5"), "whole numbers"),
    ],
)
def test_money_and_percent_are_told(texts, looks_like):
    assert look_at(column(texts)).looks_like == looks_like


def test_codes_with_leading_zeros_are_no_numbers():
    assert look_at(column(["01067", "99084", "50667"])).kind == "category"


def test_slips_do_not_hide_numbers_and_are_told():
    look = look_at(column([f"{n / 10}".replace(".", ",") for n in range(500)] + ["4O,1"]))
    assert look.kind == "number"
    assert look.misfits == ("4O,1",)


@given(
    st.lists(st.decimals(-99_999, 99_999, places=2), min_size=1, max_size=20, unique=True),
    st.sampled_from(STYLES),
)
def test_what_is_detected_reads_as_the_same_numbers(numbers, style):
    def written(number):
        grouped = f"{number:,.2f}" if style.thousands else f"{number:.2f}"
        return grouped.replace(",", "\0").replace(".", style.decimal).replace("\0", style.thousands)

    texts = [written(number) for number in numbers]
    found = look_at(column(texts, "amount"), FileHints(decimal=style.decimal))
    assert found.kind == "number"
    assert found.numbers is not None
    options = ReadOptions(decimal=found.numbers.style.decimal, thousands=found.numbers.style.thousands)
    loaded = read_table(pa.table({"amount": texts}), {"amount": Quasi(kind=Kind.NUMBER)}, options)
    assert [float(text) for text in plain(loaded.table)["amount"]] == [float(number) for number in numbers]


def test_typed_numbers_can_be_read_in_one_way_only():
    numbers = profile(pa.table({"weight": [12.345, 34.567, 56.789]})).columns[0]
    assert (numbers.kind, numbers.decimal, numbers.thousands, numbers.ambiguous) == ("number", ".", "", False)


def test_numbers_with_points_and_commas_are_no_codes_of_people():
    weights = [f"{40 + n / 10:.1f}".replace(".", ",."[n % 2]) for n in range(700)]
    look = look_at(column(weights * 3, "gewicht"))
    assert look.suspicion is None
    assert (look.kind, look.separator) == ("category", None)
    assert "write all of them in one way" in look.why


@pytest.mark.parametrize("form", ["{:.1f} kg", "{:.0f}cm", "{:.0f} Jahre", "{:.1f} °C", "{:.0f}/80 mmHg"])
def test_measurements_with_a_unit_are_no_codes_of_people(form):
    look = look_at(column([form.format(35 + n / 7) for n in range(400)] * 2, "c1"))
    assert look.suspicion is None
    assert "write each number alone" in look.why


def test_letters_that_are_no_unit_make_a_code():
    assert look_at(column([f"{n}P" for n in range(1000, 1400)], "c1")).suspicion is not None
