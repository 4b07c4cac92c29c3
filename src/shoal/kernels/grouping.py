"""Equal rows and equal sets: the one way to find equivalence classes, exactly and in linear time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from shoal.kernels.arrays import Codes, Ints, Items, SetArrays
from shoal.kernels.compile import kernel


@kernel
def group_rows(codes: Ints) -> tuple[Ints, Ints]:
    """Number the distinct rows of codes[n, d] by first appearance.

    Returns the class of each row and the first row of each class. Rows are compared in full, so two rows
    share a class if and only if they are equal. Reads only. O(n * d) expected, memory 4n.
    """
    n, d = codes.shape
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, dtype=np.int64)
    class_of_row = np.empty(n, dtype=np.int64)
    first_rows = np.empty(n, dtype=np.int64)
    count = 0
    mask = np.uint64(size - 1)
    for row in range(n):
        key = np.uint64(14695981039346656037)
        for j in range(d):
            key = (key ^ np.uint64(codes[row, j])) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
        slot = np.int64(key & mask)
        while True:
            found = table[slot]
            if found == -1:
                table[slot] = count
                first_rows[count] = row
                class_of_row[row] = count
                count += 1
                break
            first = first_rows[found]
            equal = True
            for j in range(d):
                if codes[first, j] != codes[row, j]:
                    equal = False
                    break
            if equal:
                class_of_row[row] = found
                break
            slot = (slot + 1) & (size - 1)
    return class_of_row, first_rows[:count].copy()


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """Rows of narrow columns as one number each, or as few as fit into 63 bits, made where they are needed.

    Each group of columns is one number; without columns all rows are equal.
    """

    groups: tuple[tuple[Codes, ...], ...]
    radices: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, columns: Sequence[Codes]) -> Self:
        """Columns of numbers of 0 or more."""
        groups: list[list[Codes]] = []
        radices: list[list[int]] = []
        room = 0
        for codes in columns:
            radix = int(codes.max(initial=0)) + 1
            if radix > room:
                groups.append([])
                radices.append([])
                room = 2**63 - 1
            groups[-1].append(codes)
            radices[-1].append(radix)
            room //= radix
        return cls(tuple(map(tuple, groups)), tuple(map(tuple, radices)))

    @property
    def width(self) -> int:
        """How many numbers a row is."""
        return max(len(self.groups), 1)

    def rows(self, first: int, last: int) -> Ints:
        """Some rows, one after the other."""
        packed = np.zeros((last - first, self.width), dtype=np.int64)
        for number, (group, radices) in enumerate(zip(self.groups, self.radices, strict=True)):
            for codes, radix in zip(group, radices, strict=True):
                packed[:, number] *= radix
                packed[:, number] += codes[first:last]
        return packed


class ClassTally(NamedTuple):
    """Distinct rows in the order of their first appearance, and how often each appeared.

    Class c is keys[c], first_rows[c] its first row and sizes[c] its size; `table` holds classes by their
    hash, or -1, and state[0] is the number of classes.
    """

    keys: Ints
    first_rows: Ints
    sizes: Ints
    table: Ints
    state: Ints


def room_for_classes(width: int, classes: int) -> ClassTally:
    """No classes yet, and room for a power of two of them."""
    return ClassTally(
        keys=np.empty((classes, width), dtype=np.int64),
        first_rows=np.empty(classes, dtype=np.int64),
        sizes=np.zeros(classes, dtype=np.int64),
        table=np.full(2 * classes, -1, dtype=np.int64),
        state=np.zeros(1, dtype=np.int64),
    )


def with_more_room(counted: ClassTally) -> ClassTally:
    """The same classes with room for twice as many."""
    room, count = room_for_classes(counted.keys.shape[1], 2 * len(counted.sizes)), int(counted.state[0])
    count_rows(room, counted.keys[:count], 0, np.empty(count, dtype=np.int64))
    room.first_rows[:count], room.sizes[:count] = counted.first_rows[:count], counted.sizes[:count]
    return room


@kernel
def count_rows(counted: ClassTally, codes: Ints, first_row: int, class_of_row: Ints) -> int:
    """Count the rows of codes[n, d], which are numbered from `first_row` on, until there is no room.

    Returns how many were counted, and writes their classes to class_of_row and into `counted`. Rows are
    compared in full. O(n * d) expected; the memory is that of the classes, not of the rows.
    """
    n, d = codes.shape
    mask = np.uint64(len(counted.table) - 1)
    for row in range(n):
        key = np.uint64(14695981039346656037)
        for j in range(d):
            key = (key ^ np.uint64(codes[row, j])) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
        slot = np.int64(key & mask)
        while True:
            found = counted.table[slot]
            if found == -1:
                found = counted.state[0]
                if found == len(counted.sizes):
                    return row
                counted.table[slot] = found
                counted.state[0] += 1
                counted.first_rows[found] = first_row + row
                for j in range(d):
                    counted.keys[found, j] = codes[row, j]
                break
            equal = True
            for j in range(d):
                if counted.keys[found, j] != codes[row, j]:
                    equal = False
                    break
            if equal:
                break
            slot = (slot + 1) & (len(counted.table) - 1)
        counted.sizes[found] += 1
        class_of_row[row] = found
    return n


@kernel
def members(class_of_row: Ints | Items, class_count: int) -> tuple[Ints, Ints]:
    """List the rows of each class: class c holds rows[starts[c]:starts[c + 1]], ascending.

    Rows of class -1 belong to no class. Reads only. O(n + class_count).
    """
    starts = np.zeros(class_count + 1, dtype=np.int64)
    for c in class_of_row:
        if c >= 0:
            starts[c + 1] += 1
    for c in range(class_count):
        starts[c + 1] += starts[c]
    rows = np.empty(starts[class_count], dtype=np.int64)
    index = starts[:-1].copy()
    for row in range(len(class_of_row)):
        c = class_of_row[row]
        if c >= 0:
            rows[index[c]] = row
            index[c] += 1
    return starts, rows


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


@kernel(part=True)
def _hash(sets: SetArrays, row: int) -> int:
    key = np.uint64(14695981039346656037)
    for index in range(sets.starts[row], sets.starts[row + 1]):
        key = (key ^ np.uint64(sets.items[index])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return int(key >> np.uint64(1))


@kernel(part=True)
def _equal(sets: SetArrays, left: int, right: int) -> bool:
    index, other = sets.starts[left], sets.starts[right]
    if sets.starts[left + 1] - index != sets.starts[right + 1] - other:
        return False
    while index < sets.starts[left + 1] and sets.items[index] == sets.items[other]:
        index += 1
        other += 1
    return index == sets.starts[left + 1]
