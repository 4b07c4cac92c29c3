"""Rows divided into blocks that fit one task each: by places along columns, by items, or by turns."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from shoal.engine.local import LocalData
from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.take import take_sets
from shoal.spark.answers import Answers, Batches, answer
from shoal.spark.reader import Reader, in_blocks

BLOCK = "shoal block"
WITHOUT_ITEMS = -1  # the block of empty sets

PLACES = "block bigint, axis bigint, place bigint, rows bigint"
ITEMS = "block bigint, label string, rows bigint"
SIZES = "block bigint, rows bigint"
NUMBERS = "name string, number double, whole boolean"

_NUMBERS_PER_BLOCK = 512


@dataclass(frozen=True, eq=False)
class BlockAxis:
    """A column as places along a line: the leaves of its tree, or the intervals that borders leave.

    A number has place p if it is at most borders[p] and above the border before. Behind the `value_count`
    places of values come that of a missing value and that of a suppressed cell.
    """

    column: str
    value_count: int
    borders: Floats | None = None

    def places(self, data: LocalData) -> Ints:
        """The place of each row."""
        coded = data.table.coded(self.column)
        if self.borders is None:
            return np.minimum(coded.codes, self.value_count + 1)
        numbers = np.empty(0) if coded.domain.numbers is None else coded.domain.numbers
        places = np.append(np.searchsorted(self.borders, numbers), self.value_count)
        return places[coded.codes]


class BlockSplit(Protocol):
    """A block that was divided."""

    @property
    def block(self) -> int:
        """Which one."""

    def block_of(self, data: LocalData, rows: Ints) -> Ints:
        """Where each of these rows of it goes."""


@dataclass(frozen=True, eq=False)
class AtPlace:
    """Rows with a place up to `last` go to `low`, others to `high`."""

    block: int
    axis: BlockAxis
    last: int
    low: int
    high: int

    def block_of(self, data: LocalData, rows: Ints) -> Ints:
        """One side or the other."""
        return np.where(self.axis.places(data)[rows] <= self.last, self.low, self.high)


@dataclass(frozen=True, eq=False)
class ByFirstItem:
    """A row goes where the first of the listed items that it holds leads; the last way is that of none."""

    block: int
    column: str
    items: Sequence[str]
    blocks: Ints

    def block_of(self, data: LocalData, rows: Ints) -> Ints:
        """The way of each row."""
        sets = data.table.sets(self.column)
        listed = pa.array(self.items, type=pa.string())
        ranks = pc.index_in(sets.domain.labels, value_set=listed).fill_null(len(self.items)).to_numpy()
        starts, items = take_sets(sets.arrays, rows)
        first = np.full(len(rows), len(self.items), dtype=np.int64)
        filled = np.flatnonzero(np.diff(starts))
        if len(filled):
            first[filled] = np.minimum.reduceat(ranks[items].astype(np.int64), starts[filled])
        return self.blocks[first]


@dataclass(frozen=True)
class EmptyApart:
    """Rows of a column without items leave block 0; sensitive items count only if it is said so."""

    column: str
    sensitive: bool
    block: int = 0

    def block_of(self, data: LocalData, rows: Ints) -> Ints:
        """One side or the other."""
        sets = data.table.sets(self.column).arrays
        if not self.sensitive:
            sets = data.joined_sets().of_column(self.column)
        return np.where(np.diff(sets.starts)[rows] == 0, WITHOUT_ITEMS, self.block)


@dataclass(frozen=True)
class Dealt:
    """A block that nothing divides: its rows go to `count` blocks from `first` on, by turns."""

    block: int
    first: int
    count: int


def block_of_each_row(splits: Sequence[BlockSplit], data: LocalData) -> Ints:
    """The block in which each row ends; all start in block 0, and splits stand in their order."""
    block = np.zeros(data.row_count, dtype=np.int64)
    for split in splits:
        here = np.flatnonzero(block == split.block)
        if len(here):
            block[here] = split.block_of(data, here)
    return block


def sample_numbers(reader: Reader, batches: Batches) -> Answers:
    """Some numbers of columns without a tree, among them the smallest and the largest of every block.

    Those between stand in equal distances by rank.
    """
    for rows in in_blocks(batches):
        data = reader.read(rows)
        for name in reader.roles:
            coded = data.table.coded(name)
            numbers = np.empty(0) if coded.domain.numbers is None else coded.domain.numbers
            present = np.sort(coded.codes[coded.codes != coded.domain.missing])
            if len(present) == 0:
                continue
            places = np.unique(np.linspace(0, len(present) - 1, _NUMBERS_PER_BLOCK).astype(np.int64))
            sample = numbers[present[places]]
            whole = bool((numbers == np.floor(numbers)).all())
            yield answer(NUMBERS, [name] * len(sample), sample, [whole] * len(sample))


def count_places(
    reader: Reader,
    axes: Sequence[BlockAxis],
    splits: Sequence[BlockSplit],
    waiting: frozenset[int],
    batches: Batches,
) -> Answers:
    """How many rows of each waiting block have each place of each axis."""
    for rows in in_blocks(batches):
        data = reader.read(rows)
        block = block_of_each_row(splits, data)
        chosen = np.isin(block, list(waiting))
        for number, axis in enumerate(axes):
            room = axis.value_count + 2
            keys, counts = np.unique(block[chosen] * room + axis.places(data)[chosen], return_counts=True)
            yield answer(PLACES, keys // room, np.full(len(keys), number), keys % room, counts)


def count_items(
    reader: Reader, column: str, splits: Sequence[BlockSplit], waiting: frozenset[int], batches: Batches
) -> Answers:
    """How many rows of each waiting block hold each item that is not sensitive."""
    for rows in in_blocks(batches):
        data = reader.read(rows)
        block = block_of_each_row(splits, data)
        sets = data.joined_sets().of_column(column)
        labels = data.table.sets(column).domain.labels
        of_item = np.repeat(block, np.diff(sets.starts))
        chosen = np.isin(of_item, list(waiting))
        room = max(len(labels), 1)
        keys, counts = np.unique(of_item[chosen] * room + sets.items[chosen], return_counts=True)
        yield answer(ITEMS, keys // room, labels.take(pa.array(keys % room)), counts)


def count_blocks(reader: Reader, splits: Sequence[BlockSplit], batches: Batches) -> Answers:
    """How many rows end in each block."""
    for rows in in_blocks(batches):
        blocks, counts = np.unique(block_of_each_row(splits, reader.read(rows)), return_counts=True)
        yield answer(SIZES, blocks, counts)


def add_block(
    reader: Reader, splits: Sequence[BlockSplit], dealt: Sequence[Dealt], batches: Batches
) -> Answers:
    """The rows as they are, with their block beside them.

    Turns begin elsewhere in every part, so that small parts fill all blocks.
    """
    task = TaskContext.get()
    turn = Counter({deal.block: task.partitionId() if task else 0 for deal in dealt})
    for rows in in_blocks(batches):
        block = block_of_each_row(splits, reader.read(rows))
        taken = block.copy()
        for deal in dealt:
            here = np.flatnonzero(taken == deal.block)
            block[here] = deal.first + (turn[deal.block] + np.arange(len(here))) % deal.count
            turn[deal.block] += len(here)
        yield from rows.append_column(BLOCK, pa.array(block)).to_batches()


def whole_blocks(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, pa.Table]]:
    """One block after the other with its rows; batches must come in the order of blocks."""
    waiting: list[pa.RecordBatch] = []
    current = 0
    for batch in batches:
        block = batch.column(BLOCK).to_numpy()
        borders = np.flatnonzero(np.diff(block)) + 1
        for rows in np.split(np.arange(len(block)), borders) if len(block) else []:
            number = int(block[rows[0]])
            if waiting and number != current:
                yield current, _without_block(waiting)
                waiting = []
            current = number
            waiting.append(batch.slice(rows[0], len(rows)))
    if waiting:
        yield current, _without_block(waiting)


def _without_block(batches: Sequence[pa.RecordBatch]) -> pa.Table:
    return pa.Table.from_batches(batches).drop_columns([BLOCK])
