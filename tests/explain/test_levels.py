from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.explain.levels import (
    MOST_BARS,
    MOST_BRANCHES,
    cut_of_unions,
    cut_tree,
    kept_by_level,
    level_of_ranges,
    level_without_tree,
    levels_of_tree,
    levels_of_unions,
)
from shoal.hierarchy.builders import fanout
from shoal.kernels.arrays import SetArrays, frozen_floats, frozen_ints
from shoal.metrics.flows import GONE, Flow
from shoal.recoding.cuts import Unions
from shoal.table.columns import category_domain
from tests.builders import tree

TREE = tree({"*": {"A": {"A1": ["a", "b"], "A2": ["c"]}, "B": ["d", "e"], "x": {}}})
NODE = {label: node for node, label in enumerate(TREE.labels)}


def flow(*pairs):
    """(value, published label or None, count)."""
    rows = sorted((NODE[v], GONE if p is None else NODE[p], n) for v, p, n in pairs)
    return Flow(*(frozen_ints([row[part] for row in rows]) for part in range(3)))


def of(level):
    return {
        group: (before, told, spread)
        for group, before, told, spread in zip(
            level.groups, level.before, level.told, level.spread, strict=True
        )
    }


def test_levels_tell_what_is_named_and_spread_what_is_coarser():
    before = np.array([4, 1, 2, 5, 0, 3])
    coarse, middle, values = levels_of_tree(TREE, before, {"a": 4, "A": 6, "d": 1, "B": 2, "*": 12})
    assert of(coarse) == {"A": (7, 10, 6), "B": (5, 3, 4), "x": (3, 0, 2)}
    assert of(middle)["A1"] == (5, 4, pytest.approx(4 + 4))
    assert of(middle)["d"] == (5, 1, pytest.approx(1 + 2))
    assert of(values)["b"] == (1, 0, pytest.approx(2 + 2))
    assert [level.name for level in (coarse, middle, values)] == [
        "level 1 (3 groups)",
        "level 2 (5 groups)",
        "6 values",
    ]


@given(st.lists(st.tuples(st.sampled_from(TREE.labels), st.integers(0, 50)), max_size=8))
def test_at_every_level_all_that_was_published_is_counted_once(published):
    after = Counter()
    for label, count in published:
        after[label] += count
    after.pop("", None)
    for level in levels_of_tree(TREE, np.ones(6, dtype=np.int64), after):
        assert sum(level.told) + sum(level.spread) == pytest.approx(sum(after.values()))
        assert sum(level.before) == 6


def test_a_level_tells_what_was_published_there_or_finer():
    kept = kept_by_level(
        TREE, flow(("a", "a", 4), ("b", "A1", 2), ("c", "A", 1), ("d", "*", 2), ("x", "x", 1))
    )
    assert list(kept.values()) == [0.8, 0.7, 0.5]
    assert kept_by_level(TREE, flow(("a", None, 1)))["level 1 (3 groups)"] == 0


def test_one_cut_shows_what_is_on_it_and_folds_what_is_below():
    cut = cut_tree(TREE, flow(("a", "A", 4), ("b", "A", 2), ("c", "A", 1), ("d", "d", 2), ("x", "x", 1)))
    assert cut.one_cut
    assert [(node.label, node.parent, node.published, node.values) for node in cut.nodes] == [
        ("*", -1, 0, 6),
        ("A", 0, 7, 3),
        ("B", 0, 0, 2),
        ("d", 2, 2, 1),
        ("x", 0, 1, 1),
    ]


def test_a_value_with_several_labels_is_no_single_cut():
    cut = cut_tree(TREE, flow(("a", "A", 4), ("a", "a", 2), ("b", "A1", 1), ("d", None, 2)))
    assert not cut.one_cut
    assert cut.gone == 2
    shown = {node.label: (node.published, node.occurrences) for node in cut.nodes}
    assert shown == {"*": (0, 9), "A": (4, 7), "A1": (1, 7), "a": (2, 6)}


