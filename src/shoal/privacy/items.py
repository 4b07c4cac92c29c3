"""What the models about items share: words for itemsets, and the verdict on what can be guessed from them.

Supports are read off the published labels: a record holds an itemset when all its labels stand in the record.
What a generalized label could stand for is not asked: at least as many records could match the original items
that the labels stand for, so a file that passes this reading passes that weaker one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.engine.answers import Guess, Item, NamedRows
from shoal.engine.port import Described
from shoal.errors import BadInput, Infeasible, Problem
from shoal.kernels.arrays import Bools
from shoal.privacy.parameters import Number, exact
from shoal.privacy.verdict import Verdict, Witness, counted
from shoal.table.roles import QuasiSet, Sensitive

ONE_IN_L = "Among those whom a person hides with, no value makes up more than one in l (l-diversity)"
READING = "supports are counted on the published labels"


def check_sets(name: str, data: Described) -> None:
    """Refuse data without a set column."""
    if not data.quasi_sets:
        raise BadInput(
            Problem(
                f"{name} is about sets of items, and no quasi-identifier holds sets",
                "give the column that holds them the kind set",
            )
        )


def too_few_records(promise: str, k: int, records: int) -> Infeasible | None:
    """Why a promise about k alike records cannot be kept by fewer; None if there are enough."""
    if records >= k:
        return None
    return Infeasible(
        f"{promise} with k={k} cannot be met: there {'is' if records == 1 else 'are'} only "
        f"{counted(records, 'record')}, so k can be at most {records}",
        largest_k=records,
        records=records,
    )


def check_sensitive(name: str, data: Described) -> None:
    """Refuse data in which nothing is sensitive."""
    if not (data.with_role(Sensitive) or _sensitive_items(data)):
        raise BadInput(
            Problem(
                f"{name} protects sensitive items and values, and nothing is sensitive",
                "name the sensitive items of the set column, or give a column the role sensitive",
            )
        )


def sensitive_names(data: Described) -> list[str]:
    """What is sensitive: columns, and items of the set columns that are there.

    A claim goes out with the file, so that it must not name an item that nobody holds.
    """
    named = _sensitive_items(data)
    shown = {
        name: data.held(name, [each.label for each in named if each.column == name])
        for name in data.quasi_sets
    }
    items = [item for item in named if item.label in shown[item.column]]
    return [*data.with_role(Sensitive), *(_item_in_words(data, item) for item in items)] or [
        "sensitive items"
    ]


def _sensitive_items(data: Described) -> list[Item]:
    return [
        Item(name, label)
        for name in data.quasi_sets
        if isinstance(role := data.roles[name], QuasiSet)
        for label in role.sensitive
    ]


def itemset_in_words(data: Described, itemset: Sequence[Item]) -> str:
    """The items by label, with their columns if there are several: '{beer, wine}'."""
    return "{" + ", ".join(_item_in_words(data, item) for item in itemset) + "}"


def set_in_words(data: Described, found: NamedRows) -> str:
    """The items that rows with equal sets share."""
    items = [Item(name, label) for name, labels in found.labels.items() for label in labels or ()]
    return itemset_in_words(data, items)


def guess_in_words(data: Described, guess: Guess, place: str = "") -> str:
    """How often who knows these items is right: '2 of 3 records that hold {a} hold the sensitive s'."""
    sensitive = guess.sensitive
    if sensitive.column in data.sensitive:
        shown = f"have {sensitive.column}={sensitive.label}"
        among = f"{counted(guess.knowing, 'record')} with a value"
    else:
        shown = f"hold the sensitive {_item_in_words(data, sensitive)}"
        among = counted(guess.knowing, "record")
    known = f" that hold {itemset_in_words(data, guess.known)}" if guess.known else ""
    return f"{guess.holding:,} of {among}{known}{place} {shown}"


def verdict_on_guess(data: Described, claim: str, guess: Guess | None, l: Number, place: str = "") -> Verdict:
    """Judge the likeliest guess: it must not be right more often than once in l times."""
    if guess is None:
        evidence = "no sensitive item or value occurs"
        return Verdict(holds=True, claim=claim, evidence=evidence, figures={"records": data.row_count})
    holds = guess.share * exact(l) <= 1
    words = guess_in_words(data, guess, place)
    return Verdict(
        holds=holds,
        claim=claim,
        evidence=f"the likeliest guess: {words}; {READING}",
        witness=None if holds else Witness.of(f"{words}, more than 1 in {l}", guess.where),
        figures={"records": data.row_count, "largest_share": float(guess.share)},
    )


def rows_of_guess(data: Described, guess: Guess | None, l: Number) -> Bools:
    """Rows about which the likeliest guess is right, if it is right more often than once in l times."""
    rows = np.zeros(data.row_count, dtype=np.bool_)
    if guess is not None and guess.share * exact(l) > 1:
        rows[guess.where.rows] = True
    return rows


def _item_in_words(data: Described, item: Item) -> str:
    return item.label if len(data.quasi_sets) == 1 else f"{item.column}={item.label}"
