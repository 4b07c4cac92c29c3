"""Any algorithm keeps to the levels that may be published, and says what that costs."""

from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as sh
from shoal.algorithms.catalogue import ALGORITHMS
from shoal.errors import BadInput, Infeasible, InvalidParameter
from shoal.hierarchy.levels import levels_of, nodes_at_levels
from shoal.privacy.k_anonymity import KAnonymity
from shoal.recoding.generalized_clusters import SUPPRESSED
from tests.examples import examples
from tests.recoding.samples import sample

OF_TABLES = [name for name, each in ALGORITHMS.items() if KAnonymity in each.serves]
AGES = [str(20 + i * 7 % 43) for i in range(60)]
SEX = sh.Quasi(hierarchy=sh.flat())
ITEMS = [f"a{i % 3} b{i % 5}" if i % 9 else "" for i in range(60)]


def age(**levels):
    return sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20), **levels)


def table():
    return pa.table({"age": AGES, "sex": [("f", "m", "f", None)[i % 4] for i in range(60)]})


def allowed(levels: list[int]) -> set[str]:
    """The labels of levels of ages, written down: single years, and ranges of 5, 10 and 20."""
    widths = [1, 5, 10, 20]
    found = {"*"} if 4 in levels else set()
    for width in (widths[level] for level in levels if level < 4):
        found |= {str(a) if width == 1 else f"{a}-{a + width - 1}" for a in range(0, 80, width)}
    return found


CASES = {
    "no single years": ({"min_level": 1}, [1, 2, 3, 4]),
    "nothing above ten years": ({"max_level": 2}, [0, 1, 2]),
    "five or twenty years": ({"levels": (1, 3)}, [1, 3]),
    "ten years": ({"min_level": 2, "max_level": 2}, [2]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("algorithm", OF_TABLES)
def test_every_algorithm_keeps_to_the_levels(algorithm, case):
    limits, levels = CASES[case]
    data = sh.read(table(), {"age": age(**limits), "sex": SEX})
    try:
        result = sh.anonymize(data, sh.KAnonymity(4), algorithm=algorithm, seed=1)
    except Infeasible:
        assert 4 not in levels
        return
    rows = list(zip(*(result.frame.column(name).to_pylist() for name in ("age", "sex")), strict=True))
    shown = [row for row in rows if row != ("*", "*")]
    assert {label for label, _ in shown} <= allowed(levels) | ({"*"} if 4 in levels else set())
    assert min(rows.count(row) for row in rows) >= 4
    assert any("a free choice of labels would lose" in notice for notice in result.notices)
    assert result.outcome.provenance.algorithm == algorithm
    tree, codes = data.local.trees["age"], data.local.table.coded("age").codes
    clusters = result.recoding.clusters
    for row, cluster in enumerate(clusters.cluster_of_row.tolist()):
        assert cluster == SUPPRESSED or tree.covers(int(clusters.nodes["age"][cluster]), int(codes[row]))


@pytest.mark.parametrize("algorithm", ["aa", "da", "oa", "lra", "vpa", "hghs", "itemwise"])
@examples(10)
@given(st.data())
def test_items_keep_to_the_levels(algorithm, data):
    tree = sh.fanout(2)
    sets = data.draw(st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=4), min_size=12, max_size=30))
    frame = pa.table({"items": [" ".join(sorted(each)) for each in sets]})
    limits = data.draw(st.sampled_from([{"min_level": 1}, {"max_level": 1}, {"levels": (0, 2)}]))
    free = sh.read(frame, {"items": sh.QuasiSet(hierarchy=tree)})
    whole = free.local.trees["items"]
    try:
        read = sh.read(frame, {"items": sh.QuasiSet(hierarchy=tree, **limits)})
        result = sh.anonymize(read, sh.KmAnonymity(3, 2), algorithm=algorithm, seed=1)
    except (Infeasible, BadInput):
        return
    published = [set((text or "").split()) for text in result.frame.column("items").to_pylist()]
    for itemset in {each for items in published for n in (1, 2) for each in combinations(sorted(items), n)}:
        assert sum(set(itemset) <= items for items in published) >= 3
    levels = levels_of("items", read.local.roles["items"], whole)
    at = nodes_at_levels(whole)[levels, : whole.leaf_count]
    assert set().union(*published) <= {whole.labels[node] for node in at.ravel()}


