import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.set_supports import Intervals, ItemIndex, node_supports, rows_holding, rows_of_leaves
from tests.examples import examples
from tests.kernels.test_sets import arrays
from tests.reference.rare_sets import rows_holding as twin

LEAVES = 40
modest = examples(80)
intervals = st.lists(st.tuples(st.integers(0, LEAVES - 1), st.integers(0, 12)), max_size=3)
# Long rows are searched in another way than short ones.
rows_of_any_length = st.lists(
    st.one_of(
        st.sets(st.integers(0, LEAVES - 1), max_size=6), st.sets(st.integers(0, LEAVES - 1), min_size=18)
    ),
    max_size=12,
)


def index_of(rows):
    sets = arrays(rows)
    return ItemIndex(sets, *rows_of_leaves(sets, LEAVES))


def as_arrays(pairs):
    return Intervals(
        *(np.array(ends, dtype=np.int64) for ends in (zip(*pairs, strict=True) if pairs else ((), ())))
    )


def cut_off(pairs):
    return [(first, min(first + length, LEAVES - 1)) for first, length in pairs]


@modest
@given(rows_of_any_length)
def test_index_lists_the_rows_of_each_leaf(rows):
    index = index_of(rows)
    for leaf in range(LEAVES):
        listed = index.rows[index.starts[leaf] : index.starts[leaf + 1]].tolist()
        assert listed == [row for row, items in enumerate(rows) if leaf in items]


@modest
@given(rows_of_any_length, intervals, intervals)
def test_rows_hold_all_present_and_no_absent_interval(rows, present, absent):
    present, absent = cut_off(present), cut_off(absent)
    expected = twin(rows, present, absent)
    found = rows_holding(index_of(rows), as_arrays(present), as_arrays(absent), len(rows))
    assert sorted(found.tolist()) == expected


@modest
@given(rows_of_any_length, intervals, st.integers(1, 4))
def test_no_more_rows_than_wanted(rows, present, most):
    present = cut_off(present)
    expected = twin(rows, present, [])
    found = rows_holding(index_of(rows), as_arrays(present), as_arrays([]), most).tolist()
    assert len(found) == len(set(found)) == min(most, len(expected))
    assert set(found) <= set(expected)


@modest
@given(st.lists(st.sets(st.integers(0, 3)), max_size=8))
def test_support_of_a_node_counts_each_row_once(rows):
    # Leaves 0..3, the missing value 4, nodes 5 = {0, 1} and 6 = {2, 3}, the root 7.
    parent = np.array([5, 5, 6, 6, 7, 7, 7, 7])
    below = [{0}, {1}, {2}, {3}, set(), {0, 1}, {2, 3}, {0, 1, 2, 3}]
    expected = [sum(bool(items & leaves) for items in rows) for leaves in below]
    assert node_supports(arrays(rows), parent).tolist() == expected
