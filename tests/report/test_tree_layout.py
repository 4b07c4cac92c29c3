from shoal.explain.levels import CutNode
from shoal.report.tree_layout import tree_layout


def node(label, parent, published=0, *, folded=False):
    return CutNode(label=label, parent=parent, values=1, occurrences=9, published=published, folded=folded)


NODES = (node("*", -1), node("rest", 0, 3, folded=True), node("A", 0), node("A1", 2, 2), node("B", 0, 4))


def test_each_node_stands_in_a_row_of_its_own_below_the_one_above_it():
    layout = tree_layout(NODES)
    assert [each.label for each in layout.nodes] == ["*", "A", "A1", "B", "rest"]
    assert layout.above == (-1, 0, 1, 0, 0)
    assert layout.across == (0, 1, 2, 1, 1)


def test_branches_join_each_node_to_the_one_above():
    branches = tree_layout(NODES[:3]).branches()
    assert branches == [[(0, 0), (0, 1), (1, 1)], [(0, 0), (0, 2), (1, 2)]]


def test_the_cut_passes_through_every_published_node_from_top_to_bottom():
    (line,) = tree_layout(NODES).cut()
    assert line == [
        (2, 1.5),
        (2, 2.5),
        (1, 2.5),
        (1, 2.5),
        (1, 3.5),
        (1, 3.5),
        (1, 3.5),
        (1, 4.5),
    ]


def test_a_tree_of_nothing_has_no_rows():
    assert tree_layout(()).nodes == ()
