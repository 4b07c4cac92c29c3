import numpy as np
import pytest

from shoal.algorithms.sets.equal_sets.clusters import cost_tree
from shoal.kernels.lgr import begin_regrouping, regroup
from shoal.kernels.set_partition import begin_drill, drill_down
from tests.kernels.test_diverse_clusters import arrays
from tests.kernels.test_set_partition import published, random_sets
from tests.reference import topdown


def side_by_side(tree, sets, k):
    """A partition whose clusters stand side by side."""
    drill = begin_drill(arrays(sets), cost_tree(tree), k)
    drill_down(drill, 10**9)
    ordered = [sets[row] for row in drill.order]
    starts = drill.sets.starts
    nodes = np.concatenate([drill.node[starts[row] : starts[row + 1]] for row in drill.order])
    _, cluster = np.unique(drill.cluster[drill.order], return_inverse=True)
    return ordered, begin_regrouping(arrays(ordered), cost_tree(tree), k, nodes, cluster)


# Half the span or fewer clusters are passed over, as narrower spans have all of them: so few rows have no
# more.
@pytest.mark.parametrize(("span", "finds_some"), [(2, True), (3, True), (8, False)])
def test_every_division_is_safe_truthful_and_loses_no_more(span, finds_some):
    improved = 0
    for seed in range(60):
        tree, sets, k = random_sets(seed)
        above, leaves = tree.arrays.parent.tolist(), list(range(tree.leaf_count))
        ordered, regrouping = side_by_side(tree, sets, k)
        before = topdown.ncp(above, leaves, ordered, published(regrouping.drill))
        position = 0
        while position < len(ordered):
            position = regroup(regrouping, span, position, 1)
            after = published(regrouping.drill)
            assert topdown.is_k_anonymous(after, k)
            assert all(
                topdown.is_truthful(above, leaves, items, nodes)
                for items, nodes in zip(ordered, after, strict=True)
            )
        loss = topdown.ncp(above, leaves, ordered, after)
        assert loss <= before
        assert sorted(regrouping.drill.order.tolist()) == list(range(len(ordered)))
        _, sizes = np.unique(regrouping.drill.cluster, return_counts=True)
        assert min(sizes) >= k
        improved += loss < before
    assert (improved > 0) == finds_some
