import random

import pytest

from shoal.algorithms.sets.lgr import LGR
from shoal.algorithms.sets.partition import Partition
from shoal.privacy.set_k_anonymity import SetKAnonymity
from tests.algorithms.sets.instances import random_instance
from tests.algorithms.sets.searches import find, own_nodes, released_locally
from tests.reference import topdown


def instance_of_sets(seed):
    rng = random.Random(seed)
    each, k = random_instance(rng, most_leaves=16, most_rows=60, density=1.5), rng.randint(2, 4)
    return each, k, all(each.transactions)


def test_never_loses_more_than_partition_on_a_thousand_random_instances():
    compared, better, seed = 0, 0, 0
    while compared < 1000:
        each, k, is_possible = instance_of_sets(seed)
        seed += 1
        if not is_possible or len(each.transactions) < k:
            continue
        partition, lgr = (find(algorithm, each, SetKAnonymity(k)) for algorithm in (Partition(), LGR()))
        assert lgr.figures["ncp"] <= partition.figures["ncp"]
        assert lgr.figures["ncp_of_partition"] == partition.figures["ncp"]
        for recoding in (partition, lgr):
            assert SetKAnonymity(k).verify(released_locally(each, recoding)[0]).holds
        compared += 1
        better += lgr.figures["ncp"] < partition.figures["ncp"]
    assert better > 100


@pytest.mark.parametrize("widest", [1, 2, 8, 64])
def test_any_width_is_safe_and_truthful(widest):
    for seed in range(40):
        each, k, is_possible = instance_of_sets(seed)
        if is_possible:
            nodes = own_nodes(each, find(LGR(widest=widest), each, SetKAnonymity(k)))
            assert topdown.is_k_anonymous(nodes, k)
            assert all(
                topdown.is_truthful(each.above, each.leaves, items, published_as)
                for items, published_as in zip(each.transactions, nodes, strict=True)
            )


def test_width_one_is_partition():
    each, k, _ = instance_of_sets(3)
    assert own_nodes(each, find(LGR(widest=1), each, SetKAnonymity(k))) == own_nodes(
        each, find(Partition(), each, SetKAnonymity(k))
    )
