import math
from dataclasses import dataclass

import pytest

from shoal.algorithms.auto import block_sizes
from shoal.algorithms.auto.block_sizes import WHOLE, BlockSizes
from shoal.algorithms.relational.kanon_cf.estimate import ClosedRecordCounts
from shoal.privacy.k_anonymity import KAnonymity
from tests.algorithms.auto.test_candidates import ON_TREES

MANY = ClosedRecordCounts(rows=8_000, per_row=math.inf)


@dataclass(frozen=True)
class Elsewhere:
    """Rows of which only the shape is known."""

    row_count: int
    columns: int = 8

    @property
    def quasi(self):
        return tuple("abcdefghijklmnopqrstuvwxyz"[: self.columns])

    quasi_sets = ()
    trees = {}  # noqa: RUF012


def options(name, rows, *, columns=8, k=10, seconds=60.0):
    return BlockSizes(Elsewhere(rows, columns), [KAnonymity(k)], "lm", seconds).options(name)


def test_a_small_table_is_searched_at_once():
    assert options("kanon-cf", 20_000)["block"] == WHOLE
    assert options("agglomerative", 20_000) == {"block": WHOLE}


def test_blocks_shrink_with_the_time_there_is():
    sizes = [options("kanon-cf", 1_000_000, seconds=seconds)["block"] for seconds in (800, 240, 120)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 1
    sizes = [options("agglomerative", 100_000, seconds=seconds)["block"] for seconds in (600, 60, 6)]
    assert sizes == [10_000, 6_000, 1_000]


def test_where_there_are_too_many_closed_records_some_are_mined():
    wide = options("kanon-cf", 45_000, columns=14)
    assert wide == {"block": 5_000, "most_closed": 1_000_000}
    assert options("kanon-cf", 45_000, columns=14, seconds=5.0)["most_closed"] == 138_888
    assert options("kanon-cf", 6_000, columns=20)["block"] == WHOLE  # too few rows for two blocks


def test_beside_many_rows_there_is_less_memory_for_closed_records():
    small, large = (options("kanon-cf", rows, seconds=1e6)["most_closed"] for rows in (3_000_000, 4_000_000))
    assert (small, large) == (5_000_000, 500_000)


@pytest.mark.parametrize("name", ["kanon-cf", "agglomerative"])
def test_blocks_hold_many_classes(name):
    assert options(name, 1_000_000, k=5_000)["block"] >= 50 * 5_000


def test_rows_that_are_here_are_looked_at(monkeypatch):
    asked = []
    monkeypatch.setattr(
        block_sizes,
        "estimated_closed_records",
        lambda data, constraint, measure: asked.append((data, constraint.k, measure)) or MANY,
    )
    found = BlockSizes(ON_TREES, [KAnonymity(2)], "entropy", 60.0).options("kanon-cf")
    assert asked == [(ON_TREES, 2, "entropy")]
    assert found == {"block": WHOLE, "most_closed": 1_000_000}
