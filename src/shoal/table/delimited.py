"""CSV and its relatives: one record per line, cells between delimiters, names in the first line."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from shoal.errors import BadInput, Problem
from shoal.table.canonical import canonical
from shoal.table.compressed import content_name
from shoal.table.occurrences import Batch, Batches, ListBatch, ListBatches
from shoal.table.options import ReadOptions
from shoal.table.raw import LISTED, NO_LISTS, HowRead, Raw, TakesLists
from shoal.table.text_file import LINE_LIMIT, open_text
from shoal.threads import mapped, processors

DELIMITERS = (",", ";", "\t", "|")
QUOTE = '"'
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_SAMPLE_CHARACTERS = 2**20
_SAMPLE_RECORDS = 20
_BLOCK = 2**22
_LARGE = 2**27
_FIRST_ROW_NUMBER = 2  # as Arrow counts, with the header as row 1


class Delimited:
    """A delimited text file.

    Blank lines are skipped, unless the file has one column only: there a blank line is an empty cell.
    """

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self._file = open_text(path, options.encoding)
        self._quote = QUOTE if options.quote is None else options.quote
        sample = self._sample()
        usual = "\t" if content_name(path).lower().endswith(".tsv") else ","
        self._delimiter = options.delimiter or self._likeliest_delimiter(sample, usual)
        self._names = self._header(sample)
        self._notices = self._file.notices
        if options.delimiter is None and self._delimiter != usual:
            self._notices += (f"{self.where}: cells are separated by {_NAMES[self._delimiter]}",)

    @property
    def where(self) -> str:
        """The path."""
        return str(self._file.path)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the first line."""
        return self._names

    @property
    def how_read(self) -> HowRead:
        """Its encoding, and how its cells are kept apart."""
        return HowRead(encoding=self._file.encoding, delimiter=self._delimiter, quote=self._quote)

    def load(
        self,
        columns: Sequence[str],
        numbers: Collection[str] = (),
        missing: Sequence[str] = (),
        single: Collection[str] = (),
        lists: Mapping[str, TakesLists] = NO_LISTS,
    ) -> Raw:
        """Read texts, and numbers as far as all cells of all number columns are plain ones.

        Columns of single values and of lists are taken batch by batch from a large file, so that their texts
        are never all in memory; Arrow does that in one thread.
        """
        quoted, line_ends_in_quotes = bool(self._quote) and self._file.holds(self._quote), False
        if quoted:
            left_open, line_ends_in_quotes = self._file.quotes(self._delimiter, self._quote)
            if left_open:
                raise BadInput(self._open_quote())
        parse = arrow_csv.ParseOptions(
            delimiter=self._delimiter,
            quote_char=self._quote if quoted else False,
            newlines_in_values=line_ends_in_quotes,
            ignore_empty_lines=len(self._names) > 1,
        )
        in_batches = (
            _Taking(single, lists) if self._file.path.stat().st_size >= _LARGE else _Taking((), NO_LISTS)
        )
        try:
            read = self._read(parse, self._conversion(columns, numbers, missing), in_batches)
        except _NotPlainNumbers:
            read = self._read(parse, self._conversion(columns, (), ()), in_batches)
        return Raw(
            self.where,
            read.table,
            self._lines_of,
            self._notices,
            typed=False,
            batches=read.batches,
            lists=read.lists,
            length=read.length,
        )

    def _conversion(
        self, columns: Sequence[str], numbers: Collection[str], missing: Sequence[str]
    ) -> arrow_csv.ConvertOptions:
        types = {name: pa.float64() if name in numbers else pa.string() for name in self._names}
        return arrow_csv.ConvertOptions(
            column_types=types,
            include_columns=list(columns),
            null_values=["", *missing],
            strings_can_be_null=False,
        )

    def _read(
        self, parse: arrow_csv.ParseOptions, convert: arrow_csv.ConvertOptions, in_batches: _Taking
    ) -> _Read:
        for block in (_BLOCK, LINE_LIMIT):
            ragged: list[arrow_csv.InvalidRow] = []
            parse.invalid_row_handler = _collecting(ragged)
            try:
                read = (
                    self._read_batches(block, parse, convert, in_batches)
                    if in_batches.single or in_batches.lists
                    else self._read_whole(block, parse, convert)
                )
            except pa.ArrowInvalid as error:
                if "conversion error" in str(error):
                    raise _NotPlainNumbers from error
                if "straddling" not in str(error):
                    raise
                continue
            if ragged:
                raise BadInput(*self._ragged_problems(self._ragged_rows(block, parse, convert)))
            return read
        what = f"a record is longer than {LINE_LIMIT // 2**20} MB"
        raise BadInput(Problem(what, "look for a cell whose quote is closed too late", file=self.where))

    def _read_whole(
        self, block: int, parse: arrow_csv.ParseOptions, convert: arrow_csv.ConvertOptions
    ) -> _Read:
        table = arrow_csv.read_csv(self._file.stream(), self._options(block), parse, convert)
        _refuse_not_finite(table)
        return _Read(table, {}, {}, table.num_rows)

    def _read_batches(
        self,
        block: int,
        parse: arrow_csv.ParseOptions,
        convert: arrow_csv.ConvertOptions,
        in_batches: _Taking,
    ) -> _Read:
        single = [name for name in convert.include_columns if name in in_batches.single]
        lists = [name for name in convert.include_columns if name in in_batches.lists]
        rest = [name for name in convert.include_columns if name not in (*single, *lists)]

        def encoded(rows: pa.RecordBatch) -> _Piece:
            _refuse_not_finite(rows)
            return _Piece(
                [Batch.of(rows.column(name)) for name in single],
                [in_batches.lists[name](rows.column(name)) for name in lists],
                rows.select(rest),
                rows.num_rows,
            )

        with arrow_csv.open_csv(self._file.stream(), self._options(block), parse, convert) as batches:
            kinds = batches.schema
            pieces = list(mapped(encoded, batches))
        of_single = {
            name: Batches(kinds.field(name).type, tuple(piece.single[number] for piece in pieces))
            for number, name in enumerate(single)
        }
        of_lists = {
            name: ListBatches(kinds.field(name).type, tuple(piece.lists[number] for piece in pieces))
            for number, name in enumerate(lists)
        }
        schema = pa.schema([kinds.field(name) for name in rest])
        table = pa.Table.from_batches([piece.rest for piece in pieces], schema)
        return _Read(table, of_single, of_lists, sum(piece.length for piece in pieces))

    def _ragged_rows(
        self, block: int, parse: arrow_csv.ParseOptions, convert: arrow_csv.ConvertOptions
    ) -> list[arrow_csv.InvalidRow]:
        """Lines with a wrong number of cells, read once more without threads: only then are they numbered."""
        ragged: list[arrow_csv.InvalidRow] = []
        parse.invalid_row_handler = _collecting(ragged)
        read = self._options(block)
        read.use_threads = False
        arrow_csv.read_csv(self._file.stream(), read, parse, convert)
        return ragged

    def _options(self, block: int) -> arrow_csv.ReadOptions:
        return arrow_csv.ReadOptions(
            column_names=list(self._names),
            skip_rows_after_names=1,
            block_size=block,
            encoding=self._file.arrow_encoding,
            use_threads=processors() > 1,
        )

    def _ragged_problems(self, ragged: Sequence[arrow_csv.InvalidRow]) -> list[Problem]:
        shown = ragged[:LISTED]
        lines = self._lines_of([row.number - _FIRST_ROW_NUMBER for row in shown])
        problems = [
            Problem(
                f"the line has {row.actual_columns} cells where the header has {row.expected_columns}",
                "put quotes around cells that contain the delimiter",
                file=self.where,
                line=line,
            )
            for row, line in zip(shown, lines, strict=True)
        ]
        if len(ragged) > len(shown):
            problems.append(Problem(f"{len(ragged)} lines have a wrong number of cells", file=self.where))
        return problems

    def _open_quote(self) -> Problem:
        ends = deque([0, 0], maxlen=2)  # where the last two records end, of which the last has no end
        with self._file.text(newline="") as stream:
            reader = self._reader(stream, self._delimiter)
            try:
                ends.extend(reader.line_num for _ in reader)
            except csv.Error:  # the record without end is too large for this reader
                ends.append(reader.line_num)
        return Problem(
            f"a cell of this record begins with the quote {self._quote} and no quote ends it",
            'close the quote, or give quote="" if quotes are ordinary characters here',
            file=self.where,
            line=ends[0] + 1,
        )

    def _lines_of(self, rows: Sequence[int]) -> list[int]:
        """The lines at which the given ascending rows begin, found by reading the file once more."""
        found: list[int] = []
        with self._file.text(newline="") as stream:
            reader = self._reader(stream, self._delimiter)
            records = filter(None, reader) if len(self._names) > 1 else reader
            taken = -1  # the header is no row
            try:
                for row in rows:
                    record = next(islice(records, row - taken, None))
                    taken = row + 1
                    found.append(reader.line_num - sum(cell.count("\n") for cell in record))
            except (csv.Error, StopIteration):  # a cell too large for this reader: assume a line per record
                found.extend(row + 2 for row in rows[len(found) :])
        return found

    def _reader(self, lines: Iterable[str], delimiter: str) -> Any:
        if self._quote:
            return csv.reader(lines, delimiter=delimiter, quotechar=self._quote)
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)

    def _sample(self) -> str:
        with self._file.text(newline="") as stream:
            sample = stream.read(_SAMPLE_CHARACTERS)
        if len(sample) == _SAMPLE_CHARACTERS and "\n" in sample:
            return sample[: sample.rindex("\n") + 1]  # the last line may go on
        if "\n" in sample or "\r" in sample:
            return sample
        if len(sample) < _SAMPLE_CHARACTERS:
            problem = Problem("holds no records", "give a file with at least one record", self.where)
        else:
            what = "the first line is longer than 1 MB and cannot be a header"
            problem = Problem(what, "give a file with column names in its first line", self.where, 1)
        raise BadInput(problem)

    def _likeliest_delimiter(self, sample: str, usual: str) -> str:
        """The delimiter that cuts the first records into the same number of cells, the more the better.

        When none does, the one that cuts the header into the most cells; then the lines are ragged.
        """
        candidates = sorted(DELIMITERS, key=lambda delimiter: delimiter != usual)
        widths = {candidate: self._widths(sample, candidate) for candidate in candidates}
        even = [candidate for candidate in candidates if len(set(widths[candidate])) == 1]
        cutting = [candidate for candidate in even if widths[candidate][0] > 1]
        return max(cutting or candidates, key=lambda candidate: max(widths[candidate][:1], default=0))

    def _widths(self, sample: str, delimiter: str) -> list[int]:
        lines = io.StringIO(sample, newline="")
        widths: list[int] = []
        with suppress(csv.Error):  # a cell too large for this reader; what was seen before will do
            for record in islice(filter(None, self._reader(lines, delimiter)), _SAMPLE_RECORDS):
                widths.append(len(record))  # noqa: PERF401 - the records before the error count
        return widths

    def _header(self, sample: str) -> tuple[str, ...]:
        records = filter(None, self._reader(io.StringIO(sample, newline=""), self._delimiter))
        header = next(records, None)
        if header is None:
            raise BadInput(Problem("holds blank lines only", "give a file with records", file=self.where))
        return tuple(canonical(name) for name in header)


