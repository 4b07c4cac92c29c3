from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter, UnknownName
from shoal.hierarchy.builders import (
    continents,
    dates,
    digits,
    fanout,
    flat,
    keep,
    mask_left,
    mask_right,
    order,
    prefixes,
    ranges,
)
from shoal.hierarchy.source import TreeSource
from shoal.table.columns import Domain, Kind, category_domain, number_domain
from shoal.table.separators import stays_apart
from tests.hierarchy.trees import assert_numbered_by_intervals, modest, parents_of

TEXT = st.text(st.sampled_from("ab12.-~_"), min_size=1, max_size=4)
TEXTS = st.sets(TEXT, max_size=12).map(sorted)
INTEGERS = st.sets(st.integers(-50, 50), max_size=20).map(sorted)
DAYS = st.sets(st.dates(date(1890, 1, 1), date(2110, 1, 1)), max_size=12).map(sorted)
RANGES = (ranges(5), ranges(1, 2, 4), ranges(0.5, 10, start=3), ranges(5, 10, bottom=-20, top=12))
SEPARATORS = st.sampled_from([None, " ", ",", ".", "_", "~", "..", ", ", "__"])


def integers(*values):
    return number_domain(values, [str(value) for value in values])


def texts(*values):
    return category_domain(sorted(values))


def days(values):
    labels = pa.array([value.isoformat() for value in values], type=pa.string())
    numbers = np.array([(value - date(1970, 1, 1)).days for value in values], dtype=np.float64)
    return Domain(Kind.DATE, labels, numbers)


def path(tree, label):
    node = tree.labels.index(label)
    return [tree.labels[above] for above in (node, *tree.ancestors(node))]


def assert_built_well(tree, domain, separator):
    assert_numbered_by_intervals(tree)
    assert sorted(tree.leaf_labels) == sorted(domain.texts())
    assert tree.labels[tree.root] == "*"
    if separator is not None:
        assert all(stays_apart(label, separator) for label in tree.labels[tree.missing :])


@modest
@given(
    TEXTS,
    SEPARATORS,
    st.sampled_from(
        [
            mask_right(),
            mask_left(),
            digits(),
            flat(),
            fanout(2),
            fanout(3),
            order("b", "a", "1", "2", "ab"),
            keep("a", "1"),
            prefixes(2, 1),
            prefixes(-1, -3, 2, "letters"),
            continents(),
        ]
    ),
)
def test_every_builder_covers_every_text(values, separator, source):
    kept = [value for value in values if separator is None or stays_apart(value, separator)]
    domain = category_domain(kept)
    assert_built_well(source.tree(domain, separator), domain, separator)


@modest
@given(INTEGERS, SEPARATORS, st.sampled_from([*RANGES, fanout(4)]))
def test_every_builder_covers_every_number(values, separator, source):
    domain = integers(*values)
    assert_built_well(source.tree(domain, separator), domain, separator)


@modest
@given(DAYS, SEPARATORS)
def test_calendar_covers_every_date(values, separator):
    domain = days(values)
    kept = None if separator in ("-", "_") else separator
    tree = dates("day", "month", "quarter", "year", "decade", "century").tree(domain, kept)
    assert_built_well(tree, domain, kept)


def test_sources_say_what_they_do():
    sources = [ranges(5, 10), mask_right(), dates("year"), fanout(3), digits(), flat()]
    assert all(isinstance(source, TreeSource) for source in sources)
    assert [source.describe() for source in sources] == [
        "ranges of 5, 10 from 0",
        "masked from the right",
        "dates by year",
        "groups of 3",
        "codes by their beginnings",
        "keep or suppress",
    ]


