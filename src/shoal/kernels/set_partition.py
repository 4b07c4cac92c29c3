"""Top-down partitioning of sets: parts of rows that are published alike are drilled down while k rows remain.

Every row of a part holds a leaf under each node of the part's published set, and nothing else. Expanding a
node sends each row to the sub-part of those that hold the same children of it. Rows are told apart by the
lists of children that they really hold, so the number of children a node has does not matter.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, Items, SetArrays
from shoal.kernels.common_sets import CostTree
from shoal.kernels.compile import kernel

NO_NODE = -1
_NO_PART = -1
_NOT_NOW = -1

_STACKED, _CLUSTERS, _ROWS_DONE, _EXPANSIONS, _LOST = range(5)  # places of `counts`


class Drill(NamedTuple):
    """A partition under way.

    `order[start:end]` are the rows of a part; the parts that wait are in `stack`, one line each: start, end,
    and the node that a pool of left-over rows keeps unexpanded. `node[p]` is what the occurrence
    sets.items[p] is published as, and `below[p]` its child on the way down to the item, or -1. `cluster[r]`
    is the finished part of a row, and `left_over[r]` tells whether that was such a pool. The others are
    memory for one step.
    """

    sets: SetArrays
    tree: CostTree
    k: int
    order: Ints
    node: Items
    below: Items
    cluster: Ints
    left_over: Bools
    stack: Ints
    counts: Ints
    gain: Ints
    seen: Bools
    nodes: Ints
    part: Ints
    loss: Ints
    sizes: Ints
    firsts: Ints
    table: Ints
    buffer: Ints


def begin_drill(sets: SetArrays, tree: CostTree, k: int) -> Drill:
    """All rows in one part, published as the root; there must be none or k of them, and none may be empty."""
    row_count, root = len(sets.starts) - 1, len(tree.cost) - 1
    node = np.full(len(sets.items), root, dtype=np.int32)
    drill = finished_drill(sets, tree, k, node, np.full(row_count, _NO_PART, dtype=np.int64))
    if row_count > 0:
        _hang_all(drill)
        _push(drill, 0, row_count, NO_NODE)
    return drill


def finished_drill(sets: SetArrays, tree: CostTree, k: int, node: Items, cluster: Ints) -> Drill:
    """Rows in finished clusters, numbered from 0, and what each occurrence is published as."""
    row_count, node_count = len(sets.starts) - 1, len(tree.cost)
    slots = 16
    while slots < 2 * row_count:
        slots *= 2
    drill = Drill(
        sets=sets,
        tree=tree,
        k=k,
        order=np.arange(row_count, dtype=np.int64),
        node=node,
        below=np.empty(len(sets.items), dtype=np.int32),
        cluster=cluster,
        left_over=np.zeros(row_count, dtype=np.bool_),
        stack=np.empty((row_count // k + 1, 3), dtype=np.int64),
        counts=np.zeros(5, dtype=np.int64),
        gain=np.zeros(node_count, dtype=np.int64),
        seen=np.zeros(node_count, dtype=np.bool_),
        nodes=np.empty(node_count, dtype=np.int64),
        part=np.empty(row_count, dtype=np.int64),
        loss=np.empty(row_count, dtype=np.int64),
        sizes=np.empty(row_count, dtype=np.int64),
        firsts=np.empty(row_count, dtype=np.int64),
        table=np.full(slots, _NO_PART, dtype=np.int64),
        buffer=np.empty(row_count, dtype=np.int64),
    )
    drill.counts[_CLUSTERS] = int(cluster.max(initial=_NO_PART)) + 1
    return drill


def clusters_found(drill: Drill) -> int:
    """How many parts are finished."""
    return int(drill.counts[_CLUSTERS])


def rows_finished(drill: Drill) -> int:
    """How many rows are in finished parts."""
    return int(drill.counts[_ROWS_DONE])


def expansions_made(drill: Drill) -> int:
    """How many times a node was expanded for some rows."""
    return int(drill.counts[_EXPANSIONS])


@kernel
def drill_down(drill: Drill, most_steps: int) -> bool:
    """Finish parts until about so many occurrences were looked at; whether nothing waits any more."""
    steps = 0
    while drill.counts[_STACKED] > 0 and steps < most_steps:
        steps += _refine_next(drill)
    return drill.counts[_STACKED] == 0


@kernel
def finish_as_they_are(drill: Drill) -> None:
    """Make a cluster of each part that waits: it is safe, if coarse."""
    while drill.counts[_STACKED] > 0:
        drill.counts[_STACKED] -= 1
        top = drill.counts[_STACKED]
        _finish(drill, drill.stack[top, 0], drill.stack[top, 1], drill.stack[top, 2])


@kernel(part=True)
def divide_part(drill: Drill, start: int, end: int, node: int, most: int) -> tuple[int, int]:
    """Drill one part down to finished clusters, the given node first, while no other part waits.

    Returns the loss of the clusters and the steps taken. Gives up, with a loss of at least `most`, when that
    much is lost or when the part does not fall apart by that node.
    """
    parts = _fall_apart(drill, start, end, node)
    steps = end - start
    if parts == 0:
        return most, steps
    drill.counts[_LOST] = 0
    _split(drill, start, end, node, parts)
    while drill.counts[_STACKED] > 0 and drill.counts[_LOST] < most:
        steps += _refine_next(drill)
    drill.counts[_STACKED] = 0
    return drill.counts[_LOST], steps


@kernel
def _refine_next(drill: Drill) -> int:
    drill.counts[_STACKED] -= 1
    top = drill.counts[_STACKED]
    return _refine(drill, drill.stack[top, 0], drill.stack[top, 1], drill.stack[top, 2])


@kernel(part=True)
def _refine(drill: Drill, start: int, end: int, kept: int) -> int:
    """Expand nodes of one part until it falls apart or none can be expanded; returns the steps taken.

    The node `kept` is not expanded; it may be -1.
    """
    count, steps = _count_gains(drill, start, end)
    if kept != NO_NODE:
        drill.gain[kept] = _NOT_NOW
    whole = True
    while whole:
        node = _dearest(drill, count)
        if node == NO_NODE:
            break
        steps += end - start
        if _is_held_alike(drill, start, end, node):
            count = _expand_whole(drill, start, end, node, count)
            continue
        parts = _fall_apart(drill, start, end, node)
        if parts > 0:
            _split(drill, start, end, node, parts)
            whole = False
        else:
            drill.gain[node] = _NOT_NOW
    for index in range(count):
        drill.gain[drill.nodes[index]] = 0
        drill.seen[drill.nodes[index]] = False
    if whole:
        _finish(drill, start, end, kept)
    return steps


@kernel
def _finish(drill: Drill, start: int, end: int, kept: int) -> None:
    for position in range(start, end):
        row = drill.order[position]
        drill.cluster[row] = drill.counts[_CLUSTERS]
        drill.left_over[row] = kept != NO_NODE
        for index in range(drill.sets.starts[row], drill.sets.starts[row + 1]):
            drill.counts[_LOST] += drill.tree.cost[drill.node[index]]
    drill.counts[_CLUSTERS] += 1
    drill.counts[_ROWS_DONE] += end - start


@kernel(part=True)
def _count_gains(drill: Drill, start: int, end: int) -> tuple[int, int]:
    """What expanding each node of a part would save if all sub-parts survived.

    Returns how many nodes can be expanded, and how many occurrences there are.
    """
    count, occurrences = 0, 0
    for position in range(start, end):
        row = drill.order[position]
        for index in range(drill.sets.starts[row], drill.sets.starts[row + 1]):
            count = _add_gain(drill, index, count)
            occurrences += 1
    return count, occurrences


@kernel
def _add_gain(drill: Drill, place: int, count: int) -> int:
    if drill.below[place] == NO_NODE:
        return count
    node, cost = drill.node[place], drill.tree.cost
    if not drill.seen[node]:
        drill.seen[node] = True
        drill.nodes[count] = node
        count += 1
    drill.gain[node] += cost[node] - cost[drill.below[place]]
    return count


@kernel(part=True)
def _dearest(drill: Drill, count: int) -> int:
    """The node of the largest gain that may be expanded, the first in tree order of several; or -1."""
    best, largest = NO_NODE, _NOT_NOW
    for index in range(count):
        node = drill.nodes[index]
        gain = drill.gain[node]
        if gain > largest or (gain == largest and node < best):
            best, largest = node, gain
    return best


@kernel(part=True)
def _is_held_alike(drill: Drill, start: int, end: int, node: int) -> bool:
    """Whether all rows hold the same children of a node."""
    first = drill.order[start]
    for position in range(start + 1, end):
        if not _same_children(drill, first, drill.order[position], node):
            return False
    return True


@kernel
def _fall_apart(drill: Drill, start: int, end: int, node: int) -> int:
    """Number the sub-parts as `_divide` does, and pool the small ones; 0 if two parts of k cannot be made."""
    if end - start < 2 * drill.k:
        return 0
    parts = _divide(drill, start, end, node)
    return parts if _balance(drill, start, end, parts) else 0


@kernel(part=True)
def _divide(drill: Drill, start: int, end: int, node: int) -> int:
    """Number the sub-parts by first appearance: `part` by position, `sizes` and `loss`; returns how many."""
    mask = len(drill.table) - 1
    while mask > 4 * (end - start) + 16:
        mask >>= 1
    parts = 0
    for position in range(start, end):
        row = drill.order[position]
        slot = _hash_of_children(drill, row, node, position) & mask
        while drill.table[slot] != _NO_PART and not _same_children(
            drill, drill.firsts[drill.table[slot]], row, node
        ):
            slot = (slot + 1) & mask
        if drill.table[slot] == _NO_PART:
            drill.table[slot] = parts
            drill.firsts[parts] = row
            drill.sizes[parts] = 0
            parts += 1
        drill.part[position] = drill.table[slot]
        drill.sizes[drill.table[slot]] += 1
    for slot in range(mask + 1):
        drill.table[slot] = _NO_PART
    return parts


@kernel
def _first_under(drill: Drill, row: int, node: int) -> int:
    """The place of the row's first item under a node of its published set."""
    low, high = drill.sets.starts[row], drill.sets.starts[row + 1]
    first = drill.tree.first_leaf[node]
    while low < high:
        middle = (low + high) // 2
        if drill.sets.items[middle] < first:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(part=True)
