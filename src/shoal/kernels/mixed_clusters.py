"""What it costs to unite one cluster with each of many."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import Trees, union_cost


@kernel
def union_costs(trees: Trees, vectors: Ints, cluster: int, others: Ints) -> Floats:
    """What a record costs in the union of a cluster with each of the others. O(others * columns)."""
    costs = np.empty(len(others), dtype=np.float64)
    for i in range(len(others)):
        costs[i] = union_cost(trees, vectors[cluster], vectors[others[i]])
    return costs
