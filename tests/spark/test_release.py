"""What Spark publishes, and what it says about it, is what one machine would."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh

ITEMS = {"items": sh.QuasiSet(hierarchy=sh.fanout(3))}


def baskets(rows=300, items=12, seed=0):
    rng = np.random.default_rng(seed)
    shares = rng.random(items) ** 2 * 0.5
    return [[f"i{item:02}" for item in np.flatnonzero(rng.random(items) < shares)] for _ in range(rows)]


def as_arrow(sets):
    return pa.table({"items": pa.array(sets, type=pa.list_(pa.string()))})


def as_frame(spark, sets):
    return spark.createDataFrame([(each,) for each in sets], "items array<string>").repartition(3)


def published(frame):
    return Counter(tuple(sorted(row.items)) for row in frame.select("items").collect())


def test_aa_publishes_what_one_machine_publishes(spark):
    sets, promise = baskets(), sh.KmAnonymity(k=4, m=2)
    here = sh.anonymize(sh.read(as_arrow(sets), ITEMS), promise, algorithm="aa", exchanges=1)
    there = sh.anonymize(sh.read(as_frame(spark, sets), ITEMS), promise, algorithm="aa", exchanges=1)
    assert there.recoding.cuts.node_of_leaf.tolist() == here.recoding.cuts.node_of_leaf.tolist()
    assert published(there.frame) == Counter(tuple(row) for row in here.frame.column("items").to_pylist())
    assert {"ml2", "tkd_ml2"} <= here.loss.keys()
    assert there.loss == pytest.approx(here.loss)
    measured = sh.measure(here.data, here.recoding)
    assert sh.measure(there.data, there.recoding) == pytest.approx(measured)
    assert there.verdict.holds
    assert (there.verdict.claim, there.verdict.evidence) == (here.verdict.claim, here.verdict.evidence)
    assert there.outcome.provenance.figures["engine"] == "spark"
    assert any("one machine" in notice for notice in there.notices)
    (again,) = sh.verify(pa.table({"items": [row.items for row in there.frame.collect()]}), ITEMS, promise)
    assert again.holds
    there.frame.unpersist()


def test_a_broken_promise_is_found_with_its_witness(spark):
    frame = as_frame(spark, [["a", "b"], ["a"], ["a"], ["b"]])
    (verdict,) = sh.verify(frame, ITEMS, sh.KmAnonymity(k=2, m=2))
    assert not verdict.holds
    assert verdict.witness.what == "{a, b} occurs in 1 record, fewer than k=2"
    (here,) = sh.verify(as_arrow([["a", "b"], ["a"], ["a"], ["b"]]), ITEMS, sh.KmAnonymity(k=2, m=2))
    assert (verdict.evidence, verdict.figures) == (here.evidence, here.figures)
