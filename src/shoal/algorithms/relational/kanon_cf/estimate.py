"""How many closed records there are, from a few blocks: their number decides what can be mined at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.algorithms.relational.clustering.blocks import block_of, some_blocks
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.kanon_cf.closed_records import Mining
from shoal.engine.local import LocalData
from shoal.kernels.constraint import ClassConstraint

_ROWS_PER_BLOCK, _TIMES_K = 8_000, 40
_BLOCKS = 8
_MOST_MINED = 1_000_000  # of one block
_GROWTH = 0.35  # with this power of the rows of a block, closed records per row grow in real tables


@dataclass(frozen=True, slots=True)
class ClosedRecordCounts:
    """Blocks of `rows` like rows have `per_row` closed records for each of them."""

    rows: float
    per_row: float

    def in_block(self, rows: int) -> float:
        """How many a block of so many rows should have."""
        return rows * self.per_row * math.pow(rows / self.rows, _GROWTH)


def estimated_closed_records(
    data: LocalData, constraint: ClassConstraint, measure: str
) -> ClosedRecordCounts:
    """What some blocks tell; infinitely many where one has more than can be mined in a moment."""
    blocks = some_blocks(data, constraint, max(_ROWS_PER_BLOCK, _TIMES_K * constraint.k), _BLOCKS)
    rows, count = sum(len(block) for block in blocks), 0.0
    for block in blocks:
        count += _mined(Records.of(block_of(data, block), measure), constraint.k)
        if math.isinf(count):
            break
    return ClosedRecordCounts(rows / len(blocks), count / rows)


def _mined(records: Records, k: int) -> float:
    mining = Mining(records, k)
    while not mining.complete:
        if mining.count > _MOST_MINED:
            return math.inf
        mining.go_on()
    return mining.count
