from collections.abc import Callable, Sequence
from dataclasses import replace
from math import comb

import numpy as np

from shoal.attack.finding import Chosen, Exposure, Finding, exposure_of, exposure_of_shares
from shoal.attack.links import Linked
from shoal.kernels.arrays import Floats, Ints, frozen_ints
from shoal.kernels.attack_sets import LinkTally, knowing_items
from shoal.kernels.itemset_supports import GroupedRows
from shoal.progress import Progress

MOST_SETS = 60_000_000
FEWEST_RECORDS = 200

Exposures = tuple[Exposure, Exposure]  # to the least favourable items, and to items drawn at random


def by_items(linked: Linked, most: int, progress: Progress) -> Sequence[Finding]:
    """Somebody knows some items of a record's set: 1, 2, 3, ... of them, beyond what the promise covers.

    All sets of items of all records are gone through, or those of a sample of the records when there are more
    than MOST_SETS. Whoever should know more items than a record has knows them all.
    """
    if not linked.has_sets:
        return ()
    return by_number(linked, attack_with_items, most, progress, adversary="items", known="{items} of the set")


def by_number(
    linked: Linked,
    attack: Callable[[Linked, int], Exposures],
    most: int,
    progress: Progress,
    *,
    adversary: str,
    known: str,
) -> list[Finding]:
    """Attack with every set of 1..most items; `known` tells that in words, with {items} for how many."""
    findings: list[Finding] = []
    unprotected = linked.against_itself()
    for count in range(1, most + 1):
        words = known.replace("{items}", "1 item" if count == 1 else f"{count} items")
        progress.stage(f"attacking with {words}")
        after, before = attack(linked, count), attack(unprotected, count)
        findings += findings_of(adversary, words, count, after, before)
    return [replace(finding, promised=promised(linked, finding)) for finding in findings]


def promised(linked: Linked, finding: Finding) -> bool:
    """Whether the release promises k candidates for who knows so many items."""
    if linked.promises_whole_sets:
        return True
    return linked.m is not None and finding.items is not None and finding.items <= linked.m


def most_items(asked: int | None, linked: Linked) -> int:
    """The largest number of items to attack with: as asked, or beyond the promise."""
    return asked if asked is not None else (linked.m or 1) + 2


def findings_of(adversary: str, known: str, items: int, after: Exposures, before: Exposures) -> list[Finding]:
    """One finding for the least favourable items, one for items drawn at random."""
    ways: tuple[tuple[Chosen, str], ...] = (("worst", "the least favourable"), ("random", "drawn at random"))
    return [
        Finding(
            adversary=adversary,
            known=f"{known}, {words}",
            after=after[index],
            before=before[index],
            items=items,
            chosen=chosen,
        )
        for index, (chosen, words) in enumerate(ways)
    ]


def attack_with_items(linked: Linked, known: int, most_sets: int = MOST_SETS) -> Exposures:
    """The exposure to the least favourable items, and to items drawn at random."""
    rows = sampled_rows(linked, known, most_sets)
    everybody = np.arange(linked.published.row_count, dtype=np.int64)
    tally = knowing_items(linked.sets.links, one_group(rows), one_group(everybody), known, linked.k)
    return exposures(linked, tally, rows, known)


def one_group(rows: Ints) -> GroupedRows:
    """All rows in one group."""
    return GroupedRows(frozen_ints([0, len(rows)]), frozen_ints(rows))


def sampled_rows(linked: Linked, known: int, most_sets: int) -> Ints:
    """All records, or as many drawn at random as have about `most_sets` sets of kinds of items."""
    sizes = np.diff(linked.sets.links.known.starts)
    distinct, index = np.unique(sizes, return_inverse=True)
    of_size = [sum(comb(size, chosen) for chosen in range(1, known + 1)) for size in distinct.tolist()]
    sets = np.array(of_size, dtype=np.float64)[index]
    if sets.sum() <= most_sets:
        return np.arange(len(sizes), dtype=np.int64)
    order = np.random.default_rng(linked.seed).permutation(len(sizes))
    wanted = int(np.searchsorted(np.cumsum(sets[order]), most_sets))
    return np.sort(order[: max(wanted, FEWEST_RECORDS)]).astype(np.int64)


def exposures(linked: Linked, tally: LinkTally, rows: Ints, known: int) -> Exposures:
    """What a tally says of the given records, which may be a sample of all."""
    items = linked.sets.items[rows]
    size = np.minimum(known, items)
    pool = tally.fewest[0, rows]
    # Of somebody without items nothing is known: the whole pool fits.
    nothing_fits = (size > 0) & (tally.found[size, rows] == 0)
    worst = np.where(nothing_fits, 0, tally.fewest[size, rows])
    sets = _subsets(items, known)
    below = np.where(size == 0, (pool > 0) & (pool < linked.k), tally.below[size, rows] / sets)
    success = np.where(size == 0, (pool > 0) / np.maximum(pool, 1), tally.success[size, rows] / sets)
    count = linked.original.row_count
    return exposure_of(worst, linked.k, count), exposure_of_shares(below, success, count)


def _subsets(items: Ints, known: int) -> Floats:
    """In how many ways `known` of so many items can be chosen; all of them, where there are fewer."""
    distinct, index = np.unique(items, return_inverse=True)
    ways = np.array([float(comb(held, min(held, known))) for held in distinct.tolist()], dtype=np.float64)
    return ways[index]
