"""Recoding of a set column by cuts through its tree: one cut for all records, or one per part of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.kernels.arrays import Ints

SUPPRESSED_ITEM = -1


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a node of a cut is not replaced by its children: what would break if exactly this were done.

    Only `support` records would hold the itemset and, if absence counts as knowledge, none of `absent`; or,
    where that is enough, too many of them share a sensitive item.
    """

    node: int
    itemset: tuple[int, ...]
    support: int
    part: int = 0
    absent: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """What each item of each record is published as.

    Record r belongs to part part_of_row[r]; in part p the leaf i is published as the node node_of_leaf[p, i],
    or vanishes where that is SUPPRESSED_ITEM. A global recoding has one part. `figures` say what the search
    did, `reasons` why it could not do better.
    """

    column: str
    part_of_row: Ints
    node_of_leaf: Ints
    reasons: tuple[Reason, ...] = ()
    notices: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def part_count(self) -> int:
        """How many parts have a cut of their own."""
        return len(self.node_of_leaf)
