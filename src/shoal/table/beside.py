"""What a published file carries beside its table.

Whoever has the file has all of it, and no promise about rows says anything about it. What Shoal never writes
and could hold anything (other sheets, comments, metadata) is refused; what programs add on their own when
they save a file (properties, time stamps) is listed. A codebook is judged by
whoever knows the labels.
"""

from __future__ import annotations

import base64
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from shoal.table.excel import EPOCH_OF_ZIP
from shoal.table.parts import added_by_spark, parts_of, strange_files, strange_folders

_ARROW_SCHEMA = b"ARROW:schema"
_FIELD_ID = b"PARQUET:field_id"
_SPARK = b"org.apache.spark."
CODEBOOK_KEY = "shoal.codebook"
_CODEBOOK = CODEBOOK_KEY.encode()
_GZIP_EXTRA, _GZIP_NAME, _GZIP_COMMENT = 4, 8, 16
_GZIP_WINDOW = 31


@dataclass(frozen=True, slots=True)
class BesideTable:
    """What breaks any promise about the file, what its publisher should know, and the codebook in it."""

    refused: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    codebook: bytes | None = None


_ARROW_ENDINGS = (".arrow", ".feather", ".ipc")
_Finding = tuple[bool, str]  # whether it is refused, and what it is


def beside_the_table(file: Any) -> BesideTable:
    """What a file holds that is not in its table; of frames, nothing."""
    if not isinstance(file, str | os.PathLike):
        return BesideTable()
    path = Path(file)
    found = _in_folder(path) if path.is_dir() else _in_file(path)
    return BesideTable(
        tuple(f"beside its table the file holds {what}" for refused, what in found if refused),
        tuple(f"{path.name}: beside its table it holds {what}" for refused, what in found if not refused),
        embedded_codebook(path),
    )


def _in_file(path: Path) -> list[_Finding]:
    if not path.is_file():
        return []
    look = next((look for ending, look in _LOOKS.items() if path.name.lower().endswith(ending)), None)
    if look is None:
        return [(True, "whatever its format can hold: nobody looks through such files")]
    try:
        return list(look(path))
    except Exception:  # noqa: BLE001 - damage has no end; whoever reads the file may give a better reason
        return [(True, "what cannot be looked through")]


def _in_folder(path: Path) -> list[_Finding]:
    """What the parts of a published file hold, each finding once, and what lies beside them."""
    parts = parts_of(path)
    found = dict.fromkeys(finding for part in parts for finding in _in_file(part))
    if any(embedded_codebook(part) is not None for part in parts):
        found[True, "a codebook in a part of it"] = None
    if strange := strange_files(path):
        found[True, f"more than its parts: {', '.join(strange)}"] = None
    if folders := strange_folders(path):
        found[True, f"folders that are no partitions: {', '.join(folders)}"] = None
    if added_by_spark(path):
        found[False, "checksums of its parts"] = None
    return list(found)


def embedded_codebook(path: Path) -> bytes | None:
    """The codebook in the metadata of a file with types; None if there is none."""
    try:
        schema = _schema_of(path)
    except Exception:  # noqa: BLE001 - whoever reads the file says what is wrong with it
        return None
    return None if schema is None else (schema.metadata or {}).get(_CODEBOOK)


def _schema_of(path: Path) -> pa.Schema | None:
    if path.name.lower().endswith(".parquet"):
        with parquet.ParquetFile(path) as file:
            return pa.schema([], metadata=file.metadata.metadata)
    if not path.name.lower().endswith(_ARROW_ENDINGS):
        return None
    with pa.OSFile(str(path)) as source:
        return _opened_arrow(source).schema


def _of_parquet(path: Path) -> Iterator[_Finding]:
    with parquet.ParquetFile(path) as file:
        stored = file.metadata.metadata or {}
        keys = [key for key in stored if key not in (_ARROW_SCHEMA, _CODEBOOK)]
        if spark := [key for key in keys if key.startswith(_SPARK)]:
            yield False, f"what Spark writes about its schema: {_named(spark)}"
        if others := [key for key in keys if not key.startswith(_SPARK)]:
            yield True, f"metadata: {_named(others)}"
        yield from _of_stored_schema(stored)
        schema = file.schema_arrow
        yield from _of_schema(schema.with_metadata(None))
        for index, kind in enumerate(schema.types):
            if pa.types.is_dictionary(kind):
                yield from _unused_entries(
                    schema.names[index], file.read(columns=[schema.names[index]]).column(0)
                )


