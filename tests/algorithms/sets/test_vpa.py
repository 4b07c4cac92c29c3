import random

import numpy as np
import pytest

from shoal.algorithms.sets.vpa import VPA, subtrees_of_level
from shoal.errors import Cancelled, Infeasible
from shoal.hierarchy.tree import NO_PARENT, tree_from_nodes
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.progress import Silent
from tests.algorithms.sets.blocks import blocks_of_instances
from tests.algorithms.sets.instances import (
    SPEC_SETS,
    SPEC_TREE,
    instance,
    random_instance,
    random_tree,
)
from tests.algorithms.sets.searches import (
    feasible,
    find,
    published_nodes,
    random_case,
    released,
)
from tests.builders import tree
from tests.reference import count_tree, km, km_parts


def cut_of(recoding):
    assert recoding.cuts.part_count == 1
    return dict(enumerate(recoding.cuts.node_of_leaf[0].tolist()))


def cut_of_twin(each, **how):
    return km_parts.vertical(each.above, each.leaves, each.transactions, **how)


def test_resolves_like_the_twin():
    for seed in range(150):
        each, k, m = random_case(seed)
        if not feasible(each, k):
            continue
        rng = random.Random(seed)
        level, parts = rng.randint(0, 3), rng.randint(1, 4)
        recoding = find(VPA(level=level, parts=parts, minimal=False), each, KmAnonymity(k, m))
        expected = km_parts.vertical(
            each.above, each.leaves, each.transactions, k=k, m=m, level=level, parts=parts
        )
        assert cut_of(recoding) == expected, seed


def test_as_printed_it_resolves_with_the_papers_aa():
    for seed in range(150):
        each, k, m = random_case(seed)
        if feasible(each, k):
            level, parts = seed % 3, 1 + seed % 4
            recoding = find(VPA(level=level, parts=parts, as_printed=True), each, KmAnonymity(k, m))
            how = {"k": k, "m": m, "level": level, "parts": parts}
            assert cut_of(recoding) == cut_of_twin(each, **how, way_up=count_tree.generalized), seed
            assert KmAnonymity(k, m).verify(released(each, recoding)).holds, seed


@pytest.mark.parametrize("block", blocks_of_instances())
def test_random_releases_are_safe_and_minimal(block):
    for seed in block:
        each, k, m = random_case(seed)
        if not feasible(each, k):
            with pytest.raises(Infeasible, match="cannot be met"):
                find(VPA(), each, KmAnonymity(k, m))
            continue
        recoding = find(VPA(level=seed % 3), each, KmAnonymity(k, m))
        assert km.is_safe(published_nodes(each, recoding), k, m), seed
        assert KmAnonymity(k, m).verify(released(each, recoding)).holds
        for _, finer in km.expansions(each.above, each.leaves, cut_of(recoding)):
            assert not km.is_safe(km.published(each.transactions, finer), k, m), seed


def test_spec():
    each = instance(SPEC_TREE, SPEC_SETS)
    recoding = find(VPA(), each, KmAnonymity(2, 2))
    assert [each.tree.labels[node] for node in recoding.cuts.node_of_leaf[0]] == ["A", "A", "b1", "b2"]


def test_subtrees_of_a_level():
    items = tree({"*": {"A": {"AA": ["a", "b"], "c": []}, "d": [], "E": {"EE": {"EEE": ["e", "f"]}}}})

    def tops(level):
        return [items.labels[node] for node in subtrees_of_level(items, level)]

    assert tops(0) == ["a", "b", "c", "d", "e", "f"]
    assert tops(1) == ["AA", "c", "d", "EEE"]
    assert tops(2) == ["A", "d", "EE"]
    assert tops(3) == ["A", "d", "E"]
    assert tops(4) == ["*"]


def test_subtrees_are_those_of_the_twin_and_cover_every_leaf():
    for seed in range(100):
        items = random_tree(random.Random(seed))
        leaves = range(items.leaf_count)
        for level in range(5):
            found = subtrees_of_level(items, level).tolist()
            assert found == km_parts.subtrees_of_level(items.arrays.parent.tolist(), leaves, level)
            covered = [leaf for node in found for leaf in leaves if items.covers(node, leaf)]
            assert covered == list(leaves)


