"""The shapes in which data reach a kernel: one dtype each, contiguous, frozen."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class SetArrays(NamedTuple):
    """Sets of all rows: row r holds items[starts[r]:starts[r + 1]], ascending and without repeats."""

    starts: Ints
    items: Ints


class TreeArrays(NamedTuple):
    """A tree whose node u covers the leaves first_leaf[u]..last_leaf[u], both included.

    Leaves are the nodes 0..L-1, the missing value is node L, inner nodes follow, children before parents,
    and the root is the last node and its own parent.
    """

    parent: Ints
    first_leaf: Ints
    last_leaf: Ints


def frozen_ints(values: object) -> Ints:
    """Make a contiguous int64 array that nobody can write to."""
    array = np.ascontiguousarray(values, dtype=np.int64)
    if array.base is not None or array is values:
        array = array.copy()
    array.flags.writeable = False
    return array


def freeze(array: Ints) -> Ints:
    """Forbid writing to an array that nobody else can write to; nothing is copied."""
    array.flags.writeable = False
    return array


def frozen_floats(values: object) -> Floats:
    """Make a contiguous float64 array that nobody can write to."""
    array = np.array(values, dtype=np.float64, order="C")
    array.flags.writeable = False
    return array


def starts_of(sizes: ArrayLike) -> Ints:
    """Where runs of these sizes start when they are laid end to end; behind them, where the last one ends."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))


def owners(starts: Ints) -> Ints:
    """For each place the run that it lies in: run r has the places starts[r]..starts[r + 1] - 1."""
    return np.repeat(np.arange(len(starts) - 1, dtype=np.int64), np.diff(starts))


def frozen_sets(starts: ArrayLike, items: ArrayLike) -> SetArrays:
    """Sets that nobody can write to."""
    return SetArrays(frozen_ints(starts), frozen_ints(items))


def only_items(sets: SetArrays, kept: Bools) -> SetArrays:
    """The sets without the occurrences of items that are not marked."""
    return SetArrays(freeze(starts_of(kept)[sets.starts]), freeze(sets.items[kept]))


def taken_rows(sets: SetArrays, rows: Ints) -> SetArrays:
    """The sets of the given rows, in their order."""
    sizes = np.diff(sets.starts)[rows]
    starts = starts_of(sizes)
    offsets = np.repeat(sets.starts[rows] - starts[:-1], sizes)
    return SetArrays(freeze(starts), freeze(sets.items[np.arange(starts[-1]) + offsets]))


def joined_starts(parts: Iterable[Ints]) -> Ints:
    """The starts of runs that are laid one behind the other."""
    return starts_of(np.concatenate([np.diff(starts) for starts in parts]))


def joined_rows(*parts: SetArrays) -> SetArrays:
    """The rows of all parts, one behind the other."""
    starts = joined_starts(part.starts for part in parts)
    return SetArrays(freeze(starts), freeze(np.concatenate([part.items for part in parts])))
