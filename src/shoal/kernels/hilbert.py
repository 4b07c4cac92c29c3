"""Records along a Hilbert curve, and the best way to cut a line of records into runs."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import Trees, copy_into, united, vector_cost

BITS_PER_WORD = 62
UNREACHED = -1


@kernel(part=True)
def turn_to_curve(point: Ints, bits: int) -> None:
    """Replace coordinates of `bits` bits by the position on the curve, its bits dealt out in turn.

    The highest bit of the position is the highest bit of the first coordinate, the next one that of the
    second, and so on; the lowest bit of the last coordinate is the last. O(bits * coordinates).
    After Skilling, Programming the Hilbert curve, AIP 2004: in each cube of half the size the curve is
    turned and mirrored back to its plain form, from the largest cube to the smallest; what is left is a
    Gray code of the position.
    """
    last = len(point) - 1
    half = 1 << (bits - 1)
    while half > 1:
        below = half - 1
        for j in range(len(point)):
            if point[j] & half:
                point[0] ^= below
            else:
                exchanged = (point[0] ^ point[j]) & below
                point[0] ^= exchanged
                point[j] ^= exchanged
        half >>= 1
    for j in range(1, len(point)):
        point[j] ^= point[j - 1]
    flips = 0
    half = 1 << (bits - 1)
    while half > 1:
        if point[last] & half:
            flips ^= half - 1
        half >>= 1
    for j in range(len(point)):
        point[j] ^= flips


@kernel
def curve_positions(points: Ints, bits: int) -> Ints:
    """Where points[n, d] lie on a Hilbert curve through all points of d coordinates of `bits` bits.

    words[w, i] is the w-th word of point i's position, the most significant one first, so that positions
    compare as their words do in turn: no position is too long. Coordinates are 0 or more; d and bits are 1 or
    more. Reads only. O(n * d * bits).
    """
    n, d = points.shape
    words = np.zeros(((d * bits + BITS_PER_WORD - 1) // BITS_PER_WORD, n), dtype=np.int64)
    point = np.empty(d, dtype=np.int64)
    for i in range(n):
        copy_into(point, points[i])
        turn_to_curve(point, bits)
        place = 0
        for bit in range(bits - 1, -1, -1):
            for j in range(d):
                word = place // BITS_PER_WORD
                words[word, i] = (words[word, i] << 1) | ((point[j] >> bit) & 1)
                place += 1
    return words


class OrderedRows(NamedTuple):
    """Rows in an order: row p is the vector of nodes vectors[records[p]]."""

    vectors: Ints
    records: Ints


class Runs(NamedTuple):
    """The best grouping of every beginning of a line into runs of k to 2k - 1 rows.

    That of the first i rows costs costs[i] in all; its last run begins at begins[i], which is UNREACHED where
    there is no grouping.
    """

    k: int
    costs: Floats
    begins: Ints


def no_runs(row_count: int, k: int) -> Runs:
    """Nothing but the empty beginning is grouped."""
    costs = np.full(row_count + 1, np.inf)
    costs[0] = 0.0
    return Runs(k, costs, np.full(row_count + 1, UNREACHED, dtype=np.int64))


@kernel
def group_beginnings(trees: Trees, line: OrderedRows, runs: Runs, first: int, last: int) -> None:
    """Find the best grouping of the first i rows of a line, for i = first..last.

    A run costs its length times the cost of its closure. Of equally good groupings the one with the shortest
    last run is kept. Shorter beginnings must have been grouped; writes `runs`.
    O((last - first) * k * columns).
    """
    closure = np.empty(line.vectors.shape[1], dtype=np.int64)
    for end in range(first, last + 1):
        record = line.records[end - 1]
        copy_into(closure, line.vectors[record])
        cost = vector_cost(trees, closure)
        least = np.inf
        for begin in range(end - 1, max(end - 2 * runs.k, -1), -1):
            if line.records[begin] != record:
                record = line.records[begin]
                wider = False
                for j in range(len(closure)):
                    node = united(trees, closure[j], line.vectors[record, j])
                    wider |= node != closure[j]
                    closure[j] = node
                if wider:
                    cost = vector_cost(trees, closure)
            size = end - begin
            if size >= runs.k and runs.costs[begin] + size * cost < least:
                least = runs.costs[begin] + size * cost
                runs.begins[end] = begin
        runs.costs[end] = least


@kernel
def run_starts(begins: Ints, end: int) -> Ints:
    """Where the runs of the best grouping of the first `end` rows begin, ascending."""
    starts = np.empty(end, dtype=np.int64)
    place = end
    while end > 0:
        end = begins[end]
        place -= 1
        starts[place] = end
    return starts[place:].copy()
