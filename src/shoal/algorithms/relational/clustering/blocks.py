"""A table that is too large for a search is cut into blocks of like records, which are searched one by one.

Mondrian cuts the blocks, so that each keeps the promise and its records have much in common. What is lost at
their borders is mended: clusters are gathered anew, along a Hilbert curve, into blocks whose borders are
elsewhere, and records are moved and swapped within these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Self

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.constraint import class_constraint_of, constraint_of_rows
from shoal.algorithms.relational.clustering.ends import find_ends
from shoal.algorithms.relational.clustering.local_search import improved
from shoal.algorithms.relational.clustering.of_classes import OF_CLASSES_ALONE
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.hilbert.curve import along_the_curve
from shoal.algorithms.relational.mondrian.algorithm import cutting_of
from shoal.algorithms.relational.mondrian.cutting import cut_all, cut_in_threads
from shoal.engine.local import LocalData
from shoal.kernels.arrays import Codes, Ints
from shoal.kernels.constraint import ClassConstraint
from shoal.kernels.grouping import members
from shoal.kernels.mondrian import NO_COLUMN, STRICT, whole_table
from shoal.privacy.model import Model
from shoal.progress import Progress, Silent
from shoal.recoding.rows import RowRecoding
from shoal.threads import in_threads, processors

_COARSE_BLOCKS = 16
_ROWS_TO_MEND, _CLUSTERS_TO_MEND = 2_000, 50
_ROWS_TO_MEND_THOROUGHLY = 150_000  # which takes several times as long as the search in large blocks
_BUT_NOT_ALL = 0.7  # share of the time that blocks may take, so that some is left for their borders


# What is run on each block: as an algorithm's `find`.
FindClusters = Callable[[LocalData, Sequence[Model], np.random.Generator, Progress], RowRecoding]


def may_be_cut(models: Sequence[Model], row_count: int, rows_per_block: int) -> bool:
    """Whether a table is larger than a block, and its promise one that each block can keep alone."""
    return 0 < 2 * rows_per_block <= row_count and all(isinstance(m, OF_CLASSES_ALONE) for m in models)


class Blocks(NamedTuple):
    """How blocks of at least so many rows are searched."""

    find: FindClusters
    rows: int
    measure: str  # of the loss that is kept low
    w: float  # of that loss where clusters unite
    share: float = 1.0  # that what is cut into blocks is of the whole table


@dataclass(frozen=True, slots=True, eq=False)
class BlockSearch:
    """A table of which every class keeps the models, to be searched in blocks of at least so many rows."""

    data: LocalData
    models: Sequence[Model]
    constraint: ClassConstraint
    records: Records
    blocks: Blocks

    @classmethod
    def of(cls, data: LocalData, models: Sequence[Model], blocks: Blocks) -> Self:
        """What all blocks share; raises Infeasible when not even the whole table keeps the models."""
        constraint = class_constraint_of(data, models)
        return cls(data, models, constraint, Records.of(data, blocks.measure), blocks)

    def clusters(self, rng: np.random.Generator, progress: Progress) -> Clustering:
        """Clusters that keep the models, found block by block."""
        progress.stage("cutting blocks")
        blocks = cut_into_blocks(self.data, self.constraint, self.blocks.rows, progress)
        progress.stage(f"searching {len(blocks):,} blocks")
        searches = [
            partial(self._search, rows, seed)
            for rows, seed in zip(blocks, rng.spawn(len(blocks)), strict=True)
        ]
        return _joined(blocks, in_threads(searches, progress, processors()), self.data.row_count)

    def _search(self, rows: Codes, rng: np.random.Generator, progress: Progress) -> Ints:
        hurried = _Hurried(progress, _BUT_NOT_ALL)
        clusters = self.blocks.find(block_of(self.data, rows), self.models, rng, hurried).clusters
        if clusters is None:
            raise TypeError("a search for clusters found none")
        return clusters.cluster_of_row

    def mended(self, clustering: Clustering, progress: Progress) -> Clustering:
        """The clustering after records moved and swapped within blocks whose borders are elsewhere."""
        progress.stage("mending the borders of blocks")
        runs = self._runs_of_clusters(clustering)
        searches = [
            partial(self._improved, clustering, rows, thorough)
            for rows, thorough in zip(runs, self._worth_it(runs, clustering), strict=True)
        ]
        return _joined(runs, in_threads(searches, progress, processors()), self.data.row_count)

    def _runs_of_clusters(self, clustering: Clustering) -> list[Ints]:
        """Rows of whole clusters that a Hilbert curve meets one after the other, some at a time."""
        records = self.records
        met = np.empty(len(records), dtype=np.int64)
        line = along_the_curve(records, self.data)
        met[line] = np.arange(len(line))
        starts, rows = clustering.members()
        order = np.argsort(np.minimum.reduceat(met[records.record_of_row[rows]], starts[:-1]), kind="stable")
        run_of_cluster = np.empty(len(order), dtype=np.int64)
        run_of_cluster[order] = (np.cumsum(clustering.sizes[order]) - 1) // self._rows_to_mend
        _, run_of_cluster = np.unique(run_of_cluster, return_inverse=True)
        of_row = run_of_cluster[clustering.cluster_of_row].astype(np.int64)
        run_starts, by_run = members(of_row, int(of_row.max()) + 1)
        return np.split(by_run, run_starts[1:-1])

    def _worth_it(self, runs: Sequence[Ints], clustering: Clustering) -> list[bool]:
        """Which runs are mended thoroughly: those that lose most."""
        cost_of_row = clustering.costs(self.records)[clustering.cluster_of_row]
        order = np.argsort([-float(cost_of_row[rows].mean()) for rows in runs], kind="stable")
        rows_before = np.cumsum([0, *(len(runs[run]) for run in order[:-1].tolist())])
        worth = np.empty(len(runs), dtype=np.bool_)
        worth[order] = rows_before < self.blocks.share * _ROWS_TO_MEND_THOROUGHLY
        return worth.tolist()

    @property
    def _rows_to_mend(self) -> int:
        """Moving records takes longer the more there are to look at, and those far away are of no use."""
        return max(_ROWS_TO_MEND, _CLUSTERS_TO_MEND * self.constraint.k)

    def _improved(self, clustering: Clustering, rows: Ints, thorough: bool, progress: Progress) -> Ints:  # noqa: FBT001
        own = replace(Records.of(block_of(self.data, rows), self.records.measure), trees=self.records.trees)
        _, clusters = np.unique(clustering.cluster_of_row[rows], return_inverse=True)
        within = constraint_of_rows(self.constraint, rows)
        found = improved(own, Clustering(clusters.astype(np.int64)), within, progress, thorough=thorough)
        return found.clustering.cluster_of_row


def cut_into_blocks(
    data: LocalData, constraint: ClassConstraint, rows_per_block: int, progress: Progress
) -> list[Codes]:
    """The rows of blocks that have so many rows or more, each of which keeps the models."""
    asked = constraint._replace(k=max(rows_per_block, constraint.k))
    cutting = cutting_of(data, find_ends(data), asked, STRICT)
    parts = whole_table(data.row_count, asked.k, narrow=cutting.places is not None)
    cut = cut_all if cutting.places is None else cut_in_threads
    cut(cutting, parts, progress)
    whole = np.flatnonzero(parts.columns[: parts.state[1]] == NO_COLUMN)
    return [np.sort(parts.rows[parts.starts[part] : parts.ends[part]]) for part in whole.tolist()]


def some_blocks(data: LocalData, constraint: ClassConstraint, rows_per_block: int, count: int) -> list[Codes]:
    """The rows of a few such blocks, from different places of the table.

    It is cut coarsely first, as most of it is not looked at.
    """
    coarse = _evenly(
        cut_into_blocks(data, constraint, max(rows_per_block, data.row_count // _COARSE_BLOCKS), Silent()),
        count,
    )
    return [_block_within(data, constraint, rows, rows_per_block) for rows in coarse]


def _block_within(data: LocalData, constraint: ClassConstraint, rows: Codes, rows_per_block: int) -> Codes:
    within = constraint_of_rows(constraint, rows)
    blocks = cut_into_blocks(block_of(data, rows), within, rows_per_block, Silent())
    return rows[blocks[len(blocks) // 2]]


def _evenly(blocks: Sequence[Codes], count: int) -> Sequence[Codes]:
    return blocks[:: max(len(blocks) // count, 1)][:count]


def block_of(data: LocalData, rows: Codes) -> LocalData:
    """Some rows of a table."""
    subjects = None if data.subjects is None else data.subjects[rows]
    return replace(data, table=data.table.take(rows), subjects=subjects)


class _Hurried:
    """Progress of work that may take a share of the time only."""

    def __init__(self, inner: Progress, share: float) -> None:
        self._inner, self._share = inner, share

    def stage(self, name: str) -> None:
        """Name the part of the work that begins now."""
        self._inner.stage(name)

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        """Tell how much of the current stage is done."""
        self._inner.update(done, total, note)

    def expired(self, share: float = 1.0) -> bool:
        """Whether the share of the time, or a part of it, has passed."""
        return self._inner.expired(share * self._share)


def _joined(blocks: Sequence[Codes], found: Sequence[Ints], row_count: int) -> Clustering:
    cluster_of_row = np.empty(row_count, dtype=np.int64)
    count = 0
    for rows, clusters in zip(blocks, found, strict=True):
        cluster_of_row[rows] = clusters + count
        count += int(clusters.max()) + 1
    return Clustering(cluster_of_row)
