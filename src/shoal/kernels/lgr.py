"""Regrouping: neighbouring clusters of a partition are united and divided anew, and the best division stays.

A partition expands the node that promises most, cluster by cluster, and never looks back. Clusters that came
from the same parts stand side by side; what few of them hold together can be divided in several ways, one for
each node that is expanded first.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, Items, SetArrays, TreeArrays
from shoal.kernels.common_sets import (
    CostTree,
    TwoSets,
    add_to_left,
    publish_as,
    published_set,
    room_for_two_sets,
)
from shoal.kernels.compile import kernel
from shoal.kernels.set_partition import Drill, divide_part, finished_drill, hang


class ClusterDivision(NamedTuple):
    """How neighbouring rows are divided: their order and clusters, and `node` and `below` of a `Drill`."""

    order: Ints
    cluster: Ints
    node: Ints
    below: Ints


class Regrouping(NamedTuple):
    """A finished partition whose clusters are contiguous in its order, and memory for one step."""

    drill: Drill
    before: ClusterDivision
    united: ClusterDivision
    best: ClusterDivision
    two: TwoSets


def begin_regrouping(sets: SetArrays, tree: CostTree, k: int, node: Items, cluster: Ints) -> Regrouping:
    """Rows that are published as `node` says; those of a cluster, at least k, stand side by side."""
    return Regrouping(
        finished_drill(sets, tree, k, node.copy(), cluster.copy()),
        _room_for_division(sets),
        _room_for_division(sets),
        _room_for_division(sets),
        room_for_two_sets(sets),
    )


def _room_for_division(sets: SetArrays) -> ClusterDivision:
    rows = len(sets.starts) - 1
    return ClusterDivision(
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty(len(sets.items), dtype=np.int64),
        np.empty(len(sets.items), dtype=np.int64),
    )


@kernel
def regroup(regrouping: Regrouping, span: int, start: int, most_steps: int) -> int:
    """Divide so many neighbouring clusters anew, then those half as far on, and so on from position `start`.

    Half the span or fewer at the end are passed over: the step before had all of them, or a narrower span.
    Returns the position to go on from after about so many steps, or the number of rows.
    """
    drill, steps = regrouping.drill, 0
    row_count = len(drill.order)
    while start < row_count and steps < most_steps:
        middle, end, count = _unite(regrouping, span, start)
        if middle < end:
            steps += _divide_anew(regrouping, start, end, count)
        start = middle
        while (
            start < row_count and drill.cluster[drill.order[start]] == drill.cluster[drill.order[start - 1]]
        ):
            start += 1
        steps += end - start
    return start


@kernel(part=True)
def _unite(regrouping: Regrouping, span: int, start: int) -> tuple[int, int, int]:
    """Put what so many clusters have in common into `two.left`.

    Returns where the middle one of the clusters starts, where the last ends, and how many nodes there are.
    """
    drill = regrouping.drill
    position, middle, count = start, len(drill.order), 0
    for index in range(span):
        if position == len(drill.order):
            break
        row = drill.order[position]
        if index == span // 2:
            middle = position
        own = published_set(drill.sets, row, drill.node, regrouping.two.right)
        count = add_to_left(drill.tree, regrouping.two, count, own)
        cluster = drill.cluster[row]
        while position < len(drill.order) and drill.cluster[drill.order[position]] == cluster:
            position += 1
    return min(middle, position), position, count


@kernel(part=True)
def _divide_anew(regrouping: Regrouping, start: int, end: int, count: int) -> int:
    """Try each node of the common set as the first to expand, keep the best division; returns the steps."""
    drill, tree, steps = regrouping.drill, regrouping.drill.tree, 0
    least, improved = _loss(drill, start, end), False
    if least == 0:
        return 0
    _note(drill, start, end, regrouping.before)
    _publish_in_common(regrouping, start, end)
    _note(drill, start, end, regrouping.united)
    for number in range(count):
        node = regrouping.two.left[number]
        if tree.starts[node] == tree.starts[node + 1]:
            continue
        loss, taken = divide_part(drill, start, end, node, least)
        steps += taken
        if loss < least:
            least, improved = loss, True
            _note(drill, start, end, regrouping.best)
        _restore(drill, start, end, regrouping.united)
    _restore(drill, start, end, regrouping.best if improved else regrouping.before)
    return steps


@kernel(part=True)
def _publish_in_common(regrouping: Regrouping, start: int, end: int) -> None:
    drill = regrouping.drill
    for position in range(start, end):
        row = drill.order[position]
        publish_as(drill.tree, drill.sets, row, regrouping.two.left, drill.node)
        for index in range(drill.sets.starts[row], drill.sets.starts[row + 1]):
            hang(drill, index)


@kernel(part=True)
def _loss(drill: Drill, start: int, end: int) -> int:
    loss = 0
    for position in range(start, end):
        row = drill.order[position]
        for index in range(drill.sets.starts[row], drill.sets.starts[row + 1]):
            loss += drill.tree.cost[drill.node[index]]
    return loss


@kernel
def _note(drill: Drill, start: int, end: int, division: ClusterDivision) -> None:
    free = 0
    for position in range(start, end):
        row = drill.order[position]
        division.order[position - start] = row
        division.cluster[position - start] = drill.cluster[row]
        for index in range(drill.sets.starts[row], drill.sets.starts[row + 1]):
            division.node[free] = drill.node[index]
            division.below[free] = drill.below[index]
            free += 1


@kernel
def _restore(drill: Drill, start: int, end: int, division: ClusterDivision) -> None:
    taken = 0
    for position in range(start, end):
        row = division.order[position - start]
        drill.order[position] = row
        drill.cluster[row] = division.cluster[position - start]
        for index in range(drill.sets.starts[row], drill.sets.starts[row + 1]):
            drill.node[index] = division.node[taken]
            drill.below[index] = division.below[taken]
            taken += 1


class Published(NamedTuple):
    """node[p] is what sets.items[p] is published as, supports[u] how many finished rows hold u."""

    sets: SetArrays
    tree: TreeArrays
    depths: Ints
    node: Items
    supports: Ints


@kernel
def roll_back(published: Published, rows: Ints, k: int) -> Bools:
    """Raise the deepest node of each row to its parent until k finished rows hold each of its nodes.

    Rows are taken in their order, and one that is finished counts for those after it. Of nodes of the same
    depth the first is raised, and whatever lies under its parent becomes the parent. A row that reaches the
    root is put back as it was. Returns which of the rows are finished; changes `node` and `supports`.
    O(items^2 * height) for each row.
    """
    sets, tree, depths, node, supports = published
    root = len(tree.parent) - 1
    finished = np.zeros(len(rows), dtype=np.bool_)
    counted_for = np.full(len(tree.parent), -1, dtype=np.int64)
    for number in range(len(rows)):
        start, end = sets.starts[rows[number]], sets.starts[rows[number] + 1]
        for index in range(start, end):
            node[index] = sets.items[index]
        deepest = start
        while node[deepest] != root and not _found(node, supports, start, end, k):
            deepest = start
            for index in range(start + 1, end):
                if depths[node[index]] > depths[node[deepest]]:
                    deepest = index
            upper = tree.parent[node[deepest]]
            for index in range(start, end):
                if tree.first_leaf[upper] <= sets.items[index] <= tree.last_leaf[upper]:
                    node[index] = upper
        finished[number] = node[deepest] != root
        for index in range(start, end):
            if not finished[number]:
                node[index] = sets.items[index]
            elif counted_for[node[index]] != number:
                counted_for[node[index]] = number
                supports[node[index]] += 1
    return finished


@kernel(part=True)
def _found(node: Items, supports: Ints, start: int, end: int, k: int) -> bool:
    rarest = k
    for index in range(start, end):
        rarest = min(rarest, supports[node[index]])
    return rarest == k
