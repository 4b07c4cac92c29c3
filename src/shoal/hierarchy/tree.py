"""The generalization tree of a column, numbered so that every node covers one interval of leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Ints, TreeArrays, frozen_ints

MISSING_LABEL = ""
ROOT_LABEL = "*"
NO_PARENT = -1


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """A tree over the values of a column.

    Nodes 0..leaf_count-1 are the leaves in tree order, node `missing` (= leaf_count) is the missing value,
    inner nodes follow with children before parents, and `root` is the last node. The missing value hangs
    under the root and counts in no node's size. Trees may be unbalanced. Labels are distinct.
    `notices` tell what was changed or assumed when the tree was made.
    """

    labels: tuple[str, ...]
    arrays: TreeArrays
    leaf_count: int
    depths: Ints
    heights: Ints
    child_starts: Ints
    child_nodes: Ints
    notices: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Hierarchy: {self.leaf_count:,} values, {self.height} levels, root {self.labels[-1]!r}>"

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
        """Edges on the longest way down from the root, which has at least the missing value below it."""
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
        # Nodes of a chain cover the same leaves; the upper one has the larger number.
        return bool(upper >= lower and first[upper] <= first[lower] and last[lower] <= last[upper])

    def noting(self, *notices: str) -> Hierarchy:
        """The same tree with more notices."""
        return replace(self, notices=(*self.notices, *notices))

    def with_leaves_under_root(self, labels: Sequence[str]) -> Hierarchy:
        """The same tree with more leaves directly under the root, after all others."""
        return self.with_leaves([(label, self.root) for label in labels])

    def with_leaves(self, leaves: Sequence[tuple[str, int]]) -> Hierarchy:
        """The same tree with more leaves, each given with the node above it, after all that are there now."""
        if not leaves:
            return self
        kept = np.delete(np.arange(self.node_count), self.missing)
        index = np.full(self.node_count, NO_PARENT, dtype=np.int64)
        index[kept] = np.arange(len(kept))
        parents = index[self.arrays.parent[kept]]
        parents[-1] = NO_PARENT
        return replace(
            tree_from_nodes(
                [*(self.labels[node] for node in kept), *(label for label, _ in leaves)],
                # Siblings keep the order in which their first leaves come.
                np.concatenate((parents, index[[above for _, above in leaves]])),
                order=np.concatenate((self.arrays.first_leaf[kept], np.full(len(leaves), self.leaf_count))),
            ),
            notices=self.notices,
        )


def tree_from_parents(parents: Mapping[str, str], *, source: str = "hierarchy") -> Hierarchy:
    """Build the tree in which parents[child] is the label above `child`; order of leaves as they come.

    Siblings keep the order in which the mapping first names them. Raises BadInput unless the mapping is one
    tree: one root, no circle.
    """
    labels = list(dict.fromkeys((*parents, *parents.values())))
    roots = [label for label in labels if label not in parents]
    if len(roots) != 1:
        what = (
            f"has {len(roots)} roots ({', '.join(map(repr, roots[:5]))})"
            if roots
            else "has no root: its labels form a circle"
        )
        raise BadInput(Problem(what, "make all values meet in one root such as '*'", file=source))
    place_of = {label: index for index, label in enumerate(labels)}
    above = [place_of[parents[label]] if label in parents else NO_PARENT for label in labels]
    return tree_from_nodes(labels, above, source=source)


def tree_from_nodes(
    labels: Sequence[str],
    parents: Sequence[int] | Ints,
    *,
    order: Sequence[int] | Ints | None = None,
    source: str = "hierarchy",
) -> Hierarchy:
    """Build the tree in which node i is called labels[i] and hangs under node parents[i].

    One node, the root, has NO_PARENT. Siblings are sorted by `order`, or as they come. A root without
    children is a tree without leaves: that of a column whose values are all missing. The labels are the
    caller's to keep distinct. O(nodes log nodes + height).
    """
    above = np.array(parents, dtype=np.int64)
    (roots,) = np.nonzero(above == NO_PARENT)
    if len(roots) != 1:
        raise ValueError(f"a tree has one root, got {len(roots)}")
    root = int(roots[0])
    above[root] = root
    generations = _generations(above, root)
    reached = np.concatenate(generations)
    if len(reached) < len(above):
        circle = np.delete(np.arange(len(above)), reached)
        names = ", ".join(repr(labels[node]) for node in circle[:5])
        raise BadInput(Problem(f"labels {names} form a circle", "give each a way to the root", file=source))
    rank = np.arange(len(above)) if order is None else np.asarray(order, dtype=np.int64)
    return _numbered(labels, above, root, generations, rank)


def _generations(above: Ints, root: int) -> list[Ints]:
    """The nodes of each depth, the root first."""
    by_parent = np.argsort(above, kind="stable")
    ends = np.searchsorted(above[by_parent], np.arange(len(above) + 1))
    generations = [np.array([root], dtype=np.int64)]
    while len(generations[-1]):
        upper = generations[-1]
        sizes = ends[upper + 1] - ends[upper]
        offsets = np.repeat(ends[upper] - np.cumsum(sizes) + sizes, sizes)
        below = by_parent[offsets + np.arange(sizes.sum())]
        generations.append(below[below != root])
    return generations[:-1]


def _numbered(
    labels: Sequence[str], above: Ints, root: int, generations: Sequence[Ints], rank: Ints
) -> Hierarchy:
    count = len(above)
    depths = np.zeros(count, dtype=np.int64)
    heights = np.zeros(count, dtype=np.int64)
    widths = np.zeros(count, dtype=np.int64)  # leaves under each node
    for depth, nodes in enumerate(generations):
        depths[nodes] = depth
    inner = np.zeros(count, dtype=bool)
    inner[np.delete(above, root)] = True
    inner[root] = True
    widths[~inner] = 1
    for nodes in reversed(generations[1:]):
        np.add.at(widths, above[nodes], widths[nodes])
        np.maximum.at(heights, above[nodes], heights[nodes] + 1)
    heights[root] = max(int(heights[root]), 1)  # above the missing value, even without leaves

    first = np.zeros(count, dtype=np.int64)
    for nodes in generations[1:]:
        siblings = nodes[np.lexsort((rank[nodes], above[nodes]))]
        before = np.cumsum(widths[siblings]) - widths[siblings]
        starts_family = np.diff(above[siblings], prepend=NO_PARENT) != 0
        family_start = np.maximum.accumulate(np.where(starts_family, before, 0))
        first[siblings] = first[above[siblings]] + before - family_start

    leaf_count = int(widths[root])
    last = first + widths - 1
    inner_nodes = np.flatnonzero(inner)
    inner_nodes = inner_nodes[np.lexsort((-depths[inner_nodes], last[inner_nodes]))]  # post-order
    leaf_nodes = np.flatnonzero(~inner)
    number = np.empty(count, dtype=np.int64)
    number[leaf_nodes] = first[leaf_nodes]
    number[inner_nodes] = leaf_count + 1 + np.arange(len(inner_nodes))
    return _assembled(
        labels, number, leaf_count, above=above, first=first, last=last, depths=depths, heights=heights
    )


def _assembled(
    labels: Sequence[str],
    number: Ints,
    leaf_count: int,
    *,
    above: Ints,
    first: Ints,
    last: Ints,
    depths: Ints,
    heights: Ints,
) -> Hierarchy:
    """Move everything to its node's number and add the missing value."""
    node_count = len(number) + 1
    root, missing = node_count - 1, leaf_count

    def numbered(values: Ints, of_missing: int) -> Ints:
        moved = np.full(node_count, of_missing, dtype=np.int64)
        moved[number] = values
        return moved

    parent = numbered(number[above], root)
    last_leaf = numbered(last, missing)
    last_leaf[root] = missing  # the root also covers the missing value
    first_leaf = numbered(first, missing)
    names = [MISSING_LABEL] * node_count
    for node, label in zip(number.tolist(), labels, strict=True):
        names[node] = label

    children = np.delete(np.arange(node_count), [missing, root])
    children = children[np.lexsort((first_leaf[children], parent[children]))]
    return Hierarchy(
        labels=tuple(names),
        arrays=TreeArrays(frozen_ints(parent), frozen_ints(first_leaf), frozen_ints(last_leaf)),
        leaf_count=leaf_count,
        depths=frozen_ints(numbered(depths, 1)),
        heights=frozen_ints(numbered(heights, 0)),
        child_starts=frozen_ints(np.searchsorted(parent[children], np.arange(node_count + 1))),
        child_nodes=frozen_ints(children),
    )
