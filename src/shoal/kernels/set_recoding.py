"""Sets whose items are exchanged for other numbers: sorted again, and without repeats."""

import numpy as np

from shoal.kernels.arrays import Ints, Items, SetArrays, TreeArrays
from shoal.kernels.compile import kernel
from shoal.kernels.growable import with_room

# Arrays as large as the data are made here and not in kernels: what was not needed can be given back.


def recoded_sets(sets: SetArrays, part_of_row: Ints, number_of_item: Items) -> SetArrays:
    """Exchange item i of row r for number_of_item[part_of_row[r], i]; items of a negative number vanish.

    Reads only. O(items log longest row).
    """
    starts = np.zeros(len(sets.starts), dtype=np.int64)
    items = np.empty(len(sets.items), dtype=np.int32)
    end = _recode(sets, part_of_row, number_of_item, SetArrays(starts, items))
    items.resize(end, refcheck=False)
    return SetArrays(starts, items)


def renumbered_sets(starts: Ints, numbers: Items) -> SetArrays:
    """Sets of the given numbers, those of row r at starts[r]:starts[r + 1]; negative ones vanish.

    Reads only. O(items log longest row).
    """
    new_starts = np.zeros(len(starts), dtype=np.int64)
    items = np.empty(len(numbers), dtype=np.int32)
    end = _renumber(starts, numbers, SetArrays(new_starts, items))
    items.resize(end, refcheck=False)
    return SetArrays(new_starts, items)


@kernel
def _recode(sets: SetArrays, part_of_row: Ints, number_of_item: Items, out: SetArrays) -> int:
    starts, items = out
    end = 0
    for row in range(len(sets.starts) - 1):
        part = part_of_row[row]
        for index in range(sets.starts[row], sets.starts[row + 1]):
            number = number_of_item[part, sets.items[index]]
            if number >= 0:
                items[end] = number
                end += 1
        end = sort_unique(items, starts[row], end)
        starts[row + 1] = end
    return end


@kernel
def _renumber(starts: Ints, numbers: Items, out: SetArrays) -> int:
    new_starts, items = out
    end = 0
    for row in range(len(starts) - 1):
        for index in range(starts[row], starts[row + 1]):
            if numbers[index] >= 0:
                items[end] = numbers[index]
                end += 1
        end = sort_unique(items, new_starts[row], end)
        new_starts[row + 1] = end
    return end


@kernel
def with_nodes_above(sets: SetArrays, tree: TreeArrays) -> SetArrays:
    """Sets of nodes together with all nodes above them but the root, which vanishes.

    Reads only. O(items of the answer, times the log of its longest row).
    """
    row_count, root = len(sets.starts) - 1, len(tree.parent) - 1
    last_row = np.full(len(tree.parent), -1, dtype=np.int64)
    starts = np.zeros(row_count + 1, dtype=np.int64)
    items, end = np.empty(2 * len(sets.items) + 1, dtype=np.int32), 0
    for row in range(row_count):
        for index in range(sets.starts[row], sets.starts[row + 1]):
            node = sets.items[index]
            while node != root and last_row[node] != row:
                last_row[node] = row
                items = with_room(items, end, end + 1)
                items[end] = node
                end += 1
                node = tree.parent[node]
        end = sort_unique(items, starts[row], end)
        starts[row + 1] = end
    return SetArrays(starts, items[:end].copy())


@kernel
def sort_unique(numbers: Ints | Items, start: int, end: int) -> int:
    """Sort numbers[start:end] and drop repeats; returns the new end."""
    gap = 1
    while gap < (end - start) // 9:
        gap = 3 * gap + 1
    while gap > 0:  # Shell's sort: NumPy's takes seconds to compile, and most sets have a few items
        for index in range(start + gap, end):
            number = numbers[index]
            while index >= start + gap and numbers[index - gap] > number:
                numbers[index] = numbers[index - gap]
                index -= gap
            numbers[index] = number
        gap //= 3
    kept = min(start + 1, end)
    for index in range(start + 1, end):
        if numbers[index] != numbers[index - 1]:
            numbers[kept] = numbers[index]
            kept += 1
    return kept
