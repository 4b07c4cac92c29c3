import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as sh
from shoal.errors import BadInput, InvalidParameter
from shoal.hierarchy.levels import levels_of, nodes_at_levels, trimmed
from tests.builders import tree

REGIONS = tree(
    {"*": {"north": {"coast": ["a", "b"], "hills": ["c"]}, "south": {"plain": ["d", "e"]}, "islands": ["f"]}}
)


def labels_at(level: int) -> list[str]:
    return [REGIONS.labels[node] for node in nodes_at_levels(REGIONS)[level, : REGIONS.leaf_count]]


def test_a_level_has_the_highest_node_whose_subtree_is_no_higher():
    assert labels_at(0) == list("abcdef")
    assert labels_at(1) == ["coast", "coast", "hills", "plain", "plain", "islands"]
    assert labels_at(2) == ["north", "north", "north", "south", "south", "islands"]
    assert labels_at(3) == ["*"] * 6


def test_only_the_nodes_of_the_levels_and_the_root_are_left():
    found = trimmed(REGIONS, [1])
    assert found.tree.leaf_labels == ("coast", "hills", "plain", "islands")
    assert [found.tree.labels[leaf] for leaf in found.leaf_of] == labels_at(1)
    assert found.tree.labels[found.tree.root] == "*"
    assert set(found.tree.labels) == {"coast", "hills", "plain", "islands", "", "*"}
    assert not found.root_is_allowed
    skipping = trimmed(REGIONS, [0, 2, 3])
    assert set(skipping.tree.labels) == {*"abcdef", "north", "south", "islands", "", "*"}
    assert skipping.root_is_allowed


@settings(deadline=None)
@given(st.sets(st.integers(0, 3), min_size=1).map(sorted))
def test_what_a_node_covers_stays_the_same(levels):
    if levels[0] == 3:
        return
    found = trimmed(REGIONS, levels)
    for node, old in enumerate(found.node_of.tolist()):
        assert found.tree.labels[node] == REGIONS.labels[old]
        for leaf in range(REGIONS.leaf_count):
            if old >= REGIONS.leaf_count or levels[0] == 0:
                assert found.tree.covers(node, found.leaf_of[leaf]) == REGIONS.covers(old, leaf)


def test_levels_are_those_between_the_lowest_and_the_highest():
    assert levels_of("town", sh.Quasi(min_level=1), REGIONS) == [1, 2, 3]
    assert levels_of("town", sh.Quasi(max_level=1), REGIONS) == [0, 1]
    assert levels_of("town", sh.Quasi(levels=(0, 2)), REGIONS) == [0, 2]
    for role in (sh.Quasi(min_level=3), sh.Quasi(levels=(7,))):
        with pytest.raises(BadInput, match=r"column 'town': its hierarchy has levels 0 to 3"):
            levels_of("town", role, REGIONS)


@pytest.mark.parametrize(
    "levels",
    [
        {"min_level": -1},
        {"min_level": 2, "max_level": 1},
        {"levels": (2, 1)},
        {"levels": (0,), "min_level": 1},
        {"levels": [1]},
        {"levels": ("1",)},
        {"min_level": True},
        {"max_level": 1.0},
    ],
)
@pytest.mark.parametrize("role", [sh.Quasi, sh.QuasiSet])
def test_levels_that_make_no_sense_are_refused(role, levels):
    with pytest.raises(InvalidParameter, match="level"):
        role(**levels)


def test_sensitive_items_are_published_as_they_are():
    with pytest.raises(InvalidParameter, match="where items are sensitive"):
        sh.QuasiSet(sensitive=("x",), min_level=1)
    assert sh.QuasiSet(sensitive=("x",), max_level=1).max_level == 1
