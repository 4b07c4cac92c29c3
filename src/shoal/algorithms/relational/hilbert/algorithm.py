from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.algorithms.relational.clustering.blocks import may_be_cut
from shoal.algorithms.relational.clustering.clustering_algorithm import ClusteringAlgorithm, finish
from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.hilbert.curve import along_the_curve
from shoal.algorithms.relational.hilbert.grids import on_grids
from shoal.engine.local import LocalData
from shoal.kernels.arrays import Ints
from shoal.kernels.hilbert import (
    UNREACHED,
    OrderedRows,
    Runs,
    group_beginnings,
    no_runs,
    run_starts,
)
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

_RUNS_PER_SLICE = 2_000_000


@dataclass(frozen=True, slots=True)
class Hilbert(ClusteringAlgorithm):
    """Sort the records along a Hilbert curve and cut the line into the cheapest runs of k to 2k - 1 records.

    Columns have equal lengths. The nodes of a tree are blocks of its column that are halves of halves, as the
    cubes are that the curve fills one after the other; so the curve tends to leave a node only when it is
    done with it. Of all ways to cut the line the best one is found. Numbers and dates without a tree are
    published as ranges between the points of a round grid.

    Contract
        needs:      rows; quasi-identifiers with a tree, or numbers and dates
        gives:      one node or range per cluster and column
        guarantees: every cluster satisfies every model passed to find(); of all runs along the curve those of
                    least loss, before clusters are united for diversity
        cost:       O(n * k * columns + n log n), memory O(n * columns)

    After Ghinita, Karras, Kalnis, Mamoulis, A framework for efficient data anonymization under privacy and
    accuracy constraints, ACM TODS 34(2), 2009.
    """

    name = "hilbert"
    turn = 3
    paper = (
        "Ghinita, Karras, Kalnis, Mamoulis. A framework for efficient data anonymization under privacy and "
        "accuracy constraints. ACM TODS 34(2), 2009."
    )

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Sort, cut, and unite neighbours in loss where a model asks for it."""
        k = class_constraint_of(data, models).k
        gridded = on_grids(data)
        if may_be_cut(models, data.row_count, self.block):
            found = self.find_in_blocks(gridded.data, models, rng, progress)
            return replace(gridded.published(found), notices=(*gridded.notices, *found.notices))
        records = Records.of(gridded.data, self.measure)
        clustering, notices = runs_along_the_curve(records, gridded.data, k, progress)
        found = finish(
            gridded.data,
            records,
            clustering,
            models,
            progress,
            local_search=self.local_search,
            w=self.w,
            bound=self._known_bound(on_trees_only=not gridded.grids),
        )
        return replace(gridded.published(found), notices=(*gridded.notices, *found.notices, *notices))

    def _known_bound(self, *, on_trees_only: bool) -> float | None:
        """A lower bound of the loss that is taken as it is; None to have a better one computed.

        Computing one takes longer than all the rest, unless there is a local search; and ranges may cost less
        than the trees that stand in for them.
        """
        return None if self.local_search and on_trees_only else 0.0


def runs_along_the_curve(
    records: Records, data: LocalData, k: int, progress: Progress
) -> tuple[Clustering, tuple[str, ...]]:
    """Clusters of k to 2k - 1 rows that are neighbours on the curve, and a notice if time was up."""
    line = OrderedRows(records.nodes, along_the_curve(records, data))
    starts, notices = _cheapest_runs(records, line, k, progress)
    cluster_of_place = np.empty(records.row_count, dtype=np.int64)
    cluster_of_place[_places(records, line)] = np.repeat(
        np.arange(len(starts)), np.diff(starts, append=records.row_count)
    )
    return Clustering.of_places(records, cluster_of_place), notices


def _places(records: Records, line: OrderedRows) -> Ints:
    """The place of each row of the line."""
    first = np.flatnonzero(np.diff(line.records, prepend=-1))
    lengths = np.diff(first, append=len(line.records))
    return np.repeat(records.row_starts[line.records[first]] - first, lengths) + np.arange(len(line.records))


def _cheapest_runs(
    records: Records, line: OrderedRows, k: int, progress: Progress
) -> tuple[Ints, tuple[str, ...]]:
    """Where the runs begin, and a notice if time was up; then what was not looked at is cut every k rows."""
    count = len(line.records)
    runs = no_runs(count, k)
    rows_per_slice = max(1, _RUNS_PER_SLICE // k)
    progress.stage("runs along the curve")
    done = k - 1
    while done < count:
        progress.update(done, count)
        if progress.expired():
            return _cut_short(runs, done, count), (_TIME_WAS_UP,)
        until = min(done + rows_per_slice, count)
        group_beginnings(records.trees, line, runs, done + 1, until)
        done = until
    return run_starts(runs.begins, count), ()


_TIME_WAS_UP = "time was up: part of the records were not cut into the cheapest runs along the curve"


def _cut_short(runs: Runs, done: int, count: int) -> Ints:
    """The best runs of what was looked at, then runs of k rows; the last may be longer."""
    reached = np.flatnonzero(runs.begins[: min(done, count - runs.k) + 1] != UNREACHED)
    end = int(reached[-1]) if len(reached) else 0
    rest = end + runs.k * np.arange((count - end) // runs.k, dtype=np.int64)
    return np.concatenate((run_starts(runs.begins, end), rest))
