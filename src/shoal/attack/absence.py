from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from shoal.attack.finding import Chosen, Exposure, Finding, exposure_of
from shoal.attack.links import Linked
from shoal.kernels.arrays import Ints, Items, SetArrays, frozen_sets
from shoal.kernels.attack_sets import SetLinks
from shoal.kernels.grouping import members
from shoal.progress import Progress

MOST_FACTS = 20_000
DRAWN = 1_000
TRIES = 40

_Words = NDArray[np.uint64]


def by_absence(linked: Linked, most: int, progress: Progress) -> Sequence[Finding]:
    """Somebody knows items that a record holds and items that it does not hold, a few facts in all.

    That an item is absent excludes a published label only when nothing else that the label stands for is
    left: it takes as many facts as the label stands for items. Exact where there are at most MOST_FACTS sets
    of facts; otherwise one set of facts is drawn for each of some records.
    """
    if not linked.has_sets:
        return ()
    findings = []
    unprotected = linked.against_itself()
    for known in range(1, most + 1):
        progress.stage(f"attacking with {known} facts of presence or absence")
        few = all(fact_count(side, known) ** known <= MOST_FACTS for side in (linked, unprotected))
        chosen: Chosen = "worst" if few else "random"
        look = attack_with_facts if few else attack_with_drawn_facts
        facts = "1 fact" if known == 1 else f"{known} facts"
        how = "the least favourable" if chosen == "worst" else "drawn at random"
        findings.append(
            Finding(
                adversary="absence",
                known=f"{facts} of presence or absence of items, {how}",
                after=look(linked, known),
                before=look(unprotected, known),
                items=known,
                chosen=chosen,
                promised=linked.promises_absence and linked.m is not None and known <= linked.m,
            )
        )
    return findings


@dataclass(frozen=True, slots=True, eq=False)
class _Fact:
    """Something to know: what it takes, of which records it is true, and which published rows fit it."""

    weight: int
    true_of: _Words
    fits: _Words


def fact_count(linked: Linked, known: int) -> int:
    """How many facts there are to know that take at most `known` items."""
    index = _Index.of(linked, known)
    return len(index.holders.starts) - 1 + len(index.excluded_by)


def attack_with_facts(linked: Linked, known: int) -> Exposure:
    """The exposure to the least favourable facts of presence or absence."""
    return exposure_of(_fewest(_facts(_Index.of(linked, known)), linked, known), linked.k)


def attack_with_drawn_facts(linked: Linked, known: int) -> Exposure:
    """The exposure of a sample of the records to facts drawn at random, an absence among them."""
    index = _Index.of(linked, known)
    rng = np.random.default_rng(linked.seed)
    rows = rng.permutation(linked.original.row_count)[:DRAWN].tolist()
    counts = np.array([_drawn_candidates(index, row, known, rng) for row in rows], dtype=np.int64)
    return exposure_of(counts, linked.k, linked.original.row_count)


@dataclass(frozen=True, slots=True, eq=False)
class _Index:
    """Who holds which kind of item, which rows show which label, and which absences few facts tell.

    `excluded_by[label]` are the labels that cannot be there when nothing is that the label stands for.
    """

    linked: Linked
    holders: SetArrays
    showing: SetArrays
    kinds_of_label: list[frozenset[int]]
    excluded_by: dict[int, list[int]]

    @classmethod
    def of(cls, linked: Linked, most: int) -> Self:
        links, leaves = linked.sets.links, linked.sets.leaves_of_label
        kind_count = len(links.kinds.starts) - 1
        kinds: list[set[int]] = [set() for _ in range(links.label_count)]
        for kind in range(kind_count):
            for label in _part(links.kinds, kind).tolist():
                kinds[label].add(kind)
        excluded_by = {
            label: [other for other in _overlapping(links, kinds[label]) if kinds[other] <= kinds[label]]
            for label in range(links.label_count)
            if kinds[label] and leaves[label] <= most
        }
        return cls(
            linked,
            _rows_of(links.known.items, links.row_of_kind, kind_count),
            _rows_of(links.published.items, links.row_of_label, links.label_count),
            list(map(frozenset, kinds)),
            excluded_by,
        )

    def weight(self, label: int) -> int:
        return int(self.linked.sets.leaves_of_label[label])

    def rows_showing(self, labels: Iterable[int]) -> Ints:
        """The published rows that show one of the labels at least."""
        found = [_part(self.showing, label) for label in labels]
        return np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)


