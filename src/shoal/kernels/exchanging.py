"""Records that change places between clusters as long as that lowers the sum of costs.

Rows that nobody can tell apart, neither by their vector nor by what the models ask about, are of one kind.
The rows of one kind in one cluster are an entry; entries of a cluster are a linked list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.admissible import Needs, rows_hold
from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.closures import NOTHING, Tolls, Trees, fill_tolls, toll, union_cost, unite, vector_cost
from shoal.kernels.compile import kernel

SWAP_PARTNERS = 16

# What a step must gain at least, so that rounding never makes a circle of steps.
LEAST_GAIN = 1e-9


class Board(NamedTuple):
    """What stays: kind i has the vector vectors[i] and stands for rows like sample_rows[i].

    Every cluster needs `needs`; `rows` and `tolls` are scratch space, `rows` for all rows of the table.
    """

    trees: Trees
    vectors: Ints
    sample_rows: Ints
    needs: Needs
    rows: Ints
    tolls: Tolls


class Partition(NamedTuple):
    """Clusters under way; those of size 0 are free.

    Entry e stands for counts[e] rows of kind kinds[e]; after[e] and before[e] are its neighbours in the list
    of its cluster, which begins with heads[c] and has lengths[c] entries; NOTHING ends it. Cluster c has
    sizes[c] rows, a closure and a cost per row. without[e] is the closure of e's cluster without e and
    without_costs[e] its cost; both mean nothing for the only entry of a cluster. changed[c] is the time of
    the last change to cluster c, visited[c] that of the last vain attempt to change it, and state[0] the
    time. free[:state[1]] are entries that stand for nothing.
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
    state: Ints
    free: Ints


class Step(NamedTuple):
    """The best step found for an entry: `moved` of its rows go to `cluster`, where `gain` is what that saves.

    In return come `returned` rows of the entry `partner`; NOTHING and 0 for a mere move.
    """

    gain: float
    cluster: int
    moved: int
    partner: int
    returned: int


@kernel
def entries_of(partition: Partition, c: int) -> Ints:
    """The entries of a cluster in their order."""
    entries = np.empty(partition.lengths[c], dtype=np.int64)
    entry = partition.heads[c]
    for place in range(len(entries)):
        entries[place] = entry
        entry = partition.after[entry]
    return entries


@kernel
def refresh(board: Board, partition: Partition, c: int) -> None:
    """Compute closure and cost of a cluster, and those without each of its entries. O(entries)."""
    partition.state[0] += 1
    partition.changed[c] = partition.state[0]
    entries = entries_of(partition, c)
    count = len(entries)
    if count == 0:
        return
    trees, vectors, without = board.trees, board.vectors, partition.without
    closure = vectors[partition.kinds[entries[0]]].copy()
    for place in range(1, count):  # without[e] gets the closure of all before e
        without[entries[place]] = closure
        unite(trees, closure, vectors[partition.kinds[entries[place]]])
    partition.closures[c] = closure
    partition.costs[c] = vector_cost(trees, closure)
    closure[:] = vectors[partition.kinds[entries[count - 1]]]
    for place in range(count - 2, -1, -1):
        entry = entries[place]
        if place > 0:
            unite(trees, without[entry], closure)
        else:
            without[entry] = closure
        unite(trees, closure, vectors[partition.kinds[entry]])
    for entry in entries:
        partition.without_costs[entry] = vector_cost(trees, without[entry])


@kernel
def put(partition: Partition, kind: int, count: int, c: int) -> None:
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
def withdraw(partition: Partition, entry: int, count: int, c: int) -> None:
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
def may_become(
    board: Board, partition: Partition, c: int, out: tuple[int, int], into: tuple[int, int]
) -> bool:
    """Whether cluster c may lose out[1] rows of entry out[0] and get into[1] rows of kind into[0].

    A cluster that loses all its rows and gets none vanishes, which it may.
    """
    size = partition.sizes[c] - out[1] + into[1]
    if size == 0:
        return True
    if size < board.needs.k:
        return False
    if len(board.needs.requirements) == 0 and len(board.needs.people) == 0:
        return True
    used = 0
    entry = partition.heads[c]
    while entry != NOTHING:
        kept = partition.counts[entry] - (out[1] if entry == out[0] else 0)
        board.rows[used : used + kept] = board.sample_rows[partition.kinds[entry]]
        used += kept
        entry = partition.after[entry]
    board.rows[used : used + into[1]] = board.sample_rows[into[0]]
    return rows_hold(board.needs, board.rows[:size])


