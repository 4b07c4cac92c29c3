"""The order in which a Hilbert curve meets the records of a table whose columns have trees."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.algorithms.relational.clustering.records import Records
from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints
from shoal.kernels.hilbert import curve_positions

_MOST_BITS = 40


def along_the_curve(records: Records, data: LocalData) -> Ints:
    """The records in the order in which the curve meets them, each as often as it occurs.

    Columns that cost nothing are no dimension of the curve.
    """
    roots = records.trees.starts[1:] - 1
    dimensions = np.flatnonzero(records.trees.cost[roots] > 0)
    order = np.arange(len(records))
    if len(dimensions):
        names = [records.columns[number] for number in dimensions]
        layouts = [Layout.of(data.trees[name], data.table.coded(name).codes) for name in names]
        bits = min(max(1, *(layout.bits for layout in layouts)), _MOST_BITS)
        nodes = records.nodes[:, dimensions] - records.trees.starts[dimensions]
        points = np.stack([layout.positions(bits)[nodes[:, j]] for j, layout in enumerate(layouts)], axis=1)
        order = np.lexsort(curve_positions(np.ascontiguousarray(points), bits)[::-1])
    return np.repeat(order, records.counts[order])


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The nodes of a tree as blocks of a line: the children of a node divide its block into equal slots.

    There is a power of two of slots, of which some may be empty, so that all blocks are aligned as binary
    numbers are. Missing values and suppressed cells have slots beside the children of the root if there are
    any. `taken_bits` are those that tell the slots under a node, its own and those above apart.
    """

    tree: Hierarchy
    slots: Ints
    taken_bits: Ints

    @classmethod
    def of(cls, tree: Hierarchy, codes: Ints) -> Self:
        """The layout of a column with these codes."""
        child_counts = np.diff(tree.child_starts)
        slots = np.zeros(tree.node_count, dtype=np.int64)
        slots[tree.child_nodes] = np.arange(len(tree.child_nodes)) - np.repeat(
            tree.child_starts[:-1], child_counts
        )
        for node in (tree.missing, tree.root):
            if (codes == node).any():
                slots[node] = child_counts[tree.root]
                child_counts[tree.root] += 1
        taken_bits = _bits_of(child_counts)
        for nodes in _downward(tree):
            taken_bits[nodes] += taken_bits[tree.arrays.parent[nodes]]
        return cls(tree, slots, taken_bits)

    @property
    def bits(self) -> int:
        """How many bits tell all values apart."""
        return int(self.taken_bits.max())

    def positions(self, bits: int) -> Ints:
        """Where the block of each node begins on a line of 2^bits places.

        The root stands for suppressed cells. Blocks that are narrower than a place share it.
        """
        parent = self.tree.arrays.parent
        room = bits - self.taken_bits[parent]  # bits below those of a node's slot
        offsets = np.where(room >= 0, self.slots << np.maximum(room, 0), self.slots >> np.clip(-room, 0, 62))
        positions = np.zeros(self.tree.node_count, dtype=np.int64)
        for nodes in _downward(self.tree):
            positions[nodes] = positions[parent[nodes]] + offsets[nodes]
        positions[self.tree.root] = offsets[self.tree.root]
        return positions


def _downward(tree: Hierarchy) -> Iterator[Ints]:
    """All nodes but the root, those of each depth together, parents before children."""
    order = np.argsort(tree.depths, kind="stable")
    depths = tree.depths[order]
    for depth in range(1, int(depths[-1]) + 1):
        yield order[np.searchsorted(depths, depth) : np.searchsorted(depths, depth, side="right")]


def _bits_of(counts: Ints) -> Ints:
    """How many bits number so many things."""
    return np.array([max(int(count) - 1, 0).bit_length() for count in counts], dtype=np.int64)
