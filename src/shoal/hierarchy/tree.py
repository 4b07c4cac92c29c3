"""The generalization tree of a column, numbered so that every node covers one interval of leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Ints, TreeArrays, frozen_ints


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """A tree over the values of a column.

    Nodes 0..leaf_count-1 are the leaves in tree order, node `missing` (= leaf_count) is the missing value,
    inner nodes follow with children before parents, and `root` is the last node. The missing value hangs
    under the root and counts in no node's size. Trees may be unbalanced. Labels are distinct.
    """

    labels: tuple[str, ...]
    arrays: TreeArrays
    leaf_count: int
    depths: Ints
    heights: Ints
    child_starts: Ints
    child_nodes: Ints

    @property
    def missing(self) -> int:
        """The node of the missing value."""
        return self.leaf_count

    @property
    def root(self) -> int:
        """The node above all others."""
        return len(self.labels) - 1

    @property
    def node_count(self) -> int:
        """All nodes: leaves, the missing value and inner nodes."""
        return len(self.labels)

    @property
    def leaf_labels(self) -> tuple[str, ...]:
        """Labels of the leaves in tree order."""
        return self.labels[: self.leaf_count]

    @property
    def height(self) -> int:
        """Edges on the longest way from the root to a leaf."""
        return int(self.heights[self.root])

    @property
    def sizes(self) -> Ints:
        """Leaves under each node; the missing value counts nowhere but in itself."""
        sizes = self.arrays.last_leaf - self.arrays.first_leaf + 1
        sizes[self.root] = self.leaf_count
        return sizes

    def children(self, node: int) -> Ints:
        """The children of a node in tree order, without the missing value."""
        return self.child_nodes[self.child_starts[node] : self.child_starts[node + 1]]

    def parent(self, node: int) -> int:
        """The node above; the root is its own parent."""
        return int(self.arrays.parent[node])

    def ancestors(self, node: int) -> Iterator[int]:
        """The nodes above, nearest first, the root last."""
        while node != self.root:
            node = self.parent(node)
            yield node

    def covers(self, upper: int, lower: int) -> bool:
        """Whether `upper` is `lower` or above it."""
        first, last = self.arrays.first_leaf, self.arrays.last_leaf
        return bool(first[upper] <= first[lower] and last[lower] <= last[upper])

    def lowest_common_ancestor(self, nodes: Sequence[int] | Ints) -> int:
        """The lowest node that covers all the given ones."""
        first = int(self.arrays.first_leaf[nodes].min())
        last = int(self.arrays.last_leaf[nodes].max())
        node = min(
            nodes,
            key=lambda candidate: int(self.arrays.last_leaf[candidate] - self.arrays.first_leaf[candidate]),
        )
        while self.arrays.first_leaf[node] > first or self.arrays.last_leaf[node] < last:
            node = self.parent(int(node))
        return int(node)


MISSING_LABEL = ""


def tree_from_parents(parents: Mapping[str, str], *, source: str = "hierarchy") -> Hierarchy:
    """Build the tree in which parents[child] is the label above `child`; order of leaves as they come.

    Siblings keep the order in which the mapping first names them. Raises BadInput unless the mapping is one
    tree: one root, no circle.
    """
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    roots = [label for label in children if label not in parents]
    if len(roots) != 1:
        what = (
            f"has {len(roots)} roots ({', '.join(map(repr, roots[:5]))})"
            if roots
            else "has no root: its labels form a circle"
        )
        raise BadInput(Problem(what, "make all values meet in one root such as '*'", file=source))

    root = roots[0]
    leaves: list[str] = []
    inner: list[str] = []  # in post-order: children before parents, the root last
    stack = [(root, False)]
    while stack:
        label, finished = stack.pop()
        if finished:
            inner.append(label)
        elif label in children:
            stack.append((label, True))
            stack.extend((child, False) for child in reversed(children[label]))
        else:
            leaves.append(label)
    if len(leaves) + len(inner) != len(parents) + 1:
        circle = sorted(set(parents) - set(leaves) - set(inner))
        raise BadInput(
            Problem(
                f"labels {', '.join(map(repr, circle[:5]))} form a circle",
                "give each a way to the root",
                file=source,
            )
        )
    return _numbered(leaves, inner, children)


def _numbered(leaves: list[str], inner: list[str], children: Mapping[str, list[str]]) -> Hierarchy:
    labels = (*leaves, MISSING_LABEL, *inner)
    leaf_count, node_count, root = len(leaves), len(labels), len(labels) - 1
    node_of = {label: node for node, label in enumerate(leaves)}
    node_of.update((label, leaf_count + 1 + place) for place, label in enumerate(inner))

    parent = np.full(node_count, root, dtype=np.int64)
    first = np.arange(node_count, dtype=np.int64)
    last = np.arange(node_count, dtype=np.int64)
    heights = np.zeros(node_count, dtype=np.int64)
    child_lists: list[list[int]] = [[] for _ in range(node_count)]
    for label in inner:
        node = node_of[label]
        below = [node_of[child] for child in children[label]]
        child_lists[node] = below
        parent[below] = node
        first[node] = first[below[0]]
        last[node] = last[below[-1]]
        heights[node] = 1 + max(int(heights[child]) for child in below)
    last[root] = leaf_count  # the root also covers the missing value
    depths = np.zeros(node_count, dtype=np.int64)
    for node in range(root - 1, -1, -1):  # parents have larger numbers
        depths[node] = depths[parent[node]] + 1
    return Hierarchy(
        labels=labels,
        arrays=TreeArrays(frozen_ints(parent), frozen_ints(first), frozen_ints(last)),
        leaf_count=leaf_count,
        depths=frozen_ints(depths),
        heights=frozen_ints(heights),
        child_starts=frozen_ints(np.concatenate(([0], np.cumsum([len(c) for c in child_lists])))),
        child_nodes=frozen_ints([child for below in child_lists for child in below]),
    )
