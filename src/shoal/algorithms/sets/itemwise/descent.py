"""Every occurrence of an item begins at the root and goes down as far as the promise allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.kernels.arrays import Ints, Items
from shoal.kernels.grouping import members
from shoal.kernels.itemwise import Labelled, LabelSets, publish_below
from shoal.progress import Progress

_LARGEST_KEY = 2**62
_MOST_SETS_OF_A_ROW = 2**17
_OCCURRENCES_PER_SLICE = 2_000_000
_WORTH_ANOTHER_ROUND = 1e-3  # share of the occurrences that went down in the last one


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """What each occurrence is published as; `in_time` unless some might have gone further down."""

    node_of_occurrence: Items
    in_time: bool


def largest_m(transactions: Transactions, groups: int = 1) -> int:
    """The most labels of which sets can be counted: each is a number of 62 bits."""
    base, m = transactions.tree.node_count + 1, 1
    while groups * base**m < _LARGEST_KEY:
        m += 1
    return m


def descend(transactions: Transactions, group_of_row: Ints, k: int, m: int, progress: Progress) -> Descent:
    """Publish items in as much detail as leaves every set of at most m labels of a group k of its rows.

    Groups are numbered from 0 without gaps, and k rows of each have an item. m is at most `largest_m`.
    """
    labelled = _all_at_the_root(transactions, group_of_row, m)
    beside = LabelSets(k, m - 1, transactions.tree.node_count + 1, _MOST_SETS_OF_A_ROW)
    while True:
        moved = 0
        for done, (node, below) in enumerate(_steps(transactions)):
            if progress.expired():
                return Descent(labelled.node_of, in_time=False)
            progress.update(done, transactions.tree.node_count - transactions.tree.leaf_count)
            moved += publish_below(labelled, beside, node, below)
        if moved <= _WORTH_ANOTHER_ROUND * len(labelled.node_of):
            return Descent(labelled.node_of, in_time=True)


def _all_at_the_root(transactions: Transactions, group_of_row: Ints, m: int) -> Labelled:
    sets, root = transactions.sets, transactions.tree.root
    place_starts, places = members(sets.items, transactions.tree.leaf_count)
    rows = np.arange(transactions.row_count, dtype=np.int32)
    return Labelled(
        sets=sets,
        row_of=np.repeat(rows, transactions.sizes),
        group_of=group_of_row,
        node_of=np.full(len(sets.items), root, dtype=np.int32),
        labels=np.full(len(sets.items), root, dtype=np.int32),
        label_counts=np.minimum(transactions.sizes, 1),
        place_starts=place_starts,
        places=places.astype(np.int32),
        leaves=transactions.leaves,
        marked=np.zeros(transactions.row_count, dtype=np.bool_),
        memory=np.empty(transactions.longest + m, dtype=np.int64),
    )


def _steps(transactions: Transactions) -> Iterator[tuple[int, Ints]]:
    """Inner nodes from the root on, each with nodes below it, the widest ones first and then the frequent.

    What is below a wide node comes in several steps, so that none takes long.
    """
    tree, leaves, occurrences = transactions.tree, transactions.leaves, transactions.occurrences
    nodes = np.flatnonzero(occurrences > 0)
    nodes = nodes[np.lexsort((nodes, -occurrences[nodes], -tree.sizes[nodes]))]
    for node in nodes[tree.sizes[nodes] > 1].tolist():
        within = (leaves.first[nodes] >= leaves.first[node]) & (leaves.last[nodes] <= leaves.last[node])
        below = nodes[within & (tree.sizes[nodes] < tree.sizes[node])]
        most = max(int(occurrences[node]), _OCCURRENCES_PER_SLICE)
        slice_of_node = np.cumsum(occurrences[below]) // most
        for part in np.split(below, np.flatnonzero(np.diff(slice_of_node)) + 1):
            yield node, part
