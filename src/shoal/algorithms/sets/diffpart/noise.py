"""Noise for differential privacy: integers of the discrete Laplace distribution, added to counts.

The noise that protects comes from OpenDP, whose sampler is exact: floating-point Laplace noise gives away in
its last bits what it should hide. A test hook replaces it by numbers that a seed can repeat.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from shoal.errors import MissingExtra
from shoal.kernels.arrays import Ints

# Counts of disjoint groups of records, and the epsilon to be spent on them, to noisy counts.
Noise = Callable[[Ints, float], Ints]


def library_noise() -> Noise:
    """Noise from OpenDP, which draws on the operating system."""
    try:
        import opendp.prelude as dp
    except ImportError:
        raise MissingExtra("Noise for differential privacy", "dp") from None
    dp.enable_features("contrib")
    counts_of_groups = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")

    @cache
    def mechanism(epsilon: float) -> Any:
        return dp.m.make_laplace(*counts_of_groups, scale=1 / epsilon)

    def noisy(counts: Ints, epsilon: float) -> Ints:
        return np.array(mechanism(epsilon)(counts.tolist()), dtype=np.int64)

    return noisy


def repeatable_noise(rng: np.random.Generator) -> Noise:
    """The same distribution from a seeded generator, which protects nothing."""

    def noisy(counts: Ints, epsilon: float) -> Ints:
        stop = -np.expm1(-epsilon)
        drawn: Ints = counts + rng.geometric(stop, len(counts)) - rng.geometric(stop, len(counts))
        return drawn

    return noisy
