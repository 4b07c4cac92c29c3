import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.sets.lgr import LGR
from shoal.algorithms.sets.partition import Partition
from shoal.errors import BadInput, Cancelled, Infeasible
from shoal.hierarchy.tree import tree_from_parents
from shoal.metrics.catalogue import measure
from shoal.privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from shoal.progress import Silent
from tests.algorithms.sets.instances import SPEC_TREE, instance, random_instance
from tests.algorithms.sets.searches import find, own_nodes, published_labels, released_locally
from tests.builders import flat_tree
from tests.examples import examples
from tests.reference import topdown

SEVEN_SETS = [
    {"a1"},
    {"a1", "a2"},
    {"b1", "b2"},
    {"b1", "b2"},
    {"a1", "a2", "b2"},
    {"a1", "a2", "b2"},
    {"a1", "a2", "b1", "b2"},
]
EIGHT_TREE = {
    "T": {
        "P": {"H": ["a", "b"], "K": ["c", "d"]},
        "Q": {"J": ["f", "g"], "M": ["x", "y", "z"]},
        "e": [],
        "i": [],
    }
}
EIGHT_SETS = [set(items) for items in ("bcd", "afg", "dfyz", "cdfx", "abcfg", "ei", "e", "i")]

each_algorithm = pytest.mark.parametrize("algorithm", [Partition(), LGR()], ids=["partition", "lgr"])


def published(algorithm, each, *models):
    data, _ = released_locally(each, find(algorithm, each, *models))
    return published_labels(data)


def random_k_instance(seed):
    """An instance in which no record or at least k are empty."""
    rng = random.Random(seed)
    each, k = random_instance(rng, density=rng.choice((0.5, 1, 2))), rng.randint(2, 4)
    sizes = [len(items) for items in each.transactions]
    empty = sizes.count(0)
    is_possible = (empty == 0 or empty >= k) and (empty == len(sizes) or len(sizes) - empty >= k)
    return each, k, is_possible


def test_records_with_the_same_children_form_parts():
    assert published(Partition(), instance(SPEC_TREE, SEVEN_SETS), SetKAnonymity(2)) == [
        {"A"},
        {"A"},
        {"b1", "b2"},
        {"b1", "b2"},
        {"a1", "a2", "B"},
        {"a1", "a2", "B"},
        {"a1", "a2", "B"},
    ]


def test_left_over_records_stay_at_the_root():
    assert published(Partition(), instance(EIGHT_TREE, EIGHT_SETS), SetKAnonymity(2)) == [
        {"T"},
        {"P", "f", "g"},
        {"K", "f", "M"},
        {"K", "f", "M"},
        {"P", "f", "g"},
        {"T"},
        {"T"},
        {"T"},
    ]


def test_divides_like_the_twin():
    compared = 0
    for seed in range(300):
        each, k, is_possible = random_k_instance(seed)
        if is_possible:
            found = own_nodes(each, find(Partition(), each, SetKAnonymity(k)))
            assert found == topdown.partition(each.above, each.leaves, each.transactions, k), seed
            compared += 1
    assert compared > 150


@each_algorithm
def test_random_releases_are_safe_truthful_and_cost_what_is_said(algorithm):
    for seed in range(1000, 1200):
        each, k, is_possible = random_k_instance(seed)
        if not is_possible:
            continue
        recoding = find(algorithm, each, SetKAnonymity(k))
        nodes = own_nodes(each, recoding)
        assert topdown.is_k_anonymous(nodes, k)
        assert all(
            topdown.is_truthful(each.above, each.leaves, items, published_as)
            for items, published_as in zip(each.transactions, nodes, strict=True)
        )
        loss = float(topdown.ncp(each.above, each.leaves, each.transactions, nodes))
        assert recoding.figures["ncp"] == pytest.approx(loss)
        assert measure(each.data, recoding, k)["ncp"] == pytest.approx(loss)
        assert SetKAnonymity(k).verify(released_locally(each, recoding)[0]).holds


