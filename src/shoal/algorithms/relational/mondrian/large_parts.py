"""Parts of so many rows that they are cut from counts of their values: where the kernel would cut them.

A matrix of all rows takes eight bytes per cell, and sorting them several times as much as the columns do.
Counts say as well where the middle is, so only parts of fewer rows are gathered and cut by the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Codes, Ints, counts_of, looked_up, wide
from shoal.kernels.constraint import ClassConstraint, rows_hold
from shoal.kernels.mondrian import (
    AT_THE_MEDIAN,
    CUTS_TRIED,
    IN_THE_MIDDLE,
    SPLIT_OFF,
    WITHIN_A_VALUE,
    Ordered,
    ranks_of_cuts,
    widest_first,
)
from shoal.table.columns import Coded

_ROWS_AT_ONCE = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The places of all rows, column by column, in as few bytes as they need."""

    columns: tuple[Codes, ...]

    @classmethod
    def of_columns(cls, data: LocalData) -> Self:
        """Those of the quasi-identifiers, in table order."""
        return cls(tuple(places_of(data.table.coded(name), data.trees.get(name)) for name in data.quasi))

    def of(self, column: int, rows: Codes) -> Codes:
        """The places of some rows in one column."""
        return looked_up(self.columns[column], rows)

    def matrix(self, rows: Codes) -> Ints:
        """The places of some rows as the kernel takes them."""
        places = np.empty((len(rows), len(self.columns)), dtype=np.int64)
        for number in range(len(self.columns)):
            places[:, number] = self.of(number, rows)
        return places


def places_of(column: Coded, tree: Hierarchy | None) -> Codes:
    """The codes of a column, where a suppressed cell comes behind a missing value."""
    suppressed = None if tree is None else column.narrow == tree.root
    if suppressed is None or not suppressed.any():
        return column.narrow
    places = column.narrow.copy()
    places[suppressed] = len(column.domain) + 1
    return places


class LargeCut(NamedTuple):
    """A cut of a part: its column, how many rows are on its left side, and the places on both sides of it."""

    column: int
    rows: int
    left_place: int
    right_place: int


class _Line(NamedTuple):
    """The values of a part in one column that occur: their places, and how many rows have one up to each."""

    column: int
    places: Ints
    below: Ints

    @classmethod
    def of(cls, column: int, counts: Ints) -> Self:
        places = np.flatnonzero(counts)
        return cls(column, places, np.cumsum(counts[places]))

    @property
    def row_count(self) -> int:
        return int(self.below[-1])

    def place_at(self, position: int) -> int:
        """The place of the row at a position of the sorted rows."""
        return int(self.places[np.searchsorted(self.below, position, side="right")])


def cut_large_part(
    places: Places, ordered: Ordered, constraint: ClassConstraint, stages: Ints, rows: Codes
) -> LargeCut | None:
    """The best cut of some rows, which ascend, as `choose_cut` finds it; None if there is none.

    The rows of the left side are put before those of the right side, and ascend on both.
    """
    lines = [
        _Line.of(column, _counts(places, column, rows, int(ordered.value_counts[column]) + 2))
        for column in range(len(places.columns))
    ]
    lows = np.array([line.places[0] for line in lines], dtype=np.int64)
    highs = np.array([line.places[-1] for line in lines], dtype=np.int64)
    columns = widest_first(ordered, lows, highs)
    for stage in stages.tolist():
        for column in columns.tolist():
            if lows[column] == highs[column] or ordered.weights[column] == 0:
                continue
            if stage == SPLIT_OFF and highs[column] < ordered.value_counts[column]:
                continue
            for cut in _admissible_cuts(ordered, constraint.k, lines[column], stage):
                left = _left_side(places.columns[column], rows, lines[column], cut)
                if _both_hold(constraint, rows, left):
                    _put_first(rows, left)
                    sides = (lines[column].place_at(cut - 1), lines[column].place_at(cut))
                    return LargeCut(column, cut, *sides)
    return None


def _counts(places: Places, column: int, rows: Codes, length: int) -> Ints:
    counts = np.zeros(length, dtype=np.int64)
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        counts += counts_of(places.of(column, rows[first : first + _ROWS_AT_ONCE]), length)
    return counts


def _admissible_cuts(ordered: Ordered, k: int, line: _Line, stage: int) -> Iterator[int]:
    """The cuts of a line that leave k rows on both sides, the best first, as `find_cut` tries them."""
    count = line.row_count
    if stage in (AT_THE_MEDIAN, IN_THE_MIDDLE):
        cut = count // 2
        if stage == AT_THE_MEDIAN:
            cut = int(line.below[np.searchsorted(line.below, (count + 1) // 2)])
        if min(cut, count - cut) >= k:
            yield cut
    elif stage == WITHIN_A_VALUE:
        cut = count // 2
        if k <= cut <= count - k and line.place_at(cut - 1) == line.place_at(cut):
            yield cut
    else:
        cuts, ranks = line.below[:-1], ranks_of_cuts(ordered, line.column, stage, line.places)
        wanted = (ranks >= 0) & (cuts >= k) & (cuts <= count - k)
        cuts, ranks = cuts[wanted], ranks[wanted]
        yield from cuts[np.lexsort((cuts, np.abs(2 * cuts - count), ranks))[:CUTS_TRIED]].tolist()


def _left_side(places: Codes, rows: Codes, line: _Line, cut: int) -> Sequence[np.ndarray]:
    """Which rows are on the left side of a cut, some at a time: of equal ones the first."""
    last = line.place_at(cut - 1)
    smaller = np.searchsorted(line.places, last)
    of_last = cut - (int(line.below[smaller - 1]) if smaller else 0)
    marks = []
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        some = looked_up(places, rows[first : first + _ROWS_AT_ONCE])
        left, equal = some < last, np.flatnonzero(some == last)
        left[equal[: max(of_last, 0)]] = True
        of_last -= len(equal)
        marks.append(left)
    return marks


def _both_hold(constraint: ClassConstraint, rows: Codes, left: Sequence[np.ndarray]) -> bool:
    """Whether both sides may be classes, given that they have k rows."""
    if not len(constraint.people) and not len(constraint.rules):
        return True
    marked = np.concatenate(left)
    return bool(rows_hold(constraint, wide(rows[marked])) and rows_hold(constraint, wide(rows[~marked])))


def _put_first(rows: Codes, left: Sequence[np.ndarray]) -> None:
    """Bring the marked rows to the front; both sides keep their order."""
    end, others = 0, []
    for number, marks in enumerate(left):
        some = rows[number * _ROWS_AT_ONCE : (number + 1) * _ROWS_AT_ONCE]
        chosen = some[marks]
        others.append(some[~marks])
        rows[end : end + len(chosen)] = chosen  # which were read already
        end += len(chosen)
    rows[end:] = np.concatenate(others)
