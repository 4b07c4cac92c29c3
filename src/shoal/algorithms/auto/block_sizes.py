"""How many rows are searched at once: as many as should end within the budget.

What is counted stands for time, so that the same data are cut alike on machines of any speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.algorithms.auto.objective import DataShape
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.portions import MANY_ROWS
from shoal.algorithms.relational.kanon_cf.estimate import ClosedRecordCounts, estimated_closed_records
from shoal.engine.local import LocalData
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise

WHOLE = 0
_ROWS_AT_ONCE = 50_000  # records are moved and swapped in one thread there
_BLOCKS = (200_000, 100_000, 50_000, 20_000, 10_000, 5_000)
_SMALLEST, _TIMES_K = 1_000, 50

_CLOSED_PER_SECOND = 250_000  # mined and covered, by two processors
_CLOSED_AT_ONCE = 5_000_000  # in memory, each of some 240 bytes
_CLOSED_BESIDE_MANY_ROWS = 500_000  # the same, where the table itself takes gigabytes
_WHOLE_TAKES = 5  # times as long for each closed record: one thread, a lower bound and a proof
_FEWEST_CLOSED, _MOST_CLOSED = 50_000, 1_000_000

_PAIRS_PER_SECOND = 10_000_000  # of records that are compared, by two processors


@dataclass(frozen=True, slots=True, eq=False)
class BlockSizes:
    """What a search of all rows may cost that shall take so many seconds on two processors."""

    data: DataShape
    models: Sequence[Model]
    measure: str
    seconds: float

    def options(self, name: str) -> dict[str, int]:
        """The options of an algorithm that can cluster rows in blocks."""
        return self._for_closed_records() if name == "kanon-cf" else self._for_pairs()

    def _for_closed_records(self) -> dict[str, int]:
        rows, affordable = self.data.row_count, self.seconds * _CLOSED_PER_SECOND
        counts = self._closed_records()
        on_the_whole = counts.in_block(rows)
        if rows <= _ROWS_AT_ONCE and on_the_whole <= min(affordable / _WHOLE_TAKES, self._closed_at_once):
            return {"block": WHOLE, "most_closed": self._closed_at_once}
        for block in _BLOCKS:
            in_block = counts.in_block(block)
            if 2 * block <= rows and in_block <= min(affordable * block / rows, self._closed_at_once):
                return {"block": self._at_least(block), "most_closed": self._closed_at_once}
        block = self._at_least(_BLOCKS[-1])
        most = min(max(int(affordable * block / rows), _FEWEST_CLOSED), _MOST_CLOSED, self._closed_at_once)
        return {"block": block if 2 * block <= rows else WHOLE, "most_closed": most}

    @property
    def _closed_at_once(self) -> int:
        many = self.data.row_count >= MANY_ROWS
        return _CLOSED_BESIDE_MANY_ROWS if many else _CLOSED_AT_ONCE

    def _closed_records(self) -> ClosedRecordCounts:
        """What some blocks tell; where rows are elsewhere, that every column doubles them, about."""
        if isinstance(self.data, LocalData):
            constraint = class_constraint_of(self.data, self.models)
            return estimated_closed_records(self.data, constraint, self.measure)
        per_row = 2.0 * 2.0 ** len(self.data.quasi) / Promise(self.models).k
        return ClosedRecordCounts(rows=_ROWS_AT_ONCE, per_row=per_row)

    def _for_pairs(self) -> dict[str, int]:
        """Where every two records of a block are compared."""
        rows = self.data.row_count
        affordable = int(self.seconds * _PAIRS_PER_SECOND / rows)
        if rows <= affordable:
            return {"block": WHOLE}
        return {"block": self._at_least(max(min(affordable, _BLOCKS[-2]), _SMALLEST))}

    def _at_least(self, block: int) -> int:
        return max(block, _TIMES_K * Promise(self.models).k)
