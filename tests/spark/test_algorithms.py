"""Every algorithm that sees rows, by blocks, in one session: verified by Spark, and collected, by us."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.catalogue import takes
from shoal.run.spark_files import save_spark
from shoal.spark.search import on_spark
from tests.spark.releases import (
    BOTH,
    ITEMS,
    PEOPLE,
    baskets,
    both_ways,
    collected,
    contents,
    people,
    people_with_baskets,
    released,
)


def test_mondrian_cuts_as_on_one_machine(by_blocks):
    there, here = both_ways(by_blocks, people(), PEOPLE, sh.KAnonymity(k=5), "mondrian")
    parts = there.frame.rdd.getNumPartitions()
    assert parts == 4  # of at most 120 rows
    assert contents(collected(there)) == contents(here.frame)
    assert there.outcome.provenance.figures["blocks"] >= 4
    assert there.loss == pytest.approx(here.loss)
    ages = [result.outcome.cost.column_losses["age"] for result in (there, here)]
    assert ages[0] == pytest.approx(ages[1])
    assert any("are those of one machine" in notice for notice in there.notices)


@pytest.mark.slow
def test_mondrian_cuts_numbers_without_a_tree_and_keeps_diversity(by_blocks):
    table = people().append_column("weight", pa.array(np.random.default_rng(2).normal(70, 9, 400).round(1)))
    roles = {**PEOPLE, "weight": sh.Quasi(kind="number")}
    promises = [sh.KAnonymity(k=5), sh.LDiversity(l=1.2)]
    there, here = both_ways(by_blocks, table, roles, promises, "mondrian")
    published = collected(there)
    assert there.outcome.provenance.figures["blocks"] >= 4
    assert 0 < there.loss["ncp"] < 1.5 * here.loss["ncp"]
    extremes = {
        f"{weight:g}" for weight in (min(table["weight"].to_pylist()), max(table["weight"].to_pylist()))
    }
    ranges = [label for label in published["weight"].to_pylist() if label.startswith("[")]
    assert ranges
    assert not any(extremes & set(label.strip("[]()").split(", ")) for label in ranges)
    assert any("no cluster crosses a border" in notice for notice in there.notices)


OF_CLASSES = {
    "k": [sh.KAnonymity(5)],
    "l": [sh.KAnonymity(5), sh.LDiversity(l=1.2)],
    "alpha": [sh.KAnonymity(5), sh.AlphaKAnonymity(0.8, 5)],
}
CLUSTERINGS = [name for name in on_spark() if takes(name, "block")]


@pytest.mark.parametrize(
    ("algorithm", "promises"),
    [
        pytest.param(
            name,
            promises,
            id=f"{name} {kind}",
            marks=pytest.mark.slow,
        )
        for name in CLUSTERINGS
        for kind, promises in OF_CLASSES.items()
    ],
)
def test_rows_are_clustered_by_blocks(by_blocks, algorithm, promises):
    there = released(by_blocks, people(), PEOPLE, promises, algorithm)
    roles = {"age": sh.Quasi(), "zip": sh.Quasi(), "illness": sh.Sensitive()}
    on_spark = sh.verify(there.frame, roles, promises)
    published = collected(there)
    assert list(map(placeless, sh.verify(published, roles, promises))) == list(on_spark)
    assert sorted(published["illness"].to_pylist()) == sorted(people()["illness"].to_pylist())
    assert there.outcome.provenance.figures["blocks"] >= 4
    assert 0 < there.loss["lm"] < 0.5
    assert any(f"and {algorithm} searched each alone" in notice for notice in there.notices)


def placeless(verdict):
    """A verdict without row numbers, which rows in Spark do not have."""
    return replace(verdict, witness=verdict.witness and replace(verdict.witness, rows=()))


@pytest.mark.slow
def test_clusters_by_covering_lose_less_than_those_by_cuts(spark):
    table, promise = people(4_000, seed=8), sh.KAnonymity(5)
    spark.conf.set("spark.shoal.rowsPerBlock", "2000")
    try:
        found = {name: released(spark, table, PEOPLE, promise, name) for name in ("kanon-cf", "mondrian")}
    finally:
        spark.conf.unset("spark.shoal.rowsPerBlock")
    assert {len(collected(each)) for each in found.values()} == {4_000}
    assert found["kanon-cf"].outcome.provenance.figures["blocks"] >= 2
    assert found["kanon-cf"].loss["lm"] < 0.95 * found["mondrian"].loss["lm"]


@pytest.mark.slow
def test_hilbert_needs_no_tree_for_numbers_and_no_range_ends_at_an_extreme(by_blocks):
    weights = np.random.default_rng(2).normal(70, 9, 400).round(1)
    table = people().append_column("weight", pa.array(weights))
    roles = {**PEOPLE, "weight": sh.Quasi(kind="number")}
    there = released(by_blocks, table, roles, sh.KAnonymity(k=5), "hilbert")
    ranges = {label for label in collected(there)["weight"].to_pylist() if label.startswith("[")}
    assert len(ranges) > 5
    extremes = {f"{weight:g}" for weight in (weights.min(), weights.max())}
    assert not any(extremes & set(label.strip("[]()").split(", ")) for label in ranges)
    assert there.outcome.provenance.figures["blocks"] >= 4


@pytest.mark.slow
def test_what_needs_trees_says_so_before_the_search(by_blocks):
    table = people().append_column("weight", pa.array(np.random.default_rng(2).normal(70, 9, 400).round(1)))
    roles = {**PEOPLE, "weight": sh.Quasi(kind="number")}
    with pytest.raises(sh.ShoalError, match="kanon-cf needs a hierarchy"):
        released(by_blocks, table, roles, sh.KAnonymity(k=5), "kanon-cf")


AUTO = {
    "table": (people(), PEOPLE, sh.KAnonymity(5), "LM"),
    "sets": (baskets(), ITEMS, sh.KmAnonymity(4, 2), "NCP"),
    "table with sets": (people_with_baskets(), BOTH, sh.KKmAnonymity(4, 2), "NCP + loss in items"),
}


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=pytest.mark.slow) for kind in AUTO])
def test_auto_chooses_by_trial_and_says_so(by_blocks, kind):
    table, roles, promise, measured = AUTO[kind]
    there = released(by_blocks, table, roles, promise, "auto")
    assert len(collected(there)) == len(table)
    provenance = there.outcome.provenance
    losses = provenance.figures["tried"]
    assert len(losses) >= 2
    assert provenance.algorithm == min(losses, key=losses.get)
    (notice,) = [each for each in there.notices if each.startswith("auto took ")]
    assert notice.startswith(f"auto took {provenance.algorithm}, tried on ")
    assert f" of {len(table)} records: {measured} {provenance.algorithm} " in notice
    assert all(name in notice for name in losses)


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=pytest.mark.slow) for kind in AUTO])
def test_auto_chooses_alike_with_a_seed(by_blocks, kind):
    table, roles, promise, _ = AUTO[kind]
    first, again = (released(by_blocks, table, roles, promise, "auto") for _ in range(2))
    assert contents(collected(first)) == contents(collected(again))
    turned = released(by_blocks, table.take(np.arange(len(table))[::-1]), roles, promise, "auto")
    turned.frame.unpersist()
    figures = [each.outcome.provenance.figures for each in (first, again, turned)]
    assert figures[0]["tried"] == figures[1]["tried"] == figures[2]["tried"]


@pytest.mark.parametrize(
    "algorithm", [pytest.param(name, marks=pytest.mark.slow) for name in ("itemwise", "hghs")]
)
def test_items_are_published_in_detail_by_blocks(by_blocks, algorithm):
    promise, roles = sh.KmAnonymity(4, 2), {"items": sh.QuasiSet()}
    there, here = both_ways(by_blocks, baskets(), ITEMS, promise, algorithm)
    on_spark = sh.verify(there.frame, roles, promise)
    published = collected(there)
    assert list(map(placeless, sh.verify(published, roles, promise))) == list(on_spark)
    assert len(published) == 400
    assert there.outcome.provenance.figures["blocks"] >= 3
    assert here.loss["ncp"] < there.loss["ncp"] < 0.3
    assert any("most frequent items" in notice for notice in there.notices)


@pytest.mark.slow
def test_a_hot_group_is_dealt_out(by_blocks):
    table = pa.table({"age": [30] * 500 + [31, 32, 33], "illness": ["flu", "cold"] * 251 + ["gout"]})
    roles = {"age": PEOPLE["age"], "illness": sh.Sensitive()}
    there, _ = both_ways(by_blocks, table, roles, sh.KAnonymity(k=5), "mondrian")
    assert len(collected(there)) == 503
    assert there.outcome.provenance.figures["rows_dealt_by_turns"] == 503
    assert there.outcome.provenance.figures["rows_of_the_largest_block"] <= 130


@pytest.mark.slow
def test_lra_searches_blocks_and_loses_no_more_than_one_cut(by_blocks):
    promise = sh.KmAnonymity(4, 2)
    there, here = both_ways(by_blocks, baskets(), ITEMS, promise, "lra")
    one_cut = sh.anonymize(sh.read(baskets(), ITEMS), promise, algorithm="aa")
    figures = there.outcome.provenance.figures
    assert len(collected(there)) == 400
    assert figures["blocks"] >= 3
    assert figures["ncp_of_one_cut"] == pytest.approx(one_cut.loss["ncp"])
    assert there.loss["ncp"] == min(figures["ncp_of_one_cut"], figures["ncp_by_blocks"])
    assert here.loss["ncp"] <= there.loss["ncp"]
    assert any("where an itemset must reach k in each" in notice for notice in there.notices)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["lgr", "partition"])
def test_sets_are_searched_by_blocks(by_blocks, algorithm):
    there, here = both_ways(by_blocks, baskets(), ITEMS, sh.SetKAnonymity(4), algorithm)
    published = collected(there)
    assert len(published) == 400
    assert there.outcome.provenance.figures["blocks"] >= 3
    assert here.loss["ncp"] < there.loss["ncp"] < 1
    sizes = Counter(map(len, published["items"].to_pylist()))
    assert sizes[0] == Counter(map(len, baskets()["items"].to_pylist()))[0]
    assert any("most frequent items" in notice for notice in there.notices)


@pytest.mark.slow
def test_vpa_finds_the_cut_of_one_machine(by_blocks):
    there, here = both_ways(by_blocks, baskets(), ITEMS, sh.KmAnonymity(4, 2), "vpa")
    assert there.recoding.cuts.node_of_leaf.tolist() == here.recoding.cuts.node_of_leaf.tolist()
    assert there.loss == pytest.approx(here.loss)
    assert contents(collected(there)) == contents(here.frame)
    assert any("on one machine with parts = 3" in notice for notice in there.notices)


WITH_A_BOUND = {
    f"{bound}merge-{order}": loss for bound, loss in (("r", "ncp"), ("t", "ul")) for order in ("rt", "r", "t")
}


@pytest.mark.parametrize(
    "algorithm",
    [pytest.param(name, marks=pytest.mark.slow) for name in (*WITH_A_BOUND, "rfirst", "tfirst", "classwise")],
)
def test_tables_with_sets_keep_the_bound_in_every_block(by_blocks, algorithm):
    options = {"delta": 0.8} if algorithm in WITH_A_BOUND else {}
    there = released(by_blocks, people_with_baskets(), BOTH, sh.KKmAnonymity(4, 2), algorithm, **options)
    assert len(collected(there)) == 300
    assert there.outcome.provenance.figures["blocks"] >= 2
    assert there.loss[WITH_A_BOUND.get(algorithm, "ncp")] <= options.get("delta", 1.0)


@pytest.mark.slow
def test_disassociation_takes_records_apart_by_blocks(by_blocks, tmp_path):
    promise = sh.Disassociation(k=3, m=2)
    roles = {"items": sh.QuasiSet()}
    there, here = both_ways(by_blocks, baskets(), roles, promise, "disassociation")
    lines = [row.value for row in there.frame.collect()]
    (tmp_path / "published.jsonl").write_text("\n".join(lines) + "\n")
    (again,) = sh.verify(tmp_path / "published.jsonl", roles, promise)
    assert there.verdict.holds
    assert again.holds
    assert (
        again.figures["records"]
        == there.outcome.cost.published_records
        == here.outcome.cost.published_records
    )
    assert again.claim == there.verdict.claim
    assert 0 <= there.loss["tlost"] <= 1
    assert there.outcome.provenance.figures["blocks"] >= 3
    (verdict,) = sh.verify(there.frame, roles, promise)
    assert verdict.holds
    save_spark(there, str(tmp_path / "out"), published="published.jsonl", replace=False)
    certified = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert certified["verdict"]["holds"]
    assert certified["file"]["name"] == "published.jsonl"
    written = [path.read_text() for path in (tmp_path / "out" / "published.jsonl").glob("part-*")]
    assert sorted("".join(written).splitlines()) == sorted(lines)
    (broken,) = sh.verify(there.frame, roles, sh.Disassociation(k=40, m=2))
    assert not broken.holds
    there.frame.unpersist()


def skewed_baskets():
    """An item in every set, hundreds of equal sets, a very long one, items that one set holds, empty sets."""
    rng = np.random.default_rng(4)
    usual = [["all", *(f"i{item:02}" for item in np.flatnonzero(rng.random(8) < 0.3))] for _ in range(200)]
    sets = [*usual, *[["all", "hot"]] * 400, ["all", *(f"long{item}" for item in range(600))]]
    sets += [["all", f"rare{number}"] for number in range(100)] + [[]] * 300
    return pa.table({"items": pa.array(sets, pa.list_(pa.string()))})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "promise"),
    [("lra", sh.KmAnonymity(4, 1)), ("lgr", sh.SetKAnonymity(4)), ("vpa", sh.KmAnonymity(4, 1))],
)
def test_skewed_sets_are_searched_without_one_large_task(by_blocks, algorithm, promise):
    there, _ = both_ways(by_blocks, skewed_baskets(), ITEMS, promise, algorithm)
    published = collected(there)
    assert Counter(map(len, published["items"].to_pylist()))[0] == 300
    assert there.outcome.provenance.figures.get("rows_of_the_largest_block", 0) <= 160


@pytest.mark.slow
def test_skewed_sets_are_taken_apart_without_one_large_task(by_blocks):
    promise = sh.Disassociation(k=3, m=2)
    there, here = both_ways(by_blocks, skewed_baskets(), {"items": sh.QuasiSet()}, promise, "disassociation")
    assert there.verdict.holds
    assert there.outcome.cost.published_records == here.outcome.cost.published_records
    assert there.outcome.provenance.figures["rows_of_the_largest_block"] <= 160
    there.frame.unpersist()
