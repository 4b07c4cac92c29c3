import numpy as np

from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters


def test_groups_and_suppressed_records_are_counted():
    clusters = GeneralizedClusters(np.array([1, SUPPRESSED, 0, 1]))
    assert clusters.cluster_count == 2
    assert clusters.suppressed_count == 1


def test_nothing_may_be_published():
    clusters = GeneralizedClusters(np.array([SUPPRESSED, SUPPRESSED]))
    assert clusters.cluster_count == 0
    assert clusters.suppressed_count == 2