@kernel
def best_step(board: Board, partition: Partition, a: int, entry: int, others: Ints) -> Step:
    """The step of greatest gain that moves rows of an entry of cluster a into one of the others.

    Either all rows of the entry go, or as many as a can spare; or all of them are swapped for all rows of an
    entry of the other cluster, or for as many. Swaps are tried with the SWAP_PARTNERS clusters where the
    entry adds least.
    """
    kind, count = partition.kinds[entry], partition.counts[entry]
    vector, size = board.vectors[kind], partition.sizes[a]
    alone = partition.lengths[a] == 1
    total = size * partition.costs[a]
    saved = total if alone else total - (size - count) * partition.without_costs[entry]
    spare = size - board.needs.k
    best = Step(LEAST_GAIN, NOTHING, 0, NOTHING, 0)
    if total == 0.0:
        return best

    partners = np.full(SWAP_PARTNERS, NOTHING, dtype=np.int64)
    added_by = np.full(SWAP_PARTNERS, np.inf)
    fill_tolls(board.trees, vector, board.tolls)
    for b in others:
        cost = toll(board.tolls, partition.closures[b])
        added = (partition.sizes[b] + count) * cost - partition.sizes[b] * partition.costs[b]
        moved, gain = 0, 0.0
        if alone or spare >= count:
            moved, gain = count, saved - added
        elif spare > 0:
            moved = min(count, spare)
            grown = (partition.sizes[b] + moved) * cost - partition.sizes[b] * partition.costs[b]
            gain = moved * partition.costs[a] - grown
        if (
            moved > 0
            and gain > best.gain
            and may_become(board, partition, a, (entry, moved), (kind, 0))
            and may_become(board, partition, b, (NOTHING, 0), (kind, moved))
        ):
            best = Step(gain, b, moved, NOTHING, 0)
        if added < added_by[-1]:
            place = SWAP_PARTNERS - 1
            while place > 0 and added_by[place - 1] > added:
                added_by[place], partners[place] = added_by[place - 1], partners[place - 1]
                place -= 1
            added_by[place], partners[place] = added, b

    for place in range(SWAP_PARTNERS):
        b = partners[place]
        if b == NOTHING:
            break
        before = total + partition.sizes[b] * partition.costs[b]
        other = partition.heads[b]
        while other != NOTHING:
            other_kind = partition.kinds[other]
            mine = (
                vector_cost(board.trees, board.vectors[other_kind])
                if alone
                else union_cost(board.trees, partition.without[entry], board.vectors[other_kind])
            )
            for returned in (partition.counts[other], min(count, partition.counts[other])):
                size_a, size_b = size - count + returned, partition.sizes[b] - returned + count
                if size_a * mine >= before - best.gain:
                    continue
                if returned < partition.counts[other]:
                    theirs = toll(board.tolls, partition.closures[b])
                elif partition.lengths[b] == 1:
                    theirs = vector_cost(board.trees, vector)
                else:
                    theirs = toll(board.tolls, partition.without[other])
                gain = before - size_a * mine - size_b * theirs
                if (
                    gain > best.gain
                    and may_become(board, partition, a, (entry, count), (other_kind, returned))
                    and may_become(board, partition, b, (other, returned), (kind, count))
                ):
                    best = Step(gain, b, count, other, returned)
            other = partition.after[other]
    return best


@kernel
def take_step(board: Board, partition: Partition, a: int, entry: int, step: Step) -> None:
    """Do what a step says."""
    kind, b = partition.kinds[entry], step.cluster
    returned_kind = partition.kinds[step.partner] if step.partner != NOTHING else NOTHING
    withdraw(partition, entry, step.moved, a)
    if step.partner != NOTHING:
        withdraw(partition, step.partner, step.returned, b)
        put(partition, returned_kind, step.returned, a)
    put(partition, kind, step.moved, b)
    refresh(board, partition, a)
    refresh(board, partition, b)


@kernel
def improve(board: Board, partition: Partition, begin: int, end: int) -> float:
    """Take the best steps of the entries of clusters begin..end-1 while there are any; returns the gain.

    A cluster that has not changed since its last visit is compared with clusters that have.
    """
    gained = 0.0
    others = np.empty(len(partition.sizes), dtype=np.int64)
    for a in range(begin, end):
        stepped = True
        while stepped and partition.sizes[a] > 0:
            stepped = False
            since = partition.visited[a] if partition.changed[a] <= partition.visited[a] else 0
            count = 0
            for b in range(len(partition.sizes)):
                if b != a and partition.sizes[b] > 0 and partition.changed[b] > since:
                    others[count] = b
                    count += 1
            for entry in entries_of(partition, a):
                step = best_step(board, partition, a, entry, others[:count])
                if step.cluster != NOTHING:
                    take_step(board, partition, a, entry, step)
                    gained += step.gain
                    stepped = True
                    break
        partition.visited[a] = partition.state[0]
    return gained
