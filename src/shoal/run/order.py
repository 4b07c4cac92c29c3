"""The order in which rows are published, which must say nothing about the original."""

from __future__ import annotations

import os

import numpy as np

from shoal.kernels.arrays import Ints
from shoal.policy.plan import Search


def order_of_publication(count: int, search: Search, rng: np.random.Generator) -> Ints:
    """The order of the published rows: from the operating system, so that no seed can undo it."""
    if search.keep_order:
        return np.arange(count, dtype=np.int64)
    if search.reproducible:
        return rng.permutation(count)
    keys = np.frombuffer(os.urandom(16 * count), dtype=np.uint64).reshape(2, count)
    return np.lexsort(keys).astype(np.int64)
