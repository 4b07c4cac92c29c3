import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.arrays import frozen_sets
from shoal.kernels.grouping import group_sets
from tests.examples import examples
from tests.reference import grouping


def arrays(sets):
    starts = np.concatenate(([0], np.cumsum([len(items) for items in sets], dtype=np.int64)))
    return frozen_sets(starts, [item for items in sets for item in sorted(items)])


@given(st.lists(st.frozensets(st.integers(0, 3)), max_size=12))
@examples(100)
def test_rows_share_a_class_exactly_when_their_sets_are_equal(sets):
    class_of_row, first_rows = group_sets(arrays(sets))
    assert (class_of_row.tolist(), first_rows.tolist()) == grouping.group_rows(
        [tuple(sorted(s)) for s in sets]
    )


def test_a_set_and_the_beginning_of_another_stay_apart():
    assert group_sets(arrays([{1}, {1, 2}, set(), {1, 2, 3}, {1, 2}]))[0].tolist() == [0, 1, 2, 3, 1]


def test_many_distinct_sets_stay_apart():
    sets = [{number, number + 2**30} for number in range(3_000)]
    assert group_sets(arrays(sets + sets))[0].tolist() == [*range(3_000), *range(3_000)]
