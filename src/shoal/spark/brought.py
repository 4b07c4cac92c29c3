"""Rows that come to the driver beside what became of them, for measures that take all of them together.

Of data with more items than a driver should hold every so many rows come, and the measures are theirs.
"""

import io
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engine.local import LocalData, carried_codes
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints, Items, SetArrays, frozen_sets
from shoal.metrics.inference import telling
from shoal.metrics.items import published_occurrences
from shoal.metrics.mining import Measured, levels_loss
from shoal.recoding.apply import Applied
from shoal.recoding.rows import RowRecoding
from shoal.table.arrow_form import to_arrow
from shoal.table.roles import Insensitive, Sensitive

MOST_ITEMS = 1 << 23

VALUES = "\0values"  # no column has this name
_ORIGINAL = "original"
_PUBLISHED = "published"
_UNTOUCHED = "untouched"


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


def with_published_values(data: LocalData, applied: Applied, every: int) -> dict[str, pa.Table]:
    """One of `every` rows: quasi-identifiers before and after, and what stays beside them, if any."""
    stays = data.with_role(Sensitive, Insensitive)
    if not (stays and data.quasi):
        return {}
    before = to_arrow(data.table.take(applied.rows[::every]), {})
    after = to_arrow(applied.table.take(np.arange(0, applied.table.row_count, every)), {})
    columns = {
        **{_named(_ORIGINAL, name): before[name] for name in data.quasi},
        **{_named(_PUBLISHED, name): after[name] for name in data.quasi},
        **{_named(_UNTOUCHED, name): after[name] for name in stays if not _is_nested(after[name])},
    }
    return {VALUES: pa.table({name: pc.dictionary_encode(each) for name, each in columns.items()})}


def _named(what: str, column: str) -> str:
    return f"{what} {column}"


def _is_nested(column: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_nested(column.type))


def telling_notices(brought: Sequence[pa.Table], quasi: Sequence[str], every: int) -> tuple[str, ...]:
    """What columns tell that stay as they are, of rows with their published values."""
    if not brought:
        return ()
    rows = pa.concat_tables(brought)
    codes = {name: carried_codes(rows[name]) for name in rows.column_names}
    found = telling(
        ((name, codes[_named(_ORIGINAL, name)], codes[_named(_PUBLISHED, name)]) for name in quasi),
        {
            name.removeprefix(_named(_UNTOUCHED, "")): each
            for name, each in codes.items()
            if name.startswith(_named(_UNTOUCHED, ""))
        },
    )
    of_some = "" if every == 1 else f" (counted on one of every {every:,} records)"
    return tuple(each.in_words() + of_some for each in found)


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
