"""Every algorithm for tables with sets keeps its promise, and keeps its bound or says why not."""

from fractions import Fraction

import numpy as np
import pytest

from shoal.algorithms.catalogue import ALGORITHMS, make_algorithm
from shoal.algorithms.mixed.joint_search.task import JointAlgorithm
from shoal.errors import Infeasible
from shoal.metrics.catalogue import measure
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.progress import Silent
from tests.algorithms.mixed.tables import random_table, released, with_sensitive_column
from tests.algorithms.sets.instances import Instance
from tests.algorithms.sets.searches import with_items
from tests.reference import privacy_sets as reference
from tests.reference.count_tree import apriori_by_count_tree

MIXED = [name for name, algorithm in ALGORITHMS.items() if issubclass(algorithm, JointAlgorithm)]
BOUNDED = [name for name in MIXED if "merge" in name]
each_algorithm = pytest.mark.parametrize("name", MIXED)


def find(name, data, model, seed=0, **options):
    return make_algorithm(name, options).find(data, [model], np.random.default_rng(seed), Silent())


def options_for(name, seed):
    """Every option comes up as the seeds go on."""
    how = ({"minimal": False}, {"minimal": True}, {"as_printed": True})[seed % 3]
    options = {"items": ("aa", "pcta")[seed % 2], **how}
    if name in BOUNDED:
        options["delta"] = (0.0, 0.3, 0.6, 1.0)[seed // 2 % 4]
        options["closeness"] = "loss" if seed % 5 == 0 else "btd"
        if "as_printed" not in options:
            options["first"] = ("cluster", "kanon-cf", "agglomerative", "hilbert")[seed // 3 % 4]
            options["measure"] = ("ncp", "lm", "tree")[seed // 7 % 3]
    return options


def check(name, seed):
    k, m = 2 + seed % 3, 1 + seed // 3 % 3
    options = options_for(name, seed)
    columns = 2 if seed % 4 == 3 else 1
    data = random_table(seed, set_columns=columns, trees=options["items"] == "aa" or seed % 2 == 0)
    try:
        joint = find(name, data, KKmAnonymity(k, m), seed, **options)
    except Infeasible as error:
        check_refusal(name, data, k, options, error)
        return
    shown = released(data, joint)
    assert reference.k_km_anonymity(shown.keys, shown.sets, k, m)[0]
    losses = measure(data, joint, k)
    of_values = joint.figures["relational_loss"]
    if options.get("measure", "ncp") == "ncp":  # other losses are told without the weights of columns
        assert losses["ncp"] == pytest.approx(of_values)
    assert losses["ul"] == pytest.approx(joint.figures["utility_loss"])
    if name in BOUNDED:
        assert (of_values if name.startswith("r") else losses["ul"]) <= options["delta"] + 1e-9


def test_as_printed_the_items_of_a_cluster_are_those_of_the_papers_aa():
    looked_at = 0
    for seed in range(80):
        data, k, m = random_table(seed), 2 + seed % 2, 1 + seed % 3
        if data.row_count < k:
            continue
        joint = find("rfirst", data, KKmAnonymity(k, m), seed, as_printed=True)
        each = Instance(data.trees["items0"], data, "items0")
        for part, words in enumerate(joint.items[0].node_of_leaf.tolist()):
            rows = np.flatnonzero(joint.items[0].part_of_row == part).tolist()
            sets = [each.transactions[row] for row in rows]
            if with_items(sets) >= k:
                literal = apriori_by_count_tree(each.above, each.leaves, sets, k, m)
                assert dict(enumerate(words)) == literal, seed
                looked_at += 1
    assert looked_at > 100


def check_refusal(name, data, k, options, error):
    """Only too few records and a bound that was not met are reasons; the loss reached is told."""
    if data.row_count < k:
        assert error.figures["largest_k"] == data.row_count
        return
    assert name in BOUNDED
    reached = error.figures["relational_loss" if name.startswith("r") else "utility_loss"]
    assert reached > options["delta"]
    assert f"{reached:.4f}" in str(error)


@each_algorithm
def test_every_release_keeps_the_promise(name):
    for seed in range(40):
        check(name, seed)


@pytest.mark.slow
@each_algorithm
def test_two_thousand_releases_keep_the_promise(name):
    for seed in range(2000):
        check(name, seed)


@each_algorithm
def test_diverse_releases_keep_the_promise(name):
    kept = 0
    for seed in range(40):
        k, m, l = 2, 1 + seed % 2, (1.5, 2, 3)[seed % 3]
        options = options_for(name, seed)
        if name in BOUNDED:
            options["delta"] = 1.0
        data = random_table(seed, trees=True, most_rows=16)
        items = data.trees["items0"].leaf_labels
        data = random_table(seed, trees=True, most_rows=16, sensitive=items[:1])
        illnesses = [(None, "flu", "cold", "gout")[(seed + row) % 4] for row in range(data.row_count)]
        if seed % 2:
            data = with_sensitive_column(data, illnesses)
        try:
            joint = find(name, data, KLmDiversity(k, l, m), seed, **options)
        except Infeasible as error:
            assert "l can be at most" in str(error)  # noqa: PT017 - either is fine, but no other reason
            continue
        shown = released(data, joint)
        secret = frozenset(("items0", item) for item in items[:1])
        columns = [illnesses] if seed % 2 else []
        assert reference.k_lm_diversity(
            shown.keys, shown.sets, k, Fraction(str(l)), m, sensitive=secret, columns=columns
        )[0]
        kept += 1
    assert kept > 10


@each_algorithm
def test_the_same_seed_gives_the_same_decision(name):
    data = random_table(5, most_rows=16)
    options = {"delta": 1.0} if name in BOUNDED else {}
    first, second = (find(name, data, KKmAnonymity(2, 2), 3, **options) for _ in range(2))
    np.testing.assert_array_equal(first.clusters.cluster_of_row, second.clusters.cluster_of_row)
    np.testing.assert_array_equal(first.items[0].node_of_leaf, second.items[0].node_of_leaf)


@pytest.mark.parametrize("name", BOUNDED)
def test_frontier_lists_verified_points_and_publishes_the_best(name):
    data = random_table(11, most_rows=16)
    joint = find(name, data, KKmAnonymity(2, 2), delta="frontier")
    points = joint.figures["frontier"]
    assert points
    assert all(point["holds"] and point["smallest"] >= 2 for point in points)
    sums = [point["relational_loss"] + point["utility_loss"] for point in points]
    assert joint.figures["relational_loss"] + joint.figures["utility_loss"] == pytest.approx(min(sums))
    assert any(f"{len(points)} bounds were tried" in notice for notice in joint.notices)
    bounded = "relational_loss" if name.startswith("r") else "utility_loss"
    assert all(point[bounded] <= point["delta"] + 1e-6 for point in points)
