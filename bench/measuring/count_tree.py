"""How many nodes the count-trees have that the printed algorithms for k^m-anonymity hold.

Shoal walks through the itemsets of such a tree without ever holding it, so its nodes are counted here, apart
from the search. A node is a prefix of an itemset that was put into the tree, with the items in its order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np

from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.cut_search.violations import (
    Pause,
    Violation,
    Violations,
    numbers_at_all_levels,
)
from shoal.kernels.arrays import Ints
from shoal.kernels.rare_itemsets import lay_out


@dataclass(frozen=True)
class CountTree:
    """A tree that a search went through, and which transactions it was made of."""

    transactions: object
    nodes: int


@contextmanager
def watched_count_trees() -> Iterator[list[CountTree]]:
    """The trees that searches go through meanwhile, in the order in which they begin."""
    walk, trees = Violations.at_any_level, []

    def watched(
        self: Violations, cut: Cut, nodes: Ints, size: int, *, lighter: bool
    ) -> Iterator[Violation | Pause]:
        count = count_tree_nodes(self.transactions, nodes, size, shorter=lighter)
        trees.append(CountTree(self.transactions, count))
        return walk(self, cut, nodes, size, lighter=lighter)

    Violations.at_any_level = watched  # type: ignore[method-assign]
    try:
        yield trees
    finally:
        Violations.at_any_level = walk  # type: ignore[method-assign]


def nodes_at_once(trees: Sequence[CountTree], *, then_all: bool) -> int:
    """The nodes that are held if all parts are searched at the same time, and `then_all` items together."""
    largest: dict[object, int] = defaultdict(int)
    for tree in trees:
        largest[tree.transactions] = max(largest[tree.transactions], tree.nodes)
    of_parts = list(largest.values())
    last = of_parts.pop() if then_all else 0
    return max(last, sum(of_parts))


def count_tree_nodes(transactions: Transactions, nodes: Ints, size: int, *, shorter: bool) -> int:
    """The nodes of the tree with the sets of so many of the given nodes, or of fewer if `shorter`.

    Its order is that in which the nodes are given; no set has a node and one above it.
    """
    numbers_of_leaf = numbers_at_all_levels(transactions.tree, nodes)
    rows = np.arange(transactions.row_count)
    items = lay_out(transactions.sets, rows, numbers_of_leaf, len(nodes))
    row_starts = np.concatenate(([0], np.flatnonzero(items >= len(nodes))[:-1] + 1))
    laid = _Laid(
        items,
        np.stack((transactions.leaves.first[nodes], transactions.leaves.last[nodes])),
        np.zeros(len(nodes), dtype=np.int64),
        np.empty(size, dtype=np.int64),
        shorter,
    )
    return int(_nodes_below(laid, row_starts, 0))


class _Laid(NamedTuple):
    """Rows end to end, each with ascending numbers of nodes and a larger number as its end.

    `leaves` are the first and the last under each node, `counts` is zero before and after each use, and
    `prefix` has room for one set.
    """

    items: Ints
    leaves: Ints
    counts: Ints
    prefix: Ints
    shorter: bool


_compiled: Any = numba.njit(nogil=True, cache=True)


@_compiled
def _nodes_below(laid: _Laid, places: Ints, depth: int) -> int:
    """The nodes below the first `depth` numbers of the prefix, whose rows go on at the given places."""
    items, counts = laid.items, laid.counts
    touched = np.empty(len(counts), dtype=np.int64)
    met, room = 0, 0
    for place in places:
        index = place
        while items[index] < len(counts):
            number = items[index]
            if not _is_kin(laid, depth, number):
                if counts[number] == 0:
                    touched[met] = number
                    met += 1
                counts[number] += 1
                room += 1
            index += 1
    if depth + 1 == len(laid.prefix):
        counts[touched[:met]] = 0
        return met
    starts = np.empty(met + 1, dtype=np.int64)
    starts[0] = 0
    for branch in range(met):
        starts[branch + 1] = starts[branch] + counts[touched[branch]]
        counts[touched[branch]] = starts[branch]
    next_places = np.empty(room, dtype=np.int64)
    for place in places:
        index = place
        while items[index] < len(counts):
            number = items[index]
            if not _is_kin(laid, depth, number):
                next_places[counts[number]] = index + 1
                counts[number] += 1
            index += 1
    counts[touched[:met]] = 0
    nodes = 0
    for branch in range(met):
        laid.prefix[depth] = touched[branch]
        below = _nodes_below(laid, next_places[starts[branch] : starts[branch + 1]], depth + 1)
        nodes += below + (1 if laid.shorter or below > 0 else 0)
    return nodes


@_compiled
def _is_kin(laid: _Laid, depth: int, number: int) -> bool:
    """Whether a node is above or below one of the first of the prefix."""
    first, last = laid.leaves[0], laid.leaves[1]
    for index in range(depth):
        other = laid.prefix[index]
        if first[number] <= first[other] and last[other] <= last[number]:
            return True
        if first[other] <= first[number] and last[number] <= last[other]:
            return True
    return False
