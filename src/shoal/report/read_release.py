#!/usr/bin/env python3
"""Read a published file with its codebook, without Shoal.

    python read_release.py FOLDER > decoded.jsonl

Writes one JSON object per record: each label of a generalized column with what the codebook says that it
covers, a list of these for a set, null for a missing value, and the other columns as they are. Exit code 1:
a label is not in the codebook; 2: this script cannot read the file. It reads .csv, .tsv, .jsonl, .txt and
.dat files, also with .gz, with nothing but the standard library of Python, and .parquet and .arrow files,
also in parts and partitions, where pyarrow is installed.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

FORMAT = "shoal-codebook-1"
FINE, UNEXPLAINED, UNREADABLE = 0, 1, 2
NOTHING = "__HIVE_DEFAULT_PARTITION__"  # a folder of rows without a value
Row = dict[str, Any]


class Unreadable(Exception):
    """The script does not know how to read this."""


class Unexplained(Exception):
    """A label that the codebook lacks."""


def rows_of(path: Path, columns: list[str], dialect: Row) -> Iterator[Row]:
    """The records of a published file, or of a folder of its parts, an empty cell of a text being None."""
    if path.is_dir():
        for part in sorted(each for each in path.iterdir() if not each.name.startswith((".", "_"))):
            key, has_value, value = part.name.partition("=")
            told = {unquote(key): None if value == NOTHING else unquote(value)} if has_value else {}
            yield from ({**row, **told} for row in rows_of(part, columns, dialect))
        return
    content, name = path.read_bytes(), path.name.lower()
    if name.endswith(".gz"):
        content, name = gzip.decompress(content), name.removesuffix(".gz")
    if name.endswith((".parquet", ".arrow")):
        yield from rows_of_arrow(name, content)
        return
    text = content.decode(dialect.get("encoding", "utf-8-sig"))
    if name.endswith((".csv", ".tsv")):
        delimiter = dialect.get("delimiter", "\t" if name.endswith(".tsv") else ",")
        names, *records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for record in records:
            if record or len(names) == 1:
                yield {key: cell or None for key, cell in zip(names, record or [""], strict=True)}
    elif name.endswith((".txt", ".dat")):
        yield from ({columns[0]: line.removesuffix("\n")} for line in io.StringIO(text, newline=None))
    elif name.endswith(".jsonl"):
        yield from (json.loads(line) for line in text.split("\n") if line.strip())
    else:
        raise Unreadable(f"this script does not read files such as {path.name}")


def rows_of_arrow(name: str, content: bytes) -> list[Row]:
    """The same for typed files, where there is a library that reads them."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise Unreadable("this file is read only where pyarrow is installed") from error
    source = pa.BufferReader(content)
    table = pq.read_table(source) if name.endswith(".parquet") else pa.ipc.open_file(source).read_all()
    rows: list[Row] = table.to_pylist()
    return rows


def entry_of(label: Any, column: str, about: Row) -> Row:
    """What the codebook says of a label."""
    if str(label) not in about["labels"]:
        raise Unexplained(f"column {column!r}: the label {label!r} is not in the codebook")
    return {"label": str(label), **about["labels"][str(label)]}


def decoded(row: Row, columns: Row) -> Row:
    """A record with what each of its labels covers."""
    found: Row = {}
    for name, cell in row.items():
        about = columns[name]
        if about["role"] != "quasi":
            found[name] = cell
        elif "separator" in about:
            labels = cell if isinstance(cell, list) else filter(None, (cell or "").split(about["separator"]))
            found[name] = [entry_of(label, name, about) for label in labels]
        else:
            found[name] = None if cell is None else entry_of(cell, name, about)
    return found


def covers(entry: Row | None, value: Any) -> bool:
    """Whether a label can stand for a value: a number, a day such as 2026-11-15, another text, or None."""
    if entry is None or value is None:
        return value is None and (entry is None or entry["form"] == "everything")
    form, text = entry["form"], str(value)
    if form == "between" or (form in ("value", "range") and "lower" in entry):
        return spans(entry, value)
    if form in ("beginning", "ending"):
        at_end = text.startswith if form == "beginning" else text.endswith
        return at_end(entry["text"]) and entry["length"] in (None, len(text))
    listed: list[str] = {"values": entry.get("values", []), "value": [entry["label"]]}.get(form, [text])
    return text in listed


def spans(entry: Row, value: Any) -> bool:
    """Whether a value lies between the bounds of a label."""
    lower, upper = entry["lower"], entry["upper"]
    before_end = upper is None or value < upper or (entry.get("includes_upper", True) and value == upper)
    return bool(before_end and (lower is None or lower <= value))


def read(folder: Path) -> Iterator[Row]:
    """The decoded records of a release, one by one."""
    codebook = json.loads((folder / "codebook.json").read_text("utf-8"))
    if codebook.get("format") != FORMAT:
        raise Unreadable(f"the codebook has not the format {FORMAT}")
    columns = codebook["columns"]
    for row in rows_of(folder / codebook["file"], list(columns), codebook.get("dialect", {})):
        yield decoded(row, columns)


def main(arguments: list[str]) -> int:
    """Write the decoded records, or say what is wrong."""
    if len(arguments) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return UNREADABLE
    try:
        for row in read(Path(arguments[0])):
            sys.stdout.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
    except Unexplained as error:
        sys.stderr.write(f"{error}\n")
        return UNEXPLAINED
    except (Unreadable, OSError, ValueError, LookupError, csv.Error) as error:
        sys.stderr.write(f"cannot be read: {error}\n")
        return UNREADABLE
    return FINE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
