"""A cheap cover of all rows by supports of closed records, and the clustering that it becomes."""

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering, where_united
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.kanon_cf.closed_records import ClosedRecords
from shoal.kernels import kanon_cf_cover as kernels
from shoal.kernels.arrays import Bools, Ints, owners, starts_of
from shoal.kernels.generalized_records import closures, vector_costs
from shoal.kernels.kanon_cf_cover import (
    CROWDED,
    FINISHED,
    NOBODY,
    CoverClusters,
    CoverTask,
    CoverValues,
    Listing,
    Queue,
    Reached,
)
from shoal.progress import Progress

_LOOKS_PER_SLICE = 5_000_000

BYTES_PER_CLOSED_RECORD = 24  # at the peak, beside the closed record itself


@dataclass(frozen=True, slots=True, eq=False)
class PlaceCover:
    """Sets of k to 2k - 1 places of the records; every place is in one of them, or in several.

    Set s was taken for closed record chosen[s] and holds places[starts[s]:starts[s + 1]].
    """

    k: int
    chosen: Ints
    starts: Ints
    places: Ints

    def clustering(self, records: Records) -> Clustering:
        """Disjoint clusters of k to 2k - 1 places: places are left out of sets, and sets of k are united."""
        count = len(self.chosen)
        members = records.record_of_place[self.places]
        clusters = CoverClusters(
            owners=np.full(records.row_count, NOBODY, dtype=np.int64),
            united_into=np.arange(count, dtype=np.int64),
            sizes=np.diff(self.starts),
            costs=vector_costs(records.trees, closures(records.trees, records.nodes, self.starts, members)),
        )
        kernels.make_disjoint(self.k, self.starts, self.places, clusters)
        last = where_united(clusters.united_into)
        _, cluster_of_place = np.unique(last[clusters.owners], return_inverse=True)
        return Clustering.of_places(records, cluster_of_place.astype(np.int64))


def greedy_cover(
    records: Records,
    closed: ClosedRecords,
    k: int,
    progress: Progress,
    *,
    frugal: bool = False,
    until: float = 1.0,
) -> PlaceCover | None:
    """Take the closed record with the least ratio of cost to gain until all rows are covered.

    Of two with the same ratio the one that was mined first. The gain is the number of rows that are covered
    anew, and each set has those that the paper's Algorithm 4 prescribes; `frugal` covers bend both for lower
    costs, without a proof (see `shoal.kernels.kanon_cf_cover`). None if time, of which
    it has a share until then, was up before all rows were covered.
    """
    task = _task(records, closed, k, frugal=frugal)
    queue = Queue(
        state=np.zeros(1, dtype=np.int64),
        ratios=kernels.closed_costs(task),
        numbers=np.empty(len(closed), dtype=np.int64),
    )
    kernels.fill_queue(task, queue)
    cover = _nothing_covered(records, k)
    listing = task.everybody
    while True:
        progress.update(
            records.row_count - int(cover.state[1]), records.row_count, f"{cover.state[0]:,} sets"
        )
        outcome = kernels.cover_more(task, listing, queue, cover, _LOOKS_PER_SLICE)
        if outcome == FINISHED:
            break
        if progress.expired(until):
            return None
        if outcome == CROWDED:
            cover = _with_twice_the_room(cover)
        listing = _shortened(task.values, listing, cover.left > 0)
    count = int(cover.state[0])
    starts = cover.starts[: count + 1]
    return PlaceCover(k, cover.chosen[:count], starts, cover.places[: starts[-1]])


def least_cost(records: Records, closed: ClosedRecords, progress: Progress) -> float:
    """The mean over rows of the least cost of a closed record that covers them.

    If all closed records that k rows support are there, and the cost is monotone, no release with classes of
    k rows costs less: the closure of a class is a generalized record that k rows support.
    """
    task = _task(records, closed, 1)
    reached = Reached(
        state=np.array([0, len(records)], dtype=np.int64),
        order=np.argsort(kernels.closed_costs(task), kind="stable"),
        costs=np.full(len(records), np.inf),
    )
    listing = task.everybody
    while reached.state[1] > 0:
        progress.update(len(records) - int(reached.state[1]), len(records))
        kernels.reach_more(task, listing, reached, _LOOKS_PER_SLICE)
        listing = _shortened(task.values, listing, reached.costs == np.inf)
    return float(np.dot(reached.costs, records.counts) / records.row_count)


def _task(records: Records, closed: ClosedRecords, k: int, *, frugal: bool = False) -> CoverTask:
    values = _values(records)
    return CoverTask(
        trees=records.trees,
        values=values,
        everybody=_listed(values, np.ones(len(records), dtype=bool)),
        packing=closed.packing,
        packed=closed.packed,
        counts=closed.counts,
        k=k,
        frugal=frugal,
    )


def _values(records: Records) -> CoverValues:
    """Leaves in tree order, then the missing value, then suppressed cells, one column behind the other."""
    first, last = records.trees.first_leaf, records.trees.last_leaf
    ends = records.trees.starts[1:]
    leaf_counts = last[ends - 1]  # the root covers the missing value, too
    column_starts = starts_of(leaf_counts + 2)
    column_of_node = owners(records.trees.starts)
    lows = column_starts[column_of_node] + first
    highs = column_starts[column_of_node] + last + 1
    highs[ends - 1] += 1  # and suppressed cells
    values = lows[records.nodes]
    suppressed = records.nodes == ends - 1
    values[suppressed] = (values + leaf_counts + 1)[suppressed]
    return CoverValues(values, lows, highs, column_starts)


def _listed(values: CoverValues, wanted: Bools) -> Listing:
    listing = Listing(
        records=np.empty(np.count_nonzero(wanted) * values.values.shape[1], dtype=np.int64),
        starts=np.empty(values.column_starts[-1] + 1, dtype=np.int64),
    )
    kernels.list_records(values, wanted, listing)
    return listing


def _shortened(values: CoverValues, listing: Listing, wanted: Bools) -> Listing:
    """A listing of the wanted records, if they are less than half of those that the given one has."""
    if 2 * np.count_nonzero(wanted) * values.values.shape[1] < len(listing.records):
        return _listed(values, wanted)
    return listing


def _nothing_covered(records: Records, k: int) -> kernels.GreedyCover:
    set_count = records.row_count // k + 1
    return kernels.GreedyCover(
        state=np.array([0, records.row_count], dtype=np.int64),
        chosen=np.empty(set_count, dtype=np.int64),
        starts=np.zeros(set_count + 1, dtype=np.int64),
        places=np.empty(2 * k * (set_count + 1), dtype=np.int64),
        row_starts=records.row_starts,
        left=records.counts.copy(),
        owners=np.full(records.row_count, NOBODY, dtype=np.int64),
        takers=np.full(records.row_count, NOBODY, dtype=np.int64),
        spares=np.zeros(set_count, dtype=np.int64),
    )


def _with_twice_the_room(cover: kernels.GreedyCover) -> kernels.GreedyCover:
    def twice(array: Ints) -> Ints:
        return np.concatenate((array, np.empty(len(array), dtype=np.int64)))

    return cover._replace(
        **{name: twice(getattr(cover, name)) for name in ("chosen", "starts", "places", "spares")}
    )
