"""A block is searched as on one machine, and tells how that went; all without a cluster."""

import json

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.search import Limits, Search
from shoal.recoding.disassociated import parse_lines
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.spark.block_tasks import BLOCK
from shoal.spark.blocks import MeasuredBlock, PublishRows, RunClock, search_here, united_losses, within_box
from shoal.spark.disassociation import TakeApart, randoms_of
from shoal.spark.publish_tasks import published_schema
from shoal.spark.reader import Reader
from shoal.spark.search import on_spark, spark_algorithm

PROMISES = {
    "mondrian": sh.KAnonymity(4),
    "lra": sh.KmAnonymity(4, 2),
    "partition": sh.SetKAnonymity(4),
    "lgr": sh.SetKAnonymity(4),
}
NO_LIMITS = RunClock.starting_now(Limits())


def rows(count=120):
    rng = np.random.default_rng(5)
    sets = [sorted(set(rng.choice(list("abcdef"), 3).tolist())) for _ in range(count)]
    return {"age": rng.integers(20, 40, count), "items": pa.array(sets, pa.list_(pa.string()))}


def roles_for(promise):
    age = {"age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10))}
    items = {"items": sh.QuasiSet(hierarchy=sh.fanout(2))}
    if isinstance(promise, sh.KAnonymity):
        return age
    return items if not isinstance(promise, sh.KKmAnonymity) else {**age, **items}


def searched(table, roles, name, promise, *, within=NO_LIMITS):
    """What a worker gives back for one block: rows, and the facts."""
    local = sh.read(table, roles).local
    reader = Reader(local.roles, sh.ReadOptions(), local.trees)
    algorithm = make_algorithm(name, {})
    task = PublishRows(reader, algorithm, (promise,), published_schema(table.schema, roles), 7, within)
    numbered = table.append_column(BLOCK, pa.array([3] * len(table)))
    found = pa.Table.from_batches(search_here(task, numbered.to_batches(max_chunksize=50)))
    told = found.filter(pa.compute.is_valid(found["shoal facts"]))
    published = found.filter(pa.compute.is_null(found["shoal facts"])).drop_columns(["shoal facts"])
    assert len(told) == 1
    return published, json.loads(told["shoal facts"][0].as_py())


@pytest.mark.parametrize("name", [name for name in on_spark() if name not in ("aa", "vpa", "disassociation")])
def test_a_block_keeps_the_promise(name):
    promise = PROMISES.get(name, sh.KKmAnonymity(4, 2))
    roles = roles_for(promise)
    published, facts = searched(pa.table({column: rows()[column] for column in roles}), roles, name, promise)
    assert (facts["block"], facts["rows"], len(published)) == (3, 120, 120)
    assert 0 <= facts["losses"]["ncp"] <= 1
    (verdict,) = sh.verify(published, roles, promise)
    assert verdict.holds


def test_a_block_that_cannot_keep_the_promise_says_so():
    promise = sh.KAnonymity(4)
    published, facts = searched(pa.table({"age": [20, 21, 22]}), roles_for(promise), "mondrian", promise)
    assert len(published) == 0
    assert "only 3 records" in facts["error"]
    assert facts["kind"] == "ShoalError"


def test_a_block_keeps_the_time_limit():
    promise = sh.KAnonymity(4)
    within = RunClock(Limits(time=1.0), started=0.0)
    table = pa.table({"age": rows()["age"]})
    _, facts = searched(table, roles_for(promise), "mondrian", promise, within=within)
    assert facts["kind"] == "LimitReached"
    assert "the time_limit of 1 s was reached" in facts["error"]


def test_empty_sets_are_published_as_they_are():
    promise = sh.SetKAnonymity(4)
    table = pa.table({"items": pa.array([["a"], ["b"], ["c"], []], pa.list_(pa.string()))})
    roles = roles_for(promise)
    local = sh.read(table, roles).local
    reader = Reader(local.roles, sh.ReadOptions(), local.trees)
    schema = published_schema(table.schema, roles)
    for withheld in (False, True):
        task = PublishRows(
            reader, make_algorithm("lgr", {}), (promise,), schema, 7, NO_LIMITS, withhold_empty=withheld
        )
        published, _ = task.release(pa.table({"items": table["items"].slice(3)}), -1)
        assert published["items"].to_pylist() == ([] if withheld else [[]])


def test_ranges_end_where_their_block_ends():
    ranges = np.array([[0.0, 40.0], [30.0, 100.0], [35.0, 35.0], [np.nan, np.nan], [-np.inf, np.inf]])
    clusters = within_box(GeneralizedClusters(np.arange(5), ranges={"x": ranges}), {"x": (20.0, 60.0)})
    expected = [[20.0, 40.0], [30.0, 60.0], [35.0, 35.0], [np.nan, np.nan], [-np.inf, np.inf]]
    np.testing.assert_equal(clusters.ranges["x"], expected)


def test_losses_of_blocks_are_weighted_by_what_they_are_means_of():
    measured = [
        MeasuredBlock(10, 30, {"ncp": 0.2, "ul": 0.4}),
        MeasuredBlock(30, 10, {"ncp": 0.6, "ul": 0.8}),
    ]
    assert united_losses(measured, ()) == pytest.approx({"ncp": 0.5, "ul": 0.7})
    assert united_losses(measured, ("ncp",)) == pytest.approx({"ncp": 0.3, "ul": 0.7})


def test_a_block_is_taken_apart_alike_when_it_is_repeated():
    promise, roles = sh.Disassociation(3, 2), {"items": sh.QuasiSet(sensitive=("f",))}
    table = pa.table({"items": rows()["items"]})
    reader = Reader(roles, sh.ReadOptions())
    found = [
        TakeApart(reader, make_algorithm("disassociation", {"threads": 1}), promise, NO_LIMITS, secret)
        .release(table, 2)[0]["value"]
        .to_pylist()
        for secret in (b"one", b"one", b"two")
    ]
    assert found[0] == found[1]
    assert found[0] != found[2]
    clusters = parse_lines(found[0], ["f"])
    assert clusters.record_count == 120
    assert promise.verify(clusters).holds


def test_random_numbers_differ_between_blocks_and_calls():
    first, other = randoms_of(b"secret", 1), randoms_of(b"secret", 2)
    drawn = [tuple(randoms(5).tolist()) for randoms in (first, first, other)]
    assert len(set(drawn)) == 3
    assert tuple(randoms_of(b"secret", 1)(5).tolist()) == drawn[0]
    assert min(min(numbers) for numbers in drawn) >= 0


@pytest.mark.parametrize(
    ("promise", "expected"),
    [
        (sh.KmAnonymity(2, 2), "aa"),
        (sh.KAnonymity(2), "mondrian"),
        (sh.SetKAnonymity(2), "lgr"),
        (sh.KKmAnonymity(2, 2), "rmerge-rt"),
        (sh.Disassociation(2, 2), "disassociation"),
    ],
)
def test_auto_takes_what_runs_on_spark(promise, expected):
    algorithm, (notice,) = spark_algorithm(Search(), [promise])
    assert algorithm.name == expected
    assert "the first algorithm that runs on Spark" in notice


@pytest.mark.parametrize(
    ("search", "promise", "words"),
    [
        (
            {"algorithm": "oa"},
            sh.KmAnonymity(2, 2),
            f"oa does not run on Spark; what runs there is {', '.join(on_spark())}",
        ),
        ({"algorithm": "mondrian"}, sh.TCloseness(0.2), "mondrian on Spark does not serve t-closeness"),
        ({"algorithm": "lra", "keep_order": True}, sh.KmAnonymity(2, 2), "leave keep_order out"),
        (
            {"algorithm": "rmerge-r", "options": {"delta": "frontier"}},
            sh.KKmAnonymity(2, 2),
            "give delta as a number",
        ),
    ],
)
def test_what_does_not_run_is_refused_with_what_does(search, promise, words):
    with pytest.raises(sh.ShoalError) as refused:
        spark_algorithm(Search(**search), [promise])
    assert words in str(refused.value)


def test_a_promise_that_nothing_on_spark_serves_is_refused():
    with pytest.raises(sh.ShoalError, match="nothing that runs on Spark serves t-closeness"):
        spark_algorithm(Search(), [sh.TCloseness(0.2)])


def test_tasks_run_in_one_thread_unless_told_otherwise():
    promise = [sh.KmAnonymity(2, 2)]
    assert spark_algorithm(Search(algorithm="vpa"), promise)[0].threads == 1
    assert spark_algorithm(Search(algorithm="vpa", options={"threads": 3}), promise)[0].threads == 3
