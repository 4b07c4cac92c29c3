import random

import numpy as np
import pytest

from shoal.algorithms.sets.equal_sets.clusters import cost_tree
from shoal.kernels.set_partition import (
    begin_drill,
    clusters_found,
    drill_down,
    expansions_made,
    finish_as_they_are,
    rows_finished,
)
from tests.algorithms.sets.instances import random_tree
from tests.kernels.test_diverse_clusters import arrays
from tests.reference import topdown
from tests.reference.km_parts import gray_order


def random_sets(seed):
    """Sets in the order of the twin, none of them empty."""
    rng = random.Random(seed)
    tree, k = random_tree(rng), rng.randint(1, 4)
    sets = [
        set(rng.sample(range(tree.leaf_count), rng.randint(1, tree.leaf_count)))
        for _ in range(rng.randint(k, 30))
    ]
    return tree, [sets[row] for row in gray_order(sets, tree.leaf_count)], k


def published(drill):
    starts = drill.sets.starts
    return [frozenset(drill.node[starts[row] : starts[row + 1]].tolist()) for row in range(len(starts) - 1)]


@pytest.mark.parametrize("steps", [1, 10**9])
def test_drills_like_the_twin_however_often_it_pauses(steps):
    for seed in range(80):
        tree, sets, k = random_sets(seed)
        above, leaves = tree.arrays.parent.tolist(), list(range(tree.leaf_count))
        drill = begin_drill(arrays(sets), cost_tree(tree), k)
        while not drill_down(drill, steps):
            assert rows_finished(drill) < len(sets)
        expected, left_over = topdown.drilled(above, leaves, sets, k)
        assert published(drill) == expected
        assert np.flatnonzero(drill.left_over).tolist() == left_over
        assert rows_finished(drill) == len(sets)
        assert len(np.unique(drill.cluster)) == clusters_found(drill)
        assert all(np.bincount(drill.cluster) >= k)
        assert expansions_made(drill) >= (frozenset({tree.root}) not in expected)


def test_parts_that_wait_are_safe_as_they_are():
    for seed in range(40):
        tree, sets, k = random_sets(seed)
        drill = begin_drill(arrays(sets), cost_tree(tree), k)
        drill_down(drill, 1)
        finish_as_they_are(drill)
        assert topdown.is_k_anonymous(published(drill), k)
        assert all(np.bincount(drill.cluster) >= k)
