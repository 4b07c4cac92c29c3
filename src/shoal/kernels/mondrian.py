"""Mondrian's recursion: parts of a table are cut in two until no cut is admissible.

The parts form a binary tree whose nodes are kept in arrays; open parts wait in the order in which they were
made, so that a search stopped early has cut all parts about equally often.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints, frozen_ints, narrowest
from shoal.kernels.compile import kernel
from shoal.kernels.constraint import ClassConstraint, rows_hold

SPLIT_OFF, BETWEEN_VALUES, WITHIN_A_VALUE, AT_THE_MEDIAN, IN_THE_MIDDLE = range(5)

STRICT = frozen_ints([SPLIT_OFF, BETWEEN_VALUES])
RELAXED = frozen_ints([SPLIT_OFF, BETWEEN_VALUES, WITHIN_A_VALUE])
STRICT_AS_PRINTED = frozen_ints([SPLIT_OFF, AT_THE_MEDIAN])
RELAXED_AS_PRINTED = frozen_ints([SPLIT_OFF, IN_THE_MIDDLE])

CUTS_TRIED = 8
NO_COLUMN = NO_PART = -1


class Ordered(NamedTuple):
    """Columns whose values have an order.

    codes[r, j] is the place of row r's value among the value_counts[j] values of column j; value_counts[j]
    is a missing value and value_counts[j] + 1 a suppressed cell. The nodes of column j's tree stand from
    tree_starts[j] on in `parents`, `last_leaves` and `node_sizes`; where tree_starts[j] is -1 the column has
    no tree, and its numbers stand from number_starts[j] on in `numbers`. widths[j] is the size of the domain:
    leaves, or half the distance between the ends (the whole one may be no number any more). Columns of weight
    0 are never cut.
    """

    codes: Ints
    value_counts: Ints
    weights: Floats
    widths: Floats
    tree_starts: Ints
    parents: Ints
    last_leaves: Ints
    node_sizes: Ints
    number_starts: Ints
    numbers: Floats


class Sorted(NamedTuple):
    """Rows along one column, and the places of their values, which ascend."""

    column: int
    rows: Ints
    places: Ints


class PartTree(NamedTuple):
    """The tree of parts: part i holds rows[starts[i]:ends[i]] and was cut out of parents[i].

    A part that was cut has the column of its cut and the places on both sides of it, equal ones when a value
    was divided; any other has NO_COLUMN. `state` holds the next open part and the number of parts.
    """

    rows: Ints
    starts: Ints
    ends: Ints
    parents: Ints
    columns: Ints
    left_places: Ints
    right_places: Ints
    state: Ints


def whole_table(row_count: int, least_rows: int, *, narrow: bool = False) -> PartTree:
    """One open part of all rows, and room for all parts of at least `least_rows` rows.

    Rows are narrow where kernels do not look at them.
    """
    room = 2 * max(row_count // least_rows, 1)
    parts = PartTree(  # zeros take memory when they are written, and there are mostly fewer parts
        rows=np.arange(row_count, dtype=narrowest(row_count) if narrow else np.int64),
        starts=np.zeros(room, dtype=np.int64),
        ends=np.zeros(room, dtype=np.int64),
        parents=np.zeros(room, dtype=np.int64),
        columns=np.zeros(room, dtype=np.int64),
        left_places=np.zeros(room, dtype=np.int64),
        right_places=np.zeros(room, dtype=np.int64),
        state=np.array([0, 1], dtype=np.int64),
    )
    parts.ends[0], parts.parents[0], parts.columns[0] = row_count, NO_PART, NO_COLUMN
    return parts


@kernel
def cover(ordered: Ordered, column: int, low: int, high: int) -> int:
    """The lowest node of a column's tree above the places low..high; -1 without a tree. O(height)."""
    start = ordered.tree_starts[column]
    if start < 0:
        return -1
    node = min(low, ordered.value_counts[column])
    high = min(high, ordered.value_counts[column])
    while ordered.last_leaves[start + node] < high:
        node = ordered.parents[start + node]
    return node


