"""Excel workbooks: read through openpyxl, written with nothing in them but one table."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import BadInput, MissingExtra, OutputFailed, Problem
from shoal.kernels.arrays import Ints
from shoal.table.canonical import as_text, is_text
from shoal.table.columnar import Typed
from shoal.table.options import ReadOptions
from shoal.table.raw import HowRead

ROW_LIMIT = 1_048_576
CELL_LIMIT = 32_767
EPOCH_OF_ZIP = (1980, 1, 1, 0, 0, 0)
_NOT_IN_XML = r"[^\t\n\x{20}-\x{D7FF}\x{E000}-\x{FFFD}\x{10000}-\x{10FFFF}]"
_PADDED_CELLS = 10_000_000  # from here on a sheet must not be nearly empty
_PADDING = 100
_UNPACKED_BYTES = 4 * 2**30
_DAY_ZERO = date(1899, 12, 30)
_FIRST_SURE_DAY = date(1900, 3, 1)  # Excel believes in 29 February 1900
_DAY_STYLE, _TIME_STYLE = 1, 2
_MILLISECONDS_OF_DAY = 86_400_000


def open_excel(path: Path, options: ReadOptions) -> Typed:
    """One sheet of a workbook: names in its first row, values as Excel last computed them."""
    sheet = _sheet(path, options.sheet)
    while sheet.records and all(cell is None for cell in sheet.records[-1]):  # left by formats and deletions
        sheet.records.pop()
    return _typed(path, sheet, [_column(cells) for cells in sheet.columns()])


def open_excel_as_written(path: Path, options: ReadOptions) -> Typed:
    """The same with all its rows, and a column of several types tells them apart: 20 is not the text 20."""
    sheet = _sheet(path, options.sheet)
    if sheet.ends_without_cells:
        what = "ends in a row without a cell, which some readers see and others do not"
        raise BadInput(Problem(what, "publish it again", file=str(path)))
    return _typed(path, sheet, [_column_as_written(cells) for cells in sheet.columns()])


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The names of the columns, the records below them, and what is to be said about the choice."""

    title: str
    names: list[str]
    records: list[tuple[Any, ...]]
    notices: tuple[str, ...]
    ends_without_cells: bool

    def columns(self) -> list[tuple[Any, ...]]:
        return list(zip(*self.records, strict=True)) or [()] * len(self.names)


def _typed(path: Path, sheet: _Sheet, columns: list[pa.Array]) -> Typed:
    kept = [
        index
        for index, name in enumerate(sheet.names)
        if name or columns[index].null_count < len(columns[index])
    ]
    table = pa.Table.from_arrays([columns[index] for index in kept], [sheet.names[index] for index in kept])
    cells = sheet.columns()
    mixed = [sheet.names[index] for index in kept if _is_mixed(columns[index], cells[index])]
    how_read = HowRead(sheet=sheet.title)
    return Typed(str(path), table, sheet.notices, _lines_of, how_read=how_read, mixed=mixed)


def _is_mixed(column: pa.Array, cells: Sequence[Any]) -> bool:
    """Whether cells of other types became texts."""
    return is_text(column.type) and any(cell is not None and not isinstance(cell, str) for cell in cells)


def _sheet(path: Path, wanted: str | None) -> _Sheet:
    openpyxl = _openpyxl()
    try:
        _refuse_bomb(path)
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except BadInput:
        raise
    except Exception as error:
        what = "is no Excel workbook, or a damaged one"
        raise BadInput(Problem(what, "save it again as .xlsx", file=str(path))) from error
    try:
        sheet = _chosen(workbook, path, wanted)
        sheet.reset_dimensions()  # a sheet that claims to be huge is not padded to that size
        rows = _rows(sheet, path)
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(Problem("is a damaged workbook", "save it again as .xlsx", file=str(path))) from error
    finally:
        workbook.close()
    if not any(rows):
        raise BadInput(
            Problem(f"sheet {sheet.title!r} is empty", "give a sheet with records", file=str(path))
        )
    notices: tuple[str, ...] = ()
    if wanted is None and len(workbook.sheetnames) > 1:
        notices = (f"{path}: read the first sheet, {sheet.title!r}, of {len(workbook.sheetnames)}",)
    header, *records = _padded(rows, path)
    names = ["" if name is None else str(name) for name in header]
    return _Sheet(sheet.title, names, records, notices, ends_without_cells=not rows[-1])


