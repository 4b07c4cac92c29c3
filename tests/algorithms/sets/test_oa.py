import random

import pytest

from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.oa import OA
from shoal.errors import LimitReached
from shoal.hierarchy.tree import tree_from_parents
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from tests.algorithms.sets.instances import SPEC_SETS, SPEC_TREE, instance, random_instance
from tests.algorithms.sets.searches import feasible, find, published_nodes, random_case
from tests.reference import km


def loss_of(each, recoding):
    cut = dict(enumerate(recoding.cuts.node_of_leaf[0].tolist()))
    return km.ncp(each.above, each.leaves, each.transactions, cut)


def test_worked_example():
    each = instance(SPEC_TREE, SPEC_SETS)
    recoding = find(OA(), each, KmAnonymity(2, 2))
    assert [each.tree.labels[node] for node in recoding.cuts.node_of_leaf[0]] == ["A", "A", "b1", "b2"]
    assert recoding.figures["cuts"] == 5


def test_no_cut_loses_less():
    """200 random instances against every cut; on the way, how close AA comes to the best."""
    ratios = []
    for seed in range(300):
        each, k, m = random_case(seed)
        if feasible(each, k):
            best = find(OA(), each, KmAnonymity(k, m))
            assert km.is_safe(published_nodes(each, best), k, m)
            least = km.least_loss(each.above, each.leaves, each.transactions, k, m)
            assert loss_of(each, best) == least, seed
            greedy = loss_of(each, find(AA(), each, KmAnonymity(k, m)))
            assert greedy >= least
            ratios += [float(greedy / least)] if least else []
    assert len(ratios) >= 200
    assert sum(ratios) / len(ratios) < 1.01


def test_counts_every_cut():
    for seed in range(40):
        each = random_instance(random.Random(seed), most_rows=40)
        if set().union(*each.transactions) == set(each.leaves) and len(each.transactions) > 1:
            recoding = find(OA(), each, KmAnonymity(2, 1))
            assert recoding.figures["cuts"] == sum(1 for _ in km.all_cuts(each.above, each.leaves))


def test_refuses_trees_with_too_many_cuts():
    parents = {f"{group}-{item}": f"group {group}" for group in range(100) for item in range(3)}
    parents |= {f"group {group}": "*" for group in range(100)}
    items = tree_from_parents(parents)
    each = instance(items, [set(items.leaf_labels)] * 2)
    with pytest.raises(LimitReached, match=r"among about 10\^30 cuts, and most_cuts is 100,000: use aa"):
        find(OA(), each, KmAnonymity(2, 1))
    few = instance(SPEC_TREE, SPEC_SETS)
    with pytest.raises(LimitReached, match="among 5 cuts, and most_cuts is 4"):
        find(OA(most_cuts=4), few, KmAnonymity(2, 2))


def test_time_up_keeps_the_best_safe_cut_so_far():
    for looks in range(30):
        each, k, m = random_case(looks)
        if feasible(each, k):
            recoding = find(OA(), each, KmAnonymity(k, m), progress=Hurried(looks))
            assert km.is_safe(published_nodes(each, recoding), k, m)


class Hurried(Silent):
    """Time is up after some looks at the clock."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    def expired(self):
        self.looks -= 1
        return self.looks < 0
