import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.joint_search import Gathered, distance, of_unions, within_clusters
from tests.kernels.test_utility_loss import arrays_of
from tests.reference import mixed as reference

SETS = st.sets(st.integers(0, 5))


@given(SETS, SETS)
def test_distance_is_that_of_the_definition(a, b):
    assert distance(arrays_of([a, b]), 0, 1) == pytest.approx(float(reference.btd(a, b)))


@given(st.lists(st.lists(SETS, min_size=1, max_size=4), min_size=2, max_size=4))
def test_clusters_have_the_largest_distance_of_their_pairs(clusters):
    ordered = [sorted(cluster, key=len, reverse=True) for cluster in clusters]
    starts = np.cumsum([0, *map(len, ordered)])
    sets = arrays_of([items for cluster in ordered for items in cluster])
    gathered = Gathered(sets, np.arange(starts[-1]), starts[:-1].copy(), starts[1:].copy())
    inner = within_clusters(gathered)
    assert inner.tolist() == pytest.approx([float(reference.btd_of(cluster)) for cluster in clusters])
    others = np.arange(1, len(clusters))
    expected = [float(reference.btd_of(clusters[0] + other)) for other in clusters[1:]]
    assert of_unions(gathered, inner, 0, others).tolist() == pytest.approx(expected)
