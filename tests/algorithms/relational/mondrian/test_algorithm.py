from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.mondrian.algorithm import Mondrian
from shoal.errors import Cancelled, Infeasible
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.algorithms.relational.tables import tables
from tests.builders import EPOCH, flat_tree, local_data, tree
from tests.examples import examples
from tests.hierarchy.trees import parents_of
from tests.reference.trees import lowest_common_ancestor

MODES = st.sampled_from(["strict", "relaxed"])


def find(data, *models, mode="strict", progress=None):
    return Mondrian(mode=mode).find(data, models, np.random.default_rng(0), progress or Silent())


def labels(data, recoding, column):
    """What each row is published as in a column."""
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1).table.coded(column)
    return [released.domain.label(code) for code in released.codes.tolist()]


def numbers(values, **role):
    return local_data([(value,) for value in values], {"x": Quasi(**{"kind": Kind.NUMBER, **role})})


def found_in(drawn, k, mode):
    """The recoding of a random table; tables that cannot keep the promise are of no interest."""
    try:
        return find(drawn.data, KAnonymity(k), mode=mode)
    except Infeasible:
        assume(False)


@examples(100)
@given(tables(), st.integers(2, 4), MODES)
def test_columns_with_a_tree_are_published_as_the_lowest_common_node(drawn, k, mode):
    recoding = found_in(drawn, k, mode)
    for place, (name, hierarchy) in enumerate(drawn.trees.items()):
        parents = parents_of(hierarchy)
        for group in range(recoding.clusters.cluster_count):
            values = {
                drawn.rows[row][place] for row in np.flatnonzero(recoding.clusters.cluster_of_row == group)
            }
            node = int(recoding.clusters.nodes[name][group])
            if values == {None}:
                assert node == hierarchy.missing
            elif None in values:
                assert node == hierarchy.root
            else:
                assert hierarchy.labels[node] == lowest_common_ancestor(parents, sorted(values))


@examples(100)
@given(tables(), st.integers(2, 4), MODES)
def test_ranges_hold_their_members_and_give_no_extreme_away(drawn, k, mode):
    recoding = found_in(drawn, k, mode)
    names = list(drawn.roles)
    for name, ranges in recoding.clusters.ranges.items():
        place = names.index(name)
        everything = [row[place] for row in drawn.rows if row[place] is not None]
        for group in range(recoding.clusters.cluster_count):
            lower, upper = ranges[group].tolist()
            values = {
                drawn.rows[row][place] for row in np.flatnonzero(recoding.clusters.cluster_of_row == group)
            }
            if values == {None}:
                assert np.isnan(lower)
                assert np.isnan(upper)
            elif None in values:
                assert (lower, upper) == (-np.inf, np.inf)
            elif len(values) == 1:
                assert lower == upper == values.pop()
            else:
                assert lower <= min(values) < max(values) <= upper
                assert lower != min(everything) or lower == 0
                assert upper != max(everything) or upper == 0


@examples(100)
@given(tables(), st.integers(2, 4), MODES)
def test_rows_of_different_groups_are_published_differently(drawn, k, mode):
    recoding = found_in(drawn, k, mode)
    data = drawn.data
    published = list(zip(*(labels(data, recoding, name) for name in data.quasi), strict=True))
    assert len(set(published)) == recoding.clusters.cluster_count