def _of_stored_schema(stored: Mapping[bytes, bytes]) -> Iterator[_Finding]:
    """What the schema that Arrow keeps in a Parquet file has of its own, which readers see, too."""
    if _ARROW_SCHEMA not in stored:
        return
    kept = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(stored[_ARROW_SCHEMA], validate=True)))
    copied = (_CODEBOOK, stored.get(_CODEBOOK))
    if others := [key for key, value in (kept.metadata or {}).items() if (key, value) != copied]:
        yield True, f"metadata: {_named(others)}"


def _of_arrow(path: Path) -> Iterator[_Finding]:
    with pa.OSFile(str(path)) as source:
        table = _opened_arrow(source).read_all()
    table.validate(full=True)
    yield from _of_schema(table.schema)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            yield from _unused_entries(name, column)
        elif _holds_values_under_nulls(column):
            yield True, f"values of the column {name!r} where it is null"


def _opened_arrow(source: pa.NativeFile) -> Any:
    is_file = source.read(6) == b"ARROW1"
    source.seek(0)
    return pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)


def _of_schema(schema: pa.Schema) -> Iterator[_Finding]:
    if keys := [key for key in schema.metadata or {} if key != _CODEBOOK]:
        yield True, f"metadata: {_named(keys)}"
    for column in schema:
        keys = [key for key in column.metadata or {} if key != _FIELD_ID]
        if keys:
            yield True, f"metadata of the column {column.name!r}: {_named(keys)}"


def _unused_entries(name: str, column: pa.ChunkedArray) -> Iterator[_Finding]:
    for chunk in column.chunks:
        if len(chunk.dictionary) > len(pc.unique(chunk.indices.drop_null())):
            yield True, f"categories of the column {name!r} that no row has"
            return


def _holds_values_under_nulls(column: pa.ChunkedArray) -> bool:
    """Whether a null hides a text or a number that is still stored."""
    for chunk in column.chunks:
        kind = chunk.type
        if chunk.null_count == 0 or pa.types.is_null(kind):
            continue
        validity, *others = chunk.buffers()
        bare = None
        if pa.types.is_primitive(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
            bare = pa.Array.from_buffers(kind, len(chunk), [None, *others], offset=chunk.offset)
        if bare is None or validity is None:
            continue
        under = bare.filter(chunk.is_null())
        if pa.types.is_primitive(kind):
            hidden = pc.any(pc.not_equal(under.view(_bits_of(kind)), 0)) if kind.bit_width >= 8 else None
        else:
            hidden = pc.any(pc.greater(pc.binary_length(under), 0))
        if hidden is not None and hidden.as_py():
            return True
    return False


def _bits_of(kind: pa.DataType) -> pa.DataType:
    return {8: pa.uint8(), 16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}[kind.bit_width]


def _of_gzip(path: Path) -> Iterator[_Finding]:
    with path.open("rb") as stream:
        header = stream.read(10)
    if len(header) < 10:
        return
    flags = header[3]
    if flags & (_GZIP_EXTRA | _GZIP_COMMENT):
        yield True, "a comment or other content in its gzip header"
    if _goes_on_behind_its_stream(path):
        yield True, "bytes behind what was compressed"
    if flags & _GZIP_NAME or any(header[4:8]):
        yield False, "a file name or the time of its making in its gzip header"


def _goes_on_behind_its_stream(path: Path) -> bool:
    stream = zlib.decompressobj(_GZIP_WINDOW)
    with path.open("rb") as file:
        while not stream.eof and (block := stream.unconsumed_tail or file.read(_BLOCK)):
            stream.decompress(block, _BLOCK)
        return bool(stream.unused_data or file.read(1))


_PLAIN_PARTS = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|xl/workbook\.xml|xl/_rels/workbook\.xml\.rels|xl/styles\.xml"
    r"|xl/theme/theme\d+\.xml|xl/sharedStrings\.xml|xl/worksheets/sheet\d*\.xml|xl/metadata\.xml"
)
_ADDED_PARTS = re.compile(
    r"docProps/(app|core)\.xml|xl/calcChain\.xml|xl/printerSettings/.*|xl/tables/table\d+\.xml"
    r"|xl/worksheets/_rels/sheet\d*\.xml\.rels"
)
_IN_THE_SHEET = {
    "formulas": rb"<f[ >/]",
    "hidden rows or columns": rb"<(row|col)\b[^>]*\bhidden=\"(1|true)\"",
    "links": rb"<hyperlink\b",
    "comments or drawings": rb"<(legacyDrawing|drawing)\b",
    "rules for cells": rb"<(dataValidation|conditionalFormatting)\b",
    "a header or footer": rb"<headerFooter\b",
}
_WORDS_ABOUT_IT = rb"<(dc|cp):(title|subject|description|keywords|category|contentStatus|identifier)>[^<]"
_BLOCK = 1 << 20
_OVERLAP = 1 << 10


