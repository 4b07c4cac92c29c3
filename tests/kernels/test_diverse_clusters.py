import random
from itertools import pairwise

import numpy as np
import pytest

from shoal.algorithms.sets.equal_sets.clusters import cost_tree
from shoal.kernels.arrays import frozen_ints, frozen_sets
from shoal.kernels.diverse_clusters import merge_all, merge_until_diverse, row_clusters
from shoal.kernels.itemset_supports import SHARE_OF_ROWS
from shoal.kernels.shares import ShareLimit
from tests.algorithms.sets.instances import random_tree
from tests.reference import km, topdown

SENSITIVE_ITEMS = 2


def arrays(sets):
    starts = np.cumsum([0, *map(len, sets)])
    return frozen_sets(starts, [item for each in sets for item in sorted(each)])


def random_clusters(seed):
    """A small tree, rows with items and sensitive items, and the cluster of each row."""
    rng = random.Random(seed)
    tree = random_tree(rng, most_leaves=5)
    count = rng.randint(4, 10)
    sets = [set(rng.sample(range(tree.leaf_count), rng.randint(1, tree.leaf_count))) for _ in range(count)]
    sensitive = [{item for item in range(SENSITIVE_ITEMS) if rng.random() < 0.25} for _ in range(count)]
    cluster_count = rng.randint(1, 4)
    cluster = [row if row < cluster_count else rng.randrange(cluster_count) for row in range(count)]
    return tree, sets, sensitive, cluster


def rows_of(clusters):
    return [np.flatnonzero(clusters.cluster == number).tolist() for number in range(len(clusters.first))]


def limit_of(sensitive, l):
    return ShareLimit(
        arrays(sensitive),
        frozen_ints([SHARE_OF_ROWS] * SENSITIVE_ITEMS),
        l,
        1,
        np.zeros(SENSITIVE_ITEMS, dtype=np.int64),
        np.empty(SENSITIVE_ITEMS, dtype=np.int64),
    )


@pytest.mark.parametrize("seed", range(60))
def test_clusters_are_published_as_finely_as_all_their_rows_allow(seed):
    tree, sets, _, cluster = random_clusters(seed)
    above, leaves = tree.arrays.parent.tolist(), list(range(tree.leaf_count))
    clusters = row_clusters(arrays(sets), cost_tree(tree), frozen_ints(cluster))
    below = km.leaves_below(above, leaves)
    for number, rows in enumerate(rows_of(clusters)):
        nodes = topdown.finest_common_set(above, [sets[row] for row in rows])
        for row in rows:
            start, end = clusters.sets.starts[row], clusters.sets.starts[row + 1]
            assert set(clusters.node[start:end].tolist()) == nodes
        costs = [topdown.cost(below, node) for row in rows for node in nodes for _ in sets[row] & below[node]]
        assert clusters.loss[number] == sum(costs)
        assert clusters.size[number] == len(rows)


@pytest.mark.parametrize("seed", range(120))
def test_merges_like_the_twin(seed):
    tree, sets, sensitive, cluster = random_clusters(seed)
    above, leaves = tree.arrays.parent.tolist(), list(range(tree.leaf_count))
    l = 2
    if any(2 * sum(item in each for each in sensitive) > len(sets) for item in range(SENSITIVE_ITEMS)):
        return  # no way to merge them helps
    clusters = row_clusters(arrays(sets), cost_tree(tree), frozen_ints(cluster))
    before = rows_of(clusters)
    merged = merge_until_diverse(clusters, limit_of(sensitive, l), 0, len(clusters.first))
    expected = topdown.merged_until_diverse(above, leaves, sets, groups=before, sensitive=sensitive, l=l)
    assert rows_of(clusters) == expected
    assert merged == sum(map(bool, before)) - sum(map(bool, expected))


def test_all_rows_can_become_one_cluster():
    tree, sets, _, cluster = random_clusters(7)
    clusters = row_clusters(arrays(sets), cost_tree(tree), frozen_ints(cluster))
    merge_all(clusters)
    assert rows_of(clusters)[0] == list(range(len(sets)))
    published = [
        set(clusters.node[start:end].tolist()) for start, end in pairwise(clusters.sets.starts.tolist())
    ]
    assert all(nodes == published[0] for nodes in published)
