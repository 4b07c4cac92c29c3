import itertools
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput
from shoal.hierarchy.binding import bind, tree_of
from shoal.hierarchy.builders import dates, digits, fanout, flat, ranges
from shoal.hierarchy.files import HierarchyFile
from shoal.table.columns import Carried, Domain, Kind
from shoal.table.roles import Quasi, QuasiSet
from tests.builders import column_of_kind, set_column
from tests.hierarchy.trees import assert_numbered_by_intervals, modest, parents_of

COUNTRIES = "Spain;Europe;*\nFrance;Europe;*\nPeru;America;*\n"


@pytest.fixture
def countries(tmp_path):
    path = tmp_path / "countries.csv"
    path.write_text(COUNTRIES)
    return HierarchyFile(path)


def categories(*values):
    return column_of_kind(values, Kind.CATEGORY)


def labels_of(bound):
    """The label of each cell, None where the value is missing."""
    codes = bound.column.codes.tolist()
    return [None if code == bound.tree.missing else bound.tree.labels[code] for code in codes]


def sets_of(bound):
    starts, items = bound.column.arrays
    return [
        [bound.tree.labels[item] for item in items[first:behind]]
        for first, behind in itertools.pairwise(starts)
    ]


def test_codes_become_leaves(countries):
    bound = bind("country", categories("Peru", None, "Spain", "Peru"), Quasi(hierarchy=countries))
    assert labels_of(bound) == ["Peru", None, "Spain", "Peru"]
    assert bound.column.domain.texts() == ["Spain", "France", "Peru"]
    assert bound.column.domain.kind is Kind.CATEGORY
    assert bound.column.domain.numbers is None
    assert bound.column.codes.max() == bound.tree.missing
    assert bound.notices == ()


def test_another_source_may_be_tried():
    role = Quasi(hierarchy=flat())
    assert bind("x", categories("a", "b", "c"), role, fanout(2)).tree.height == 2
    assert tree_of("x", categories("a", "b", "c").domain, role, digits()).height == 1


def test_numbers_of_the_leaves(tmp_path):
    (tmp_path / "age.csv").write_text("30;30s;*\n5.0;young;*\nmany;old;*\n7.5;young;*\n")
    column = column_of_kind([5, 30], Kind.NUMBER)
    bound = bind("age", column, Quasi(kind=Kind.NUMBER, hierarchy=HierarchyFile(tmp_path / "age.csv")))
    assert labels_of(bound) == ["5", "30"]
    assert bound.column.domain.texts() == ["30", "5", "7.5", "many"]
    np.testing.assert_array_equal(bound.column.domain.numbers, [30, 5, 7.5, np.nan])


def test_dates_of_a_file_may_be_written_like_the_data(tmp_path):
    (tmp_path / "born.csv").write_text("31.12.1999;1990s;*\n2001-05-06;2000s;*\n")
    column = column_of_kind([date(1999, 12, 31), date(2001, 5, 6)], Kind.DATE)
    role = Quasi(kind=Kind.DATE, date_format="%d.%m.%Y", hierarchy=HierarchyFile(tmp_path / "born.csv"))
    bound = bind("born", column, role)
    assert labels_of(bound) == ["1999-12-31", "2001-05-06"]
    assert bound.column.domain.numbers.tolist() == column.domain.numbers.tolist()


@pytest.mark.parametrize("labels", [("1.234,5", "2.000", "7"), ("1234.5", "2000", "7")])
def test_numbers_of_a_file_may_be_written_like_the_data(tmp_path, labels):
    (tmp_path / "wage.csv").write_text("".join(f"{label};some;*\n" for label in labels))
    source = HierarchyFile(tmp_path / "wage.csv")
    role = Quasi(kind=Kind.NUMBER, decimal=",", thousands=".", hierarchy=source)
    bound = bind("wage", column_of_kind([7, 1234.5, 2000], Kind.NUMBER), role)
    assert labels_of(bound) == ["7", "1234.5", "2000"]