def _refuse_bomb(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        if sum(part.file_size for part in archive.infolist()) > _UNPACKED_BYTES:
            what = f"unpacks to more than {_UNPACKED_BYTES // 2**30} GB"
            raise BadInput(Problem(what, "save the table as .csv or .parquet", file=str(path)))


def _rows(sheet: Any, path: Path) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for row in sheet.iter_rows(values_only=True):
        if len(rows) == ROW_LIMIT:
            what = f"has more rows than the {ROW_LIMIT:,} of a sheet"
            raise BadInput(Problem(what, "save it again as .xlsx", file=str(path)))
        rows.append(row)
    return rows


def _padded(rows: list[tuple[Any, ...]], path: Path) -> list[tuple[Any, ...]]:
    width = max(map(len, rows), default=0)
    cells = len(rows) * width
    if cells > max(_PADDED_CELLS, _PADDING * sum(1 for row in rows for cell in row if cell is not None)):
        what = (
            f"has cells far apart from each other: {len(rows):,} rows and {width:,} columns are nearly empty"
        )
        raise BadInput(Problem(what, "delete what stands beside or below the table", file=str(path)))
    return [(*row, *[None] * (width - len(row))) for row in rows]


def _chosen(workbook: Any, path: Path, wanted: str | None) -> Any:
    names = workbook.sheetnames
    if wanted is not None and wanted not in names:
        listed = ", ".join(map(repr, names))
        raise BadInput(Problem(f"has no sheet {wanted!r}", f"it has {listed}", file=str(path)))
    return workbook[wanted if wanted is not None else names[0]]


def _column(cells: Sequence[Any]) -> pa.Array:
    """Cells of one type as Arrow has it, moments that are all midnights as days; several types as texts."""
    moments = [cell for cell in cells if isinstance(cell, datetime)]
    are_days = all(map(_is_midnight, moments)) or len(moments) < sum(cell is not None for cell in cells)
    shown = [cell.date() if are_days and _is_midnight(cell) else cell for cell in cells]
    try:
        return pa.array(shown)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if cell is None else _text(cell) for cell in shown], type=pa.string())


def _column_as_written(cells: Sequence[Any]) -> pa.Array:
    present = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, str) for cell in present):
        return pa.array(cells, type=pa.string())
    if any(isinstance(cell, str) for cell in present):
        others = {_as_stored(cell) for cell in present if not isinstance(cell, str)}
        return pa.array(
            [None if cell is None else _told_apart(cell, others) for cell in cells], type=pa.string()
        )
    if all(isinstance(cell, datetime) for cell in present):
        return _column(cells)
    return pa.array([None if cell is None else _as_stored(cell) for cell in cells], type=pa.string())


def _told_apart(cell: Any, others: Collection[str]) -> str:
    """A cell as it is written; a text in quotes where a cell of another type is written alike."""
    if not isinstance(cell, str):
        return _as_stored(cell)
    return json.dumps(cell, ensure_ascii=False) if cell in others or cell.startswith('"') else cell


def _as_stored(cell: Any) -> str:
    if _is_midnight(cell):
        return str(cell.date())
    return repr(cell) if isinstance(cell, float) else _text(cell)


def _is_midnight(cell: Any) -> bool:
    return isinstance(cell, datetime) and cell.time() == datetime.min.time()


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return cell.isoformat(" ") if isinstance(cell, datetime) else str(cell)


def _lines_of(rows: Iterable[int]) -> list[int]:
    return [row + 2 for row in rows]


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtra("Reading Excel files", "excel") from error
    return openpyxl


_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPES}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPES}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}">'
    '<sheets><sheet name="data" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><fonts count="1">'
    '<font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="1"><fill><patternFill/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/>'
    '<xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}


@dataclass(frozen=True, slots=True, eq=False)
class CellValues:
    """A column of numbers, days and texts side by side: values[codes[r]] is the cell of row r."""

    values: tuple[int | float | date | str | None, ...]
    codes: Ints

    def __len__(self) -> int:
        return len(self.codes)


