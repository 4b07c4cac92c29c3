"""The set columns of a table as one: joined for the work, split again when published."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.engine.joined_sets import JoinedSets
from shoal.engine.local import LocalData
from shoal.hierarchy.tree import NO_PARENT, Hierarchy, tree_from_nodes
from shoal.kernels.arrays import Bools, Floats, Ints, SetArrays, frozen_ints, frozen_sets, owners
from shoal.metrics.items import item_weights


@dataclass(frozen=True, eq=False)
class JointSets:
    """Items of all set columns under one numbering and, as the trees of the columns, in one tree.

    Column c has the items first[c]..first[c + 1] - 1. Node n of the tree is node node_in_column[n] of its
    column's own tree; `publishable` are the nodes that belong to a column, all but a root above several.
    """

    columns: tuple[str, ...]
    first: Ints
    transactions: Transactions
    node_in_column: Ints
    publishable: Bools
    weights: Floats

    @classmethod
    def of(cls, data: LocalData) -> Self:
        """The set columns of the data; those without a tree get a flat one."""
        joined = data.joined_sets()
        trees = {name: data.trees.get(name) or _flat(data, name) for name in data.quasi_sets}
        # A tree without leaves would become a leaf below a root above several.
        columns = tuple(name for name, tree in trees.items() if tree.leaf_count) or data.quasi_sets[:1]
        first = np.cumsum([0, *(trees[name].leaf_count for name in columns)], dtype=np.int64)
        tree, node_in_column = _joined_tree([trees[name] for name in columns])
        publishable = np.ones(tree.node_count, dtype=np.bool_)
        publishable[tree.root] = len(columns) == 1
        return cls(
            columns=columns,
            first=first,
            transactions=Transactions(
                tree, _renumbered(joined, columns, first), joined.sensitive, joined.whole_of
            ),
            node_in_column=node_in_column,
            publishable=publishable,
            weights=np.concatenate([np.empty(0), *(item_weights(data, name) for name in columns)]),
        )

    @property
    def column_of_item(self) -> Ints:
        """The place of each item's column."""
        return owners(self.first)

    def items_of(self, column: int) -> slice:
        """The items of a column."""
        return slice(int(self.first[column]), int(self.first[column + 1]))


def _flat(data: LocalData, column: str) -> Hierarchy:
    items = data.table.sets(column).domain.texts()
    return tree_from_nodes([*items, ""], [*[len(items)] * len(items), NO_PARENT])


def _joined_tree(trees: Sequence[Hierarchy]) -> tuple[Hierarchy, Ints]:
    if len(trees) == 1:
        return trees[0], np.arange(trees[0].node_count, dtype=np.int64)
    labels, parents, order, nodes = ["*"], [NO_PARENT], [0], [-1]
    items_before = 0
    for index, tree in enumerate(trees):
        kept = np.delete(np.arange(tree.node_count), tree.missing)
        number = np.full(tree.node_count, NO_PARENT, dtype=np.int64)
        number[kept] = len(labels) + np.arange(len(kept))
        above = number[tree.arrays.parent[kept]]
        above[-1] = 0  # the root of a column, its last node, hangs under the joint one
        labels += [f"{index} {node}" for node in kept.tolist()]
        parents += above.tolist()
        order += (items_before + tree.arrays.first_leaf[kept]).tolist()
        nodes += kept.tolist()
        items_before += tree.leaf_count
    joint = tree_from_nodes(labels, parents, order=order)
    node_of_label = dict(zip(labels, nodes, strict=True))
    return joint, frozen_ints([node_of_label.get(label, -1) for label in joint.labels])


def _renumbered(joined: JoinedSets, columns: Sequence[str], first: Ints) -> SetArrays:
    """The items numbered without the gap that the joined ones leave behind each column."""
    numbering = joined.quasi_items
    shift = np.zeros(len(numbering.columns), dtype=np.int64)
    for index, name in enumerate(columns):
        at = numbering.columns.index(name)
        shift[at] = first[index] - numbering.first[at]
    column = np.searchsorted(numbering.first, joined.quasi.items, side="right") - 1
    return frozen_sets(joined.quasi.starts, joined.quasi.items + shift[column])
