"""Questions about sets that are spread over many machines: each part answers, and the answers are added up.

Whatever comes back to the driver is as long as the tree or as the list that was asked for, never as the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import fsum
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from shoal.kernels.arrays import (
    Bools,
    Ints,
    Items,
    SetArrays,
    frozen_sets,
    joined_rows,
    starts_of,
    taken_rows,
)
from shoal.kernels.rare_itemsets import lay_out
from shoal.kernels.set_supports import ItemIndex, node_supports, rows_of_leaves, supports_of
from shoal.kernels.subset_keys import Subsets, next_keys, occurrences_by_first, start_of_keys, tally_keys
from shoal.spark.answers import Answers, Batches, answer
from shoal.spark.encoded_sets import ITEMS_PER_CHUNK, SCHEMA, chunks_of, sets_of, unpacked

OCCURRENCES_PER_JOB = 1 << 30
KEYS_AT_ONCE = 1 << 22  # 32 MB per task
LARGEST_KEY = 2**63 - 1

_LARGEST_TABLE = 1 << 22
_KEYS_PER_TALLY = 1 << 15  # they stay in the cache until they are tallied
_KEYS_PER_BUCKET = 1 << 22
_MOST_BUCKETS = 1 << 12
_MIXER = np.uint64(0x9E3779B97F4A7C15)
_INT64 = np.dtype("<i8")

_PARTIAL = "question int, bucket int, keys binary, counts binary"
_SELECTED = "question int, keys binary, counts binary, occurrences bigint, more boolean"
_BLOCK = "block binary"
_TOTAL = "total double"
_FIGURES = 3  # that stand before the counts of a chunk

Counts = tuple[Ints, Ints]  # keys, ascending, and how often each occurs
CountOfChunk = Callable[[SetArrays], Ints]
FloatOfChunk = Callable[[SetArrays], float]  # a measure of some sets that adds up


@dataclass(frozen=True, slots=True, eq=False)
class ItemsetQuestion:
    """Which sets of numbered nodes are too rare: of `size` nodes, at least one of them fresh, held by 1..k-1.

    `number_of_leaf` tells the number of the node that a leaf is published as, -1 if it is left out; the
    leaves from `patch_at` on have the numbers `patch` instead. Sets begin with a number from `first` to
    `end` - 1, and have a key above `after`.
    """

    size: int
    base: int
    fresh: Bools
    first: int
    end: int
    after: int = -1
    patch_at: int = 0
    patch: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def subsets(self) -> Subsets:
        """The sets to be counted."""
        return Subsets(self.size, self.base, self.first, self.end, self.fresh)

    def numbers(self, number_of_leaf: Ints) -> Ints:
        """The number of each leaf."""
        numbers = number_of_leaf.copy()
        numbers[self.patch_at : self.patch_at + len(self.patch)] = self.patch
        return numbers

    def sets(self, keys: Ints) -> Ints:
        """The numbers of each set, one row per key."""
        numbers = np.empty((len(keys), self.size), dtype=np.int64)
        for index in range(self.size - 1, -1, -1):
            keys, numbers[:, index] = np.divmod(keys, self.base)
        return numbers


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Keys of sets in ascending order with their supports; `more` if the list ends before the sets do.

    `occurrences` is how many occurrences of sets were counted for it.
    """

    keys: Ints
    supports: Ints
    occurrences: int
    more: bool


Selection = Callable[[ItemsetQuestion, Counts], Counts]  # of the counts of a bucket, those that are wanted


class RarestSet(NamedTuple):
    """The smallest support, 0 if no set occurs, the first key that has it, and how many sets are below k."""

    support: int
    key: int
    below: int


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """Counts of all rows: per node of the tree occurrences of leaves under it, and rows that hold one."""

    rows: int
    non_empty: int
    longest: int
    occurrences: Ints
    supports: Ints


