"""Levels that may be published, and one label per value, on Spark."""

from dataclasses import replace

import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.search import Search
from shoal.spark.search import spark_algorithm
from tests.spark.releases import (
    BOTH,
    PEOPLE,
    baskets,
    both_ways,
    collected,
    people,
    people_with_baskets,
    released,
)


def test_every_block_keeps_to_the_levels(by_blocks):
    roles = {**PEOPLE, "age": replace(PEOPLE["age"], min_level=1, max_level=2)}
    there = released(by_blocks, people(), roles, sh.KAnonymity(4), "mondrian")
    assert there.outcome.provenance.figures["blocks"] > 1
    assert any("not measured on Spark" in notice for notice in there.notices)
    published = collected(there)
    widths = {int(high) - int(low) + 1 for low, high in _ranges(published["age"].to_pylist())}
    assert widths <= {5, 10}
    assert there.outcome.cost.published_records + there.outcome.cost.suppressed_records == 400


SINGLE_ITEMS = [f"i{number:02}" for number in range(12)]


def _ranges(labels):
    return [label.split("-") for label in labels if label not in (None, "*")]


@pytest.mark.slow
@pytest.mark.parametrize("levels", [{"min_level": 1}, {"max_level": 1}, {"levels": (0, 2)}])
@pytest.mark.parametrize("algorithm", ["aa", "vpa"])
def test_one_cut_within_levels_is_that_of_one_machine(spark, algorithm, levels):
    roles = {"items": sh.QuasiSet(hierarchy=sh.fanout(3), **levels)}
    there, here = both_ways(
        spark, baskets(200, 9), roles, sh.KmAnonymity(4, 2), algorithm, exchanges=0, recoding="global"
    )
    assert there.recoding.cuts.node_of_leaf.tolist() == here.recoding.cuts.node_of_leaf.tolist()
    assert there.loss == pytest.approx(here.loss)
    collected(there)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "table", "roles", "promise"),
    [
        ("lra", baskets(), {"items": sh.QuasiSet(hierarchy=sh.fanout(3), min_level=1)}, sh.KmAnonymity(4, 2)),
        (
            "auto",
            baskets(),
            {"items": sh.QuasiSet(hierarchy=sh.fanout(3), max_level=1)},
            sh.KmAnonymity(4, 2),
        ),
        (
            "rmerge-rt",
            people_with_baskets(),
            {**BOTH, "age": replace(BOTH["age"], min_level=1)},
            sh.KKmAnonymity(4, 2),
        ),
        ("kanon-cf", people(), {**PEOPLE, "age": replace(PEOPLE["age"], levels=(1, 3))}, sh.KAnonymity(4)),
    ],
)
def test_other_algorithms_keep_to_the_levels(by_blocks, algorithm, table, roles, promise):
    there = released(by_blocks, table, roles, promise, algorithm)
    published = collected(there)
    if "age" in roles:
        widths = {int(high) - int(low) + 1 for low, high in _ranges(published["age"].to_pylist())}
        assert widths <= {5, 10, 20}
    else:
        items = {item for items in published["items"].to_pylist() for item in items}
        allowed = {"i10", "i00..i02", "i04..i06", "i07..i09"}  # i10 is in no group
        assert items <= (allowed if roles["items"].min_level else allowed | set(SINGLE_ITEMS))


def test_one_label_per_value_is_refused_where_blocks_decide():
    with pytest.raises(
        sh.ShoalError, match=r"mondrian on Spark may publish a value in several ways; use one of"
    ):
        spark_algorithm(Search(algorithm="mondrian", recoding="global"), [sh.KAnonymity(4)])
    with pytest.raises(sh.ShoalError, match="serves k-anonymity with one label per value"):
        spark_algorithm(Search(recoding="global"), [sh.KAnonymity(4)])
    found, _ = spark_algorithm(Search(recoding="global", algorithm="aa"), [sh.KmAnonymity(4, 2)])
    assert found.name == "aa"


def test_levels_that_nothing_can_keep_to_are_refused_before_the_search(spark):
    frame = spark.createDataFrame([(["a", "b"],)] * 4, "items array<string>")
    data = sh.read(frame, {"items": sh.QuasiSet(hierarchy=sh.fanout(2), min_level=5)})
    with pytest.raises(sh.ShoalError, match="so it cannot keep to its levels; name another algorithm"):
        sh.anonymize(data, sh.Disassociation(k=2, m=2))
    with pytest.raises(sh.ShoalError, match="of which the last is the root alone"):
        sh.anonymize(data, sh.KmAnonymity(2, 1), algorithm="aa")
