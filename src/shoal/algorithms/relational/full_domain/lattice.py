"""All generalizations that publish each column at one level of its tree, and what they cost at least."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.algorithms.relational.clustering.records import Records
from shoal.hierarchy.levels import nodes_at_levels
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.lattice import roll_up

Levels = tuple[int, ...]

_REMEMBERED = 32


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """One number per column and level; a point of the lattice, called a choice, is one level per column.

    Level h of a tree has, for each value, the highest node above it whose subtree is at most h high: level 0
    the values themselves, the last level the root. So in an unbalanced tree small subtrees are closed first.
    Levels that unite no two values of the table are left out: they never cost less than the level before.
    node_at[j][i, u] is the node that u of column j is published as at the i-th level that is left, which is
    level heights[j][i] of the tree.
    """

    records: Records
    node_at: tuple[Ints, ...]
    heights: tuple[Ints, ...]

    @classmethod
    def of(cls, records: Records, trees: Sequence[Hierarchy]) -> Self:
        """The lattice of a table over the trees of its columns."""
        node_at, heights = [], []
        for number, tree in enumerate(trees):
            present = np.unique(records.nodes[:, number]) - records.trees.starts[number]
            levels = nodes_at_levels(tree)
            distinct = np.array([len(np.unique(level[present])) for level in levels])
            uniting = np.flatnonzero(np.diff(distinct, prepend=len(present) + 1) < 0)
            heights.append(uniting)
            node_at.append(levels[uniting] + records.trees.starts[number])
        return cls(records, tuple(node_at), tuple(heights))

    @property
    def shape(self) -> Levels:
        """How many levels each column has."""
        return tuple(len(levels) for levels in self.node_at)

    @property
    def size(self) -> int:
        """How many choices there are."""
        return math.prod(self.shape)

    @property
    def top(self) -> Levels:
        """The choice that publishes every column as coarsely as possible."""
        return tuple(levels - 1 for levels in self.shape)

    def nodes(self, choice: Levels) -> Ints:
        """What every node of `records.trees` is published as."""
        none: Ints = np.empty(0, dtype=np.int64)
        return np.concatenate([none, *(self.node_at[j][level] for j, level in enumerate(choice))])

    def column_costs(self) -> list[Floats]:
        """The mean cost of a cell of each column at each of its levels."""
        return self.least_column_costs([np.inf] * len(self.shape))

    def least_column_costs(self, suppressed: Sequence[float]) -> list[Floats]:
        """The same where each record may also be suppressed, which costs suppressed[j] in column j."""
        records = self.records
        of_columns = []
        for number, levels in enumerate(self.node_at):
            codes = records.nodes[:, number] - records.trees.starts[number]
            rows = np.bincount(codes, weights=records.counts, minlength=levels.shape[1])
            cells = np.minimum(records.trees.cost[levels], suppressed[number])
            of_columns.append(cells @ rows / records.row_count)
        return of_columns


@dataclass(frozen=True, slots=True, eq=False)
class ClassesAt:
    """The classes of records under a choice, with the vector of nodes and the number of rows of each."""

    choice: Levels
    class_of_record: Ints
    vectors: Ints
    counts: Ints

    def is_finer_than(self, choice: Levels) -> bool:
        """Whether the other choice is nowhere below this one."""
        return all(mine <= other for mine, other in zip(self.choice, choice, strict=True))


class ClassHistory:
    """Classes under any choice, found from the fewest classes under a finer choice that are remembered."""

    def __init__(self, lattice: Lattice) -> None:
        records = lattice.records
        self._lattice = lattice
        self._all_records = ClassesAt(
            (0,) * len(lattice.shape), np.arange(len(records)), records.nodes, records.counts
        )
        self._remembered: deque[ClassesAt] = deque(maxlen=_REMEMBERED)

    def classes(self, choice: Levels) -> ClassesAt:
        """The classes under a choice."""
        finer = (known for known in self._remembered if known.is_finer_than(choice))
        source = min((self._all_records, *finer), key=lambda known: len(known.counts))
        class_of, vectors, counts = roll_up(source.vectors, source.counts, self._lattice.nodes(choice))
        found = ClassesAt(choice, class_of[source.class_of_record], vectors, counts)
        if 2 * len(counts) < len(source.counts):
            self._remembered.append(found)
        return found
