import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput
from shoal.hierarchy.tree import Hierarchy, tree_from_parents
from shoal.web.service.editing import Dissolve, Edit, Group, Move, Rename, edited

PARENTS = {"a": "x", "b": "x", "c": "y", "d": "y", "x": "*", "y": "*"}


def parents_of(tree: Hierarchy) -> dict[str, str]:
    return {
        tree.labels[node]: tree.labels[tree.parent(node)] for node in range(tree.root) if node != tree.missing
    }


def after(*edits: Edit) -> dict[str, str]:
    return parents_of(edited(tree_from_parents(PARENTS), edits))


def test_an_inner_label_gets_another_name():
    assert after(Rename("x", "z"))["a"] == "z"
    assert after(Rename("*", "all"))["x"] == "all"


def test_a_label_moves_with_all_below_it():
    assert after(Move("a", "y"))["a"] == "y"
    moved = after(Move("x", "y"))
    assert (moved["x"], moved["a"], moved["y"]) == ("y", "x", "*")


def test_labels_are_grouped_in_the_place_of_the_first():
    grouped = after(Group(("a", "c"), "new"))
    assert (grouped["a"], grouped["c"], grouped["new"]) == ("new", "new", "x")


def test_a_dissolved_label_gives_its_children_away():
    dissolved = after(Dissolve("x"))
    assert dissolved["a"] == "*"
    assert "x" not in dissolved


def test_a_label_without_anything_below_it_vanishes():
    assert "x" not in after(Move("a", "y"), Move("b", "y"))


@pytest.mark.parametrize(
    "edit",
    [
        Rename("a", "z"),
        Rename("x", "y"),
        Rename("nothing", "z"),
        Rename("x", ""),
        Rename("x", " z"),
        Move("x", "x"),
        Move("x", "a"),
        Move("*", "x"),
        Move("nothing", "x"),
        Group((), "new"),
        Group(("a", "nothing"), "new"),
        Group(("a",), "x"),
        Group(("a", "x"), "new"),
        Dissolve("*"),
        Dissolve("a"),
    ],
    ids=str,
)
def test_edits_that_leave_no_tree_are_refused(edit):
    with pytest.raises(BadInput):
        after(edit)


LABELS = st.sampled_from([*PARENTS, "*", "new", "other"])
EDITS = st.one_of(
    st.builds(Rename, LABELS, LABELS),
    st.builds(Move, LABELS, LABELS),
    st.builds(Group, st.lists(LABELS, max_size=3).map(tuple), LABELS),
    st.builds(Dissolve, LABELS),
)


@given(st.lists(EDITS, max_size=5))
def test_whatever_is_done_the_values_stay_in_one_tree(edits):
    try:
        tree = edited(tree_from_parents(PARENTS), edits)
    except BadInput:
        return
    assert sorted(tree.leaf_labels) == ["a", "b", "c", "d"]
    assert len(set(tree.labels)) == tree.node_count
