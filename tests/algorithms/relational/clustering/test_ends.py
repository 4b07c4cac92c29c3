from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.ends import derived_ends_notice, find_ends, split_points
from shoal.errors import BadInput
from shoal.table.columns import Kind
from shoal.table.roles import Quasi
from tests.builders import EPOCH, flat_tree, local_data


def ends_of(values, **role):
    data = local_data([(value,) for value in values], {"x": Quasi(**{"kind": Kind.NUMBER, **role})})
    return find_ends(data)["x"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([17, 90], (10, 100)),
        ([0, 73], (0, 80)),
        ([-73, 0], (-80, 0)),
        ([-4, 6], (-6, 8)),
        ([1_000, 1_001], (999, 1_002)),
        ([1_000.5, 1_001], (1_000.4, 1_001.1)),
        ([0.3, 0.45], (0.28, 0.46)),
        ([1e-20, 3e-20], (8e-21, 3.2e-20)),
    ],
)
def test_undeclared_ends_are_rounded_outward(values, expected):
    ends = ends_of(values)
    assert (ends.lower, ends.upper) == expected
    assert ends.derived


@given(st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=5, unique=True))
def test_rounded_ends_lie_outside_all_values(values):
    ends = ends_of(values)
    assert ends.lower < min(values) or ends.lower == 0
    assert ends.upper > max(values) or ends.upper == 0


def test_declared_bounds_are_the_ends():
    ends = ends_of([17, 90], bounds=(0, 120))
    assert (ends.lower, ends.upper, ends.derived, ends.whole) == (0.0, 120.0, False, True)


def test_dates_end_with_their_years():
    ends = ends_of([date(2020, 3, 1), date(2021, 12, 31)], kind=Kind.DATE)
    assert ends.lower == (date(2020, 1, 1) - EPOCH).days
    assert ends.upper == (date(2022, 12, 31) - EPOCH).days


def test_the_first_and_last_day_there_is():
    ends = ends_of([date.min, date.max], kind=Kind.DATE)
    assert (ends.lower, ends.upper) == ((date.min - EPOCH).days, (date.max - EPOCH).days)


@pytest.mark.parametrize("values", [[None, None], [5, 5, None]])
def test_columns_with_nothing_to_cut_need_no_ends(values):
    assert not ends_of(values).derived


def test_all_columns_that_cannot_be_cut_are_named():
    data = local_data(
        [("a", 1, 7), ("b", 9, 8)],
        {
            "town": Quasi(),
            "age": Quasi(kind=Kind.NUMBER, bounds=(2, 8)),
            "size": Quasi(kind=Kind.NUMBER, bounds=(8, 9)),
        },
    )
    with pytest.raises(BadInput) as caught:
        find_ends(data)
    town, age, size = map(str, caught.value.problems)
    assert "'town'" in town
    assert "hierarchy" in town
    assert "'age'" in age
    assert "2 values (1, 9) are outside the declared bounds" in age
    assert "1 value (7) is outside" in size


def test_bounds_of_dates_are_days():
    born = Quasi(kind=Kind.DATE, bounds=(-1e9, 1e9))
    data = local_data([(date(2020, 1, 1),), (date(2020, 1, 2),)], {"born": born})
    with pytest.raises(BadInput, match="days since 1970-01-01"):
        find_ends(data)


def test_columns_with_a_tree_need_no_ends():
    data = local_data([("a",)], {"town": Quasi()}, trees={"town": flat_tree("ab")})
    assert find_ends(data) == {}


def test_notice_names_the_columns_whose_ends_depend_on_the_data():
    data = local_data(
        [(1, 1), (9, 9)], {"age": Quasi(kind=Kind.NUMBER), "size": Quasi(kind=Kind.NUMBER, bounds=(0, 10))}
    )
    (notice,) = derived_ends_notice(find_ends(data))
    assert "age" in notice
    assert "size" not in notice
    assert "bounds" in notice


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [(17, 43, 30), (17, 26, 20), (20, 21, 20), (19, 21, 20), (101, 200, 150), (-3, 4, 0), (3, 3, 3)],
)
def test_split_points_between_integers_are_round_and_belong_to_the_left(left, right, expected):
    (point,) = split_points(np.array([float(left)]), np.array([float(right)]), whole=True)
    assert point == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [(0.1, 0.2, 0.15), (1.5, 2.5, 2.0), (9.9, 10.2, 10.0), (0.121, 0.138, 0.13), (-0.5, 0.5, 0.0)],
)
def test_split_points_between_other_numbers_are_the_shortest_decimals(left, right, expected):
    (point,) = split_points(np.array([left]), np.array([right]), whole=False)
    assert point == expected


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), min_size=1, max_size=6), st.booleans())
def test_split_points_lie_between_their_neighbours(pairs, whole):
    if whole:
        pairs = [(float(round(a)), float(round(b))) for a, b in pairs]
    left = np.array([min(pair) for pair in pairs])
    right = np.array([max(pair) for pair in pairs])
    points = split_points(left, right, whole=whole)
    assert (left <= points).all()
    assert ((points < right) | (left == right)).all()
    if whole:
        assert (points == np.round(points)).all()


def test_neighbouring_floats_have_nothing_between_them():
    left = np.array([1.0, 5e-324])
    right = np.nextafter(left, np.inf)
    assert split_points(left, right, whole=False).tolist() == left.tolist()
