"""What generalizing sets cost: every occurrence of an item in the original data, and what became of it.

`node_of_occurrence` runs beside the items of the original sets: the node that each occurrence is published
as, or SUPPRESSED. `nodes_under_cuts` lays one cut per part out in that form.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Bools, Floats, Ints, SetArrays, owners
from shoal.kernels.grouping import group_rows
from shoal.recoding.cuts import Vocabulary
from shoal.recoding.generalized_clusters import SUPPRESSED


def nodes_under_cuts(sets: SetArrays, node_of_leaf: Ints, part_of_row: Ints) -> Ints:
    """The published node of each occurrence under node_of_leaf[part, leaf]; suppressed rows keep nothing."""
    part = part_of_row[owners(sets.starts)]
    kept = part != SUPPRESSED
    nodes = np.full(len(sets.items), SUPPRESSED, dtype=np.int64)
    nodes[kept] = node_of_leaf[part[kept], sets.items[kept]]
    return nodes


def item_ncp(words: Vocabulary, sets: SetArrays, node_of_occurrence: Ints) -> float:
    """The mean over original occurrences: leaves under the node over all leaves, 0 for one leaf.

    A suppressed occurrence costs 1. Data without items cost 0.
    """
    if len(sets.items) == 0:
        return 0.0
    sizes = words.sizes
    cost_of_node = np.where(sizes > 1, sizes / words.leaf_count, 0.0)
    costs = np.where(node_of_occurrence == SUPPRESSED, 1.0, cost_of_node[node_of_occurrence])
    return float(costs.mean())


def utility_loss(
    words: Vocabulary, sets: SetArrays, node_of_occurrence: Ints, weights: Floats | None = None
) -> float:
    """UL: the mean over records of the share of possible item combinations that generalization added.

    A published node of n leaves stands for 2^n - 1 combinations; a record of nodes with `sigma` leaves in
    all for 2^sigma - 1. A record loses the sum over its generalized nodes, each counted once and times
    weights[node] (default 1), over the latter. An untouched item costs 0, a record that was empty costs 0,
    one that lost all its items costs 1. Items suppressed beside published ones leave no trace in this
    measure: `item_ncp` charges them.
    """
    rows, nodes = published_items(sets, node_of_occurrence)
    of_nodes = None if weights is None else weights[nodes]
    return mean_utility_loss(rows, words.sizes[nodes], np.diff(sets.starts) > 0, of_nodes)


def mean_utility_loss(rows: Ints, sizes: Ints, had_items: Bools, weights: Floats | None = None) -> float:
    """UL of records that had items or not: row rows[i] is published with one that stands for sizes[i]."""
    row_count = len(had_items)
    if row_count == 0:
        return 0.0
    sigma = np.bincount(rows, sizes, row_count)
    # Relative to 2^sigma, because 2^n itself is no floating-point number beyond a thousand leaves.
    added = np.where(sizes > 1, np.exp2(sizes - sigma[rows]) - np.exp2(-sigma[rows]), 0.0)
    if weights is not None:
        added *= weights
    published = sigma > 0
    losses = np.zeros(row_count, dtype=np.float64)
    losses[published] = np.bincount(rows, added, row_count)[published] / (1 - np.exp2(-sigma[published]))
    losses[~published & had_items] = 1.0
    return float(losses.mean())


def published_items(sets: SetArrays, node_of_occurrence: Ints) -> tuple[Ints, Ints]:
    """Rows and nodes of the published sets: occurrences of a row that meet in one node are one item."""
    kept = np.flatnonzero(node_of_occurrence != SUPPRESSED)
    pairs = np.stack((owners(sets.starts)[kept], node_of_occurrence[kept]), axis=1)
    _, distinct = group_rows(pairs)
    return pairs[distinct, 0], pairs[distinct, 1]
