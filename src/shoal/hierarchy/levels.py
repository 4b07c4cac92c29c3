"""The levels of a tree, and what is left of it where only some of them may be published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import NO_PARENT, Hierarchy, tree_from_nodes
from shoal.kernels.arrays import Ints
from shoal.table.roles import Quasi, QuasiSet


def nodes_at_levels(tree: Hierarchy) -> Ints:
    """What each node is published as at each level, from 0 to the height of the tree.

    At level h that is the highest node above whose subtree is at most h high: level 0 are the values
    themselves, the last level is the root.
    """
    parent, heights = tree.arrays.parent, tree.heights
    levels = [np.arange(tree.node_count, dtype=np.int64)]
    for height in range(1, tree.height + 1):
        above = parent[levels[-1]]
        levels.append(np.where(heights[above] == height, above, levels[-1]))
    return np.stack(levels)


@dataclass(frozen=True, slots=True, eq=False)
class TrimmedTree:
    """A tree of some levels of another: leaf_of[i] is the leaf that stands for leaf i of the other.

    node_of[n] is the other's node of the same label. Its root may be published if `root_is_allowed`.
    """

    tree: Hierarchy
    leaf_of: Ints
    node_of: Ints
    root_is_allowed: bool


def is_limited(role: object) -> bool:
    """Whether not every level of a column may be published."""
    return isinstance(role, Quasi | QuasiSet) and (
        role.min_level > 0 or role.max_level is not None or bool(role.levels)
    )


def levels_of(column: str, role: Quasi | QuasiSet, tree: Hierarchy) -> list[int]:
    """The levels at which a column may be published; BadInput if there is none below the root."""
    highest = tree.height if role.max_level is None else role.max_level
    levels = [level for level in role.levels or range(tree.height + 1) if role.min_level <= level <= highest]
    if not levels or levels[0] >= tree.height:
        what = f"its hierarchy has levels 0 to {tree.height}, of which the last is the root alone"
        raise BadInput(Problem(what, "allow a level below the root, or drop the column", column=column))
    return levels


def trimmed(tree: Hierarchy, levels: list[int]) -> TrimmedTree:
    """The nodes of some levels, ascending, and the root; what lies below the first of them is gone."""
    at = nodes_at_levels(tree)
    chosen = np.unique(np.append(at[levels][:, : tree.leaf_count], tree.root))
    is_chosen = np.zeros(tree.node_count, dtype=np.bool_)
    is_chosen[chosen] = True
    above = tree.arrays.parent[chosen]
    while not is_chosen[above].all():
        above = np.where(is_chosen[above], above, tree.arrays.parent[above])
    parents = np.searchsorted(chosen, above)
    parents[-1] = NO_PARENT  # of the root, which has the largest number
    order = tree.arrays.first_leaf[chosen]
    smaller = tree_from_nodes([tree.labels[node] for node in chosen.tolist()], parents, order=order)
    old_of_label = dict(zip((tree.labels[node] for node in chosen.tolist()), chosen.tolist(), strict=True))
    node_of = np.array(
        [
            tree.missing if node == smaller.missing else old_of_label[label]
            for node, label in enumerate(smaller.labels)
        ],
        dtype=np.int64,
    )
    leaf_at = np.full(tree.node_count, -1, dtype=np.int64)
    leaf_at[node_of[: smaller.leaf_count]] = np.arange(smaller.leaf_count)
    leaf_of = leaf_at[at[levels[0], : tree.leaf_count]]
    return TrimmedTree(smaller, leaf_of, node_of, tree.height in levels)
