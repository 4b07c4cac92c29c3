"""Clusters whose records change places: what they hold, and what they would cost without any of it.

Rows that nobody can tell apart, neither by their vector nor by what the models ask about, are of one kind.
The rows of one kind in one cluster are an entry; entries of a cluster are a linked list.
"""

from typing import NamedTuple, cast

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.constraint import ClassConstraint, rows_hold
from shoal.kernels.generalized_records import NOTHING, Trees, UnionCosts, copy_into, unite, vector_cost


class Board(NamedTuple):
    """What stays: kind i has the vector vectors[i] and stands for rows like sample_rows[i].

    Every cluster keeps `constraint`. A change must gain more than least_gain, which is above what rounding
    can feign, so that changes never go round in a circle. `rows` and `union_costs` are scratch space, `rows`
    for all rows of the table.
    """

    trees: Trees
    vectors: Ints
    sample_rows: Ints
    constraint: ClassConstraint
    least_gain: float
    rows: Ints
    union_costs: UnionCosts


class Change(NamedTuple):
    """What a cluster shall lose and get: `fewer` rows of the entry `leaving`, `more` of the kind `coming`."""

    leaving: int
    fewer: int
    coming: int
    more: int


# Not plain literals: of a named tuple they would be its type, and kernels that take it be compiled once more.
NONE = cast("int", np.int64(NOTHING))
NO_ROWS = cast("int", np.int64(0))


class Cursor(NamedTuple):
    """Where a walk through the entries of all clusters is: before entry place[1] of cluster place[0].

    The walk pauses when the partition has counted `looks`, but not before it has done anything.
    """

    place: Ints
    looks: int


class ClusterEntries(NamedTuple):
    """Clusters under way; those of size 0 are free.

    Entry e stands for counts[e] rows of kind kinds[e]; after[e] and before[e] are its neighbours in the list
    of its cluster, which begins with heads[c] and has lengths[c] entries; NOTHING ends it. Cluster c has
    sizes[c] rows, a closure and a cost per row. without[e] is the closure of e's cluster without e and
    without_costs[e] its cost; both mean nothing for the only entry of a cluster. changed[c] is the time of
    the last change to cluster c, visited[c] that of the last vain attempt to change it, searched[c] that of
    the last vain attempt to found another one around its entries, and state[0] the time. free[:state[1]] are
    entries that stand for nothing. state[2] counts how many closures and records were looked at.
    """

    kinds: Ints
    counts: Ints
    after: Ints
    before: Ints
    without: Ints
    without_costs: Floats
    heads: Ints
    lengths: Ints
    sizes: Ints
    closures: Ints
    costs: Floats
    changed: Ints
    visited: Ints
    searched: Ints
    state: Ints
    free: Ints


@kernel
def entries_of(partition: ClusterEntries, c: int) -> Ints:
    """The entries of a cluster in their order."""
    entries = np.empty(partition.lengths[c], dtype=np.int64)
    entry = partition.heads[c]
    for index in range(len(entries)):
        entries[index] = entry
        entry = partition.after[entry]
    return entries


@kernel
def refresh(board: Board, partition: ClusterEntries, c: int) -> None:
    """Compute closure and cost of a cluster, and those without each of its entries. O(entries)."""
    partition.state[0] += 1
    partition.changed[c] = partition.state[0]
    entries = entries_of(partition, c)
    count = len(entries)
    if count == 0:
        return
    trees, vectors, without = board.trees, board.vectors, partition.without
    closure = vectors[partition.kinds[entries[0]]].copy()
    for index in range(1, count):  # without[e] gets the closure of all before e
        copy_into(without[entries[index]], closure)
        unite(trees, closure, vectors[partition.kinds[entries[index]]])
    copy_into(partition.closures[c], closure)
    partition.costs[c] = vector_cost(trees, closure)
    copy_into(closure, vectors[partition.kinds[entries[count - 1]]])
    for index in range(count - 2, -1, -1):
        entry = entries[index]
        if index > 0:
            unite(trees, without[entry], closure)
        else:
            copy_into(without[entry], closure)
        unite(trees, closure, vectors[partition.kinds[entry]])
    for entry in entries:
        partition.without_costs[entry] = vector_cost(trees, without[entry])


