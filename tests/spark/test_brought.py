"""Measures of all rows from what blocks bring to the driver; without a cluster."""

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.search import Limits
from shoal.metrics.catalogue import measure
from shoal.metrics.mining import Measured, measure_chunks
from shoal.recoding.cuts import Cuts
from shoal.recoding.disassociated import parse_lines
from shoal.recoding.rows import RowRecoding
from shoal.spark import brought
from shoal.spark.blocks import RunClock
from shoal.spark.brought import (
    levels_losses,
    packed,
    rows_for_one,
    told_of_a_sample,
    unpacked_table,
    with_published_nodes,
)
from shoal.spark.disassociation import TakeApart
from shoal.spark.reader import Reader
from tests.spark.releases import ITEMS, baskets, contents

LEVELS = ("ml2", "dml2", "tkd_ml2")


def whole_and_blocks(seed, *borders):
    """Sets with a cut that is the same everywhere, whole and in blocks."""
    table = baskets(seed=seed)
    whole = sh.read(table, ITEMS).local
    reader = Reader(whole.roles, sh.ReadOptions(), whole.trees)
    rows = np.split(np.arange(len(table)), borders)
    return whole, [reader.read(table.take(each)) for each in rows]


def half_generalized(data):
    """Two leaves of three under their parents, the first one suppressed."""
    tree = data.trees["items"]
    leaves = np.arange(tree.leaf_count)
    nodes = np.where(leaves % 3 == 0, leaves, tree.arrays.parent[leaves])
    nodes[0] = -1
    return RowRecoding(items=(Cuts("items", np.zeros(data.row_count, dtype=np.int64), nodes[np.newaxis, :]),))


@pytest.mark.parametrize("seed", range(4))
def test_blocks_tell_what_the_whole_tells(seed):
    whole, blocks = whole_and_blocks(seed, 7, 130)
    expected = measure(whole, half_generalized(whole), 1)
    tables = [with_published_nodes(block, half_generalized(block), 1)["items"] for block in blocks]
    sent = [unpacked_table(packed(table)) for table in tables]
    (found,) = levels_losses(whole.trees, {"items": sent}, 1).values()
    assert found.losses == {name: expected[name] for name in LEVELS}
    assert not found.notices


def test_of_many_rows_every_so_many_come():
    whole, _ = whole_and_blocks(0)
    all_rows = with_published_nodes(whole, half_generalized(whole), 1)["items"]
    some_rows = with_published_nodes(whole, half_generalized(whole), 7)["items"]
    assert some_rows.to_pylist() == all_rows.to_pylist()[::7]
    assert rows_for_one(0) == rows_for_one(brought.MOST_ITEMS) == 1
    assert rows_for_one(brought.MOST_ITEMS + 1) == 2


def test_who_reads_a_figure_of_some_rows_is_told():
    told = told_of_a_sample(Measured({"ml2": 0.5}), 4)
    assert told.notices == ("ml2: measured on one of every 4 records",)
    assert told_of_a_sample(Measured({"ml2": 0.5}), 1).notices == ()
    assert told_of_a_sample(Measured(), 4).notices == ()


@pytest.mark.parametrize("every", [1, 2, 5])
def test_lines_come_with_the_records_that_they_were_made_of(every):
    table = baskets()
    with_items = table.filter(pa.compute.greater(pa.compute.list_value_length(table["items"]), 0))
    algorithm, within = make_algorithm("disassociation", {"threads": 1}), RunClock.starting_now(Limits())
    reader = Reader(ITEMS, sh.ReadOptions())
    task = TakeApart(reader, algorithm, "items", sh.Disassociation(3, 2), within, b"secret", every)
    published, _, tables = task.release(with_items, 0)
    lines, records = parse_lines(tables["lines"]["value"].to_pylist()), tables["original"]
    assert lines.record_count == len(records)
    assert set(lines.all_terms()) == {item for items in records["items"].to_pylist() for item in items}
    assert len(tables["lines"]) == len(published) // every
    if every == 1:
        assert contents(records) == contents(with_items)
        here = sh.anonymize(sh.read(with_items, ITEMS), task.model)
        original = reader.read(records).table.sets("items")
        assert measure_chunks(original, lines, 3)["tkd_a"] == here.loss["tkd_a"]
