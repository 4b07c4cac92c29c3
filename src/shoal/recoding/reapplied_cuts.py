"""The cuts of an earlier recoding for other sets: items are found again by their labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.errors import BadInput
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Floats, Ints, counts_of, frozen_sets
from shoal.kernels.regions import cheapest_parts
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, Unions
from shoal.recoding.regions import NOT_THERE, nodes_by_label, other_meanings
from shoal.recoding.saved_recoding import SavedTree
from shoal.table.columns import Sets, Table


@dataclass(frozen=True, slots=True, eq=False)
class ReappliedCuts:
    """What the items of a column of sets are published as in each part of an earlier recoding.

    cost_of_item[p, i] is what part p loses of item i, between 0 and 1. Items that no label of an earlier
    recoding covers vanish.
    """

    column: str
    sets: Sets
    node_of_leaf: Ints
    cost_of_item: Floats
    unions: Unions | None = None

    def costs(self) -> Floats:
        """What each part loses of an item of the sets on average."""
        counts = counts_of(self.sets.narrow, self.cost_of_item.shape[1])
        costs: Floats = self.cost_of_item @ counts / max(int(counts.sum()), 1)
        return costs

    def cheapest(self) -> Ints:
        """For each record the part that loses least of its items."""
        return cheapest_parts(self.sets.arrays, np.ascontiguousarray(self.cost_of_item))

    def cuts(self, part_of_row: Ints, published: Bools, *, withholding: bool) -> Cuts:
        """The cuts of records in these parts; those that are not published are in one that shows nothing.

        With `withholding` these are left out by the cuts, otherwise by clusters.
        """
        if published.all():
            return Cuts(self.column, part_of_row, self.node_of_leaf, unions=self.unions)
        nothing = np.full((1, self.node_of_leaf.shape[1]), SUPPRESSED_ITEM, dtype=np.int64)
        nodes = np.concatenate((self.node_of_leaf, nothing))
        part_of_row = np.where(published, part_of_row, len(nodes) - 1)
        withheld = ~published if withholding else None
        return Cuts(self.column, part_of_row, nodes, unions=self.unions, withheld=withheld)


def reapplied(
    cuts: Cuts, saved: SavedTree | None, table: Table, trees: Mapping[str, Hierarchy]
) -> ReappliedCuts:
    """The cuts for the sets of a table; BadInput if labels mean something else in its tree."""
    sets = table.sets(cuts.column)
    if cuts.unions is None and saved is not None:
        return _under_a_tree(cuts, saved, sets, trees)
    return _united(cuts, cuts.unions, sets)


def _under_a_tree(cuts: Cuts, saved: SavedTree, sets: Sets, trees: Mapping[str, Hierarchy]) -> ReappliedCuts:
    used = np.unique(cuts.node_of_leaf[cuts.node_of_leaf != SUPPRESSED_ITEM])
    if problems := list(other_meanings(cuts.column, saved, trees.get(cuts.column), used)):
        raise BadInput(*problems)
    tree = trees[cuts.column]
    before = _found_again(tree.leaf_labels, saved.labels[: saved.leaf_count])
    decided = np.append(cuts.node_of_leaf, np.full((cuts.part_count, 1), SUPPRESSED_ITEM), axis=1)
    nodes = np.append(nodes_by_label(saved, tree), SUPPRESSED_ITEM)[decided[:, before]]
    if (before == NOT_THERE).any():
        for of_part in nodes:
            _cover_new_items(of_part, before == NOT_THERE, tree)
    return ReappliedCuts(cuts.column, sets, nodes, _costs(nodes, tree.sizes, tree.leaf_count))


def _cover_new_items(nodes: Ints, new: Bools, tree: Hierarchy) -> None:
    """Let nodes of a cut stand for items below them that the earlier tree did not have; the lowest does."""
    inner = np.unique(nodes[nodes > tree.leaf_count])[::-1]  # parents have larger numbers
    for node in inner.tolist():
        below = slice(int(tree.arrays.first_leaf[node]), int(tree.arrays.last_leaf[node]) + 1)
        nodes[below][new[below]] = node


def _united(cuts: Cuts, unions: Unions | None, sets: Sets) -> ReappliedCuts:
    if unions is None:
        raise ValueError("items are united, or they have a tree")
    items = tuple(sets.domain.texts())
    before = _found_again(items, unions.labels[: unions.leaf_count])
    here = np.full(unions.leaf_count, NOT_THERE, dtype=np.int64)
    here[before[before != NOT_THERE]] = np.flatnonzero(before != NOT_THERE)
    number_of = np.append(here, len(items) + np.arange(len(unions.labels) - unions.leaf_count))
    decided = np.append(cuts.node_of_leaf, np.full((cuts.part_count, 1), SUPPRESSED_ITEM), axis=1)
    nodes = np.append(number_of, SUPPRESSED_ITEM)[decided[:, before]]
    united = np.split(here[unions.members.items], unions.members.starts[1:-1])[unions.leaf_count :]
    known = [*np.arange(len(items)).reshape(-1, 1), *(np.sort(some[some != NOT_THERE]) for some in united)]
    vocabulary = Unions(
        (*items, *unions.labels[unions.leaf_count :]),
        frozen_sets(np.cumsum([0, *map(len, known)]), np.concatenate([*known, here[:0]])),
        len(items),
    )
    sizes = np.append(np.ones(len(items), dtype=np.int64), unions.sizes[unions.leaf_count :])
    costs = _costs(nodes, sizes, unions.leaf_count)
    return ReappliedCuts(cuts.column, sets, nodes, costs, vocabulary)


def _found_again(labels: tuple[str, ...], earlier: tuple[str, ...]) -> Ints:
    """Where each label stood before, or NOT_THERE."""
    place_of = {label: place for place, label in enumerate(earlier)}
    return np.array([place_of.get(label, NOT_THERE) for label in labels], dtype=np.int64)


def _costs(nodes: Ints, sizes: Ints, leaf_count: int) -> Floats:
    costs: Floats = np.where(nodes == SUPPRESSED_ITEM, 1.0, (sizes[nodes] - 1) / max(leaf_count - 1, 1))
    return costs
