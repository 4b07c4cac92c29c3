"""The order in which rows are published: each as likely as any other, and from the operating system."""

import numpy as np
import pytest

from shoal.algorithms.search import Search
from shoal.run import in_memory
from shoal.run.in_memory import order_of_publication

ROWS = 24_000


@pytest.fixture(params=[2**20, 5_000, 100])
def _sorted_at_once(request, monkeypatch):
    monkeypatch.setattr(in_memory, "_SORTED_AT_ONCE", request.param)


@pytest.mark.usefixtures("_sorted_at_once")
def test_all_rows_are_there_wherever_they_were():
    order = order_of_publication(ROWS, Search(), np.random.default_rng(0))
    assert np.array_equal(np.sort(order), np.arange(ROWS))
    assert not np.array_equal(order, order_of_publication(ROWS, Search(), np.random.default_rng(0)))
    # Where a row comes says nothing about where it was: in each sixth of both, one in 36 is expected.
    places, rows = np.arange(ROWS) * 6 // ROWS, order.astype(np.int64) * 6 // ROWS
    counts = np.bincount(6 * places + rows, minlength=36)
    spread = np.sqrt(ROWS / 36)
    assert np.abs(counts - ROWS / 36).max() < 6 * spread


@pytest.mark.usefixtures("_sorted_at_once")
def test_few_rows_come_in_every_order():
    seen = {tuple(order_of_publication(3, Search(), np.random.default_rng(0)).tolist()) for _ in range(200)}
    assert len(seen) == 6


def test_order_that_is_asked_for_is_kept():
    kept = order_of_publication(4, Search(keep_order=True), np.random.default_rng(0))
    assert kept.tolist() == [0, 1, 2, 3]
    again = [
        order_of_publication(9, Search(reproducible=True), np.random.default_rng(1)).tolist() for _ in "ab"
    ]
    assert again[0] == again[1]
