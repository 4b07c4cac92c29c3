from math import nan

import pytest
from hypothesis import given

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import frozen_floats, frozen_ints
from shoal.metrics.relational import average_class_size, class_sizes, discernibility
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from tests.metrics.releases import releases
from tests.reference import metrics as reference


@given(releases())
def test_measures_equal_their_twins(release):
    assert discernibility(release.clusters) == reference.discernibility(release.published)
    expected = reference.average_class_size(release.published, k=3)
    assert average_class_size(release.clusters, k=3) == pytest.approx(float(expected))


def test_groups_published_alike_are_one_class():
    clusters = GeneralizedClusters(frozen_ints([0, 0, 1, 1, 1, 2]), {"city": frozen_ints([4, 4, 1])})
    assert class_sizes(clusters).tolist() == [5, 1]


def test_a_group_without_records_is_no_class():
    clusters = GeneralizedClusters(frozen_ints([0, 2, 2]), {"city": frozen_ints([4, 5, 6])})
    assert class_sizes(clusters).tolist() == [1, 2]
    assert average_class_size(clusters, k=1) == 1.5


def test_missing_ranges_are_alike_and_so_are_both_zeros():
    ends = frozen_floats([(nan, nan), (0.0, 1.0), (nan, nan), (-0.0, 1.0)])
    clusters = GeneralizedClusters(frozen_ints([0, 1, 2, 3]), {}, {"age": ends})
    assert class_sizes(clusters).tolist() == [2, 2]


def test_suppressed_records_count_as_many_as_there_are_records():
    clusters = GeneralizedClusters(frozen_ints([0, 0, SUPPRESSED, 0, SUPPRESSED]), {"city": frozen_ints([1])})
    assert discernibility(clusters) == 3 * 3 + 2 * 5
    assert average_class_size(clusters, k=2) == 5 / 1 / 2


def test_nothing_published():
    nothing = GeneralizedClusters(frozen_ints([SUPPRESSED] * 4), {"city": frozen_ints([])})
    assert class_sizes(nothing).tolist() == []
    assert discernibility(nothing) == 16
    assert average_class_size(nothing, k=2) == 2.0


def test_k_must_be_positive():
    with pytest.raises(InvalidParameter, match="k must be an integer of 1 or more, got 0"):
        average_class_size(GeneralizedClusters(frozen_ints([0])), k=0)
