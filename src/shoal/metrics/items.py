"""What generalizing sets cost: every occurrence of an item in the original data, and what became of it.

`node_of_occurrence` runs beside the items of the original sets: the node that each occurrence is published
as, or SUPPRESSED. `nodes_under_cuts` lays one cut per part out in that form. Of several set columns a record
holds the items of all.
"""

from collections.abc import Sequence

import numpy as np

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Floats, Ints, Items, SetArrays, in_pieces, owners, piece_of, wide
from shoal.kernels.grouping import group_rows
from shoal.recoding.cuts import Cuts, Unions, Vocabulary
from shoal.recoding.generalized_clusters import SUPPRESSED
from shoal.recoding.rows import ItemRecoding
from shoal.table.roles import QuasiSet


def nodes_under_cuts(sets: SetArrays, node_of_leaf: Ints, part_of_row: Ints) -> Items:
    """The published node of each occurrence under node_of_leaf[part, leaf]; suppressed rows keep nothing."""
    nodes = np.full(len(sets.items), SUPPRESSED, dtype=np.int32)
    for first, behind in in_pieces(sets.starts):
        piece = piece_of(sets, first, behind)
        part = part_of_row[first:behind][owners(piece.starts)]
        kept = part != SUPPRESSED
        nodes[sets.starts[first] : sets.starts[behind]][kept] = node_of_leaf[part[kept], piece.items[kept]]
    return nodes


def item_ncp(words: Vocabulary, sets: SetArrays, node_of_occurrence: Items) -> float:
    """The mean over original occurrences: leaves under the node over all leaves, 0 for one leaf.

    A suppressed occurrence costs 1. Data without items cost 0.
    """
    if len(sets.items) == 0:
        return 0.0
    sizes = words.sizes
    cost_of_node = np.where(sizes > 1, sizes / words.leaf_count, 0.0)
    cost = 0.0
    for first, behind in in_pieces(sets.starts):
        nodes = node_of_occurrence[sets.starts[first] : sets.starts[behind]]
        cost += float(np.where(nodes == SUPPRESSED, 1.0, cost_of_node[nodes]).sum())
    return cost / len(sets.items)


def utility_loss(
    words: Vocabulary, sets: SetArrays, node_of_occurrence: Items, weights: Floats | None = None
) -> float:
    """UL: the mean over records of the share of possible item combinations that generalization added.

    A published node of n leaves stands for 2^n - 1 combinations; a record of nodes with `sigma` leaves in
    all for 2^sigma - 1. A record loses the sum over its generalized nodes, each counted once and times
    weights[node] (default 1), over the latter. An untouched item costs 0, a record that was empty costs 0,
    one that lost all its items costs 1. Items suppressed beside published ones leave no trace in this
    measure: `item_ncp` charges them.
    """
    total = 0.0
    for first, behind in in_pieces(sets.starts):
        piece = piece_of(sets, first, behind)
        of_piece = node_of_occurrence[sets.starts[first] : sets.starts[behind]]
        rows, nodes = published_items(piece, of_piece)
        of_nodes = None if weights is None else weights[nodes]
        total += float(_utility_losses(rows, words.sizes[nodes], np.diff(piece.starts) > 0, of_nodes).sum())
    return total / max(len(sets.starts) - 1, 1)


def mean_utility_loss(rows: Ints, sizes: Ints, had_items: Bools, weights: Floats | None = None) -> float:
    """UL of records that had items or not: row rows[i] is published with one that stands for sizes[i]."""
    return float(_utility_losses(rows, sizes, had_items, weights).mean()) if len(had_items) else 0.0


