"""The shapes in which data reach a kernel: one dtype each, contiguous, frozen."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Items = NDArray[np.int32]  # numbers of items, of which there are fewer than of their occurrences
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.unsignedinteger[Any]] | Ints | Items  # numbers of 0 or more in the narrowest type

Array = TypeVar("Array", bound=NDArray[Any])

_PLACES_AT_ONCE = 2**18
_LARGEST_ITEM = np.iinfo(np.int32).max
_NARROW = (np.uint8, np.uint16, np.uint32)


class SetArrays(NamedTuple):
    """Sets of all rows: row r holds items[starts[r]:starts[r + 1]], ascending and without repeats."""

    starts: Ints
    items: Items


class HeldSets(NamedTuple):
    """The same with items in any type, as sets are held: kernels take them piece by piece, see `piece_of`."""

    starts: Ints
    items: Codes


AnySets = SetArrays | HeldSets


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


def frozen_items(values: object) -> Items:
    """The same for numbers of items; OverflowError if one of them has no room."""
    given = np.asarray(values)
    if given.dtype != np.int32 and given.size and given.max() > _LARGEST_ITEM:
        raise OverflowError(f"item {given.max()} is beyond {_LARGEST_ITEM}")
    array = np.ascontiguousarray(given, dtype=np.int32)
    if array.base is not None or array is values:
        array = array.copy()
    array.flags.writeable = False
    return array


def narrowest(largest: int, smallest: int = 0) -> type[np.integer[Any]]:
    """The type with the fewest bytes that has room for codes; numbers below 0 are no codes."""
    if smallest < 0:
        return np.int64
    return next((each for each in _NARROW if largest <= np.iinfo(each).max), np.int64)


def frozen_codes(values: object) -> Codes:
    """Codes in the narrowest type, in an array that nobody else has and nobody can write to.

    Codes in a narrow type stay in it, even if fewer bytes would do.
    """
    array = np.asarray(values)
    if array.dtype.type not in _NARROW:
        if array.dtype.type is not np.int32:
            array = np.asarray(array, dtype=np.int64)
        kind = narrowest(int(array.max(initial=0)), int(array.min(initial=0)))
        array = array.astype(kind)  # a copy in any case
    elif array.base is not None or array is values:
        array = array.copy()
    array.flags.writeable = False
    return array


def wide(codes: Codes) -> Ints:
    """The same numbers as int64; a copy unless they are held so."""
    return freeze(codes.astype(np.int64, copy=False))


def freeze(array: Array) -> Array:
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


def in_pieces(starts: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of runs, one behind the other, with so few places that arrays beside them do not count."""
    first, last = 0, len(starts) - 1
    while first < last:
        behind = int(np.searchsorted(starts, starts[first] + _PLACES_AT_ONCE, side="right")) - 1
        behind = max(behind, first + 1)
        yield first, behind
        first = behind


def piece_of(sets: AnySets, first: int, behind: int) -> SetArrays:
    """Some rows of sets, which nobody can write to."""
    starts = sets.starts[first : behind + 1]
    items = sets.items[starts[0] : starts[-1]].astype(np.int32, copy=False)
    return SetArrays(freeze(starts - starts[0]), freeze(items))


def frozen_sets(starts: ArrayLike, items: ArrayLike) -> SetArrays:
    """Sets that nobody can write to."""
    return SetArrays(frozen_ints(starts), frozen_items(items))


def only_items(sets: SetArrays, kept: Bools) -> SetArrays:
    """The sets without the occurrences of items that are not marked."""
    sizes = np.empty(len(sets.starts) - 1, dtype=np.int64)
    for first, behind in in_pieces(sets.starts):
        places = sets.starts[first : behind + 1]
        sizes[first:behind] = np.diff(starts_of(kept[places[0] : places[-1]])[places - places[0]])
    return SetArrays(freeze(starts_of(sizes)), freeze(sets.items[kept]))


def counts_of(numbers: Codes, length: int) -> Ints:
    """How often each number from 0 to length - 1 occurs."""
    counts = np.zeros(length, dtype=np.int64)
    at_once = max(_PLACES_AT_ONCE, length)  # so that adding counts up takes no longer than counting
    for first in range(0, len(numbers), at_once):  # NumPy copies what it may not write to
        counts += np.bincount(numbers[first : first + at_once], minlength=length)
    return counts


def looked_up(of_codes: Array, codes: Codes) -> Array:
    """What each code stands for; NumPy would make eight bytes of every code at once."""
    found = np.empty(len(codes), dtype=of_codes.dtype)
    for first in range(0, len(codes), _PLACES_AT_ONCE):
        places = slice(first, first + _PLACES_AT_ONCE)
        found[places] = of_codes[codes[places]]
    return found  # type: ignore[return-value]


def taken_rows(sets: SetArrays, rows: Ints) -> SetArrays:
    """The sets of the given rows, in their order."""
    return SetArrays(*taken_runs(sets.starts, sets.items, rows))


def taken_runs(starts: Ints, values: Array, rows: Codes) -> tuple[Ints, Array]:
    """What the given runs hold, in their order, and where each of them starts."""
    taken = np.zeros(len(rows) + 1, dtype=np.int64)
    for first in range(0, len(rows), _PLACES_AT_ONCE):
        some = rows[first : first + _PLACES_AT_ONCE]
        taken[first + 1 : first + 1 + len(some)] = starts[1:][some] - starts[:-1][some]
    np.cumsum(taken, out=taken)
    found = np.empty_like(values, shape=int(taken[-1]))
    for first, behind in in_pieces(taken):
        places = taken[first : behind + 1]
        offsets = np.repeat(starts[rows[first:behind]] - places[:-1], np.diff(places))
        np.take(values, np.arange(places[0], places[-1]) + offsets, out=found[places[0] : places[-1]])
    return freeze(taken), freeze(found)


def joined_starts(parts: Iterable[Ints]) -> Ints:
    """The starts of runs that are laid one behind the other."""
    return starts_of(np.concatenate([np.diff(starts) for starts in parts]))


def joined_rows(*parts: SetArrays) -> SetArrays:
    """The rows of all parts, one behind the other."""
    starts = joined_starts(part.starts for part in parts)
    return SetArrays(freeze(starts), freeze(np.concatenate([part.items for part in parts])))
