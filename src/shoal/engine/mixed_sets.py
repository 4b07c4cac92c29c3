"""What can be known of a record: items that are there, and items that are not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.kernels.grouping import members

_Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """Items known to be there and items known to be absent, with the rows that fit."""

    present: tuple[int, ...]
    absent: tuple[int, ...]
    rows: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Fact:
    item: int
    is_present: bool
    weight: int
    rows: _Words


def rarest_mixed(sets: SetArrays, weights: Ints, m: int, k: int) -> tuple[Mixed | None, int]:
    """The facts that fit the fewest rows but at least one, and how many such sets fit fewer than k rows.

    A present item is one fact; that item i is absent takes weights[i] facts. All sets of at most m facts are
    gone through, so this is for few items. Of several the first of the smallest is returned; None if nothing
    is there that could be known.
    """
    row_count = len(sets.starts) - 1
    facts = _facts(sets, weights, m)
    everybody = _bits(np.ones(row_count, dtype=np.bool_))
    best: tuple[int, int, tuple[_Fact, ...]] | None = None
    below = 0
    for known, support in _known_sets(facts, (), everybody, m):
        below += support < k
        if best is None or (support, len(known)) < best[:2]:
            best = support, len(known), known
    if best is None:
        return None, 0
    rows = np.flatnonzero(np.unpackbits(_fitting(best[2]).view(np.uint8), bitorder="little"))
    return (
        Mixed(
            tuple(fact.item for fact in best[2] if fact.is_present),
            tuple(fact.item for fact in best[2] if not fact.is_present),
            rows,
        ),
        below,
    )


def _facts(sets: SetArrays, weights: Ints, m: int) -> list[_Fact]:
    """Everything that can be known about items that occur, present ones first."""
    row_count = len(sets.starts) - 1
    row_of_item = np.repeat(np.arange(row_count, dtype=np.int64), np.diff(sets.starts))
    starts, places = members(sets.items, len(weights))
    present, absent = [], []
    for item in np.flatnonzero(np.diff(starts)).tolist():
        holding = np.zeros(row_count, dtype=np.bool_)
        holding[row_of_item[places[starts[item] : starts[item + 1]]]] = True
        present.append(_Fact(item, is_present=True, weight=1, rows=_bits(holding)))
        if weights[item] <= m:
            weight = int(weights[item])
            absent.append(_Fact(item, is_present=False, weight=weight, rows=_bits(~holding)))
    return [*present, *absent]


def _known_sets(
    facts: list[_Fact], known: tuple[_Fact, ...], rows: _Words, left: int
) -> Iterator[tuple[tuple[_Fact, ...], int]]:
    """Every set of facts of at most the weight left that fits some of the rows, with their number."""
    for place, fact in enumerate(facts):
        if fact.weight > left:
            continue
        fitting = rows & fact.rows
        support = int(np.bitwise_count(fitting).sum())
        if support > 0:
            yield (*known, fact), support
            yield from _known_sets(facts[place + 1 :], (*known, fact), fitting, left - fact.weight)


def _fitting(known: tuple[_Fact, ...]) -> _Words:
    rows = known[0].rows.copy()
    for fact in known[1:]:
        rows &= fact.rows
    return rows


def _bits(rows: Bools) -> _Words:
    """One bit per row, 64 rows to a number."""
    packed = np.packbits(rows, bitorder="little")
    return np.pad(packed, (0, -len(packed) % 8)).view(np.uint64)