def _facts(index: _Index) -> list[_Fact]:
    links = index.linked.sets.links
    records, rows = index.linked.original.row_count, index.linked.published.row_count
    held = [_bits(_part(index.holders, kind), records) for kind in range(len(links.kinds.starts) - 1)]
    present = [
        _Fact(1, bits, _bits(index.rows_showing(_part(links.kinds, kind).tolist()), rows))
        for kind, bits in enumerate(held)
    ]
    absent = [
        _Fact(
            index.weight(label),
            ~np.bitwise_or.reduce([held[kind] for kind in index.kinds_of_label[label]]),
            ~_bits(index.rows_showing(excluded), rows),
        )
        for label, excluded in index.excluded_by.items()
    ]
    return [*present, *absent]


def _fewest(facts: list[_Fact], linked: Linked, known: int) -> Ints:
    """The fewest candidates of each record over all sets of facts that are true of it."""
    records, rows = linked.original.row_count, linked.published.row_count
    fewest = np.full(records, rows, dtype=np.int64)
    everybody, everywhere = _bits(np.arange(records), records), _bits(np.arange(rows), rows)
    for true_of, support in _sets_of_facts(facts, everybody, everywhere, known):
        who = np.flatnonzero(np.unpackbits(true_of.view(np.uint8), count=records, bitorder="little"))
        fewest[who] = np.minimum(fewest[who], support)
    return fewest


def _sets_of_facts(
    facts: list[_Fact], true_of: _Words, fits: _Words, left: int
) -> Iterator[tuple[_Words, int]]:
    """Every set of facts of at most the weight left, by whom it is true of and how many rows fit it."""
    affordable = [fact for fact in facts if fact.weight <= left]
    for index, fact in enumerate(affordable):
        who, where = true_of & fact.true_of, fits & fact.fits
        support = int(np.bitwise_count(where).sum())
        if support > 0 and who.any():
            yield who, support
            if left > fact.weight:
                yield from _sets_of_facts(affordable[index + 1 :], who, where, left - fact.weight)


def _drawn_candidates(index: _Index, row: int, known: int, rng: np.random.Generator) -> int:
    """How many published rows fit some facts about a record, one of them an absence at least."""
    links = index.linked.sets.links
    held = _part(links.known, row)
    chosen = rng.permutation(len(held))[: int(rng.integers(0, min(known - 1, len(held)) + 1))]
    present = held[chosen].tolist()
    excluded = _drawn_absences(index, frozenset(held.tolist()), known - len(present), rng)
    facts_met = np.zeros(index.linked.published.row_count, dtype=np.int64)
    for kind in present:
        facts_met[index.rows_showing(_part(links.kinds, kind).tolist())] += 1
    facts_met[index.rows_showing(excluded)] = -1
    return int(np.count_nonzero(facts_met == len(present)))


def _drawn_absences(index: _Index, held: frozenset[int], left: int, rng: np.random.Generator) -> set[int]:
    """Labels that are excluded by what a record lacks; what is common is more likely to be drawn."""
    labels = index.linked.sets.links.published.items
    excluded: set[int] = set()
    for _ in range(TRIES if len(labels) else 0):
        label = int(labels[rng.integers(len(labels))])
        is_absent = label not in excluded and not held & index.kinds_of_label[label]
        if is_absent and label in index.excluded_by and index.weight(label) <= left:
            left -= index.weight(label)
            excluded.update(index.excluded_by[label])
    return excluded


def _overlapping(links: SetLinks, kinds: Iterable[int]) -> set[int]:
    return {label for kind in kinds for label in _part(links.kinds, kind).tolist()}


def _part(sets: SetArrays, number: int) -> Items:
    return sets.items[sets.starts[number] : sets.starts[number + 1]]


def _rows_of(items: Items, row_of_place: Ints, count: int) -> SetArrays:
    starts, places = members(items, count)
    return frozen_sets(starts, row_of_place[places])


def _bits(rows: Ints | Items, count: int) -> _Words:
    held = np.zeros(-(-count // 64) * 64, dtype=np.bool_)
    held[rows] = True
    return np.packbits(held, bitorder="little").view(np.uint64)
