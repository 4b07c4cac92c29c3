"""Equal sets: the set-valued side of finding equivalence classes."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Ints, SetArrays
from shoal.kernels.compile import kernel


@kernel
def group_sets(sets: SetArrays) -> tuple[Ints, Ints]:
    """Number the distinct sets by first appearance; the empty set is a set like any other.

    Returns the class of each row and the first row of each class. Sets are compared in full, so two rows
    share a class if and only if their sets are equal. Reads only. O(items) expected, memory 4n.
    """
    n = len(sets.starts) - 1
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, dtype=np.int64)
    class_of_row = np.empty(n, dtype=np.int64)
    first_rows = np.empty(n, dtype=np.int64)
    count = 0
    for row in range(n):
        slot = _hash(sets, row) & (size - 1)
        while table[slot] >= 0 and not _equal(sets, first_rows[table[slot]], row):
            slot = (slot + 1) & (size - 1)
        if table[slot] < 0:
            table[slot] = count
            first_rows[count] = row
            count += 1
        class_of_row[row] = table[slot]
    return class_of_row, first_rows[:count].copy()


@kernel
def _hash(sets: SetArrays, row: int) -> int:
    key = np.uint64(14695981039346656037)
    for place in range(sets.starts[row], sets.starts[row + 1]):
        key = (key ^ np.uint64(sets.items[place])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return int(key >> np.uint64(1))


@kernel
def _equal(sets: SetArrays, left: int, right: int) -> bool:
    place, other = sets.starts[left], sets.starts[right]
    if sets.starts[left + 1] - place != sets.starts[right + 1] - other:
        return False
    while place < sets.starts[left + 1] and sets.items[place] == sets.items[other]:
        place += 1
        other += 1
    return place == sets.starts[left + 1]
