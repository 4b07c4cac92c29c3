"""Recoding of a set column by cuts through its tree: one cut for all records, or one per part of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shoal.kernels.arrays import Ints, SetArrays

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
    those of `unions` instead of nodes. `reasons` say why the search could not do better.
    """

    column: str
    part_of_row: Ints
    node_of_leaf: Ints
    reasons: tuple[Reason, ...] = ()
    unions: Unions | None = None

    def vocabulary(self, trees: Mapping[str, Vocabulary]) -> Vocabulary:
        """What the numbers in `node_of_leaf` stand for."""
        return self.unions or trees[self.column]

    @property
    def part_count(self) -> int:
        """How many parts have a cut of their own."""
        return len(self.node_of_leaf)
