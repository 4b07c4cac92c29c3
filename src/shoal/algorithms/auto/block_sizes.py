"""How many rows are searched at once: as many as should end within the budget.

What is counted stands for time, so that the same data are cut alike on machines of any speed.
"""

from __future__ import annotations

from typing import Any

from shoal.algorithms.relational.kanon_cf.estimate import estimated_closed_records
from shoal.engine.local import LocalData
from shoal.kernels.constraint import ClassConstraint

WHOLE = 0
_ROWS_AT_ONCE = 50_000  # records are moved and swapped in one thread there
_BLOCKS = (200_000, 100_000, 50_000, 20_000, 10_000, 5_000)
_SMALLEST, _TIMES_K = 1_000, 50

_CLOSED_PER_SECOND = 250_000  # mined and covered, by two processors
_CLOSED_AT_ONCE = 5_000_000  # in memory
_WHOLE_TAKES = 5  # times as long for each closed record: one thread, a lower bound and a proof
_FEWEST_CLOSED, _MOST_CLOSED = 50_000, 1_000_000

_PAIRS_PER_SECOND = 10_000_000  # of records that are compared, by two processors


def for_closed_records(
    data: LocalData, constraint: ClassConstraint, measure: str, seconds: float
) -> dict[str, Any]:
    """The rows of a block for `kanon-cf`, and how many closed records are mined in it at most."""
    rows = data.row_count
    affordable = seconds * _CLOSED_PER_SECOND
    counts = estimated_closed_records(data, constraint, measure)
    on_the_whole = counts.in_block(rows)
    if rows <= _ROWS_AT_ONCE and on_the_whole <= min(affordable / _WHOLE_TAKES, _CLOSED_AT_ONCE):
        return {"block": WHOLE, "most_closed": _CLOSED_AT_ONCE}
    for block in _BLOCKS:
        in_block = counts.in_block(block)
        if 2 * block <= rows and in_block <= min(affordable * block / rows, _CLOSED_AT_ONCE):
            return {"block": max(block, _TIMES_K * constraint.k), "most_closed": _CLOSED_AT_ONCE}
    block = max(_BLOCKS[-1], _TIMES_K * constraint.k)
    most = min(max(int(affordable * block / rows), _FEWEST_CLOSED), _MOST_CLOSED)
    return {"block": block if 2 * block <= rows else WHOLE, "most_closed": most}


def for_pairs(data: LocalData, k: int, seconds: float) -> dict[str, Any]:
    """The rows of a block for an algorithm that compares every two records of it."""
    rows = data.row_count
    affordable = int(seconds * _PAIRS_PER_SECOND / rows)
    if rows <= affordable:
        return {"block": WHOLE}
    return {"block": max(min(affordable, _BLOCKS[-2]), _SMALLEST, _TIMES_K * k)}
