"""The two closest clusters are united again and again until each has k rows.

Every cluster remembers the nearest of those that are younger than itself. When that one is gone, the distance
that is remembered is still not too large, so the search for another one waits until it is the least of all.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Floats, Ints
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

GROWTH, EXCESS, SCALED, RATIO = range(4)

# Keeps RATIO finite where both clusters cost nothing.
_SMALL_COST = 0.1


class MergeRules(NamedTuple):
    """How near clusters are, how many rows make one ripe, and whether ripe ones shrink back to as many."""

    distance: int
    k: int
    shrinks: bool


class MergeSide(NamedTuple):
    """One of two clusters: its rows and what each costs."""

    size: int
    cost: float


class Mergers(NamedTuple):
    """Clusters below k rows, each in a slot of its own: younger ones have higher slots.

    alive[:state[0]] are the slots in use, ascending; state[1] slots have been used. Slot s has sizes[s] rows,
    the closure vectors[s] and the cost costs[s] per row; nearest[s] is the nearest younger slot, NOTHING if
    it was never looked for or there is none, and distances[s] is not larger than the distance to any younger
    one. gone[s] is set when s is no longer in use.

    What slot s holds is a list of entries that begins with heads[s] and ends with tails[s]: entry e stands
    for copies[e] rows of record records[e], the next one is after[e]; state[2] entries have been used.
    cluster_of[e] is the ripe cluster that e is in, or NOTHING; state[3] is the number of those. `union_costs`
    is scratch space.
    """

    state: Ints
    alive: Ints
    sizes: Ints
    vectors: Ints
    costs: Floats
    nearest: Ints
    distances: Floats
    gone: Bools
    heads: Ints
    tails: Ints
    records: Ints
    copies: Ints
    after: Ints
    cluster_of: Ints
    union_costs: UnionCosts


@kernel
def distance(rule: int, union: float, a: MergeSide, b: MergeSide) -> float:
    """How far apart two clusters are, given the cost of a row in their union."""
    if rule == GROWTH:
        return (a.size + b.size) * union - a.size * a.cost - b.size * b.cost
    if rule == EXCESS:
        return union - a.cost - b.cost
    if rule == SCALED:
        return (union - a.cost - b.cost) / np.log2(a.size + b.size)
    return union / (a.cost + b.cost + _SMALL_COST)


@kernel(part=True)
def look_for_nearest(mergers: Mergers, rule: int, place: int, trees: Trees) -> None:
    """Find the nearest younger slot of the one at this place of `alive`, the first of equals."""
    slot = mergers.alive[place]
    mine = MergeSide(mergers.sizes[slot], mergers.costs[slot])
    fill_union_costs(trees, mergers.vectors[slot], mergers.union_costs)
    best, least = NOTHING, np.inf
    for other_place in range(place + 1, mergers.state[0]):
        other = mergers.alive[other_place]
        union = looked_up_cost(mergers.union_costs, mergers.vectors[other])
        apart = distance(rule, union, mine, MergeSide(mergers.sizes[other], mergers.costs[other]))
        if apart < least:
            best, least = other, apart
    mergers.nearest[slot] = best
    mergers.distances[slot] = least


@kernel
def append(mergers: Mergers, rule: int, trees: Trees) -> None:
    """Take the slot state[1], whose cluster is written already, into use as the youngest."""
    slot = mergers.state[1]
    mine = MergeSide(mergers.sizes[slot], mergers.costs[slot])
    fill_union_costs(trees, mergers.vectors[slot], mergers.union_costs)
    for index in range(mergers.state[0]):
        other = mergers.alive[index]
        union = looked_up_cost(mergers.union_costs, mergers.vectors[other])
        apart = distance(rule, union, MergeSide(mergers.sizes[other], mergers.costs[other]), mine)
        if apart < mergers.distances[other]:
            mergers.nearest[other] = slot
            mergers.distances[other] = apart
    mergers.nearest[slot] = NOTHING
    mergers.distances[slot] = np.inf
    mergers.alive[mergers.state[0]] = slot
    mergers.state[0] += 1
    mergers.state[1] += 1


@kernel(part=True)
def remove(mergers: Mergers, a: int, b: int) -> None:
    """Take two slots out of use."""
    mergers.gone[a] = mergers.gone[b] = True
    kept = 0
    for index in range(mergers.state[0]):
        slot = mergers.alive[index]
        mergers.alive[kept] = slot
        kept += slot not in (a, b)
    mergers.state[0] = kept


@kernel(part=True)
def closest(mergers: Mergers) -> int:
    """The place in `alive` of the least distance that is remembered, the first of equals."""
    best = 0
    for index in range(1, mergers.state[0]):
        if mergers.distances[mergers.alive[index]] < mergers.distances[mergers.alive[best]]:
            best = index
    return best


@kernel(part=True)
def write_union(mergers: Mergers, a: int, b: int, trees: Trees) -> None:
    """Write the union of two slots into the slot state[1]; their lists of entries become one."""
    slot = mergers.state[1]
    mergers.sizes[slot] = mergers.sizes[a] + mergers.sizes[b]
    copy_into(mergers.vectors[slot], mergers.vectors[a])
    unite(trees, mergers.vectors[slot], mergers.vectors[b])
    mergers.costs[slot] = vector_cost(trees, mergers.vectors[slot])
    mergers.heads[slot] = mergers.heads[a]
    mergers.after[mergers.tails[a]] = mergers.heads[b]
    mergers.tails[slot] = mergers.tails[b]


@kernel(part=True)
def entries_of(mergers: Mergers, slot: int) -> Ints:
    """The entries of a slot in their order."""
    entries = np.empty(mergers.sizes[slot], dtype=np.int64)
    count = 0
    entry = mergers.heads[slot]
    while entry != NOTHING:
        entries[count] = entry
        count += 1
        entry = mergers.after[entry]
    return entries[:count]


@kernel(part=True)
def closures_without_each(vectors: Ints, rows: Ints, trees: Trees) -> Ints:
    """The union of vectors[rows] without row i, and of all of them last; there are two or more."""
    count = len(rows)
    unions = np.empty((count + 1, vectors.shape[1]), dtype=np.int64)
    copy_into(unions[1], vectors[rows[0]])
    for i in range(1, count):
        copy_into(unions[i + 1], unions[i])
        unite(trees, unions[i + 1], vectors[rows[i]])
    behind = vectors[rows[count - 1]].copy()
    for i in range(count - 2, 0, -1):
        unite(trees, unions[i], behind)
        unite(trees, behind, vectors[rows[i]])
    copy_into(unions[0], behind)
    return unions


@kernel(part=True)
def most_distant(mergers: Mergers, entries: Ints, rules: MergeRules, vectors: Ints, trees: Trees) -> int:
    """The place among the entries of the rows that are furthest from all others.

    Of each entry as many rows as would leave if it were chosen: all of them, unless fewer than k would stay.
    """
    rows = mergers.records[entries]
    size = mergers.copies[entries].sum()
    closures = closures_without_each(vectors, rows, trees)
    union = vector_cost(trees, closures[len(rows)])
    best, most = 0, -np.inf
    for i in range(len(rows)):
        leaving = min(size - rules.k, mergers.copies[entries[i]])
        rest = i if leaving == mergers.copies[entries[i]] else len(rows)
        stay = MergeSide(size - leaving, vector_cost(trees, closures[rest]))
        leave = MergeSide(leaving, vector_cost(trees, vectors[rows[i]]))
        apart = distance(rules.distance, union, stay, leave)
        if apart > most:
            best, most = i, apart
    return best


@kernel(part=True)
def split_entry(mergers: Mergers, entry: int, leaving: int) -> int:
    """An entry of `leaving` rows of this one: the entry itself if it has no more."""
    if leaving == mergers.copies[entry]:
        return entry
    mergers.copies[entry] -= leaving
    new = mergers.state[2]
    mergers.state[2] += 1
    mergers.records[new] = mergers.records[entry]
    mergers.copies[new] = leaving
    mergers.cluster_of[new] = NOTHING
    return new


@kernel(part=True)
def ripen(mergers: Mergers, rules: MergeRules, vectors: Ints, trees: Trees) -> None:
    """Make the cluster in the slot state[1] a ripe one; what it expels become clusters of their own.

    The rows that are furthest from all others leave, one record at a time, until k are left.
    """
    slot = mergers.state[1]
    entries = entries_of(mergers, slot)
    excess = mergers.sizes[slot] - rules.k if rules.shrinks else 0
    cluster = mergers.state[3]
    mergers.state[3] += 1
    count = len(entries)
    while excess > 0:
        index = most_distant(mergers, entries[:count], rules, vectors, trees)
        leaving = min(excess, mergers.copies[entries[index]])
        entry = split_entry(mergers, entries[index], leaving)
        if entry == entries[index]:
            count -= 1
            entries[index:count] = entries[index + 1 : count + 1].copy()
        excess -= leaving
        new = mergers.state[1]
        mergers.sizes[new] = leaving
        copy_into(mergers.vectors[new], vectors[mergers.records[entry]])
        mergers.costs[new] = vector_cost(trees, mergers.vectors[new])
        mergers.heads[new] = mergers.tails[new] = entry
        mergers.after[entry] = NOTHING
        append(mergers, rules.distance, trees)
    for entry in entries[:count]:
        mergers.cluster_of[entry] = cluster


@kernel
def unite_closest(mergers: Mergers, rules: MergeRules, vectors: Ints, trees: Trees, most: int) -> int:
    """Unite the two closest clusters, record r being vectors[r]; at most `most` unions and searches.

    Returns how many there were: fewer than `most` when at most one cluster below k is left. O(clusters *
    columns) each; with shrinking, another O(k * (clusters + k) * columns) for each that becomes ripe.
    """
    for done in range(most):
        if mergers.state[0] < 2:
            return done
        index = closest(mergers)
        slot = mergers.alive[index]
        other = mergers.nearest[slot]
        if other == NOTHING or mergers.gone[other]:
            look_for_nearest(mergers, rules.distance, index, trees)
            continue
        remove(mergers, slot, other)
        write_union(mergers, slot, other, trees)
        if mergers.sizes[mergers.state[1]] < rules.k:
            append(mergers, rules.distance, trees)
        else:
            ripen(mergers, rules, vectors, trees)
    return most