class TestRanges:
    def test_integers_have_closed_labels(self):
        tree = ranges(5, 10, 20, 40).tree(integers(20, 24, 25, 61))
        assert path(tree, "24") == ["24", "20-24", "20-29", "20-39", "0-39", "*"]
        assert path(tree, "25") == ["25", "25-29", "20-29", "20-39", "0-39", "*"]
        assert path(tree, "61") == ["61", "60-64", "60-69", "60-79", "40-79", "*"]

    def test_negative_numbers_and_a_start(self):
        tree = ranges(5, 10, start=3).tree(integers(-8, 2, 3))
        assert path(tree, "-8")[1:] == ["-12--8", "-17--8", "*"]
        assert path(tree, "2")[1:] == ["-2-2", "-7-2", "*"]
        assert path(tree, "3")[1:] == ["3-7", "3-12", "*"]

    def test_decimals_have_half_open_labels(self):
        tree = ranges(5).tree(number_domain([19.5, 20, 24.99], ["19.5", "20", "24.99"]))
        assert path(tree, "20") == ["20", "[20, 25)", "*"]
        assert path(tree, "19.5") == ["19.5", "[15, 20)", "*"]

    def test_a_bound_belongs_to_the_range_that_it_begins(self):
        tree = ranges(0.1, 0.2).tree(number_domain([0.2, 0.3, 0.7], ["0.2", "0.3", "0.7"]))
        assert path(tree, "0.3") == ["0.3", "[0.3, 0.4)", "[0.2, 0.4)", "*"]
        assert path(tree, "0.7") == ["0.7", "[0.7, 0.8)", "[0.6, 0.8)", "*"]

    @modest
    @given(st.sets(st.integers(-500, 500), min_size=1, max_size=15), st.integers(-20, 20), st.integers(1, 7))
    def test_labels_tell_the_truth(self, hundredths, start, times):
        values = sorted(hundredths)
        domain = number_domain([value / 100 for value in values], [f"{value / 100}" for value in values])
        tree = ranges(0.07, 7 * (times + 1) / 100, start=start / 100).tree(domain)
        for leaf in range(tree.leaf_count):
            for node in list(tree.ancestors(leaf))[:-1]:
                if tree.labels[node].startswith("["):
                    low, high = map(float, tree.labels[node][1:-1].split(", "))
                else:
                    low, high = float(tree.labels[node].split("-")[0]), np.inf
                assert low <= float(tree.labels[leaf]) < high

    def test_width_one_over_integers_is_the_value_itself(self):
        assert path(ranges(1, 3).tree(integers(4, 5)), "4") == ["4", "3-5", "*"]

    def test_texts_that_are_numbers(self):
        tree = ranges(5).tree(texts("10", "9", "2"))
        assert tree.leaf_labels == ("2", "9", "10")

    def test_texts_that_are_no_numbers_are_all_listed(self):
        with pytest.raises(BadInput) as error:
            ranges(5).tree(texts("1", "old", "young"))
        assert "2 values are no numbers: 'old', 'young'" in str(error.value)

    @pytest.mark.parametrize(
        ("widths", "words"),
        [
            ((), "at least one width"),
            ((0,), "above 0"),
            ((5, 12), "multiple of the one before, 5"),
            ((5, 5), "multiple of the one before"),
            ((True,), "above 0"),
            ((float("nan"),), "above 0"),
            (("5",), "above 0"),
        ],
    )
    def test_bad_widths(self, widths, words):
        with pytest.raises(InvalidParameter, match=words):
            ranges(*widths)

    def test_bad_start(self):
        with pytest.raises(InvalidParameter, match="start must be a number"):
            ranges(5, start=float("inf"))


class TestMask:
    def test_from_the_right(self):
        assert path(mask_right().tree(texts("1234", "1299")), "1234") == [
            "1234",
            "123*",
            "12**",
            "1***",
            "*",
        ]

    def test_from_the_left(self):
        tree = mask_left().tree(texts("1234", "9934"))
        assert path(tree, "1234") == ["1234", "*234", "**34", "***4", "*"]
        assert path(tree, "9934") == ["9934", "*934", "**34", "***4", "*"]

    def test_values_of_different_lengths_meet_in_the_root(self):
        tree = mask_right().tree(texts("1", "12", "123"))
        assert parents_of(tree) == {
            "1": "*",
            "12": "1*",
            "1*": "*",
            "123": "12*",
            "12*": "1**",
            "1**": "*",
        }

    def test_a_value_that_looks_like_a_mask_keeps_its_label(self):
        tree = mask_right().tree(texts("12", "1*"))
        assert path(tree, "12") == ["12", "1*~", "*"]
        assert path(tree, "1*") == ["1*", "1*~", "*"]
        assert "'1*' as '1*~'" in tree.notices[0]

    def test_the_mark_of_suppression_cannot_be_a_value(self):
        with pytest.raises(BadInput, match=r"'\*': is a value and also the label of the tree's root"):
            mask_right().tree(texts("12", "*"))


class TestDates:
    def test_all_levels(self):
        levels = ("day", "month", "quarter", "year", "decade", "century")
        tree = dates(*levels).tree(days([date(1969, 12, 31), date(2026, 11, 15)]))
        assert path(tree, "2026-11-15") == [
            "2026-11-15",
            "2026-11",
            "2026-Q4",
            "2026",
            "2020s",
            "2000-2099",
            "*",
        ]
        assert path(tree, "1969-12-31")[4:] == ["1960s", "1900-1999", "*"]

    @pytest.mark.parametrize(("month", "quarter"), [(1, 1), (3, 1), (4, 2), (6, 2), (7, 3), (9, 3), (10, 4)])
    def test_quarters(self, month, quarter):
        tree = dates("quarter").tree(days([date(2024, month, 1)]))
        assert path(tree, f"2024-{month:02}-01")[1] == f"2024-Q{quarter}"

    def test_texts_that_are_dates(self):
        assert path(dates("year").tree(texts("2020-02-29")), "2020-02-29") == ["2020-02-29", "2020", "*"]
        with pytest.raises(BadInput, match="1 values are no dates: 'soon'"):
            dates("year").tree(texts("2020-02-29", "soon"))

    def test_bad_levels(self):
        with pytest.raises(InvalidParameter, match="from fine to coarse"):
            dates("year", "month")
        with pytest.raises(InvalidParameter, match="some of day, month"):
            dates()
        with pytest.raises(UnknownName, match="did you mean 'month'"):
            dates("months")


