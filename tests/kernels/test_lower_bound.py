import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.lower_bound import _neighbourhoods
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.lower_bound import distances_to_k
from tests.algorithms.relational.tables import tables
from tests.examples import examples
from tests.reference import clusterings as reference


@examples(60)
@given(tables(most_rows=9, with_subjects=False), st.data())
def test_distance_to_the_kth_row(drawn, data):
    records = Records.of(drawn.on_trees.data, "lm")
    k = data.draw(st.integers(1, records.row_count))
    cluster_of_row = data.draw(
        st.lists(st.integers(0, 2), min_size=records.row_count, max_size=records.row_count)
    )
    _, numbered = np.unique(cluster_of_row, return_inverse=True)
    hoods = _neighbourhoods(records, Clustering(numbered))
    found = distances_to_k(records.trees, hoods, k, 0, len(records))

    parent, cost = records.trees.parent.tolist(), records.trees.cost.tolist()
    vectors = [tuple(vector) for vector in records.nodes.tolist()]
    for record, vector in enumerate(vectors):
        distances = sorted(
            reference.cost_of(parent, cost, [vector, vectors[other]])
            for other in records.record_of_row.tolist()
        )
        assert found[record] == distances[k - 1]
