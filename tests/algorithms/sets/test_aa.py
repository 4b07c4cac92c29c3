import random

import numpy as np
import pytest

from shoal.algorithms.sets.aa import AA
from shoal.engine.local import LocalData
from shoal.errors import Infeasible
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from shoal.recoding.apply_cuts import apply_cuts
from tests.algorithms.sets.instances import SPEC_SETS, SPEC_TREE, instance, random_instance
from tests.reference import km


def find(each, k, m, **options):
    return AA(**options).find(each.data, [KmAnonymity(k, m)], np.random.default_rng(0), Silent())


def released(each, cuts):
    applied = apply_cuts(each.data.table, each.data.trees, each.data.roles, cuts)
    return LocalData(applied.table, each.data.roles)


def cut_of(cuts):
    return dict(enumerate(cuts.node_of_leaf[0].tolist()))


def random_case(seed):
    rng = random.Random(seed)
    each, k, m = random_instance(rng), rng.randint(2, 5), rng.randint(1, 4)
    return each, k, m


def feasible(each, k):
    with_items = sum(map(bool, each.transactions))
    return with_items == 0 or with_items >= k


@pytest.mark.parametrize("block", range(4))
def test_resolves_like_the_twin_that_counts_with_a_dictionary(block):
    for seed in range(1000 * block, 1000 * block + 40):
        each, k, m = random_case(seed)
        if feasible(each, k):
            cuts = find(each, k, m, minimal=False)
            assert cut_of(cuts) == km.apriori(each.above, each.leaves, each.transactions, k, m), seed


def test_random_releases_are_safe_and_minimal():
    for seed in range(300):
        each, k, m = random_case(seed)
        if not feasible(each, k):
            with pytest.raises(Infeasible, match="cannot be met"):
                find(each, k, m)
            continue
        cuts = find(each, k, m)
        cut = cut_of(cuts)
        assert km.is_safe(km.published(each.transactions, cut), k, m)
        assert KmAnonymity(k, m).verify(released(each, cuts)).holds
        for node, finer in km.expansions(each.above, each.leaves, cut):
            assert not km.is_safe(km.published(each.transactions, finer), k, m), (seed, node)


def test_spec():
    each = instance(SPEC_TREE, SPEC_SETS)
    cuts = find(each, 2, 2)
    assert [each.tree.labels[n] for n in cuts.node_of_leaf[0]] == ["A", "A", "b1", "b2"]
    assert cuts.figures["ncp"] == pytest.approx(2.5 / 11)