@each_algorithm
@examples(30)
@given(seed=st.integers(0, 10_000), random=st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(algorithm, seed, random):
    each, k, is_possible = random_k_instance(seed)
    if not is_possible:
        return
    order = list(range(len(each.transactions)))
    random.shuffle(order)
    labels = [{each.tree.labels[leaf] for leaf in items} for items in each.transactions]
    shuffled = instance(each.tree, [labels[row] for row in order])
    before, after = (own_nodes(one, find(algorithm, one, SetKAnonymity(k))) for one in (each, shuffled))
    assert sorted(map(sorted, before)) == sorted(map(sorted, after))


@each_algorithm
def test_a_node_with_thousands_of_children_and_records_with_hundreds_of_items(algorithm):
    rng = np.random.default_rng(1)
    labels = [f"i{leaf:04}" for leaf in range(5000)]
    bases = [set(rng.choice(labels, size, replace=False).tolist()) for size in (300, 200, 400)]
    sets = [base for base in bases for _ in range(5)] + [{labels[row]} | bases[0] for row in range(4)]
    each = instance(flat_tree(labels), sets)
    assert published(algorithm, each, SetKAnonymity(4)) == [*sets[:15], *[{"*"}] * 4]


@each_algorithm
def test_a_deep_chain_needs_no_recursion(algorithm):
    parents = {"last": "n2999", "other": "n2999"}
    for depth in range(1, 3000):
        parents[f"leaf{depth}"] = parents[f"n{depth}"] = f"n{depth - 1}"
    each = instance(tree_from_parents(parents), [{"last"}, {"other"}, {"leaf1"}, {"leaf1"}])
    assert published(algorithm, each, SetKAnonymity(2)) == [{"n2999"}] * 2 + [{"leaf1"}] * 2


@each_algorithm
def test_empty_records_are_a_group_if_there_are_k(algorithm):
    each = instance(SPEC_TREE, [set(), {"a1"}, set(), {"a1"}])
    assert published(algorithm, each, SetKAnonymity(2)) == [set(), {"a1"}, set(), {"a1"}]


@each_algorithm
def test_fewer_empty_records_are_refused_unless_they_may_be_withheld(algorithm):
    each = instance(SPEC_TREE, [set(), {"a1"}, {"a1"}, {"a1"}])
    with pytest.raises(Infeasible, match=r"3 records with items and 1 without.*suppression = 0\.25"):
        find(algorithm, each, SetKAnonymity(2))
    recoding = find(type(algorithm)(suppression=0.25), each, SetKAnonymity(2))
    data, rows = released_locally(each, recoding)
    assert rows == [1, 2, 3]
    assert published_labels(data) == [{"a1"}] * 3
    assert recoding.notices == ("1 record could not be hidden among k and was withheld",)


@each_algorithm
def test_too_few_records_with_items_cost_their_items_when_they_are_withheld(algorithm):
    each = instance(SPEC_TREE, [{"a1", "b1"}, set(), set(), set()])
    with pytest.raises(Infeasible, match="1 record with items and 3 without"):
        find(algorithm, each, SetKAnonymity(2))
    recoding = find(type(algorithm)(suppression=0.5), each, SetKAnonymity(2))
    assert published_labels(released_locally(each, recoding)[0]) == [set()] * 3
    assert measure(each.data, recoding, 2)["ncp"] == 1


@each_algorithm
def test_k_above_the_number_of_records_is_refused(algorithm):
    each = instance(SPEC_TREE, [{"a1"}, {"a1"}])
    with pytest.raises(Infeasible, match="at most 2"):
        find(algorithm, each, SetKAnonymity(3))
    with pytest.raises(Infeasible, match="would have to be withheld"):
        find(type(algorithm)(suppression=1.0), instance(SPEC_TREE, [set(), {"a1"}]), SetKAnonymity(2))


@each_algorithm
def test_a_column_without_a_tree_is_refused(algorithm):
    each = instance(SPEC_TREE, SEVEN_SETS)
    each.data.trees.clear()
    with pytest.raises(BadInput, match="hierarchy"):
        find(algorithm, each, SetKAnonymity(2))


@each_algorithm
def test_what_is_published_when_time_is_up_is_safe(algorithm, monkeypatch):
    monkeypatch.setattr("shoal.algorithms.sets.equal_sets.clusters._STEPS_PER_SLICE", 1)
    each = instance(SPEC_TREE, SEVEN_SETS)
    recoding = find(algorithm, each, SetKAnonymity(2), progress=Silent(time_limit=0))
    assert topdown.is_k_anonymous(own_nodes(each, recoding), 2)
    assert any("time was up" in notice for notice in recoding.notices)
    assert recoding.figures["ncp"] > find(algorithm, each, SetKAnonymity(2)).figures["ncp"]


@each_algorithm
def test_stops_when_cancelled(algorithm, monkeypatch):
    monkeypatch.setattr("shoal.algorithms.sets.equal_sets.clusters._STEPS_PER_SLICE", 1)
    progress = Silent()
    progress.cancel()
    with pytest.raises(Cancelled):
        find(algorithm, instance(SPEC_TREE, SEVEN_SETS), SetKAnonymity(2), progress=progress)


@each_algorithm
def test_sensitive_items_are_left_out_of_the_comparison_and_stay_as_they_are(algorithm):
    each = instance(SPEC_TREE, [{"a1", "b1"}, {"a1", "b2"}, {"a1"}], sensitive=("b1", "b2"))
    assert published(algorithm, each, SetKAnonymity(3)) == [{"a1", "b1"}, {"a1", "b2"}, {"a1"}]


@each_algorithm
def test_groups_are_merged_until_no_sensitive_item_has_too_large_a_share(algorithm):
    sets = [{"a1", "b1"}, {"a1", "b1"}, {"a2"}, {"a2"}]
    each = instance(SPEC_TREE, sets, sensitive=("b1",))
    assert published(algorithm, each, SetKAnonymity(2)) == sets
    assert published(algorithm, each, SetKAnonymity(2), SetLDiversity(2)) == [
        {"A", "b1"},
        {"A", "b1"},
        {"A"},
        {"A"},
    ]


@each_algorithm
def test_random_releases_with_sensitive_items_are_diverse(algorithm):
    diverse = 0
    for seed in range(450):
        rng = random.Random(seed)
        each, k, _ = random_k_instance(seed)
        sensitive = rng.sample(each.tree.leaf_labels, 1)
        marked = instance(
            each.tree, [{each.tree.labels[leaf] for leaf in items} for items in each.transactions], sensitive
        )
        models = (SetKAnonymity(k), SetLDiversity(rng.choice((1.5, 2, 3))))
        try:
            recoding = find(algorithm, marked, *models)
        except Infeasible:
            continue
        data, _ = released_locally(marked, recoding)
        assert all(model.verify(data).holds for model in models), seed
        diverse += recoding.figures["merged_for_diversity"] > 0
    assert diverse > 20


@each_algorithm
def test_an_impossible_l_is_refused(algorithm):
    each = instance(SPEC_TREE, [{"a1", "b1"}, {"a1", "b1"}, {"a2"}], sensitive=("b1",))
    with pytest.raises(Infeasible, match=r"2 of 3 records.*l can be at most 3/2"):
        find(algorithm, each, SetKAnonymity(2), SetLDiversity(2))


@each_algorithm
def test_records_without_items_must_be_diverse_among_themselves(algorithm):
    each = instance(SPEC_TREE, [{"b1"}, {"b1"}, {"a2"}, {"a2"}], sensitive=("b1",))
    with pytest.raises(Infeasible, match="2 records without items"):
        find(algorithm, each, SetKAnonymity(2), SetLDiversity(2))


@each_algorithm
def test_when_time_is_up_all_records_with_items_are_one_diverse_group(algorithm):
    sets = [{"a1", "b1"}, {"a1", "b1"}, {"a2"}, {"a2"}]
    each = instance(SPEC_TREE, sets, sensitive=("b1",))
    models = (SetKAnonymity(2), SetLDiversity(2))
    recoding = find(algorithm, each, *models, progress=Silent(time_limit=0))
    data, _ = released_locally(each, recoding)
    assert all(model.verify(data).holds for model in models)