class TestFanout:
    def test_groups_of_groups(self):
        tree = fanout(2).tree(texts(*"abcd"))
        assert parents_of(tree) == {
            "a": "a..b",
            "b": "a..b",
            "c": "c..d",
            "d": "c..d",
            "a..b": "*",
            "c..d": "*",
        }

    def test_a_group_of_one_is_not_made(self):
        tree = fanout(5).tree(integers(*range(1, 7)))
        assert parents_of(tree) == {**dict.fromkeys("12345", "1-5"), "6": "*", "1-5": "*"}
        assert tree.leaf_labels == tuple("123456")

    def test_a_node_may_move_up_several_levels(self):
        tree = fanout(2).tree(integers(*range(1, 10)))
        assert path(tree, "9") == ["9", "*"]
        assert path(tree, "1") == ["1", "1-2", "1-4", "1-8", "*"]

    def test_the_last_group_may_be_smaller(self):
        tree = fanout(3).tree(integers(*range(1, 6)))
        assert parents_of(tree) == {
            **dict.fromkeys("123", "1-3"),
            **dict.fromkeys("45", "4-5"),
            "1-3": "*",
            "4-5": "*",
        }

    def test_one_group_is_the_root(self):
        assert parents_of(fanout(5).tree(texts("a", "b"))) == {"a": "*", "b": "*"}
        assert parents_of(fanout(5).tree(texts("a"))) == {"a": "*"}

    def test_texts_that_are_numbers_are_sorted_as_numbers(self):
        tree = fanout(2).tree(texts("10", "2", "1"))
        assert tree.leaf_labels == ("1", "2", "10")
        assert path(tree, "2") == ["2", "1-2", "*"]

    def test_dates_are_joined_like_texts(self):
        values = [date(2020, 1, 1) + timedelta(days=day) for day in range(3)]
        assert path(fanout(2).tree(days(values)), "2020-01-01")[1] == "2020-01-01..2020-01-02"

    @modest
    @given(st.integers(1, 60), st.integers(2, 6))
    def test_no_group_of_one_and_none_too_large(self, count, size):
        tree = fanout(size).tree(integers(*range(count)))
        widths = [len(tree.children(node)) for node in range(tree.missing + 1, tree.node_count)]
        assert max(widths) <= size
        assert min(widths) >= 2 or count == 1
        assert tree.leaf_labels == tuple(str(value) for value in range(count))

    def test_the_separator_is_replaced(self):
        tree = fanout(2).tree(texts("a", "b", "c"), ".")
        assert path(tree, "a") == ["a", "a__b", "*"]
        assert "'a..b' as 'a__b'" in tree.notices[0]

    def test_labels_that_would_coincide(self):
        tree = fanout(2).tree(texts("a", "a..b", "b", "c"))
        assert path(tree, "a") == ["a", "a..a..b", "*"]
        assert_numbered_by_intervals(fanout(2).tree(texts("a", "b", "a..b", "a..b~")))

    def test_bad_size(self):
        for size in (1, 0, 2.0, True):
            with pytest.raises(InvalidParameter, match="integer of 2 or more"):
                fanout(size)


class TestDigits:
    def test_a_code_is_a_leaf_under_its_own_prefix(self):
        tree = digits().tree(texts("1", "12", "123", "124", "13", "2"))
        assert parents_of(tree) == {
            "1": "1*",
            "12": "12*",
            "123": "12*",
            "124": "12*",
            "13": "1*",
            "12*": "1*",
            "1*": "*",
            "2": "*",
        }
        assert tree.leaf_labels == ("1", "12", "123", "124", "13", "2")

    def test_chains_are_skipped(self):
        assert parents_of(digits().tree(texts("1200", "1299", "3"))) == {
            "1200": "12*",
            "1299": "12*",
            "12*": "*",
            "3": "*",
        }

    def test_a_beginning_of_all_codes_is_the_root(self):
        assert parents_of(digits().tree(texts("E10", "E11"))) == {"E10": "*", "E11": "*"}

    @modest
    @given(TEXTS)
    def test_nodes_are_the_beginnings_at_which_codes_part(self, codes):
        tree = digits().tree(category_domain(codes))
        parting = {
            code[:length]
            for code in codes
            for length in range(len(code) + 1)
            if len({other[: length + 1] for other in codes if other.startswith(code[:length])}) > 1
        }
        assert tree.node_count - tree.leaf_count - 1 == max(1, len(parting))


