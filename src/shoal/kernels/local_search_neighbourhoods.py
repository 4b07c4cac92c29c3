"""Neighbouring clusters whose rows are dealt anew, where that lowers the sum of costs.

Moves and swaps come to an end where three or more clusters would have to change at once. So a few clusters
that are near to each other give up their rows, as many clusters are grown from them again, and their rows are
moved and swapped among them; what comes out is kept if it costs less.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.constraint import rows_hold
from shoal.kernels.generalized_records import (
    NOTHING,
    Trees,
    copy_into,
    fill_union_costs,
    looked_up_cost,
    union_cost,
    unite,
    vector_cost,
)
from shoal.kernels.local_search import Board, ClusterEntries, Cursor, entries_of, put, refresh, withdraw

MOST_ROWS = 48
DEALS = 3


class Deal(NamedTuple):
    """Rows that are dealt to clusters 0, 1, ..: row i has the vector vectors[i] and is in cluster label[i].

    Cluster c has sizes[c] rows, a closure and a cost per row; without[i] is the closure of row i's cluster
    without it, and without_costs[i] its cost.
    """

    vectors: Ints
    label: Ints
    sizes: Ints
    closures: Ints
    costs: Floats
    without: Ints
    without_costs: Floats


@kernel(part=True)
def neighbourhood(board: Board, partition: ClusterEntries, a: int, most: int) -> Ints:
    """Cluster a and those that add least when united with it: `most` in all, and MOST_ROWS rows at most."""
    near = np.full(most, NOTHING, dtype=np.int64)
    added_by = np.full(most, np.inf)
    near[0], added_by[0] = a, -np.inf
    fill_union_costs(board.trees, partition.closures[a], board.union_costs)
    sizes, costs = partition.sizes, partition.costs
    for b in range(len(sizes)):
        if b != a and sizes[b] > 0 and sizes[a] + sizes[b] <= MOST_ROWS:
            cost = looked_up_cost(board.union_costs, partition.closures[b])
            added = (sizes[a] + sizes[b]) * cost - sizes[a] * costs[a] - sizes[b] * costs[b]
            if added < added_by[-1]:
                index = most - 1
                while added_by[index - 1] > added:
                    added_by[index], near[index] = added_by[index - 1], near[index - 1]
                    index -= 1
                added_by[index], near[index] = added, b
    count = rows = 0
    while count < most and near[count] != NOTHING and rows + sizes[near[count]] <= MOST_ROWS:
        rows += sizes[near[count]]
        count += 1
    return near[:count]


@kernel(part=True)
def grow(trees: Trees, deal: Deal, k: int, seed: int) -> None:
    """Deal all rows: clusters of k are grown one after the other, the first from the seed.

    Each takes the row that is cheapest to unite with it until it has k; the next one begins with the row that
    was dearest to unite with the one before. Rows that are left go where they add least. There must be k rows
    for each cluster.
    """
    deal.label[:] = NOTHING
    for c in range(len(deal.sizes)):
        closure = deal.vectors[seed].copy()
        deal.label[seed] = c
        size = 1
        while True:
            nearest = seed = NOTHING
            least, most = np.inf, -np.inf
            for row in range(len(deal.label)):
                if deal.label[row] == NOTHING:
                    cost = union_cost(trees, closure, deal.vectors[row])
                    if cost < least:
                        nearest, least = row, cost
                    if cost > most:
                        seed, most = row, cost
            if size == k:
                break
            deal.label[nearest] = c
            unite(trees, closure, deal.vectors[nearest])
            size += 1
        deal.sizes[c] = size
        copy_into(deal.closures[c], closure)
    for row in range(len(deal.label)):
        if deal.label[row] == NOTHING:
            best, least = 0, np.inf
            for c in range(len(deal.sizes)):
                added = (deal.sizes[c] + 1) * union_cost(trees, deal.closures[c], deal.vectors[row])
                added -= deal.sizes[c] * vector_cost(trees, deal.closures[c])
                if added < least:
                    best, least = c, added
            deal.label[row] = best
            deal.sizes[best] += 1
            unite(trees, deal.closures[best], deal.vectors[row])


@kernel
def weigh(trees: Trees, deal: Deal, c: int) -> None:
    """Compute size, closure and cost of a cluster, and closures and costs without each of its rows."""
    rows = np.flatnonzero(deal.label == c)
    closure = deal.vectors[rows[0]].copy()
    for row in rows[1:]:  # without[r] gets the closure of all before r
        copy_into(deal.without[row], closure)
        unite(trees, closure, deal.vectors[row])
    deal.sizes[c] = len(rows)
    copy_into(deal.closures[c], closure)
    deal.costs[c] = vector_cost(trees, closure)
    copy_into(closure, deal.vectors[rows[-1]])
    for row in rows[-2:0:-1]:
        unite(trees, deal.without[row], closure)
        unite(trees, closure, deal.vectors[row])
    copy_into(deal.without[rows[0]], closure)
    for row in rows:
        deal.without_costs[row] = vector_cost(trees, deal.without[row])


@kernel(part=True)
def step_of(trees: Trees, deal: Deal, k: int, least_gain: float, row: int) -> bool:
    """Move a row to another cluster, or swap it for a row there: the first that gains enough.

    A cluster moves a row only if it has more than k. One of two rows that swap must be such that its cluster
    costs less without it, and that one looks for the other.
    """
    a, sizes, costs = deal.label[row], deal.sizes, deal.costs
    total, left = sizes[a] * costs[a], deal.without_costs[row]
    for other in range(len(deal.label)):
        b = deal.label[other]
        if b == a:
            continue
        before = total + sizes[b] * costs[b]
        swap = (
            left < costs[a] and before - sizes[a] * left - sizes[b] * deal.without_costs[other] > least_gain
        )
        if swap:
            after = sizes[a] * union_cost(trees, deal.without[row], deal.vectors[other])
            after += sizes[b] * union_cost(trees, deal.without[other], deal.vectors[row])
            swap = before - after > least_gain
        move = False
        if not swap and sizes[a] > k:
            after = (sizes[b] + 1) * union_cost(trees, deal.closures[b], deal.vectors[row])
            move = before - (sizes[a] - 1) * left - after > least_gain
        if swap or move:
            deal.label[row] = b
            if swap:
                deal.label[other] = a
            weigh(trees, deal, a)
            weigh(trees, deal, b)
            return True
    return False


@kernel(part=True)
def settle(trees: Trees, deal: Deal, k: int, least_gain: float) -> float:
    """Move and swap rows of a deal while that gains anything; returns the sum of costs of all rows."""
    for c in range(len(deal.sizes)):
        weigh(trees, deal, c)
    rows = len(deal.label)
    turn = last_gain = 0
    while turn - last_gain <= rows:
        if step_of(trees, deal, k, least_gain, turn % rows):
            last_gain = turn
        else:
            turn += 1
    return (deal.sizes * deal.costs).sum()


@kernel(part=True)
def cheapest_deal(trees: Trees, vectors: Ints, old: Ints, k: int, least_gain: float) -> tuple[Ints, float]:
    """The best of several deals of rows with these vectors, and what it gains over the old one.

    The old one and 0 if none of them gains anything.
    """
    count, clusters, columns = len(old), old[-1] + 1, vectors.shape[1]
    deal = Deal(
        vectors,
        old.copy(),
        np.empty(clusters, dtype=np.int64),
        np.empty((clusters, columns), dtype=np.int64),
        np.empty(clusters, dtype=np.float64),
        np.empty((count, columns), dtype=np.int64),
        np.empty(count, dtype=np.float64),
    )
    for c in range(clusters):
        weigh(trees, deal, c)
    before = (deal.sizes * deal.costs).sum()
    best, gain = old, least_gain
    for number in range(DEALS):
        grow(trees, deal, k, number * count // DEALS)
        gained = before - settle(trees, deal, k, least_gain)
        if gained > gain:
            best, gain = deal.label.copy(), gained
    return best, gain if gain > least_gain else 0.0


@kernel(part=True)
def rows_of(partition: ClusterEntries, clusters: Ints) -> tuple[Ints, Ints]:
    """The kind of each row of some clusters, and the place of its cluster among them."""
    count = partition.sizes[clusters].sum()
    kinds, label = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    used = 0
    for index in range(len(clusters)):
        for entry in entries_of(partition, clusters[index]):
            end = used + partition.counts[entry]
            kinds[used:end] = partition.kinds[entry]
            label[used:end] = index
            used = end
    return kinds, label


@kernel(part=True)
def all_hold(board: Board, kinds: Ints, label: Ints) -> bool:
    """Whether the clusters of a deal have what they need beside k rows."""
    if len(board.constraint.rules) == 0 and len(board.constraint.people) == 0:
        return True
    for c in range(label.max() + 1):
        rows = board.sample_rows[kinds[label == c]]
        if not rows_hold(board.constraint, rows):
            return False
    return True


@kernel(part=True)
def replace_rows(board: Board, partition: ClusterEntries, clusters: Ints, kinds: Ints, label: Ints) -> None:
    """Give the clusters, which hold rows of these kinds, those that the labels say."""
    for c in clusters:
        for entry in entries_of(partition, c):
            withdraw(partition, entry, partition.counts[entry], c)
    for row in range(len(label)):
        put(partition, kinds[row], 1, clusters[label[row]])
    for c in clusters:
        refresh(board, partition, c)


@kernel
def deal_neighbours(board: Board, partition: ClusterEntries, cursor: Cursor, most: int, tried: Ints) -> float:
    """Deal the rows of each cluster from the cursor on and of its neighbours anew; returns the gain.

    `most` clusters take part in a deal. tried[a] is the time of the last deal around cluster a; there is no
    other before one of its neighbourhood has changed.
    """
    gained = 0.0
    while cursor.place[0] < len(partition.sizes) and partition.state[2] < cursor.looks:
        a = cursor.place[0]
        cursor.place[0] += 1
        size = partition.sizes[a]
        if size == 0 or size + board.constraint.k > MOST_ROWS or partition.costs[a] == 0.0:
            continue
        clusters = neighbourhood(board, partition, a, most)
        partition.state[2] += len(partition.sizes)
        if len(clusters) > 1 and partition.changed[clusters].max() > tried[a]:
            kinds, old = rows_of(partition, clusters)
            label, gain = cheapest_deal(
                board.trees, board.vectors[kinds], old, board.constraint.k, board.least_gain
            )
            partition.state[2] += DEALS * MOST_ROWS * MOST_ROWS
            if gain > 0.0 and all_hold(board, kinds, label):
                replace_rows(board, partition, clusters, kinds, label)
                gained += gain
            tried[a] = partition.state[0]
    return gained
