"""Plain readers of every format that is published, with nothing of Shoal.

Cells keep what a reader of the file can tell apart: a number is no text, a null is no empty text, and `1.0`
in JSON is not `1`. Whatever a file carries beside its table is listed.
"""

from __future__ import annotations

import csv
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl.worksheet.worksheet import Worksheet

# What programs add on their own when they save a file: a verifier need not refuse it, but must list it.
LISTED = "added by programs: "
CODEBOOK = b"shoal.codebook"


class Unreadable(Exception):
    """The bytes are no file of their format."""


@dataclass(frozen=True)
class Literal:
    """A number as JSON writes it."""

    text: str


@dataclass(frozen=True)
class Published:
    """What a published file shows: its table, and everything else."""

    names: list[str]
    rows: list[dict[str, Any]]
    beside: list[str] = field(default_factory=list)

    def column(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows]


def read_published(path: Path, *, sets: str | None = None) -> Published:
    """Read a published table; `sets` names the column of a file of lines."""
    content, beside, name = path.read_bytes(), list[str](), path.name
    try:
        if name.endswith(".gz"):
            beside += gzip_header(content)
            content, name = unpacked(content), name.removesuffix(".gz")
        found = READERS[Path(name).suffix](content, sets)
    except Unreadable:
        raise
    except (
        ValueError,
        OSError,
        EOFError,
        KeyError,
        pa.ArrowException,
        zipfile.BadZipFile,
        csv.Error,
    ) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error
    except Exception as error:  # openpyxl and zlib let anything out for damaged bytes
        raise Unreadable(f"{type(error).__name__}: {error}") from error
    return Published(found.names, found.rows, beside + found.beside)


def read_clusters(path: Path) -> tuple[list[Any], list[str]]:
    """Disassociated data as nested clusters, and what is beside them."""
    content, beside = path.read_bytes(), list[str]()
    try:
        if path.name.endswith(".gz"):
            beside += gzip_header(content)
            content = unpacked(content)
        if path.suffix == ".parquet":
            flat = _parquet(content, None)
            return _nested(flat), flat.beside
        lines = content.decode("utf-8").split("\n")
        return [json.loads(line) for line in lines if line.strip()], beside
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error


def unpacked(content: bytes) -> bytes:
    """What a compressed file holds, which must be one stream and nothing else."""
    stream = zlib.decompressobj(31)
    plain = stream.decompress(content)
    if not stream.eof or stream.unused_data:
        raise Unreadable("no gzip file that ends where its stream does")
    return plain


def gzip_header(content: bytes) -> list[str]:
    """What the header of a compressed file tells: a name, a time, a comment."""
    if len(content) < 10:
        raise Unreadable("no gzip header")
    flags, made = content[3], struct.unpack("<I", content[4:8])[0]
    told = [f"{LISTED}gzip time {made}"] if made else []
    told += [f"{LISTED}gzip file name"] if flags & 8 else []
    kinds = {2: "header checksum", 4: "extra field", 16: "comment"}
    return told + [f"gzip {kind}" for bit, kind in kinds.items() if flags & bit]


def _delimited(delimiter: str) -> Callable[[bytes, str | None], Published]:
    def read(content: bytes, _: str | None) -> Published:
        text = content.decode("utf-8")
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        if not records:
            raise Unreadable("no header")
        names = records[0]
        cells = [record or [""] for record in records[1:] if record or len(names) == 1]
        if any(len(record) != len(names) for record in cells) or len(set(names)) < len(names):
            raise Unreadable("lines of different lengths, or equal names")
        return Published(names, [dict(zip(names, record, strict=True)) for record in cells])

    return read


def _lines(content: bytes, sets: str | None) -> Published:
    text = content.decode("utf-8")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    name = sets or "items"
    return Published([name], [{name: line} for line in lines])


def _json_lines(content: bytes, _: str | None) -> Published:
    rows = [
        json.loads(line, parse_int=Literal, parse_float=Literal, object_pairs_hook=_once_each)
        for line in content.decode("utf-8").split("\n")
        if line.strip()
    ]
    if not all(isinstance(row, dict) for row in rows):
        raise Unreadable("a line is no object")
    names = list(rows[0]) if rows else []
    if any(set(row) != set(names) for row in rows):
        raise Unreadable("records with different names")
    return Published(names, rows)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Unreadable("a name stands twice in a record")
    return dict(pairs)


def _parquet(content: bytes, _: str | None) -> Published:
    file = pq.ParquetFile(pa.BufferReader(content))
    metadata = file.metadata.metadata or {}
    beside = [f"parquet metadata {key!r}" for key in metadata if key not in (b"ARROW:schema", CODEBOOK)]
    return _of_arrow(file.read(), beside)


def _arrow(content: bytes, _: str | None) -> Published:
    source = pa.BufferReader(content)
    opened = pa.ipc.open_file(source) if content.startswith(b"ARROW1") else pa.ipc.open_stream(source)
    metadata = getattr(opened, "metadata", None) or {}
    return _of_arrow(opened.read_all(), [f"arrow file metadata {key!r}" for key in metadata])


def _of_arrow(table: pa.Table, beside: list[str]) -> Published:
    table.validate(full=True)
    names = table.column_names
    if len(set(names)) < len(names):
        raise Unreadable("equal names")
    metadata = dict(table.schema.metadata or {})
    codebook = metadata.pop(CODEBOOK, None)
    found = [*beside, *(f"schema metadata {key!r}" for key in metadata)]
    if codebook is not None:
        found += _strange_labels(json.loads(codebook), table)
    for field_ in table.schema:
        found += [f"metadata {key!r} of a column" for key in field_.metadata or {}]
        if pa.types.is_dictionary(field_.type):
            found += _unused_entries(table.column(field_.name))
    return Published(names, table.to_pylist(), found)


