"""What became of the values of a column: which value was published as what, and how often."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.engine.local import LocalData
from shoal.kernels.arrays import Codes, Ints, Items, in_pieces, owners, piece_of, wide
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts
from shoal.recoding.generalized_clusters import GeneralizedClusters
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
    nodes = {name: np.append(of_clusters, GONE) for name, of_clusters in clusters.nodes.items()}
    values = {name: data.table.coded(name).narrow for name in nodes}
    counted = {name: _Counting.of(values[name], nodes[name]) for name in nodes}
    for first in range(0, data.row_count, _VALUES_AT_ONCE):
        rows = slice(first, first + _VALUES_AT_ONCE)
        of_rows = clusters.cluster_of_row[rows]  # SUPPRESSED, -1, finds what is gone
        for name, counting in counted.items():
            counting.count(values[name][rows], nodes[name][of_rows])
    return {name: counting.flow() for name, counting in counted.items()}


def _flow_of_items(data: LocalData, items: ItemRecoding) -> Flow:
    sets = data.table.sets(items.column)
    if isinstance(items, Cuts):
        published = _published_by_cuts(data, items)
    else:
        published = items.node_of_occurrence
        if items.withheld.any():
            published = np.where(np.repeat(items.withheld, sets.sizes), SUPPRESSED_ITEM, published)
    return _flow(sets.narrow, published)


def _published_by_cuts(data: LocalData, cuts: Cuts) -> Items:
    sets, role = data.table.sets(cuts.column).arrays, data.roles[cuts.column]
    node_of_leaf = cuts.node_of_leaf
    if isinstance(role, QuasiSet) and role.sensitive:  # sensitive items stay as they are
        leaves = np.arange(node_of_leaf.shape[1])
        sensitive = np.isin(cuts.vocabulary(data.trees).labels[: len(leaves)], role.sensitive)
        node_of_leaf = np.where(sensitive, leaves, node_of_leaf)
    published = np.empty(len(sets.items), dtype=np.int32)
    for first, behind in in_pieces(sets.starts):
        piece = piece_of(sets, first, behind)
        part = cuts.part_of_row[first:behind][owners(piece.starts)]
        published[sets.starts[first] : sets.starts[behind]] = node_of_leaf[part, piece.items]
    return published


def _flow(values: Codes, published: Items) -> Flow:
    counting = _Counting.of(values, published)
    for first in range(0, len(values), _VALUES_AT_ONCE):
        places = slice(first, first + _VALUES_AT_ONCE)
        counting.count(values[places], published[places])
    return counting.flow()


class _Counting:
    """Counts pairs of a value and what it was published as, some at a time."""

    def __init__(self, most: int, width: int) -> None:
        self._width = width
        self._counts = np.zeros(most, dtype=np.int64) if most <= _FEW_KEYS else None
        self._keys: list[tuple[Ints, Ints]] = []

    @classmethod
    def of(cls, values: Codes, published: Ints | Items) -> Self:
        """Counts no pairs yet, of such values and such that they can be published as."""
        width = int(published.max(initial=GONE)) + 2  # GONE, too, has a place
        return cls((int(values.max(initial=0)) + 1) * width, width)

    def count(self, values: Codes, published: Ints | Items) -> None:
        """Count some more."""
        keys = wide(values) * self._width + (published + 1)
        if self._counts is None:
            self._keys.append(np.unique(keys, return_counts=True))
        else:
            self._counts += np.bincount(keys, minlength=len(self._counts))

    def flow(self) -> Flow:
        """All that were counted."""
        if self._counts is not None:
            distinct = np.flatnonzero(self._counts)
            counts = self._counts[distinct]
        else:
            keys = np.concatenate([keys for keys, _ in self._keys])
            distinct, places = np.unique(keys, return_inverse=True)
            counts = np.zeros(len(distinct), dtype=np.int64)
            np.add.at(counts, places, np.concatenate([times for _, times in self._keys]))
        return Flow(distinct // self._width, distinct % self._width - 1, counts)
