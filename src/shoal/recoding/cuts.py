"""Recoding of a set column: one cut through its tree for all records, or one per part of them.

Without a tree items are united, and record by record each occurrence of an item can have a node of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shoal.hierarchy.labels import without_separator
from shoal.kernels.arrays import Bools, Ints, Items, SetArrays, frozen_sets
from shoal.recoding.label_cover import UNION_LINKS, union_label

SUPPRESSED_ITEM = -1


class Vocabulary(Protocol):
    """What items can be published as: the items themselves come first, leaf_count of them.

    sizes[n] is how many items labels[n] stands for. A tree is one: its nodes are its vocabulary.
    """

    @property
    def labels(self) -> tuple[str, ...]:
        """What is written, by number."""

    @property
    def sizes(self) -> Ints:
        """How many items each stands for."""

    @property
    def leaf_count(self) -> int:
        """How many items there are."""


@dataclass(frozen=True, slots=True, eq=False)
class Unions:
    """The vocabulary of sets that are generalized without a tree: items, then unions of some of them.

    labels[n] stands for the items in row n of `members`.
    """

    labels: tuple[str, ...]
    members: SetArrays
    leaf_count: int

    @property
    def sizes(self) -> Ints:
        """How many items each stands for."""
        return np.diff(self.members.starts)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a node of a cut is not replaced by its children: what would break if exactly this were done.

    Only `support` records would hold the itemset and, if absence counts as knowledge, none of `absent`; or
    these are enough, but too many of them share something `sensitive`.
    """

    node: int
    itemset: tuple[int, ...]
    support: int
    part: int = 0
    absent: tuple[int, ...] = ()
    sensitive: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """What each item of each record is published as.

    Record r belongs to part part_of_row[r]; in part p the leaf i is published as the node node_of_leaf[p, i],
    or vanishes where that is SUPPRESSED_ITEM. A global recoding has one part. Without a tree the numbers are
    those of `unions` instead of nodes. `reasons` say why the search could not do better. Records marked in
    `withheld` are not published at all.
    """

    column: str
    part_of_row: Ints
    node_of_leaf: Ints
    reasons: tuple[Reason, ...] = ()
    unions: Unions | None = None
    withheld: Bools | None = None

    def vocabulary(self, trees: Mapping[str, Vocabulary]) -> Vocabulary:
        """What the numbers in `node_of_leaf` stand for."""
        return self.unions or trees[self.column]

    @property
    def part_count(self) -> int:
        """How many parts have a cut of their own."""
        return len(self.node_of_leaf)


@dataclass(frozen=True, slots=True, eq=False)
class ItemNodes:
    """What each single item of each record is published as, where a cut per part would be too coarse.

    `node_of_occurrence` runs beside the items of the column's sets: the node that each is published as, or
    SUPPRESSED_ITEM where it vanishes. Records marked in `withheld` are not published at all.
    """

    column: str
    node_of_occurrence: Items
    withheld: Bools

    def vocabulary(self, trees: Mapping[str, Vocabulary]) -> Vocabulary:
        """What the numbers in `node_of_occurrence` stand for."""
        return trees[self.column]


def unions_of(first_of_each: Ints, labels: Sequence[str], separator: str) -> tuple[Unions, Ints]:
    """The vocabulary of some parts' unions, and what it publishes each item of each part as.

    first_of_each[p, i] is the smallest item that item i is united with in part p, or SUPPRESSED_ITEM. A union
    is published as its items between bars, `(A|B)`, or other links where items or the separator hold bars.
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


def _link(labels: Sequence[str], separator: str) -> str:
    """What stands between the items of a union: nothing that an item or the separator holds, if possible.

    So whoever knows the items can read a label in one way only, unless bars separate: for these `_` stands.
    """
    held = set(separator).union(*labels) if separator != UNION_LINKS[0] else set()
    return next((link for link in UNION_LINKS if link not in held), UNION_LINKS[0])


def _labels(labels: Sequence[str], unions: Sequence[Sequence[int]], separator: str) -> tuple[str, ...]:
    """Every label once: an item can be called what a union would be called."""
    taken = set(labels)
    all_labels = list(labels)
    link = _link(labels, separator)
    for union in unions:
        label = without_separator(union_label([labels[item] for item in union], link), separator)
        while label in taken:
            label += "'"
        taken.add(label)
        all_labels.append(label)
    return tuple(all_labels)