@kernel
def refresh_all(board: Board, partition: ClusterEntries) -> None:
    """Refresh every cluster that has rows."""
    for c in range(len(partition.sizes)):
        if partition.sizes[c] > 0:
            refresh(board, partition, c)


@kernel
def all_entries(partition: ClusterEntries) -> tuple[Ints, Ints]:
    """The entries of all clusters, one cluster after the other, and the cluster of each."""
    entries = np.empty(partition.lengths.sum(), dtype=np.int64)
    clusters = np.empty(len(entries), dtype=np.int64)
    used = 0
    for c in range(len(partition.lengths)):
        end = used + partition.lengths[c]
        copy_into(entries[used:end], entries_of(partition, c))
        clusters[used:end] = c
        used = end
    return entries, clusters


@kernel
def put(partition: ClusterEntries, kind: int, count: int, c: int) -> None:
    """Add rows of a kind to a cluster, without refreshing it."""
    partition.sizes[c] += count
    entry = partition.heads[c]
    while entry != NOTHING:
        if partition.kinds[entry] == kind:
            partition.counts[entry] += count
            return
        entry = partition.after[entry]
    partition.state[1] -= 1
    entry = partition.free[partition.state[1]]
    partition.kinds[entry] = kind
    partition.counts[entry] = count
    first = partition.heads[c]
    partition.after[entry] = first
    partition.before[entry] = NOTHING
    if first != NOTHING:
        partition.before[first] = entry
    partition.heads[c] = entry
    partition.lengths[c] += 1


@kernel
def withdraw(partition: ClusterEntries, entry: int, count: int, c: int) -> None:
    """Take rows of an entry out of its cluster c, without refreshing it."""
    partition.sizes[c] -= count
    partition.counts[entry] -= count
    if partition.counts[entry] > 0:
        return
    before, after = partition.before[entry], partition.after[entry]
    if before == NOTHING:
        partition.heads[c] = after
    else:
        partition.after[before] = after
    if after != NOTHING:
        partition.before[after] = before
    partition.lengths[c] -= 1
    partition.free[partition.state[1]] = entry
    partition.state[1] += 1


@kernel
def may_become(board: Board, partition: ClusterEntries, c: int, change: Change) -> bool:
    """Whether cluster c may change so.

    A cluster that loses all its rows and gets none vanishes, which it may.
    """
    size = partition.sizes[c] - change.fewer + change.more
    if size == 0:
        return True
    if size < board.constraint.k:
        return False
    if len(board.constraint.rules) == 0 and len(board.constraint.people) == 0:
        return True
    used = 0
    entry = partition.heads[c]
    while entry != NOTHING:
        kept = partition.counts[entry] - (change.fewer if entry == change.leaving else 0)
        board.rows[used : used + kept] = board.sample_rows[partition.kinds[entry]]
        used += kept
        entry = partition.after[entry]
    if change.more > 0:
        board.rows[used : used + change.more] = board.sample_rows[change.coming]
    return rows_hold(board.constraint, board.rows[:size])


@kernel(part=True)
def is_narrowed_by(partition: ClusterEntries, c: int, entry: int) -> bool:
    """Whether cluster c would cost less per row without an entry."""
    return partition.lengths[c] == 1 or partition.without_costs[entry] < partition.costs[c]


@kernel
def transfer(partition: ClusterEntries, entry: int, count: int, here: int, there: int) -> None:
    """Bring rows of an entry from one cluster to another, without refreshing them."""
    kind = partition.kinds[entry]
    withdraw(partition, entry, count, here)
    put(partition, kind, count, there)


@kernel
def entry_of(partition: ClusterEntries, kind: int, c: int) -> int:
    """The entry of a kind in a cluster that holds it."""
    entry = partition.heads[c]
    while partition.kinds[entry] != kind:
        entry = partition.after[entry]
    return entry


@kernel(part=True)
def holds(board: Board, partition: ClusterEntries, c: int) -> bool:
    """Whether a cluster has what it needs as it is."""
    return may_become(board, partition, c, Change(NONE, NO_ROWS, NONE, NO_ROWS))
