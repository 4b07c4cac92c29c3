from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engine.answers import SizeCounts
from shoal.kernels.arrays import frozen_ints
from shoal.report.class_sizes import risk_of, size_bands

some_sizes = st.lists(st.integers(1, 30) | st.integers(1, 3_000_000), max_size=12)


def counted(sizes):
    return SizeCounts.of(frozen_ints(sizes))


def test_risk_of_known_classes():
    risk = risk_of(counted([1, 1, 2, 4]))
    assert (risk.records, risk.classes, risk.smallest, risk.unique) == (8, 4, 1, 2)
    assert risk.highest == 1
    assert risk.mean == 0.5


def test_no_classes_no_risk():
    assert risk_of(counted([])) is None
    assert size_bands(counted([]), counted([]), 5) == ()


@given(some_sizes)
def test_the_mean_risk_is_the_mean_over_records(sizes):
    if risk := risk_of(counted(sizes)):
        over_records = [1 / size for size in sizes if size < 50 for _ in range(size)]
        if len(over_records) == risk.records:
            assert risk.mean == pytest.approx(np.mean(over_records))


@given(some_sizes, some_sizes, st.none() | st.integers(1, 200))
def test_every_class_is_in_the_one_band_that_fits(before, after, k):
    bands = size_bands(counted(before), counted(after), k)
    for sizes, records in (
        (before, [band.records_before for band in bands]),
        (after, [band.records_after for band in bands]),
    ):
        for band, record_count in zip(bands, records, strict=True):
            assert record_count == sum(size for size in sizes if band.least <= size <= (band.most or size))
        assert sum(records) == sum(sizes)
    assert all(left.most + 1 == right.least for left, right in pairwise(bands))


def test_a_band_begins_at_k():
    bands = size_bands(counted([1, 6]), counted([7, 9]), 7)
    assert [band.label for band in bands] == ["1", "2–4", "5–6", "7–9"]


def test_the_last_band_is_open():
    (band,) = size_bands(counted([20_000_000]), counted([]), None)
    assert band.label == "10,000,000 or more"
