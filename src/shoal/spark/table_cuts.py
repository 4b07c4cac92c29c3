"""Where a block of a table is cut, from counts alone: where Mondrian would cut its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np

from shoal.algorithms.relational.clustering.ends import Ends, split_points
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.kernels.trees import lowest_common_ancestors
from shoal.spark.block_tasks import BlockAxis

_MOST_PLACES = 1_024


@dataclass(frozen=True, eq=False)
class CutColumn:
    """A column that blocks can be cut along, with its tree, or its ends and the number at each place."""

    axis: BlockAxis
    weight: float
    tree: Hierarchy | None = None
    ends: Ends | None = None
    numbers: Floats = field(default_factory=lambda: np.empty(0))

    @classmethod
    def with_tree(cls, name: str, tree: Hierarchy, weight: float) -> Self:
        """The leaves of a tree."""
        return cls(BlockAxis(name, tree.leaf_count), weight, tree)

    @classmethod
    def with_numbers(cls, name: str, sample: Floats, ends: Ends, weight: float) -> Self:
        """Intervals around some of the numbers of a column; no border is a number that somebody has."""
        numbers = np.unique(sample)
        if len(numbers) > _MOST_PLACES:
            numbers = np.unique(
                np.sort(sample)[np.linspace(0, len(sample) - 1, _MOST_PLACES).astype(np.int64)]
            )
        borders = split_points(numbers[:-1], numbers[1:], whole=ends.whole)
        return cls(BlockAxis(name, len(numbers), borders), weight, ends=ends, numbers=numbers)

    def spread(self, low: int, high: int) -> float:
        """The share of the domain that a block with the places low..high would be published as."""
        if low == high:
            return 0.0
        if high >= self.axis.value_count:
            return 1.0
        if self.tree is not None:
            return float(self.tree.sizes[self._above(np.array([low]), np.array([high]))[0]]) / max(
                1, self.tree.leaf_count
            )
        half_width = self.ends.half_width if self.ends is not None and self.ends.half_width > 0 else 1.0
        return float(self.numbers[high] / 2 - self.numbers[low] / 2) / half_width

    def brings_down(self, left: Ints, right: Ints, low: int, high: int) -> Bools:
        """Which cuts between left[i] and right[i] part children of the node above the places low..high."""
        if self.tree is None:
            return np.ones(len(left), dtype=np.bool_)
        top = self._above(np.array([low]), np.array([high]))[0]
        return np.asarray(self._above(left, right) == top)

    def _above(self, low: Ints, high: Ints) -> Ints:
        if self.tree is None:
            raise TypeError("numbers have no node above them")
        last = self.tree.missing
        return lowest_common_ancestors(self.tree.arrays, np.minimum(low, last), np.minimum(high, last))

    def boxes(
        self, box: Mapping[str, tuple[float, float]], last: int
    ) -> tuple[Mapping[str, tuple[float, float]], Mapping[str, tuple[float, float]]]:
        """Between which ends the numbers on both sides of a cut lie, given those of the whole block."""
        borders = self.axis.borders
        if borders is None or self.ends is None or last >= len(borders):
            return box, box
        lower, upper = box.get(self.axis.column, (self.ends.lower, self.ends.upper))
        border = float(borders[last])
        above = border + 1 if self.ends.whole else border
        return {**box, self.axis.column: (lower, border)}, {**box, self.axis.column: (above, upper)}


class CutPlace(NamedTuple):
    """The column that is cut, the last place below the cut, and how many rows are below it."""

    column: int
    last: int
    rows: int


def best_cut(columns: Sequence[CutColumn], counts: Sequence[Ints], least: int) -> CutPlace | None:
    """Where Mondrian would cut a block, given how many rows have each place; None if nowhere.

    First what is missing or suppressed is split off, then values are parted; both from the widest column on.
    """
    present = [np.flatnonzero(of_column) for of_column in counts]
    spreads = [
        column.weight * column.spread(int(places[0]), int(places[-1]))
        for column, places in zip(columns, present, strict=True)
    ]
    widest_first = sorted(range(len(columns)), key=lambda number: -spreads[number])
    for splits_off in (True, False):
        for number in widest_first:
            if columns[number].weight > 0 and (
                cut := _cut_along(
                    columns[number], counts[number], present[number], least, splits_off=splits_off
                )
            ):
                return CutPlace(number, *cut)
    return None


def _cut_along(
    column: CutColumn, counts: Ints, present: Ints, least: int, *, splits_off: bool
) -> tuple[int, int] | None:
    """The last place below the best cut of a column, and the rows below it: the nearest to the middle."""
    below = np.cumsum(counts[present])
    left, right, rows, total = present[:-1], present[1:], below[:-1], int(below[-1])
    wanted = (rows >= least) & (total - rows >= least)
    wanted &= (right >= column.axis.value_count) == splits_off
    if not wanted.any():
        return None
    left, right, rows = left[wanted], right[wanted], rows[wanted]
    is_second = np.zeros(len(left), dtype=np.bool_)
    if not splits_off:
        is_second = ~column.brings_down(left, right, int(present[0]), int(present[-1]))
    best = np.lexsort((rows, np.abs(2 * rows - total), is_second))[0]
    return int(left[best]), int(rows[best])
