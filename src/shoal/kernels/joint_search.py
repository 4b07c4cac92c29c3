"""The bit-vector transaction distance (BTD) between clusters of sets.

Of two sets it is (|a xor b| + 1) / (|a and b| + 1) * |a or b|, of two clusters the largest one over pairs of
their sets. It grows with both sizes and is largest for disjoint sets, so with the largest sets first few
pairs have to be looked at.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import Trees, union_cost


class Gathered(NamedTuple):
    """Cluster c holds the rows pool[starts[c]:ends[c]], those with most items first."""

    sets: SetArrays
    pool: Ints
    starts: Ints
    ends: Ints


@kernel(part=True)
def distance(sets: SetArrays, a: int, b: int) -> float:
    """BTD of two rows."""
    i, j, common = sets.starts[a], sets.starts[b], 0
    while i < sets.starts[a + 1] and j < sets.starts[b + 1]:
        if sets.items[i] < sets.items[j]:
            i += 1
        elif sets.items[i] > sets.items[j]:
            j += 1
        else:
            common += 1
            i += 1
            j += 1
    both = sets.starts[a + 1] - sets.starts[a] + sets.starts[b + 1] - sets.starts[b]
    return (both - 2 * common + 1) / (common + 1) * (both - common)


@kernel
def largest_between(gathered: Gathered, a: int, b: int, least: float) -> float:
    """The largest distance between a row of one cluster and one of another, or `least` if that is more.

    Of one cluster and itself it is that between two of its rows.
    """
    sets, pool = gathered.sets, gathered.pool
    for i in range(gathered.starts[a], gathered.ends[a]):
        first = i + 1 if a == b else gathered.starts[b]
        size = sets.starts[pool[i] + 1] - sets.starts[pool[i]]
        for j in range(first, gathered.ends[b]):
            both = size + sets.starts[pool[j] + 1] - sets.starts[pool[j]]
            if (both + 1) * both <= least:  # what disjoint sets of these sizes have
                if j == first:
                    return least
                break
            least = max(least, distance(sets, pool[i], pool[j]))
    return least


@kernel
def within_clusters(gathered: Gathered) -> Floats:
    """The distance of each cluster; 0 for one with a single row."""
    distances = np.zeros(len(gathered.starts), dtype=np.float64)
    for c in range(len(distances)):
        distances[c] = largest_between(gathered, c, c, 0.0)
    return distances


@kernel
def of_unions(gathered: Gathered, inner: Floats, cluster: int, others: Ints) -> Floats:
    """The distance of the union of a cluster with each of the others; inner[c] is that of cluster c."""
    distances = np.empty(len(others), dtype=np.float64)
    for i in range(len(others)):
        least = max(inner[cluster], inner[others[i]])
        distances[i] = largest_between(gathered, cluster, others[i], least)
    return distances


@kernel
def union_costs(trees: Trees, vectors: Ints, cluster: int, others: Ints) -> Floats:
    """What a record costs in the union of a cluster with each of the others. O(others * columns)."""
    costs = np.empty(len(others), dtype=np.float64)
    for i in range(len(others)):
        costs[i] = union_cost(trees, vectors[cluster], vectors[others[i]])
    return costs
