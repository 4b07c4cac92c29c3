"""Putting clusters, chunks and subrecords into another order."""

from collections import deque

import numpy as np

from shoal.kernels.arrays import Ints, Items, SetArrays, freeze
from shoal.kernels.compile import kernel
from shoal.threads import mapped, shares

_ITEMS_FOR_THREADS = 1_000_000

# Arrays as large as the data are made here and not in kernels: NumPy asks the system for large pages, Numba
# does not, and without them the time per row rises with the number of rows.


def take_sets(sets: SetArrays, rows: Ints) -> SetArrays:
    """The given rows in the given order."""
    starts = _taken_starts(sets.starts, rows)
    items = np.empty(starts[-1], dtype=np.int32)

    def copy(share: tuple[int, int]) -> None:
        first, behind = share
        _copy_rows(sets, rows[first:behind], starts[first : behind + 1], items)

    deque(mapped(copy, shares(len(rows), len(items), _ITEMS_FOR_THREADS)), maxlen=0)
    return SetArrays(freeze(starts), freeze(items))


def take_ranges(starts: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """Where the numbers starts[g]..starts[g + 1] - 1 of each of the given groups start, and these numbers."""
    taken = _taken_starts(starts, groups)
    numbers = np.empty(taken[-1], dtype=np.int64)
    _number_groups(starts, groups, taken, numbers)
    return taken, numbers


def _taken_starts(starts: Ints, groups: Ints) -> Ints:
    taken = np.zeros(len(groups) + 1, dtype=np.int64)
    _add_sizes(starts, groups, taken)
    return taken


@kernel
def _add_sizes(starts: Ints, groups: Ints, taken: Ints) -> None:
    for index in range(len(groups)):
        taken[index + 1] = taken[index] + starts[groups[index] + 1] - starts[groups[index]]


@kernel
def _copy_rows(sets: SetArrays, rows: Ints, starts: Ints, items: Items) -> None:
    for index in range(len(rows)):
        first = sets.starts[rows[index]]
        for offset in range(starts[index + 1] - starts[index]):
            items[starts[index] + offset] = sets.items[first + offset]


@kernel
def _number_groups(starts: Ints, groups: Ints, taken: Ints, numbers: Ints) -> None:
    for index in range(len(groups)):
        for offset in range(taken[index + 1] - taken[index]):
            numbers[taken[index] + offset] = starts[groups[index]] + offset


@kernel
def shuffle_groups(starts: Ints, numbers: Ints, randoms: Ints) -> None:
    """Shuffle numbers[starts[g]:starts[g + 1]] in place; `randoms` has a number of 0 or more for each."""
    for group in range(len(starts) - 1):
        first = starts[group]
        for index in range(starts[group + 1] - 1, first, -1):
            other = first + randoms[index] % (index - first + 1)
            numbers[index], numbers[other] = numbers[other], numbers[index]


@kernel
def preorder(parents: Ints, order: Ints) -> Ints:
    """All nodes of a forest, each before those below it; siblings, and roots, as they come in `order`.

    parents[u] is -1 for a root.
    """
    first_child = np.full(len(parents), -1, dtype=np.int64)
    next_sibling = np.empty(len(parents), dtype=np.int64)
    waiting = np.empty(len(parents), dtype=np.int64)
    waiting_count = 0
    for index in range(len(order) - 1, -1, -1):
        node = order[index]
        if parents[node] < 0:
            waiting[waiting_count] = node
            waiting_count += 1
        else:
            next_sibling[node] = first_child[parents[node]]
            first_child[parents[node]] = node
    visited = np.empty(len(parents), dtype=np.int64)
    for index in range(len(parents)):
        waiting_count -= 1
        node = waiting[waiting_count]
        visited[index] = node
        # The stack pops what was pushed last, so the children are turned around on it.
        child, bottom = first_child[node], waiting_count
        while child >= 0:
            waiting[waiting_count] = child
            waiting_count += 1
            child = next_sibling[child]
        for offset in range((waiting_count - bottom) // 2):
            left, right = bottom + offset, waiting_count - 1 - offset
            waiting[left], waiting[right] = waiting[right], waiting[left]
    return visited


@kernel
def last_below(parents: Ints) -> Ints:
    """The last node below each, itself if there is none; nodes stand before those below them."""
    last = np.arange(len(parents))
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] >= 0:
            last[parents[node]] = max(last[parents[node]], last[node])
    return last


@kernel
def sums_below(parents: Ints, numbers: Ints) -> None:
    """Add the number of each node to those of all above it, in place; nodes stand behind those below them."""
    for node in range(len(parents)):
        if parents[node] >= 0:
            numbers[parents[node]] += numbers[node]
