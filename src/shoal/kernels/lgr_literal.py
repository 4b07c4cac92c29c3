"""Raising the items of single records until others have the same: the first of the rounds of LGR."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, SetArrays, TreeArrays
from shoal.kernels.compile import kernel


class Published(NamedTuple):
    """node[p] is what sets.items[p] is published as, supports[u] how many finished rows hold u."""

    sets: SetArrays
    tree: TreeArrays
    depths: Ints
    node: Ints
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
        for place in range(start, end):
            node[place] = sets.items[place]
        deepest = start
        while node[deepest] != root and not _found(node, supports, start, end, k):
            deepest = start
            for place in range(start + 1, end):
                if depths[node[place]] > depths[node[deepest]]:
                    deepest = place
            upper = tree.parent[node[deepest]]
            for place in range(start, end):
                if tree.first_leaf[upper] <= sets.items[place] <= tree.last_leaf[upper]:
                    node[place] = upper
        finished[number] = node[deepest] != root
        for place in range(start, end):
            if not finished[number]:
                node[place] = sets.items[place]
            elif counted_for[node[place]] != number:
                counted_for[node[place]] = number
                supports[node[place]] += 1
    return finished


@kernel
def _found(node: Ints, supports: Ints, start: int, end: int, k: int) -> bool:
    rarest = k
    for place in range(start, end):
        rarest = min(rarest, supports[node[place]])
    return rarest == k
