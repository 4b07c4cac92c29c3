"""Beyond HORPART: records that another cluster serves better move there."""

from __future__ import annotations

import numpy as np

from shoal.algorithms.sets.disassociation.horpart import HorizontalPartition, only
from shoal.kernels.arrays import Bools
from shoal.kernels.settle import (
    CLUSTERS_PER_PAIR,
    Bounds,
    Covered,
    Index,
    PairTable,
    count_covered,
    fill_covered,
    fill_pair_table,
    settle,
)
from shoal.kernels.take import take_sets

_WORD = 64


def settled(partition: HorizontalPartition, looked_at: Bools, bounds: Bounds) -> HorizontalPartition:
    """Let each record move to a cluster in which more of its terms are held by k records.

    No other terms than those that are `looked_at` count.

    HORPART splits by one term after the other and never looks back: a record that holds a frequent term and
    a rarer pair goes with the term, although the pair has its own cluster elsewhere.
    """
    near, term_count = only(partition.records, looked_at), len(looked_at)
    starts, pair_count = count_covered(near, partition.starts, term_count, bounds.k)
    covered = Covered(starts, np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.int64))
    is_covered = np.zeros(term_count, dtype=np.bool_)
    fill_covered(near, partition.starts, bounds.k, covered, is_covered)
    table = _empty_table(int(pair_count))
    fill_pair_table(covered, term_count, table)
    sizes = np.diff(partition.starts)
    cluster_of = np.repeat(np.arange(len(sizes)), sizes)
    settle(near, cluster_of, Index(covered, is_covered, table), bounds)
    order = np.argsort(cluster_of, kind="stable")
    new_sizes = np.bincount(cluster_of, minlength=len(sizes))
    return HorizontalPartition(
        take_sets(partition.records, order),
        partition.rows[order],
        np.concatenate(([0], np.cumsum(new_sizes))),
    )


def _empty_table(pair_count: int) -> PairTable:
    """Room for so many pairs; at least half of the places stay empty."""
    size = max(_WORD, 1 << (2 * pair_count).bit_length())
    return PairTable(
        np.full(size, -1, dtype=np.int64),
        np.full((size, CLUSTERS_PER_PAIR), -1, dtype=np.int64),
        np.zeros(size // _WORD, dtype=np.uint64),
    )