def _hash_of_children(drill: Drill, row: int, node: int, position: int) -> int:
    key = np.uint64(14695981039346656037)
    last, loss = NO_NODE, 0
    index, end = _first_under(drill, row, node), drill.sets.starts[row + 1]
    while index < end and drill.node[index] == node:
        child = drill.below[index]
        loss += drill.tree.cost[node] - drill.tree.cost[child]
        if child != last:
            key = (key ^ np.uint64(child)) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
            last = child
        index += 1
    drill.loss[position] = loss
    return int(key >> np.uint64(1))


@kernel
def _same_children(drill: Drill, left: int, right: int, node: int) -> bool:
    index, other = _first_under(drill, left, node), _first_under(drill, right, node)
    end, other_end = drill.sets.starts[left + 1], drill.sets.starts[right + 1]
    while True:
        is_there = index < end and drill.node[index] == node
        if is_there != (other < other_end and drill.node[other] == node):
            return False
        if not is_there:
            return True
        child = drill.below[index]
        if child != drill.below[other]:
            return False
        while index < end and drill.node[index] == node and drill.below[index] == child:
            index += 1
        while other < other_end and drill.node[other] == node and drill.below[other] == child:
            other += 1


@kernel(part=True)
def _balance(drill: Drill, start: int, end: int, parts: int) -> bool:
    """Pool the rows of small sub-parts, as part -1, with others until there are k; False if that cannot be.

    Sub-parts that can spare rows give those that lose least by staying unexpanded.
    """
    pooled, spare = 0, 0
    for number in range(parts):
        if drill.sizes[number] < drill.k:
            pooled += drill.sizes[number]
        else:
            spare += drill.sizes[number] - drill.k
    if pooled == end - start or (0 < pooled < drill.k and pooled + spare < drill.k):
        return False
    for position in range(start, end):
        if drill.sizes[drill.part[position]] < drill.k:
            drill.part[position] = _NO_PART
    if 0 < pooled < drill.k:
        _borrow(drill, start, end, drill.k - pooled)
    return True