@kernel(part=True)
def spread(ordered: Ordered, column: int, low: int, high: int) -> float:
    """The share of the domain that a part with the places low..high is published as."""
    if low == high:
        return 0.0
    if high >= ordered.value_counts[column]:
        return 1.0
    start = ordered.tree_starts[column]
    if start >= 0:
        return ordered.node_sizes[start + cover(ordered, column, low, high)] / ordered.widths[column]
    numbers = ordered.numbers[ordered.number_starts[column] :]
    return (numbers[high] / 2 - numbers[low] / 2) / ordered.widths[column]


@kernel(part=True)
def extent(ordered: Ordered, rows: Ints) -> tuple[Ints, Ints]:
    """The lowest and highest place of the rows in each column."""
    lows = ordered.codes[rows[0]].copy()
    highs = lows.copy()
    for row in rows:
        for column in range(len(lows)):
            place = ordered.codes[row, column]
            lows[column] = min(lows[column], place)
            highs[column] = max(highs[column], place)
    return lows, highs


@kernel(part=True)
def widest_first(ordered: Ordered, lows: Ints, highs: Ints) -> Ints:
    """The columns by weight * spread, largest first, equal ones by their number."""
    scores = np.empty(len(lows), dtype=np.float64)
    for column in range(len(lows)):
        scores[column] = ordered.weights[column] * spread(ordered, column, lows[column], highs[column])
    columns = np.arange(len(lows))
    for sorted_count in range(1, len(columns)):
        column, place = columns[sorted_count], sorted_count
        while place > 0 and scores[columns[place - 1]] < scores[column]:
            columns[place] = columns[place - 1]
            place -= 1
        columns[place] = column
    return columns


@kernel(part=True)
def sorted_by_column(ordered: Ordered, column: int, rows: Ints) -> Sorted:
    """The rows by their place in a column, equal ones by their number."""
    row_count = len(ordered.codes)
    keys = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        keys[i] = ordered.codes[rows[i], column] * row_count + rows[i]
    keys.sort()
    places = keys // row_count
    return Sorted(column, keys - places * row_count, places)


@kernel
def cut_rank(ordered: Ordered, line: Sorted, stage: int, top: int, cut: int) -> int:
    """How much a cut before a position is wanted at a stage: 0 most, 1 less, -1 not at all.

    `top` is the node above all the rows. A cut between two of its children is wanted most, because after any
    other it still stands above a side that has values of several children.
    """
    left, right = line.places[cut - 1], line.places[cut]
    if stage == WITHIN_A_VALUE:
        return 0 if left == right else -1
    splits_off = right >= ordered.value_counts[line.column]
    if left == right or splits_off != (stage == SPLIT_OFF):
        return -1
    return 0 if splits_off or cover(ordered, line.column, left, right) == top else 1


@kernel
def ranks_of_cuts(ordered: Ordered, column: int, stage: int, places: Ints) -> Ints:
    """How much the cuts between neighbours of ascending places are wanted, of which one part holds all."""
    line = Sorted(column, places, places)
    top = cover(ordered, column, places[0], places[-1])
    ranks = np.empty(len(places) - 1, dtype=np.int64)
    for i in range(len(ranks)):
        ranks[i] = cut_rank(ordered, line, stage, top, i + 1)
    return ranks


@kernel(part=True)
def behind_the_median(line: Sorted) -> int:
    """How many of the sorted rows have at most the value of the row in the middle, the lower of two."""
    cut = (len(line.rows) + 1) // 2
    while cut < len(line.rows) and line.places[cut] == line.places[cut - 1]:
        cut += 1
    return cut


@kernel
def both_hold(constraint: ClassConstraint, rows: Ints, cut: int) -> bool:
    """Whether the rows on both sides of a cut may be classes."""
    return rows_hold(constraint, rows[:cut]) and rows_hold(constraint, rows[cut:])