@dataclass(frozen=True, slots=True)
class _Taking:
    """The columns that are taken batch by batch."""

    single: Collection[str]
    lists: Mapping[str, TakesLists]


class _Piece(NamedTuple):
    """Some rows: columns that were taken, all others, and how many rows there are."""

    single: list[Batch]
    lists: list[ListBatch]
    rest: pa.RecordBatch
    length: int


@dataclass(frozen=True, slots=True)
class _Read:
    """Columns as one table, those that were taken batch by batch, and how many rows there are."""

    table: pa.Table
    batches: dict[str, Batches]
    lists: dict[str, ListBatches]
    length: int


class _NotPlainNumbers(pa.ArrowInvalid):  # type: ignore[misc]
    """Some cell of a number column is not what Arrow takes for a number."""


def _refuse_not_finite(rows: pa.RecordBatch | pa.Table) -> None:
    # Arrow reads texts such as NaN as numbers, but one of them may stand for a missing value.
    for column in rows.columns:
        if pa.types.is_floating(column.type) and not pc.all(pc.is_finite(column), min_count=0).as_py():
            raise _NotPlainNumbers


def _collecting(rows: list[arrow_csv.InvalidRow]) -> Callable[[arrow_csv.InvalidRow], str]:
    def note(row: arrow_csv.InvalidRow) -> str:
        rows.append(row)
        return "skip"

    return note