def test_a_tree_of_thousands_of_leaves_is_drawn_in_a_few_rows():
    large = fanout(5).tree(category_domain([f"v{i:05}" for i in range(5000)]))
    parents = large.arrays.parent[: large.leaf_count]
    many = Flow(frozen_ints(range(5000)), frozen_ints(parents), frozen_ints(np.arange(5000) + 1))
    cut = cut_tree(large, many)
    assert cut.one_cut
    generalized = [node for node in cut.nodes if node.published and not node.folded]
    assert len(generalized) == MOST_BRANCHES
    assert len(cut.nodes) < 60
    assert sum(node.published for node in cut.nodes) == 5000 * 5001 // 2


def test_nothing_generalized_is_a_root_with_all_folded():
    large = fanout(5).tree(category_domain([f"v{i:05}" for i in range(50)]))
    cut = cut_tree(large, Flow(*(frozen_ints(range(50)) for _ in range(2)), frozen_ints([2] * 50)))
    assert [(node.label, node.published) for node in cut.nodes] == [("*", 0), ("50 values", 100)]


def test_what_is_coarser_only_is_folded_into_what_it_became():
    large = fanout(5).tree(category_domain([f"v{i:05}" for i in range(50)]))
    above = large.arrays.parent[:50].copy()
    above[:25] = large.arrays.parent[large.arrays.parent[0]]
    cut = cut_tree(large, Flow(frozen_ints(range(50)), frozen_ints(above), frozen_ints([2] * 50)))
    assert not any(node.folded for node in cut.nodes)
    assert sum(node.published for node in cut.nodes) == 100


UNIONS = Unions(
    ("a", "b", "c", "(a|b)"), SetArrays(frozen_ints([0, 1, 2, 3, 5]), frozen_ints([0, 1, 2, 0, 1])), 3
)


def test_unions_hang_under_one_root():
    united = Flow(frozen_ints([0, 1, 2]), frozen_ints([3, 3, 2]), frozen_ints([4, 1, 2]))
    cut = cut_of_unions(UNIONS, united)
    assert [(node.label, node.values, node.published) for node in cut.nodes] == [
        ("all items", 3, 0),
        ("(a|b)", 2, 5),
        ("1 items as they are", 1, 2),
    ]
    (level,) = levels_of_unions(UNIONS, np.array([4, 1, 2]), {"(a|b)": 4, "c": 2})
    assert of(level) == {"a": (4, 0, 2), "b": (1, 0, 2), "c": (2, 2, 0)}


def test_terms_are_told_by_chunks_or_counted_once():
    level = level_without_tree({"a": 4, "b": 1}, {"a": 3}, {"a": 1, "b": 1})
    assert of(level) == {"a": (4, 3, 1), "b": (1, 0, 1)}


def test_ranges_are_spread_over_the_parts_they_overlap():
    numbers = frozen_floats([0, 10, 20, 30])
    ranges = frozen_floats([[0, 0], [0, 30], [np.nan, np.nan], [-np.inf, np.inf]])
    level = level_of_ranges(
        numbers, frozen_ints([1, 1, 1, 1]), ranges, frozen_ints([2, 4, 1, 1]), lambda x: f"{x:g}"
    )
    assert level.groups == ("0 to 7.5", "7.5 to 15", "15 to 22.5", "22.5 to 30")
    assert level.before == (1, 1, 1, 1)
    assert level.told == (2, 0, 0, 0)
    assert level.spread == (1, 1, 1, 1)


def test_one_number_is_one_part():
    level = level_of_ranges(
        frozen_floats([5]), frozen_ints([3]), frozen_floats([[5, 5]]), frozen_ints([3]), str
    )
    assert (level.before, level.told, level.spread) == ((3,), (3,), (0,))
    empty = frozen_floats(np.empty((0, 2)))
    assert level_of_ranges(frozen_floats([]), frozen_ints([]), empty, frozen_ints([]), str) is None


def test_many_groups_keep_the_largest_and_count_the_rest():
    counts = {f"v{i}": i for i in range(100)}
    level = level_without_tree(counts, counts, {})
    assert len(level.groups) == MOST_BARS
    assert level.groups[0] == "v99"
    assert level.groups[-1] == "77 others"
    assert sum(level.before) == sum(range(100))
