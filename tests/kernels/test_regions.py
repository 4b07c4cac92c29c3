import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.arrays import frozen_sets
from shoal.kernels.regions import NO_REGION, Boxes, cheapest_parts, settled_regions
from tests.examples import examples
from tests.reference import regions as reference

CODES = 5


@st.composite
def boxes_and_rows(draw):
    columns = draw(st.integers(1, 3))
    intervals = st.tuples(st.integers(0, CODES - 1), st.integers(-1, CODES - 1))
    boxes = draw(st.lists(st.lists(intervals, min_size=columns, max_size=columns), max_size=8))
    row = st.lists(st.integers(0, CODES - 1), min_size=columns, max_size=columns)
    return columns, boxes, draw(st.lists(row, max_size=25))


@examples(200)
@given(boxes_and_rows(), st.integers(1, 4))
def test_rows_settle_where_the_reference_settles_them(drawn, least):
    columns, boxes, rows = drawn
    lower, upper = (
        np.array([[interval[side] for interval in box] for box in boxes], dtype=np.int64).reshape(-1, columns)
        for side in (0, 1)
    )
    codes = np.array(rows, dtype=np.int64).reshape(-1, columns)
    found = settled_regions(codes, Boxes(lower, upper), least)
    sets = [[set(range(low, high + 1)) for low, high in box] for box in boxes]
    expected = reference.settled(rows, sets, least)
    assert [None if each == NO_REGION else each for each in found.tolist()] == expected
    sizes = np.bincount(found[found != NO_REGION], minlength=len(boxes))
    assert all(size == 0 or size >= least for size in sizes)


@examples(60)
@given(st.lists(st.sets(st.integers(0, 3)), max_size=10), st.data())
def test_sets_go_where_their_items_cost_least(sets, data):
    costs = data.draw(
        st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=4, max_size=4), min_size=1)
    )
    arrays = frozen_sets(np.cumsum([0, *map(len, sets)]), [item for items in sets for item in sorted(items)])
    found = cheapest_parts(arrays, np.array(costs))
    for items, part in zip(sets, found.tolist(), strict=True):
        totals = [sum(of_part[item] for item in items) for of_part in costs]
        assert totals[part] == min(totals)
        assert part == totals.index(min(totals))