class TestEnds:
    def test_numbers_beyond_the_ends_share_a_label_and_ranges_end_there(self):
        tree = ranges(5, 20, bottom=10, top=72).tree(integers(3, 9, 10, 18, 70, 71, 72, 95))
        assert path(tree, "3")[1:] == ["<10", "*"]
        assert path(tree, "9")[1:] == ["<10", "*"]
        assert path(tree, "10")[1:] == ["10-14", "10-19", "*"]
        assert path(tree, "71")[1:] == ["70-71", "60-71", "*"]
        assert path(tree, "72")[1:] == ["72+", "*"]

    def test_decimals_have_ends_too(self):
        tree = ranges(1, top=2.5).tree(number_domain([2.2, 2.5], ["2.2", "2.5"]))
        assert path(tree, "2.2")[1:] == ["[2, 2.5)", "*"]
        assert path(tree, "2.5")[1:] == ["2.5+", "*"]

    @pytest.mark.parametrize("ends", [{"top": "x"}, {"bottom": 5, "top": 5}, {"top": float("nan")}])
    def test_ends_are_numbers_in_order(self, ends):
        with pytest.raises(InvalidParameter):
            ranges(5, **ends)


def test_neighbours_on_a_scale_are_together_whatever_their_letters():
    tree = order("none", "low", "high", "highest", "beyond").tree(
        texts("none", "low", "high", "beyond", "odd")
    )
    assert path(tree, "none") == ["none", "none..low", "none..highest", "*"]
    assert path(tree, "high") == ["high", "high..highest", "none..highest", "*"]
    assert path(tree, "beyond")[-1] == "*"
    assert path(tree, "odd") == ["odd", "*"]


def test_rare_values_share_a_label():
    assert parents_of(keep("a", "b").tree(texts("a", "c", "d"))) == {
        "a": "*",
        "c": "other",
        "d": "other",
        "other": "*",
    }


def test_codes_stand_under_their_beginnings():
    tree = prefixes(3, 1).tree(texts("E11", "E11.9", "E12.0", "I10"))
    assert path(tree, "E11") == ["E11", "E11*", "E*", "*"]
    assert path(tree, "E11.9") == ["E11.9", "E11*", "E*", "*"]
    assert path(tree, "I10") == ["I10", "I10*", "I*", "*"]


def test_beginnings_may_be_counted_from_the_end_and_end_with_letters():
    tree = prefixes(-3, "letters").tree(texts("M1 1AE", "M12 5XX", "ME1 1AA", "SW1A2AA", "17", "x"))
    assert path(tree, "M1 1AE") == ["M1 1AE", "M1 *", "M*", "*"]
    assert path(tree, "M12 5XX") == ["M12 5XX", "M12 *", "M*", "*"]
    assert path(tree, "SW1A2AA") == ["SW1A2AA", "SW1A*", "SW*", "*"]
    assert path(tree, "ME1 1AA")[2] == "ME*"
    assert path(tree, "17") == ["17", "*"]


@pytest.mark.parametrize("lengths", [(3, -1), ("letters", 2), (-3, -2), (0,), (2, 2), ("words",), (2.5,)])
def test_lengths_of_beginnings_fall(lengths):
    with pytest.raises(InvalidParameter, match="prefixes"):
        prefixes(*lengths)


def test_countries_stand_under_their_continents_in_many_languages():
    values = ["DE", "FRA", "Polska", "日本", "Brasil", "Österreich", "nowhere"]
    parents = parents_of(continents().tree(texts(*values)))
    assert [parents[value] for value in values] == ["Europe"] * 3 + ["Asia", "Americas", "Europe", "*"]


@pytest.mark.parametrize("recipe", [order, keep, prefixes])
def test_lists_must_hold_something(recipe):
    with pytest.raises(InvalidParameter):
        recipe()


def test_flat_keeps_or_suppresses():
    assert parents_of(flat().tree(texts("a", "b"))) == {"a": "*", "b": "*"}


def test_a_column_without_values_has_a_root_and_the_missing_value():
    for source in (ranges(5), dates("year"), fanout(2), digits(), flat(), keep("a"), prefixes(1)):
        assert source.tree(texts()).labels == ("", "*")


def test_the_separator_must_leave_the_root_alone():
    with pytest.raises(BadInput, match="separator '\\*' contains"):
        flat().tree(texts("a"), "*")


@pytest.mark.parametrize("source", [ranges(5, 100), mask_right(), fanout(2), digits(), flat()])
def test_a_hundred_thousand_values_are_no_burden(source):
    domain = category_domain(sorted(map(str, range(100_000))))
    assert source.tree(domain, " ").leaf_count == 100_000
