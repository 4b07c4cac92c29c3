import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.lower_bound import lower_bound
from shoal.algorithms.relational.clustering.records import Records
from shoal.progress import Silent
from shoal.table.roles import Quasi
from tests.algorithms.relational.tables import tables
from tests.builders import local_data, tree
from tests.examples import examples
from tests.reference import clusterings as reference

COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})


def one_cluster(records):
    return Clustering(np.zeros(records.row_count, dtype=np.int64))


@examples(60)
@given(
    drawn=tables(least_rows=2, most_rows=7, with_subjects=False),
    k=st.integers(2, 3),
    measure=st.sampled_from(["ncp", "lm", "tree", "monotone_entropy"]),
)
def test_no_release_costs_less(drawn, k, measure):
    records = Records.of(drawn.on_trees.data, measure)
    assume(records.row_count >= k)
    rows = [tuple(record) for record in records.nodes[records.record_of_row].tolist()]
    best = reference.least_cost(records.trees.parent.tolist(), records.trees.cost.tolist(), rows, k)
    bound = lower_bound(records, one_cluster(records), k, Silent())
    assert bound is not None
    assert bound <= best / records.row_count + 1e-12


def colours(*labels, measure="lm"):
    data = local_data([(label,) for label in labels], {"colour": Quasi()}, trees={"colour": COLOURS})
    return Records.of(data, measure)


def test_bound_is_the_mean_distance_to_the_kth_row():
    records = colours("red", "orange", "blue")
    assert lower_bound(records, one_cluster(records), 2, Silent()) == pytest.approx((1 / 3 + 1 / 3 + 1) / 3)


def test_no_bound_for_a_cost_that_is_not_monotone():
    records = colours(*["red"] * 5, *["orange"] * 5, *["blue"] * 90, measure="entropy")
    assert lower_bound(records, one_cluster(records), 2, Silent()) is None


def test_no_bound_without_time():
    records = colours("red", "orange", "blue")
    assert lower_bound(records, one_cluster(records), 2, Silent(time_limit=-1.0)) is None
