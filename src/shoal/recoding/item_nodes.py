"""Recoding of a set column record by record: each occurrence of an item has a node of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.kernels.arrays import Bools, Ints
from shoal.recoding.cuts import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class ItemNodes:
    """What each single item of each record is published as, where a cut per part would be too coarse.

    `node_of_occurrence` runs beside the items of the column's sets: the node that each is published as, or
    SUPPRESSED_ITEM where it vanishes. Records marked in `withheld` are not published at all.
    """

    column: str
    node_of_occurrence: Ints
    withheld: Bools

    def vocabulary(self, trees: Mapping[str, Vocabulary]) -> Vocabulary:
        """What the numbers in `node_of_occurrence` stand for."""
        return trees[self.column]
