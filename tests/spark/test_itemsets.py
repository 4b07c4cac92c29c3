"""Counts of parts, added up, are the counts of the whole."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

from shoal.kernels.arrays import SetArrays, frozen_ints
from shoal.spark import itemsets
from shoal.spark.encoded_sets import chunks_of, sets_of
from shoal.spark.itemsets import ItemsetQuestion, SpreadSets
from tests.examples import examples
from tests.spark.parts import dealt

ITEMS = 7
ROWS = st.lists(st.sets(st.integers(0, ITEMS - 1)), min_size=1, max_size=20)


def arrays(rows):
    sizes = [0, *(len(row) for row in rows)]
    return SetArrays(
        frozen_ints(np.cumsum(sizes)), frozen_ints([item for row in rows for item in sorted(row)])
    )


def spread(rows, most_items=5, parts=3):
    return SpreadSets(dealt(chunks_of(arrays(rows), most_items), parts), ITEMS)


def question(size, fresh=range(ITEMS), first=0, end=ITEMS, base=ITEMS):
    return ItemsetQuestion(
        size=size, base=base, fresh=np.isin(np.arange(base), list(fresh)), first=first, end=end
    )


def supports(rows, size, fresh=range(ITEMS), first=0, end=ITEMS):
    found = Counter(chosen for row in rows for chosen in combinations(sorted(row), size))
    return {
        chosen: count
        for chosen, count in found.items()
        if first <= chosen[0] < end and not set(chosen).isdisjoint(fresh)
    }


@given(ROWS, st.integers(1, 9))
def test_chunks_hold_all_rows_in_order(rows, most_items):
    chunks = list(sets_of(chunks_of(arrays(rows), most_items)))
    found = [
        set(chunk.items[start:end].tolist())
        for chunk in chunks
        for start, end in zip(chunk.starts, chunk.starts[1:], strict=False)
    ]
    assert found == rows
    assert all(len(chunk.items) <= most_items or len(chunk.starts) == 2 for chunk in chunks)


@examples(40)
@given(
    ROWS,
    st.integers(2, 4),
    st.integers(1, 4),
    st.sets(st.integers(0, ITEMS - 1)),
    st.tuples(st.integers(0, ITEMS), st.integers(0, ITEMS), st.integers(1, 50)),
)
def test_sets_below_k_are_listed_in_order(rows, size, k, fresh, limits):
    (first, end), most = sorted(limits[:2]), limits[2]
    asked = question(size, fresh, first, end)
    expected = supports(rows, size, fresh, first, end)
    rare = sorted(chosen for chosen, count in expected.items() if count < k)
    found, after = [], -1
    sets = spread(rows)
    while True:
        (listed,) = sets.rare([replace(asked, after=after)], np.arange(ITEMS), k, most, expected=10)
        found += zip(map(tuple, asked.sets(listed.keys).tolist()), listed.supports.tolist(), strict=True)
        assert listed.occurrences == sum(expected.values())
        if not listed.more:
            break
        after = int(listed.keys[-1])
    assert found == [(chosen, expected[chosen]) for chosen in rare]


@pytest.mark.parametrize("buckets", [1, 3])
def test_sorted_keys_and_a_table_of_all_keys_count_the_same(monkeypatch, buckets):
    rows = [set(np.random.default_rng(seed).integers(0, ITEMS, 4).tolist()) for seed in range(50)]
    asked = question(3)
    (by_table,) = spread(rows).rare([asked], np.arange(ITEMS), 4, 100, expected=1)
    monkeypatch.setattr(itemsets, "_LARGEST_TABLE", 0)
    monkeypatch.setattr(itemsets, "KEYS_AT_ONCE", 8)
    monkeypatch.setattr(itemsets, "_KEYS_PER_BUCKET", 1)
    (by_sorting,) = spread(rows).rare([asked], np.arange(ITEMS), 4, 100, expected=buckets)
    assert by_table.keys.tolist() == by_sorting.keys.tolist()
    assert by_table.supports.tolist() == by_sorting.supports.tolist()


@examples(30)
@given(ROWS, st.integers(2, 3), st.integers(1, 4))
def test_the_rarest_set(rows, size, k):
    expected = supports(rows, size)
    found = spread(rows).rarest(question(size), np.arange(ITEMS), k, expected=10)
    if not expected:
        assert found.support == 0
        return
    support, chosen = min((count, chosen) for chosen, count in expected.items())
    assert (found.support, found.below) == (support, sum(count < k for count in expected.values()))
    assert tuple(question(size).sets(np.array([found.key]))[0].tolist()) == chosen


@examples(30)
@given(ROWS, st.integers(2, 4), st.sets(st.integers(0, ITEMS - 1)))
def test_occurrences_by_first_number(rows, size, fresh):
    counts = spread(rows).occurrences(question(size, fresh), np.arange(ITEMS))
    expected = Counter()
    for chosen, count in supports(rows, size, fresh).items():
        expected[chosen[0]] += count
    assert counts.tolist() == [expected[number] for number in range(ITEMS)]


@examples(30)
@given(ROWS, st.integers(0, ITEMS - 1), st.integers(0, ITEMS - 1))
def test_supports_of_intervals(rows, one, other):
    lower, upper = sorted((one, other))
    first, last = np.array([[lower, upper], [0, 1]]), np.array([[upper, ITEMS - 1], [ITEMS - 1, 0]])
    found = spread(rows).supports(first, last, most=100)
    both = sum(
        any(lower <= item <= upper for item in row) and any(upper <= item for item in row) for row in rows
    )
    assert found.tolist() == [both, sum(bool(row) for row in rows)]


def test_totals_count_rows_items_and_nodes():
    rows = [{0, 1}, set(), {1, 2, 6}]
    parent = np.array([7, 7, 7, 8, 8, 8, 8, 9, 9, 9])
    totals = spread(rows, most_items=2).totals(parent)
    assert (totals.rows, totals.non_empty, totals.longest) == (3, 2, 3)
    assert totals.occurrences.tolist() == [1, 2, 1, 0, 0, 0, 1]
    assert totals.supports.tolist() == [1, 2, 1, 0, 0, 0, 1, 2, 1, 2]
