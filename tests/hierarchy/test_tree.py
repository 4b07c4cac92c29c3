import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput
from shoal.hierarchy.tree import NO_PARENT, tree_from_nodes, tree_from_parents
from tests.hierarchy.trees import assert_numbered_by_intervals, modest, parent_maps, parents_of
from tests.reference import trees as reference


@modest
@given(parent_maps())
def test_any_tree_is_numbered_by_intervals(parents):
    tree = tree_from_parents(parents)
    assert_numbered_by_intervals(tree)
    assert parents_of(tree) == parents
    for node, label in enumerate(tree.labels):
        if node > tree.missing:
            leaves = tree.labels[
                tree.arrays.first_leaf[node] : tree.arrays.first_leaf[node] + tree.sizes[node]
            ]
            assert set(leaves) == reference.leaves_under(parents, label)


@modest
@given(parent_maps())
def test_siblings_keep_the_order_in_which_they_come(parents):
    tree = tree_from_parents(parents)
    for node in range(tree.missing + 1, tree.node_count):
        named = [child for child, parent in parents.items() if parent == tree.labels[node]]
        assert [tree.labels[child] for child in tree.children(node)] == named


@modest
@given(parent_maps(), st.data())
def test_what_covers_and_lies_above_any_nodes(parents, data):
    tree = tree_from_parents(parents)
    chosen = data.draw(st.lists(st.sampled_from(["n0", *parents]), min_size=1, max_size=4))
    nodes = [tree.labels.index(label) for label in chosen]
    assert tree.covers(nodes[0], nodes[-1]) == (chosen[0] in reference.ancestors_or_self(parents, chosen[-1]))
    assert [tree.labels[node] for node in tree.ancestors(nodes[0])] == reference.ancestors_or_self(
        parents, chosen[0]
    )[1:]


@modest
@given(parent_maps(), st.integers(0, 3))
def test_more_leaves_under_the_root_change_nothing_below_it(parents, count):
    tree = tree_from_parents(parents).noting("as before")
    added = [f"extra{number}" for number in range(count)]
    larger = tree.with_leaves_under_root(added)
    assert_numbered_by_intervals(larger)
    assert larger.leaf_labels == (*tree.leaf_labels, *added)
    assert parents_of(larger) == {**parents, **dict.fromkeys(added, "n0")}
    assert larger.notices == ("as before",)


def test_only_the_root_covers_the_missing_value():
    tree = tree_from_parents({"a": "x", "b": "x", "x": "*", "c": "*"})
    assert not tree.covers(tree.labels.index("x"), tree.missing)
    assert tree.sizes[tree.root] == 3


def test_a_root_alone_is_the_tree_of_a_column_without_values():
    tree = tree_from_nodes(["*"], [NO_PARENT])
    assert_numbered_by_intervals(tree)
    assert (tree.leaf_count, tree.missing, tree.root, tree.height) == (0, 0, 1, 1)
    assert tree.with_leaves_under_root(["a"]).leaf_labels == ("a",)


def test_order_decides_among_siblings():
    tree = tree_from_nodes(["b", "a", "*"], [2, 2, NO_PARENT], order=[1, 0, 0])
    assert tree.leaf_labels == ("a", "b")


def test_a_deep_tree_needs_no_recursion():
    deep = {f"n{node}": f"n{node + 1}" for node in range(3000)}
    assert tree_from_parents(deep).height == 3000


@pytest.mark.parametrize(
    ("parents", "words"),
    [
        ({"a": "x", "b": "y"}, "has 2 roots ('x', 'y')"),
        ({"a": "b", "b": "a"}, "has no root"),
        ({"a": "*", "b": "c", "c": "b"}, "'b', 'c' form a circle"),
        ({}, "has no root"),
    ],
)
def test_what_is_no_tree_is_refused(parents, words):
    with pytest.raises(BadInput) as error:
        tree_from_parents(parents, source="here.csv")
    assert words in str(error.value)
    assert "here.csv" in str(error.value)


def test_arrays_are_frozen():
    tree = tree_from_parents({"a": "*"})
    for array in (*tree.arrays, tree.depths, tree.heights, tree.child_starts, tree.child_nodes):
        assert array.dtype == np.int64
        assert not array.flags.writeable
