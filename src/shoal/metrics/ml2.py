"""Multiple-level mining loss: which frequent itemsets a miner still finds, and how far up the tree.

A miner looks at every level of the tree, the root being level 0. At level i an item is its ancestor at depth
i, or itself if it is no deeper than that. In published data an occurrence can be read at level i only if it
was generalized to depth i or below, or not at all. An itemset is frequent if at least `minimum_share` of the
original records hold it; the same number of records is asked of both sides.

Published sets at a level are parts of the original ones, so every frequent itemset of the release is one
of the original, too, and one that is found at a level is found in generalized form at every level above.

High up in the tree records share most of their few items, and every combination of these is frequent. What a
run may spend on that is bounded: `affordable_mining_loss` looks for itemsets of any length, and where that
takes too long for those of up to 4, 3, 2 or 1 items, at all levels.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import (
    AnySets,
    Bools,
    Codes,
    Ints,
    Items,
    SetArrays,
    frozen_items,
    in_pieces,
    joined_rows,
)
from shoal.kernels.frequent_itemsets import ENDLESS
from shoal.kernels.grouping import group_sets
from shoal.kernels.set_recoding import renumbered_sets
from shoal.metrics.top_itemsets import Grown, frequent_itemsets
from shoal.recoding.generalized_clusters import SUPPRESSED

# What the paper takes unless it says otherwise.
MINIMUM_SHARE = 0.02

# One level above the root.
_NOWHERE = -1

# How often all items may be read at one level. Real baskets, clicks and diagnoses need 1, or 4 at 1 %.
_READINGS = 32
_FEWEST_READ = 2**16
_LENGTHS = (None, 4, 3, 2)


@dataclass(frozen=True, slots=True)
class MiningLoss:
    """How many itemsets are frequent at each level of the tree, the root first, and how many are found.

    `levels_up` is the sum over the itemsets that are not found at their own level: how many levels one has
    to go up to find their generalized form. One that suppression hides even at the root counts as found one
    level above the root. Itemsets of more than `longest` items were not looked for; None is any length.
    """

    frequent: tuple[int, ...]
    found: tuple[int, ...]
    levels_up: int
    longest: int | None = None

    @property
    def ml2(self) -> float:
        """The share of frequent itemsets that are not found at their own level; 0 if none is frequent."""
        frequent = sum(self.frequent)
        return (frequent - sum(self.found)) / frequent if frequent else 0.0

    @property
    def dml2(self) -> float | None:
        """The mean number of levels up to where the lost itemsets are found; None if none is lost."""
        lost = sum(self.frequent) - sum(self.found)
        return self.levels_up / lost if lost else None


def mining_loss(
    tree: Hierarchy,
    original: AnySets,
    node_of_occurrence: Items,
    minimum_share: float = MINIMUM_SHARE,
    longest: int | None = None,
) -> MiningLoss:
    """Compare what a miner finds in original sets of leaves with what it finds in a release of them.

    `node_of_occurrence` runs beside the items of the original: the node that each is published as, or
    SUPPRESSED. Only itemsets of up to `longest` items are looked for; without it time and memory can explode.
    """
    release = _Released(tree, original, node_of_occurrence)
    loss = release.loss(_Miner(release.least_support(minimum_share), longest))
    if loss is None:
        raise TypeError("an endless search ends with all itemsets")
    return loss


def affordable_mining_loss(
    tree: Hierarchy, original: AnySets, node_of_occurrence: Items, minimum_share: float = MINIMUM_SHARE
) -> MiningLoss:
    """The same for itemsets of any length or, if there are too many of those, up to the length that goes."""
    release = _Released(tree, original, node_of_occurrence)
    minimum_support = release.least_support(minimum_share)
    patience = max(_FEWEST_READ, _READINGS * len(original.items))
    for longest in _LENGTHS:
        loss = release.loss(_Miner(minimum_support, longest, patience))
        if loss is not None:
            return loss
    return mining_loss(tree, original, node_of_occurrence, minimum_share, longest=1)


@dataclass(frozen=True, slots=True)
class _Miner:
    """Looks for itemsets of up to `longest` items that so many records hold, as long as patience lasts."""

    minimum_support: int
    longest: int | None
    patience: int = ENDLESS

    def found(self, sets: AnySets, item_count: int, renumbered: Grown) -> SetArrays | None:
        """All frequent itemsets; None if that takes more patience."""
        mined = frequent_itemsets(
            sets, item_count, self.minimum_support, self.longest, self.patience, grown=renumbered
        )
        return mined.sets if mined.complete else None


@dataclass(frozen=True, slots=True, eq=False)
class _Released:
    """Sets of leaves, and the node that each occurrence of an item is published as, or SUPPRESSED."""

    tree: Hierarchy
    original: AnySets
    node_of_occurrence: Items

    def least_support(self, minimum_share: float) -> int:
        """The number of records that is at least that share of all; a share means its shortest decimal."""
        if not 0 < minimum_share <= 1:
            raise InvalidParameter("ML2", "minimum_share", minimum_share, "a number above 0 and up to 1")
        return max(1, math.ceil(Fraction(str(minimum_share)) * (len(self.original.starts) - 1)))

    def loss(self, miner: _Miner) -> MiningLoss | None:
        """What the miner misses; None if it lost patience."""
        frequent_counts, found_counts, levels_up = [], [], 0
        above: _Level | None = None
        for level, number_of_leaf in enumerate(_numbers_by_level(self.tree)):
            item_count = int(number_of_leaf.max(initial=-1)) + 1
            frequent = miner.found(self.original, item_count, self._at_level(number_of_leaf))
            if frequent is None:
                return None
            found: SetArrays | None = frequent
            if not self._all_readable(level):
                found = miner.found(self.original, item_count, self._at_level(number_of_leaf, level))
            if found is None:
                return None
            reached = _lowest_levels(level, frequent, found, number_of_leaf, above)
            frequent_counts.append(len(reached))
            found_counts.append(len(found.starts) - 1)
            levels_up += int((level - reached).sum())
            above = _Level(frequent, number_of_leaf, reached)
        return MiningLoss(tuple(frequent_counts), tuple(found_counts), levels_up, miner.longest)

    def _at_level(self, number_of_leaf: Ints, readable_at: int | None = None) -> Grown:
        """Pieces of the original under the numbers of a level; only what can be read there, if asked so."""
        number_of = frozen_items(number_of_leaf)

        def renumbered(piece: SetArrays, places: slice) -> SetArrays:
            numbers = number_of[piece.items]
            if readable_at is not None:
                numbers[~self._readable(piece.items, places, readable_at)] = SUPPRESSED
            return renumbered_sets(piece.starts, numbers)

        return renumbered

    def _readable(self, items: Codes, places: slice, level: int) -> Bools:
        """Which published occurrences can be read at a level."""
        depths, nodes = self.tree.depths, self.node_of_occurrence[places]
        readable: Bools = (nodes != SUPPRESSED) & (depths[nodes] >= np.minimum(depths[items], level))
        return readable

    def _all_readable(self, level: int) -> bool:
        starts, items = self.original
        slices = (slice(int(starts[first]), int(starts[behind])) for first, behind in in_pieces(starts))
        return all(self._readable(items[places], places, level).all() for places in slices)


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """The frequent itemsets of a level, and for each the lowest level, up from there, where it is found."""

    frequent: SetArrays
    number_of_leaf: Ints
    reached: Ints


def _numbers_by_level(tree: Hierarchy) -> list[Ints]:
    """The items of each level, the root's first, numbered along the leaves: number_of_leaf[leaf].

    Items of a level cover intervals of leaves, so that sets that ascend still do when they are numbered.
    """
    item_of_leaf = np.arange(tree.leaf_count, dtype=np.int64)
    levels = []
    for level in range(tree.height, -1, -1):
        deeper = tree.depths[item_of_leaf] > level
        item_of_leaf = np.where(deeper, tree.arrays.parent[item_of_leaf], item_of_leaf)
        levels.append(np.cumsum(np.diff(item_of_leaf, prepend=item_of_leaf[:1]) != 0))
    return levels[::-1]


def _lowest_levels(
    level: int, frequent: SetArrays, found: SetArrays, number_of_leaf: Ints, above: _Level | None
) -> Ints:
    """For each frequent itemset the lowest level, from this one up, where it is found in some form."""
    reached = np.full(len(frequent.starts) - 1, _NOWHERE, dtype=np.int64)
    if above is not None:
        number_above = np.empty(int(number_of_leaf.max(initial=-1)) + 1, dtype=np.int64)
        number_above[number_of_leaf] = above.number_of_leaf
        generalized = renumbered_sets(frequent.starts, frozen_items(number_above)[frequent.items])
        reached = above.reached[_places_of(generalized, above.frequent)]
    reached[_places_of(found, frequent)] = level
    return reached


def _places_of(wanted: SetArrays, among: SetArrays) -> Ints:
    """Where each of the wanted itemsets stands among others, which are distinct and hold them all."""
    class_of_row, _ = group_sets(joined_rows(among, wanted))
    return class_of_row[len(among.starts) - 1 :]
