"""Cutting parts until none is open: in one thread, or in several where there are many rows.

What becomes of a part depends on its own rows alone, so the parts are the same with any number of threads.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, Self

import numpy as np

from shoal.algorithms.relational.clustering.constraint import constraint_of_rows
from shoal.algorithms.relational.mondrian.large_parts import LargeCut, Places, cut_large_part
from shoal.kernels.arrays import Ints, wide
from shoal.kernels.constraint import ClassConstraint
from shoal.kernels.mondrian import NO_COLUMN, Ordered, PartTree, cut_parts, whole_table
from shoal.posix import give_back_memory
from shoal.progress import Progress
from shoal.threads import in_threads, processors

_ROWS_PER_SLICE = 200_000
_PARTS_FOR_THREADS = 64
ROWS_OF_A_MATRIX = 2**20  # more are cut from counts


class Cutting(NamedTuple):
    """How parts are cut; without `places` the rows of all parts are rows of the matrix in `ordered`."""

    ordered: Ordered
    constraint: ClassConstraint
    stages: Ints
    places: Places | None = None

    @property
    def most_rows(self) -> float:
        """How many rows a part may have that the kernel cuts."""
        return math.inf if self.places is None else ROWS_OF_A_MATRIX

    def cut(self, parts: PartTree, budget: int) -> int:
        """Let the kernel cut open parts until about so many rows have been handled; tells how many were."""
        return cut_parts(self.ordered, self.constraint, self.stages, parts, budget)

    def alone(self, rows: Ints) -> tuple[Self, PartTree]:
        """How some rows are cut, and these as an open part of their own: their own numbers if gathered."""
        piece = whole_table(len(rows), self.constraint.k)
        if self.places is None:
            return self, piece._replace(rows=rows)
        ordered = self.ordered._replace(codes=self.places.matrix(rows))
        gathered = self._replace(
            ordered=ordered, constraint=constraint_of_rows(self.constraint, rows), places=None
        )
        return gathered, piece

    def returned(self, rows: Ints, piece: PartTree) -> None:
        """Put the rows of a part in the order in which the parts that were cut out of it have them."""
        if self.places is not None:
            rows[:] = rows[piece.rows]


def cut_all(cutting: Cutting, parts: PartTree, progress: Progress) -> bool:
    """Cut parts until none is open; False when time was up before."""
    row_count = len(parts.rows)
    expected = row_count * (1 + math.ceil(math.log2(max(row_count / cutting.constraint.k, 1))))
    handled = 0
    while not progress.expired():
        progress.update(min(handled, expected), expected, f"{parts.state[1]:,} parts")
        now = cutting.cut(parts, _ROWS_PER_SLICE)
        if now == 0:
            return True
        handled += now
    return bool(parts.state[0] == parts.state[1])


def cut_in_threads(cutting: Cutting, parts: PartTree, progress: Progress) -> bool:
    """The same, beginning with one open part: each part is cut once until there are many, then to the end."""
    waiting, uncut = _cut_large_parts(cutting, parts, progress)
    while 0 < len(waiting) < _PARTS_FOR_THREADS and not progress.expired():
        cut_once = [partial(_cut_once, cutting, parts, part) for part in waiting]
        pieces = in_threads(cut_once, progress, processors())
        waiting = [
            child for part, piece in zip(waiting, pieces, strict=True) for child in _add(parts, part, piece)
        ]
    cut_to_the_end = [partial(_cut_to_the_end, cutting, parts, part) for part in waiting]
    pieces = in_threads(cut_to_the_end, progress, processors())
    give_back_memory()
    still_open = len(uncut) + sum(int(piece.state[1] - piece.state[0]) for piece in pieces)
    for part in reversed(waiting):
        _add(parts, part, pieces.pop())  # whose memory is free then
    parts.state[0] = parts.state[1] - still_open
    return still_open == 0


def _cut_large_parts(cutting: Cutting, parts: PartTree, progress: Progress) -> tuple[list[int], list[int]]:
    """Cut parts that have too many rows for the kernel; those that are left for it, and those left uncut."""
    waiting, small, uncut = [0], [], []
    while waiting:
        part = waiting.pop(0)
        rows = parts.rows[parts.starts[part] : parts.ends[part]]
        if len(rows) <= cutting.most_rows:
            small.append(part)
        elif cutting.places is None or progress.expired():
            uncut.append(part)
        else:
            progress.update(0, None, f"{parts.state[1]:,} parts")
            cut = cut_large_part(cutting.places, *cutting[:3], rows)
            if cut is not None:
                waiting += _divide(parts, part, cut)
    return small, uncut


def _divide(parts: PartTree, part: int, cut: LargeCut) -> tuple[int, int]:
    """Add both sides of a cut below a part; their numbers."""
    left, right = int(parts.state[1]), int(parts.state[1]) + 1
    start, end = int(parts.starts[part]), int(parts.ends[part])
    parts.columns[part], parts.left_places[part], parts.right_places[part] = (
        cut.column,
        cut.left_place,
        cut.right_place,
    )
    parts.starts[left], parts.ends[left] = start, start + cut.rows
    parts.starts[right], parts.ends[right] = start + cut.rows, end
    parts.parents[left : right + 1] = part
    parts.columns[left : right + 1] = NO_COLUMN
    parts.state[1] += 2
    return left, right


def _cut_once(cutting: Cutting, parts: PartTree, part: int, progress: Progress) -> PartTree:
    progress.update(0)
    rows = parts.rows[parts.starts[part] : parts.ends[part]]
    own, piece = cutting.alone(rows)
    own.cut(piece, 1)
    cutting.returned(rows, piece)
    return piece._replace(rows=rows)


def _cut_to_the_end(cutting: Cutting, parts: PartTree, part: int, progress: Progress) -> PartTree:
    rows = parts.rows[parts.starts[part] : parts.ends[part]]
    own, piece = cutting.alone(rows)
    cut_all(own, piece, progress)
    cutting.returned(rows, piece)
    return _in_little_room(piece._replace(rows=rows))


def _in_little_room(piece: PartTree) -> PartTree:
    """The same parts without the room for more, in half as many bytes."""
    count = int(piece.state[1])
    names = ("starts", "ends", "parents", "columns", "left_places", "right_places")
    return piece._replace(**{name: _halved(getattr(piece, name)[:count]) for name in names})


def _halved(numbers: Ints) -> Ints:
    fits = numbers.max(initial=0) <= np.iinfo(np.int32).max
    return numbers.astype(np.int32 if fits else np.int64)


def _add(parts: PartTree, part: int, piece: PartTree) -> Sequence[int]:
    """Put what was cut out of a part below it; the numbers of the new parts."""
    made, count = int(parts.state[1]), int(piece.state[1]) - 1
    new, first = slice(made, made + count), int(parts.starts[part])
    for name in ("columns", "left_places", "right_places"):
        getattr(parts, name)[part] = getattr(piece, name)[0]
        getattr(parts, name)[new] = getattr(piece, name)[1 : count + 1]
    parts.starts[new] = wide(piece.starts[1 : count + 1]) + first
    parts.ends[new] = wide(piece.ends[1 : count + 1]) + first
    parents = wide(piece.parents[1 : count + 1])
    parts.parents[new] = np.where(parents == 0, part, parents + (made - 1))
    parts.state[1] += count
    return range(made, made + count)
