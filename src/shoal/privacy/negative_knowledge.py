"""k^m-anonymity against somebody who may also know which items are absent."""

from __future__ import annotations

import numpy as np

from shoal.engine.joined_sets import JoinedSets
from shoal.engine.local import LocalData
from shoal.engine.mixed_sets import Mixed, rarest_mixed
from shoal.errors import CannotVerify, Infeasible
from shoal.kernels.arrays import Ints
from shoal.privacy.items import READING, itemset_in_words
from shoal.privacy.verdict import Verdict, Witness, counted


def verify_with_absence(data: LocalData, claim: str, k: int, m: int) -> Verdict:
    """Find what at most m facts, of presence or absence, fit the fewest records.

    Where it is not known how many items a label stands for, knowing its absence counts as one fact: the
    strictest reading. A release that fails only by that reading cannot be judged.
    """
    sets = data.joined_sets()
    facts, all_known = _facts_of_absence(data, sets)
    rarest, below_k = rarest_mixed(sets.quasi, facts, m, k)
    figures = {"records": data.row_count, "knowledge_below_k": below_k}
    if rarest is None:
        evidence = "no record has an item that must be counted"
        return Verdict(holds=True, claim=claim, evidence=evidence, figures=figures)
    support = len(rarest.rows)
    words = _in_words(data, sets, rarest)
    if support < k and not all_known:
        raise CannotVerify(
            f"{words}, fewer than k={k}, if to know that a label is absent took one fact; how many items the"
            " labels stand for is not known from the file, so give the hierarchy as a file"
        )
    return Verdict(
        holds=support >= k,
        claim=claim,
        evidence=f"of all that takes at most {counted(m, 'fact')} to know: {words}; {READING}",
        smallest=support,
        witness=None if support >= k else Witness.at(f"{words}, fewer than k={k}", rarest.rows),
        figures=figures,
    )


def too_few_empty(data: LocalData, k: int, m: int) -> Infeasible | None:
    """Emptiness of records that can be known, and fits fewer than k of them even if all items are alike."""
    items = sum(tree.leaf_count for name, tree in data.trees.items() if name in data.quasi_sets)
    empty = int(np.count_nonzero(np.diff(data.joined_sets().quasi.starts) == 0))
    if items > m or empty == 0 or empty >= k:
        return None
    return Infeasible(
        f"k^m-anonymity with k={k}, m={m} and negative knowledge cannot be met: {counted(empty, 'record')}"
        f" {'has' if empty == 1 else 'have'} none of the {items} items, and that can be known",
        largest_k=empty,
        records=data.row_count,
    )


def _facts_of_absence(data: LocalData, sets: JoinedSets) -> tuple[Ints, bool]:
    """How many facts it takes to know that each item is absent, and whether that is known of all."""
    facts = np.ones(sets.quasi_items.count, dtype=np.int64)
    numbering = sets.quasi_items
    all_known = True
    for column, domain, first in zip(numbering.columns, numbering.domains, numbering.first, strict=True):
        leaves = data.leaves_of_label.get(column, {})
        labels = domain.texts()
        facts[first : first + len(labels)] = [leaves.get(label, 1) for label in labels]
        all_known &= all(label in leaves for label in labels)
    return facts, all_known


def _in_words(data: LocalData, sets: JoinedSets, mixed: Mixed) -> str:
    """Who fits: '2 records hold {beer} and none of {wine}'."""
    present, absent = (
        itemset_in_words(data, [sets.quasi_items.item(number) for number in numbers])
        for numbers in (mixed.present, mixed.absent)
    )
    holds = "holds" if len(mixed.rows) == 1 else "hold"
    known = [f"{holds} {present}"] if mixed.present else []
    known += [f"{holds} none of {absent}"] if mixed.absent else []
    return f"{counted(len(mixed.rows), 'record')} {' and '.join(known)}"
