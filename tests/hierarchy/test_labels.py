import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput
from shoal.hierarchy.labels import with_publishable_labels, without_separator
from shoal.hierarchy.tree import NO_PARENT, tree_from_nodes
from shoal.table.separators import stays_apart
from tests.hierarchy.trees import modest


@pytest.mark.parametrize(
    ("label", "separator", "written"),
    [
        ("[20, 25)", " ", "[20,_25)"),
        ("[20, 25)", ",", "[20_ 25)"),
        ("[20, 25)", ", ", "[20_25)"),
        ("a_b", "_", "a-b"),
        ("a___b", "__", "a_b"),
        ("ab", " ", "ab"),
    ],
)
def test_the_separator_is_replaced(label, separator, written):
    assert without_separator(label, separator) == written


@modest
@given(
    st.lists(st.text("a~_+ ", min_size=1, max_size=3), min_size=3, max_size=8, unique=True),
    st.lists(st.text("a~_+ ", min_size=1, max_size=3), min_size=1, max_size=6),
    st.sampled_from([None, " ", "~", "_", "~~", "_~", "a"]),
)
def test_labels_become_distinct_and_free_of_the_separator(leaves, inner, separator):
    root = len(leaves) + len(inner)
    above_leaves = [len(leaves) + place % len(inner) for place in range(len(leaves))]
    inner = inner[: len(set(above_leaves))]
    root = len(leaves) + len(inner)
    parents = [*above_leaves, *[root] * len(inner), NO_PARENT]
    tree = tree_from_nodes([*leaves, *inner, "*"], parents)
    renamed = with_publishable_labels(tree, separator)
    assert len(set(renamed.labels)) == renamed.node_count
    for before, after in zip(tree.leaf_labels, renamed.leaf_labels, strict=True):
        assert before == after or (separator is not None and not stays_apart(before, separator))
    if separator is not None:
        assert all(stays_apart(label, separator) for label in renamed.labels)
    assert bool(renamed.notices) == (renamed.labels != tree.labels)


def test_long_lists_of_renamed_labels_are_cut():
    labels = [f"v {number}" for number in range(30)]
    tree = tree_from_nodes([*labels, "*"], [*[30] * 30, NO_PARENT])
    assert with_publishable_labels(tree, " ").notices[0].endswith(" and 10 more")


def test_a_leaf_cannot_be_called_like_the_root():
    with pytest.raises(BadInput, match="also the label of the tree's root"):
        with_publishable_labels(tree_from_nodes(["*", "*"], [1, NO_PARENT]))
