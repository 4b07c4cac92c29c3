"""Items that were united without a tree, under the labels they are published as."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.kernels.arrays import Ints, frozen_sets
from shoal.recoding.cuts import SUPPRESSED_ITEM, Unions


def unions_of(first_of_each: Ints, labels: Sequence[str], separator: str) -> tuple[Unions, Ints]:
    """The vocabulary of some parts' unions, and what it publishes each item of each part as.

    first_of_each[p, i] is the smallest item that item i is united with in part p, or SUPPRESSED_ITEM. A union
    is published as its items between bars, `(A|B)`.
    """
    count = len(labels)
    number_of: dict[tuple[int, ...], int] = {}
    words: Ints = np.where(first_of_each == SUPPRESSED_ITEM, SUPPRESSED_ITEM, np.arange(count))
    for part, first in enumerate(first_of_each):
        united = np.flatnonzero((first != np.arange(count)) & (first != SUPPRESSED_ITEM))
        for smallest in np.unique(first[united]).tolist():
            members = np.flatnonzero(first == smallest)
            number = number_of.setdefault(tuple(members.tolist()), count + len(number_of))
            words[part, members] = number
    lists = [*((item,) for item in range(count)), *number_of]
    members_of_all = frozen_sets(np.cumsum([0, *map(len, lists)]), [item for some in lists for item in some])
    return Unions(_labels(labels, list(number_of), separator), members_of_all, count), words


def _labels(labels: Sequence[str], unions: Sequence[Sequence[int]], separator: str) -> tuple[str, ...]:
    """Every label once: an item can be called what a union would be called."""
    taken = set(labels)
    all_labels = list(labels)
    for union in unions:
        label = "(" + "|".join(sorted(labels[item] for item in union)) + ")"
        label = label.replace(separator, "_")
        while label in taken:
            label += "'"
        taken.add(label)
        all_labels.append(label)
    return tuple(all_labels)
