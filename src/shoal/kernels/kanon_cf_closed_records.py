"""All closed generalized records that enough rows support, each met once.

A generalized record is a vector of one node per column; it is closed if in every column its node is the
lowest one above the records that support it. Expanded by all its ancestors, a record is a set of nodes, and
closed sets of those are closed generalized records. The walk starts from the closure of all records, goes
down by one child of one node at a time, closes what it finds, and drops it if that moved a column before the
one that it went down in: the same closed record is met on another way that moves these columns first (the
prefix-preserving closure extension of Uno et al., LCM ver. 2, FIMI 2004). So no table of what was met is
needed.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints
from shoal.kernels.compile import kernel

FINISHED, PAUSED, MUCH_FOUND, STACK_CROWDED, SUPPORTS_CROWDED = range(5)


class Paths(NamedTuple):
    """The way from the root to the value of each distinct record, in each column.

    nodes[r, starts[j] + depth] is the node of column j at this depth above record r; below the value of the
    record the value is repeated, at least once. Record r is that of copies[r] rows. depths[v] is the depth of
    node v, and is_leaf[v] tells that nothing is below it.
    """

    nodes: Ints
    starts: Ints
    copies: Ints
    depths: Ints
    is_leaf: Bools


class Packing(NamedTuple):
    """How a vector of nodes is kept in few words.

    In word words[j], from bit shifts[j] on, stands the node of column j minus node_starts[j]; masks[j] has as
    many bits set as that takes.
    """

    words: Ints
    shifts: Ints
    masks: Ints
    node_starts: Ints


class MiningTask(NamedTuple):
    """What is to be mined: all closed records that at least k rows support, packed like this."""

    paths: Paths
    packing: Packing
    k: int


class Walk(NamedTuple):
    """What is still to be visited: a stack of generalized records, the last one first.

    Entry e, one of the first state[0], is the vector nodes[e] with the supporting records
    supports[begins[e]:ends[e]], of rows[e] rows; it was narrowed in column columns[e]. Supports stand in the
    order of the stack, and are free from state[1] on. The rest is scratch space: the vector that is visited,
    and what the nodes below one node hold.
    """

    state: Ints
    nodes: Ints
    begins: Ints
    ends: Ints
    rows: Ints
    columns: Ints
    supports: Ints
    vector: Ints
    rows_below: Ints
    records_below: Ints
    places: Ints
    nodes_below: Ints


class FoundRecords(NamedTuple):
    """Closed records: the first state[0] rows of `packed`, and how many rows support each."""

    state: Ints
    packed: Ints
    counts: Ints


@kernel(part=True)
def pack(packing: Packing, vector: Ints, packed: Ints) -> None:
    """Write a vector of nodes in few words."""
    for word in range(len(packed)):
        packed[word] = 0
    for j in range(len(vector)):
        packed[packing.words[j]] |= (vector[j] - packing.node_starts[j]) << packing.shifts[j]


@kernel
def unpack(packing: Packing, packed: Ints, vector: Ints) -> None:
    """Read a vector of nodes from few words."""
    for j in range(len(vector)):
        bits = (packed[packing.words[j]] >> packing.shifts[j]) & packing.masks[j]
        vector[j] = bits + packing.node_starts[j]


@kernel
def unpacked(packing: Packing, packed: Ints) -> Ints:
    """All vectors that are kept in few words."""
    vectors = np.empty((len(packed), len(packing.words)), dtype=np.int64)
    for i in range(len(packed)):
        unpack(packing, packed[i], vectors[i])
    return vectors


@kernel
def lowered(paths: Paths, column: int, node: int, support: Ints) -> int:
    """The lowest node under the given one that is still above all the records; at least one record."""
    while not paths.is_leaf[node]:
        index = paths.starts[column] + paths.depths[node] + 1
        below = paths.nodes[support[0], index]
        if below == node:  # the value itself, of a record that was suppressed in this column
            return node
        for record in support:
            if paths.nodes[record, index] != below:
                return node
        node = below
    return node


@kernel(part=True)
def close(paths: Paths, support: Ints, column: int, vector: Ints) -> bool:
    """Lower the nodes of a vector from this column on; False if one before it could be lowered, too."""
    for j in range(column):
        if lowered(paths, j, vector[j], support) != vector[j]:
            return False
    for j in range(column, len(vector)):
        vector[j] = lowered(paths, j, vector[j], support)
    return True


@kernel(part=True)
def push_narrower(task: MiningTask, walk: Walk, begin: int, end: int, column: int) -> None:
    """Push what walk.vector becomes with each frequent child of its node in one column.

    supports[begin:end] are its records.
    """
    paths = task.paths
    node = walk.vector[column]
    index = paths.starts[column] + paths.depths[node] + 1
    found = 0
    for at in range(begin, end):
        record = walk.supports[at]
        below = paths.nodes[record, index]
        if walk.records_below[below] == 0:
            walk.nodes_below[found] = below
            found += 1
        walk.records_below[below] += 1
        walk.rows_below[below] += paths.copies[record]
    top, free = walk.state[0], walk.state[1]
    for number in range(found):
        below = walk.nodes_below[number]
        walk.places[below] = -1
        if walk.rows_below[below] >= task.k and below != node:
            walk.places[below] = free
            walk.begins[top] = free
            free += walk.records_below[below]
            walk.ends[top] = free
            walk.rows[top] = walk.rows_below[below]
            walk.columns[top] = column
            for j in range(len(walk.vector)):
                walk.nodes[top, j] = walk.vector[j]
            walk.nodes[top, column] = below
            top += 1
        walk.rows_below[below] = 0
        walk.records_below[below] = 0
    if top > walk.state[0]:
        for at in range(begin, end):
            record = walk.supports[at]
            below = paths.nodes[record, index]
            if walk.places[below] >= 0:
                walk.supports[walk.places[below]] = record
                walk.places[below] += 1
    walk.state[0], walk.state[1] = top, free


@kernel
def mine(task: MiningTask, walk: Walk, found: FoundRecords, budget: int) -> int:
    """Visit generalized records until about `budget` members of supports were looked at.

    Returns FINISHED when nothing is left, PAUSED, MUCH_FOUND when `found` is full, or which part of the walk
    could be too small for what comes next. O(columns * records) for each closed record.
    """
    column_count = len(walk.vector)
    while walk.state[0] > 0:
        if budget <= 0:
            return PAUSED
        if found.state[0] == len(found.counts):
            return MUCH_FOUND
        entry = walk.state[0] - 1
        begin, end, column = walk.begins[entry], walk.ends[entry], walk.columns[entry]
        members = (column_count - column) * (end - begin)
        if end + members > len(walk.supports):
            return SUPPORTS_CROWDED
        if entry + min(members, len(walk.places)) > len(walk.rows):  # a node is narrowed to once at most
            return STACK_CROWDED
        budget -= members + 1
        walk.state[0], walk.state[1] = entry, end
        for j in range(column_count):
            walk.vector[j] = walk.nodes[entry, j]
        if not close(task.paths, walk.supports[begin:end], column, walk.vector):
            continue
        pack(task.packing, walk.vector, found.packed[found.state[0]])
        found.counts[found.state[0]] = walk.rows[entry]
        found.state[0] += 1
        for j in range(column, column_count):
            if not task.paths.is_leaf[walk.vector[j]]:
                push_narrower(task, walk, begin, end, j)
    return FINISHED
