import math

import numpy as np
import pytest

from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.kanon_cf import closed_records, estimate
from shoal.algorithms.relational.kanon_cf.closed_records import Mining
from shoal.algorithms.relational.kanon_cf.estimate import ClosedRecordCounts, estimated_closed_records
from shoal.privacy.k_anonymity import KAnonymity
from shoal.table.roles import Quasi
from tests.builders import flat_tree, local_data

COLUMNS = "abcdef"


def table(rows):
    rng = np.random.default_rng(5)
    cells = rng.integers(0, 4, size=(rows, len(COLUMNS))).astype(str).tolist()
    trees = {name: flat_tree("0123") for name in COLUMNS}
    return local_data([tuple(row) for row in cells], {name: Quasi() for name in COLUMNS}, trees=trees)


def estimated(data, k):
    return estimated_closed_records(data, class_constraint_of(data, [KAnonymity(k)]), "lm")


def mined(data, k):
    mining = Mining(Records.of(data, "lm"), k)
    while not mining.complete:
        mining.go_on()
    return mining.count


def test_a_small_table_is_counted():
    data = table(300)
    assert estimated(data, 3).in_block(300) == pytest.approx(mined(data, 3))


def test_a_larger_one_is_estimated_from_some_blocks(monkeypatch):
    monkeypatch.setattr(estimate, "_ROWS_PER_BLOCK", 200)
    data = table(4_000)
    assert mined(data, 3) / 3 < estimated(data, 3).in_block(4_000) < 3 * mined(data, 3)


def test_very_many_are_as_good_as_infinitely_many(monkeypatch):
    monkeypatch.setattr(estimate, "_MOST_MINED", 10)
    monkeypatch.setattr(closed_records, "_LOOKS_PER_SLICE", 10)
    assert estimated(table(300), 3).in_block(5) == math.inf


def test_larger_blocks_have_more_per_row():
    counts = ClosedRecordCounts(rows=1_000, per_row=10.0)
    assert counts.in_block(1_000) == 10_000
    assert counts.in_block(8_000) > 8 * counts.in_block(1_000)
