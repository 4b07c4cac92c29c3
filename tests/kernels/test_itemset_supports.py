import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.arrays import frozen_ints, frozen_sets
from shoal.kernels.itemset_supports import (
    MOST_COUNTED,
    NEVER_GUESSED,
    SHARE_OF_ROWS,
    GroupedRows,
    ItemRows,
    itemset_supports,
    pair_supports,
    pairs_fit_into_table,
)
from tests.examples import examples
from tests.reference import privacy_sets as reference

ITEMS = 6


def arrays(sets):
    starts = np.concatenate(([0], np.cumsum([len(items) for items in sets], dtype=np.int64)))
    return frozen_sets(starts, [item for items in sets for item in sorted(items)])


def supports(sets, m, k=1, *, sensitive=None, whole_of=(), groups=None, quasi_count=ITEMS):
    sensitive = [set()] * len(sets) if sensitive is None else sensitive
    groups = [range(len(sets))] if groups is None else groups
    return itemset_supports(
        ItemRows(arrays(sets), quasi_count, arrays(sensitive), frozen_ints(whole_of)),
        GroupedRows(
            frozen_ints(np.concatenate(([0], np.cumsum([len(group) for group in groups], dtype=np.int64)))),
            frozen_ints([row for group in groups for row in group]),
        ),
        m,
        k,
    )


# With many possible items a pass notes the new ones on the way, with few it looks for them afterwards.
few_or_many = st.sampled_from([ITEMS, 200])
many_sets = st.lists(st.sets(st.integers(0, ITEMS - 1)), max_size=9)


@given(many_sets, st.integers(0, 4), st.integers(1, 4), few_or_many)
@examples(300)
def test_the_rarest_itemset_is_the_first_of_the_smallest_support(sets, m, k, quasi_count):
    found = supports(sets, m, k, quasi_count=quasi_count)
    truth = reference.rarest(sets, m)
    smallest, itemset = (0, ()) if truth is None else truth
    assert (found.smallest, tuple(found.itemset)) == (smallest, itemset)
    assert found.below == reference.below(sets, m, k)


@given(many_sets, st.integers(1, 4))
@examples(150)
def test_a_table_of_pairs_gives_the_same_answer(sets, k):
    in_table, searched = pair_supports(arrays(sets), ITEMS, k), supports(sets, 2, k)
    for field, other in zip(in_table, searched, strict=True):
        assert np.array_equal(field, other)


def test_a_table_of_pairs_is_used_where_it_is_small_and_not_mostly_empty():
    sets = arrays([set(range(100))] * 50)
    assert pairs_fit_into_table(sets, 1_000)
    assert not pairs_fit_into_table(sets, 2_000)
    assert not pairs_fit_into_table(arrays([set(range(30_000))]), 30_000)


@given(st.data(), st.integers(0, 3), few_or_many)
@examples(150)
def test_groups_are_counted_each_on_its_own(data, m, quasi_count):
    sets = data.draw(many_sets)
    group_of_row = data.draw(st.lists(st.integers(0, 3), min_size=len(sets), max_size=len(sets)))
    groups = [[row for row, group in enumerate(group_of_row) if group == number] for number in range(4)]
    found = supports(sets, m, groups=groups, quasi_count=quasi_count)
    truths = [reference.rarest([sets[row] for row in group], m) for group in groups]
    assert found.smallest_in_group.tolist() == [0 if truth is None else truth[0] for truth in truths]
    occurring = [(*truth, number) for number, truth in enumerate(truths) if truth]
    if occurring:
        smallest, itemset, group = min(occurring, key=lambda truth: (truth[0], len(truth[1]), truth[2]))
        assert (found.smallest, tuple(found.itemset), found.group) == (smallest, itemset, group)


@given(st.data(), st.integers(0, 3), few_or_many)
@examples(200)
def test_the_likeliest_guess_is_the_first_of_the_largest_share(data, m, quasi_count):
    sets = data.draw(many_sets)
    secrets = data.draw(st.lists(st.sets(st.integers(0, 2)), min_size=len(sets), max_size=len(sets)))
    found = supports(sets, m, sensitive=secrets, whole_of=[SHARE_OF_ROWS] * 3, quasi_count=quasi_count)
    truth = reference.likeliest_guess(sets, secrets, m)
    if truth is None:
        assert found.guessed == -1
    else:
        assert (tuple(found.known), found.guessed, found.holding, found.knowing) == truth


@given(st.data(), st.integers(0, 3))
@examples(80)
def test_shares_of_values_are_shares_of_those_that_are_there(data, m):
    sets = data.draw(many_sets)
    values = data.draw(
        st.lists(st.sampled_from([0, 1, None]), min_size=len(sets), max_size=len(sets)),
    )
    secrets = [set() if value is None else {value, 2} for value in values]
    found = supports(sets, m, sensitive=secrets, whole_of=[2, 2, NEVER_GUESSED])
    assert found.holding == reference.largest_share(_named(sets), m, columns=[values]) * found.knowing


def _named(sets):
    return [{f"i{item}" for item in items} for items in sets]


def test_the_empty_itemset_has_no_support_but_can_give_something_away():
    found = supports([set(), set()], 2, k=5, sensitive=[{0}, set()], whole_of=[SHARE_OF_ROWS])
    assert (found.smallest, found.below, found.guessed, len(found.known)) == (0, 0, 0, 0)
    assert (found.holding, found.knowing) == (1, 2)


def test_nothing_is_found_where_there_is_nothing():
    found = supports([], 3, sensitive=[], whole_of=[SHARE_OF_ROWS], quasi_count=0)
    assert (found.smallest, found.guessed) == (0, -1)


def test_among_equals_a_short_itemset_comes_first_then_the_first_group_then_the_first_items():
    sets = [{0, 1}, {2, 3}, {3, 4}, {0}, {2, 3}, {3}]
    found = supports(sets, 2, groups=[[3, 0], [1, 2, 4, 5]])
    assert (found.smallest, found.itemset.tolist(), found.group) == (1, [1], 0)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_an_item_that_only_short_records_hold_counts_whatever_m_is(m):
    found = supports([{0, 1, 2}] * 3 + [{3}] * 2, m, k=3)
    assert (found.smallest, found.itemset.tolist(), found.below) == (2, [3], 1)


def test_large_counts_agree_with_a_dense_table_whatever_way_they_are_counted():
    rng = np.random.default_rng(5)
    sets = [set((rng.random(rng.integers(0, 12)) ** 3 * 40).astype(int).tolist()) for _ in range(2_000)]
    pairs = np.zeros((40, 40), dtype=np.int64)
    for items in sets:
        for left in items:
            for right in items:
                pairs[left, right] += left <= right
    occurring = pairs[pairs > 0]
    found = supports(sets, 2, k=50, quasi_count=40)
    assert found.smallest == occurring.min()
    assert found.below == np.count_nonzero(occurring < 50)
    assert pairs[found.itemset[0], found.itemset[-1]] == found.smallest


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="a billion steps are for compiled code")
def test_a_record_of_50000_items_costs_its_own_pairs_only():
    long, n = set(range(50_000)), 50_000
    alone = supports([long, {0}, {0}], 2, k=2, quasi_count=n)
    assert (alone.smallest, alone.itemset.tolist()) == (1, [1])
    assert alone.below == n - 1 + n * (n - 1) // 2
    assert supports([long], 40, k=2, quasi_count=n).below == MOST_COUNTED


def test_a_record_that_is_there_twice_is_counted_in_full():
    found = supports([set(range(300))] * 2, 2, k=3, quasi_count=300)
    assert (found.smallest, found.below) == (2, 300 + 300 * 299 // 2)
