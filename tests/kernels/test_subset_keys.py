from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.arrays import frozen_sets
from shoal.kernels.rare_itemsets import lay_out
from shoal.kernels.subset_keys import Subsets, next_keys, occurrences_by_first, start_of_keys, tally_keys

BASE = 6


def laid(rows):
    starts = np.cumsum([0, *map(len, rows)])
    items = [item for row in rows for item in sorted(row)]
    each = frozen_sets(np.arange(BASE + 1), np.arange(BASE))
    return lay_out(frozen_sets(starts, items), np.arange(len(rows)), each, BASE)


@given(
    st.lists(st.sets(st.integers(0, BASE - 1)), max_size=8),
    st.integers(2, 4),
    st.sets(st.integers(0, BASE - 1)),
    st.tuples(st.integers(0, BASE), st.integers(0, BASE)),
    st.integers(0, 9),
)
def test_keys_are_all_sets_of_all_rows(rows, size, fresh, ends, more_room):
    first, end = sorted(ends)
    subsets = Subsets(size, BASE, first, end, np.isin(np.arange(BASE), list(fresh)))
    expected = [
        chosen
        for row in rows
        for chosen in combinations(sorted(row), size)
        if first <= chosen[0] < end and not fresh.isdisjoint(chosen)
    ]
    at, room, found = start_of_keys(size), np.empty(BASE + more_room, dtype=np.int64), []
    while filled := next_keys(laid(rows), subsets, at, room):
        found += room[:filled].tolist()
    digits = [tuple(int(digit) for digit in np.base_repr(key, BASE).zfill(size)) for key in found]
    assert digits == expected
    by_first = Counter(chosen[0] for chosen in expected)
    assert occurrences_by_first(laid(rows), subsets).tolist() == [by_first[item] for item in range(BASE)]
    table = np.zeros(BASE**size, dtype=np.int64)
    tally_keys(np.array(found, dtype=np.int64), table)
    assert {key: table[key] for key in np.flatnonzero(table).tolist()} == Counter(found)
