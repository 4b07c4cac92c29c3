"""A block is searched as on one machine, and tells how that went; all without a cluster."""

import json
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.catalogue import make_algorithm, takes
from shoal.algorithms.relational.clustering.blocks import BlockSearch
from shoal.algorithms.search import Limits, Search
from shoal.recoding.disassociated import parse_lines
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.spark.block_tasks import BLOCK
from shoal.spark.blocks import MeasuredBlock, PublishRows, RunClock, search_here, united_losses, within_box
from shoal.spark.data import SparkData
from shoal.spark.disassociation import TakeApart, randoms_of
from shoal.spark.publish_tasks import published_schema
from shoal.spark.reader import Reader
from shoal.spark.search import on_spark, spark_algorithm
from shoal.threads import processors

PROMISES = {
    type(each): each
    for each in (sh.KAnonymity(4), sh.KmAnonymity(4, 2), sh.SetKAnonymity(4), sh.KKmAnonymity(4, 2))
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


def searched(table, roles, name, promise, *, within=NO_LIMITS, **options):
    """What a worker gives back for one block: rows, and the facts."""
    local = sh.read(table, roles).local
    reader = Reader(local.roles, sh.ReadOptions(), local.trees)
    algorithm = make_algorithm(name, options)
    task = PublishRows(reader, algorithm, (promise,), published_schema(table.schema, roles), 7, within)
    numbered = table.append_column(BLOCK, pa.array([3] * len(table)))
    found = pa.Table.from_batches(search_here(task, numbered.to_batches(max_chunksize=50)))
    told = found.filter(pa.compute.is_valid(found["shoal facts"]))
    published = found.filter(pa.compute.is_null(found["shoal facts"])).select(table.column_names)
    (facts,) = filter(None, told["shoal facts"].to_pylist())
    return published, json.loads(facts)


@pytest.mark.parametrize("name", [name for name, how in on_spark().items() if how.by in ("blocks", "parts")])
def test_a_block_keeps_the_promise(name):
    promise = PROMISES[on_spark()[name].serves[0]]
    roles = roles_for(promise)
    published, facts = searched(pa.table({column: rows()[column] for column in roles}), roles, name, promise)
    assert (facts["block"], facts["rows"], len(published)) == (3, 120, 120)
    assert 0 <= facts["losses"]["ncp"] <= 1
    (verdict,) = sh.verify(published, roles, promise)
    assert verdict.holds


@pytest.mark.parametrize("name", [name for name in on_spark() if takes(name, "block")])
def test_a_block_that_is_too_large_for_a_search_is_cut_within_its_task(name, monkeypatch):
    threads = []
    clusters = BlockSearch.clusters

    def noted(search, rng, progress):
        threads.append(processors())
        return clusters(search, rng, progress)

    monkeypatch.setattr(BlockSearch, "clusters", noted)
    promise = sh.KAnonymity(4)
    roles = roles_for(promise)
    published, facts = searched(pa.table({"age": rows()["age"]}), roles, name, promise, block=30)
    assert threads == [1]
    assert len(published) == facts["rows"] == 120
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
        published, _, brought = task.release(pa.table({"items": table["items"].slice(3)}), -1)
        assert brought["items"].num_rows == 1
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


def test_the_mean_of_ambiguities_never_leaves_the_logarithm():
    measured = [MeasuredBlock(1, 0, {"log10_am": 400.0}), MeasuredBlock(3, 0, {"log10_am": 401.0})]
    assert united_losses(measured, ())["log10_am"] == pytest.approx(400 + np.log10(31 / 4))
    assert united_losses([*measured, MeasuredBlock(1, 0, {})], ()) == {}


def test_a_block_is_taken_apart_alike_when_it_is_repeated():
    promise, roles = sh.Disassociation(3, 2), {"items": sh.QuasiSet(sensitive=("f",))}
    table = pa.table({"items": rows()["items"]})
    reader = Reader(roles, sh.ReadOptions())
    found = [
        TakeApart(
            reader, make_algorithm("disassociation", {"threads": 1}), "items", promise, NO_LIMITS, secret
        )
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
        (sh.KmAnonymity(2, 2), ["itemwise", "hghs", "lra"]),
        (sh.KAnonymity(2), ["kanon-cf", "agglomerative", "hilbert", "mondrian"]),
        (sh.SetKAnonymity(2), ["lgr", "partition"]),
        (sh.KKmAnonymity(2, 2), ["classwise", "rmerge-rt"]),
    ],
)
def test_auto_tries_what_runs_on_spark(promise, expected):
    trial, notices = spark_algorithm(Search(), [promise], spark_data(promise))
    assert [each.name for each in trial.candidates] == expected
    assert notices == ()
    assert all(name in on_spark() for name in expected)
    assert spark_algorithm(Search(), [promise])[0].name == expected[0]  # before there are data


def test_auto_takes_the_only_one_that_serves_and_says_so():
    promise = sh.Disassociation(2, 2)
    algorithm, (notice,) = spark_algorithm(Search(), [promise], spark_data(promise))
    assert algorithm.name == "disassociation"
    assert notice == "auto took disassociation, the only one on Spark that suits these data and this promise"
    ordered, _ = spark_algorithm(Search(keep_order=True), [sh.KmAnonymity(2, 2)], spark_data(promise))
    assert ordered.name == "aa"


def test_options_that_are_given_to_auto_are_kept():
    data, promise = spark_data(sh.KAnonymity(2)), [sh.KAnonymity(2)]
    trial, _ = spark_algorithm(Search(options={"objective": "ncp", "block": 70}), promise, data)
    assert {each.options["measure"] for each in trial.candidates} == {"ncp"}
    assert {each.options["block"] for each in trial.candidates} == {70}
    with pytest.raises(sh.ShoalError, match="objective"):
        spark_algorithm(Search(options={"objective": "ul"}), promise, data)


@pytest.mark.parametrize(
    ("name", "rows_per_block", "expected"),
    [("kanon-cf", None, 100_000), ("agglomerative", None, 3_000), ("kanon-cf", "30000", 0)],
)
def test_tasks_search_in_the_blocks_that_auto_makes_on_one_machine(name, rows_per_block, expected):
    promise = [sh.KAnonymity(5)]
    data = spark_data(promise[0], row_count=10_000_000, rows_per_block=rows_per_block)
    algorithm, _ = spark_algorithm(Search(algorithm=name), promise, data)
    assert algorithm.block == expected
    given, _ = spark_algorithm(Search(algorithm=name, options={"block": 99}), promise, data)
    assert given.block == 99


def spark_data(promise, row_count=1_000, rows_per_block=None):
    """As much of data in Spark as a choice looks at."""
    roles = roles_for(promise)
    trees = sh.read(pa.table({column: rows()[column] for column in roles}), roles).local.trees
    conf = SimpleNamespace(get=lambda *_: rows_per_block)
    frame = SimpleNamespace(sparkSession=SimpleNamespace(conf=conf))
    return SparkData(frame, roles, sh.ReadOptions(), trees, {}, row_count)


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
