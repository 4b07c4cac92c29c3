"""The item step without trees: PCTA on any part of the records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.algorithms.mixed.joint_search.item_step import PartItems, ever_fewer_columns
from shoal.algorithms.mixed.joint_search.joint_sets import JointSets
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.pcta.unions import ItemUnions
from shoal.engine.local import LocalData
from shoal.kernels.arrays import Ints
from shoal.progress import Progress
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts
from shoal.recoding.item_unions import unions_of


class UnionStep:
    """PCTA on the items of each column, on any part of the records."""

    def __init__(self, data: LocalData, sets: JointSets, constraint: ItemConstraint) -> None:
        self._sets, self._constraint = sets, constraint
        self._columns = [data.table.sets(name) for name in sets.columns]

    def solve(self, rows: Ints, progress: Progress) -> PartItems:
        """Unite items until no itemset is rare among the given rows."""
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
