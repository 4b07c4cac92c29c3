"""Columns of single values hold their codes in as few bytes as these need, and nobody can write to them."""

import numpy as np
import pytest

from shoal.kernels.arrays import frozen_codes, narrowest
from shoal.table.columns import Coded, Table, category_domain, code_counts, occurring_labels


def coded(codes, labels=("a", "b", "c")):
    return Coded.of(codes, category_domain(list(labels)))


@pytest.mark.parametrize(
    ("largest", "kind"),
    [
        (0, np.uint8),
        (255, np.uint8),
        (256, np.uint16),
        (65_535, np.uint16),
        (65_536, np.uint32),
        (2**32 - 1, np.uint32),
        (2**32, np.int64),
        (2**62, np.int64),
    ],
)
def test_codes_are_as_wide_as_the_largest_one(largest, kind):
    column = coded([0, largest, 1])
    assert column.narrow.dtype == kind
    assert narrowest(largest) == kind
    assert column.codes.dtype == np.int64
    assert column.codes.tolist() == [0, largest, 1]
    assert column.narrow.tolist() == [0, largest, 1]


@pytest.mark.parametrize("labels", [255, 256, 65_535, 65_536])
def test_a_missing_value_has_room_behind_the_last_one(labels):
    texts = [f"{number:05}" for number in range(labels)]
    column = coded([labels - 1, labels, 0], texts)
    assert column.missing_count == 1
    assert [column.domain.label(code) for code in column.codes.tolist()] == [texts[-1], None, texts[0]]
    assert occurring_labels(column) == {texts[-1], texts[0]}
    assert code_counts(column)[[0, labels - 1, labels]].tolist() == [1, 1, 1]


def test_numbers_below_zero_are_kept():
    assert frozen_codes([-1, 3]).tolist() == [-1, 3]
    assert frozen_codes([-1, 3]).dtype == np.int64


def test_codes_are_frozen_and_nobody_elses():
    given = np.array([0, 1, 2], dtype=np.uint8)
    column = coded(given)
    given[0] = 2
    assert column.codes.tolist() == [0, 1, 2]
    for array in (column.narrow, column.codes, coded([2**40]).codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_tables_take_rows_by_numbers_of_any_width():
    table = Table.of({"x": coded([0, 1, 2, 3])})
    for kind in (np.uint8, np.uint32, np.int64):
        taken = table.take(np.array([3, 0, 3], dtype=kind)).coded("x")
        assert taken.codes.tolist() == [3, 0, 3]
        assert taken.narrow.dtype == np.uint8


def test_counts_reach_as_far_as_codes_do():
    assert code_counts(coded([0, 3, 3, 7])).tolist() == [1, 0, 0, 2, 0, 0, 0, 1]
    assert code_counts(coded([]), 6).tolist() == [0] * 6
