import numpy as np
import pytest

from shoal.attack.finding import exposure_of, share_interval


def test_figures_of_candidates_that_are_all_there():
    exposure = exposure_of(np.array([1, 2, 5, 5, 0]), k=5)
    assert exposure.exact
    assert exposure.records == 5
    assert exposure.below_k == pytest.approx(2 / 5)
    assert exposure.unique == pytest.approx(1 / 5)
    assert exposure.expected == pytest.approx(1 + 0.5 + 0.4)
    assert exposure.smallest == 1
    assert exposure.highest_risk == 1
    assert exposure.mean_risk == pytest.approx(1.9 / 5)
    assert [(band.least, band.most, band.records) for band in exposure.distribution] == [
        (0, 0, 1),
        (1, 1, 1),
        (2, 4, 1),
        (5, 9, 2),
    ]


def test_a_sample_speaks_for_all_records_with_an_interval():
    exposure = exposure_of(np.array([1, 4]), k=2, of=100)
    assert not exposure.exact
    assert exposure.records == 100
    assert exposure.expected == pytest.approx(62.5)
    assert exposure.interval == share_interval(1, 2)


def test_nobody_at_all():
    exposure = exposure_of(np.empty(0, dtype=np.int64), k=2)
    assert (exposure.below_k, exposure.expected, exposure.smallest, exposure.highest_risk) == (
        0,
        0,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)]
)
def test_wilson_intervals_of_known_shares(hits, trials, low, high):
    assert share_interval(hits, trials) == pytest.approx((low, high), abs=1e-4)