def test_built_trees_over_dates():
    column = column_of_kind([date(2001, 5, 6), None, date(1999, 12, 31)], Kind.DATE)
    bound = bind("born", column, Quasi(kind=Kind.DATE, hierarchy=dates("year")))
    assert labels_of(bound) == ["2001-05-06", None, "1999-12-31"]


class TestUnknownValues:
    column = staticmethod(lambda: categories("Span", "Peru", "Chile", "Span", None))

    def test_all_are_listed_with_rows_and_what_they_resemble(self, countries):
        with pytest.raises(BadInput) as error:
            bind("country", self.column(), Quasi(hierarchy=countries))
        summary, chile, span = map(str, error.value.problems)
        assert "column 'country': 2 values in 3 cells are not in the hierarchy" in summary
        assert 'unknown = "root" or unknown = "suppress"' in summary
        assert chile == "column 'country', value 'Chile': is not in the hierarchy and stands in 1 row"
        assert "value 'Span': is not in the hierarchy and stands in 2 rows; it resembles 'Spain'" in span

    def test_many_are_counted(self, countries):
        column = categories(*(f"Land {number:02}" for number in range(30)))
        with pytest.raises(BadInput) as error:
            bind("country", column, Quasi(hierarchy=countries))
        assert len(error.value.problems) == 21
        assert "30 values in 30 cells" in str(error.value)

    def test_they_may_hang_under_the_root(self, countries):
        bound = bind("country", self.column(), Quasi(hierarchy=countries, unknown="root"))
        assert labels_of(bound) == ["Span", "Peru", "Chile", "Span", None]
        assert parents_of(bound.tree) == {
            "Spain": "Europe",
            "France": "Europe",
            "Peru": "America",
            "Europe": "*",
            "America": "*",
            "Chile": "*",
            "Span": "*",
        }
        assert_numbered_by_intervals(bound.tree)
        assert len(bound.column.domain) == bound.tree.leaf_count == 5
        assert "2 values in 3 cells that the hierarchy lacks hang directly under its root" in bound.notices[0]

    def test_they_may_be_suppressed(self, countries):
        bound = bind("country", self.column(), Quasi(hierarchy=countries, unknown="suppress"))
        assert labels_of(bound) == ["*", "Peru", "*", "*", None]
        assert bound.tree.leaf_count == 3
        assert bound.notices == (
            "column 'country': 2 values in 3 cells that the hierarchy lacks are suppressed: 'Chile', 'Span'",
        )

    def test_a_value_called_like_a_group_gets_a_leaf_of_its_own(self, countries):
        bound = bind("country", categories("Europe", "Spain"), Quasi(hierarchy=countries, unknown="root"))
        assert labels_of(bound) == ["Europe", "Spain"]
        assert parents_of(bound.tree)["Spain"] == "Europe~"

    def test_values_that_do_not_occur_do_not_matter(self, countries):
        column = categories("Spain", "Chile")
        part = type(column).of(column.codes[:1], column.domain)
        assert labels_of(bind("country", part, Quasi(hierarchy=countries))) == ["Spain"]

    def test_ranges_that_hold_no_value(self, tmp_path):
        text = "range\nname age\ntype int\nheight 2\n\n0,20 has 0,10 10,20\n\n"
        (tmp_path / "age.txt").write_text(text)
        role = Quasi(kind=Kind.NUMBER, hierarchy=HierarchyFile(tmp_path / "age.txt"))
        with pytest.raises(BadInput, match="value '30': is not in the hierarchy"):
            bind("age", column_of_kind([3, 30], Kind.NUMBER), role)
        assert bind("age", column_of_kind([3, 12], Kind.NUMBER), role).tree.height == 2