def test_tree_without_leaves():
    empty = instance(tree_from_nodes(["*"], [NO_PARENT]), [set(), set()])
    for level in range(3):
        assert find(VPA(level=level), empty, KmAnonymity(2, 2)).cuts.node_of_leaf.shape == (1, 0)


def test_violation_across_groups_is_left_to_the_last_pass():
    sets = [{"a1", "b1"}, {"a1"}, {"b1"}, {"a2", "b2"}, {"a2", "b2"}]
    each = instance(SPEC_TREE, sets)
    recoding = find(VPA(parts=2), each, KmAnonymity(2, 2))
    assert cut_of(recoding) == km_parts.vertical(
        each.above, each.leaves, each.transactions, k=2, m=2, level=1, parts=2
    )
    assert recoding.figures["itemsets_resolved"] == 1
    assert KmAnonymity(2, 2).verify(released(each, recoding)).holds


def test_violation_that_no_group_can_mend_is_left_to_the_last_pass():
    each = instance(SPEC_TREE, [{"a1"}, {"b1"}, {"b2"}, {"b1"}, {"b2"}])
    recoding = find(VPA(parts=2), each, KmAnonymity(2, 1))
    assert {each.tree.labels[node] for node in recoding.cuts.node_of_leaf[0]} == {
        "*" if "*" in each.tree.labels else "ALL"
    }


def test_same_cut_whatever_the_number_of_threads():
    each = random_instance(random.Random(7), most_leaves=30, most_rows=200)
    first, *others = (
        find(VPA(parts=4, threads=threads), each, KmAnonymity(4, 3)) for threads in (1, 2, 2, 4)
    )
    for other in others:
        np.testing.assert_array_equal(first.cuts.node_of_leaf, other.cuts.node_of_leaf)
        assert (first.cuts.reasons, first.figures) == (other.cuts.reasons, other.figures)


def test_memory_limit_makes_more_groups_and_a_safe_cut():
    each = random_instance(random.Random(8), most_leaves=30, most_rows=200)
    items = sum(map(len, each.transactions))
    program_and_data = 300e6 + 16 * (items + len(each.transactions))
    recoding = find(VPA(memory_limit=program_and_data + 1000), each, KmAnonymity(3, 2))
    assert KmAnonymity(3, 2).verify(released(each, recoding)).holds


def test_time_limit_gives_a_safe_release():
    each = instance(SPEC_TREE, [*SPEC_SETS, {"a1"}])
    recoding = find(VPA(), each, KmAnonymity(2, 2), progress=Silent(time_limit=-1))
    assert set(cut_of(recoding).values()) == {each.tree.root}
    assert any("time was up" in notice for notice in recoding.notices)


def test_wish_to_stop_is_honoured():
    progress = Silent()
    progress.cancel()
    with pytest.raises(Cancelled):
        find(VPA(), instance(SPEC_TREE, SPEC_SETS), KmAnonymity(2, 2), progress=progress)


def test_diverse_releases_are_safe():
    made = 0
    for seed in range(200):
        rng = random.Random(seed)
        each = random_instance(rng, most_rows=40)
        labels = each.tree.labels
        sets = [{labels[leaf] for leaf in items} for items in each.transactions]
        each = instance(each.tree, sets, [each.tree.leaf_labels[-1]])
        models = KmAnonymity(rng.randint(2, 3), 2), LmDiversity(rng.choice([1.5, 2]), rng.randint(1, 2))
        try:
            recoding = find(VPA(), each, *models)
        except Infeasible:
            continue
        made += 1
        assert all(model.verify(released(each, recoding)).holds for model in models), seed
    assert made > 50


def test_negative_knowledge_agrees_with_brute_force():
    kept = 0
    for seed in range(100):
        rng = random.Random(seed)
        each, k, m = random_instance(rng, most_leaves=6, most_rows=20), rng.randint(2, 3), rng.randint(1, 3)
        leaves = {node: len(below) for node, below in km.leaves_below(each.above, each.leaves).items()}
        try:
            recoding = find(VPA(level=seed % 3), each, KmAnonymity(k, m, negative=True))
        except Infeasible:
            continue
        assert km.facts_hold(published_nodes(each, recoding), leaves, k, m), seed
        kept += 1
    assert kept > 50
