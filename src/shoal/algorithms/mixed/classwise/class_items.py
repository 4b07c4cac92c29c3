"""Two ways to publish the items of each class so that they are safe among the records of the class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from shoal.algorithms.mixed.joint_search.item_step import UnionStep
from shoal.algorithms.mixed.joint_search.joint_sets import JointSets
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.task import fitting
from shoal.algorithms.sets.cut_search.transactions import Transactions, with_sensitive_items
from shoal.algorithms.sets.itemwise.descent import descend, largest_m
from shoal.engine.local import LocalData
from shoal.kernels.arrays import Bools, Ints
from shoal.kernels.grouping import members
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, ItemNodes
from shoal.recoding.rows import ItemRecoding


class ClassItems(Protocol):
    """Publishes the items of every class on their own."""

    def find(self, class_of_row: Ints, progress: Progress) -> tuple[ItemRecoding, ...]:
        """A recoding for each set column; classes are numbered from 0 without gaps."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitedItems:
    """Items that are rare in a class are united with others of the same column, by PCTA."""

    step: UnionStep

    @classmethod
    def of(cls, data: LocalData, models: Sequence[Model]) -> Self:
        """For any number of set columns; trees are not looked at."""
        sets = JointSets.of(data)
        tree, longest = sets.transactions.tree, sets.transactions.longest
        constraint, _ = fitting(ItemConstraint.of_classes(models), tree, longest)
        return cls(UnionStep(data, sets, constraint))

    def find(self, class_of_row: Ints, progress: Progress) -> tuple[Cuts, ...]:
        """PCTA in one class after the other."""
        count = int(class_of_row.max()) + 1
        starts, rows = members(class_of_row, count)
        parts = []
        for number, of_class in enumerate(np.split(rows, starts[1:-1])):
            progress.update(number, count)
            parts.append(self.step.solve(of_class, progress))
        return self.step.cuts(parts, class_of_row)


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Every occurrence of an item goes down the tree of the only set column, as Itemwise does it."""

    data: LocalData
    column: str
    transactions: Transactions
    k: int
    m: int

    @classmethod
    def of(cls, data: LocalData, models: Sequence[Model]) -> Self | None:
        """None if there is no tree, more than one set column, or too much to count in that tree."""
        if len(data.quasi_sets) != 1 or data.quasi_sets[0] not in data.trees:
            return None
        transactions, constraint = Transactions.of(data), ItemConstraint.of_classes(models)
        m = min(constraint.m, max(1, transactions.longest))
        if m > largest_m(transactions, data.row_count):
            return None
        return cls(data, data.quasi_sets[0], transactions, constraint.k, m)

    def find(self, class_of_row: Ints, progress: Progress) -> tuple[ItemNodes]:
        """Items go down within their class; a class in which fewer than k records have any shows none."""
        transactions = self.transactions
        holding = np.bincount(class_of_row, transactions.sizes > 0)
        shown: Bools = (holding >= self.k)[class_of_row]
        rows = np.flatnonzero(shown)
        nodes = np.full(len(transactions.sets.items), SUPPRESSED_ITEM, dtype=np.int32)
        if len(rows):
            found = descend(transactions.taking(rows), class_of_row[rows], self.k, self.m, progress)
            nodes[np.repeat(shown, transactions.sizes)] = found.node_of_occurrence
        every = with_sensitive_items(self.data, self.column, nodes)
        nobody_hidden = np.zeros(self.data.row_count, dtype=np.bool_)
        return (ItemNodes(self.column, every, nobody_hidden),)
