"""What labels say about themselves."""

import pytest

from shoal.recoding.label_cover import (
    EVERYTHING,
    NAME,
    Cover,
    CoverForm,
    beginning_cover,
    between_cover,
    is_within,
    levels_of,
    masked_left_cover,
    masked_right_cover,
    number_of,
    range_cover,
    union_covers,
    value_cover,
)
from shoal.table.columns import Kind


@pytest.mark.parametrize(
    ("label", "lower", "upper", "includes_upper"),
    [
        ("20-24", 20, 24, True),
        ("-20--11", -20, -11, True),
        ("[0.3, 0.4)", 0.3, 0.4, False),
        ("[20, 25]", 20, 25, True),
        ("[20,_25)", 20, 25, False),
        ("<10", None, 10, False),
        ("90+", 90, None, True),
        ("20-24~", 20, 24, True),
    ],
)
def test_bounds_of_numbers_are_those_that_the_label_names(label, lower, upper, includes_upper):
    cover = range_cover(label, Kind.NUMBER)
    assert (cover.lower, cover.upper, cover.includes_upper) == (lower, upper, includes_upper)


@pytest.mark.parametrize(
    ("label", "lower", "upper", "days"),
    [
        ("2024-02", "2024-02-01", "2024-02-29", 29),
        ("2026-Q4", "2026-10-01", "2026-12-31", 92),
        ("2023", "2023-01-01", "2023-12-31", 365),
        ("2020s", "2020-01-01", "2029-12-31", 3653),
        ("2000-2099", "2000-01-01", "2099-12-31", 36525),
        ("[2020-01-05, 2020-01-09]", "2020-01-05", "2020-01-09", 5),
        ("01/2001-12/2002", "2001-01-01", "2002-12-31", 730),
        ("05/01/2001-07/01/2001", "2001-01-05", "2001-01-07", 3),
    ],
)
def test_periods_are_their_first_and_last_day(label, lower, upper, days):
    cover = range_cover(label, Kind.DATE)
    assert (cover.lower, cover.upper, cover.count) == (lower, upper, days)


@pytest.mark.parametrize("label", ["2024-13", "30-20", "x-y", "Europe", "2024-02-31", "[5, 2020-01-01]", ""])
@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.DATE])
def test_what_names_no_bounds_is_no_range(label, kind):
    assert range_cover(label, kind) is None


def test_only_whole_ranges_can_be_counted():
    assert range_cover("20-24", Kind.NUMBER, whole=True).count == 5
    assert range_cover("20-24", Kind.NUMBER).count is None
    assert range_cover("90+", Kind.NUMBER, whole=True).count is None


@pytest.mark.parametrize(
    ("cover", "held", "not_held"),
    [
        (masked_right_cover("12**"), ["1234", "12**"], ["123", "1334", "12345"]),
        (masked_left_cover("**34"), ["1234"], ["34", "1243"]),
        (beginning_cover("12*"), ["12", "1234"], ["1", "21"]),
        (between_cover("apple..cherry"), ["apple", "banana", "cherry"], ["cherry pie", "Apple"]),
        (union_covers("(a|b)'")[0], ["a", "b"], ["c", "(a|b)"]),
        (value_cover("a", Kind.CATEGORY), ["a"], ["b"]),
        (EVERYTHING, ["a"], []),
        (NAME, ["a"], []),
    ],
)
def test_texts_are_held_as_the_label_says(cover, held, not_held):
    assert all(cover.holds(text, None) for text in held)
    assert not any(cover.holds(text, None) for text in not_held)


def test_bounds_hold_numbers_by_size_and_days_by_the_calendar():
    half_open, years = range_cover("[9, 10)", Kind.NUMBER), range_cover("2020", Kind.DATE)
    assert half_open.holds("9.99", 9.99)
    assert not half_open.holds("10", 10)
    assert value_cover("5", Kind.NUMBER).holds("5", number_of("5", Kind.NUMBER))
    assert years.holds("2020-02-29", "2020-02-29")
    assert not years.holds("2021-01-01", "2021-01-01")


def test_levels_count_what_lies_within():
    labels = ["0-39", "20-29", "20-24", "40-79", "23"]
    covers = [
        *(range_cover(label, Kind.NUMBER, whole=True) for label in labels[:-1]),
        value_cover("23", Kind.NUMBER),
        EVERYTHING,
    ]
    assert levels_of(covers, nested=True) == [3, 2, 1, 1, 0, 4]
    assert levels_of(covers, nested=False) == [1, 1, 1, 1, 0, 2]


def test_levels_of_masks_keep_lengths_apart():
    covers = [masked_right_cover(label) for label in ("1***", "12**", "123*", "1**")]
    assert levels_of(covers, nested=True) == [3, 2, 1, 1]


@pytest.mark.parametrize(
    ("inner", "outer", "within"),
    [
        ("20-24", "20-29", True),
        ("20-29", "20-24", False),
        ("[20, 25)", "[20, 25]", True),
        ("[20, 25]", "[20, 25)", False),
        ("90+", "<10", False),
        ("<5", "<10", True),
        ("90+", "80+", True),
    ],
)
def test_ranges_lie_within_wider_ones(inner, outer, within):
    assert is_within(range_cover(inner, Kind.NUMBER), range_cover(outer, Kind.NUMBER)) is within


def test_other_forms_lie_within_their_like():
    assert is_within(beginning_cover("123*"), beginning_cover("12*"))
    assert not is_within(beginning_cover("12*"), masked_right_cover("12**"))
    assert is_within(masked_left_cover("*234"), masked_left_cover("**34"))
    assert is_within(between_cover("b..c"), between_cover("a..d"))
    assert is_within(Cover(CoverForm.VALUES, values=("a",)), union_covers("(a|b)")[0])
    assert not is_within(NAME, union_covers("(a|b)")[0])
    assert is_within(NAME, EVERYTHING)
    assert not is_within(value_cover("a", Kind.CATEGORY), NAME)