def _strange_labels(codebook: dict[str, Any], table: pa.Table) -> Iterator[str]:
    """What a codebook explains that no row has."""
    for name, about in codebook["columns"].items():
        cells = table.column(name).to_pylist()
        pieces = (piece for cell in cells for piece in (cell if isinstance(cell, list) else [cell]))
        shown = {
            str(int(piece) if isinstance(piece, float) and piece.is_integer() else piece) for piece in pieces
        }
        yield from (f"{label!r} in the codebook" for label in about.get("labels", {}) if label not in shown)


def _unused_entries(column: pa.ChunkedArray) -> Iterator[str]:
    for chunk in column.chunks:
        used = set(chunk.indices.drop_null().to_pylist())
        if len(used) < len(chunk.dictionary):
            yield "entries of a dictionary that no row uses"


def _workbook(content: bytes, _: str | None) -> Published:
    book = openpyxl.load_workbook(io.BytesIO(content))
    sheet = book.worksheets[0]
    beside = [f"sheet {other.title!r}" for other in book.worksheets[1:]]
    beside += ["a hidden sheet"] if sheet.sheet_state != "visible" else []
    beside += [f"defined name {name!r}" for name in book.defined_names]
    beside += [*_cells_beside(sheet), *_properties(content), *_members(content)]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    if not rows:
        raise Unreadable("an empty sheet")
    names = [str(name) for name in rows[0]]
    if len(set(names)) < len(names):
        raise Unreadable("equal names")
    return Published(names, [dict(zip(names, row, strict=True)) for row in rows[1:]], beside)


def _cells_beside(sheet: Worksheet) -> Iterator[str]:
    if any(
        dimension.hidden for dimension in (*sheet.row_dimensions.values(), *sheet.column_dimensions.values())
    ):
        yield "hidden rows or columns"
    for row in sheet.iter_rows():
        for cell in row:
            if cell.comment is not None:
                yield f"a comment on {cell.coordinate}"
            if cell.hyperlink is not None:
                yield f"a link on {cell.coordinate}"
            if cell.data_type == "f":
                yield f"a formula in {cell.coordinate}"
    for part in ("oddHeader", "oddFooter"):
        if getattr(sheet, part).center.text or getattr(sheet, part).left.text:
            yield "a header or footer"


def _properties(content: bytes) -> Iterator[str]:
    """Author, times and whatever else programs note; openpyxl would make up what is not there."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if name.startswith("docProps/"):
                texts = re.findall(rb"<([^/>?]+)>([^<]+)<", archive.read(name))
                yield from (f"{LISTED}property {tag.split()[0].decode()}" for tag, _ in texts)


_MEMBERS = (
    "[Content_Types].xml",
    "_rels/",
    "docProps/",
    "xl/workbook.xml",
    "xl/_rels/",
    "xl/worksheets/sheet",
    "xl/styles.xml",
    "xl/theme/",
    "xl/sharedStrings.xml",
)


def _members(content: bytes) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if archive.comment:
            yield "a comment of the archive"
        for member in archive.infolist():
            if not member.filename.startswith(_MEMBERS):
                yield f"member {member.filename}"
        if any(member.date_time[0] > 1980 for member in archive.infolist()):
            yield f"{LISTED}times of the members"


def _nested(flat: Published) -> list[Any]:
    """The clusters of a flat table of terms."""
    clusters: dict[int, dict[str, Any]] = {}
    parents: dict[int, int | None] = {}
    chunks: dict[int, dict[int, dict[int, list[str]]]] = {}
    for row in flat.rows:
        number = row["cluster"]
        if number not in clusters:
            clusters[number] = {"size": row["size"], "terms": []}
            parents[number] = row["parent"]
            chunks[number] = {}
        if clusters[number]["size"] != row["size"] or parents[number] != row["parent"]:
            raise Unreadable("a cluster with two sizes or parents")
        if row["chunk"] is None:
            clusters[number]["terms"].append(row["term"])
        else:
            chunks[number].setdefault(row["chunk"], {}).setdefault(row["subrecord"], []).append(row["term"])
    above = {parent for parent in parents.values() if parent is not None}
    tops = []
    for number in sorted(clusters):
        cluster = clusters[number]
        parts = [{"subrecords": list(chunk.values())} for chunk in chunks[number].values()]
        if number in above:
            cluster.pop("terms")
            cluster |= {"shared": parts, "children": []}
        else:
            cluster["chunks"] = parts
    for number, parent in parents.items():
        if parent is None:
            tops.append(clusters[number])
        else:
            clusters[parent]["children"].append(clusters[number])
    return tops


READERS: dict[str, Callable[[bytes, str | None], Published]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".txt": _lines,
    ".dat": _lines,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json_lines,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".ipc": _arrow,
    ".xlsx": _workbook,
}


def as_text(cell: Any) -> str | None:
    """A cell as the text that a text file would show; None for a missing value."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, Literal):
        return _number_text(cell.text)
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int | float):
        return _number_text(repr(cell))
    if isinstance(cell, datetime):
        midnight = (cell.hour, cell.minute, cell.second, cell.microsecond) == (0, 0, 0, 0)
        return cell.date().isoformat() if midnight else cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, date) else str(cell)


def _number_text(text: str) -> str:
    from decimal import Decimal

    try:
        number = Decimal(text)
    except ArithmeticError:
        return text
    return format(number.normalize(), "f") if number.is_finite() and number else "0" if not number else text


def told_apart(cell: Any) -> tuple[str, str]:
    """What of a cell a reader of the file can tell from another cell."""
    if isinstance(cell, list):
        return "list", repr([told_apart(each) for each in cell])
    return type(cell).__name__, cell.text if isinstance(cell, Literal) else repr(cell)
