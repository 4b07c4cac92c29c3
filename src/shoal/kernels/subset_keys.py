"""All sets of a given size in laid rows as one number each, so that parts of the data can be added up by key.

Where the rows are spread over machines nobody sees a whole support. Each part lists its sets as keys, which
are sorted and counted, and the counts of equal keys are added. A set of numbers n1 < n2 < ... below `base`
has the key (n1 * base + n2) * base + ..., so the order of keys is the lexicographic order of sets.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, Items
from shoal.kernels.compile import kernel


class Subsets(NamedTuple):
    """Sets of `size` >= 2 numbers below `base`: the first from `first` to `end` - 1, at least one fresh."""

    size: int
    base: int
    first: int
    end: int
    fresh: Bools


@kernel
def occurrences_by_first(laid: Items, subsets: Subsets) -> Ints:
    """How many occurrences of sets begin with each number; rows are laid as `lay_out` does. Reads only."""
    counts = np.zeros(subsets.base, dtype=np.int64)
    behind, stale_behind = 0, 0
    for index in range(len(laid) - 1, -1, -1):
        number = laid[index]
        if number >= subsets.base:
            behind, stale_behind = 0, 0
            continue
        if subsets.first <= number < subsets.end:
            counts[number] += _combinations(behind, subsets.size - 1)
            if not subsets.fresh[number]:
                counts[number] -= _combinations(stale_behind, subsets.size - 1)
        behind += 1
        stale_behind += not subsets.fresh[number]
    return counts


@kernel
def _combinations(n: int, size: int) -> int:
    """Ways to choose so many of n, or what is below 2^62 on the way there."""
    chosen = 1
    for index in range(size):
        if chosen > (1 << 62) // max(1, n - index):
            return chosen
        chosen = chosen * (n - index) // (index + 1)
    return chosen


def start_of_keys(size: int) -> Ints:
    """Where `next_keys` begins: the places of all numbers but the last, and how many of them are chosen."""
    return np.zeros(size, dtype=np.int64)


@kernel
def next_keys(laid: Items, subsets: Subsets, at: Ints, keys: Ints) -> int:
    """Write keys from where `at` stands on, as long as those of a prefix fit; returns how many were written.

    `keys` must be longer than the longest row. Nothing is written once all keys were.
    """
    size, base = subsets.size, subsets.base
    filled = 0
    while True:
        depth = at[size - 1]
        if depth == 0:
            while at[0] < len(laid) and not subsets.first <= laid[at[0]] < subsets.end:
                at[0] += 1
            if at[0] >= len(laid):
                return filled
            at[size - 1] = 1
        elif laid[at[depth - 1]] >= base:  # the row is at its end
            at[depth - 2] += 1
            at[size - 1] = 0 if depth == 2 else depth - 1
        elif depth < size - 1:
            at[depth] = at[depth - 1] + 1
            at[size - 1] = depth + 1
        else:
            prefix, is_fresh = 0, False
            for index in range(depth):
                number = laid[at[index]]
                prefix = prefix * base + number
                is_fresh |= subsets.fresh[number]
            index = at[depth - 1] + 1
            end = index
            while laid[end] < base:
                end += 1
            if end - index > len(keys) - filled:
                return filled
            for last in range(index, end):
                if is_fresh or subsets.fresh[laid[last]]:
                    keys[filled] = prefix * base + laid[last]
                    filled += 1
            at[depth - 1] += 1
            if depth == 1:
                at[size - 1] = 0


@kernel
def tally_keys(keys: Ints, table: Ints) -> None:
    """Count each key in a table of all of them."""
    for key in keys:
        table[key] += 1
