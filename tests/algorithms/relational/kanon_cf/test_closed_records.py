from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.kanon_cf import closed_records
from shoal.algorithms.relational.kanon_cf.closed_records import Mining
from shoal.table.roles import Quasi
from tests.algorithms.relational.tables import tables
from tests.builders import flat_tree, local_data, tree
from tests.examples import examples
from tests.reference import kanon_cf as reference

CLOTHING = tree(
    {
        "clothing": {
            "clothes": {"outdoors": ["ski-pants", "sport-jackets"]},
            "footwear": ["shoes", "boots", "sandals"],
        }
    }
)
SOLD = [*["shoes"] * 3, *["boots"] * 2, "sandals", "ski-pants", *["sport-jackets"] * 3]


def mined(records, k):
    mining = Mining(records, k)
    while not mining.complete:
        mining.go_on()
    return mining.found()


def as_rows(records):
    return [tuple(row) for row in records.nodes[records.record_of_row].tolist()]


def node_ranges(records):
    starts = records.trees.starts.tolist()
    return [range(begin, end) for begin, end in pairwise(starts)]


def test_example_of_the_paper():
    """Kenig and Tassa 2012, Section 4: clothes are frequent, but outdoors say more of the same records."""
    data = local_data([(label,) for label in SOLD], {"item": Quasi()}, trees={"item": CLOTHING})
    closed = mined(Records.of(data, "lm"), 3)
    found = {
        CLOTHING.labels[node]: count
        for (node,), count in zip(closed.vectors().tolist(), closed.counts.tolist(), strict=True)
    }
    assert found == {"shoes": 3, "footwear": 6, "sport-jackets": 3, "outdoors": 4, "clothing": 10}
    assert len(closed) == 5
    assert closed.complete


@examples(60)
@given(drawn=tables(least_rows=1, most_rows=12, with_subjects=False), k=st.integers(2, 4))
def test_all_closed_records_are_mined_once(drawn, k):
    assume(len(drawn.rows) >= k)
    assume(len(drawn.roles) <= 4)  # with the sensitive column; more make the twin slow
    records = Records.of(drawn.on_trees.data, "ncp")
    closed = mined(records, k)
    vectors = [tuple(vector) for vector in closed.vectors().tolist()]
    expected = reference.closed_frequent(
        records.trees.parent.tolist(), node_ranges(records), as_rows(records), k
    )
    assert sorted(vectors) == sorted(expected)
    for vector, count in zip(vectors, closed.counts.tolist(), strict=True):
        assert count == len(expected[vector])


def wide_data(column_count, row_count=40, value_count=70):
    """Columns that together need more than one word."""
    rng = np.random.default_rng(5)
    names = [f"c{number}" for number in range(column_count)]
    values = rng.integers(0, 3, size=(row_count, column_count)).astype(str)
    values[0] = value_count - 1
    leaves = [str(value) for value in range(value_count)]
    return local_data(
        [tuple(row) for row in values.tolist()],
        dict.fromkeys(names, Quasi()),
        trees={name: flat_tree(leaves) for name in names},
    )


def test_vectors_take_as_many_words_as_they_need():
    records = Records.of(wide_data(10), "lm")
    closed = mined(records, 6)
    assert closed.packed.shape[1] == 2
    rows = as_rows(records)
    parent = records.trees.parent.tolist()
    for vector, count in zip(closed.vectors().tolist(), closed.counts.tolist(), strict=True):
        assert len(reference.support(parent, vector, rows)) == count
    assert len({tuple(vector) for vector in closed.vectors().tolist()}) == len(closed) > 100


@pytest.mark.parametrize("chunk", [1, 7])
def test_slices_and_chunks_change_nothing(monkeypatch, chunk):
    records = Records.of(wide_data(5), "lm")
    whole = mined(records, 4)
    monkeypatch.setattr(closed_records, "_LOOKS_PER_SLICE", 1)
    monkeypatch.setattr(closed_records, "_RECORDS_PER_CHUNK", chunk)
    pieces = mined(records, 4)
    np.testing.assert_array_equal(pieces.vectors(), whole.vectors())
    np.testing.assert_array_equal(pieces.counts, whole.counts)


def test_how_many_were_met_is_known_afterwards(monkeypatch):
    monkeypatch.setattr(closed_records, "_RECORDS_PER_CHUNK", 7)
    mining = Mining(Records.of(wide_data(5), "lm"), 4)
    while not mining.complete:
        mining.go_on()
    assert mining.count == len(mining.found()) == mining.count > 7


def test_first_moment_finds_the_closure_of_all_records(monkeypatch):
    monkeypatch.setattr(closed_records, "_LOOKS_PER_SLICE", 1)
    records = Records.of(wide_data(5), "lm")
    mining = Mining(records, 4)
    mining.go_on()
    assert not mining.complete
    closed = mining.found()
    assert closed.counts.tolist() == [40]
    np.testing.assert_array_equal(closed.vectors()[0], records.trees.starts[1:] - 1)
