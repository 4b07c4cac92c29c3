"""Results of imputed copies as one."""

import numpy as np
import pytest
from scipy.stats import t

import shoal as sh
from shoal.errors import InvalidParameter
from shoal.study.rubin import t_quantile


def test_an_example_by_hand():
    found = sh.combine([1.0, 2.0, 3.0], [0.5, 0.5, 0.5])
    assert found.estimate == 2
    assert found.error == pytest.approx(np.sqrt(0.5 + 4 / 3))
    assert found.degrees == pytest.approx(2 * (1 + 0.5 / (4 / 3)) ** 2)
    assert found.high - 2 == pytest.approx(t.ppf(0.975, found.degrees) * found.error)
    assert found.lost == pytest.approx((4 / 3) / (0.5 + 4 / 3))


def test_copies_that_agree_leave_the_normal_interval():
    found = sh.combine([1.0, 1.0], [4.0, 4.0], confidence=0.9)
    assert (found.low, found.high) == pytest.approx((1 - 1.6449 * 2, 1 + 1.6449 * 2), rel=1e-4)
    assert found.lost == 0


def test_copies_that_differ_by_rounding_only_are_copies_that_agree():
    found = sh.combine([0.474] * 9 + [0.474 + 1e-16], [0.0005] * 10)
    assert 0 < found.lost < 1e-20
    assert found.high - found.estimate == pytest.approx(t.ppf(0.975, 1e9) * np.sqrt(0.0005))


@pytest.mark.parametrize("degrees", [1, 2.5, 9, 400, 9_999, 10_001, 1e12, 1e60, np.inf])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.975, 0.9999])
def test_quantiles_are_those_of_the_t_distribution(share, degrees):
    assert t_quantile(share, degrees) == pytest.approx(t.ppf(share, degrees), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(("estimates", "variances"), [([1], [1]), ([1, 2], [1])])
def test_too_few_are_refused(estimates, variances):
    with pytest.raises(InvalidParameter, match="one of each for two copies"):
        sh.combine(estimates, variances)


def test_a_confidence_is_a_share():
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        sh.combine([1, 2], [1, 1], confidence=95)
