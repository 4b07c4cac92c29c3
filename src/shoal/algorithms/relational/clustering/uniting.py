"""Clusters below k rows are united, the closest ones first, until each has as many."""

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.growing import with_leftovers
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.agglomerative import Mergers, MergeRules, unite_closest
from shoal.kernels.arrays import Ints
from shoal.kernels.generalized_records import NOTHING, closures, vector_costs
from shoal.kernels.grouping import members
from shoal.progress import Progress

_STEPS_PER_SLICE = 200


@dataclass(frozen=True, slots=True, eq=False)
class United:
    """A clustering of which every cluster has k rows; `finished` unless time was up."""

    clustering: Clustering
    finished: bool


def united(records: Records, cluster_of_record: Ints, rules: MergeRules, progress: Progress) -> United:
    """Unite clusters of distinct records, numbered from 0 without gaps, until each has k rows.

    Fewer than k rows that are left go each to the cluster where they add least to the cost; if time is up,
    rows that have no cluster of k yet are grouped with neighbours.
    """
    mergers = _mergers(records, cluster_of_record, rules.k)
    finished = _unite_all(records, mergers, rules, progress)
    return United(with_leftovers(records, _cluster_of_place(mergers), rules.k), finished)


def _unite_all(records: Records, mergers: Mergers, rules: MergeRules, progress: Progress) -> bool:
    unripe = int(mergers.state[0])
    while not progress.expired():
        progress.update(unripe - int(mergers.state[0]), unripe)
        if unite_closest(mergers, rules, records.nodes, records.trees, _STEPS_PER_SLICE) < _STEPS_PER_SLICE:
            return True
    return int(mergers.state[0]) < 2


def _mergers(records: Records, cluster_of_record: Ints, k: int) -> Mergers:
    """Each record is an entry; clusters of k rows are ripe, all others are in a slot of their own."""
    starts, listed = members(cluster_of_record, int(cluster_of_record.max()) + 1)
    sizes = np.add.reduceat(records.counts[listed], starts[:-1])
    unripe, ripe = np.flatnonzero(sizes < k), np.flatnonzero(sizes >= k)
    rows_left = int(sizes[unripe].sum())
    # Each union takes one slot, and each cluster that becomes ripe expels fewer than k rows of its own.
    slots = 2 * len(unripe) + 2 * rows_left
    entries = len(records) + rows_left
    mergers = Mergers(
        state=np.array([len(unripe), len(unripe), len(records), len(ripe)], dtype=np.int64),
        alive=_room(np.arange(len(unripe), dtype=np.int64), slots),
        sizes=_room(sizes[unripe], slots),
        vectors=np.zeros((slots, len(records.columns)), dtype=np.int64),
        costs=np.zeros(slots, dtype=np.float64),
        nearest=np.full(slots, NOTHING, dtype=np.int64),
        distances=np.full(slots, -np.inf),
        gone=np.zeros(slots, dtype=np.bool_),
        heads=_room(listed[starts[unripe]], slots),
        tails=_room(listed[starts[unripe + 1] - 1], slots),
        records=_room(np.arange(len(records), dtype=np.int64), entries),
        copies=_room(records.counts, entries),
        after=np.full(entries, NOTHING, dtype=np.int64),
        cluster_of=np.full(entries, NOTHING, dtype=np.int64),
        union_costs=records.room_for_union_costs(),
    )
    vectors = closures(records.trees, records.nodes, starts, listed)[unripe]
    mergers.vectors[: len(unripe)] = vectors
    mergers.costs[: len(unripe)] = vector_costs(records.trees, vectors)
    follows = np.flatnonzero(np.diff(cluster_of_record[listed]) == 0)
    mergers.after[listed[follows]] = listed[follows + 1]
    number = np.full(len(sizes), NOTHING, dtype=np.int64)
    number[ripe] = np.arange(len(ripe))
    mergers.cluster_of[: len(records)] = number[cluster_of_record]
    return mergers


def _room(values: Ints, size: int) -> Ints:
    return np.concatenate((values, np.zeros(size - len(values), dtype=np.int64)))


def _cluster_of_place(mergers: Mergers) -> Ints:
    """Deal the places of each record to the entries that hold it; those without a cluster come last."""
    used = int(mergers.state[2])
    holder, cluster, copies = mergers.records[:used], mergers.cluster_of[:used], mergers.copies[:used]
    order = np.lexsort((cluster, cluster == NOTHING, holder))
    return np.repeat(cluster[order], copies[order])
