"""Uniting clusters one pair at a time, within a bound or until a bound is met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.mixed.joint_search.closeness import Closeness, Distance, TriedLoss
from shoal.algorithms.mixed.joint_search.clusters import JointClusters
from shoal.algorithms.mixed.joint_search.orders import Order, ordered
from shoal.algorithms.mixed.joint_search.task import JointTask, Parts
from shoal.progress import Progress

ROUNDING = 1e-12  # by which sums of the same losses can differ


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
    clusters: JointClusters, closeness: Closeness, order: Order, delta: float
) -> Iterator[Merge]:
    """Unite the cluster whose records cost least with its first partner that keeps the relational loss.

    Ends when it has none; in the order of single values only the first partner is asked.
    """
    while True:
        seed = clusters.seed()
        candidates, costs = ordered(order, clusters, closeness, seed, clusters.others(seed))
        within = clusters.losses_with(seed, candidates, costs) <= delta + ROUNDING
        if order is Order.VALUES:
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
    clusters: JointClusters, closeness: Closeness, order: Order, items: SolvedItems
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
