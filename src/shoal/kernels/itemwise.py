"""Occurrences of items are published in more detail, node by node, wherever k^m-anonymity allows it.

Rows belong to groups, and a set of at most m labels that a row of a group shows must be shown by k of them.
The labels of a row are the nodes that its occurrences are published as. When occurrences of a node move down
to a node below it, only two sorts of sets change: those with the lower node, which become more, and those
with the node above in rows that do not show it any more. So two counts decide, each of the sets of at most
m - 1 labels that stand beside one node.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, Items, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.set_supports import Intervals

_FREE = -1
_SPREAD = -7046029254386353131  # an odd number whose bits are well mixed


class Labelled(NamedTuple):
    """What rows are published as, under way.

    Occurrence p, an item of row row_of[p], is published as node_of[p]. Row r is of group group_of[r] and
    shows the nodes labels[sets.starts[r]:][:label_counts[r]], ascending and without repeats. The occurrences
    of leaf i are places[place_starts[i]:place_starts[i + 1]], and those under node n are of the leaves in
    interval n of `leaves`. `marked`, False in between, and `memory` are to work with.
    """

    sets: SetArrays
    row_of: Items
    group_of: Ints
    node_of: Items
    labels: Items
    label_counts: Ints
    place_starts: Ints
    places: Items
    leaves: Intervals
    marked: Bools
    memory: Ints


class LabelSets(NamedTuple):
    """How sets of labels are counted: at most `size` of them, as numbers to `base`, of at most `most` a row.

    A row that would show more than `most` such sets is not published in more detail.
    """

    k: int
    size: int
    base: int
    most: int


class LabelCounts(NamedTuple):
    """A table of counts by key, half of it free; state[0] keys are in it."""

    keys: Ints
    counts: Ints
    state: Ints


class LowerRows(NamedTuple):
    """Rows that might show a lower node: whether they may, and whether they would lose the upper one."""

    rows: Ints
    may: Bools
    lose: Bools


class Seen(NamedTuple):
    """The labels of a row beside a node, without one that is gone; `gone` is the node itself if none is."""

    row: int
    node: int
    gone: int


@kernel
def publish_below(labelled: Labelled, beside: LabelSets, node: int, below: Ints) -> int:
    """Move occurrences from a node to those given below it, one after the other, where that is allowed.

    Writes node_of, labels and label_counts. Returns how many occurrences were moved. Takes for each of the
    nodes about as many steps as its rows show sets of `beside.size` labels.
    """
    upper, moved = _no_counts(), 0
    for row in _rows_at(labelled, node, node):
        upper = _added(upper, beside, labelled, Seen(row, node, node), 1)
    for lower in below:
        candidates = _candidates(labelled, beside, node, lower)
        if len(candidates.rows) == 0 or not _choose(labelled, beside, upper, candidates, (node, lower)):
            continue
        for index, row in enumerate(candidates.rows):
            if candidates.may[index]:
                upper = _added(upper, beside, labelled, Seen(row, node, node), -1)
                moved += _move(labelled, candidates, index, node, lower)
                if not candidates.lose[index]:
                    upper = _added(upper, beside, labelled, Seen(row, node, node), 1)
    return moved


@kernel
def _rows_at(labelled: Labelled, node: int, within: int) -> Ints:
    """Rows with an occurrence that is published as a node and whose leaf is under another."""
    leaves, starts = labelled.leaves, labelled.place_starts
    begin, end = starts[leaves.first[within]], starts[leaves.last[within] + 1]
    rows, count = np.empty(end - begin, dtype=np.int64), 0
    for place in labelled.places[begin:end]:
        row = labelled.row_of[place]
        if labelled.node_of[place] == node and not labelled.marked[row]:
            labelled.marked[row] = True
            rows[count] = row
            count += 1
    for row in rows[:count]:
        labelled.marked[row] = False
    return rows[:count]


@kernel(part=True)
def _candidates(labelled: Labelled, beside: LabelSets, node: int, lower: int) -> LowerRows:
    """Rows of the node with an occurrence under the lower one."""
    rows = _rows_at(labelled, node, lower)
    may, lose = np.ones(len(rows), dtype=np.bool_), np.ones(len(rows), dtype=np.bool_)
    for index, row in enumerate(rows):
        for place in range(labelled.sets.starts[row], labelled.sets.starts[row + 1]):
            if labelled.node_of[place] == node and not _is_under(labelled, place, lower):
                lose[index] = False
                break
        may[index] = _subset_count(labelled.label_counts[row] + 1, beside.size) <= beside.most
    return LowerRows(rows, may, lose)


@kernel
def _is_under(labelled: Labelled, place: int, node: int) -> bool:
    leaf = labelled.sets.items[place]
    return labelled.leaves.first[node] <= leaf <= labelled.leaves.last[node]


@kernel
def _subset_count(labels: int, size: int) -> int:
    """How many sets of at most so many labels there are."""
    total, of_size = 1, 1
    for chosen in range(1, min(size, labels) + 1):
        of_size = of_size * (labels - chosen + 1) // chosen
        total += of_size
    return total


@kernel(part=True)
def _choose(
    labelled: Labelled, beside: LabelSets, upper: LabelCounts, candidates: LowerRows, nodes: tuple[int, int]
) -> bool:
    """Take back `may` until every set keeps k rows when the others move down; whether any row is left.

    A set beside the lower node needs k rows that show it then; one beside the upper node k or none.
    """
    node, lower = nodes
    gained, lost, left = _no_counts(), _no_counts(), 0
    already = _rows_at(labelled, lower, lower)
    for index, row in enumerate(candidates.rows):
        if candidates.may[index]:
            left += 1
            labelled.marked[row] = True
            gained = _added(gained, beside, labelled, _seen_below(candidates, index, node, lower), 1)
            if candidates.lose[index]:
                lost = _added(lost, beside, labelled, Seen(row, node, node), 1)
    for row in already:
        if not labelled.marked[row]:
            gained = _added(gained, beside, labelled, Seen(row, lower, lower), 1)
    for row in candidates.rows:
        labelled.marked[row] = False
    changed = True
    while changed and left > 0:
        changed = False
        for index, row in enumerate(candidates.rows):
            if not candidates.may[index]:
                continue
            below, loses = _seen_below(candidates, index, node, lower), candidates.lose[index]
            if _any_rare(gained, beside, labelled, below) or (
                loses and _any_left_rare(upper, lost, beside, labelled, Seen(row, node, node))
            ):
                candidates.may[index] = False
                changed = True
                left -= 1
                gained = _added(gained, beside, labelled, below, -1)
                if _shows(labelled, row, lower):
                    gained = _added(gained, beside, labelled, Seen(row, lower, lower), 1)
                if loses:
                    lost = _added(lost, beside, labelled, Seen(row, node, node), -1)
    return left > 0


@kernel
def _seen_below(candidates: LowerRows, index: int, node: int, lower: int) -> Seen:
    """What a candidate shows beside the lower node when it has moved down."""
    return Seen(candidates.rows[index], lower, node if candidates.lose[index] else lower)


@kernel
def _place_of(labelled: Labelled, row: int, node: int) -> int:
    """Where a node is among the labels of a row; behind them if it is not."""
    place = labelled.sets.starts[row]
    end = place + labelled.label_counts[row]
    while place < end and labelled.labels[place] != node:
        place += 1
    return place


@kernel
def _shows(labelled: Labelled, row: int, node: int) -> bool:
    return _place_of(labelled, row, node) < labelled.sets.starts[row] + labelled.label_counts[row]


@kernel(part=True)
def _move(labelled: Labelled, candidates: LowerRows, index: int, node: int, lower: int) -> int:
    """Publish a candidate's occurrences at a node and under the lower one as that; how many they are."""
    row, moved = candidates.rows[index], 0
    begin, end = labelled.sets.starts[row], labelled.sets.starts[row + 1]
    for place in range(begin, end):
        if labelled.node_of[place] == node and _is_under(labelled, place, lower):
            labelled.node_of[place] = lower
            moved += 1
    if candidates.lose[index]:
        labelled.label_counts[row] -= 1
        last = begin + labelled.label_counts[row]
        for place in range(_place_of(labelled, row, node), last):
            labelled.labels[place] = labelled.labels[place + 1]
    if not _shows(labelled, row, lower):
        place = begin + labelled.label_counts[row]
        while place > begin and labelled.labels[place - 1] > lower:
            labelled.labels[place] = labelled.labels[place - 1]
            place -= 1
        labelled.labels[place] = lower
        labelled.label_counts[row] += 1
    return moved


