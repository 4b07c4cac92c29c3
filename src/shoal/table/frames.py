"""Data frames of other libraries: taken as they are, and given back in kind."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as narwhals
import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.table.columnar import Typed

WHERE = "the frame"


def open_frame(frame: Any) -> Typed:
    """The columns of a pandas, polars or pyarrow frame; its index is ignored."""
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    try:
        eager = narwhals.from_native(frame, eager_only=True)
    except narwhals.exceptions.DuplicateError as error:
        raise BadInput(
            Problem(f"has columns of the same name: {error}", "rename them", file=WHERE)
        ) from error
    except TypeError as error:
        what = f"{type(frame).__module__}.{type(frame).__qualname__} is no frame in memory"
        remedy = "give a path, or a pandas, polars or pyarrow frame (a lazy one after collect())"
        raise BadInput(Problem(what, remedy)) from error
    unnamed = [name for name in eager.columns if not isinstance(name, str)]
    if unnamed:
        shown = ", ".join(map(repr, unnamed[:5]))
        raise BadInput(
            Problem(f"has column names that are no texts: {shown}", "rename them to texts", file=WHERE)
        )
    columns = {name: _arrow_column(eager, name) for name in eager.columns}
    return Typed(WHERE, pa.table(columns), library=str(eager.implementation.value))


def in_kind(table: pa.Table, library: str | None) -> Any:
    """A table as a frame of the given library; an Arrow table without one."""
    if library in (None, "pyarrow"):
        return table
    backend: Any = library
    return narwhals.from_arrow(table, backend=backend).to_native()


def _arrow_column(frame: narwhals.DataFrame[Any], name: str) -> pa.ChunkedArray:
    try:
        # Only the column itself: a pandas index would come along as a column of its own.
        return frame.select(name).to_arrow().column(name)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, ValueError) as error:
        reason = str(error.args[0]) if error.args else type(error).__name__
        raise BadInput(
            Problem(
                f"holds cells that are not all of one simple type ({reason})",
                "turn them into texts, numbers, dates or lists of texts",
                file=WHERE,
                column=name,
            )
        ) from error
