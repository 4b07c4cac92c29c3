"""A released table as a file, by the ending of its name.

Text formats hold a set as its labels in text order, joined by the column's separator, and a missing value as
an empty cell; typed formats hold lists and nulls, numbers as numbers and dates as dates. Whatever is written
reads back as the same table. The file is on the disk when the call returns; writing beside the final name
and renaming is the caller's part.
"""

from __future__ import annotations

import codecs
import gzip
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from shoal.errors import OutputFailed, Problem
from shoal.kernels.arrays import frozen_floats
from shoal.table.arrow_form import (
    coded_column,
    in_text_order,
    set_column,
    text_column,
    typed_column,
    typed_values,
)
from shoal.table.canonical import UnsupportedType, as_text, holds_lists, is_text
from shoal.table.columns import Carried, Coded, Column, Domain, Kind, Sets, Table
from shoal.table.delimited import DELIMITERS, QUOTE
from shoal.table.dialect import PLAIN, Dialect, with_decimal
from shoal.table.excel import CellValues, write_excel

_BATCH_ROWS = 2**17
_Rows = Callable[[int, int], pa.StringArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileForm:
    """How a file is written beyond its ending.

    `kinds` tells of columns of labels what their values are: in files with types they are of that type where
    no label is coarser. `dialect` is that of delimited text. `metadata` go into files with types.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    dialect: Dialect = PLAIN
    metadata: Mapping[str, str] = field(default_factory=dict)


PLAIN_FORM = FileForm()


def write_table(table: Table, path: Path, form: FileForm = PLAIN_FORM) -> None:
    """Write all columns of a table; raises OutputFailed when the format cannot hold them."""
    ending = path.suffix.lower()
    compressed = ending == ".gz"
    if compressed:
        ending = path.with_suffix("").suffix.lower()
    if ending not in _WRITERS or (compressed and ending not in _TEXT_WRITERS):
        known = f"it takes {' '.join(_WRITERS)}, and .gz after {' '.join(_TEXT_WRITERS)}"
        raise OutputFailed(f"{path}: cannot tell the format from its ending; {known}")
    if problems := form_problems(table, path.name):
        raise OutputFailed("\n".join(f"{path}: {problem}" for problem in problems))
    try:
        with _whole_or_nothing(path):
            _WRITERS[ending](in_text_order(table), path, form)
            sync(path)
    except UnicodeEncodeError as error:
        lacking = error.object[error.start : error.end]
        what = f"{path}: the encoding {form.dialect.encoding} has no {lacking!r}; write utf-8"
        raise OutputFailed(what) from error
    except (OSError, pa.ArrowException) as error:
        raise OutputFailed(f"{path}: cannot be written: {error}") from error


def form_problems(table: Table, name: str) -> list[Problem]:
    """Untouched columns that a file of this name cannot hold: better said before a search than after it."""
    ending = Path(name.removesuffix(".gz")).suffix.lower()
    as_they_are = ending not in _TEXT_WRITERS and ending != ".xlsx"
    return [
        _form_problem(column, name, ending)
        for name, column in table.columns.items()
        if isinstance(column, Carried) and not as_they_are and not _can_be_text(column, ending)
    ]


def _form_problem(column: Carried, name: str, ending: str) -> Problem:
    if holds_lists(column.values.type):
        remedy = 'give it a separator such as "|" that no item holds, write .parquet or .jsonl, or drop it'
        return Problem(f"holds lists, which {ending} files hold only as texts", remedy, column=name)
    what = f"holds values of the type {column.values.type}, which {ending} files cannot hold"
    return Problem(what, "write .parquet, or drop the column", column=name)


def _can_be_text(column: Carried, ending: str) -> bool:
    nothing = replace(column, values=pa.chunked_array([], type=column.values.type))
    try:
        if ending in (".jsonl", ".ndjson", ".json"):
            _json_texts(typed_column(nothing, 0, 0))
        else:
            text_column(nothing, 0, 0)
    except (UnsupportedType, pa.ArrowException):
        return False
    return True


def _write_csv(table: Table, path: Path, form: FileForm) -> None:
    _write_delimited(table, path, form, form.dialect.delimiter or ",")


def _write_tsv(table: Table, path: Path, form: FileForm) -> None:
    _write_delimited(table, path, form, form.dialect.delimiter or "\t")


def _write_delimited(table: Table, path: Path, form: FileForm, delimiter: str) -> None:
    names = pa.array(list(table.columns), type=pa.string())
    # No quoted name can mislead a reader that looks for the delimiter.
    header = delimiter.join(_quoted(names, "".join(DELIMITERS), path).to_pylist())
    lone = len(table.columns) == 1

    def cells(name: str, column: Column) -> _Rows:
        decimal = form.dialect.decimal if _holds_numbers(name, column, form) else None
        if isinstance(column, Coded):
            labels = _quoted(with_decimal(column.domain.labels, decimal), delimiter, path)
            return lambda start, stop: coded_column(column, labels, start, stop)
        return lambda start, stop: _quoted(
            with_decimal(text_column(column, start, stop), decimal), delimiter, path
        )

    readers = [cells(name, column) for name, column in table.columns.items()]

    def lines(start: int, stop: int) -> pa.StringArray:
        columns = [read(start, stop).fill_null("") for read in readers]
        if lone:  # an empty line is easily taken for no record
            columns = [pc.if_else(pc.equal(columns[0], ""), QUOTE + QUOTE, columns[0])]
        return pc.binary_join_element_wise(*columns, delimiter)

    _write_lines(table, path, lines, header, form.dialect)


def _holds_numbers(name: str, column: Column, form: FileForm) -> bool:
    if isinstance(column, Carried):
        kind = column.values.type
        return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))
    return isinstance(column, Coded) and Kind.NUMBER in (column.domain.kind, form.kinds.get(name))


def _write_json_lines(table: Table, path: Path, _: FileForm) -> None:
    readers = [_json_cells(column) for column in table.columns.values()]
    keys = [json.dumps(name, ensure_ascii=False) + ": " for name in table.columns]

    def lines(start: int, stop: int) -> pa.StringArray:
        members = [
            pc.binary_join_element_wise(key, read(start, stop).fill_null("null"), "")
            for key, read in zip(keys, readers, strict=True)
        ]
        return pc.binary_join_element_wise("{", pc.binary_join_element_wise(*members, ", "), "}", "")

    _write_lines(table, path, lines)


def _write_set_lines(table: Table, path: Path, _: FileForm) -> None:
    columns = list(table.columns.values())
    if len(columns) != 1 or not isinstance(columns[0], Sets):
        raise OutputFailed(f"{path}: a file of lines holds one column of sets; write csv or parquet")
    sets = columns[0]
    broken = sets.domain.labels.filter(pc.match_substring_regex(sets.domain.labels, "[\r\n\\x00]"))
    if len(broken):
        raise OutputFailed(
            f"{path}: the item {broken[0].as_py()!r} does not fit on a line; write csv or parquet"
        )
    _write_lines(table, path, lambda start, stop: text_column(sets, start, stop))


def _write_parquet(table: Table, path: Path, form: FileForm) -> None:
    table = with_kinds(table, form.kinds)
    with parquet.ParquetWriter(path, _schema(table, form)) as writer:
        for batch in typed_batches(table):
            writer.write_batch(batch)


def _write_arrow(table: Table, path: Path, form: FileForm) -> None:
    table = with_kinds(table, form.kinds)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, _schema(table, form)) as writer:
        for batch in typed_batches(table):
            writer.write_batch(batch)


def _write_excel(table: Table, path: Path, form: FileForm) -> None:
    columns = [_excel_column(column, form.kinds.get(name)) for name, column in table.columns.items()]
    write_excel(path, list(table.columns), columns)


_TEXT_WRITERS: Mapping[str, Callable[[Table, Path, FileForm], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".jsonl": _write_json_lines,
    ".ndjson": _write_json_lines,
    ".json": _write_json_lines,
    ".txt": _write_set_lines,
    ".dat": _write_set_lines,
}
_WRITERS: Mapping[str, Callable[[Table, Path, FileForm], None]] = {
    **_TEXT_WRITERS,
    ".parquet": _write_parquet,
    ".arrow": _write_arrow,
    ".feather": _write_arrow,
    ".ipc": _write_arrow,
    ".xlsx": _write_excel,
}


def _write_lines(
    table: Table, path: Path, lines: _Rows, header: str | None = None, dialect: Dialect = PLAIN
) -> None:
    encoding = dialect.of_file
    with path.open("wb") as file, maybe_compressed(file, path) as stream:
        if dialect.bom:
            stream.write(codecs.BOM_UTF8)
        if header is not None:
            stream.write(f"{header}\n".encode(encoding))
        for start, stop in _batches(table):
            stream.write("\n".join((*lines(start, stop).to_pylist(), "")).encode(encoding))


class SupportsWrite(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes, /) -> int:
        """Write all of them."""


def maybe_compressed(file: BinaryIO, path: Path) -> AbstractContextManager[SupportsWrite]:
    """The stream into which a file with this name is written.

    No name and no time stand in the header of a compressed file: it would tell when it was made.
    """
    if path.suffix.lower() == ".gz":
        return gzip.GzipFile("", "wb", fileobj=file, mtime=0)
    return nullcontext(file)


def _batches(table: Table) -> Iterator[tuple[int, int]]:
    for start in range(0, table.row_count, _BATCH_ROWS):
        yield start, min(start + _BATCH_ROWS, table.row_count)


def _schema(table: Table, form: FileForm) -> pa.Schema:
    return schema_of(table).with_metadata(dict(form.metadata) or None)


def schema_of(table: Table) -> pa.Schema:
    """The columns of a table as files with types hold them."""
    return pa.schema([(name, _typed(column, 0, 0).type) for name, column in table.columns.items()])


def typed_batches(table: Table) -> Iterator[pa.RecordBatch]:
    """All rows of a table as files with types hold them."""
    names = list(table.columns)
    for start, stop in _batches(table):
        columns = [_typed(column, start, stop) for column in table.columns.values()]
        yield pa.RecordBatch.from_arrays(columns, names)


def _typed(column: Column, start: int, stop: int) -> pa.Array:
    values = typed_column(column, start, stop)
    # Batches of one file share their categories, so that they would list those of the whole column.
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _quoted(cells: pa.StringArray, delimiters: str, path: Path) -> pa.StringArray:
    if pc.any(pc.match_substring(cells, "\0")).as_py():
        raise OutputFailed(f"{path}: a text holds a NUL character; write parquet")
    needed = pc.match_substring_regex(cells, f"[{QUOTE}\r\n{delimiters}]")
    if not pc.any(needed).as_py():
        return cells
    doubled = pc.replace_substring(cells, QUOTE, QUOTE + QUOTE)
    return pc.if_else(needed, pc.binary_join_element_wise(QUOTE, doubled, QUOTE, ""), cells)


def _json_cells(column: Column) -> _Rows:
    if isinstance(column, Carried):
        return lambda start, stop: _json_texts(typed_column(column, start, stop))
    if isinstance(column, Coded):
        texts = _json_texts(typed_values(column))
        return lambda start, stop: coded_column(column, texts, start, stop)
    labels = _json_texts(column.domain.labels)
    return lambda start, stop: _json_lists(set_column(column, labels, start, stop))


def _json_texts(values: pa.Array) -> pa.StringArray:
    kind = values.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        items = _json_texts(values.values).fill_null("null")
        return _json_lists(
            pa.ListArray.from_arrays(values.offsets.cast(pa.int32()), items, mask=values.is_null())
        )
    texts = as_text(values)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return texts
    if pa.types.is_floating(kind):
        return pc.if_else(pc.is_finite(values), texts, None)
    distinct = texts.dictionary_encode()
    written = [json.dumps(text, ensure_ascii=False) for text in distinct.dictionary.to_pylist()]
    return pa.array(written, type=pa.string()).take(distinct.indices)


def _json_lists(lists: pa.ListArray) -> pa.StringArray:
    return pc.binary_join_element_wise("[", pc.binary_join(lists, ", "), "]", "")


def with_kinds(table: Table, kinds: Mapping[str, Kind]) -> Table:
    """The table with labels as numbers or dates in the columns in which all of them are."""
    typed = {
        name: _with_kind(column, kinds[name])
        for name, column in table.columns.items()
        if isinstance(column, Coded) and name in kinds
    }
    return table.replacing(typed)


def _with_kind(column: Coded, kind: Kind) -> Coded:
    labels = column.domain.labels
    numbers = [label_value(text, kind) for text in labels.to_pylist()]
    if kind is Kind.DATE and all(isinstance(number, date) for number in numbers):
        return replace(column, domain=Domain(Kind.DATE, labels))
    if kind is Kind.NUMBER and numbers and all(isinstance(number, int | float) for number in numbers):
        typed = replace(column, domain=Domain(Kind.NUMBER, labels, frozen_floats(numbers)))
        return typed if as_text(typed_values(typed)).equals(labels) else column
    return column


def _excel_column(column: Column, kind: Kind | None) -> pa.Array | CellValues:
    """Numbers and dates as such, each cell for itself where others are labels."""
    if isinstance(column, Coded):
        of_values = column.domain.kind if kind is None else kind
        values = [label_value(text, of_values) for text in column.domain.texts()]
        return CellValues((*values, None), column.codes)
    if isinstance(column, Carried) and is_text(column.values.type):
        return _numbers_or_dates(_typed(column, 0, len(column)))
    if isinstance(column, Carried) and not pa.types.is_nested(column.values.type):
        return _typed(column, 0, len(column))
    return text_column(column, 0, len(column))


_MOST_DIGITS = 15  # that a spreadsheet keeps of a number
_PLAIN_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def label_value(text: str, kind: Kind) -> int | float | date | str:
    """A label as the value that it writes, or itself."""
    if kind is Kind.NUMBER and _PLAIN_NUMBER.fullmatch(text) and sum(map(str.isdigit, text)) <= _MOST_DIGITS:
        return float(text) if "." in text else int(text)
    if kind is Kind.DATE and _DAY.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            return text
    return text


def _numbers_or_dates(texts: pa.Array) -> pa.Array | CellValues:
    """Texts that are all plain numbers, or all days, as such; codes with leading zeros stay texts."""
    encoded = texts.dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    for kind in (Kind.NUMBER, Kind.DATE):
        values = [label_value(text, kind) for text in distinct]
        if values and not any(isinstance(value, str) for value in values):
            codes = encoded.indices.fill_null(len(values)).to_numpy().astype(np.int64)
            return CellValues((*values, None), codes)
    return texts


@contextmanager
def _whole_or_nothing(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def sync(path: Path) -> None:
    """Return when a file is on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
