from collections import defaultdict
from itertools import count
from statistics import mean

import pytest

from shoal.algorithms.sets.lgr import LGR
from shoal.algorithms.sets.partition import Partition
from shoal.privacy.set_k_anonymity import SetKAnonymity
from tests.algorithms.sets.instances import instance_with_items
from tests.algorithms.sets.searches import find, own_nodes, released_locally
from tests.reference import topdown


def test_never_loses_more_than_partition_on_hundreds_of_random_instances():
    compared, better, seed = 0, 0, 0
    while compared < 300:
        case = instance_with_items(seed)
        seed += 1
        if case is None:
            continue
        each, k = case
        partition, lgr = (find(algorithm, each, SetKAnonymity(k)) for algorithm in (Partition(), LGR()))
        assert lgr.figures["ncp"] <= partition.figures["ncp"]
        assert lgr.figures["ncp_of_partition"] == partition.figures["ncp"]
        for recoding in (partition, lgr):
            assert SetKAnonymity(k).verify(released_locally(each, recoding)[0]).holds
        compared += 1
        better += lgr.figures["ncp"] < partition.figures["ncp"]
    assert better > 30


def test_comes_close_to_the_best_grouping():
    ratios = defaultdict(list)
    for each, k in filter(None, (instance_with_items(seed, most_rows=8) for seed in range(300))):
        best = float(topdown.least_loss_of_equal_sets(each.above, each.leaves, each.transactions, k))
        for algorithm in (Partition(), LGR()):
            found = find(algorithm, each, SetKAnonymity(k)).figures["ncp"]
            assert found >= best - 1e-12
            ratios[algorithm.name] += [found / best] if best else []
    assert len(ratios["lgr"]) > 50
    assert mean(ratios["lgr"]) < mean(ratios["partition"]) < 1.5
    assert mean(ratios["lgr"]) < 1.2


@pytest.mark.parametrize("widest", [1, 2, 8, 64])
def test_any_width_is_safe_and_truthful(widest):
    for seed in range(40):
        case = instance_with_items(seed)
        if case is not None:
            each, k = case
            nodes = own_nodes(each, find(LGR(widest=widest), each, SetKAnonymity(k)))
            assert topdown.is_k_anonymous(nodes, k)
            assert all(
                topdown.is_truthful(each.above, each.leaves, items, published_as)
                for items, published_as in zip(each.transactions, nodes, strict=True)
            )


def test_width_one_is_partition():
    each, k = next(filter(None, map(instance_with_items, count())))
    assert own_nodes(each, find(LGR(widest=1), each, SetKAnonymity(k))) == own_nodes(
        each, find(Partition(), each, SetKAnonymity(k))
    )
