"""Uniting clusters one pair at a time, within a bound or until a bound is met."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from shoal.algorithms.mixed.joint_search.clusters import JointClusters
from shoal.algorithms.mixed.joint_search.item_step import ItemStep
from shoal.algorithms.mixed.joint_search.task import JointTask, Parts
from shoal.kernels.arrays import Floats, Ints, SetArrays
from shoal.kernels.joint_search import Gathered, of_unions, within_clusters
from shoal.progress import Progress

_ROOM = 4
ROUNDING = 1e-12  # by which sums of the same losses can differ


class Closeness(Protocol):
    """Tells what unions promise to cost in items; smaller is closer."""

    def of_unions(self, cluster: int, others: Ints) -> Floats:
        """A figure for the union of a cluster with each of the others."""

    def unite(self, cluster: int, other: int) -> None:
        """Take note of a union."""


class Distance:
    """BTD, the largest distance between the sets of two records: cheap, and large for unlike large sets."""

    def __init__(self, sets: SetArrays, clusters: JointClusters) -> None:
        self._sizes = np.diff(sets.starts)
        self._clusters = clusters
        self._gathered = self._gather(sets)
        self._used = len(self._sizes)
        self._inner = within_clusters(self._gathered)

    def of_unions(self, cluster: int, others: Ints) -> Floats:
        """The BTD of each union."""
        return of_unions(self._gathered, self._inner, cluster, others)

    def unite(self, cluster: int, other: int) -> None:
        """Take note of a union; to be called once its rows are in the cluster."""
        self._inner[cluster] = self.of_unions(cluster, np.array([other]))[0]
        rows = self._largest_first(self._clusters.rows(cluster))
        if self._used + len(rows) > len(self._gathered.pool):
            self._gathered = self._gather(self._gathered.sets)
            self._used = len(self._sizes)
            return
        self._gathered.pool[self._used : self._used + len(rows)] = rows
        self._gathered.starts[cluster] = self._used
        self._used += len(rows)
        self._gathered.ends[cluster] = self._used

    def _gather(self, sets: SetArrays) -> Gathered:
        """All clusters one behind the other, and room for unions behind them."""
        count = len(self._clusters.sizes)
        pool = np.empty(_ROOM * len(self._sizes), dtype=np.int64)
        starts, ends = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        used = 0
        for cluster in self._clusters.alive.tolist():
            rows = self._largest_first(self._clusters.rows(cluster))
            starts[cluster], ends[cluster] = used, used + len(rows)
            pool[used : used + len(rows)] = rows
            used += len(rows)
        return Gathered(sets, pool, starts, ends)

    def _largest_first(self, rows: Ints) -> Ints:
        return rows[np.lexsort((rows, -self._sizes[rows]))]


class TriedLoss:
    """The UL of each union after its item step: exact, and as slow as that."""

    def __init__(self, step: ItemStep, clusters: JointClusters, progress: Progress) -> None:
        self._step, self._clusters, self._progress = step, clusters, progress

    def of_unions(self, cluster: int, others: Ints) -> Floats:
        """The mean UL of the records of each union."""
        mine = self._clusters.rows(cluster)
        unions = (np.concatenate((mine, self._clusters.rows(other))) for other in others.tolist())
        return np.array([self._step.solve(rows, self._progress).loss / len(rows) for rows in unions])

    def unite(self, cluster: int, other: int) -> None:
        """Nothing is kept between unions."""


class MergeOrder(Enum):
    """By single values, by items, or by the sum of the ranks in both orders."""

    VALUES = "r"
    ITEMS = "t"
    BOTH = "rt"


def ordered(
    order: MergeOrder, clusters: JointClusters, closeness: Closeness, seed: int, others: Ints
) -> tuple[Ints, Floats]:
    """The other clusters, best partner first, and what a record costs after a union with each.

    Equals are in the order of their numbers.
    """
    costs = clusters.union_costs(seed, others)
    if order is MergeOrder.VALUES:
        places = np.argsort(costs, kind="stable")
    elif order is MergeOrder.ITEMS:
        places = np.argsort(closeness.of_unions(seed, others), kind="stable")
    else:
        places = np.argsort(ranks(costs) + ranks(closeness.of_unions(seed, others)), kind="stable")
    return others[places], costs[places]


def ranks(figures: Floats) -> Ints:
    """The place of each figure in ascending order; of equals the first is ahead."""
    places: Ints = np.empty(len(figures), dtype=np.int64)
    places[np.argsort(figures, kind="stable")] = np.arange(len(figures))
    return places


@dataclass(frozen=True, slots=True)
class Merge:
    """A cluster took in another one."""

    cluster: int
    partner: int


def closeness_of(name: str, task: JointTask, clusters: JointClusters, progress: Progress) -> Closeness:
    """The closeness of an option."""
    if name == "btd":
        return Distance(task.sets.transactions.sets, clusters)
    return TriedLoss(task.step, clusters, progress)


def merge_within(
    clusters: JointClusters, closeness: Closeness, order: MergeOrder, delta: float
) -> Iterator[Merge]:
    """Unite the cluster whose records cost least with its first partner that keeps the relational loss.

    Ends when it has none; in the order of single values only the first partner is asked.
    """
    while True:
        seed = clusters.seed()
        candidates, costs = ordered(order, clusters, closeness, seed, clusters.others(seed))
        within = clusters.losses_with(seed, candidates, costs) <= delta + ROUNDING
        if order is MergeOrder.VALUES:
            within[1:] = False
        if not within.any():
            return
        partner = int(candidates[np.argmax(within)])
        clusters.unite(seed, partner)
        closeness.unite(seed, partner)
        yield Merge(seed, partner)


class SolvedItems:
    """The items of every cluster, safe among themselves, and their loss, kept in step with unions."""

    def __init__(self, task: JointTask, parts: Parts, progress: Progress) -> None:
        self.parts = parts
        self._task, self._progress = task, progress
        self._total = sum(part.loss for part in parts.values())

    @property
    def loss(self) -> float:
        """UL of all records."""
        return self._total / max(1, self._task.data.row_count)

    def unite(self, clusters: JointClusters, cluster: int, partner: int) -> None:
        """Redo the items of a cluster that took in another one."""
        self._total -= self.parts[cluster].loss + self.parts.pop(partner).loss
        self.parts[cluster] = self._task.step.solve(clusters.rows(cluster), self._progress)
        self._total += self.parts[cluster].loss


def merge_always(
    clusters: JointClusters, closeness: Closeness, order: MergeOrder, items: SolvedItems
) -> Iterator[Merge]:
    """Unite the cluster whose records cost least with its first partner, until one cluster is left."""
    while len(clusters.alive) > 1:
        seed = clusters.seed()
        candidates, _ = ordered(order, clusters, closeness, seed, clusters.others(seed))
        partner = int(candidates[0])
        clusters.unite(seed, partner)
        closeness.unite(seed, partner)
        items.unite(clusters, seed, partner)
        yield Merge(seed, partner)
