"""Excel workbooks, through openpyxl."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import BadInput, MissingExtra, OutputFailed, Problem
from shoal.table.columnar import Typed
from shoal.table.options import ReadOptions

ROW_LIMIT = 1_048_576
CELL_LIMIT = 32_767
_NOT_IN_XML = r"[^\t\n\x{20}-\x{D7FF}\x{E000}-\x{FFFD}\x{10000}-\x{10FFFF}]"


def open_excel(path: Path, options: ReadOptions) -> Typed:
    """One sheet of a workbook: names in its first row, values as Excel last computed them."""
    openpyxl = _openpyxl()
    try:
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, KeyError, ValueError, ParseError, OSError, EOFError) as error:
        raise BadInput(
            Problem("is no Excel workbook, or a damaged one", "save it again as .xlsx", file=str(path))
        ) from error
    try:
        sheet = _sheet(workbook, path, options.sheet)
        rows = _without_empty_end(list(sheet.iter_rows(values_only=True)))
    except (zipfile.BadZipFile, ParseError, EOFError) as error:
        raise BadInput(Problem("is a damaged workbook", "save it again as .xlsx", file=str(path))) from error
    finally:
        workbook.close()
    if not rows:
        raise BadInput(
            Problem(f"sheet {sheet.title!r} is empty", "give a sheet with records", file=str(path))
        )
    notices: tuple[str, ...] = ()
    if options.sheet is None and len(workbook.sheetnames) > 1:
        notices = (f"{path}: read the first sheet, {sheet.title!r}, of {len(workbook.sheetnames)}",)
    header, *records = rows
    names = ["" if name is None else str(name) for name in header]
    cells = list(zip(*records, strict=True)) or [()] * len(names)
    kept = [
        place for place, name in enumerate(names) if name or any(cell is not None for cell in cells[place])
    ]
    table = pa.Table.from_arrays([_column(cells[place]) for place in kept], [names[place] for place in kept])
    return Typed(str(path), table, notices, _lines_of)


def write_excel(path: Path, names: Sequence[str], columns: Sequence[pa.Array]) -> None:
    """Write columns of texts and numbers as the only sheet of a workbook."""
    openpyxl = _openpyxl()
    if columns and len(columns[0]) >= ROW_LIMIT:
        raise OutputFailed(f"{path}: an Excel sheet holds {ROW_LIMIT - 1:,} records; write csv or parquet")
    for texts in (pa.array(names, type=pa.string()), *columns):
        if pa.types.is_string(texts.type):
            _refuse_unfit(texts, path)
    workbook = openpyxl.Workbook(write_only=True)
    sheet = workbook.create_sheet("data")

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        text = openpyxl.cell.WriteOnlyCell(sheet, value=value)
        text.data_type = "s"  # a text such as =1+1 is no formula
        return text

    sheet.append([cell(name) for name in names])
    for record in zip(*(column.to_pylist() for column in columns), strict=True):
        sheet.append([cell(value) for value in record])
    workbook.save(path)


def _refuse_unfit(texts: pa.StringArray, path: Path) -> None:
    unfit = texts.filter(pc.match_substring_regex(texts, _NOT_IN_XML))
    if len(unfit):
        raise OutputFailed(f"{path}: Excel cannot hold the text {unfit[0].as_py()!r}; write csv or parquet")
    if (pc.max(pc.utf8_length(texts)).as_py() or 0) > CELL_LIMIT:
        raise OutputFailed(f"{path}: an Excel cell holds {CELL_LIMIT:,} characters; write csv or parquet")


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtra("Reading and writing Excel files", "excel") from error
    return openpyxl


def _sheet(workbook: Any, path: Path, wanted: str | None) -> Any:
    names = workbook.sheetnames
    if wanted is not None and wanted not in names:
        listed = ", ".join(map(repr, names))
        raise BadInput(Problem(f"has no sheet {wanted!r}", f"it has {listed}", file=str(path)))
    return workbook[wanted if wanted is not None else names[0]]


def _without_empty_end(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    width = max(map(len, rows), default=0)
    return [(*row, *[None] * (width - len(row))) for row in rows]


def _column(cells: Sequence[Any]) -> pa.Array:
    """Cells of one type as Arrow has it; cells of several types as texts."""
    days = [cell.date() if _is_midnight(cell) else cell for cell in cells]
    try:
        return pa.array(days)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if cell is None else _text(cell) for cell in days], type=pa.string())


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