@examples(100)
@given(tables(with_subjects=False), st.integers(2, 4), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_change_strict_groups(drawn, k, random):
    recoding = found_in(drawn, k, "strict")
    shuffled = drawn.rows[:]
    random.shuffle(shuffled)
    again = find(replace(drawn, rows=shuffled).data, KAnonymity(k))
    sizes = [sorted(np.bincount(found.clusters.cluster_of_row).tolist()) for found in (recoding, again)]
    assert sizes[0] == sizes[1]


def test_ranges_lie_between_split_points_and_declared_bounds():
    data = numbers([21, 24, 28, 33, 37, 38], bounds=(0, 120))
    recoding = find(data, KAnonymity(3))
    assert labels(data, recoding, "x") == ["[0, 30]"] * 3 + ["[31, 120]"] * 3
    assert recoding.notices == ()


def test_ranges_of_fractions_share_their_ends():
    data = numbers([0.5, 1.25, 1.5, 2.5], bounds=(0, 10))
    recoding = find(data, KAnonymity(2))
    assert labels(data, recoding, "x") == ["[0, 1.4]"] * 2 + ["[1.4, 10]"] * 2


def test_divided_values_end_one_range_and_begin_the_next():
    data = numbers([1, 3, 3, 4], bounds=(0, 9))
    recoding = find(data, KAnonymity(2), mode="relaxed")
    assert labels(data, recoding, "x") == ["[0, 3]"] * 2 + ["[3, 9]"] * 2


def test_dates_without_a_tree_are_published_as_iso_ranges():
    days = [date(2024, 2, 1), date(2024, 2, 3), date(2024, 8, 1), date(2024, 8, 9)]
    data = numbers(days, kind=Kind.DATE)
    recoding = find(data, KAnonymity(2))
    first, *_, last = labels(data, recoding, "x")
    assert first.startswith("[2024-01-01, ")
    assert last.endswith(", 2024-12-31]")
    lower, upper = recoding.clusters.ranges["x"][recoding.clusters.cluster_of_row[0]]
    assert lower <= (days[0] - EPOCH).days <= upper


def test_ends_derived_from_the_data_are_rounded_and_told():
    recoding = find(numbers([17, 90]), KAnonymity(2))
    assert recoding.clusters.ranges["x"].tolist() == [[10.0, 100.0]]
    assert any("x" in notice and "rounding" in notice for notice in recoding.notices)


def test_missing_values_that_cannot_be_split_off_suppress_the_column():
    data = numbers([1, 2, None, 7, 8], bounds=(0, 10))
    assert labels(data, find(data, KAnonymity(2)), "x") == ["[0, 4]", "[0, 4]", "*", "*", "*"]


def test_missing_values_that_are_many_stay_missing():
    data = numbers([1, 2, None, None], bounds=(0, 10))
    assert labels(data, find(data, KAnonymity(2)), "x") == ["[0, 10]", "[0, 10]", None, None]


def test_one_value_is_published_as_it_is():
    data = numbers([4, 4, 4])
    assert labels(data, find(data, KAnonymity(3)), "x") == ["4", "4", "4"]


def test_suppressed_cells_are_split_off_like_missing_ones():
    towns = tree({"*": {"north": ["a", "b"], "south": ["c"]}})
    rows = [("a",), ("b",), ("*",), ("*",), (None,), (None,)]
    data = local_data(rows, {"town": Quasi()}, trees={"town": towns})
    found = labels(data, find(data, KAnonymity(2)), "town")
    assert found == ["north", "north", "*", "*", None, None]


def test_table_without_quasi_identifiers_is_one_group():
    data = local_data([("flu",), ("cold",)], {"illness": Sensitive()})
    recoding = find(data, KAnonymity(2))
    assert recoding.clusters.cluster_of_row.tolist() == [0, 0]


def test_without_a_k_records_may_be_alone_and_that_is_told():
    rows = [(1, "flu"), (2, "flu"), (3, "cold")]
    data = local_data(rows, {"x": Quasi(kind=Kind.NUMBER, bounds=(0, 9)), "illness": Sensitive()})
    recoding = find(data, TCloseness(0.9))
    assert recoding.clusters.cluster_count == 3
    assert any("no k is promised" in notice for notice in recoding.notices)


@pytest.mark.parametrize("subjects", [None, (1, 2, 3)])
def test_k_above_the_number_of_records_names_the_largest(subjects):
    data = local_data([(1,), (2,), (3,)], {"x": Quasi(kind=Kind.NUMBER)}, subjects=subjects)
    with pytest.raises(Infeasible, match="at most 3") as caught:
        find(data, KAnonymity(4))
    assert caught.value.figures["largest_k"] == 3


def test_people_are_counted_not_rows():
    data = local_data([(1,), (1,), (9,), (9,)], {"x": Quasi(kind=Kind.NUMBER)}, subjects=[1, 1, 2, 3])
    assert find(data, KAnonymity(2)).clusters.cluster_count == 1


def test_parts_published_alike_are_replaced_when_they_are_not_diverse_together():
    """Person 0 has a cold in two parts that are published alike, and counts once in their union."""
    rows = [
        ("a", "x", "flu"),
        ("b", "x", "cold"),
        ("c", "x", "flu"),
        ("d", "x", "cold"),
        ("a", "y", "flu"),
        ("b", "y", "cold"),
        ("c", "y", "flu"),
        ("d", "y", "cold"),
    ]
    data = local_data(
        rows,
        {"letter": Quasi(), "side": Quasi(), "illness": Sensitive()},
        trees={"letter": flat_tree("abcd"), "side": flat_tree("xy")},
        subjects=[1, 0, 2, 0, 3, 4, 5, 6],
    )
    assert find(data, KAnonymity(2), LDiversity(1.5)).clusters.cluster_count == 2
    stricter = find(data, KAnonymity(2), LDiversity(1.6))
    assert stricter.clusters.cluster_count == 1
    assert labels(data, stricter, "side") == ["*"] * 8


class StopsAfter(Silent):
    """Progress whose time is up after some updates."""

    def __init__(self, updates):
        super().__init__()
        self.updates, self.notes = updates, []

    def update(self, done, total=None, note=""):
        super().update(done, total, note)
        self.notes.append((done, total, note))

    def expired(self):
        return len(self.notes) >= self.updates


def test_what_is_left_when_time_is_up_is_published_uncut(monkeypatch):
    monkeypatch.setattr("shoal.algorithms.relational.mondrian.cutting._ROWS_PER_SLICE", 1)
    data = numbers(range(64), bounds=(0, 100))
    watched = StopsAfter(3)
    recoding = find(data, KAnonymity(2), progress=watched)
    assert sorted(np.bincount(recoding.clusters.cluster_of_row).tolist()) == [16, 16, 16, 16]
    assert any("time was up" in notice and "4 parts" in notice for notice in recoding.notices)


def test_search_that_ends_in_time_says_nothing_of_it(monkeypatch):
    monkeypatch.setattr("shoal.algorithms.relational.mondrian.cutting._ROWS_PER_SLICE", 1)
    watched = StopsAfter(1_000)
    recoding = find(numbers(range(64), bounds=(0, 100)), KAnonymity(2), progress=watched)
    assert recoding.clusters.cluster_count == 32
    assert recoding.notices == ()
    assert all(done <= total for done, total, _ in watched.notes)


def test_a_wish_to_stop_is_honoured():
    progress = Silent()
    progress.cancel()
    with pytest.raises(Cancelled):
        find(numbers([1, 2]), KAnonymity(2), progress=progress)
