"""Clusters grown one record at a time: each takes what is cheapest to publish with what it has.

Equal records are one candidate with a number of copies left. All copies of a record that was taken go to the
cluster before another record is looked for, as long as the cluster wants more: they add nothing to its
closure.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import (
    NOTHING,
    Few,
    Pool,
    Trees,
    UnionCosts,
    copy_into,
    fill_union_costs,
    furthest,
    looked_up_cost,
    nearest,
    nearest_few,
    unite,
    vector_cost,
)

NO_CLUSTER = -1


class Growth(NamedTuple):
    """Clusters under way over the distinct records, record r having the vector vectors[r].

    left[r] copies of record r are in no cluster yet: the last of its places row_starts[r]..row_starts[r + 1]
    - 1; record_of_place[p] is the record of place p, cluster_of_place[p] its cluster or NO_CLUSTER. The
    records candidates[:state[0]] are those with copies left, in ascending order; state[1] is the number of
    these copies, state[2] that of the clusters. `union_costs` is scratch space.
    """

    vectors: Ints
    row_starts: Ints
    record_of_place: Ints
    left: Ints
    cluster_of_place: Ints
    candidates: Ints
    state: Ints
    union_costs: UnionCosts


@kernel
def take(growth: Growth, candidate: int, copies: int) -> None:
    """Put copies of a candidate, of which there are as many left, into the cluster that is under way."""
    record = growth.candidates[candidate]
    first = growth.row_starts[record + 1] - growth.left[record]
    for place in range(first, first + copies):
        growth.cluster_of_place[place] = growth.state[2]
    growth.left[record] -= copies
    growth.state[1] -= copies
    if growth.left[record] == 0:
        growth.state[0] -= 1
        for place in range(candidate, growth.state[0]):
            growth.candidates[place] = growth.candidates[place + 1]


@kernel
def candidate_of(growth: Growth, record: int) -> int:
    """The place among the candidates of a record with copies left."""
    low, high = 0, growth.state[0] - 1
    while low < high:
        middle = (low + high) // 2
        if growth.candidates[middle] < record:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def grow_by_members(trees: Trees, growth: Growth, k: int, last: int, most: int) -> int:
    """Grow up to `most` clusters of k rows while k are left; returns the record that was taken last.

    A cluster begins with the candidate that is dearest to unite with record `last`, and takes the one that is
    cheapest to unite with all it has until it has k. O(candidates * columns) per record taken.
    """
    closure = np.empty(growth.vectors.shape[1], dtype=np.int64)
    for _ in range(most):
        if growth.state[1] < k:
            break
        fill_union_costs(trees, growth.vectors[last], growth.union_costs)
        candidate, _ = furthest(growth.union_costs, growth.vectors, growth.candidates[: growth.state[0]])
        copy_into(closure, growth.vectors[growth.candidates[candidate]])
        size = 0
        while True:
            last = growth.candidates[candidate]
            copies = min(k - size, growth.left[last])
            unite(trees, closure, growth.vectors[last])
            take(growth, candidate, copies)
            size += copies
            if size == k:
                break
            fill_union_costs(trees, closure, growth.union_costs)
            candidate, _ = nearest(growth.union_costs, growth.vectors, growth.candidates[: growth.state[0]])
        growth.state[2] += 1
    return last


@kernel
def grow_around_seeds(trees: Trees, growth: Growth, k: int, seeds: Ints) -> None:
    """Grow clusters of k rows around these places while k rows are left.

    A seed that is in a cluster already is passed over; any other takes the k - 1 candidates that are cheapest
    to unite with itself. O(candidates * columns) per cluster.
    """
    few = Few(np.empty(k + 1, dtype=np.int64), np.empty(k + 1, dtype=np.float64))
    for place in seeds:
        if growth.state[1] < k:
            return
        if growth.cluster_of_place[place] != NO_CLUSTER:
            continue
        seed = growth.record_of_place[place]
        fill_union_costs(trees, growth.vectors[seed], growth.union_costs)
        copies = min(k, growth.left[seed])
        take(growth, candidate_of(growth, seed), copies)
        wanted = k - copies
        if wanted > 0:
            pool = Pool(growth.vectors, growth.candidates[: growth.state[0]], growth.left)
            count = nearest_few(growth.union_costs, pool, wanted, few)
            for i in range(count):
                record = few.chosen[i]
                copies = min(wanted, growth.left[record])
                take(growth, candidate_of(growth, record), copies)
                wanted -= copies
        growth.state[2] += 1


@kernel
def place_leftovers(trees: Trees, growth: Growth, closures: Ints, sizes: Ints) -> None:
    """Put each copy that is left into the cluster where it adds least to the sum of costs.

    Clusters 0..state[2]-1 have these closures and sizes, which grow with what they take. The first of equals.
    """
    costs = np.empty(len(closures), dtype=np.float64)
    for c in range(len(closures)):
        costs[c] = vector_cost(trees, closures[c])
    while growth.state[0] > 0:
        record = growth.candidates[0]
        fill_union_costs(trees, growth.vectors[record], growth.union_costs)
        best, least = NOTHING, np.inf
        for c in range(len(closures)):
            added = (sizes[c] + 1) * looked_up_cost(growth.union_costs, closures[c]) - sizes[c] * costs[c]
            if added < least:
                best, least = c, added
        unite(trees, closures[best], growth.vectors[record])
        costs[best] = vector_cost(trees, closures[best])
        sizes[best] += 1
        growth.cluster_of_place[growth.row_starts[record + 1] - growth.left[record]] = best
        growth.left[record] -= 1
        growth.state[1] -= 1
        if growth.left[record] == 0:
            growth.state[0] -= 1
            for place in range(growth.state[0]):
                growth.candidates[place] = growth.candidates[place + 1]
