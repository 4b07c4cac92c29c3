"""Clusters that are given up, and new ones that are founded, where that lowers the sum of costs."""

import numpy as np

from shoal.kernels.arrays import Ints
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import (
    NOTHING,
    copy_into,
    fill_union_costs,
    looked_up_cost,
    unite,
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
    entry_of,
    holds,
    may_become,
    refresh,
    transfer,
)

MOST_LOOKS_AT_ONCE = 100_000_000


@kernel(part=True)
def cheapest_host(
    board: Board, partition: ClusterEntries, a: int, entry: int, limit: float
) -> tuple[int, float]:
    """The cluster but a where the rows of an entry add least, and how much, if that is below a limit."""
    kind, count = partition.kinds[entry], partition.counts[entry]
    fill_union_costs(board.trees, board.vectors[kind], board.union_costs)
    best, least = NOTHING, limit
    partition.state[2] += len(partition.sizes)
    for b in range(len(partition.sizes)):
        if b == a or partition.sizes[b] == 0:
            continue
        cost = looked_up_cost(board.union_costs, partition.closures[b])
        added = (partition.sizes[b] + count) * cost - partition.sizes[b] * partition.costs[b]
        if added < least and may_become(board, partition, b, Change(NONE, NO_ROWS, kind, count)):
            best, least = b, added
    return best, least


@kernel(part=True)
def dissolve(board: Board, partition: ClusterEntries, a: int) -> float:
    """Give every entry of a cluster to the one where it adds least, if that gains anything; returns the gain.

    The entries go one after the other; when what they add has used up what the cluster cost, all of them come
    back.
    """
    budget = partition.sizes[a] * partition.costs[a] - board.least_gain
    entries = entries_of(partition, a)
    kinds, counts = partition.kinds[entries], partition.counts[entries]
    hosts = np.empty(len(entries), dtype=np.int64)
    closures = np.empty((len(entries), board.vectors.shape[1]), dtype=np.int64)
    done = 0
    for entry in entries:
        b, added = cheapest_host(board, partition, a, entry, budget)
        if b == NOTHING:
            break
        hosts[done] = b
        copy_into(closures[done], partition.closures[b])
        budget -= added
        transfer(partition, entry, counts[done], a, b)
        unite(board.trees, partition.closures[b], board.vectors[kinds[done]])
        partition.costs[b] = vector_cost(board.trees, partition.closures[b])
        done += 1
    if done == len(entries):
        refresh(board, partition, a)
        for index in range(done):
            refresh(board, partition, hosts[index])
        return budget + board.least_gain
    for index in range(done - 1, -1, -1):
        b = hosts[index]
        transfer(partition, entry_of(partition, kinds[index], b), counts[index], b, a)
        copy_into(partition.closures[b], closures[index])
        partition.costs[b] = vector_cost(board.trees, closures[index])
    if done > 0:
        changed = partition.changed[a]
        refresh(board, partition, a)
        partition.changed[a] = changed  # its entries have other numbers, and that is all
    return 0.0


@kernel
def dissolve_clusters(board: Board, partition: ClusterEntries, cursor: Cursor) -> float:
    """Dissolve those of the clusters from the cursor on for which that gains anything; returns the gain.

    Clusters of very many entries are left alone, because nothing can stop in the middle of one.
    """
    gained = 0.0
    while cursor.place[0] < len(partition.sizes) and partition.state[2] < cursor.looks:
        a = cursor.place[0]
        few = partition.lengths[a] * len(partition.sizes) <= MOST_LOOKS_AT_ONCE
        if few and partition.sizes[a] > 0 and partition.costs[a] > 0.0:
            gained += dissolve(board, partition, a)
        cursor.place[0] += 1
    return gained


@kernel(part=True)
def free_cluster(partition: ClusterEntries) -> int:
    """A cluster without rows; NOTHING if there is none."""
    for c in range(len(partition.sizes)):
        if partition.sizes[c] == 0:
            return c
    return NOTHING


@kernel
def spared_entries(board: Board, partition: ClusterEntries, owners: Ints) -> Ints:
    """The entries of all clusters that cost something and have more than k rows; writes their clusters."""
    spared = np.empty(len(partition.kinds), dtype=np.int64)
    count = 0
    for c in range(len(partition.sizes)):
        if partition.sizes[c] > board.constraint.k and partition.costs[c] > 0.0:
            for entry in entries_of(partition, c):
                owners[entry] = c
                spared[count] = entry
                count += 1
    return spared[:count]