@kernel(part=True)
def _borrow(drill: Drill, start: int, end: int, wanted: int) -> None:
    heap, length = drill.buffer, 0
    for position in range(start, end):
        if drill.part[position] != _NO_PART and drill.sizes[drill.part[position]] > drill.k:
            heap[length] = position
            length += 1
    for root in range(length // 2 - 1, -1, -1):
        _sift(heap, drill.loss, root, length)
    while wanted > 0:
        position = heap[0]
        length -= 1
        heap[0] = heap[length]
        _sift(heap, drill.loss, 0, length)
        if drill.sizes[drill.part[position]] > drill.k:
            drill.sizes[drill.part[position]] -= 1
            drill.part[position] = _NO_PART
            wanted -= 1


@kernel
def _sift(heap: Ints, loss: Ints, root: int, length: int) -> None:
    """Let a position sink until what lies below it loses more, or as much and comes later."""
    sinking = heap[root]
    while 2 * root + 1 < length:
        child = 2 * root + 1
        if child + 1 < length and _comes_first(loss, heap[child + 1], heap[child]):
            child += 1
        if not _comes_first(loss, heap[child], sinking):
            break
        heap[root] = heap[child]
        root = child
    heap[root] = sinking


@kernel
def _comes_first(loss: Ints, left: int, right: int) -> bool:
    return loss[left] < loss[right] or (loss[left] == loss[right] and left < right)


@kernel(part=True)
def _expand_whole(drill: Drill, start: int, end: int, node: int, count: int) -> int:
    """Expand a node whose children all rows hold alike: the part stays one, with other nodes to expand."""
    drill.counts[_EXPANSIONS] += 1
    drill.gain[node] = _NOT_NOW
    for position in range(start, end):
        row = drill.order[position]
        index, last = _first_under(drill, row, node), drill.sets.starts[row + 1]
        while index < last and drill.node[index] == node:
            _descend(drill, index)
            count = _add_gain(drill, index, count)
            index += 1
    return count


@kernel
def _descend(drill: Drill, place: int) -> None:
    drill.node[place] = drill.below[place]
    hang(drill, place)


@kernel
def _split(drill: Drill, start: int, end: int, node: int, parts: int) -> None:
    """Let the sub-parts that survive, expanded, and the pool, as it was, wait for their turn."""
    drill.counts[_EXPANSIONS] += 1
    pooled = 0
    for position in range(start, end):
        if drill.part[position] == _NO_PART:
            pooled += 1
    begin = start + pooled
    for number in range(parts):
        drill.firsts[number] = begin
        if drill.sizes[number] >= drill.k:
            begin += drill.sizes[number]
            _push(drill, drill.firsts[number], begin, NO_NODE)
    if pooled > 0:  # the last, so that it is the next: most is lost in pools
        _push(drill, start, start + pooled, node)
    free = start
    for position in range(start, end):
        row, number = drill.order[position], drill.part[position]
        if number == _NO_PART:
            drill.buffer[free] = row
            free += 1
        else:
            drill.buffer[drill.firsts[number]] = row
            drill.firsts[number] += 1
            index, last = _first_under(drill, row, node), drill.sets.starts[row + 1]
            while index < last and drill.node[index] == node:
                _descend(drill, index)
                index += 1
    for position in range(start, end):
        drill.order[position] = drill.buffer[position]


@kernel
def _push(drill: Drill, start: int, end: int, closed: int) -> None:
    top = drill.counts[_STACKED]
    drill.stack[top, 0] = start
    drill.stack[top, 1] = end
    drill.stack[top, 2] = closed
    drill.counts[_STACKED] += 1


@kernel
def _hang_all(drill: Drill) -> None:
    for index in range(len(drill.sets.items)):
        hang(drill, index)


@kernel
def hang(drill: Drill, place: int) -> None:
    """Find the child of an occurrence's node on the way to its item."""
    tree, leaf = drill.tree, drill.sets.items[place]
    node = drill.node[place]
    low, high = tree.starts[node], tree.starts[node + 1]
    if low == high:
        drill.below[place] = NO_NODE
        return
    while high - low > 1:
        middle = (low + high) // 2
        if tree.first_leaf[tree.nodes[middle]] <= leaf:
            low = middle
        else:
            high = middle
    drill.below[place] = tree.nodes[low]
