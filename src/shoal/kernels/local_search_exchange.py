"""Records that move to another cluster, or change places with others, where that lowers the sum of costs."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import (
    NOTHING,
    fill_union_costs,
    looked_up_cost,
    union_cost,
    vector_cost,
)
from shoal.kernels.local_search import (
    NO_ROWS,
    NONE,
    Board,
    Change,
    ClusterEntries,
    Cursor,
    entries_of,
    is_narrowed_by,
    may_become,
    put,
    refresh,
    withdraw,
)

SWAP_PARTNERS = 16


class Step(NamedTuple):
    """The best step found for an entry: `moved` of its rows go to `cluster`, where `gain` is what that saves.

    In return come `returned` rows of the entry `partner`; NOTHING and 0 for a mere move.
    """

    gain: float
    cluster: int
    moved: int
    partner: int
    returned: int


class Departure(NamedTuple):
    """An entry that shall leave cluster `home`, with that many rows of one kind.

    `saved` is what the home saves when all of them go, `spare` how many rows it can do without, and `alone`
    says that the home has no other entry.
    """

    entry: int
    home: int
    kind: int
    rows: int
    saved: float
    spare: int
    alone: bool


@kernel(part=True)
def departure(board: Board, partition: ClusterEntries, a: int, entry: int) -> Departure:
    """The entry of cluster a as one that leaves."""
    count, size = partition.counts[entry], partition.sizes[a]
    alone = partition.lengths[a] == 1
    total = size * partition.costs[a]
    saved = total if alone else total - (size - count) * partition.without_costs[entry]
    return Departure(entry, a, partition.kinds[entry], count, saved, size - board.constraint.k, alone)


@kernel(part=True)
def best_move(
    board: Board, partition: ClusterEntries, leaving: Departure, others: Ints, partners: Ints
) -> Step:
    """The move of greatest gain of an entry into one of the other clusters; the costs must be those of it.

    All rows of the entry go, or as many as its home can spare. `partners` gets the clusters where the rows
    would add least, the best first, NOTHING behind them.
    """
    best = Step(board.least_gain, NOTHING, 0, NOTHING, 0)
    a, entry, kind, count = leaving.home, leaving.entry, leaving.kind, leaving.rows
    everything = leaving.alone or leaving.spare >= count
    moved = count if everything else min(count, leaving.spare)
    saved = leaving.saved if everything else moved * partition.costs[a]
    partners[:] = NOTHING
    added_by = np.full(len(partners), np.inf)
    partition.state[2] += len(others)
    for b in others:
        size, total = partition.sizes[b], partition.sizes[b] * partition.costs[b]
        cost = looked_up_cost(board.union_costs, partition.closures[b])
        if moved > 0:
            gain = saved - ((size + moved) * cost - total)
            if (
                gain > best.gain
                and may_become(board, partition, a, Change(entry, moved, NONE, NO_ROWS))
                and may_become(board, partition, b, Change(NONE, NO_ROWS, kind, moved))
            ):
                best = Step(gain, b, moved, NOTHING, 0)
        added = (size + count) * cost - total
        if added < added_by[-1]:
            index = len(partners) - 1
            while index > 0 and added_by[index - 1] > added:
                added_by[index], partners[index] = added_by[index - 1], partners[index - 1]
                index -= 1
            added_by[index], partners[index] = added, b
    return best


@kernel(part=True)
def best_swap(board: Board, partition: ClusterEntries, leaving: Departure, b: int, best: Step) -> Step:
    """The swap of greatest gain of all rows of an entry for those of an entry of cluster b, or `best`.

    As many rows come back as the other entry has, or as many as leave. The costs must be those of the entry.
    """
    a, entry, kind, count = leaving.home, leaving.entry, leaving.kind, leaving.rows
    size_a, size_b = partition.sizes[a], partition.sizes[b]
    before = size_a * partition.costs[a] + size_b * partition.costs[b]
    left_behind = 0.0 if leaving.alone else partition.without_costs[entry]
    partition.state[2] += partition.lengths[b]
    other = partition.heads[b]
    while other != NOTHING:
        other_kind = partition.kinds[other]
        for returned in (partition.counts[other], min(count, partition.counts[other])):
            everything = returned == partition.counts[other]
            new_a, new_b = size_a - count + returned, size_b - returned + count
            if everything and partition.lengths[b] == 1:
                floor = 0.0
            elif everything:
                floor = partition.without_costs[other]
            else:
                floor = partition.costs[b]
            if before - new_a * left_behind - new_b * floor <= best.gain:
                continue
            if leaving.alone:
                mine = vector_cost(board.trees, board.vectors[other_kind])
            else:
                mine = union_cost(board.trees, partition.without[entry], board.vectors[other_kind])
            if not everything:
                theirs = looked_up_cost(board.union_costs, partition.closures[b])
            elif partition.lengths[b] == 1:
                theirs = vector_cost(board.trees, board.vectors[kind])
            else:
                theirs = looked_up_cost(board.union_costs, partition.without[other])
            gain = before - new_a * mine - new_b * theirs
            if (
                gain > best.gain
                and may_become(board, partition, a, Change(entry, count, other_kind, returned))
                and may_become(board, partition, b, Change(other, returned, kind, count))
            ):
                best = Step(gain, b, count, other, returned)
        other = partition.after[other]
    return best


@kernel(part=True)
def best_step(board: Board, partition: ClusterEntries, a: int, entry: int, others: Ints) -> Step:
    """The best move of an entry of cluster a, or its best swap with the clusters where it would add least.

    Only entries without which their cluster would cost less per row look for a swap, because one of the two
    that swap must be such.
    """
    leaving = departure(board, partition, a, entry)
    narrowed = is_narrowed_by(partition, a, entry)
    if partition.costs[a] == 0.0 or (leaving.spare <= 0 and not narrowed):
        return Step(board.least_gain, NOTHING, 0, NOTHING, 0)
    fill_union_costs(board.trees, board.vectors[leaving.kind], board.union_costs)
    partners = np.empty(SWAP_PARTNERS, dtype=np.int64)
    best = best_move(board, partition, leaving, others, partners)
    if narrowed:
        for index in range(SWAP_PARTNERS):
            if partners[index] == NOTHING:
                break
            best = best_swap(board, partition, leaving, partners[index], best)
    return best


@kernel(part=True)
def take_step(board: Board, partition: ClusterEntries, a: int, entry: int, step: Step) -> None:
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
def changed_others(partition: ClusterEntries, a: int) -> Ints:
    """The clusters but a that have changed since it was visited; all of them if it has changed itself."""
    since = partition.visited[a] if partition.changed[a] <= partition.visited[a] else 0
    others = np.empty(len(partition.sizes), dtype=np.int64)
    count = 0
    for b in range(len(partition.sizes)):
        if b != a and partition.sizes[b] > 0 and partition.changed[b] > since:
            others[count] = b
            count += 1
    return others[:count]


@kernel
def improve(board: Board, partition: ClusterEntries, cursor: Cursor) -> float:
    """Take the best steps of the entries from the cursor on, while there are any; returns the gain.

    After a step the cluster is looked through from its beginning. One that has not changed since its last
    visit is compared with clusters that have.
    """
    gained = 0.0
    while cursor.place[0] < len(partition.sizes):
        a = cursor.place[0]
        entries, others = entries_of(partition, a), changed_others(partition, a)
        while cursor.place[1] < len(entries):
            if partition.state[2] >= cursor.looks:
                return gained
            entry = entries[cursor.place[1]]
            cursor.place[1] += 1
            step = best_step(board, partition, a, entry, others)
            if step.cluster != NOTHING:
                take_step(board, partition, a, entry, step)
                gained += step.gain
                cursor.place[1] = 0
                entries, others = entries_of(partition, a), changed_others(partition, a)
        partition.visited[a] = partition.state[0]
        partition.state[2] += len(partition.sizes) // 8  # who has changed is a glance, less than a look
        cursor.place[0] += 1
        cursor.place[1] = 0
    return gained
