"""A few rows before and after, for people who would rather look than read."""

import numpy as np

from shoal.kernels.arrays import Ints
from shoal.table.columns import Carried, Column, Sets, Table

SHOWN = 8

Row = tuple[str, ...]


def examples(original: Table, released: Table, original_rows: Ints) -> tuple[tuple[Row, Row], ...]:
    """Pairs of an original row and the same row as published, from all over the file.

    `original_rows[r]` is the row of the original that the released row r came from.
    """
    count = min(SHOWN, released.row_count)
    if count == 0:
        return ()
    after = np.linspace(0, released.row_count - 1, count).astype(np.int64)
    before = original_rows[after]
    old = [texts_of(column, before) for column in original.columns.values()]
    new = [texts_of(released.columns[name], after) for name in original.columns]
    return tuple(zip(zip(*old, strict=True), zip(*new, strict=True), strict=True))


def texts_of(column: Column, rows: Ints) -> list[str]:
    """Some rows of a column as they would be written; items stand in the order of their texts."""
    if isinstance(column, Carried):
        return ["" if value is None else str(value) for value in column.values.take(rows).to_pylist()]
    if isinstance(column, Sets):
        starts, items = column.starts, column.narrow
        return [
            column.separator.join(
                sorted(str(column.domain.labels[int(item)]) for item in items[starts[row] : starts[row + 1]])
            )
            for row in rows
        ]
    return [column.domain.label(int(column.narrow[row])) or "" for row in rows]