def write_excel(path: Path, names: Sequence[str], columns: Sequence[pa.Array | CellValues]) -> None:
    """Write columns as the only sheet of a workbook that holds nothing else: no author, no time, no style."""
    if columns and len(columns[0]) >= ROW_LIMIT:
        raise OutputFailed(f"{path}: an Excel sheet holds {ROW_LIMIT - 1:,} records; write csv or parquet")
    header = pa.array(names, type=pa.string())
    cells = [_cells_of(column, path) for column in columns]
    _refuse_unfit(header, path)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in _PARTS.items():
            archive.writestr(_part(name), _XML + content)
        with archive.open(_part("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            _write_sheet(sheet, header.to_pylist(), cells)


def _write_sheet(sheet: IO[bytes], names: list[str], columns: list[list[str]]) -> None:
    letters = [_letters(index) for index in range(len(names))]
    sheet.write(f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
    sheet.write(_row(1, letters, [_text_cell(name) for name in names]))
    for number, record in enumerate(zip(*columns, strict=True), start=2):
        sheet.write(_row(number, letters, record))
    sheet.write(b"</sheetData></worksheet>")


def _row(number: int, letters: Sequence[str], cells: Sequence[str]) -> bytes:
    filled = "".join(
        f'<c r="{letter}{number}"{cell}' for letter, cell in zip(letters, cells, strict=True) if cell
    )
    some_cell = (
        filled or f'<c r="{letters[0]}{number}"/>'
    )  # without any, readers drop the row where it is the last
    return f'<row r="{number}">{some_cell}</row>'.encode()


def _cells_of(column: pa.Array | CellValues, path: Path) -> list[str]:
    """The rest of each cell after its place; empty for a missing value."""
    if isinstance(column, CellValues):
        texts = pa.array([value for value in column.values if isinstance(value, str)], type=pa.string())
        _refuse_unfit(texts, path)
        cells = [_cell_of(value) for value in column.values]
        return [cells[code] for code in column.codes.tolist()]
    kind = column.type
    if pa.types.is_boolean(kind):
        return [
            f' t="b"><v>{int(value)}</v></c>' if value is not None else "" for value in column.to_pylist()
        ]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return [_number_cell(value) for value in column.to_pylist()]
    if _are_days_of_excel(column):
        return list(_day_cells(column))
    texts = as_text(column)
    _refuse_unfit(texts, path)
    return ["" if text is None else _text_cell(text) for text in texts.to_pylist()]


def _cell_of(value: int | float | date | str | None) -> str:
    if isinstance(value, str):
        return _text_cell(value)
    if isinstance(value, date):
        early = value < _FIRST_SURE_DAY
        return (
            _text_cell(value.isoformat()) if early else f' s="{_DAY_STYLE}"><v>{_day_number(value)}</v></c>'
        )
    return _number_cell(value)


def _day_number(day: date) -> int:
    return (day - _DAY_ZERO).days


def _number_cell(value: Any) -> str:
    if value is None or not math.isfinite(value):
        return ""
    return f"><v>{value!r}</v></c>" if isinstance(value, float) else f"><v>{value}</v></c>"


def _text_cell(text: str) -> str:
    return f' t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _are_days_of_excel(column: pa.Array) -> bool:
    """Whether Excel counts these days and times exactly: it knows no zones, nothing early, nothing fine."""
    kind = column.type
    if not (pa.types.is_date(kind) or (pa.types.is_timestamp(kind) and kind.tz is None)):
        return False
    earliest = pc.min(
        column.cast(pa.timestamp("ns"), safe=False) if pa.types.is_date(kind) else column
    ).as_py()
    if earliest is not None and earliest.date() < _FIRST_SURE_DAY:
        return False
    milliseconds = column.cast(pa.timestamp("ms"), safe=False)
    return bool(pc.all(pc.equal(milliseconds.cast(kind, safe=False), column), min_count=0).as_py())


def _day_cells(column: pa.Array) -> Iterator[str]:
    start = (_DAY_ZERO - date(1970, 1, 1)).days
    for moment in column.cast(pa.timestamp("ms")).cast(pa.int64()).to_pylist():
        if moment is None:
            yield ""
            continue
        day, rest = divmod(moment, _MILLISECONDS_OF_DAY)
        number = day - start + rest / _MILLISECONDS_OF_DAY if rest else day - start
        yield f' s="{_TIME_STYLE if rest else _DAY_STYLE}"><v>{number!r}</v></c>'


def _letters(index: int) -> str:
    letters = ""
    while index >= 0:
        letters = chr(ord("A") + index % 26) + letters
        index = index // 26 - 1
    return letters


def _part(name: str) -> zipfile.ZipInfo:
    part = zipfile.ZipInfo(name, EPOCH_OF_ZIP)
    part.compress_type = zipfile.ZIP_DEFLATED
    return part


def _refuse_unfit(texts: pa.StringArray, path: Path) -> None:
    unfit = texts.filter(pc.match_substring_regex(texts, _NOT_IN_XML))
    if len(unfit):
        raise OutputFailed(f"{path}: Excel cannot hold the text {unfit[0].as_py()!r}; write csv or parquet")
    if (pc.max(pc.utf8_length(texts)).as_py() or 0) > CELL_LIMIT:
        raise OutputFailed(f"{path}: an Excel cell holds {CELL_LIMIT:,} characters; write csv or parquet")
