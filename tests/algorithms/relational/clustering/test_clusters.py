import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.records import MEASURES, Records
from shoal.metrics.relational import column_costs, normalized_weights
from shoal.table.roles import Quasi
from tests.algorithms.relational.tables import tables
from tests.builders import local_data, tree
from tests.examples import examples
from tests.reference import clusterings as reference

COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})


@st.composite
def clustered(draw, **more):
    """A table on trees and the cluster of each row."""
    drawn = draw(tables(**more))
    rows = len(drawn.rows)
    labels = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    _, numbered = np.unique(labels, return_inverse=True)
    return drawn.on_trees.data, Clustering(numbered.astype(np.int64))


@examples(60)
@given(clustered(), st.sampled_from(MEASURES))
def test_cost_is_what_the_measures_say_of_the_groups(drawn, measure):
    data, clustering = drawn
    records = Records.of(data, measure)
    weights = normalized_weights(data.weights())
    costs = column_costs(data, clustering.generalized(records), measure)
    assert np.isclose(clustering.cost(records), sum(weights[name] * cost for name, cost in costs.items()))


@examples(40)
@given(clustered(most_rows=9))
def test_groups_are_published_as_closures(drawn):
    data, clustering = drawn
    records = Records.of(data, "ncp")
    clusters = clustering.generalized(records)
    vectors = [tuple(vector) for vector in records.nodes.tolist()]
    for cluster in range(len(clustering)):
        rows = np.flatnonzero(clustering.cluster_of_row == cluster)
        members = [vectors[record] for record in records.record_of_row[rows]]
        expected = reference.closure(records.trees.parent.tolist(), members)
        published = [clusters.nodes[name][cluster] for name in data.quasi]
        assert tuple(published + records.trees.starts[:-1]) == expected


def test_clusters_that_are_published_alike_become_one():
    rows = [("red",), ("orange",), ("orange",), ("red",), ("blue",)]
    data = local_data(rows, {"colour": Quasi()}, trees={"colour": COLOURS})
    clustering = Clustering(np.array([0, 0, 1, 1, 2]))
    assert clustering.unite_alike(Records.of(data, "ncp")).cluster_of_row.tolist() == [0, 0, 0, 0, 1]


def test_places_are_rows_in_the_order_of_records():
    rows = [("blue",), ("red",), ("blue",)]
    data = local_data(rows, {"colour": Quasi()}, trees={"colour": COLOURS})
    records = Records.of(data, "ncp")
    assert Clustering.of_places(records, np.array([5, 6, 7])).cluster_of_row.tolist() == [6, 5, 7]
