"""Losses that are kept in step with unions equal the losses computed from scratch at every union."""

import numpy as np
import pytest

from shoal.algorithms.mixed.joint_search.merging import (
    Distance,
    MergeOrder,
    SolvedItems,
    closeness_of,
    merge_always,
    merge_within,
    ordered,
    ranks,
)
from shoal.algorithms.mixed.joint_search.task import JointTask
from shoal.metrics.catalogue import measure
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.progress import Silent
from tests.algorithms.mixed.tables import random_table
from tests.reference import mixed as reference

ORDERS = list(MergeOrder)


def begun(seed, items="aa", **options):
    data = random_table(seed, most_rows=18, **options)
    if data.row_count < 2:
        pytest.skip("too few records")
    task = JointTask.of(data, [KKmAnonymity(2, 2)], items=items, minimal=True)
    return task, task.initial_clusters(np.random.default_rng(seed), Silent())


def sets_of(task, rows):
    starts, items = task.sets.transactions.sets
    return [set(items[starts[row] : starts[row + 1]].tolist()) for row in rows.tolist()]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("delta", [0.5, 1.0])
def test_relational_loss_is_that_of_a_fresh_start_at_every_union(order, delta):
    unions = 0
    for seed in range(15):
        task, clusters = begun(seed)
        closeness = closeness_of("btd", task, clusters, Silent())
        started = clusters.loss
        for merge in merge_within(clusters, closeness, order, delta):
            unions += 1
            assert clusters.loss == pytest.approx(clusters.copy().loss)
            assert started <= clusters.loss + 1e-9
            assert clusters.loss <= delta + 1e-9
            assert merge.partner not in clusters.alive
            joint = task.joint(clusters, task.solve(clusters, Silent()), {})
            assert measure(task.data, joint, 2)["ncp"] == pytest.approx(clusters.loss)
    assert unions > 5


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("items", ["aa", "pcta"])
def test_utility_loss_is_that_of_a_fresh_start_at_every_union(order, items):
    for seed in range(8):
        task, clusters = begun(seed, items)
        solved = SolvedItems(task, task.solve(clusters, Silent()), Silent())
        closeness = closeness_of("btd", task, clusters, Silent())
        for _ in merge_always(clusters, closeness, order, solved):
            joint = task.joint(clusters, solved.parts, {})
            assert measure(task.data, joint, 2)["ul"] == pytest.approx(solved.loss)
            assert task.utility_loss(task.solve(clusters, Silent())) == pytest.approx(solved.loss)
        assert len(clusters.alive) == 1


def test_distances_are_those_of_all_pairs_after_any_unions():
    for seed in range(15):
        task, clusters = begun(seed)
        distance = Distance(task.sets.transactions.sets, clusters)
        while len(clusters.alive) > 1:
            cluster = clusters.seed()
            others = clusters.others(cluster)
            unions = [np.concatenate((clusters.rows(cluster), clusters.rows(other))) for other in others]
            expected = [float(reference.btd_of(sets_of(task, rows))) for rows in unions]
            assert distance.of_unions(cluster, others).tolist() == pytest.approx(expected)
            partner = int(others[seed % len(others)])
            clusters.unite(cluster, partner)
            distance.unite(cluster, partner)


def test_tried_losses_are_those_of_the_item_step():
    task, clusters = begun(3)
    tried = closeness_of("loss", task, clusters, Silent())
    seed = clusters.seed()
    others = clusters.others(seed)
    for other, loss in zip(others.tolist(), tried.of_unions(seed, others).tolist(), strict=True):
        rows = np.concatenate((clusters.rows(seed), clusters.rows(other)))
        assert loss == pytest.approx(task.step.solve(rows, Silent()).loss / len(rows))


def test_ranks_count_equals_in_their_order():
    assert ranks(np.array([3.0, 1.0, 3.0, 0.0])).tolist() == [2, 1, 3, 0]


def test_orders_are_by_values_by_items_and_by_the_sum_of_ranks():
    task, clusters = begun(7)
    distance = Distance(task.sets.transactions.sets, clusters)
    seed = clusters.seed()
    others = clusters.others(seed)
    costs, distances = clusters.union_costs(seed, others), distance.of_unions(seed, others)
    by = {
        MergeOrder.VALUES: sorted(range(len(others)), key=lambda i: costs[i]),
        MergeOrder.ITEMS: sorted(range(len(others)), key=lambda i: distances[i]),
    }
    rank = [by[MergeOrder.VALUES].index(i) + by[MergeOrder.ITEMS].index(i) for i in range(len(others))]
    by[MergeOrder.BOTH] = sorted(range(len(others)), key=lambda i: rank[i])
    for order, places in by.items():
        candidates, of_unions = ordered(order, clusters, distance, seed, others)
        assert candidates.tolist() == others[places].tolist()
        assert of_unions.tolist() == costs[places].tolist()