def _utility_losses(rows: Ints, sizes: Ints, had_items: Bools, weights: Floats | None) -> Floats:
    row_count = len(had_items)
    sigma = np.bincount(rows, sizes, row_count)
    # Relative to 2^sigma, because 2^n itself is no floating-point number beyond a thousand leaves.
    added = np.where(sizes > 1, np.exp2(sizes - sigma[rows]) - np.exp2(-sigma[rows]), 0.0)
    if weights is not None:
        added *= weights
    published = sigma > 0
    losses = np.zeros(row_count, dtype=np.float64)
    losses[published] = np.bincount(rows, added, row_count)[published] / (1 - np.exp2(-sigma[published]))
    losses[~published & had_items] = 1.0
    return losses


def published_items(sets: SetArrays, node_of_occurrence: Items) -> tuple[Ints, Ints]:
    """Rows and nodes of the published sets: occurrences of a row that meet in one node are one item."""
    kept = np.flatnonzero(node_of_occurrence != SUPPRESSED)
    pairs = np.stack((owners(sets.starts)[kept], wide(node_of_occurrence[kept])), axis=1)
    _, distinct = group_rows(pairs)
    return pairs[distinct, 0], pairs[distinct, 1]


def joint_item_ncp(data: LocalData, items: Sequence[ItemRecoding]) -> float:
    """The mean NCP of an occurrence, each measured in its own column; 0 without items."""
    total, occurrences = 0.0, 0
    for each in items:
        sets, nodes = published_occurrences(data, each)
        total += item_ncp(each.vocabulary(data.trees), sets, nodes) * len(sets.items)
        occurrences += len(sets.items)
    return total / max(occurrences, 1)


def joint_utility_loss(data: LocalData, items: Sequence[ItemRecoding]) -> float:
    """UL of records that hold the published items of all the columns."""
    had_items: Bools = np.zeros(data.row_count, dtype=np.bool_)
    rows: list[Ints] = [np.empty(0, dtype=np.int64)]
    sizes: list[Ints] = [np.empty(0, dtype=np.int64)]
    weights: list[Floats] = [np.empty(0)]
    for each in items:
        words = each.vocabulary(data.trees)
        sets, nodes = published_occurrences(data, each)
        of_rows, of_nodes = published_items(sets, nodes)
        rows.append(of_rows)
        sizes.append(words.sizes[of_nodes])
        weights.append(weights_of_words(words, item_weights(data, each.column))[of_nodes])
        had_items |= np.diff(sets.starts) > 0
    return mean_utility_loss(np.concatenate(rows), np.concatenate(sizes), had_items, np.concatenate(weights))


def published_occurrences(data: LocalData, items: ItemRecoding) -> tuple[SetArrays, Items]:
    """The items of a column that people are found by, and what each occurrence is published as."""
    sets = data.joined_sets().of_column(items.column)
    if isinstance(items, Cuts):
        return sets, nodes_under_cuts(sets, items.node_of_leaf, items.part_of_row)
    is_quasi = np.isin(data.table.sets(items.column).narrow, sets.items)
    return sets, items.node_of_occurrence[is_quasi]


def item_weights(data: LocalData, column: str) -> Floats:
    """How much each item of a set column matters, 1 unless its role says otherwise."""
    role, items = data.roles[column], data.table.sets(column).domain.texts()
    given = role.item_weights if isinstance(role, QuasiSet) else {}
    return np.array([given.get(item, 1.0) for item in items], dtype=np.float64)


def weights_of_words(words: Vocabulary, weights: Floats) -> Floats:
    """How much each published item matters: as the items that it stands for do on average."""
    if isinstance(words, Unions):
        starts, items = words.members
        return np.add.reduceat(weights[items], starts[:-1]) / words.sizes
    if isinstance(words, Hierarchy):
        before = np.concatenate((np.zeros(1), np.cumsum(weights)))
        first = np.minimum(words.arrays.first_leaf, words.leaf_count)
        last = np.minimum(first + words.sizes, words.leaf_count)
        return (before[last] - before[first]) / np.maximum(words.sizes, 1)
    raise TypeError(f"{type(words).__name__} does not tell which items its words stand for")
