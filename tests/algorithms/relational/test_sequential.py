import itertools

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.sequential import Sequential
from shoal.privacy.k_anonymity import KAnonymity
from shoal.progress import Silent
from shoal.table.roles import Quasi
from tests.algorithms.relational.tables import tables
from tests.builders import local_data, tree
from tests.examples import examples
from tests.reference import clusterings as reference

COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})


def find(data, k, progress=None, seed=0, **options):
    random = np.random.default_rng(seed)
    return Sequential(**options).find(data, [KAnonymity(k)], random, progress or Silent())


def colours(*labels):
    return local_data([(label,) for label in labels], {"colour": Quasi()}, trees={"colour": COLOURS})


def test_records_find_those_like_them():
    data = colours("red", "blue", "orange", "green", "red", "blue", "orange", "green")
    recoding = find(data, 4, starts=5)
    assert recoding.clusters.cluster_of_row.tolist() in ([0, 1] * 4, [1, 0] * 4)


def test_large_clusters_do_not_begin_with_nothing_in_common():
    rows = list(itertools.product(["red", "orange", "blue", "green"], repeat=3))
    roles = {"a": Quasi(), "b": Quasi(), "c": Quasi()}
    data = local_data(rows, roles, trees=dict.fromkeys(roles, COLOURS))
    assert find(data, 16).figures["cost"] < 0.9  # 1 if every record is published as the roots


def test_more_starts_never_cost_more():
    labels = np.random.default_rng(1).choice(["red", "orange", "blue", "green"], 60)
    rows = [(a, b, c) for a, b, c in zip(labels[:20], labels[20:40], labels[40:], strict=True)]
    roles = {"a": Quasi(), "b": Quasi(), "c": Quasi()}
    data = local_data(rows, roles, trees=dict.fromkeys(roles, COLOURS))
    costs = [find(data, 3, starts=starts).figures["cost"] for starts in (1, 3, 9)]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[-1]


@examples(60)
@given(
    drawn=tables(least_rows=2, most_rows=7, with_subjects=False),
    k=st.integers(2, 3),
    measure=st.sampled_from(["ncp", "lm", "tree", "monotone_entropy"]),
)
def test_loss_is_measured_and_never_below_the_best(drawn, k, measure):
    data = drawn.on_trees.data
    assume(data.row_count >= k)
    recoding = find(data, k, measure=measure)
    records = Records.of(data, measure)
    rows = [tuple(record) for record in records.nodes[records.record_of_row].tolist()]
    best = reference.least_cost(records.trees.parent.tolist(), records.trees.cost.tolist(), rows, k)
    assert recoding.figures["cost"] * len(rows) >= best - 1e-9
    assert np.bincount(recoding.clusters.cluster_of_row).min() >= k


def test_without_time_records_are_grouped_with_a_notice():
    data = colours("red", "blue", "red", "green", "orange")
    recoding = find(data, 2, Silent(time_limit=-1.0))
    assert np.bincount(recoding.clusters.cluster_of_row).min() >= 2
    assert any("time was up" in notice for notice in recoding.notices)
