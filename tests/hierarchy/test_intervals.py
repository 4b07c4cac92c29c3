import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy.intervals import Interval, holders, overlapping
from tests.hierarchy.trees import modest


@modest
@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=6, unique=True).map(sorted),
    st.sets(st.integers(0, 5)),
    st.lists(st.integers(-2, 22), max_size=10),
)
def test_each_number_is_held_by_the_range_around_it(bounds, last, numbers):
    intervals = {
        f"r{place}": Interval(low, high, high) for place, (low, high) in enumerate(itertools.pairwise(bounds))
    }
    last_siblings = frozenset(f"r{place}" for place in last)
    expected = []
    for number in numbers:
        inside = [label for label, bound in intervals.items() if bound.low <= number < bound.high]
        at_end = [label for label in last_siblings.intersection(intervals) if number == intervals[label].high]
        expected.append((inside or at_end or [None])[0])
    assert holders(intervals, last_siblings, np.array(numbers, dtype=np.float64)) == expected


def test_no_number_is_held_by_nothing():
    assert holders({}, frozenset(), np.array([1.0])) == [None]
    assert holders({"r": Interval(0, 1, 1)}, frozenset("r"), np.array([np.nan])) == [None]


def test_overlaps():
    intervals = {"b": Interval(4, 9, 9), "a": Interval(0, 5, 5), "c": Interval(9, 10, 10)}
    assert overlapping(intervals) == [("a", "b")]
