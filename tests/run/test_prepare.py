"""The original and the records bound to their trees hold the same sets once."""

import pyarrow as pa

import shoal as sh
from shoal.explain.examples import texts_of

TEN_TO_TWO = {"items": pa.array(["2 10", "10", "", "1 2"])}


def test_the_original_takes_no_memory_of_its_own_where_all_items_are_leaves():
    data = sh.read(pa.table(TEN_TO_TWO), {"items": sh.QuasiSet(hierarchy=sh.fanout(2))})
    original, bound = data.original.sets("items"), data.local.table.sets("items")
    assert original.narrow is bound.narrow
    assert original.domain.texts() == ["1", "2", "10"]
    assert texts_of(original, range(4)) == ["10 2", "10", "", "1 2"]
    assert data.loaded.table.sets("items") is original


def test_the_original_keeps_items_that_its_tree_lacks(tmp_path):
    file = tmp_path / "tree.csv"
    file.write_text("1;low\n2;low\n")
    role = sh.QuasiSet(hierarchy=file, unknown="suppress")
    data = sh.read(pa.table(TEN_TO_TWO), {"items": role})
    assert texts_of(data.original.sets("items"), range(4)) == ["10 2", "10", "", "1 2"]
    assert texts_of(data.local.table.sets("items"), range(4)) == ["2", "", "", "1 2"]