def test_a_search_without_a_tree_cannot_keep_to_levels():
    frame = pa.table({"items": ITEMS})
    with pytest.raises(BadInput, match="does not publish nodes of a hierarchy"):
        sh.anonymize(
            sh.read(frame, {"items": sh.QuasiSet(hierarchy=sh.fanout(2), min_level=1)}),
            sh.KmAnonymity(8, 2),
            algorithm="pcta",
        )
    with pytest.raises(BadInput, match="no hierarchy whose levels"):
        ages = {"age": sh.Quasi(kind="number", max_level=1), "sex": SEX}
        sh.anonymize(sh.read(table(), ages), sh.KAnonymity(4), algorithm="mondrian")


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (sh.KAnonymity(4), lambda: sh.read(table(), {"age": age(), "sex": SEX})),
        (sh.KmAnonymity(8, 2), lambda: sample("cut")[0]),
    ],
)
def test_global_output_has_one_label_per_value(model, data):
    read = data()
    result = sh.anonymize(read, model, recoding="global", seed=1, time_limit=10, on_limit="best")
    assert ALGORITHMS[result.outcome.provenance.algorithm].recodes_globally
    assert any("a free choice of labels would lose" in notice for notice in result.notices)
    recoding = result.recoding
    if recoding.clusters is None:
        assert recoding.cuts.part_count == 1
        return
    for name, nodes in recoding.clusters.nodes.items():
        codes = read.local.table.coded(name).codes
        pairs = {
            (int(code), int(nodes[cluster]))
            for code, cluster in zip(codes, recoding.clusters.cluster_of_row, strict=True)
            if cluster != SUPPRESSED
        }
        assert len(pairs) == len({code for code, _ in pairs})


@pytest.mark.parametrize("name", [name for name, each in ALGORITHMS.items() if each.recodes_globally])
def test_algorithms_that_say_so_recode_globally(name):
    if KAnonymity in ALGORITHMS[name].serves:
        data = sh.read(table(), {"age": age(), "sex": SEX})
        result = sh.anonymize(data, sh.KAnonymity(4), algorithm=name, recoding="global", suppression=0.2)
        levels = {
            column: {int(data.local.trees[column].heights[node]) for node in nodes}
            for column, nodes in result.recoding.clusters.nodes.items()
        }
        assert all(len(found - {0}) <= 1 for found in levels.values())  # a missing value has no levels
        return
    result = sh.anonymize(sample("cut")[0], sh.KmAnonymity(8, 2), algorithm=name, recoding="global")
    assert result.recoding.cuts.part_count == 1


def test_an_algorithm_that_does_not_recode_globally_is_refused_where_that_is_asked():
    data = sh.read(table(), {"age": age(), "sex": SEX})
    with pytest.raises(BadInput, match="use one of full-domain"):
        sh.anonymize(data, sh.KAnonymity(4), algorithm="mondrian", recoding="global")
    with pytest.raises(BadInput, match="one label in all records"):
        sh.anonymize(sample("joint")[0], sh.KKmAnonymity(4, 2), recoding="global")
    with pytest.raises(InvalidParameter, match="recoding"):
        sh.anonymize(data, sh.KAnonymity(4), recoding="sometimes")


def test_suppressed_records_are_left_out_where_something_is_promised_about_sensitive_values():
    days = [f"2020-0{month}-01" for month in range(1, 6)]
    people = pa.table(
        {
            "city": ["ulm"] * 25 + ["bonn", "kiel", "jena", "hof", "aachen"] * 7,
            "items": ["a b", "a", "b c", "c"] * 15,
            "seen": days * 12,
        }
    )
    roles = {
        "city": sh.Quasi(hierarchy=sh.prefixes(2, 1), max_level=1),
        "items": sh.QuasiSet(hierarchy=sh.fanout(2)),
        "seen": sh.Sensitive(kind="date"),
    }
    promise = sh.KLmDiversity(k=10, m=1, l=1.5)
    result = sh.anonymize(sh.read(people, roles), promise, algorithm="rfirst", seed=1)
    assert result.verdict.holds
    assert 0 < result.outcome.cost.published_records < 60
    assert set(result.frame["seen"].to_pylist()) <= set(days)
