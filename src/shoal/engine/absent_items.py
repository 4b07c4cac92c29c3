"""What can be known of a record: items that are there, and items that are not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.engine.answers import Facts
from shoal.engine.joined_sets import JoinedSets
from shoal.kernels.arrays import Bools, Ints, SetArrays, owners
from shoal.kernels.grouping import members

_Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class _Fact:
    item: int
    is_present: bool
    weight: int
    rows: _Words


def rarest_facts(
    sets: JoinedSets, leaves_of_label: Mapping[str, Mapping[str, int]], m: int, k: int
) -> Facts | None:
    """What at most m facts fit the fewest rows but at least one, and how much knowledge fits fewer than k.

    A present item is one fact; that a label is absent takes as many as it stands for items, or one, the
    strictest reading, where that is not known. None if nothing is there that could be known.
    """
    weights, sure = _facts_of_absence(sets, leaves_of_label)
    found, below = rarest_knowledge(sets.quasi, weights, m, k)
    if found is None:
        return None
    items = sets.quasi_items
    present = tuple(items.item(fact.item) for fact in found if fact.is_present)
    absent = tuple(items.item(fact.item) for fact in found if not fact.is_present)
    rows = np.flatnonzero(np.unpackbits(_fitting(found).view(np.uint8), bitorder="little"))
    return Facts(present, absent, rows, below, sure)


def rarest_knowledge(sets: SetArrays, weights: Ints, m: int, k: int) -> tuple[tuple[_Fact, ...] | None, int]:
    """The facts that fit the fewest rows but at least one, and how many such sets fit fewer than k rows.

    That item i is absent takes weights[i] facts. All sets of at most m facts are gone through, so this is for
    few items. Of several the first of the smallest is returned.
    """
    everybody = _bits(np.ones(len(sets.starts) - 1, dtype=np.bool_))
    best: tuple[int, int, tuple[_Fact, ...]] | None = None
    below = 0
    for known, support in _known_sets(_facts(sets, weights, m), (), everybody, m):
        below += support < k
        if best is None or (support, len(known)) < best[:2]:
            best = support, len(known), known
    return (None, 0) if best is None else (best[2], below)


def _facts_of_absence(
    sets: JoinedSets, leaves_of_label: Mapping[str, Mapping[str, int]]
) -> tuple[Ints, bool]:
    """How many facts it takes to know that each item is absent, and whether that is known of all."""
    numbering = sets.quasi_items
    facts = np.ones(numbering.count, dtype=np.int64)
    all_known = True
    for column, domain, first in zip(numbering.columns, numbering.domains, numbering.first, strict=True):
        leaves = leaves_of_label.get(column, {})
        labels = domain.texts()
        facts[first : first + len(labels)] = [leaves.get(label, 1) for label in labels]
        all_known &= all(label in leaves for label in labels)
    return facts, all_known


def _facts(sets: SetArrays, weights: Ints, m: int) -> list[_Fact]:
    """Everything that can be known about items that occur, present ones first."""
    row_count = len(sets.starts) - 1
    row_of_item = owners(sets.starts)
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
    for index, fact in enumerate(facts):
        if fact.weight > left:
            continue
        fitting = rows & fact.rows
        support = int(np.bitwise_count(fitting).sum())
        if support > 0:
            yield (*known, fact), support
            yield from _known_sets(facts[index + 1 :], (*known, fact), fitting, left - fact.weight)


def _fitting(known: tuple[_Fact, ...]) -> _Words:
    rows = known[0].rows.copy()
    for fact in known[1:]:
        rows &= fact.rows
    return rows


def _bits(rows: Bools) -> _Words:
    """One bit per row, 64 rows to a number."""
    packed = np.packbits(rows, bitorder="little")
    return np.pad(packed, (0, -len(packed) % 8)).view(np.uint64)
