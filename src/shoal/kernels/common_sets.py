"""Sets of nodes that several records can be published as, and what each record loses by that.

A published set is a list of nodes in tree order, none above another. A record can truthfully be published as
it when each of its items lies under one of the nodes and no node is without an item of the record. Of all the
sets that two published sets can both be generalized to one is the finest: see `common_set`.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints, Items, SetArrays
from shoal.kernels.compile import kernel

_LEFT, _RIGHT, _BOTH = 1, 2, 3


class CostTree(NamedTuple):
    """A tree as `TreeArrays`, seen from above too: node u has the children nodes[starts[u]:starts[u + 1]].

    Children are in tree order; a leaf has none. `cost[u]` is what an occurrence costs that is published as u.
    """

    parent: Ints
    first_leaf: Ints
    last_leaf: Ints
    starts: Ints
    nodes: Ints
    cost: Ints


class TwoSets(NamedTuple):
    """Room for two published sets, for what they have in common, and for which of them holds each node."""

    left: Ints
    right: Ints
    common: Ints
    held_by: Ints


def room_for_two_sets(sets: SetArrays) -> TwoSets:
    """Room for whatever any two of the rows can be published as."""
    longest = int(np.diff(sets.starts).max(initial=0))
    return TwoSets(*(np.empty(2 * longest, dtype=np.int64) for _ in range(4)))


@kernel
def common_set(tree: CostTree, two: TwoSets, left_count: int, right_count: int) -> int:
    """Put the finest set that both sets, which are not empty, can be generalized to, into `two.common`.

    Returns its length. A node under which one of the two has nothing must be raised, whatever else is done,
    so the order of raising does not matter. O(nodes * height).
    """
    count, i, j = 0, 0, 0
    while i < left_count or j < right_count:
        if j == right_count or (i < left_count and _comes_before(tree, two.left[i], two.right[j])):
            node, holder = two.left[i], _LEFT
            i += 1
        else:
            node, holder = two.right[j], _RIGHT
            j += 1
        if count > 0 and covers(tree, two.common[count - 1], node):
            two.held_by[count - 1] |= holder
        else:
            two.common[count] = node
            two.held_by[count] = holder
            count += 1
    return _raised_until_both(tree, two.common, two.held_by, count)


@kernel
def add_to_left(tree: CostTree, two: TwoSets, left_count: int, right_count: int) -> int:
    """Generalize the left set, if there is any, to what both have in common; returns its length."""
    if left_count == 0:
        for index in range(right_count):
            two.left[index] = two.right[index]
        return right_count
    count = common_set(tree, two, left_count, right_count)
    for index in range(count):  # assigning slices takes a second to compile
        two.left[index] = two.common[index]
    return count


@kernel(part=True)
def _raised_until_both(tree: CostTree, nodes: Ints, held_by: Ints, count: int) -> int:
    """Raise each node until both hold something under it; what lies under a raised node goes into it."""
    kept, index = 0, 0
    while index < count:
        node, holder = nodes[index], held_by[index]
        index += 1
        while holder != _BOTH:
            node = tree.parent[node]
            while kept > 0 and covers(tree, node, nodes[kept - 1]):
                kept -= 1
                holder |= held_by[kept]
            while index < count and covers(tree, node, nodes[index]):
                holder |= held_by[index]
                index += 1
        nodes[kept] = node
        held_by[kept] = holder
        kept += 1
    return kept


@kernel
def covers(tree: CostTree, upper: int, lower: int) -> bool:
    """Whether `upper` is `lower` or above it."""
    return (
        upper >= lower  # which tells nodes with the same leaves apart
        and tree.first_leaf[upper] <= tree.first_leaf[lower]
        and tree.last_leaf[lower] <= tree.last_leaf[upper]
    )


@kernel(part=True)
def _comes_before(tree: CostTree, left: int, right: int) -> bool:
    """Tree order, nodes before what lies under them."""
    first, other = tree.first_leaf[left], tree.first_leaf[right]
    return first < other or (first == other and left > right)


@kernel(part=True)
def loss_as(tree: CostTree, sets: SetArrays, row: int, nodes: Ints) -> int:
    """What the items of a row cost together when they are published as the given set."""
    loss, place_in_set = 0, 0
    for index in range(sets.starts[row], sets.starts[row + 1]):
        while tree.last_leaf[nodes[place_in_set]] < sets.items[index]:
            place_in_set += 1
        loss += tree.cost[nodes[place_in_set]]
    return loss


@kernel
def publish_as(tree: CostTree, sets: SetArrays, row: int, nodes: Ints, node_of_occurrence: Items) -> None:
    """Note for each item of a row under which node of the given set it lies."""
    place_in_set = 0
    for index in range(sets.starts[row], sets.starts[row + 1]):
        while tree.last_leaf[nodes[place_in_set]] < sets.items[index]:
            place_in_set += 1
        node_of_occurrence[index] = nodes[place_in_set]


@kernel
def published_set(sets: SetArrays, row: int, node_of_occurrence: Items, out: Ints) -> int:
    """The set that a row is published as; returns its length."""
    count = 0
    for index in range(sets.starts[row], sets.starts[row + 1]):
        node = node_of_occurrence[index]
        if count == 0 or out[count - 1] != node:
            out[count] = node
            count += 1
    return count
