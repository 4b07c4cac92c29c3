import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.hilbert.curve import Layout
from shoal.hierarchy.tree import tree_from_parents
from tests.builders import flat_tree, tree
from tests.examples import examples
from tests.hierarchy.trees import parent_maps

COLOURS = tree({"*": {"warm": ["red", "orange", "pink"], "cold": ["blue"]}})


def positions(hierarchy, bits, codes=()):
    layout = Layout.of(hierarchy, np.array(codes, dtype=np.int64))
    return dict(zip(hierarchy.labels, layout.positions(bits).tolist(), strict=True))


def test_children_divide_the_block_of_their_parent_into_a_power_of_two():
    found = positions(COLOURS, 3)
    assert (found["warm"], found["cold"]) == (0b000, 0b100)
    assert [found[label] for label in ("red", "orange", "pink")] == [0b000, 0b001, 0b010]
    assert found["blue"] == 0b100


def test_missing_values_and_suppressed_cells_lie_beside_the_children_of_the_root_if_there_are_any():
    found = positions(COLOURS, 4, [0, COLOURS.missing, COLOURS.root])
    assert (found["warm"], found["cold"], found[""], found["*"]) == (0b0000, 0b0100, 0b1000, 0b1100)


@examples(60)
@given(parent_maps(), st.booleans(), st.booleans())
def test_values_have_positions_of_their_own_and_nodes_aligned_blocks(parents, some_missing, some_suppressed):
    hierarchy = tree_from_parents(parents)
    codes = [0, *[hierarchy.missing] * some_missing, *[hierarchy.root] * some_suppressed]
    layout = Layout.of(hierarchy, np.array(codes, dtype=np.int64))
    found = layout.positions(layout.bits)
    present = [*range(hierarchy.leaf_count), *[hierarchy.missing] * some_missing]
    present += [hierarchy.root] * some_suppressed
    assert len({int(found[node]) for node in present}) == len(present)
    assert all(0 <= found[node] < 2 ** max(layout.bits, 0) for node in present)
    for node in range(hierarchy.missing + 1, hierarchy.root):
        leaves = range(hierarchy.arrays.first_leaf[node], hierarchy.arrays.last_leaf[node] + 1)
        room = layout.bits - int(layout.taken_bits[hierarchy.parent(node)])
        assert {int(found[leaf]) >> room for leaf in leaves} == {int(found[node]) >> room}
        assert list(found[leaves]) == sorted(found[leaves])


def test_what_does_not_fit_shares_a_place():
    labels = [f"{number:02}" for number in range(16)]
    found = positions(flat_tree(labels), 2)
    assert [found[label] for label in labels] == [number // 4 for number in range(16)]


def test_a_constant_column_needs_no_bits():
    assert Layout.of(flat_tree(["a"]), np.zeros(3, dtype=np.int64)).bits == 0
