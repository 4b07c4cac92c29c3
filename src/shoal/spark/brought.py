"""Rows that come to the driver beside what became of them, for measures that take all of them together.

Of data with more items than a driver should hold every so many rows come, and the measures are theirs.
"""

import io
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints, Items, SetArrays, frozen_sets
from shoal.metrics.items import published_occurrences
from shoal.metrics.mining import Measured, levels_loss
from shoal.recoding.rows import RowRecoding

MOST_ITEMS = 1 << 23

_ORIGINAL = "original"
_PUBLISHED = "published"


def rows_for_one(item_count: int) -> int:
    """Of how many rows one comes to the driver, given the items of all."""
    return max(1, -(-item_count // MOST_ITEMS))


def with_published_nodes(data: LocalData, recoding: RowRecoding, every: int) -> dict[str, pa.Table]:
    """One of `every` rows of each column of sets: its leaves, and the node that each is published as.

    Columns that are not published as nodes of their tree are left out.
    """
    brought = {}
    for items in recoding.items:
        if isinstance(items.vocabulary(data.trees), Hierarchy):
            sets, nodes = published_occurrences(data, items)
            table = pa.table(
                {_ORIGINAL: _lists(sets.starts, sets.items), _PUBLISHED: _lists(sets.starts, nodes)}
            )
            brought[items.column] = table.take(np.arange(0, len(table), every))
    return brought


def levels_loss_of(tree: Hierarchy, brought: Sequence[pa.Table]) -> Measured:
    """ML2, dML2 and tKd-ML2 of rows with their published nodes."""
    rows = pa.concat_tables(brought)
    return levels_loss(tree, _sets(rows[_ORIGINAL]), _sets(rows[_PUBLISHED]).items)


def told_of_a_sample(measured: Measured, every: int) -> Measured:
    """The same, saying of which rows it is."""
    if every == 1 or not measured.losses:
        return measured
    names = ", ".join(sorted(measured.losses))
    return measured | Measured(notices=(f"{names}: measured on one of every {every:,} records",))


def packed(table: pa.Table) -> bytes:
    """A table on its way to the driver."""
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


def unpacked_table(content: bytes) -> pa.Table:
    """The table that a task sent."""
    return pa.ipc.open_stream(content).read_all()


def levels_losses(
    trees: Mapping[str, Hierarchy], brought: Mapping[str, Sequence[pa.Table]], every: int
) -> dict[str, Measured]:
    """The same for each column of sets."""
    return {
        name: told_of_a_sample(levels_loss_of(trees[name], tables), every) for name, tables in brought.items()
    }


def _lists(starts: Ints, items: Items) -> pa.ListArray:
    return pa.ListArray.from_arrays(starts.astype(np.int32), items)


def _sets(column: pa.ChunkedArray) -> SetArrays:
    sizes = pc.list_value_length(column).to_numpy()
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
    return frozen_sets(starts, pc.list_flatten(column).to_numpy())
