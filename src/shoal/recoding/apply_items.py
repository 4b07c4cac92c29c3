"""From cuts through a tree, or a node for each item, to published sets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints
from shoal.kernels.set_recoding import recoded_sets, renumbered_sets
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, Vocabulary
from shoal.recoding.rows import ItemRecoding
from shoal.table.columns import Domain, Kind, Sets, Table
from shoal.table.roles import QuasiSet, Role


def published_sets(
    table: Table, trees: Mapping[str, Hierarchy], roles: Mapping[str, Role], recoding: ItemRecoding
) -> Sets:
    """The sets of a column as they are published, in the order of the original.

    Each item is published as the label of its node, items that meet in one node once. Suppressed items
    vanish; where cuts decide, sensitive ones stay as they are.
    """
    sets, words = table.sets(recoding.column), recoding.vocabulary(trees)
    if isinstance(recoding, Cuts):
        nodes = np.where(
            _sensitive_leaves(words, roles[recoding.column]),
            np.arange(words.leaf_count),
            recoding.node_of_leaf,
        )
        in_use = _leaves_in_use(sets, recoding.part_of_row, nodes.shape)
        labels, codes = _coded(words, nodes, nodes[in_use])
        published = recoded_sets(sets.arrays, recoding.part_of_row, codes)
    else:
        labels, codes = _coded(words, recoding.node_of_occurrence, recoding.node_of_occurrence)
        published = renumbered_sets(sets.arrays.starts, codes)
    return Sets.of(*published, Domain(Kind.SET, pa.array(labels, type=pa.string())), sets.separator)


def _coded(words: Vocabulary, nodes: Ints, in_use: Ints) -> tuple[list[str], Ints]:
    """The labels of the nodes in use, sorted, and the place of each node's label among them, -1 without."""
    used = np.setdiff1d(in_use, [SUPPRESSED_ITEM])
    labels = sorted({words.labels[node] for node in used.tolist()})
    code_of_label = {label: code for code, label in enumerate(labels)}
    code_of_node = np.full(len(words.labels), -1, dtype=np.int64)
    code_of_node[used] = [code_of_label[words.labels[node]] for node in used.tolist()]
    return labels, np.where(nodes == SUPPRESSED_ITEM, -1, code_of_node[nodes])


def _sensitive_leaves(words: Vocabulary, role: Role) -> Bools:
    sensitive = set(role.sensitive) if isinstance(role, QuasiSet) else set()
    return np.array([label in sensitive for label in words.labels[: words.leaf_count]], dtype=np.bool_)


def _leaves_in_use(sets: Sets, part_of_row: Ints, shape: tuple[int, ...]) -> Bools:
    part_of_item = np.repeat(part_of_row, sets.sizes)
    in_use = np.zeros(shape, dtype=np.bool_)
    in_use[part_of_item, sets.arrays.items] = True
    return in_use
