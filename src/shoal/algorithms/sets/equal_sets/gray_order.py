"""Sets in the order of the Gray code, in which neighbours differ in few items."""

from itertools import pairwise

import numpy as np

from shoal.kernels.arrays import Bools, Ints, SetArrays, starts_of


def gray_order(sets: SetArrays, item_count: int) -> Ints:
    """The rows sorted by the Gray code of their sets, the first item most significant; equal sets by row.

    Where two sets first differ, one holds an item that the other lacks. The set without it comes first if an
    even number of items stand before that place, otherwise last. So the items of a set are digits that count
    backwards and forwards in turn, and the end of a set is a digit, too. As many digits are compared at once
    as fit into a number; the next ones only where these are equal. O(items log rows), however many items
    there are.
    """
    sizes = np.diff(sets.starts)
    at_once = _digits_in_a_number(item_count + 1)
    order: Ints = np.arange(len(sizes), dtype=np.int64)
    tied: Ints = order.copy()  # places of the order whose rows are still equal to a neighbour
    run: Ints = np.zeros(len(sizes), dtype=np.int64)  # equal among those that are equal so far
    first = 0
    while len(tied):
        number = _number(sets, order[tied], range(first, first + at_once), item_count)
        sorted_within_runs = np.lexsort((number, run))
        order[tied] = order[tied][sorted_within_runs]
        number = number[sorted_within_runs]
        first += at_once
        differs = (np.diff(number) != 0) | (np.diff(run) != 0)
        undecided = _equal_to_a_neighbour(differs) & (sizes[order[tied]] >= first)
        run = starts_of(differs)[undecided]
        tied = tied[undecided]
    return order


def hamming_distances(sets: SetArrays, rows: Ints) -> Ints:
    """In how many items each of the given rows differs from the next of them."""
    row_sets = [sets.items[sets.starts[row] : sets.starts[row + 1]] for row in rows.tolist()]
    return np.array(
        [len(np.setxor1d(one, other, assume_unique=True)) for one, other in pairwise(row_sets)],
        dtype=np.int64,
    )


def _number(sets: SetArrays, rows: Ints, places: range, item_count: int) -> Ints:
    """The digits of each row at the given places as one number."""
    starts, sizes = sets.starts[rows], sets.starts[rows + 1] - sets.starts[rows]
    number = np.zeros(len(rows), dtype=np.int64)
    for index in places:
        held = sizes > index
        digits = np.where(sizes == index, item_count, 0)
        digits[held] = sets.items[starts[held] + index]
        number *= item_count + 1
        # Backwards at even places, so that the end comes first there.
        number += item_count - digits if index % 2 == 0 else digits
    return number


def _digits_in_a_number(radix: int) -> int:
    count = 1
    while count < 62 and radix ** (count + 1) < 2**63:
        count += 1
    return count


def _equal_to_a_neighbour(differs: Bools) -> Bools:
    """Which of some things in a row are equal to the one before or the one behind."""
    edge = np.ones(1, dtype=np.bool_)
    alone: Bools = np.concatenate((edge, differs)) & np.concatenate((differs, edge))
    return ~alone
