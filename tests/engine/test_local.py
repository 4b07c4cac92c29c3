from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.engine import local
from shoal.engine.answers import SizeCounts
from shoal.engine.local import LocalData
from shoal.table.columns import Coded, Table, category_domain
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Sensitive
from tests.builders import local_data, tree
from tests.examples import examples
from tests.reference import grouping, privacy_tables

ROLES = {"age": Quasi(), "zip": Quasi(), "illness": Sensitive()}
cells = st.sampled_from(["x", "y", None])
rows_and_people = st.lists(st.tuples(cells, cells, cells, st.integers(0, 3)), max_size=10)


def test_columns_are_found_by_role_in_table_order():
    roles = {
        "name": Identifier(),
        "age": Quasi(weight=2),
        "illness": Sensitive(),
        "items": QuasiSet(),
        "zip": Quasi(),
        "note": Insensitive(),
    }
    data = local_data([("Ann", "30", "flu", ["a"], "1", "n")], roles)
    assert data.quasi == ("age", "zip")
    assert data.quasi_sets == ("items",)
    assert data.sensitive == ("illness",)
    assert data.weights() == {"age": 2, "zip": 1}


@given(rows_and_people)
@examples(100)
def test_classes_and_their_people_are_those_of_the_twin(drawn):
    rows, people = [row[:3] for row in drawn], [row[3] for row in drawn]
    data = local_data(rows, ROLES, subjects=people)
    classes = data.classes(data.quasi)
    class_of_row, first_rows = grouping.group_rows([row[:2] for row in rows])
    assert classes.class_of_row.tolist() == class_of_row
    assert classes.first_rows.tolist() == first_rows
    members = grouping.members(class_of_row, len(first_rows))
    assert classes.sizes.tolist() == [len(those) for those in members]
    assert [classes.rows(number).tolist() for number in range(len(classes))] == members
    distinct = [len({people[row] for row in those}) for those in members]
    assert data.people_per_class(classes).tolist() == distinct


@given(rows_and_people)
@examples(100)
def test_histograms_count_rows_or_people_with_each_value(drawn):
    rows, people = [row[:3] for row in drawn], [row[3] for row in drawn]
    data = local_data(rows, ROLES, subjects=people)
    classes = data.classes(data.quasi)
    members = [classes.rows(number).tolist() for number in range(len(classes))]
    dictionaries = [dict(zip(ROLES, row, strict=True)) for row in rows]
    for histogram, who in (
        (data.histogram(classes, "illness"), list(range(len(rows)))),
        (data.subject_histogram(classes, "illness"), people),
    ):
        for number, those in enumerate(members):
            here = [dictionaries[row] for row in those]
            expected = privacy_tables.people_histogram(here, "illness", [who[row] for row in those])
            assert _by_label(data, *histogram.of_class(number)) == expected
            assert histogram.sizes[number] == len({who[r] for r in those if rows[r][2] is not None})
        totals = _by_label(data, range(len(histogram.totals)), histogram.totals)
        assert totals == privacy_tables.people_histogram(dictionaries, "illness", who)


def _by_label(data, values, counts):
    domain = data.table.coded("illness").domain
    return {domain.label(int(v)): int(c) for v, c in zip(values, counts, strict=True)}


@given(rows_and_people, st.integers(1, 4))
@examples(100)
def test_classes_are_counted_without_their_rows(drawn, together):
    data = local_data([row[:3] for row in drawn], ROLES)
    classes = data.classes(data.quasi)
    counts = data.class_counts(data.quasi)
    assert counts.first_rows.tolist() == classes.first_rows.tolist()
    assert counts.sizes.tolist() == classes.sizes.tolist()
    with mock.patch.object(local, "_ROWS_COUNTED_TOGETHER", together):
        sizes = data.size_counts()
    expected = SizeCounts.of(classes.sizes)
    assert sizes.sizes.tolist() == expected.sizes.tolist()
    assert sizes.classes.tolist() == expected.classes.tolist()


def test_without_columns_all_rows_are_one_class():
    data = local_data([("x", "y", None), ("y", "x", "x")], ROLES)
    assert data.classes(()).sizes.tolist() == [2]


def test_codes_too_large_for_one_number_are_still_told_apart():
    """Mixed-radix numbers of such codes would wrap around and meet."""
    columns = {
        "a": [0, 2**40, 2**40, 0],
        "b": [1, 2**40, 2**40, 1],
        "c": [0, 2**40, 0, 2**40],
    }
    table = Table.of({name: Coded.of(codes, category_domain(["x"])) for name, codes in columns.items()})
    data = LocalData(table, {name: Quasi() for name in columns})
    assert data.classes(data.quasi).class_of_row.tolist() == [0, 1, 2, 3]


def test_a_row_is_a_person_unless_subjects_say_otherwise():
    rows = [("x", "y", None)] * 3
    assert local_data(rows, ROLES).people().tolist() == [0, 1, 2]
    assert local_data(rows, ROLES, subjects=[4, 4, 1]).people().tolist() == [4, 4, 1]


def test_labels_are_what_would_be_published():
    colours = tree({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})
    rows = [("red", "1"), ("*", "2"), (None, None)]
    data = local_data(rows, {"colour": Quasi(), "zip": Quasi()}, trees={"colour": colours})
    assert [data.label("colour", row) for row in range(3)] == ["red", "*", None]
    assert [data.label("zip", row) for row in range(3)] == ["1", "2", None]


def test_questions_leave_the_data_as_they_were():
    data = local_data([("x", "y", "x"), ("x", None, "y")], ROLES, subjects=[1, 0])
    before = {name: data.table.coded(name).codes.copy() for name in ROLES}
    classes = data.classes(data.quasi)
    data.histogram(classes, "illness")
    data.subject_histogram(classes, "illness")
    assert all(np.array_equal(data.table.coded(name).codes, codes) for name, codes in before.items())
