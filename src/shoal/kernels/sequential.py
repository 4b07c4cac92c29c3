"""Records are moved, one after the other, to the cluster where the sum of costs falls most."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import (
    NOTHING,
    Trees,
    UnionCosts,
    copy_into,
    fill_union_costs,
    looked_up_cost,
    unite,
    vector_cost,
)

# What a move must gain at least, so that rounding never makes a circle of moves.
LEAST_GAIN = 1e-9


class Allotment(NamedTuple):
    """Each distinct record, with all its copies, is in one of a fixed number of clusters.

    Record r is vectors[r], has counts[r] copies and is in cluster_of[r], in a list of records that begins
    with heads[c]; after[r] and before[r] are its neighbours there, NOTHING ends it. Cluster c has sizes[c]
    rows, a closure and a cost per row, which mean nothing while it is empty. `union_costs` is scratch space.
    """

    vectors: Ints
    counts: Ints
    cluster_of: Ints
    after: Ints
    before: Ints
    heads: Ints
    sizes: Ints
    closures: Ints
    costs: Floats
    union_costs: UnionCosts


@kernel(part=True)
def closure_without(trees: Trees, allotment: Allotment, record: int, closure: Ints) -> bool:
    """Write the closure of the other records in a record's cluster; False if there are none."""
    found = False
    other = allotment.heads[allotment.cluster_of[record]]
    while other != NOTHING:
        if other != record:
            if found:
                unite(trees, closure, allotment.vectors[other])
            else:
                copy_into(closure, allotment.vectors[other])
                found = True
        other = allotment.after[other]
    return found


@kernel(part=True)
def leave(allotment: Allotment, record: int) -> None:
    """Take a record out of the list of its cluster."""
    before, after = allotment.before[record], allotment.after[record]
    if before == NOTHING:
        allotment.heads[allotment.cluster_of[record]] = after
    else:
        allotment.after[before] = after
    if after != NOTHING:
        allotment.before[after] = before


@kernel(part=True)
def enter(allotment: Allotment, record: int, cluster: int) -> None:
    """Put a record first into the list of a cluster."""
    head = allotment.heads[cluster]
    allotment.cluster_of[record] = cluster
    allotment.before[record] = NOTHING
    allotment.after[record] = head
    if head != NOTHING:
        allotment.before[head] = record
    allotment.heads[cluster] = record


@kernel(part=True)
def best_cluster(allotment: Allotment, copies: int, home: int) -> tuple[int, float]:
    """The other cluster where the record of the costs adds least to the sum of costs, and how much.

    The first of equals. Empty clusters are passed over.
    """
    best, least = NOTHING, np.inf
    for c in range(len(allotment.sizes)):
        size = allotment.sizes[c]
        if c == home or size == 0:
            continue
        added = (size + copies) * looked_up_cost(
            allotment.union_costs, allotment.closures[c]
        ) - size * allotment.costs[c]
        if added < least:
            best, least = c, added
    return best, least


@kernel
def move_records(trees: Trees, allotment: Allotment, records: Ints) -> int:
    """Move each of these records to where the sum of costs falls most; returns how many were moved.

    All copies of a record move together: if one copy gains by leaving a cluster, the others gain as much or
    more by following it. O((clusters + records in the own cluster) * columns) per record.
    """
    moved = 0
    closure = np.empty(allotment.vectors.shape[1], dtype=np.int64)
    for record in records:
        home, copies = allotment.cluster_of[record], allotment.counts[record]
        others = closure_without(trees, allotment, record, closure)
        cost = vector_cost(trees, closure) if others else 0.0
        size = allotment.sizes[home] - copies
        saved = allotment.sizes[home] * allotment.costs[home] - size * cost
        fill_union_costs(trees, allotment.vectors[record], allotment.union_costs)
        best, added = best_cluster(allotment, copies, home)
        if added >= saved - LEAST_GAIN:
            continue
        leave(allotment, record)
        enter(allotment, record, best)
        allotment.sizes[home] = size
        allotment.costs[home] = cost
        if others:
            copy_into(allotment.closures[home], closure)
        unite(trees, allotment.closures[best], allotment.vectors[record])
        allotment.costs[best] = vector_cost(trees, allotment.closures[best])
        allotment.sizes[best] += copies
        moved += 1
    return moved
