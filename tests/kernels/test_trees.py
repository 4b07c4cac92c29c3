import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy.tree import tree_from_parents
from shoal.kernels.trees import lowest_common_ancestors
from tests.hierarchy.trees import modest, parent_maps
from tests.reference import trees as reference


@modest
@given(parent_maps(), st.data())
def test_lowest_node_over_an_interval_of_leaves(parents, data):
    tree = tree_from_parents(parents)
    leaf = st.integers(0, tree.leaf_count - 1)
    pairs = [sorted(pair) for pair in data.draw(st.lists(st.tuples(leaf, leaf), max_size=5))]
    first, last = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    found = lowest_common_ancestors(tree.arrays, first, last)
    assert [tree.labels[node] for node in found] == [
        reference.lowest_common_ancestor(parents, tree.leaf_labels[low : high + 1]) for low, high in pairs
    ]


def test_the_missing_value_meets_others_in_the_root():
    tree = tree_from_parents({"a": "x", "b": "x", "x": "*"})
    missing = tree.missing
    first, last = np.array([missing, 1, 0], dtype=np.int64), np.array([missing, missing, 1], dtype=np.int64)
    assert lowest_common_ancestors(tree.arrays, first, last).tolist() == [
        missing,
        tree.root,
        tree.labels.index("x"),
    ]
