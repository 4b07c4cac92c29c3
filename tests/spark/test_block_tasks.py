"""Every row comes to one block, and whole blocks come to a task, however rows are batched."""

from collections import Counter
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.spark.block_tasks import (
    BLOCK,
    WITHOUT_ITEMS,
    AtPlace,
    BlockAxis,
    ByFirstItem,
    Dealt,
    EmptyApart,
    add_block,
    count_blocks,
    count_items,
    count_places,
    sample_numbers,
    whole_blocks,
)
from shoal.spark.reader import Reader
from tests.spark.parts import table_in_parts

ROLES = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10)),
    "weight": sh.Quasi(kind="number"),
    "items": sh.QuasiSet(hierarchy=sh.fanout(2), sensitive=("s",)),
}


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    sets = [sorted(set(rng.choice(list("abcds"), rng.integers(0, 5)).tolist())) for _ in range(60)]
    ages = [None if age == 20 else int(age) for age in rng.integers(20, 40, 60)]
    weights = [None if weight < 55 else weight for weight in rng.normal(70, 10, 60).round(1).tolist()]
    return pa.table({"age": ages, "weight": weights, "items": pa.array(sets, pa.list_(pa.string()))})


@pytest.fixture
def reader(table):
    local = sh.read(table, ROLES).local
    return Reader(local.roles, sh.ReadOptions(), local.trees)


@pytest.fixture
def splits(reader):
    age = BlockAxis("age", reader.trees["age"].leaf_count)
    weight = BlockAxis("weight", 3, np.array([65.0, 75.0]))
    return (
        AtPlace(0, age, 6, 1, 2),
        AtPlace(2, weight, 0, 3, 4),
        ByFirstItem(4, "items", ("c", "a"), np.array([5, 6, 7])),
    )


def block_of(row, reader):
    leaf = len(reader.trees["age"].leaf_labels) if row.age is None else None
    leaf = reader.trees["age"].leaf_labels.index(str(row.age)) if leaf is None else leaf
    if leaf <= 6:
        return 1
    if row.weight is not None and row.weight <= 65:
        return 3
    return 5 if "c" in row.items else 6 if "a" in row.items else 7


def test_every_row_ends_in_one_block(table, reader, splits):
    rows = table_in_parts(table, 3).mapInArrow(partial(add_block, reader, splits, ()), None).collect()
    assert [getattr(row, BLOCK) for row in rows] == [block_of(row, reader) for row in rows]
    assert len(rows) == 60
    counted = Counter()
    for row in table_in_parts(table, 4).mapInArrow(partial(count_blocks, reader, splits), None).collect():
        counted[row.block] += row.rows
    assert counted == Counter(block_of(row, reader) for row in rows)


def test_places_and_items_are_counted_in_open_blocks_only(table, reader, splits):
    axes = [splits[0].axis, splits[1].axis]
    found = table_in_parts(table, 3).mapInArrow(
        partial(count_places, reader, axes, splits[:1], frozenset({2})), None
    )
    last = int(reader.trees["age"].leaf_labels[6])
    rows = [row for row in table.to_pylist() if row["age"] is None or row["age"] > last]
    assert {row.block for row in found.collect()} == {2}
    assert sum(row.rows for row in found.collect() if row.axis == 0) == len(rows)
    missing = [row.rows for row in found.collect() if (row.axis, row.place) == (1, 3)]
    assert sum(missing) == sum(row["weight"] is None for row in rows)
    counted = Counter()
    items = partial(count_items, reader, "items", splits[:1], frozenset({2}))
    for row in table_in_parts(table, 3).mapInArrow(items, None).collect():
        counted[row.label] += row.rows
    assert counted == Counter(item for row in rows for item in row["items"] if item != "s")


def test_rows_that_nothing_divides_are_dealt_out_evenly(table, reader):
    rows = table_in_parts(table, 1).mapInArrow(
        partial(
            add_block,
            reader,
            (EmptyApart("items", sensitive=False),),
            (Dealt(0, 1, 3), Dealt(WITHOUT_ITEMS, -2, 2)),
        ),
        None,
    )
    sizes = Counter(getattr(row, BLOCK) for row in rows.collect())
    empty = sum(not set(row["items"]) - {"s"} for row in table.to_pylist())
    assert sizes[-1] + sizes[-2] == empty
    assert sizes[1] + sizes[2] + sizes[3] == 60 - empty
    assert max(sizes[1], sizes[2], sizes[3]) - min(sizes[1], sizes[2], sizes[3]) <= 1


def test_a_sample_of_numbers_holds_the_first_and_the_last(table, reader):
    sample = (
        table_in_parts(table, 2).mapInArrow(partial(sample_numbers, reader.only("weight")), None).collect()
    )
    weights = [weight for weight in table.column("weight").to_pylist() if weight is not None]
    assert (min(row.number for row in sample), max(row.number for row in sample)) == (
        min(weights),
        max(weights),
    )
    assert {row.number for row in sample} <= set(weights)
    assert not any(row.whole for row in sample)


def test_blocks_come_whole_however_they_are_batched():
    block = [-1, 1, 1, 4, 4, 7, 9, 9]
    table = pa.table({BLOCK: block, "row": list(range(8))})
    for size in range(1, 9):
        found = {
            number: part.column("row").to_pylist()
            for number, part in whole_blocks(table.to_batches(max_chunksize=size))
        }
        assert found == {-1: [0], 1: [1, 2], 4: [3, 4], 7: [5], 9: [6, 7]}
    assert list(whole_blocks(iter([]))) == []
