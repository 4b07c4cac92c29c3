"""What workers do with their rows, compared with what one machine does with all of them."""

from collections import Counter
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.sets.aa import AA
from shoal.progress import Silent
from shoal.spark.encoded_sets import sets_of
from shoal.spark.publish_tasks import publish_cut, published_schema
from shoal.spark.reader import Reader, count_values, encode_sets, problem_of
from tests.spark.parts import table_in_parts

ROLES = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10)),
    "items": sh.QuasiSet(hierarchy=sh.fanout(2), sensitive=("s",)),
    "note": sh.Insensitive(confirm=True),
}


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    items = ["a", "b", "c", "d", "s"]
    sets = [list(rng.choice(items, rng.integers(0, 5), replace=False)) for _ in range(60)]
    ages = [None if age == 20 else int(age) for age in rng.integers(20, 40, 60)]
    return pa.table(
        {"age": ages, "items": pa.array(sets, pa.list_(pa.string())), "note": list(map(str, range(60)))}
    )


@pytest.fixture
def data(table):
    return sh.read(table, ROLES)


@pytest.fixture
def reader(data):
    return Reader(data.local.roles, sh.ReadOptions(), data.local.trees)


def test_values_are_counted_over_all_parts(table):
    count = partial(count_values, Reader(ROLES, sh.ReadOptions()), ["age", "items"])
    found = Counter()
    for row in table_in_parts(table, 4).mapInArrow(count, None).collect():
        found[row.column, row.label] += row.rows
    ages = Counter(age if age is None else str(age) for age in table.column("age").to_pylist())
    sets = table.column("items").to_pylist()
    items = Counter(item for each in sets for item in each)
    items[None] = sum(not each for each in sets)
    expected = {("age", age): count for age, count in ages.items()}
    expected |= {("items", item): count for item, count in items.items()}
    assert found == {**expected, ("", None): 60}


def test_what_cannot_be_read_is_a_problem_without_a_place():
    roles = {"age": sh.Quasi(kind="number", hierarchy=sh.ranges(5))}
    table = pa.table({"age": ["1", "old", "3", "old"]})
    rows = (
        table_in_parts(table, 2)
        .mapInArrow(partial(count_values, Reader(roles, sh.ReadOptions()), ["age"]), None)
        .collect()
    )
    problems = {str(problem_of(row.problem)) for row in rows if row.problem is not None}
    assert problems == {
        "column 'age', value 'old': is not a number; correct it, declare it as missing, say how numbers are"
        " written (decimal, thousands), or read the column as a category"
    }


def test_encoded_sets_are_those_of_one_machine(table, data, reader):
    parts = table_in_parts(table.select(["items"]), 3).mapInArrow(
        partial(encode_sets, reader.only("items"), {}, 7), None
    )
    chunks = [sets for part in parts.parts for sets in sets_of(part)]
    found = [
        tuple(chunk.items[start:end].tolist())
        for chunk in chunks
        for start, end in zip(chunk.starts, chunk.starts[1:], strict=False)
    ]
    whole = data.local.joined_sets().quasi
    assert found == [
        tuple(whole.items[start:end].tolist())
        for start, end in zip(whole.starts, whole.starts[1:], strict=False)
    ]


def test_a_cut_publishes_the_rows_of_one_machine(table):
    roles = {"items": sh.QuasiSet(hierarchy=sh.fanout(2)), "note": sh.Insensitive(confirm=True)}
    table = table.select(["items", "note"])
    data = sh.read(table, roles)
    result = sh.anonymize(data, sh.KmAnonymity(4, 2), algorithm="aa")
    reader = Reader(data.local.roles, sh.ReadOptions(), data.local.trees)
    recoding = AA().find(data.local, [sh.KmAnonymity(4, 2)], np.random.default_rng(0), Silent())
    schema = published_schema(table.schema, data.local.roles)
    rows = (
        table_in_parts(table, 3)
        .mapInArrow(partial(publish_cut, reader, recoding.cuts, schema), None)
        .collect()
    )
    assert Counter((tuple(row.items), row.note) for row in rows) == Counter(
        (tuple(row["items"]), row["note"]) for row in result.frame.to_pylist()
    )
