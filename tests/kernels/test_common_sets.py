import random

import numpy as np
import pytest

from shoal.algorithms.sets.equal_sets.clusters import cost_tree
from shoal.kernels.arrays import frozen_ints, frozen_sets
from shoal.kernels.common_sets import TwoSets, common_set, covers, loss_as, publish_as, published_set
from tests.algorithms.sets.instances import random_tree
from tests.reference import km, topdown


def random_published_set(rng, above, leaves):
    """Nodes none of which is above another, in tree order."""
    nodes = set()
    for leaf in rng.sample(leaves, rng.randint(1, len(leaves))):
        node = rng.choice(km.path(above, leaf))
        if not any(node in km.path(above, other) or other in km.path(above, node) for other in nodes):
            nodes.add(node)
    below = km.leaves_below(above, leaves)
    return sorted(nodes, key=lambda each: min(below[each]))


@pytest.mark.parametrize("seed", range(60))
def test_of_all_common_sets_the_finest_is_found(seed):
    rng = random.Random(seed)
    tree = random_tree(rng, most_leaves=6)
    above, leaves = tree.arrays.parent.tolist(), list(range(tree.leaf_count))
    left, right = (random_published_set(rng, above, leaves) for _ in range(2))
    two = TwoSets(*(np.empty(len(left) + len(right), dtype=np.int64) for _ in range(4)))
    two.left[: len(left)], two.right[: len(right)] = left, right
    count = common_set(cost_tree(tree), two, len(left), len(right))
    found = frozenset(two.common[:count].tolist())
    every = list(topdown.common_sets(above, set(left), set(right)))
    assert found in every
    assert all(topdown.is_finer(above, found, other) for other in every)
    assert two.common[:count].tolist() == sorted(found, key=lambda each: tree.arrays.first_leaf[each])


@pytest.mark.parametrize("seed", range(30))
def test_items_are_published_as_the_node_above_them_at_its_cost(seed):
    rng = random.Random(seed)
    tree = random_tree(rng)
    above, leaves = tree.arrays.parent.tolist(), list(range(tree.leaf_count))
    nodes = random_published_set(rng, above, leaves)
    below = km.leaves_below(above, leaves)
    items = sorted(leaf for node in nodes for leaf in below[node])
    sets = frozen_sets([0, len(items)], items)
    expected = [next(node for node in nodes if leaf in below[node]) for leaf in items]
    node_of_occurrence = np.empty(len(items), dtype=np.int32)
    publish_as(cost_tree(tree), sets, 0, frozen_ints(nodes), node_of_occurrence)
    assert node_of_occurrence.tolist() == expected
    loss = loss_as(cost_tree(tree), sets, 0, frozen_ints(nodes))
    assert loss == sum(topdown.cost(below, node) for node in expected)
    out = np.empty(len(items), dtype=np.int64)
    assert out[: published_set(sets, 0, node_of_occurrence, out)].tolist() == nodes


def test_a_node_covers_itself_and_what_hangs_below_it():
    tree = random_tree(random.Random(3))
    above = tree.arrays.parent.tolist()
    nodes = [node for node in range(tree.node_count) if node != tree.missing]
    for upper in nodes:
        for lower in nodes:
            assert covers(cost_tree(tree), upper, lower) == (upper in km.path(above, lower))
