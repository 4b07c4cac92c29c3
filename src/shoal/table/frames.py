"""Data frames of other libraries: taken as they are, and given back in kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.table.columnar import Typed

WHERE = "the frame"
_WITH_TYPES = ("pandas", "polars")  # that Arrow does not have


def is_frame(given: Any) -> bool:
    """Whether something is a frame in memory that `open_frame` takes."""
    import narwhals.stable.v2 as narwhals  # here and below, because files need none of it

    return isinstance(given, pa.RecordBatch) or bool(narwhals.dependencies.is_into_dataframe(given))


def open_frame(frame: Any) -> Typed:
    """The columns of a pandas, polars or pyarrow frame; its index is ignored."""
    import narwhals.stable.v2 as narwhals

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
    library = str(eager.implementation.value)
    own_types = [eager.get_column(name).to_native().dtype for name in eager.columns if library in _WITH_TYPES]
    return Typed(WHERE, pa.table(columns), library=library, own_types=own_types)


def in_kind(
    table: pa.Table,
    library: str | None,
    types: Mapping[str, pa.DataType] = MappingProxyType({}),
    own_types: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """A table as a frame of the given library; an Arrow table without one.

    Columns that still have their `types` in Arrow get back the `own_types` of the library.
    """
    if library in (None, "pyarrow"):
        return table
    unchanged = {
        name: own_types[name]
        for name in table.column_names
        if name in own_types and _is_still(table.schema.field(name).type, types[name])
    }
    if library == "pandas":
        return _pandas_frame(table, unchanged)
    import narwhals.stable.v2 as narwhals

    backend: Any = library
    frame = narwhals.from_arrow(table, backend=backend).to_native()
    return _with_enums(frame, unchanged) if library == "polars" else frame


def _is_still(kind: pa.DataType, original: pa.DataType) -> bool:
    return bool(kind == original or (pa.types.is_dictionary(kind) and pa.types.is_dictionary(original)))


def _pandas_frame(table: pa.Table, own_types: Mapping[str, Any]) -> Any:
    import pandas as pd

    columns = {name: _pandas_column(table.column(name), own_types.get(name)) for name in table.column_names}
    return pd.DataFrame(columns)


def _pandas_column(values: pa.ChunkedArray, own_type: Any) -> Any:
    import pandas as pd

    if own_type is None or pa.types.is_dictionary(values.type):
        return values.to_pandas()
    if pa.types.is_nested(values.type):
        return pd.Series(values.to_pylist(), dtype=object)
    if hasattr(own_type, "__from_arrow__"):
        return pd.Series(own_type.__from_arrow__(values))
    if values.null_count and own_type.kind in "biu":  # whole numbers and truth values that may be missing now
        nullable: Any = pd.Series(dtype=own_type).convert_dtypes().dtype
        return pd.Series(nullable.__from_arrow__(values))
    return values.to_pandas().astype(own_type)


def _with_enums(frame: Any, own_types: Mapping[str, Any]) -> Any:
    """Enums of polars list their categories: of these only those that are published."""
    import polars as pl

    shown = {
        name: pl.Enum([label for label in kind.categories if (frame[name] == label).any()])
        for name, kind in own_types.items()
        if isinstance(kind, pl.Enum)
    }
    return frame.cast(shown) if shown else frame


def _arrow_column(frame: Any, name: str) -> pa.ChunkedArray:
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