@kernel(part=True)
def find_cut(ordered: Ordered, constraint: ClassConstraint, line: Sorted, stage: int) -> int:
    """How many of the sorted rows go to the left side of the best admissible cut; 0 if there is none.

    As the paper prints it there is one cut only: behind the value in the middle, or in the middle itself.
    Else the most wanted cut nearest to the middle is best, the lower of two. Of the cuts that leave k rows on
    both sides the CUTS_TRIED best are tried; a value is divided in the middle only. O(m log m) per trial.
    """
    count = len(line.rows)
    if stage in (AT_THE_MEDIAN, IN_THE_MIDDLE):
        cut = behind_the_median(line) if stage == AT_THE_MEDIAN else count // 2
        return cut if min(cut, count - cut) >= constraint.k and both_hold(constraint, line.rows, cut) else 0
    top = cover(ordered, line.column, line.places[0], line.places[-1])
    first, last = constraint.k, count - constraint.k
    if stage == WITHIN_A_VALUE:
        first, last = max(first, count // 2), min(last, count // 2)
    tried = (-1, -1, -1)
    for _ in range(CUTS_TRIED):
        best = (2, 0, 0)
        for cut in range(first, last + 1):
            rank = cut_rank(ordered, line, stage, top, cut)
            if rank >= 0 and tried < (rank, abs(2 * cut - count), cut) < best:
                best = (rank, abs(2 * cut - count), cut)
        cut = best[2]
        if cut == 0 or both_hold(constraint, line.rows, cut):
            return cut
        tried = best
    return 0


@kernel(part=True)
def choose_cut(ordered: Ordered, constraint: ClassConstraint, stages: Ints, rows: Ints) -> tuple[int, int]:
    """The column and the position of the best cut of some rows, which are left sorted by that column.

    Stage by stage, and within a stage the columns from the widest on.
    """
    lows, highs = extent(ordered, rows)
    columns = widest_first(ordered, lows, highs)
    for stage in stages:
        for column in columns:
            if lows[column] == highs[column] or ordered.weights[column] == 0:
                continue
            if stage == SPLIT_OFF and highs[column] < ordered.value_counts[column]:
                continue
            line = sorted_by_column(ordered, column, rows)
            cut = find_cut(ordered, constraint, line, stage)
            if cut > 0:
                for place in range(len(rows)):
                    rows[place] = line.rows[place]
                return column, cut
    return NO_COLUMN, 0


@kernel
def cut_parts(
    ordered: Ordered, constraint: ClassConstraint, stages: Ints, parts: PartTree, budget: int
) -> int:
    """Cut open parts, in the order in which they were made, until about `budget` rows have been handled.

    Returns how many were handled: 0 when no part is open. Writes `parts`.
    """
    handled = 0
    while parts.state[0] < parts.state[1] and handled < budget:
        part, made = parts.state[0], parts.state[1]
        start, end = parts.starts[part], parts.ends[part]
        rows = parts.rows[start:end]
        handled += len(rows)
        parts.state[0] += 1
        if len(rows) < 2 * constraint.k:
            continue
        column, cut = choose_cut(ordered, constraint, stages, rows)
        if column == NO_COLUMN:
            continue
        parts.columns[part] = column
        parts.left_places[part] = ordered.codes[rows[cut - 1], column]
        parts.right_places[part] = ordered.codes[rows[cut], column]
        parts.starts[made], parts.ends[made], parts.parents[made] = start, start + cut, part
        parts.starts[made + 1], parts.ends[made + 1], parts.parents[made + 1] = start + cut, end, part
        parts.columns[made] = parts.columns[made + 1] = NO_COLUMN
        parts.state[1] += 2
    return handled


@kernel
def enclosing_cuts(parts: PartTree, part: Ints, column: int, value_count: int) -> tuple[Ints, Ints]:
    """The nearest cuts between values of a column below and above each part: which parts were cut there.

    NO_PART where nothing was cut. O(depth) each.
    """
    below = np.full(len(part), NO_PART, dtype=np.int64)
    above = np.full(len(part), NO_PART, dtype=np.int64)
    for i in range(len(part)):
        child, parent = part[i], parts.parents[part[i]]
        while parent != NO_PART:
            if parts.columns[parent] == column and parts.right_places[parent] < value_count:
                if parts.starts[child] > parts.starts[parent]:
                    if below[i] == NO_PART:
                        below[i] = parent
                elif above[i] == NO_PART:
                    above[i] = parent
            child, parent = parent, parts.parents[parent]
    return below, above
