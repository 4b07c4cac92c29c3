"""AA on WebView-2 and on Quest data: the cut of one machine."""

import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.table.columns import Table
from shoal.table.quest import quest
from shoal.table.writing import write_table

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[4] / "shared" / "data"))
ROLES = {"items": sh.QuasiSet(hierarchy=sh.fanout(5))}


def quest_file(folder):
    """A file of Quest baskets."""
    sets = quest(20_000, 500, seed=1)
    path = folder / "quest.parquet"
    write_table(Table.of({"items": sets}), path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("name", ["webview2", "quest"])
def test_the_cut_is_the_one_of_one_machine(spark, tmp_path, name, m):
    source = DATA / "bms_webview2.txt.gz"
    if name == "webview2" and not source.exists():
        pytest.skip(f"{source} is not there: set SHOAL_DATA")
    here = sh.read(source if name == "webview2" else quest_file(tmp_path), ROLES)
    sets = here.original.sets("items")
    rows = [
        (list(map(str, sets.domain.labels.take(part).to_pylist())),)
        for part in np.split(sets.arrays.items, sets.arrays.starts[1:-1])
    ]
    there = sh.read(spark.createDataFrame(rows, "items array<string>"), ROLES)
    promise = sh.KmAnonymity(k=5, m=m)
    found = sh.anonymize(there, promise, algorithm="aa")
    expected = sh.anonymize(here, promise, algorithm="aa")
    assert found.recoding.cuts.node_of_leaf.tolist() == expected.recoding.cuts.node_of_leaf.tolist()
    assert found.loss == pytest.approx(expected.loss)
    assert found.verdict == expected.verdict
    found.frame.unpersist()
