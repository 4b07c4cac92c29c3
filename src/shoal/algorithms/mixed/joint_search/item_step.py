"""The item step: the items of some records are generalized until they keep the promise among themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shoal.algorithms.mixed.joint_search.joint_sets import JointSets
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import generalize, generalize_as_printed
from shoal.algorithms.sets.cut_search.specialization import specialize
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.cut_search.violations import Violations
from shoal.algorithms.sets.pcta.unions import ItemUnions
from shoal.engine.local import LocalData
from shoal.kernels.arrays import Bools, Ints, starts_of
from shoal.kernels.utility_loss import WeightedWords, sum_of_losses
from shoal.metrics.items import weights_of_words
from shoal.progress import Progress
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, unions_of


@dataclass(frozen=True, slots=True, eq=False)
class PartItems:
    """What each item of a part is published as, or SUPPRESSED_ITEM, and the sum of the records' UL.

    `in_time` is False if nothing was searched, because time was up before.
    """

    word_of_item: Ints
    loss: float
    suppressed: bool = False
    in_time: bool = True


class ItemStep(Protocol):
    """A way to make the items of any part of the records safe."""

    def solve(self, rows: Ints, progress: Progress) -> PartItems:
        """Generalize the items of the given rows; columns for which nothing else helps are suppressed.

        When time is up they are published in the coarsest way, which takes next to none.
        """

    def cuts(self, parts: Sequence[PartItems], part_of_row: Ints) -> tuple[Cuts, ...]:
        """The recoding for each set column."""


def ever_fewer_columns(
    transactions: Transactions, sets: JointSets, constraint: ItemConstraint
) -> list[tuple[Transactions, Bools]]:
    """What to try until it is safe: the columns that enough records have items of, then fewer and fewer.

    Each with the items that are left out; the last one has no items at all.
    """
    occurrences = [int(transactions.occurrences[sets.items_of(c)].sum()) for c in range(len(sets.columns))]
    kept = [c for c in range(len(sets.columns)) if _enough_records(transactions, sets, c, constraint)]
    tries = []
    while True:
        items = np.isin(sets.column_of_item, kept)
        tries.append((transactions if items.all() else transactions.within(items), ~items))
        if not kept:
            return tries
        kept.remove(min(kept, key=lambda c: (occurrences[c], c)))


def _enough_records(
    transactions: Transactions, sets: JointSets, column: int, constraint: ItemConstraint
) -> bool:
    """Whether records with items of a column are none, or enough to publish one item of it."""
    items = sets.items_of(column)
    mine = (transactions.sets.items >= items.start) & (transactions.sets.items < items.stop)
    before = starts_of(mine)
    holding = int(np.count_nonzero(np.diff(before[transactions.sets.starts])))
    return holding == 0 or holding >= constraint.k_for(1)


def nothing_published(with_items: int, item_count: int) -> PartItems:
    """All items are suppressed, which is always safe; rows that had some lose everything."""
    words = np.full(item_count, SUPPRESSED_ITEM, dtype=np.int64)
    return PartItems(words, float(with_items), suppressed=with_items > 0, in_time=False)


class TreeStep:
    """AA over the trees of the columns, on any part of the records."""

    def __init__(
        self, sets: JointSets, constraint: ItemConstraint, *, minimal: bool, as_printed: bool
    ) -> None:
        self._sets, self._constraint, self._minimal = sets, constraint, minimal
        self._way_up = generalize_as_printed if as_printed else generalize
        tree = sets.transactions.tree
        weights = weights_of_words(tree, sets.weights)
        self._words = WeightedWords(np.array(tree.sizes), weights)

    def solve(self, rows: Ints, progress: Progress) -> PartItems:
        """The cheapest cut that AA finds."""
        if progress.expired():
            return self._coarsest(rows)
        part = self._sets.transactions.taking(rows)
        words, left_out = next(
            (words, left_out)
            for kept, left_out in ever_fewer_columns(part, self._sets, self._constraint)
            if (words := self._safe_cut(kept, progress)) is not None
        )
        words[left_out] = SUPPRESSED_ITEM
        suppressed = bool(left_out[part.sets.items].any())
        return PartItems(words, sum_of_losses(part.sets, words, self._words), suppressed)

    def _coarsest(self, rows: Ints) -> PartItems:
        """The root where that is safe, because enough rows have an item; otherwise nothing."""
        transactions, constraint = self._sets.transactions, self._constraint
        root = transactions.tree.root
        with_items = int(np.count_nonzero(transactions.sizes[rows]))
        alone = bool(self._sets.publishable[root]) and constraint.diverse_m == 0
        is_safe = alone and with_items >= constraint.k_for(1)
        if not is_safe:
            return nothing_published(with_items, transactions.tree.leaf_count)
        words = np.full(transactions.tree.leaf_count, root, dtype=np.int64)
        loss = sum_of_losses(transactions.taking(rows).sets, words, self._words)
        return PartItems(words, loss, in_time=False)

    def _safe_cut(self, part: Transactions, progress: Progress) -> Ints | None:
        if part.non_empty == 0:
            return np.arange(part.tree.leaf_count, dtype=np.int64)
        violations = Violations(part, self._constraint)
        cut = Cut(part)
        tally = self._way_up(violations, cut, progress, allowed=self._sets.publishable)
        if not self._sets.publishable[cut.nodes].all():
            return None  # time was up, and everything was moved up to a root that no column has
        if (tally.left or not tally.in_time) and violations.first_at(cut) is not None:
            return None
        if self._minimal and tally.in_time:
            specialize(violations, cut, progress)
        return cut.node_of_leaf.copy()

    def cuts(self, parts: Sequence[PartItems], part_of_row: Ints) -> tuple[Cuts, ...]:
        """One cut per part through the tree of each column."""
        stacked = np.stack([part.word_of_item for part in parts])
        nodes = np.where(stacked == SUPPRESSED_ITEM, SUPPRESSED_ITEM, self._sets.node_in_column[stacked])
        return tuple(
            Cuts(name, part_of_row, np.ascontiguousarray(nodes[:, self._sets.items_of(c)]))
            for c, name in enumerate(self._sets.columns)
        )


class UnionStep:
    """PCTA on the items of each column, on any part of the records."""

    def __init__(self, data: LocalData, sets: JointSets, constraint: ItemConstraint) -> None:
        self._sets, self._constraint = sets, constraint
        self._columns = [data.table.sets(name) for name in sets.columns]

    def solve(self, rows: Ints, progress: Progress) -> PartItems:
        """Unite items until no itemset is rare among the given rows."""
        if progress.expired():
            with_items = int(np.count_nonzero(self._sets.transactions.sizes[rows]))
            return nothing_published(with_items, len(self._sets.weights))
        part = self._sets.transactions.taking(rows)
        unions, left_out = next(
            (unions, left_out)
            for kept, left_out in ever_fewer_columns(part, self._sets, self._constraint)
            if (
                unions := ItemUnions(kept, self._constraint, self._sets.weights, self._sets.column_of_item)
            ).mend(progress)
        )
        return PartItems(
            np.where(left_out, SUPPRESSED_ITEM, unions.first_of_each),
            unions.loss_of(part.sets, left_out),
            suppressed=bool(left_out[part.sets.items].any()),
        )

    def cuts(self, parts: Sequence[PartItems], part_of_row: Ints) -> tuple[Cuts, ...]:
        """The unions of each part, column by column."""
        stacked = np.stack([part.word_of_item for part in parts])
        all_cuts = []
        for c, (name, column) in enumerate(zip(self._sets.columns, self._columns, strict=True)):
            items = self._sets.items_of(c)
            mine = stacked[:, items]
            first_of_each = np.where(mine == SUPPRESSED_ITEM, SUPPRESSED_ITEM, mine - items.start)
            unions, words = unions_of(first_of_each, column.domain.texts(), column.separator)
            all_cuts.append(Cuts(name, part_of_row, words, unions=unions))
        return tuple(all_cuts)
