"""Ways out of a block are united so that no new block is too small."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

from shoal.spark.divide import Size, united_ways


@given(st.lists(st.integers(0, 40), min_size=1, max_size=30), st.integers(1, 15), st.integers(1, 5))
def test_no_block_is_too_small_and_small_ways_make_no_large_one(rows, most, share):
    rows, size = np.array(rows, dtype=np.int64), Size(most, max(1, most // share))
    united = united_ways(rows, size)
    totals = np.bincount(united, rows, len(rows))
    assert totals.sum() == rows.sum()
    assert (united[united] == united).all()
    if rows.sum() >= size.least:
        assert (totals[totals > 0] >= size.least).all() or (totals > 0).sum() == 1
    only_small = np.bincount(united, rows > most, len(rows)) == 0
    assert (totals[only_small] < most + 2 * size.least).all()


def test_a_large_way_takes_in_what_nothing_else_does():
    assert united_ways(np.array([50, 1, 30, 1]), Size(10, 4)).tolist() == [0, 2, 2, 2]
    assert united_ways(np.array([50, 5, 6, 1]), Size(10, 4)).tolist() == [0, 1, 2, 2]
