"""Typed files: Parquet, Arrow and JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json as arrow_json
from pyarrow import parquet

from shoal.errors import BadInput, Problem
from shoal.table.canonical import canonical, is_supported
from shoal.table.occurrences import Batch, Batches
from shoal.table.options import ReadOptions
from shoal.table.raw import NO_LISTS, HowRead, Raw, TakesLists
from shoal.table.text_file import LINE_LIMIT, open_text
from shoal.threads import mapped

_NOTHING_TO_TELL = HowRead()
_ROWS_AT_ONCE = 2**17


class Typed:
    """Columns that Arrow has read with their types."""

    def __init__(
        self,
        where: str,
        table: pa.Table,
        notices: tuple[str, ...] = (),
        lines_of: Callable[[Sequence[int]], list[int]] | None = None,
        *,
        library: str | None = None,
        own_types: Sequence[Any] = (),
        how_read: HowRead = _NOTHING_TO_TELL,
        mixed: Collection[str] = (),
    ) -> None:
        self._where, self._notices, self._lines_of = where, notices, lines_of
        self._library, self._own_types = library, own_types
        self._how_read, self._mixed = how_read, frozenset(map(canonical, mixed))
        self._names = tuple(canonical(name) for name in table.column_names)
        self._table = table

    @property
    def where(self) -> str:
        """The name of the source."""
        return self._where

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._names

    @property
    def how_read(self) -> HowRead:
        """The encoding of lines, the sheet of a workbook."""
        return self._how_read

    @property
    def types(self) -> dict[str, pa.DataType]:
        """The types of the columns, by the names that stand in the source."""
        return dict(zip(self._table.column_names, self._table.schema.types, strict=True))

    def with_columns(self, columns: Mapping[str, pa.Array]) -> Typed:
        """The same with other columns in the place of some."""
        table = self._table
        for name, column in columns.items():
            table = table.set_column(table.column_names.index(name), name, column)
        return Typed(self._where, table, self._notices, self._lines_of, library=self._library)

    def load(
        self,
        columns: Sequence[str],
        numbers: Collection[str] = (),  # noqa: ARG002 - they are typed already
        missing: Sequence[str] = (),  # noqa: ARG002
        single: Collection[str] = (),  # noqa: ARG002 - they are in memory
        lists: Mapping[str, TakesLists] = NO_LISTS,  # noqa: ARG002
    ) -> Raw:
        """The given columns."""
        table = self._table.rename_columns(list(self._names)).select(list(columns))
        table.validate(full=True)  # a file can say that its bytes are text, and lie
        table = table.cast(pa.schema([each.with_type(without_views(each.type)) for each in table.schema]))
        own_types = dict(zip(self._names, self._own_types, strict=False))
        return Raw(
            self._where,
            table,
            self._lines_of,
            self._notices,
            self._library,
            own_types=own_types,
            mixed=self._mixed,
        )


def without_views(kind: pa.DataType) -> pa.DataType:
    """The same type without views of texts, of which Arrow can do little more than read them."""
    if pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, without_views(kind.value_type), kind.ordered)
    if pa.types.is_list(kind):
        return pa.list_(without_views(kind.value_type))
    return pa.large_list(without_views(kind.value_type)) if pa.types.is_large_list(kind) else kind


class Parquet:
    """A Parquet file, which is read when its columns are asked for."""

    how_read = _NOTHING_TO_TELL

    def __init__(self, path: Path, options: ReadOptions) -> None:  # noqa: ARG002 - nothing to choose
        self._path = path
        with parquet.ParquetFile(path) as file:
            self._schema = file.schema_arrow

    @property
    def where(self) -> str:
        """The path."""
        return str(self._path)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(map(canonical, self._schema.names))

    def load(
        self,
        columns: Sequence[str],
        numbers: Collection[str] = (),  # noqa: ARG002 - they are typed already
        missing: Sequence[str] = (),  # noqa: ARG002
        single: Collection[str] = (),
        lists: Mapping[str, TakesLists] = NO_LISTS,  # noqa: ARG002 - they are not split
    ) -> Raw:
        """The given columns; those of single values batch by batch, so that no more is ever in memory."""
        name_of = dict(zip(self.names, self._schema.names, strict=True))
        kinds = {name: without_views(self._schema.field(name_of[name]).type) for name in columns}
        taken = [name for name in columns if name in single and is_supported(kinds[name])]
        rest = [name for name in columns if name not in taken]
        texts = [name for name in taken if pa.types.is_string(self._schema.field(name_of[name]).type)]

        def encoded(rows: pa.RecordBatch) -> tuple[list[Batch], pa.RecordBatch]:
            rows.validate(full=True)  # a file can say that its bytes are text, and lie
            found = [
                Batch.of_read_as_dictionary(rows.column(name_of[name]))
                if name in texts
                else Batch.of(rows.column(name_of[name]).cast(kinds[name]))
                for name in taken
            ]
            return found, rows.select([name_of[name] for name in rest])

        with parquet.ParquetFile(self._path, read_dictionary=[name_of[name] for name in texts]) as file:
            if file.schema_arrow.names != self._schema.names:
                raise pa.ArrowInvalid("it was changed while it was read")
            length = file.metadata.num_rows
            asked = [name_of[name] for name in columns]
            pieces = list(mapped(encoded, file.iter_batches(_ROWS_AT_ONCE, columns=asked)))
        schema = pa.schema([(name, kinds[name]) for name in rest])
        read = pa.Table.from_batches(
            [others for _, others in pieces], pa.schema([self._schema.field(name_of[name]) for name in rest])
        )
        table = read.rename_columns(rest).cast(schema) if rest else pa.table({})
        batches = {
            name: Batches(kinds[name], tuple(found[number] for found, _ in pieces))
            for number, name in enumerate(taken)
        }
        return Raw(self.where, table, batches=batches, length=length)


def open_parquet(path: Path, options: ReadOptions) -> Parquet:
    """A Parquet file."""
    return Parquet(path, options)


def open_arrow(path: Path, options: ReadOptions) -> Typed:  # noqa: ARG001 - nothing to choose
    """An Arrow file or stream (Feather is an Arrow file)."""
    with pa.OSFile(str(path)) as source:
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        opened = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
        return Typed(str(path), opened.read_all())


def open_json_lines(path: Path, options: ReadOptions) -> Typed:
    """One JSON object per line; texts that look like dates stay texts."""
    file = open_text(path, options.encoding)
    with file.text() as stream:
        if stream.read(1024).lstrip().startswith("["):
            raise BadInput(
                Problem("holds one JSON array", "write one JSON object per line instead", file=str(path))
            )
    table = _read_json(file.utf8)
    if not table.num_columns:
        raise BadInput(Problem("holds no records", "give a file with at least one record", file=str(path)))
    return Typed(str(path), table, file.notices, _lines_of, how_read=HowRead(encoding=file.encoding))


def open_json_lines_as_written(path: Path, options: ReadOptions) -> Typed:
    """The same, but numbers are the texts that stand there: 1.0 is not 1; every record has every column."""
    opened = open_json_lines(path, options)
    names = list(opened.types)
    numbers = [name for name, kind in opened.types.items() if _holds_numbers(kind)]
    cells: dict[str, list[Any]] = {name: [] for name in numbers}
    with open_text(path, options.encoding).text() as stream:
        for line, text in enumerate(stream, start=1):
            if text.strip():
                record = _record(text, str(path), line)
                if len(record) < len(names):
                    lacking = next(name for name in names if name not in record)
                    what = f"the record has no {lacking!r}, and others have"
                    raise BadInput(Problem(what, "write null where nothing is", file=str(path), line=line))
                for name in numbers:
                    cells[name].append(record[name])
    return opened.with_columns(
        {name: pa.array(cells[name], type=_as_texts(opened.types[name])) for name in numbers}
    )


def _record(text: str, file: str, line: int) -> dict[str, Any]:
    try:
        record = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise BadInput(Problem("is not one JSON object", "write one object per line", file=file, line=line))
    return record


def _holds_numbers(kind: pa.DataType) -> bool:
    if pa.types.is_list(kind):
        return _holds_numbers(kind.value_type)
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _as_texts(kind: pa.DataType) -> pa.DataType:
    return pa.list_(_as_texts(kind.value_type)) if pa.types.is_list(kind) else pa.string()


def _read_json(opened: Callable[[], pa.NativeFile]) -> pa.Table:
    read = arrow_json.ReadOptions(block_size=LINE_LIMIT)
    table = arrow_json.read_json(opened(), read)
    texts = pa.schema([field.with_type(_without_timestamps(field.type)) for field in table.schema])
    if texts == table.schema:
        return table
    return arrow_json.read_json(opened(), read, arrow_json.ParseOptions(explicit_schema=texts))


def _without_timestamps(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_without_timestamps(kind.value_type))
    return kind


def _lines_of(rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]
