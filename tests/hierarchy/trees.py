"""Random trees, and what every tree must satisfy."""

from hypothesis import strategies as st

from tests.examples import examples

modest = examples(60)  # the first call of a process may compile or load


@st.composite
def parent_maps(draw, most_nodes=14):
    """Labels and the labels above them, in any order; n0 is the root and has something below it."""
    count = draw(st.integers(2, most_nodes))
    above = {f"n{node}": f"n{draw(st.integers(0, node - 1))}" for node in range(1, count)}
    return dict(draw(st.permutations(sorted(above.items()))))


def parents_of(tree):
    """The tree as a dictionary from label to the label above, without the missing value."""
    return {
        tree.labels[node]: tree.labels[tree.parent(node)]
        for node in range(tree.node_count)
        if node not in (tree.missing, tree.root)
    }


def assert_numbered_by_intervals(tree):
    """Every node covers one interval of leaves, children split it, and parents come after children."""
    assert len(set(tree.labels)) == tree.node_count
    assert tree.parent(tree.root) == tree.root
    assert tree.parent(tree.missing) == tree.root
    first, last = tree.arrays.first_leaf, tree.arrays.last_leaf
    for node in (*range(tree.leaf_count), tree.missing):
        assert first[node] == last[node] == node
        assert len(tree.children(node)) == 0
    for node in range(tree.missing + 1, tree.node_count):
        children = tree.children(node).tolist()
        assert all(child < node and tree.parent(child) == node for child in children)
        covered = [leaf for child in children for leaf in range(first[child], last[child] + 1)]
        behind = tree.leaf_count if node == tree.root else last[node] + 1
        assert covered == list(range(first[node], behind))
        assert tree.sizes[node] == len(covered)
        assert tree.heights[node] == max((tree.heights[child] + 1 for child in children), default=1)
        assert all(tree.depths[child] == tree.depths[node] + 1 for child in children)
    assert first[tree.root] == 0
    assert last[tree.root] == tree.missing
