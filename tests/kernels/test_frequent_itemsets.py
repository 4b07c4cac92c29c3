from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.arrays import SetArrays
from shoal.kernels.frequent_itemsets import ALL, ENDLESS, CountedRows, Kinship, WantedItemsets, mine
from shoal.kernels.itemset_bitmaps import mark_rows, mine_bitmaps, no_bitmaps
from tests.examples import examples
from tests.reference import frequent as reference

ITEMS = 7

weighted_rows = st.lists(st.tuples(st.sets(st.integers(0, ITEMS - 1)), st.integers(1, 3)), max_size=8)


def arrays(rows):
    starts = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    return SetArrays(starts, np.array([item for row in rows for item in sorted(row)], dtype=np.int32))


def listed(itemsets):
    found = [tuple(itemsets.sets.items[start:end].tolist()) for start, end in pairwise(itemsets.sets.starts)]
    return dict(zip(found, itemsets.supports.tolist(), strict=True))


def by_projection(rows, items, wanted, kinship):
    weights = np.array([weight for _, weight in rows], dtype=np.int64)
    return mine(CountedRows(arrays([row for row, _ in rows]), weights), items, wanted, kinship)


def by_bitmaps(rows, items, wanted, kinship):
    """Items have the numbers 0, 2, 4, ... here, so that places and items differ."""
    first, last = (np.repeat(ends, 2) for ends in kinship)
    bits = no_bitmaps(items, len(repeated(rows)))
    mark_rows(arrays(repeated(rows)), np.arange(items), 0, bits)
    found = mine_bitmaps(bits, np.arange(0, 2 * items, 2, dtype=np.int64), wanted, Kinship(first, last))
    halved = SetArrays(found.sets.starts, found.sets.items // 2)
    return found._replace(sets=halved)


ways = pytest.mark.parametrize("by", [by_projection, by_bitmaps])


def mined(by, rows, minimum_support=1, longest=ITEMS, most=ALL, *, items=ITEMS, intervals=()):
    kinship = Kinship(*np.array(intervals, dtype=np.int64).reshape(-1, 2).T.copy())
    found = by(rows, items, WantedItemsets(minimum_support, longest, most, ENDLESS), kinship)
    assert found.complete
    return listed(found)


def repeated(rows):
    return [row for row, weight in rows for _ in range(weight)]


@ways
@given(weighted_rows, st.integers(1, 6), st.integers(1, ITEMS))
@examples(150)
def test_itemsets_and_their_order_equal_those_of_the_twin(by, rows, minimum_support, longest):
    expected = reference.frequent_itemsets(repeated(rows), minimum_support, longest)
    assert list(mined(by, rows, minimum_support, longest).items()) == list(expected.items())


@ways
@given(weighted_rows, st.integers(1, 12), st.integers(1, ITEMS))
@examples(150)
def test_the_best_are_among_those_found_in_order_while_the_minimum_rises(by, rows, most, longest):
    found = mined(by, rows, 1, longest, most)
    assert list(found) == sorted(found)
    everything = reference.frequent_itemsets(repeated(rows), 1, longest)
    assert found.items() <= everything.items()
    assert found.items() >= reference.top_itemsets(repeated(rows), most, longest).items()


@ways
@given(
    weighted_rows,
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=ITEMS, max_size=ITEMS),
)
@examples(100)
def test_items_whose_intervals_overlap_never_stand_together(by, rows, most, drawn):
    intervals = [(first, first + length) for first, length in drawn]

    def apart(itemset):
        covered = [point for item in itemset for point in range(intervals[item][0], intervals[item][1] + 1)]
        return len(covered) == len(set(covered))

    everything = reference.frequent_itemsets(repeated(rows), 1)
    expected = {itemset: support for itemset, support in everything.items() if apart(itemset)}
    assert list(mined(by, rows, intervals=intervals).items()) == list(expected.items())
    best = sorted(expected, key=lambda itemset: (-expected[itemset], itemset))[:most]
    assert set(mined(by, rows, most=most, intervals=intervals)) >= set(best)


@ways
def test_ties_do_not_make_the_search_go_through_all_subsets(by):
    rows = [(set(range(60)), 1)]  # 2^60 itemsets of one and the same support
    found = mined(by, rows, longest=60, most=10, items=60)
    assert list(found) == [tuple(range(size)) for size in range(1, 11)]


@ways
def test_answers_longer_than_the_first_arrays(by):
    found = mined(by, [(set(range(12)), 2)], minimum_support=2, longest=12, items=12)
    assert len(found) == 2**12 - 1
    assert set(found.values()) == {2}
    assert list(found) == sorted(found)


@ways
@pytest.mark.parametrize(("rows", "items"), [([], 3), ([(set(), 2)], 3), ([(set(), 1)], 0)])
def test_nothing_to_find(by, rows, items):
    assert mined(by, rows, items=items) == {}


@ways
@given(weighted_rows, st.integers(0, 30))
@examples(100)
def test_a_search_without_patience_knows_that_it_is_incomplete(by, rows, patience):
    whole = mined(by, rows)
    nobody = Kinship(*np.empty((2, 0), dtype=np.int64))
    found = by(rows, ITEMS, WantedItemsets(1, ITEMS, ALL, patience), nobody)
    assert list(listed(found).items()) == list(whole.items())[: len(found.supports)]
    assert not found.complete or listed(found) == whole


@ways
def test_patience_ends(by):
    found = by([({0, 1, 2}, 1)], 3, WantedItemsets(1, 3, ALL, 0), Kinship(*np.empty((2, 0), dtype=np.int64)))
    assert not found.complete