class SpreadSets:
    """Sets of leaves of a tree in the chunks of a DataFrame, which should be persisted.

    `jobs` counts how often all chunks were gone through.
    """

    def __init__(self, chunks: DataFrame, leaf_count: int) -> None:
        self._chunks, self._leaf_count = chunks, leaf_count
        self.jobs = 0

    def totals(self, parent: Ints) -> Totals:
        """How often everything occurs."""
        count = partial(_totals_of_chunk, self._leaf_count, parent)
        total = self._added(count, _FIGURES + self._leaf_count + len(parent), maxima=1)
        longest, rows, non_empty = total[:_FIGURES].tolist()
        occurrences, supports = np.split(total[_FIGURES:], [self._leaf_count])
        return Totals(rows, non_empty, longest, occurrences, supports)

    def occurrences(self, question: ItemsetQuestion, number_of_leaf: Ints) -> Ints:
        """How many occurrences of the sets in question begin with each number."""
        return self._added(partial(_occurrences_in_chunk, question, number_of_leaf), question.base)

    def supports(self, first: Ints, last: Ints, most: int) -> Ints:
        """How many rows hold a leaf of each interval of a row of intervals; not exact from `most` on."""
        return self._added(partial(_supports_in_chunk, self._leaf_count, first, last, most), len(first))

    def some_rows(self, every: int) -> SetArrays:
        """One row of `every` rows of each chunk, on the driver."""
        self.jobs += 1
        chunks = self._chunks.mapInArrow(partial(_some_rows, every), SCHEMA).toArrow()
        return joined_rows(*sets_of(chunks.to_batches()))

    def total(self, of_chunk: FloatOfChunk) -> float:
        """A measure of every chunk, added up."""
        self.jobs += 1
        rows = self._chunks.mapInArrow(partial(_floats_added_up, of_chunk), _TOTAL).collect()
        return fsum(row.total for row in rows)

    def rare(
        self, questions: Sequence[ItemsetQuestion], number_of_leaf: Ints, k: int, most: int, expected: int
    ) -> list[Listed]:
        """For each question the first `most` sets that fewer than k rows hold.

        `expected` is how many occurrences will be counted, by which the work is divided.
        """
        parts = self._counted(questions, number_of_leaf, partial(_rare_sets, k), most, expected)
        return [_merged(listed, most) for listed in parts]

    def rarest(self, question: ItemsetQuestion, number_of_leaf: Ints, k: int, expected: int) -> RarestSet:
        """The smallest support of any set in question, and the first set that has it."""
        (parts,) = self._counted([question], number_of_leaf, partial(_rarest_set, k), 2, expected)
        rarest = min(((int(part.supports[0]), int(part.keys[0])) for part in parts), default=(0, -1))
        return RarestSet(*rarest, sum(int(part.keys[1]) for part in parts))

    def _added(self, count: CountOfChunk, size: int, *, maxima: int = 0) -> Ints:
        """A count of all chunks, added up in the workers and once more here."""
        self.jobs += 1
        rows = self._chunks.mapInArrow(partial(_added_up_in_part, count, size, maxima), _BLOCK).collect()
        return _sum((unpacked(row.block, _INT64) for row in rows), size, maxima)

    def _counted(
        self,
        questions: Sequence[ItemsetQuestion],
        number_of_leaf: Ints,
        select: Selection,
        most: int,
        expected: int,
    ) -> list[list[Listed]]:
        """Count sets in every chunk, add the counts up by key, and give back what is selected of them."""
        self.jobs += 1
        buckets = max(1, min(expected // _KEYS_PER_BUCKET, _MOST_BUCKETS))
        counted = self._chunks.mapInArrow(
            partial(_sets_in_buckets, questions, number_of_leaf, buckets), _PARTIAL
        )
        added = counted.repartition(buckets, "bucket").mapInArrow(
            partial(_selected_sets, questions, select, most), _SELECTED
        )
        listed: list[list[Listed]] = [[] for _ in questions]
        for row in added.collect():
            keys, counts = unpacked(row.keys, _INT64), unpacked(row.counts, _INT64)
            listed[row.question].append(Listed(keys, counts, row.occurrences, more=row.more))
        return listed


def _some_rows(every: int, batches: Batches) -> Answers:
    for sets in sets_of(batches):
        rows = np.arange(0, len(sets.starts) - 1, every)
        yield from chunks_of(taken_rows(sets, rows), ITEMS_PER_CHUNK)


def _totals_of_chunk(leaf_count: int, parent: Ints, sets: SetArrays) -> Ints:
    sizes = np.diff(sets.starts)
    figures = [sizes.max(initial=0), len(sizes), np.count_nonzero(sizes)]
    occurrences = np.bincount(sets.items, minlength=leaf_count)
    return np.concatenate((figures, occurrences, node_supports(sets, parent))).astype(np.int64)


def _occurrences_in_chunk(question: ItemsetQuestion, number_of_leaf: Ints, sets: SetArrays) -> Ints:
    return occurrences_by_first(_laid(sets, question, number_of_leaf), question.subsets)


def _supports_in_chunk(leaf_count: int, first: Ints, last: Ints, most: int, sets: SetArrays) -> Ints:
    return supports_of(ItemIndex(sets, *rows_of_leaves(sets, leaf_count)), first, last, most)


def _added_up_in_part(count: CountOfChunk, size: int, maxima: int, batches: Batches) -> Answers:
    yield answer(_BLOCK, [_sum(map(count, sets_of(batches)), size, maxima).tobytes()])


def _sum(counts: Iterable[Ints], size: int, maxima: int) -> Ints:
    """The sum of counts of this size, of which the first `maxima` are maxima."""
    total = np.zeros(size, dtype=np.int64)
    for count in counts:
        most = np.maximum(total[:maxima], count[:maxima])
        total += count
        total[:maxima] = most
    return total


def _floats_added_up(measure: FloatOfChunk, batches: Batches) -> Answers:
    yield answer(_TOTAL, [fsum(measure(sets) for sets in sets_of(batches))])


def _sets_in_buckets(
    questions: Sequence[ItemsetQuestion], number_of_leaf: Ints, buckets: int, batches: Batches
) -> Answers:
    tallies = [_Tally() for _ in questions]
    for sets in sets_of(batches):
        for tally, question in zip(tallies, questions, strict=True):
            tally.add(count_sets(sets, question, number_of_leaf))
    for number, tally in enumerate(tallies):
        yield from _into_buckets(number, tally.total(), buckets)


class _Tally:
    """Counts of chunks, added up whenever they have doubled, so that they take little more room than then."""

    def __init__(self) -> None:
        self._parts: list[Counts] = []
        self._waiting, self._most = 0, KEYS_AT_ONCE

    def add(self, counts: Counts) -> None:
        self._parts.append(counts)
        self._waiting += len(counts[0])
        if self._waiting > self._most:
            self._parts = [self.total()]
            self._waiting = len(self._parts[0][0])
            self._most = max(KEYS_AT_ONCE, 2 * self._waiting)

    def total(self) -> Counts:
        return added_up(self._parts)


def _rare_sets(k: int, question: ItemsetQuestion, counts: Counts) -> Counts:
    keys, supports = counts
    rare = np.flatnonzero((supports < k) & (keys > question.after))
    return keys[rare], supports[rare]


def _rarest_set(k: int, _: ItemsetQuestion, counts: Counts) -> Counts:
    """The rarest set, and behind it the number of sets below k in the place of a key."""
    keys, supports = counts
    rarest = np.argmin(supports, keepdims=True)
    below = np.count_nonzero(supports < k)
    return np.append(keys[rarest], below), np.append(supports[rarest], 0)


def _selected_sets(
    questions: Sequence[ItemsetQuestion], select: Selection, most: int, batches: Batches
) -> Answers:
    for number, counts in _by_question(batches).items():
        keys, supports = select(questions[number], counts)
        first = (keys[:most].tobytes(), supports[:most].tobytes())
        row = (number, *first, int(counts[1].sum()), len(keys) > most)
        yield answer(_SELECTED, *([value] for value in row))


def furthest(expected: Ints, first: int) -> int:
    """The end of the first numbers whose sets can be counted in one job, `first` being one of them."""
    until = np.searchsorted(np.cumsum(expected[first:]), OCCURRENCES_PER_JOB, side="right")
    return first + max(1, int(until))


def count_sets(sets: SetArrays, question: ItemsetQuestion, number_of_leaf: Ints) -> Counts:
    """Count the sets in question in some rows; memory for keys is bounded, that for results is not."""
    laid = _laid(sets, question, number_of_leaf)
    table_size = question.base**question.size
    if table_size <= _LARGEST_TABLE:
        table = np.zeros(table_size, dtype=np.int64)
        for keys in _keys(laid, question, _KEYS_PER_TALLY):
            tally_keys(keys, table)
        found = np.flatnonzero(table)
        return found, table[found]
    return added_up([_counted(keys) for keys in _keys(laid, question, KEYS_AT_ONCE)])


def added_up(parts: Sequence[Counts]) -> Counts:
    """The counts of several parts, added by key."""
    if len(parts) == 1:
        return parts[0]
    nothing = np.empty(0, dtype=np.int64)
    keys = np.concatenate([nothing, *(keys for keys, _ in parts)])
    counts = np.concatenate([nothing, *(counts for _, counts in parts)])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    firsts = _first_places(keys)
    return keys[firsts], np.add.reduceat(counts, firsts) if len(firsts) else counts


def _laid(sets: SetArrays, question: ItemsetQuestion, number_of_leaf: Ints) -> Items:
    """The rows that can hold a set in question, laid end to end."""
    numbers = question.numbers(number_of_leaf)
    listed = numbers >= 0
    starts = starts_of(listed)
    rows = np.flatnonzero(np.diff(sets.starts) >= question.size)
    if not question.fresh.all():
        is_fresh = np.append(question.fresh, False)[numbers]
        fresh_before = starts_of(is_fresh[sets.items])
        rows = rows[(fresh_before[sets.starts[rows + 1]] - fresh_before[sets.starts[rows]]) > 0]
    return lay_out(sets, rows, frozen_sets(starts, numbers[listed]), question.base)


def _keys(laid: Items, question: ItemsetQuestion, at_once: int) -> Iterator[Ints]:
    at = start_of_keys(question.size)
    keys = np.empty(max(at_once, question.base), dtype=np.int64)
    while filled := next_keys(laid, question.subsets, at, keys):
        yield keys[:filled]


def _counted(keys: Ints) -> Counts:
    keys = np.sort(keys)
    firsts = _first_places(keys)
    return keys[firsts], np.diff(np.append(firsts, len(keys)))


def _first_places(ascending: Ints) -> Ints:
    """Where each value stands first."""
    return np.flatnonzero(np.concatenate((np.ones(min(1, len(ascending)), bool), np.diff(ascending) != 0)))


def _into_buckets(question: int, counts: Counts, buckets: int) -> Iterator[pa.RecordBatch]:
    """The counts split by a hash of their key, so that no bucket gets the frequent beginnings alone."""
    keys, supports = counts
    bucket_of_key = ((keys.astype(np.uint64) * _MIXER) >> np.uint64(32)) % np.uint64(buckets)
    order = np.argsort(bucket_of_key, kind="stable")
    ends = np.searchsorted(bucket_of_key[order], np.arange(buckets, dtype=np.uint64), side="right")
    start = 0
    for bucket, end in enumerate(ends.tolist()):
        if end > start:
            chosen = order[start:end]
            yield answer(
                _PARTIAL, [question], [bucket], [keys[chosen].tobytes()], [supports[chosen].tobytes()]
            )
        start = end


def _by_question(batches: Iterable[pa.RecordBatch]) -> Mapping[int, Counts]:
    parts: dict[int, list[Counts]] = {}
    for batch in batches:
        for row in batch.to_pylist():
            counts = unpacked(row["keys"], _INT64), unpacked(row["counts"], _INT64)
            parts.setdefault(row["question"], []).append(counts)
    return {question: added_up(counts) for question, counts in parts.items()}


def _merged(parts: Sequence[Listed], most: int) -> Listed:
    """The first sets of all buckets: no further than where a bucket's own list ends too early."""
    nothing = np.empty(0, dtype=np.int64)
    keys = np.concatenate([nothing, *(part.keys for part in parts)])
    supports = np.concatenate([nothing, *(part.supports for part in parts)])
    order = np.argsort(keys)
    known_until = min((int(part.keys[-1]) for part in parts if part.more), default=LARGEST_KEY)
    within = order[keys[order] <= known_until][:most]
    return Listed(
        keys[within],
        supports[within],
        sum(part.occurrences for part in parts),
        more=len(within) < len(keys) or known_until < LARGEST_KEY,
    )
