import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.forest import Forest
from shoal.privacy.k_anonymity import KAnonymity
from shoal.progress import Silent
from shoal.table.roles import Quasi
from tests.algorithms.relational.tables import tables
from tests.builders import local_data, tree
from tests.examples import examples
from tests.reference import clusterings as reference

COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})


def find(data, k, progress=None, **options):
    random = np.random.default_rng(0)
    return Forest(**options).find(data, [KAnonymity(k)], random, progress or Silent())


def colours(*labels):
    return local_data([(label,) for label in labels], {"colour": Quasi()}, trees={"colour": COLOURS})


@examples(60)
@given(
    drawn=tables(least_rows=2, most_rows=7, with_subjects=False),
    k=st.integers(2, 3),
    measure=st.sampled_from(["ncp", "lm", "tree", "monotone_entropy"]),
)
def test_loss_is_within_the_bound_of_the_best(drawn, k, measure):
    data = drawn.on_trees.data
    assume(data.row_count >= k)
    recoding = find(data, k, measure=measure)
    records = Records.of(data, measure)
    rows = [tuple(record) for record in records.nodes[records.record_of_row].tolist()]
    best = reference.least_cost(records.trees.parent.tolist(), records.trees.cost.tolist(), rows, k)
    found = recoding.figures["cost"] * len(rows)
    assert best - 1e-9 <= found <= max(2 * k - 1, 3 * k - 5, 1) * best + 1e-9


def test_small_trees_are_linked_to_the_nearest_record():
    recoding = find(colours("red", "orange", "blue", "green"), 2)
    assert recoding.clusters.cluster_of_row.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_chain_is_cut_where_it_is_dearest():
    """Each pair of equal distance is linked first; the links between pairs are cut again."""
    recoding = find(colours("red", "orange", "red", "blue", "blue", "green"), 3)
    assert sorted(np.bincount(recoding.clusters.cluster_of_row)) == [3, 3]
    assert len(set(recoding.clusters.cluster_of_row[:3].tolist())) == 1


def test_without_time_records_are_grouped_in_order_with_a_notice():
    data = colours("red", "blue", "red", "green", "orange")
    recoding = find(data, 2, Silent(time_limit=-1.0))
    assert np.bincount(recoding.clusters.cluster_of_row).min() >= 2
    assert any("time was up" in notice for notice in recoding.notices)


def test_local_search_never_adds_to_the_loss():
    data = colours(*(["red", "blue", "green", "orange", "green"] * 3))
    without = find(data, 4, local_search=False).figures["cost"]
    assert find(data, 4, local_search=True).figures["cost"] <= without
