"""Cutting parts until none is open: in one thread, or in several where there are many rows.

What becomes of a part depends on its own rows alone, so the parts are the same with any number of threads.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints
from shoal.kernels.constraint import ClassConstraint
from shoal.kernels.mondrian import Ordered, Parts, cut_parts, whole_table
from shoal.progress import Progress
from shoal.threads import in_threads, processors

_ROWS_PER_SLICE = 200_000
_PARTS_FOR_THREADS = 64


class Cutting(NamedTuple):
    """How parts are cut."""

    ordered: Ordered
    constraint: ClassConstraint
    stages: Ints


def cut_all(cutting: Cutting, parts: Parts, progress: Progress) -> bool:
    """Cut parts until none is open; False when time was up before."""
    row_count = len(parts.rows)
    expected = row_count * (1 + math.ceil(math.log2(max(row_count / cutting.constraint.k, 1))))
    handled = 0
    while not progress.expired():
        progress.update(min(handled, expected), expected, f"{parts.state[1]:,} parts")
        now = cut_parts(*cutting, parts, _ROWS_PER_SLICE)
        if now == 0:
            return True
        handled += now
    return bool(parts.state[0] == parts.state[1])


def cut_in_threads(cutting: Cutting, parts: Parts, progress: Progress) -> bool:
    """The same, beginning with one open part: each part is cut once until there are many, then to the end."""
    waiting = [0]
    while 0 < len(waiting) < _PARTS_FOR_THREADS and not progress.expired():
        cut_once = [partial(_cut_once, cutting, parts, part) for part in waiting]
        pieces = in_threads(cut_once, progress, processors())
        waiting = [
            child for part, piece in zip(waiting, pieces, strict=True) for child in _add(parts, part, piece)
        ]
    cut_to_the_end = [partial(_cut_to_the_end, cutting, parts, part) for part in waiting]
    pieces = in_threads(cut_to_the_end, progress, processors())
    for part, piece in zip(waiting, pieces, strict=True):
        _add(parts, part, piece)
    still_open = sum(int(piece.state[1] - piece.state[0]) for piece in pieces)
    parts.state[0] = parts.state[1] - still_open
    return still_open == 0


def _cut_once(cutting: Cutting, parts: Parts, part: int, progress: Progress) -> Parts:
    progress.update(0)
    piece = _alone(parts, part, cutting.constraint.k)
    cut_parts(*cutting, piece, 1)
    return piece


def _cut_to_the_end(cutting: Cutting, parts: Parts, part: int, progress: Progress) -> Parts:
    piece = _alone(parts, part, cutting.constraint.k)
    cut_all(cutting, piece, progress)
    return piece


def _alone(parts: Parts, part: int, least_rows: int) -> Parts:
    """An open part as a tree of its own, whose rows are those of the whole tree."""
    rows = parts.rows[parts.starts[part] : parts.ends[part]]
    return whole_table(len(rows), least_rows)._replace(rows=rows)


def _add(parts: Parts, part: int, piece: Parts) -> Sequence[int]:
    """Put what was cut out of a part below it; the numbers of the new parts."""
    made, count = int(parts.state[1]), int(piece.state[1]) - 1
    new, first = slice(made, made + count), int(parts.starts[part])
    for name in ("columns", "left_places", "right_places"):
        getattr(parts, name)[part] = getattr(piece, name)[0]
        getattr(parts, name)[new] = getattr(piece, name)[1 : count + 1]
    parts.starts[new] = piece.starts[1 : count + 1] + first
    parts.ends[new] = piece.ends[1 : count + 1] + first
    parents = piece.parents[1 : count + 1]
    parts.parents[new] = np.where(parents == 0, part, parents + (made - 1))
    parts.state[1] += count
    return range(made, made + count)
