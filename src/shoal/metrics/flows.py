"""What became of the values of a column: which value was published as what, and how often."""

from dataclasses import dataclass

import numpy as np

from shoal.engine.local import LocalData
from shoal.kernels.arrays import Ints, in_pieces, owners, piece_of
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.rows import ItemRecoding, RowRecoding
from shoal.table.roles import QuasiSet

GONE = -1  # the published number of what was suppressed

_FEW_KEYS = 1 << 22
_VALUES_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Value values[i] was published as published[i] in counts[i] places; pairs ascend and occur once.

    Numbers are those of the column's tree, or of its unions where there is no tree; GONE is no number.
    """

    values: Ints
    published: Ints
    counts: Ints


def flows(data: LocalData, recoding: RowRecoding) -> dict[str, Flow]:
    """The flow of every quasi-identifier that was generalized by a tree or by unions."""
    of_values = {} if recoding.clusters is None else _flows_of_clusters(data, recoding.clusters)
    return {**of_values, **{items.column: _flow_of_items(data, items) for items in recoding.items}}


def _flows_of_clusters(data: LocalData, clusters: GeneralizedClusters) -> dict[str, Flow]:
    kept = clusters.cluster_of_row != SUPPRESSED
    made = {}
    for name, node_of_cluster in clusters.nodes.items():
        published = np.full(data.row_count, GONE, dtype=np.int64)
        published[kept] = node_of_cluster[clusters.cluster_of_row[kept]]
        made[name] = _flow(data.table.coded(name).codes, published)
    return made


def _flow_of_items(data: LocalData, items: ItemRecoding) -> Flow:
    sets = data.table.sets(items.column)
    if isinstance(items, Cuts):
        published = _published_by_cuts(data, items)
    else:
        published = items.node_of_occurrence
        if items.withheld.any():
            published = np.where(np.repeat(items.withheld, sets.sizes), SUPPRESSED_ITEM, published)
    return _flow(sets.arrays.items, published)


def _published_by_cuts(data: LocalData, cuts: Cuts) -> Ints:
    sets, role = data.table.sets(cuts.column).arrays, data.roles[cuts.column]
    node_of_leaf = cuts.node_of_leaf
    if isinstance(role, QuasiSet) and role.sensitive:  # sensitive items stay as they are
        leaves = np.arange(node_of_leaf.shape[1])
        sensitive = np.isin(cuts.vocabulary(data.trees).labels[: len(leaves)], role.sensitive)
        node_of_leaf = np.where(sensitive, leaves, node_of_leaf)
    published = np.empty(len(sets.items), dtype=np.int64)
    for first, behind in in_pieces(sets.starts):
        piece = piece_of(sets, first, behind)
        part = cuts.part_of_row[first:behind][owners(piece.starts)]
        published[sets.starts[first] : sets.starts[behind]] = node_of_leaf[part, piece.items]
    return published


def _flow(values: Ints, published: Ints) -> Flow:
    width = int(published.max(initial=GONE)) + 2  # GONE, too, has a place
    most = (int(values.max(initial=0)) + 1) * width
    if most <= _FEW_KEYS:
        counted = np.zeros(most, dtype=np.int64)
        for first in range(0, len(values), _VALUES_AT_ONCE):
            places = slice(first, first + _VALUES_AT_ONCE)
            counted += np.bincount(values[places] * width + (published[places] + 1), minlength=most)
        distinct = np.flatnonzero(counted)
        counts = counted[distinct]
    else:
        distinct, counts = np.unique(values * width + (published + 1), return_counts=True)
    return Flow(distinct // width, distinct % width - 1, counts.astype(np.int64, copy=False))