def _of_excel(path: Path) -> Iterator[_Finding]:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        sheets = [
            name for name in names if re.fullmatch(r"xl/(worksheets|chartsheets|macrosheets)/[^/]+", name)
        ]
        if len(sheets) > 1:
            yield True, f"{len(sheets) - 1} more sheets"
        others = [name for name in names if not _PLAIN_PARTS.fullmatch(name) and name not in sheets]
        if added := [name for name in others if _ADDED_PARTS.fullmatch(name)]:
            yield False, f"what Excel adds: {', '.join(added)}"
        if strange := [name for name in others if not _ADDED_PARTS.fullmatch(name)]:
            yield True, f"more than a sheet: {', '.join(strange)}"
        if "docProps/core.xml" in names and re.search(_WORDS_ABOUT_IT, archive.read("docProps/core.xml")):
            yield True, "a title, description or other words about it"
        if archive.comment:
            yield True, "a comment of the archive"
        if any(part.date_time != EPOCH_OF_ZIP for part in archive.infolist()):
            yield False, "the time at which it was saved"
        if re.search(rb"<definedName\b", archive.read("xl/workbook.xml")):
            yield True, "defined names"
        for sheet in sheets:
            yield from ((True, what) for what in _in_the_sheet(archive, sheet))
        if "xl/sharedStrings.xml" in names and len(sheets) == 1:
            yield from _unused_texts(archive, sheets[0])


def _in_the_sheet(archive: zipfile.ZipFile, sheet: str) -> Iterable[str]:
    found: dict[str, None] = {}
    with archive.open(sheet) as stream:
        before = b""
        while block := stream.read(_BLOCK):
            text = before + block
            found |= {what: None for what, pattern in _IN_THE_SHEET.items() if re.search(pattern, text)}
            before = text[-_OVERLAP:]
    return found


def _unused_texts(archive: zipfile.ZipFile, sheet: str) -> Iterator[_Finding]:
    shared = len(re.findall(rb"<si[ >/]", archive.read("xl/sharedStrings.xml")))
    used = set(re.findall(rb"<c\b[^>]*\bt=\"s\"[^>]*>\s*<v>(\d+)</v>", archive.read(sheet)))
    if shared > len(used):
        yield True, "texts that stand in no cell"


def _named(keys: Iterable[bytes] | Mapping[bytes, bytes]) -> str:
    return ", ".join(repr(key.decode(errors="replace")) for key in keys)


def _of_text(path: Path) -> Iterator[_Finding]:  # noqa: ARG001
    """Text is its table and nothing else."""
    return iter(())


_LOOKS: Mapping[str, Callable[[Path], Iterator[_Finding]]] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".dat", ".jsonl", ".ndjson", ".json"), _of_text),
    ".gz": _of_gzip,
    ".parquet": _of_parquet,
    **dict.fromkeys(_ARROW_ENDINGS, _of_arrow),
    ".xlsx": _of_excel,
}
