import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.sets.equal_sets.gray_order import gray_order, hamming_distances
from shoal.table.columns import Sets, category_domain
from tests.examples import examples
from tests.reference import km_parts

ITEMS = 9


def arrays_of(sets, item_count=ITEMS):
    starts = np.cumsum([0, *map(len, sets)])
    domain = category_domain([str(item) for item in range(item_count)])
    return Sets.of(starts, [item for each in sets for item in sorted(each)], domain).arrays


@examples(200)
@given(st.lists(st.sets(st.integers(0, ITEMS - 1)), max_size=25))
def test_order_is_that_of_the_code_as_a_number(sets):
    assert gray_order(arrays_of(sets), ITEMS).tolist() == km_parts.gray_order(sets, ITEMS)


@examples(100)
@given(
    st.lists(st.sets(st.integers(0, ITEMS - 1)), max_size=25),
    st.sampled_from([2**10, 2**31, 2**62]),
)
def test_order_is_the_same_when_few_digits_fit_into_a_number(sets, item_count):
    assert gray_order(arrays_of(sets), item_count).tolist() == km_parts.gray_order(sets, ITEMS)


def test_neighbours_of_all_sets_differ_in_one_item():
    sets = [{item for item in range(6) if number >> item & 1} for number in range(64)]
    order = gray_order(arrays_of(sets), 6)
    assert sets[order[0]] == set()
    assert hamming_distances(arrays_of(sets), order).tolist() == [1] * 63


def test_items_beyond_the_bits_of_a_number():
    sets = [{0, 4000}, {4000}, {0}, {0, 4000, 4999}, set()]
    assert gray_order(arrays_of(sets, 5000), 5000).tolist() == [4, 1, 0, 3, 2]


@settings(deadline=None)
@given(st.lists(st.sets(st.integers(0, ITEMS - 1)), min_size=1, max_size=8))
def test_hamming_distance_counts_what_only_one_of_two_neighbours_holds(sets):
    rows = np.arange(len(sets))[::-1]
    expected = [len(sets[row] ^ sets[row - 1]) for row in rows[:-1]]
    assert hamming_distances(arrays_of(sets), rows).tolist() == expected