class TestSets:
    def test_items_are_sorted_as_leaves(self):
        column = set_column([["10", "2"], [], ["1", "10"]])
        bound = bind("items", column, QuasiSet(hierarchy=fanout(2)))
        assert sets_of(bound) == [["2", "10"], [], ["1", "10"]]
        assert bound.column.separator == " "
        assert bound.column.domain.kind is Kind.SET

    def test_unknown_items_vanish(self, countries):
        column = set_column([["Chile", "Peru"], ["Chile"]], "|")
        bound = bind("seen", column, QuasiSet(separator="|", hierarchy=countries, unknown="suppress"))
        assert sets_of(bound) == [["Peru"], []]
        assert "1 value in 2 cells that the hierarchy lacks vanish from their sets" in bound.notices[0]

    def test_unknown_items_may_hang_under_the_root(self, countries):
        column = set_column([["Chile", "Peru"]], "|")
        bound = bind("seen", column, QuasiSet(separator="|", hierarchy=countries, unknown="root"))
        assert sets_of(bound) == [["Peru", "Chile"]]

    def test_labels_lose_the_separator_with_a_notice(self):
        bound = bind(
            "items", set_column([["a", "b"], ["c"]], "."), QuasiSet(separator=".", hierarchy=fanout(2))
        )
        assert "a__b" in bound.tree.labels
        assert bound.notices[0].startswith(
            "column 'items': labels that were taken or contained the separator"
        )

    def test_builders_do_not_see_sensitive_items(self):
        column = set_column([["a", "hiv"], ["b", "z"]])
        bound = bind("items", column, QuasiSet(hierarchy=fanout(2), sensitive=("hiv",)))
        assert parents_of(bound.tree) == {"a": "a..b", "b": "a..b", "a..b": "*", "z": "*", "hiv": "*"}
        assert sets_of(bound) == [["a", "hiv"], ["b", "z"]]

    def test_a_file_may_lack_sensitive_items_or_know_their_place(self, countries):
        column = set_column([["Chile", "Spain"]], "|")
        role = QuasiSet(separator="|", hierarchy=countries, sensitive=("Chile", "Spain"))
        bound = bind("seen", column, role)
        assert parents_of(bound.tree)["Chile"] == "*"
        assert parents_of(bound.tree)["Spain"] == "Europe"
        assert bound.notices == ()

    @modest
    @given(st.lists(st.sets(st.integers(0, 30)), max_size=8), st.integers(2, 4), st.booleans())
    def test_every_set_keeps_its_items(self, rows, size, with_sensitive):
        texts = [[str(item) for item in row] for row in rows]
        role = QuasiSet(hierarchy=fanout(size), sensitive=("7", "20") if with_sensitive else ())
        bound = bind("items", set_column(texts), role)
        assert [set(row) for row in sets_of(bound)] == [set(row) for row in texts]
        starts, items = bound.column.arrays
        for first, behind in itertools.pairwise(starts):
            assert (np.diff(items[first:behind]) > 0).all()


def test_problems_of_a_file_name_the_column(tmp_path):
    (tmp_path / "h.csv").write_text("a;x;*\na;y;*\nb\n")
    with pytest.raises(BadInput) as error:
        bind("country", categories("a"), Quasi(hierarchy=HierarchyFile(tmp_path / "h.csv")))
    assert [problem.column for problem in error.value.problems] == ["country", "country"]
    assert {problem.line for problem in error.value.problems} == {2, 3}


def test_a_builder_that_does_not_fit_names_the_column():
    with pytest.raises(BadInput, match="column 'name': 1 values are no numbers: 'Ann'"):
        bind("name", categories("Ann"), Quasi(hierarchy=ranges(5)))


def test_a_column_without_hierarchy_is_refused():
    with pytest.raises(BadInput, match="column 'x': has no hierarchy"):
        bind("x", categories("a"), Quasi())


def test_a_carried_column_has_none():
    with pytest.raises(TypeError, match="carried"):
        bind("x", Carried(pa.chunked_array([["a"]])), Quasi(hierarchy=flat()))


def test_a_column_of_missing_values():
    empty = Domain(Kind.CATEGORY, pa.array([], type=pa.string()))
    column = type(categories("a")).of([0, 0], empty)
    bound = bind("x", column, Quasi(hierarchy=fanout(2)))
    assert labels_of(bound) == [None, None]
