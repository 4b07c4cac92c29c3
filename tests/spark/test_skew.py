"""A few rows or items that are far heavier than the others hold nothing up, and change nothing."""

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from tests.spark.test_release import as_arrow, as_frame, published

ITEMS = {"items": sh.QuasiSet(hierarchy=sh.fanout(10))}
MANY = 3_000


@pytest.fixture(scope="module")
def skewed():
    """An item in every basket, one basket of all items, and as many equal baskets as others together."""
    rng = np.random.default_rng(5)
    some = [
        ["i0", *(f"i{item}" for item in np.unique(rng.zipf(1.3, 6) % MANY) if item)] for _ in range(4_000)
    ]
    return [*some, [f"i{item}" for item in range(MANY)], *[["i0", "i1", "i2"]] * 4_000]


@pytest.mark.slow
def test_skewed_data_give_the_release_of_one_machine(spark, skewed):
    promise = sh.KmAnonymity(k=5, m=2)
    here = sh.anonymize(sh.read(as_arrow(skewed), ITEMS), promise, algorithm="aa", exchanges=0)
    there = sh.anonymize(sh.read(as_frame(spark, skewed), ITEMS), promise, algorithm="aa", exchanges=0)
    assert there.recoding.cuts.node_of_leaf.tolist() == here.recoding.cuts.node_of_leaf.tolist()
    assert there.verdict == here.verdict
    assert published(there.frame) == Counter(
        tuple(sorted(row)) for row in here.frame.column("items").to_pylist()
    )
    there.frame.unpersist()
