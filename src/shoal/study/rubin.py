"""Results of several imputed copies as one, by the rules of Rubin (1987)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from shoal.errors import InvalidParameter

_NEARLY_NORMAL = 1e4  # degrees of freedom, of which copies that differ by rounding only have any number


@dataclass(frozen=True, slots=True)
class Combined:
    """An estimate from all copies, its standard error, and the interval around it.

    Args:
        estimate: The mean of the copies' estimates.
        error: Its standard error.
        low: Where the interval begins.
        high: Where it ends.
        degrees: The degrees of freedom of the t distribution of the estimate.
        lost: The share of the variance that comes from what the release does not tell.

    Examples:
        >>> import shoal as sh
        >>> combined = sh.combine([2.0, 3.0, 4.0], [0.5, 0.5, 0.5])
        >>> combined.low < combined.estimate < combined.high
        True
    """

    estimate: float
    error: float
    low: float
    high: float
    degrees: float
    lost: float


def combine(estimates: Sequence[float], variances: Sequence[float], confidence: float = 0.95) -> Combined:
    """Combine an estimate and its variance (the squared standard error) from each of several copies.

    The variance of the whole is the mean variance within copies, and that between copies times 1 + 1/copies.

    Args:
        estimates: The estimate from each copy.
        variances: Its squared standard error in each copy.
        confidence: How sure the interval shall be.

    Returns:
        One estimate with its error and interval.

    Raises:
        InvalidParameter: There are fewer than two copies, not one variance for each, or no such confidence.

    Examples:
        >>> import shoal as sh
        >>> combined = sh.combine([2.0, 3.0, 4.0], [0.5, 0.5, 0.5])
        >>> combined.estimate, round(combined.error, 3), round(combined.lost, 3)
        (3.0, 1.354, 0.727)
    """
    copies = len(estimates)
    if copies < 2 or len(variances) != copies:
        must_be = "one of each for two copies or more"
        raise InvalidParameter("combine", "estimates and variances", (copies, len(variances)), must_be)
    if not 0 < confidence < 1:
        raise InvalidParameter("combine", "confidence", confidence, "between 0 and 1")
    within, between = float(np.mean(variances)), float(np.var(estimates, ddof=1))
    added = (1 + 1 / copies) * between
    total = within + added
    degrees = math.inf if added == 0 else (copies - 1) * (1 + within / added) ** 2
    estimate, error = float(np.mean(estimates)), math.sqrt(total)
    reach = t_quantile((1 + confidence) / 2, degrees) * error
    return Combined(
        estimate, error, estimate - reach, estimate + reach, degrees, added / total if total else 0.0
    )


def t_quantile(share: float, degrees: float) -> float:
    """The quantile of the t distribution, found by halving; of many degrees from that of the normal one."""
    if degrees > _NEARLY_NORMAL:
        z = NormalDist().inv_cdf(share)  # and the first terms of Fisher's expansion
        return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
    if share < 0.5:
        return -t_quantile(1 - share, degrees)
    low, high = 0.0, 1.0
    while _t_below(high, degrees) < share:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_below(middle, degrees) < share else (low, middle)
    return high


def _t_below(value: float, degrees: float) -> float:
    """The chance of at most this value of 0 or more, integrated by Simpson's rule over the angle."""
    end = math.atan(value / math.sqrt(degrees))
    angles = np.linspace(0, end, 2001)
    density = np.cos(angles) ** (degrees - 1)
    weights = np.ones(2001)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    integral = float(weights @ density) * end / 6000
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    return 0.5 + scale * integral
