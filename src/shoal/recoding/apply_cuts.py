"""From cuts through a tree, or a node for each item, to published sets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints
from shoal.kernels.set_recoding import recoded_sets, renumbered_sets
from shoal.recoding.apply import Applied
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, Vocabulary
from shoal.recoding.item_nodes import ItemNodes
from shoal.table.columns import Domain, Kind, Sets, Table
from shoal.table.roles import QuasiSet, Role


def apply_cuts(
    table: Table, trees: Mapping[str, Hierarchy], roles: Mapping[str, Role], cuts: Cuts
) -> Applied:
    """The table as it is published, in the order of the original, which must be shuffled before it leaves.

    Each item is published as the label of its node, items that meet in one node once. Suppressed items
    vanish, sensitive ones stay as they are.
    """
    sets, words = table.sets(cuts.column), cuts.vocabulary(trees)
    nodes = np.where(
        _sensitive_leaves(words, roles[cuts.column]), np.arange(words.leaf_count), cuts.node_of_leaf
    )
    in_use = _leaves_in_use(sets, cuts.part_of_row, nodes.shape)
    labels, code_of_node = _published_labels(words, nodes[in_use])
    codes = np.where(nodes == SUPPRESSED_ITEM, -1, code_of_node[nodes])
    published = recoded_sets(sets.arrays, cuts.part_of_row, codes)
    column = Sets.of(*published, Domain(Kind.SET, pa.array(labels, type=pa.string())), sets.separator)
    rows = np.arange(table.row_count, dtype=np.int64)
    return Applied(table.replacing({cuts.column: column}), rows, np.zeros(table.row_count, dtype=np.bool_))


def apply_item_nodes(table: Table, trees: Mapping[str, Hierarchy], recoding: ItemNodes) -> Applied:
    """The same where every occurrence has a node of its own; records that are withheld are left out."""
    sets, nodes = table.sets(recoding.column), recoding.node_of_occurrence
    labels, code_of_node = _published_labels(trees[recoding.column], nodes)
    codes = np.where(nodes == SUPPRESSED_ITEM, -1, code_of_node[nodes])
    published = renumbered_sets(sets.arrays.starts, codes)
    column = Sets.of(*published, Domain(Kind.SET, pa.array(labels, type=pa.string())), sets.separator)
    rows = np.flatnonzero(~recoding.withheld)
    released = table.replacing({recoding.column: column})
    if len(rows) < table.row_count:
        released = released.take(rows)
    return Applied(released, rows, np.zeros(len(rows), dtype=np.bool_))


def _published_labels(words: Vocabulary, nodes: Ints) -> tuple[list[str], Ints]:
    """The labels of all the nodes, sorted, and the place of each node's label among them."""
    used = np.setdiff1d(nodes, [SUPPRESSED_ITEM])
    labels = sorted({words.labels[node] for node in used.tolist()})
    code_of_label = {label: code for code, label in enumerate(labels)}
    code_of_node = np.full(len(words.labels), -1, dtype=np.int64)
    code_of_node[used] = [code_of_label[words.labels[node]] for node in used.tolist()]
    return labels, code_of_node


def _sensitive_leaves(words: Vocabulary, role: Role) -> Bools:
    sensitive = set(role.sensitive) if isinstance(role, QuasiSet) else set()
    return np.array([label in sensitive for label in words.labels[: words.leaf_count]], dtype=np.bool_)


def _leaves_in_use(sets: Sets, part_of_row: Ints, shape: tuple[int, ...]) -> Bools:
    part_of_item = np.repeat(part_of_row, sets.sizes)
    in_use = np.zeros(shape, dtype=np.bool_)
    in_use[part_of_item, sets.arrays.items] = True
    return in_use
