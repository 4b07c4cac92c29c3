#!/usr/bin/env python3
"""Verify a published file from its certificate, without Shoal.

    python verify_release.py certificate.json published.csv

Checks that the file is the one that the certificate is about, and counts again what it claims: k-anonymity,
k^m-anonymity, (k,k^m)-anonymity, or complete k-anonymity of sets. A missing value is a value of its own, and
texts that differ in a letter are different. Exit code 0: the claim is true; 1: it is not; 2: this script
cannot tell. It reads .csv, .tsv, .jsonl, .txt and .dat files, also with .gz, with nothing but the standard
library of Python, and .parquet and .arrow files where pyarrow is installed.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

TRUE, FALSE, UNKNOWN = 0, 1, 2
ANSWERS = {TRUE: "TRUE", FALSE: "FALSE", UNKNOWN: "UNKNOWN"}
Row = dict[str, Any]
Known = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]  # single values, and items with their columns

MODELS = ("k-anonymity", "km-anonymity", "k-km-anonymity", "set-k-anonymity")


class CannotTell(Exception):
    """The script does not know how to check this."""


def rows_of(path: Path, content: bytes, columns: list[str]) -> tuple[list[str], list[Row]]:
    """The names of the columns and the rows of a published file."""
    name = path.name.lower()
    if name.endswith(".gz"):
        content, name = gzip.decompress(content), name.removesuffix(".gz")
    if name.endswith((".parquet", ".arrow", ".feather", ".ipc")):
        return rows_of_arrow(name, content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CannotTell(f"{path.name} is not a text file in UTF-8") from error
    if name.endswith((".txt", ".dat")):
        lines = [line.removesuffix("\n") for line in io.StringIO(text, newline=None)]
        return columns, [dict.fromkeys(columns, line) for line in lines]
    if name.endswith((".csv", ".tsv")):
        delimiter = "\t" if name.endswith(".tsv") else ","
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        names = records[0] if records else []
        cells = [record or [""] for record in records[1:] if record or len(names) == 1]
        if any(len(record) != len(names) for record in cells):
            raise CannotTell("some lines have more or fewer cells than the first")
        return names, [dict(zip(names, record, strict=True)) for record in cells]
    if name.endswith((".jsonl", ".ndjson", ".json")):
        rows = [json.loads(line, object_pairs_hook=once_each) for line in text.split("\n") if line.strip()]
        return list(dict.fromkeys(key for row in rows for key in row)), rows
    raise CannotTell(f"this script does not read files such as {path.name}")


def rows_of_arrow(name: str, content: bytes) -> tuple[list[str], list[Row]]:
    """The same for typed files, where there is a library that reads them."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise CannotTell("this file is read only where pyarrow is installed") from error
    source = pa.BufferReader(content)
    if name.endswith(".parquet"):
        table = pq.ParquetFile(source).read()
    elif content.startswith(b"ARROW1"):
        table = pa.ipc.open_file(source).read_all()
    else:
        table = pa.ipc.open_stream(source).read_all()
    return table.column_names, table.to_pylist()


def once_each(pairs: list[tuple[str, Any]]) -> Row:
    """A JSON object, of which each name must stand there once."""
    if len(dict(pairs)) < len(pairs):
        raise CannotTell("a record names a column twice")
    return dict(pairs)


def text_of(value: Any) -> str:
    """A single value as it is written; nothing for a missing one."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, default=str)


def items_of(cell: Any, about: Row) -> Iterator[str]:
    """The items of a set that are not sensitive; one that is repeated is another item each time."""
    cells = cell if isinstance(cell, list) else text_of(cell).split(about["separator"])
    seen: Counter[str] = Counter()
    for item in filter(None, map(text_of, cells)):
        if unicodedata.normalize("NFC", item.strip()) not in about["sensitive"]:
            seen[item] += 1
            yield about["separator"].join([item] * seen[item])


def knowledge(rows: list[Row], columns: Row, m: int | None) -> Iterator[Known]:
    """For each row what may be known: all single values and each set of at most m items, or all items."""
    values = [name for name, about in columns.items() if about["role"] == "quasi" and about["kind"] != "set"]
    sets = {name: about for name, about in columns.items() if about["role"] == "quasi" and name not in values}
    for row in rows:
        shared = tuple(text_of(row.get(name)) for name in values)
        items = sorted(
            (name, item) for name, about in sets.items() for item in items_of(row.get(name), about)
        )
        for size in [len(items)] if m is None else range(m + 1):
            for chosen in combinations(items, size):
                yield shared, chosen


def smallest_support(known: Iterable[Known], *, nothing_tells: bool) -> tuple[int | None, Known | None]:
    """What fewest rows share, and how many they are; somebody who knows nothing may be left out."""
    counts = Counter(known)
    if nothing_tells:
        counts.pop(((), ()), None)
    return min(((count, known) for known, count in counts.items()), default=(None, None))


def flaw_of_columns(names: list[str], rows: list[Row], columns: Row, k: int) -> str | None:
    """What is wrong with a file before anything is counted."""
    if sorted(names) != sorted(columns):
        return f"the file has the columns {sorted(names)}, and the certificate {sorted(columns)}"
    if not rows:
        return "the file has no records"
    for name in (name for name, about in columns.items() if about["role"] == "insensitive"):
        if columns[name]["confirmed"]:
            continue
        if len(rows) >= 2 * k > 2 and len({text_of(row.get(name)) for row in rows}) >= 0.9 * len(rows):
            return f"the values of {name} tell nearly every row from the others"
    return None


def check(certificate: Row, path: Path) -> tuple[int, str]:
    """The exit code, and what was found in a sentence."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != certificate["file"]["sha256"]:
        return FALSE, f"{path.name} is not the file that the certificate is about: its SHA-256 differs"
    promises = certificate["promises"]
    place = next((i for i, promise in enumerate(promises) if promise["model"] in MODELS), None)
    if place is None or promises[place]["parameters"].get("negative"):
        raise CannotTell(f"this script checks {', '.join(MODELS)} without facts of absence")
    model, parameters = promises[place]["model"], promises[place]["parameters"]
    columns = certificate["policy"]["columns"]
    names, rows = rows_of(path, content, list(columns))
    k, m = int(parameters["k"]), None if model == "set-k-anonymity" else int(parameters.get("m", 0))
    if flaw := flaw_of_columns(names, rows, columns, k):
        return FALSE, flaw
    smallest, known = smallest_support(knowledge(rows, columns, m), nothing_tells=model == "km-anonymity")
    if smallest is not None and smallest < k:
        return FALSE, f"only {smallest} rows fit {known}, fewer than k={k}"
    checked = certificate["verdict"]["checks"][place]
    stated = checked["smallest"] if checked["counted"] == "records" else certificate["verdict"]["smallest"]
    if smallest != stated:
        return FALSE, f"the smallest support is {smallest}, and by the certificate {stated}"
    others = [promise["model"] for promise in promises if promise is not promises[place]]
    unchecked = f"; not checked here: {', '.join(others)}" if others else ""
    return TRUE, f"{model} with {parameters} holds; the smallest support is {smallest}{unchecked}"


def main(arguments: list[str]) -> int:
    """Check the file and say what was found."""
    if len(arguments) != 2:
        sys.stderr.write(f"{__doc__}\n")
        return UNKNOWN
    try:
        certificate = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        code, sentence = check(certificate, Path(arguments[1]))
    except Exception as error:  # noqa: BLE001 - whatever it is, the claim was not shown to be true
        code, sentence = UNKNOWN, f"cannot tell: {error}"
    sys.stdout.write(f"{ANSWERS[code]}: {sentence}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