@kernel
def _no_counts() -> LabelCounts:
    return LabelCounts(
        np.full(64, _FREE, dtype=np.int64), np.zeros(64, dtype=np.int64), np.zeros(1, dtype=np.int64)
    )


@kernel
def _place(keys: Ints, key: int) -> int:
    """Where a key is in a table, or would be."""
    last = len(keys) - 1
    place = ((key * _SPREAD) >> 17) & last
    while keys[place] != key and keys[place] != _FREE:
        place = (place + 1) & last
    return place


@kernel(part=True)
def _with_room(table: LabelCounts, wanted: int) -> LabelCounts:
    """The table itself, or a larger one if so many more keys would not leave half of it free."""
    needed = 2 * (table.state[0] + wanted)
    if needed <= len(table.keys):
        return table
    size = len(table.keys)
    while size < 2 * needed:
        size *= 2
    keys, counts = np.full(size, _FREE, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for index in range(len(table.keys)):
        if table.keys[index] != _FREE:
            place = _place(keys, table.keys[index])
            keys[place], counts[place] = table.keys[index], table.counts[index]
    return LabelCounts(keys, counts, table.state)


@kernel
def _labels_beside(labelled: Labelled, seen: Seen) -> int:
    """Write the labels that are seen into memory; how many they are."""
    begin, count = labelled.sets.starts[seen.row], 0
    for place in range(begin, begin + labelled.label_counts[seen.row]):
        label = labelled.labels[place]
        if label not in (seen.node, seen.gone):
            labelled.memory[count] = label
            count += 1
    return count


@kernel
def _first_of_size(memory: Ints, count: int, size: int) -> None:
    """Begin with the first labels: the indices of a set stand behind the labels."""
    for index in range(size):
        memory[count + index] = index


@kernel
def _next_of_size(memory: Ints, count: int, size: int) -> bool:
    """Go to the next set of so many labels; False if there is none."""
    index = size - 1
    while index >= 0 and memory[count + index] == count - size + index:
        index -= 1
    if index < 0:
        return False
    memory[count + index] += 1
    for behind in range(index + 1, size):
        memory[count + behind] = memory[count + behind - 1] + 1
    return True


@kernel
def _key(memory: Ints, count: int, size: int, group: int, beside: LabelSets) -> int:
    """A set of labels of a group as one number: labels from 1 on are its digits, and 0 stands for none."""
    key = group
    for _ in range(beside.size - size):
        key *= beside.base
    for index in range(size):
        key = key * beside.base + memory[memory[count + index]] + 1
    return key


@kernel
def _added(table: LabelCounts, beside: LabelSets, labelled: Labelled, seen: Seen, amount: int) -> LabelCounts:
    """Count the sets of labels that are seen so many times more."""
    count, memory = _labels_beside(labelled, seen), labelled.memory
    table = _with_room(table, _subset_count(count, beside.size))
    for size in range(min(beside.size, count) + 1):
        _first_of_size(memory, count, size)
        while True:
            key = _key(memory, count, size, labelled.group_of[seen.row], beside)
            place = _place(table.keys, key)
            if table.keys[place] == _FREE:
                table.keys[place] = key
                table.state[0] += 1
            table.counts[place] += amount
            if not _next_of_size(memory, count, size):
                break
    return table


@kernel(part=True)
def _any_rare(table: LabelCounts, beside: LabelSets, labelled: Labelled, seen: Seen) -> bool:
    """Whether fewer than k rows show some set of the labels that are seen."""
    count, memory = _labels_beside(labelled, seen), labelled.memory
    for size in range(min(beside.size, count) + 1):
        _first_of_size(memory, count, size)
        while True:
            key = _key(memory, count, size, labelled.group_of[seen.row], beside)
            if table.counts[_place(table.keys, key)] < beside.k:
                return True
            if not _next_of_size(memory, count, size):
                break
    return False


@kernel(part=True)
def _any_left_rare(
    table: LabelCounts, lost: LabelCounts, beside: LabelSets, labelled: Labelled, seen: Seen
) -> bool:
    """Whether fewer than k rows, but some, are left that show some set of the labels that are seen."""
    count, memory = _labels_beside(labelled, seen), labelled.memory
    for size in range(min(beside.size, count) + 1):
        _first_of_size(memory, count, size)
        while True:
            key = _key(memory, count, size, labelled.group_of[seen.row], beside)
            left = table.counts[_place(table.keys, key)] - lost.counts[_place(lost.keys, key)]
            if 0 < left < beside.k:
                return True
            if not _next_of_size(memory, count, size):
                break
    return False
