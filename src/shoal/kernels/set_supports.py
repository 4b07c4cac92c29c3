"""How many rows hold items of given intervals: the support of any generalized itemset, without counting all.

The leaves under a node are an interval, so rows that hold a node are those that hold a leaf of its interval.
The rows of each leaf are listed once; an itemset is answered from the rows of its rarest node.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints, Items, SetArrays
from shoal.kernels.compile import kernel

_FEW = 16


class ItemIndex(NamedTuple):
    """Sets, and the rows of each leaf the other way round: rows[starts[leaf]:starts[leaf + 1]], ascending."""

    sets: SetArrays
    starts: Ints
    rows: Items


class Intervals(NamedTuple):
    """Intervals of leaves first[i]..last[i], both included."""

    first: Ints
    last: Ints


@kernel
def rows_of_leaves(sets: SetArrays, leaf_count: int) -> tuple[Ints, Items]:
    """Starts and rows of an index, of fewer than 2^31 rows. Reads only. O(items + leaves)."""
    starts = np.zeros(leaf_count + 1, dtype=np.int64)
    for leaf in sets.items:
        starts[leaf + 1] += 1
    for leaf in range(leaf_count):
        starts[leaf + 1] += starts[leaf]
    rows = np.empty(len(sets.items), dtype=np.int32)
    free = starts[:-1].copy()
    for row in range(len(sets.starts) - 1):
        for index in range(sets.starts[row], sets.starts[row + 1]):
            leaf = sets.items[index]
            rows[free[leaf]] = row
            free[leaf] += 1
    return starts, rows


@kernel
def rows_holding(index: ItemIndex, present: Intervals, absent: Intervals, most: int) -> Ints:
    """Rows with a leaf of every present interval and none of an absent one; at most `most` of them.

    In no particular order, but the same for the same arguments. Reads only. O(occurrences of the rarest
    present interval times the number of intervals), less if `most` are found early.
    """
    if len(present.first) == 0:
        return _rows_without(index.sets, absent, most)
    rarest, fewest = 0, _occurrences(index, present, 0)
    for number in range(1, len(present.first)):
        occurrences = _occurrences(index, present, number)
        if occurrences < fewest:
            rarest, fewest = number, occurrences
    found = np.empty(min(most, fewest), dtype=np.int64)
    count, first = 0, present.first[rarest]
    for leaf in range(first, present.last[rarest] + 1):
        for place in range(index.starts[leaf], index.starts[leaf + 1]):
            row = index.rows[place]
            # A row with several leaves of the interval counts at the first of them.
            if leaf > first and _holds(index.sets, row, first, leaf - 1):
                continue
            if _fits(index.sets, row, present, rarest, absent):
                found[count] = row
                count += 1
                if count == most:
                    return found
    return found[:count].copy()


@kernel
def supports_of(index: ItemIndex, first: Ints, last: Ints, most: int) -> Ints:
    """For each row of intervals first[q, i]..last[q, i], how many rows hold a leaf of each; at most `most`.

    A row of intervals may end with empty ones, which are left out. Reads only; cost as `rows_holding`.
    """
    supports = np.zeros(len(first), dtype=np.int64)
    nothing = Intervals(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    for query in range(len(first)):
        size = 0
        while size < first.shape[1] and first[query, size] <= last[query, size]:
            size += 1
        present = Intervals(first[query, :size].copy(), last[query, :size].copy())
        supports[query] = len(rows_holding(index, present, nothing, most))
    return supports


@kernel
def node_supports(sets: SetArrays, parent: Ints) -> Ints:
    """How many rows hold a leaf under each node. Reads only. O(items times height)."""
    supports = np.zeros(len(parent), dtype=np.int64)
    last_row = np.full(len(parent), -1, dtype=np.int64)
    root = len(parent) - 1
    for row in range(len(sets.starts) - 1):
        for index in range(sets.starts[row], sets.starts[row + 1]):
            node = sets.items[index]
            while last_row[node] != row:
                last_row[node] = row
                supports[node] += 1
                if node != root:
                    node = parent[node]
    return supports


@kernel(part=True)
def _rows_without(sets: SetArrays, absent: Intervals, most: int) -> Ints:
    row_count = len(sets.starts) - 1
    found = np.empty(min(most, row_count), dtype=np.int64)
    count = 0
    for row in range(row_count):
        if count < most and _lacks(sets, row, absent):
            found[count] = row
            count += 1
    return found[:count].copy()


@kernel
def _occurrences(index: ItemIndex, intervals: Intervals, number: int) -> int:
    return index.starts[intervals.last[number] + 1] - index.starts[intervals.first[number]]


@kernel(part=True)
def _fits(sets: SetArrays, row: int, present: Intervals, known: int, absent: Intervals) -> bool:
    for number in range(len(present.first)):
        if number != known and not _holds(sets, row, present.first[number], present.last[number]):
            return False
    return _lacks(sets, row, absent)


@kernel
def _lacks(sets: SetArrays, row: int, absent: Intervals) -> bool:
    for number in range(len(absent.first)):
        if _holds(sets, row, absent.first[number], absent.last[number]):
            return False
    return True


@kernel
def _holds(sets: SetArrays, row: int, first: int, last: int) -> bool:
    """Whether a row has a leaf between first and last."""
    start, end = sets.starts[row], sets.starts[row + 1]
    while end - start > _FEW:
        middle = (start + end) // 2
        if sets.items[middle] < first:
            start = middle + 1
        else:
            end = middle + 1
    for index in range(start, end):
        if sets.items[index] >= first:
            return sets.items[index] <= last
    return False
