import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.local_search_neighbourhoods import cheapest_deal
from tests.algorithms.relational.clustering.test_clusters import clustered
from tests.examples import examples
from tests.reference import clusterings as reference

LEAST_GAIN = 1e-9


@examples(60)
@given(
    drawn=clustered(least_rows=4, most_rows=12, with_subjects=False),
    k=st.integers(1, 3),
    parts=st.integers(2, 3),
)
def test_a_deal_gains_what_it_says_and_leaves_no_cluster_below_k(drawn, k, parts):
    data, _ = drawn
    records = Records.of(data, "lm")
    vectors = records.nodes[records.record_of_row]
    count = min(parts, len(vectors) // k)
    assume(count >= 2)
    old = np.sort(np.arange(len(vectors)) % count)
    label, gain = cheapest_deal(records.trees, vectors, old, k, LEAST_GAIN)
    assert sorted(set(label.tolist())) == list(range(count))
    assert np.bincount(label).min() >= k
    assert total(records, vectors, old) - total(records, vectors, label) == pytest.approx(gain, abs=1e-9)
    assert gain > LEAST_GAIN or (gain == 0.0 and label.tolist() == old.tolist())


def total(records, vectors, label):
    """What all rows cost together, by the plain definition."""
    parent, cost = records.trees.parent.tolist(), records.trees.cost.tolist()
    clusters = [[tuple(vector) for vector in vectors[label == c].tolist()] for c in range(label.max() + 1)]
    return sum(len(rows) * reference.cost_of(parent, cost, rows) for rows in clusters)
