"""How rows in Spark are divided into blocks that fit a task, from counts that are made where the rows are.

Tables are cut as Mondrian cuts them, sets by the most frequent items, in one or two passes over the data for
each level. What nothing divides, such as millions of equal rows, is dealt out by turns.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from pyspark.sql import Window
from pyspark.sql import functions as sql

from shoal.kernels.arrays import Ints
from shoal.progress import Progress
from shoal.spark.block_tasks import (
    ITEMS,
    PLACES,
    SIZES,
    WITHOUT_ITEMS,
    AtPlace,
    BlockSplit,
    ByFirstItem,
    Dealt,
    EmptyApart,
    count_blocks,
    count_items,
    count_places,
)
from shoal.spark.classes import quoted
from shoal.spark.data import SparkData
from shoal.spark.table_cuts import CutColumn, CutPlace, best_cut

_ITEMS_PER_LEVEL = 1_000
_PLACES_AT_ONCE = 1 << 22  # 32 MB on the driver
_MOST_OF_A_BLOCK = 0.9  # a level that leaves more of it in one piece is not worth its passes

Box = Mapping[str, tuple[float, float]]  # between which ends the numbers of a block lie


@dataclass(frozen=True)
class Size:
    """How many rows a block may have at most, and must have at least."""

    most: int
    least: int


@dataclass(frozen=True, eq=False)
class Division:
    """How rows find their block, and how many rows each block has."""

    splits: tuple[BlockSplit, ...] = ()
    sizes: Mapping[int, int] = field(default_factory=dict)
    dealt: tuple[Dealt, ...] = ()
    boxes: Mapping[int, Box] = field(default_factory=dict)

    @property
    def block_count(self) -> int:
        """How many blocks there are with rows that are searched."""
        return sum(1 for block, rows in self.sizes.items() if block >= 0 and rows)

    @property
    def dealt_rows(self) -> int:
        """How many rows nothing divided, apart from empty sets."""
        return sum(
            self.sizes[block]
            for deal in self.dealt
            if deal.block != WITHOUT_ITEMS
            for block in range(deal.first, deal.first + deal.count)
        )

    @property
    def empty_rows(self) -> int:
        """How many rows have no items."""
        return sum(rows for block, rows in self.sizes.items() if block < 0)


class _Growing:
    """A division in the making."""

    def __init__(self, sizes: Mapping[int, int], splits: Iterable[BlockSplit] = ()) -> None:
        self.sizes = dict(sizes)
        self.splits = list(splits)
        self.dealt: list[Dealt] = []
        self.boxes: dict[int, Box] = {}
        self._next = max(self.sizes, default=0) + 1

    def number(self, wanted: int = 1) -> int:
        """The first of so many numbers that no block has."""
        first = self._next
        self._next += wanted
        return first

    def deal(self, block: int, size: Size) -> None:
        """Deal the rows of a block out to blocks that are small enough."""
        rows = self.sizes.pop(block)
        parts = max(1, min(-(-rows // size.most), rows // size.least))
        first = -parts if block < 0 else self.number(parts)
        self.dealt.append(Dealt(block, first, parts))
        for place in range(parts):
            self.sizes[first + place] = rows // parts + (place < rows % parts)
            if block in self.boxes:
                self.boxes[first + place] = self.boxes[block]

    def divided(self) -> Division:
        """As it is now."""
        return Division(tuple(self.splits), dict(self.sizes), tuple(self.dealt), dict(self.boxes))


def divide_table(data: SparkData, columns: Sequence[CutColumn], size: Size, progress: Progress) -> Division:
    """Cut blocks of more than `most` rows in two, near the median of their widest column."""
    growing = _Growing({0: data.row_count})
    waiting = {0} if data.row_count > size.most else set()
    while waiting:
        cuts = _cuts(data, columns, growing.splits, sorted(waiting), size.least)
        halves: set[int] = set()
        for block, cut in cuts.items():
            if cut is None:
                growing.deal(block, size)
            else:
                low = growing.number(2)
                high = low + 1
                column = columns[cut.column]
                growing.splits.append(AtPlace(block, column.axis, cut.last, low, high))
                growing.sizes[low], growing.sizes[high] = cut.rows, growing.sizes.pop(block) - cut.rows
                box = growing.boxes.get(block, {})
                growing.boxes[low], growing.boxes[high] = column.boxes(box, cut.last)
                halves |= {low, high}
        waiting = {block for block in halves if growing.sizes[block] > size.most}
        progress.update(len(growing.splits), None, f"{len(growing.sizes):,} blocks")
    return growing.divided()


def _cuts(
    data: SparkData,
    columns: Sequence[CutColumn],
    splits: Sequence[BlockSplit],
    waiting: Sequence[int],
    least: int,
) -> dict[int, CutPlace | None]:
    """The best cut of each waiting block; in several passes if the counts of all would be too many."""
    if not columns:
        return dict.fromkeys(waiting)
    places = sum(column.axis.value_count + 2 for column in columns)
    at_once = max(1, _PLACES_AT_ONCE // places)
    cuts: dict[int, CutPlace | None] = {}
    for start in range(0, len(waiting), at_once):
        some = waiting[start : start + at_once]
        counts = _counts_of_places(data, columns, splits, some)
        cuts |= {block: best_cut(columns, counts[block], least) for block in some}
    return cuts


def _counts_of_places(
    data: SparkData, columns: Sequence[CutColumn], splits: Sequence[BlockSplit], waiting: Sequence[int]
) -> dict[int, list[Ints]]:
    """How many rows of each waiting block have each place of each column."""
    axes = [column.axis for column in columns]
    names = [axis.column for axis in axes]
    counting = partial(count_places, data.reader.only(*names), axes, tuple(splits), frozenset(waiting))
    rows = (
        data.frame.select(*map(quoted, names))
        .mapInArrow(counting, PLACES)
        .groupBy("block", "axis", "place")
        .agg(sql.sum("rows").alias("rows"))
        .collect()
    )
    counts: defaultdict[int, list[Ints]] = defaultdict(
        lambda: [np.zeros(axis.value_count + 2, dtype=np.int64) for axis in axes]
    )
    for row in rows:
        counts[row.block][row.axis][row.place] = row.rows
    return counts


def divide_sets(
    data: SparkData, column: str, size: Size, progress: Progress, *, sensitive: bool = False
) -> Division:
    """Set empty sets apart, and divide blocks of more than `most` rows by their most frequent items.

    Of the items of a block that few enough rows lack, and few enough hold, the most frequent comes first; a
    row goes with the first one that it holds. Rows of items that are too few for a block stay together. Sets
    with nothing but sensitive items count as empty unless `sensitive`.
    """
    splits: list[BlockSplit] = [EmptyApart(column, sensitive)]
    growing = _Growing(_sizes(data, column, splits), splits)
    if growing.sizes.get(WITHOUT_ITEMS, 0) > size.most:
        growing.deal(WITHOUT_ITEMS, size)
    waiting = {block for block, rows in growing.sizes.items() if block >= 0 and rows > size.most}
    while waiting:
        ways = _first_items(data, column, growing, waiting, size.least)
        counted = _sizes(data, column, [*growing.splits, *ways])
        waiting = waiting - {way.block for way in ways}
        for block in sorted(waiting):
            growing.deal(block, size)
        waiting = set()
        for way in ways:
            waiting |= _take_ways(growing, way, counted, size)
        progress.update(len(growing.splits), None, f"{len(growing.sizes):,} blocks")
    return growing.divided()


def _sizes(data: SparkData, column: str, splits: Sequence[BlockSplit]) -> dict[int, int]:
    counting = partial(count_blocks, data.reader.only(column), tuple(splits))
    counted = data.frame.select(quoted(column)).mapInArrow(counting, SIZES)
    rows = counted.groupBy("block").agg(sql.sum("rows").alias("rows")).collect()
    return {row.block: row.rows for row in rows}


def _first_items(
    data: SparkData, column: str, growing: _Growing, waiting: set[int], least: int
) -> list[ByFirstItem]:
    """How each waiting block can be divided, one way per item; those without usable items are left out."""
    counting = partial(
        count_items, data.reader.only(column), column, tuple(growing.splits), frozenset(waiting)
    )
    total = (
        data.frame.select(quoted(column))
        .mapInArrow(counting, ITEMS)
        .groupBy("block", "label")
        .agg(sql.sum("rows").alias("rows"))
    )
    sizes = sql.create_map(
        *(sql.lit(each) for block in sorted(waiting) for each in (block, growing.sizes[block]))
    )
    usable = total.filter(sql.col("rows") <= sizes[sql.col("block")] - least)
    by_frequency = Window.partitionBy("block").orderBy(sql.desc("rows"), "label")
    ranked = usable.withColumn("rank", sql.row_number().over(by_frequency))
    items: defaultdict[int, list[str]] = defaultdict(list)
    for row in ranked.filter(sql.col("rank") <= _ITEMS_PER_LEVEL).orderBy("block", "rank").collect():
        items[row.block].append(row.label)
    return [
        ByFirstItem(block, column, tuple(labels), _new_blocks(growing, len(labels) + 1))
        for block, labels in sorted(items.items())
    ]


def _new_blocks(growing: _Growing, wanted: int) -> Ints:
    return growing.number(wanted) + np.arange(wanted, dtype=np.int64)


def _take_ways(growing: _Growing, way: ByFirstItem, counted: Mapping[int, int], size: Size) -> set[int]:
    """Divide a block as counted, ways that are too small united; which of the new blocks are too large."""
    rows = np.array([counted.get(block, 0) for block in way.blocks.tolist()], dtype=np.int64)
    united = united_ways(rows, size)
    totals = np.bincount(united, rows, len(rows)).astype(np.int64)
    if totals.max() > _MOST_OF_A_BLOCK * rows.sum():
        growing.deal(way.block, size)
        return set()
    blocks = way.blocks[united]
    del growing.sizes[way.block]
    growing.splits.append(replace(way, blocks=blocks))
    for block, total in zip(way.blocks.tolist(), totals.tolist(), strict=True):
        if total:
            growing.sizes[block] = total
    return {block for block in set(blocks.tolist()) if growing.sizes.get(block, 0) > size.most}


def united_ways(rows: Ints, size: Size) -> Ints:
    """With which way each way is united, named by the first of them: large ones stay alone.

    Small ones are united with those behind them up to `most` rows; if `least` are not reached, with the ones
    before them, or else with the smallest of the large ones.
    """
    united = np.arange(len(rows), dtype=np.int64)
    firsts: list[int] = []
    totals: list[int] = []
    for way in np.flatnonzero(rows <= size.most).tolist():
        if not firsts or (totals[-1] >= size.least and totals[-1] + rows[way] > size.most):
            firsts.append(way)
            totals.append(0)
        united[way] = firsts[-1]
        totals[-1] += int(rows[way])
    if totals and totals[-1] < size.least:
        large = np.flatnonzero(rows > size.most)
        if len(firsts) > 1:
            united[united == firsts[-1]] = firsts[-2]
        elif len(large):
            united[united == firsts[-1]] = large[rows[large].argmin()]
    return united
