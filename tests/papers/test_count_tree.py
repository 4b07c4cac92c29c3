"""The nodes of the paper's count-trees, beside trees that are really made."""

import pytest

from measuring.count_tree import CountTree, nodes_at_once, watched_count_trees
from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.da import DA
from shoal.algorithms.sets.lra import LRA
from shoal.algorithms.sets.vpa import VPA
from shoal.privacy.km_anonymity import KmAnonymity
from tests.algorithms.sets.instances import SPEC_SETS, SPEC_TREE, instance
from tests.algorithms.sets.searches import feasible, find, random_case
from tests.reference.count_tree import apriori_by_count_tree, direct_by_count_tree


def watched(algorithm, each, k, m):
    with watched_count_trees() as trees:
        find(algorithm, each, KmAnonymity(k, m))
    return trees


def without_empty(trees):
    """There are none where no transaction is as long as m."""
    return [nodes for nodes in trees if nodes]


def test_the_tree_of_figure_5():
    """6 items without the root, and 11 of their pairs: A stands with neither of its own, and B likewise."""
    each = instance(SPEC_TREE, SPEC_SETS)
    (tree,) = watched(DA(as_printed=True), each, 2, 2)
    assert tree.nodes == 6 + 11


@pytest.mark.parametrize(
    ("algorithm", "literal"),
    [(DA(as_printed=True), direct_by_count_tree), (AA(as_printed=True), apriori_by_count_tree)],
)
def test_trees_have_the_nodes_of_those_that_are_made(algorithm, literal):
    for seed in range(200):
        each, k, m = random_case(seed)
        if feasible(each, k):
            trees = []
            literal(each.above, each.leaves, each.transactions, k, m, trees=trees)
            found = [tree.nodes for tree in watched(algorithm, each, k, m)]
            assert without_empty(found) == without_empty(trees), seed


def test_every_part_has_trees_of_its_own():
    each = instance(SPEC_TREE, [set(items) for items in SPEC_SETS * 6])
    assert len({tree.transactions for tree in watched(LRA(as_printed=True, parts=2), each, 2, 2)}) == 2
    of_vpa = watched(VPA(as_printed=True, parts=2), each, 2, 2)
    assert len({tree.transactions for tree in of_vpa}) == 3


def test_nodes_at_once():
    trees = [CountTree(1, 5), CountTree(2, 7), CountTree(1, 9), CountTree(3, 4)]
    assert nodes_at_once(trees, then_all=False) == 9 + 7 + 4
    assert nodes_at_once(trees, then_all=True) == 9 + 7
    assert nodes_at_once([*trees, CountTree(3, 40)], then_all=True) == 40
