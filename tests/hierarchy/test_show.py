import pytest

from shoal.errors import InvalidParameter
from shoal.hierarchy.builders import flat
from shoal.hierarchy.show import describe, show
from shoal.hierarchy.tree import tree_from_parents
from shoal.table.columns import category_domain

TREE = tree_from_parents({"a": "x", "b": "x", "x": "*", "c": "*"})


def test_a_small_tree_is_shown_whole():
    assert show(TREE).splitlines() == ["*  (3 values)", "  x  (2 values)", "    a", "    b", "  c"]


def test_a_large_tree_is_cut():
    tree = flat().tree(category_domain([f"v{number:03}" for number in range(100)]))
    assert show(tree, children=2).splitlines() == ["*  (100 values)", "  v000", "  v001", "  ... 98 more"]
    assert show(tree, children=50, lines=3).splitlines() == ["*  (100 values)", "  v000", "  v001", "..."]
    assert len(show(TREE, lines=5).splitlines()) == 5


def test_description():
    assert describe(TREE) == "3 values under 2 labels, height 2, root '*'"
    assert describe(tree_from_parents({"a": "*"})) == "1 value under 1 label, height 1, root '*'"


def test_limits_are_checked():
    with pytest.raises(InvalidParameter, match="children must be 1 or more"):
        show(TREE, children=0)
