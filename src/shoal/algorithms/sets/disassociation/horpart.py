"""HORPART: similar records together, by the terms that most of them hold.

Beyond it, records that another cluster serves better settle there.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np

from shoal.algorithms.sets.cut_search.parts import balanced_borders
from shoal.errors import LimitReached
from shoal.kernels.arrays import Bools, Ints, SetArrays, freeze, frozen_sets, owners, piece_of, starts_of
from shoal.kernels.horpart import BlockLimits, Desk, TermSplit, new_desk, split_parts, unite_parts
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
from shoal.progress import Progress, Silent
from shoal.threads import in_threads

_WORD = 64
_BATCHES_PER_THREAD = 8
_LARGEST_PRODUCT = 2**62

# Over all clusters at once the time per record would rise with their number.
_ITEMS_PER_BLOCK = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class HorizontalPartition:
    """Records in the order of their clusters: cluster c holds those from starts[c] to starts[c + 1] - 1.

    They were the given `rows` before.
    """

    records: SetArrays
    rows: Ints
    starts: Ints


def horizontal_partition(
    records: SetArrays, split_by: Bools, limit: int, threads: int, progress: Progress
) -> HorizontalPartition:
    """Split the records by those terms until all clusters have fewer than `limit`.

    One thread splits the whole once; the parts are then laid out one behind the other, so that each is near
    the processor when it is split further.
    """
    count, term_count = len(records.starts) - 1, len(split_by)
    rows, starts_part = np.arange(count, dtype=np.int64), np.zeros(count, dtype=np.bool_)
    _split_whole(TermSplit(only(records, split_by), rows, starts_part), limit, term_count)
    laid_out = take_sets(records, rows)
    near = TermSplit(only(laid_out, split_by), np.arange(count, dtype=np.int64), starts_part)
    parts = _parts(starts_part)
    large = parts[parts[:, 1] - parts[:, 0] >= limit]

    def split(batch: Ints, progress: Progress) -> None:
        require_time(progress)
        split_parts(near, batch, limit, limit, _desk_for(batch, near.sets, term_count))

    batches = np.split(large, balanced_borders(large[:, 1] - large[:, 0], _BATCHES_PER_THREAD * threads))
    in_threads([partial(split, batch) for batch in batches if len(batch)], progress, threads)
    starts = np.append(np.flatnonzero(starts_part), count)
    return HorizontalPartition(take_sets(laid_out, near.rows), rows[near.rows], starts)


def _split_whole(split: TermSplit, limit: int, term_count: int) -> None:
    """Split all rows once, with room that nobody needs afterwards."""
    whole = np.array([[0, len(split.rows)]])
    split_parts(split, whole, limit, len(split.rows), _desk_for(whole, split.sets, term_count))


def require_time(progress: Progress) -> None:
    """Raise LimitReached when time is up while records are still to be taken apart."""
    progress.update(0)
    if progress.expired():
        raise LimitReached(
            "time was up before all records were taken apart, and until then nothing can be published; raise"
            " time_limit"
        )


def only(records: SetArrays, wanted: Bools) -> SetArrays:
    """The records with the wanted terms alone."""
    if wanted.all():
        return records
    if not wanted.any():
        return frozen_sets(np.zeros_like(records.starts), [])
    kept = wanted[records.items]
    kept_before = starts_of(kept)
    return SetArrays(freeze(kept_before[records.starts]), freeze(records.items[kept]))


def _desk_for(parts: Ints, sets: SetArrays, term_count: int) -> Desk:
    """Room for parts whose rows stand one behind the other."""
    first, last = parts[:, 0], parts[:, 1]
    items = sets.starts[last] - sets.starts[first]
    return new_desk(term_count, int((last - first).max()), int(items.max()))


def unite(
    partition: HorizontalPartition, is_sensitive: Bools, *, least: int, limit: int, l: Fraction
) -> HorizontalPartition:
    """Unite clusters until each has `least` rows and no sensitive term in more than 1/l of them."""
    l = _multipliable(l, len(partition.rows))
    sensitive = only(partition.records, is_sensitive)
    needs = BlockLimits(least, limit, numerator=l.denominator, denominator=l.numerator)
    return replace(partition, starts=unite_parts(partition.starts, sensitive, len(is_sensitive), needs))


def _multipliable(l: Fraction, count: int) -> Fraction:
    """The same number, or the next larger one that kernels can multiply with so many rows."""
    if max(l.numerator, l.denominator) * count < _LARGEST_PRODUCT:
        return l
    scale = max(1, int(_LARGEST_PRODUCT // (count * (int(l) + 1))))
    return Fraction(-(-l.numerator * scale // l.denominator), scale)


def _parts(starts_part: Bools) -> Ints:
    starts = np.flatnonzero(starts_part)
    return np.stack((starts, np.append(starts[1:], len(starts_part))), axis=1)


def settled(
    partition: HorizontalPartition,
    looked_at: Bools,
    bounds: Bounds,
    threads: int,
    items_per_block: int = _ITEMS_PER_BLOCK,
) -> HorizontalPartition:
    """Let each record move to a cluster in which more of its terms are held by k records.

    No other terms than those that are `looked_at` count, and no other clusters than those of the same block,
    whose first terms are alike; blocks are independent, so that threads take them at the same time.

    HORPART splits by one term after the other and never looks back: a record that holds a frequent term and
    a rarer pair goes with the term, although the pair has its own cluster elsewhere.
    """
    cluster_of = _settled_clusters(partition, looked_at, bounds, threads, items_per_block)
    order = np.argsort(cluster_of, kind="stable")
    new_sizes = np.bincount(cluster_of, minlength=len(partition.starts) - 1)
    return HorizontalPartition(
        take_sets(partition.records, order), partition.rows[order], starts_of(new_sizes)
    )


def _settled_clusters(
    partition: HorizontalPartition, looked_at: Bools, bounds: Bounds, threads: int, items_per_block: int
) -> Ints:
    """The cluster that each record settles in."""
    near = only(partition.records, looked_at)

    def settle_block(first: int, last: int, _: Progress) -> Ints:
        starts = partition.starts[first : last + 1]
        sets = piece_of(near, starts[0], starts[-1])
        return first + _settled_block(sets, starts - starts[0], len(looked_at), bounds)

    settling = [partial(settle_block, *block) for block in cluster_blocks(partition, items_per_block)]
    return np.concatenate(in_threads(settling, Silent(), threads))


def cluster_blocks(partition: HorizontalPartition, items_per_block: int) -> list[tuple[int, int]]:
    """Neighbouring clusters with about so many items: the first of a block, and the one behind its last."""
    items = np.diff(partition.records.starts[partition.starts])
    borders = balanced_borders(items, 1 + len(partition.records.items) // items_per_block)
    return list(pairwise([0, *borders.tolist(), len(items)]))


def _settled_block(sets: SetArrays, starts: Ints, term_count: int, bounds: Bounds) -> Ints:
    """The cluster of each record among those that start there, after records have moved."""
    covered_starts, pair_count = count_covered(sets, starts, term_count, bounds.k)
    room = covered_starts[-1]
    covered = Covered(covered_starts, np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64))
    is_covered = np.zeros(term_count, dtype=np.bool_)
    fill_covered(sets, starts, bounds.k, covered, is_covered)
    table = _empty_table(int(pair_count))
    fill_pair_table(covered, term_count, table)
    cluster_of = owners(starts)
    settle(sets, cluster_of, Index(covered, is_covered, table), bounds)
    return cluster_of


def _empty_table(pair_count: int) -> PairTable:
    """Room for so many pairs; at least half of the places stay empty."""
    size = max(_WORD, 1 << (2 * pair_count).bit_length())
    return PairTable(
        np.full(size, -1, dtype=np.int64),
        np.full((size, CLUSTERS_PER_PAIR), -1, dtype=np.int64),
        np.zeros(size // _WORD, dtype=np.uint64),
    )
