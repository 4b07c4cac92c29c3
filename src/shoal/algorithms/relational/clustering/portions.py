"""A table that is too large for what all its blocks share is cut into portions, each with blocks of its own.

Mondrian cuts the portions, so that each keeps the promise. They are searched one after the other, in their
share of the time, and only what was decided about one is kept when the next begins: the memory is that of a
portion and a few bytes for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.algorithms.relational.clustering.blocks import block_of, cut_into_blocks, may_be_cut
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.lower_bound import figures_of, in_words
from shoal.engine.local import LocalData
from shoal.kernels.arrays import Codes, Ints, frozen_codes, wide
from shoal.kernels.grouping import Packed, group_rows
from shoal.posix import give_back_memory
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.rows import RowRecoding

ROWS_OF_A_PORTION = 1_000_000
MANY_ROWS = 4 * ROWS_OF_A_PORTION  # of which memory has room for one search at a time
_BLOCKS_OF_A_PORTION = 4  # at least
_ROWS_AT_ONCE = 2**18

# What is run on each portion, which is such a share of the table.
FindInPortion = Callable[[LocalData, float, np.random.Generator, Progress], RowRecoding]


def may_be_cut_into_portions(data: LocalData, models: Sequence[Model], rows_per_block: int) -> bool:
    """Whether a table is larger than a portion, and clusters of two portions may be published as one.

    That they may not is possible where people have rows in both, which count once in a larger cluster.
    """
    counts_people = data.subjects is not None and any(
        model.class_constraint() is not None for model in models
    )
    return not counts_people and may_be_cut(models, data.row_count, _rows_of_a_portion(rows_per_block))


@dataclass(frozen=True, slots=True, eq=False)
class PortionSearch:
    """A table of which every class keeps the models, to be searched portion by portion."""

    data: LocalData
    models: Sequence[Model]
    rows_per_block: int

    def recoding(self, find: FindInPortion, rng: np.random.Generator, progress: Progress) -> RowRecoding:
        """The clusters of all portions; those that are published alike are one, wherever they were found."""
        progress.stage("cutting portions")
        row_count, constraint = self.data.row_count, class_constraint_of(self.data, self.models)
        portions = cut_into_blocks(self.data, constraint, _rows_of_a_portion(self.rows_per_block), progress)
        together = _Together(np.empty(row_count, dtype=np.int32 if row_count < 2**31 else np.int64))
        for number, own in enumerate(rng.spawn(len(portions))):
            rows, turn = portions[number], _Turn(progress, number, len(portions))
            together.add(rows, find(block_of(self.data, rows), len(rows) / row_count, own, turn))
            give_back_memory()
        return together.recoding()


def _rows_of_a_portion(rows_per_block: int) -> int:
    return max(ROWS_OF_A_PORTION, _BLOCKS_OF_A_PORTION * rows_per_block)


@dataclass(slots=True, eq=False)
class _Together:
    """What was decided about the portions so far."""

    cluster_of_row: Ints
    nodes: dict[str, list[Codes]] = field(default_factory=dict)
    notices: dict[str, None] = field(default_factory=dict)
    cluster_count: int = 0
    cost: float = 0.0  # of all rows
    measure: str = ""

    def add(self, rows: Codes, found: RowRecoding) -> None:
        """Take in the clusters of some rows."""
        clusters = found.clusters
        if clusters is None:
            raise TypeError("a search for clusters found none")
        self.cluster_of_row[rows] = clusters.cluster_of_row + self.cluster_count
        self.cluster_count += clusters.cluster_count
        for name, nodes in clusters.nodes.items():
            self.nodes.setdefault(name, []).append(frozen_codes(nodes))
        self.measure = found.figures["measure"]
        self.cost += found.figures["cost"] * len(rows)
        of_portion_only = in_words(found.figures)
        self.notices |= dict.fromkeys(notice for notice in found.notices if notice not in of_portion_only)

    def recoding(self) -> RowRecoding:
        """One cluster for all that are published alike."""
        nodes = {name: frozen_codes(np.concatenate(self.nodes.pop(name))) for name in tuple(self.nodes)}
        number, first = group_rows(Packed.of(list(nodes.values())).rows(0, self.cluster_count))
        for start in range(0, len(self.cluster_of_row), _ROWS_AT_ONCE):
            some = self.cluster_of_row[start : start + _ROWS_AT_ONCE]
            some[:] = number[some]
        clusters = GeneralizedClusters(
            self.cluster_of_row, {name: wide(column[first]) for name, column in nodes.items()}
        )
        figures = figures_of(self.measure, self.cost / max(len(self.cluster_of_row), 1), 0.0)
        return RowRecoding(clusters, notices=(*self.notices, *in_words(figures)), figures=figures)


class _Turn:
    """Progress of one of several portions, whose time ends when its share of the whole has passed."""

    def __init__(self, inner: Progress, number: int, count: int) -> None:
        self._inner, self._number, self._count = inner, number, count

    def stage(self, name: str) -> None:
        """Name the part of the work that begins now."""
        self._inner.stage(f"portion {self._number + 1} of {self._count}: {name}")

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        """Tell how much of the current stage is done."""
        self._inner.update(done, total, note)

    def expired(self, share: float = 1.0) -> bool:
        """Whether the time of this portion, or a share of it, has passed."""
        return self._inner.expired((self._number + share) / self._count)
