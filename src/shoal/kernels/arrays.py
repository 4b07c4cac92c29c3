"""The shapes in which data reach a kernel: one dtype each, contiguous, frozen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
