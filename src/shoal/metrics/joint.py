"""What generalizing the items of several set columns cost together: a record holds the items of all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Floats, Ints, SetArrays
from shoal.metrics.items import item_ncp, mean_utility_loss, nodes_under_cuts, published_items
from shoal.recoding.cuts import Cuts, Unions, Vocabulary
from shoal.recoding.rows import ItemRecoding
from shoal.table.roles import QuasiSet


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


def published_occurrences(data: LocalData, items: ItemRecoding) -> tuple[SetArrays, Ints]:
    """The items of a column that people are found by, and what each occurrence is published as."""
    sets = data.joined_sets().of_column(items.column)
    if isinstance(items, Cuts):
        return sets, nodes_under_cuts(sets, items.node_of_leaf, items.part_of_row)
    is_quasi = np.isin(data.table.sets(items.column).arrays.items, sets.items)
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
