"""The sets of a column as searches for a cut ask about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import (
    Bools,
    Ints,
    Items,
    SetArrays,
    counts_of,
    freeze,
    frozen_ints,
    only_items,
    piece_of,
    starts_of,
    taken_rows,
)
from shoal.kernels.set_supports import Intervals, ItemIndex, node_supports, rows_holding, rows_of_leaves
from shoal.threads import mapped, shares

_ITEMS_FOR_THREADS = 200_000


class Counted(Protocol):
    """What searches know about sets wherever these are: a tree, and how often its items occur."""

    @property
    def tree(self) -> Hierarchy:
        """The tree whose leaves are the items."""

    @property
    def leaves(self) -> Intervals:
        """The leaves under each node: first and last; the missing value is under none but itself."""

    @property
    def occurrences(self) -> Ints:
        """How often items under each node occur."""

    @property
    def row_count(self) -> int:
        """How many transactions there are, empty ones included."""


@dataclass(frozen=True, eq=False)
class Transactions:
    """Sets of leaves of a tree, one per row, and the sensitive items beside them.

    `sensitive` and `whole_of` are those of `JoinedSets`. Sensitive items of the set column are in `sensitive`
    only: they are never generalized.
    """

    tree: Hierarchy
    sets: SetArrays
    sensitive: SetArrays
    whole_of: Ints

    @classmethod
    def of(cls, data: LocalData) -> Self:
        """The one set column of the data; refuses several, and one without a tree."""
        column = set_column(data)
        joined = data.joined_sets()
        return cls(data.trees[column], joined.quasi, joined.sensitive, joined.whole_of)

    def taking(self, rows: Ints) -> Self:
        """The given rows only."""
        return replace(self, sets=taken_rows(self.sets, rows), sensitive=taken_rows(self.sensitive, rows))

    def within(self, leaves: Bools) -> Self:
        """All rows, with the given leaves only."""
        return replace(self, sets=only_items(self.sets, leaves[self.sets.items]))

    @property
    def row_count(self) -> int:
        """How many transactions there are, empty ones included."""
        return len(self.sets.starts) - 1

    @cached_property
    def sizes(self) -> Ints:
        """How many items each row has."""
        return frozen_ints(np.diff(self.sets.starts))

    @cached_property
    def longest(self) -> int:
        """The largest number of items in a row."""
        return int(self.sizes.max(initial=0))

    @cached_property
    def non_empty(self) -> int:
        """How many rows have an item."""
        return int(np.count_nonzero(self.sizes))

    @cached_property
    def leaves(self) -> Intervals:
        """The leaves under each node: first and last; the missing value is under none but itself."""
        return leaves_under_nodes(self.tree)

    @cached_property
    def occurrences(self) -> Ints:
        """How often items under each node occur."""
        return occurrences_under_nodes(counts_of(self.sets.items, self.tree.leaf_count), self.leaves)

    @cached_property
    def supports(self) -> Ints:
        """How many rows hold an item under each node."""

        def of_rows(rows: tuple[int, int]) -> Ints:
            return node_supports(piece_of(self.sets, *rows), self.tree.arrays.parent)

        parts = shares(self.row_count, len(self.sets.items), _ITEMS_FOR_THREADS)
        return frozen_ints(sum(mapped(of_rows, parts)))

    @cached_property
    def index(self) -> ItemIndex:
        """The rows of each leaf."""
        starts, rows = rows_of_leaves(self.sets, self.tree.leaf_count)
        return ItemIndex(self.sets, starts, rows)

    def rows(self, present: Sequence[int], absent: Sequence[int] = (), most: int | None = None) -> Ints:
        """Rows that hold all the present nodes and none of the absent ones; no more than `most`."""
        most = self.row_count if most is None else most
        return rows_holding(self.index, self._intervals(present), self._intervals(absent), most)

    def _intervals(self, nodes: Sequence[int]) -> Intervals:
        chosen = np.array(nodes, dtype=np.int64)
        return Intervals(self.leaves.first[chosen], self.leaves.last[chosen])


def leaves_under_nodes(tree: Hierarchy) -> Intervals:
    """The leaves under each node: first and last; the missing value is under none but itself."""
    first = tree.arrays.first_leaf
    return Intervals(first, frozen_ints(first + tree.sizes - 1))


def occurrences_under_nodes(of_leaves: Ints, leaves: Intervals) -> Ints:
    """How often leaves under each node occur, given that of each leaf."""
    before = starts_of(of_leaves)
    return frozen_ints(before[np.minimum(leaves.last + 1, len(of_leaves))] - before[leaves.first])


class WithSets(Protocol):
    """Data of which a column of sets is asked for, wherever they are."""

    @property
    def quasi_sets(self) -> tuple[str, ...]:
        """Quasi-identifiers with sets."""

    @property
    def trees(self) -> Mapping[str, Hierarchy]:
        """The trees of columns."""


def only_set_column(
    data: WithSets,
    what: str = "a cut is searched for one set column at a time",
    remedy: str = "give one column the role of a quasi-identifier with sets",
) -> str:
    """The name of the only set column; BadInput if there is none, or several."""
    if len(data.quasi_sets) != 1:
        raise BadInput(Problem(f"{what}, and there are {len(data.quasi_sets)}", remedy))
    return data.quasi_sets[0]


def set_column(data: WithSets) -> str:
    """The name of the set column that a cut is searched for."""
    column = only_set_column(data)
    if column not in data.trees:
        remedy = "give the column one, such as fanout"
        raise BadInput(Problem("generalizing items needs a hierarchy", remedy, column=column))
    return column


def with_sensitive_items(data: LocalData, column: str, nodes: Items) -> Items:
    """What all items of a set column are published as, given that of the others: sensitive ones stay."""
    items = data.table.sets(column).narrow
    if len(nodes) == len(items):
        return freeze(nodes)
    sensitive: Bools = np.ones(data.trees[column].leaf_count, dtype=np.bool_)
    sensitive[data.joined_sets().of_column(column).items] = False
    every = items.astype(np.int32)
    every[~sensitive[items]] = nodes
    return freeze(every)
