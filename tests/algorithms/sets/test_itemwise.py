import random
from itertools import pairwise

import numpy as np
import pytest

from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.itemwise import descent
from shoal.algorithms.sets.itemwise.algorithm import Itemwise
from shoal.algorithms.sets.itemwise.descent import descend, largest_m
from shoal.errors import BadInput, Infeasible
from shoal.metrics.catalogue import measure
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from tests.algorithms.sets.instances import SPEC_SETS, SPEC_TREE, instance, random_instance
from tests.algorithms.sets.searches import feasible, find, own_nodes, published_labels, released
from tests.reference import itemwise, km


def nodes_of(published):
    return [[labels[leaf] for leaf in sorted(labels)] for labels in published]


def listed(each, nodes):
    starts = each.data.table.sets("items").arrays.starts.tolist()
    return [nodes[start:end].tolist() for start, end in pairwise(starts)]


@pytest.fixture
def one_round(monkeypatch):
    monkeypatch.setattr(descent, "_WORTH_ANOTHER_ROUND", 1e9)


def test_the_worked_example_keeps_what_is_common_and_generalizes_the_rest():
    each = instance(SPEC_TREE, SPEC_SETS)
    data = released(each, find(Itemwise(), each, KmAnonymity(2, 2)))
    assert published_labels(data) == [{"A", "b1", "b2"}, {"A", "b1"}, {"A", "b1", "b2"}, {"A", "b2"}]


def test_an_item_is_published_as_itself_where_it_is_common_and_wider_where_it_is_rare():
    sets = [{"a1", "b1"}] * 4 + [{"a2", "b1"}] * 4 + [{"a1", "b2"}, {"a2", "b2"}]
    each = instance(SPEC_TREE, sets)
    labels = published_labels(released(each, find(Itemwise(), each, KmAnonymity(2, 2))))
    # Two of the common ones stay wider: the rare ones would be alone without them.
    assert labels == [{"a1", "B"}, *sets[1:4], {"a2", "B"}, *sets[5:8], {"a1", "B"}, {"a2", "B"}]


@pytest.mark.usefixtures("one_round")
def test_goes_down_like_the_twin():
    compared = 0
    for seed in range(300):
        rng = random.Random(seed)
        each = random_instance(rng, most_leaves=9, most_rows=18, density=rng.choice((0.6, 1)))
        k, m = rng.randint(2, 4), rng.randint(1, 4)
        groups = [0] * len(each.transactions)
        if not feasible(each, k):
            continue
        expected = itemwise.descended(each.above, each.leaves, each.transactions, groups, k=k, m=m)
        found = descend(Transactions.of(each.data), np.array(groups), k, m, Silent())
        assert listed(each, found.node_of_occurrence) == nodes_of(expected), seed
        compared += 1
    assert compared > 200


@pytest.mark.usefixtures("one_round")
def test_groups_are_counted_apart():
    compared = 0
    for seed in range(150):
        rng = random.Random(seed)
        each = random_instance(rng, most_leaves=8, most_rows=24, density=1.5)
        k, m = rng.randint(2, 3), rng.randint(1, 3)
        groups = [rng.randrange(2) for _ in each.transactions]
        sizes = [
            sum(bool(items) for items, of in zip(each.transactions, groups, strict=True) if of == group)
            for group in (0, 1)
        ]
        if any(0 < size < k for size in sizes):
            continue
        expected = itemwise.descended(each.above, each.leaves, each.transactions, groups, k=k, m=m)
        found = descend(Transactions.of(each.data), np.array(groups), k, m, Silent())
        assert listed(each, found.node_of_occurrence) == nodes_of(expected), seed
        compared += 1
    assert compared > 60


def test_random_releases_are_safe_and_cost_what_is_said():
    for seed in range(1000, 1200):
        rng = random.Random(seed)
        each = random_instance(rng, most_leaves=14, most_rows=60, density=rng.choice((0.5, 1)))
        k, m = rng.randint(2, 5), rng.randint(1, 4)
        if not feasible(each, k):
            continue
        recoding = find(Itemwise(), each, KmAnonymity(k, m))
        assert KmAnonymity(k, m).verify(released(each, recoding)).holds
        assert km.is_safe(own_nodes(each, recoding), k, m)
        assert measure(each.data, recoding, k)["ncp"] == pytest.approx(recoding.figures["ncp"])


def test_it_is_safe_whenever_time_is_up():
    class Impatient(Silent):
        def __init__(self, steps):
            super().__init__()
            self.steps = steps

        def expired(self, share=1.0):  # noqa: ARG002
            self.steps -= 1
            return self.steps < 0

    rng = random.Random(5)
    each = random_instance(rng, most_leaves=14, most_rows=60)
    losses = []
    for steps in range(8):
        recoding = find(Itemwise(), each, KmAnonymity(3, 2), progress=Impatient(steps))
        assert km.is_safe(own_nodes(each, recoding), 3, 2)
        losses.append(recoding.figures["ncp"])
    assert losses == sorted(losses, reverse=True)
    assert losses[0] == 1.0


def test_a_record_with_too_many_sets_of_labels_stays_as_it_is(monkeypatch):
    monkeypatch.setattr(descent, "_MOST_SETS_OF_A_ROW", 3)
    each = instance(SPEC_TREE, [{"a1", "a2", "b1", "b2"}] * 3 + [{"a1"}] * 3)
    recoding = find(Itemwise(), each, KmAnonymity(2, 2))
    assert published_labels(released(each, recoding))[3:] == [{"a1"}] * 3
    assert all(len(labels) <= 2 for labels in own_nodes(each, recoding)[:3])
    assert km.is_safe(own_nodes(each, recoding), 2, 2)


def test_sensitive_items_stay_and_do_not_count():
    each = instance(SPEC_TREE, [{"a1", "b1"}] * 3 + [{"a1", "b2"}] * 3, sensitive=["b1", "b2"])
    recoding = find(Itemwise(), each, KmAnonymity(3, 2))
    assert published_labels(released(each, recoding)) == [{"a1", "b1"}] * 3 + [{"a1", "b2"}] * 3


def test_what_it_cannot_do_is_refused():
    each = instance(SPEC_TREE, SPEC_SETS)
    with pytest.raises(BadInput, match="negative"):
        find(Itemwise(), each, KmAnonymity(2, 2, negative=True))
    with pytest.raises(Infeasible):
        find(Itemwise(), each, KmAnonymity(5, 2))
    most = largest_m(Transactions.of(each.data))
    assert (each.tree.node_count + 1) ** (most - 1) < 2**62 <= (each.tree.node_count + 1) ** most
