"""New records among the regions of an earlier recoding: boxes of codes, one interval per column."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints, SetArrays
from shoal.kernels.compile import kernel

NO_REGION = -1


class Boxes(NamedTuple):
    """Regions: region g covers a row where lower[g, c] <= code <= upper[g, c] in every column c."""

    lower: Ints
    upper: Ints


class _Waiting(NamedTuple):
    """Rows that have reached a region: first_row[g], from there on next_row, sizes[g] in all; -1 ends."""

    first_row: Ints
    next_row: Ints
    sizes: Ints


@kernel
def settled_regions(codes: Ints, boxes: Boxes, least: int) -> Ints:
    """For each row the first region that covers it and ends with at least `least` rows, or NO_REGION.

    codes[r, c] is the code of row r in column c. Regions are visited in their order: one that too few rows
    have reached is closed, and its rows go on to the next one that covers them. int64[rows]. Reads only.
    O(rows * regions).
    """
    row_count, region_count = len(codes), len(boxes.lower)
    settled = np.full(row_count, NO_REGION, dtype=np.int64)
    waiting = _Waiting(
        np.full(region_count, -1, dtype=np.int64),
        np.full(row_count, -1, dtype=np.int64),
        np.zeros(region_count, dtype=np.int64),
    )
    for row in range(row_count):
        _go_on(codes, row, boxes, 0, waiting)
    for region in range(region_count):
        row = waiting.first_row[region]
        while row >= 0:
            following = waiting.next_row[row]
            if waiting.sizes[region] >= least:
                settled[row] = region
            else:
                _go_on(codes, row, boxes, region + 1, waiting)
            row = following
    return settled


@kernel(part=True)
def _go_on(codes: Ints, row: int, boxes: Boxes, region: int, waiting: _Waiting) -> None:
    """Let a row wait at the next region that covers it, from `region` on; nowhere if there is none."""
    while region < len(boxes.lower):
        covers = True
        for column in range(codes.shape[1]):
            code = codes[row, column]
            if code < boxes.lower[region, column] or code > boxes.upper[region, column]:
                covers = False
                break
        if covers:
            waiting.next_row[row] = waiting.first_row[region]
            waiting.first_row[region] = row
            waiting.sizes[region] += 1
            return
        region += 1


@kernel
def cheapest_parts(sets: SetArrays, cost_of_item: Floats) -> Ints:
    """For each set the part in which its items cost least together; of equal ones the first.

    cost_of_item[p, i] is what item i costs in part p, of which there is at least one. int64[sets]. Reads
    only. O(items * parts).
    """
    row_count = len(sets.starts) - 1
    cheapest = np.zeros(row_count, dtype=np.int64)
    for row in range(row_count):
        least = np.inf
        for part in range(len(cost_of_item)):
            cost = 0.0
            for place in range(sets.starts[row], sets.starts[row + 1]):
                cost += cost_of_item[part, sets.items[place]]
            if cost < least:
                least, cheapest[row] = cost, part
    return cheapest
