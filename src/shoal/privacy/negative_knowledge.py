"""k^m-anonymity against somebody who may also know which items are absent."""

from __future__ import annotations

from shoal.engine.answers import Facts
from shoal.engine.port import Described, Port
from shoal.errors import CannotVerify, Infeasible
from shoal.privacy.items import READING, itemset_in_words
from shoal.privacy.verdict import Verdict, Witness, counted


def verify_with_absence(data: Port, claim: str, k: int, m: int) -> Verdict:
    """Find what at most m facts, of presence or absence, fit the fewest records.

    Where it is not known how many items a label stands for, knowing its absence counts as one fact: the
    strictest reading. A release that fails only by that reading cannot be judged.
    """
    rarest = data.rarest_facts(m, k)
    figures = {"records": data.row_count, "knowledge_below_k": 0 if rarest is None else rarest.below_k}
    if rarest is None:
        evidence = "no record has an item that must be counted"
        return Verdict(holds=True, claim=claim, evidence=evidence, figures=figures)
    support = len(rarest.rows)
    words = _in_words(data, rarest)
    if support < k and not rarest.sure:
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


def too_few_empty(data: Port, k: int, m: int) -> Infeasible | None:
    """Emptiness of records that can be known, and fits fewer than k of them even if all items are alike."""
    items = data.item_count()
    empty = data.row_count - data.rows_with_items()
    if items > m or empty == 0 or empty >= k:
        return None
    return Infeasible(
        f"k^m-anonymity with k={k}, m={m} and negative knowledge cannot be met: {counted(empty, 'record')}"
        f" {'has' if empty == 1 else 'have'} none of the {items} items, and that can be known",
        largest_k=empty,
        records=data.row_count,
    )


def _in_words(data: Described, facts: Facts) -> str:
    """Who fits: '2 records hold {beer} and none of {wine}'."""
    holds = "holds" if len(facts.rows) == 1 else "hold"
    known = [f"{holds} {itemset_in_words(data, facts.present)}"] if facts.present else []
    known += [f"{holds} none of {itemset_in_words(data, facts.absent)}"] if facts.absent else []
    return f"{counted(len(facts.rows), 'record')} {' and '.join(known)}"