@kernel(part=True)
def gather(
    board: Board, partition: ClusterEntries, seed: int, owners: Ints, willing: Ints
) -> tuple[Ints, Ints]:
    """Entries, the seed first, and how many rows of each would be a cluster of k that saves something.

    Of the `willing` entries, which are overwritten, those are taken one by one that are cheapest to unite
    with what was taken before; those are passed over that cost less where they are. No cluster gives more
    rows than it can spare. Nothing is returned when they do not suffice.
    """
    k = board.constraint.k
    closure = board.vectors[partition.kinds[seed]].copy()
    entries, counts = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    spare = partition.sizes - k
    taken = size = 0
    saved = 0.0
    left = len(willing)
    entry = seed
    while True:
        c = owners[entry]
        count = min(partition.counts[entry], spare[c], k - size)
        if count > 0:
            entries[taken], counts[taken] = entry, count
            taken += 1
            size += count
            spare[c] -= count
            saved += count * partition.costs[c]
            unite(board.trees, closure, board.vectors[partition.kinds[entry]])
        if size == k:
            break
        fill_union_costs(board.trees, closure, board.union_costs)
        best, least, kept = NOTHING, np.inf, 0
        partition.state[2] += left
        for index in range(left):
            other = willing[index]
            cost = looked_up_cost(board.union_costs, board.vectors[partition.kinds[other]])
            if other != entry and spare[owners[other]] > 0 and cost < partition.costs[owners[other]]:
                if cost < least:
                    best, least = kept, cost
                willing[kept] = other
                kept += 1
        if best == NOTHING:
            return entries[:0], counts[:0]
        left = kept
        entry = willing[best]
    if saved - k * vector_cost(board.trees, closure) <= board.least_gain:
        return entries[:0], counts[:0]
    return entries[:taken], counts[:taken]


@kernel(part=True)
def refreshed(board: Board, partition: ClusterEntries, clusters: Ints) -> float:
    """Refresh the clusters, each once, and return what their rows cost less than before.

    By a measure that is not monotone it can be that they cost more.
    """
    saved = 0.0
    since = partition.state[0]
    for c in clusters:
        if partition.changed[c] <= since:
            saved += partition.sizes[c] * partition.costs[c]
            refresh(board, partition, c)
            saved -= partition.sizes[c] * partition.costs[c]
    return saved


@kernel(part=True)
def found(board: Board, partition: ClusterEntries, owners: Ints, entries: Ints, counts: Ints) -> float:
    """Make a new cluster of rows of these entries, if all clusters may then be and that gains anything.

    Returns the gain. If there is none, everything is as before, but entries of those who would have given
    rows may have other numbers.
    """
    new = free_cluster(partition)
    if new == NOTHING:
        return 0.0
    kinds, donors = partition.kinds[entries], owners[entries]
    times = partition.changed[donors]
    gain = 0.0
    for index in range(len(entries)):
        gain += counts[index] * partition.costs[donors[index]]
        transfer(partition, entries[index], counts[index], donors[index], new)
    allowed = holds(board, partition, new)
    for c in donors:
        allowed = allowed and holds(board, partition, c)
    if allowed:
        refresh(board, partition, new)
        gain -= partition.sizes[new] * partition.costs[new]
        gain += refreshed(board, partition, donors)
        if gain > board.least_gain:
            return gain
    for index in range(len(entries)):
        transfer(partition, entry_of(partition, kinds[index], new), counts[index], new, donors[index])
    refreshed(board, partition, donors)
    for index in range(len(donors)):
        partition.changed[donors[index]] = times[index]
    return 0.0


@kernel
def found_clusters(board: Board, partition: ClusterEntries, cursor: Cursor) -> float:
    """Found new clusters around entries from the cursor on where that gains anything; returns the gain.

    Clusters that have not changed since that was tried in vain are passed over.
    """
    gained = 0.0
    owners = np.empty(len(partition.kinds), dtype=np.int64)
    spared = spared_entries(board, partition, owners)
    while cursor.place[0] < len(partition.sizes):
        a = cursor.place[0]
        changed = partition.changed[a] > partition.searched[a]
        if changed and partition.sizes[a] > board.constraint.k and partition.costs[a] > 0.0:
            entries = entries_of(partition, a)
            while cursor.place[1] < len(entries):
                if partition.state[2] >= cursor.looks:
                    return gained
                gathered, counts = gather(board, partition, entries[cursor.place[1]], owners, spared.copy())
                cursor.place[1] += 1
                if len(gathered) > 0:
                    now = found(board, partition, owners, gathered, counts)
                    spared = spared_entries(board, partition, owners)
                    partition.state[2] += len(spared)
                    if now > 0.0:
                        gained += now
                        break
                    entries = entries_of(partition, a)
            else:
                partition.searched[a] = partition.state[0]
        cursor.place[0] += 1
        cursor.place[1] = 0
    return gained
