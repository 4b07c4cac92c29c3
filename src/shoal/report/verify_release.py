#!/usr/bin/env python3
"""Verify a published file from its certificate, without Shoal.

    python verify_release.py certificate.json published.csv

Checks that the certificate is as it was made and about this file, and counts again what it claims:
k-anonymity, k^m-anonymity, (k,k^m)-anonymity, or complete k-anonymity of sets. A missing value is a value of
its own, texts that differ in a letter are different, and so are the number 20 and the text 20. Exit code 0:
the claim is true; 1: it is not, or a codebook.json beside the file explains other labels than it has; 2: this
script cannot tell. It reads .csv, .tsv, .jsonl, .txt and .dat files, also with .gz, with nothing but the
standard library of Python, and .parquet and .arrow files, also in parts and partitions, where pyarrow is
installed.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import sys
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import unquote

TRUE, FALSE, UNKNOWN = 0, 1, 2
ANSWERS = {TRUE: "TRUE", FALSE: "FALSE", UNKNOWN: "UNKNOWN"}
FORMAT = "shoal-certificate-2"
Row = dict[str, Any]
Value = tuple[str, str]  # its type, and how it is written
Known = tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]  # single values, and items with their columns

MODELS = {
    "k-anonymity": "satisfies k-anonymity with k={k} on {values}",
    "km-anonymity": "satisfies k^m-anonymity with k={k}, m={m} on {sets}",
    "k-km-anonymity": "satisfies (k,k^m)-anonymity with k={k}, m={m} on {values}, {sets}",
    "set-k-anonymity": "satisfies complete k-anonymity of sets with k={k} on {sets}",
}
NULL = "null"
NOTHING = "__HIVE_DEFAULT_PARTITION__"  # a folder of rows without a value
CODEBOOK = b"shoal.codebook"
SPARK_VERSION = b"org.apache.spark.version"
SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


class CannotTell(Exception):
    """The script does not know how to check this."""


class Number(str):
    """A number as it is written."""

    __slots__ = ()


def parts_of(path: Path) -> dict[str, bytes]:
    """The content of a file, or of the files of a folder that holds its parts, also in partitions, alone."""
    if not path.is_dir():
        return {path.name: path.read_bytes()}
    files = sorted((each.relative_to(path).as_posix(), each) for each in path.rglob("*"))
    found = {name: each for name, each in files if each.is_file()}
    parts = {name: each.read_bytes() for name, each in found.items() if not re.search(r"(^|/)[._]", name)}
    others = set(found) - set(parts) - {f".{name}.crc" for name in parts}
    if not parts or any(name != "_SUCCESS" or found[name].stat().st_size for name in others):
        raise CannotTell(f"{path.name} holds something else than the parts of a file")
    folders = {name for name, each in files if each.is_dir()}
    on_the_way = {name[: slash.start()] for name in parts for slash in re.finditer("/", name)}
    if folders != on_the_way or any(len(keys_of(name)) < name.count("/") for name in parts):
        raise CannotTell(f"{path.name} holds folders that are no partitions")
    return parts


def keys_of(part: str) -> dict[str, str | None]:
    """What folders such as year=2020 on the way to a part say of its rows."""
    pairs = (folder.split("=", 1) for folder in part.split("/")[:-1] if "=" in folder)
    return {canonical(unquote(key)): None if value == NOTHING else unquote(value) for key, value in pairs}


def fingerprint(path: Path, parts: dict[str, bytes]) -> Row:
    """Name, size and SHA-256 of a file; in parts that of the lines which sha256sum prints of them."""
    content = b"".join(parts.values())
    if path.is_dir():
        lines = (f"{hashlib.sha256(part).hexdigest()}  {name}\n" for name, part in parts.items())
        digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    else:
        digest = hashlib.sha256(content).hexdigest()
    return {"name": path.name, "bytes": len(content), "sha256": digest}


def rows_of_parts(parts: dict[str, bytes], columns: list[str], dialect: Row) -> tuple[list[str], list[Row]]:
    """The names of the columns and the rows of all parts."""
    read = [(*rows_of(Path(name), part, columns, dialect), keys_of(name)) for name, part in parts.items()]
    first = [*read[0][0], *read[0][2]]
    if any([*names, *keys] != first for names, _, keys in read) or set(read[0][0]) & set(read[0][2]):
        raise CannotTell("the parts of the file have different columns, or some that their folders have")
    return first, [{**row, **keys} for _, rows, keys in read for row in rows]


def rows_of(path: Path, content: bytes, columns: list[str], dialect: Row) -> tuple[list[str], list[Row]]:
    """The names of the columns and the rows of a published file, of text in the given dialect."""
    name = path.name.lower()
    if name.endswith(".gz"):
        if content[3] & 20:  # more than a name
            raise CannotTell("the gzip header holds more than the file")
        stream = zlib.decompressobj(31)
        content, name = stream.decompress(content), name.removesuffix(".gz")
        if stream.unused_data or not stream.eof:
            raise CannotTell("the file ends before, or goes on behind, what was compressed")
    if name.endswith((".parquet", ".arrow", ".feather", ".ipc")):
        return rows_of_arrow(name, content)
    try:
        text = content.decode(dialect.get("encoding", "utf-8-sig"))
    except (UnicodeDecodeError, LookupError) as error:
        raise CannotTell(f"{path.name} is not a text file in {dialect.get('encoding', 'UTF-8')}") from error
    if name.endswith((".txt", ".dat")):
        lines = [line.removesuffix("\n") for line in io.StringIO(text, newline=None)]
        return columns, [dict.fromkeys(columns, line) for line in lines]
    if name.endswith((".csv", ".tsv")):
        delimiter = dialect.get("delimiter", "\t" if name.endswith(".tsv") else ",")
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        names = [canonical(name) for name in records[0]] if records else []
        cells = [record or [""] for record in records[1:] if record or len(names) == 1]
        if any(len(record) != len(names) for record in cells):
            raise CannotTell("some lines have more or fewer cells than the first")
        return names, [dict(zip(names, record, strict=True)) for record in cells]
    if name.endswith((".jsonl", ".ndjson", ".json")):
        reader = json.JSONDecoder(
            object_pairs_hook=once_each, parse_int=Number, parse_float=Number, parse_constant=Number
        )
        rows = [reader.decode(line.strip()) for line in text.split("\n") if line.strip()]
        names = list(dict.fromkeys(key for row in rows for key in row))
        if any(len(row) < len(names) for row in rows):
            raise CannotTell("a record lacks a column that others have")
        if any({Number, str} <= {type(row[name]) for row in rows} for name in names):
            raise CannotTell("a column holds numbers and texts")
        return names, rows
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
        file = pq.ParquetFile(source)
        metadata = without_schema_of_spark(dict(file.metadata.metadata or {}))
        stored = base64.b64decode(metadata.pop(b"ARROW:schema", b""))
        kept = (pa.ipc.read_schema(pa.py_buffer(stored)).metadata or {}) if stored else {}
        if any(metadata.get(key) != value for key, value in kept.items()):
            raise CannotTell("the file holds metadata beside its table")
        table = file.read().replace_schema_metadata(metadata)
    elif content.startswith(b"ARROW1"):
        table = pa.ipc.open_file(source).read_all()
    else:
        table = pa.ipc.open_stream(source).read_all()
    table.validate(full=True)  # a damaged one could end this process
    if set(table.schema.metadata or {}) - {CODEBOOK} or any(
        set(each.metadata or {}) - {b"PARQUET:field_id"} for each in table.schema
    ):
        raise CannotTell("the file holds metadata beside its table")
    names, rows = [canonical(name) for name in table.column_names], table.to_pylist()
    if CODEBOOK in (table.schema.metadata or {}):
        refuse_strange_codebook(table.schema.metadata[CODEBOOK], table.column_names, rows)
    return names, rows


def without_schema_of_spark(metadata: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """The metadata of a file without what Spark says about its columns, if that is their types alone."""
    schema = json.loads(metadata.get(SPARK_SCHEMA, b'{"fields": []}'))
    if any(
        set(each) != {"name", "type", "nullable", "metadata"} or each["metadata"] for each in schema["fields"]
    ):
        return metadata
    return {key: value for key, value in metadata.items() if key not in (SPARK_VERSION, SPARK_SCHEMA)}


def refuse_strange_codebook(content: bytes, names: list[str], rows: list[Row]) -> None:
    """A codebook in the metadata explains just the labels that the rows have; `shoal verify` checks how."""
    try:
        told = json.loads(content, object_pairs_hook=once_each)
        books = told["columns"]
        if json.dumps(json.loads(content), separators=(",", ":"), ensure_ascii=False).encode() != content:
            raise CannotTell("the codebook in the file is written with more than it tells")
        if set(told) != {"format", "columns"} or set(books) != {canonical(name) for name in names}:
            raise CannotTell("the codebook in the file is not about its columns")
        if other := otherwise_explained(books, names, rows):
            raise CannotTell(f"the codebook in the file explains other labels than {other} has")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CannotTell("the file holds a codebook that cannot be read") from error


def otherwise_explained(books: Row, names: list[str], rows: list[Row]) -> str | None:
    """The first column of which a codebook explains other labels than the rows have."""
    for name in names:
        book = books[canonical(name)]
        if book["role"] != "quasi":
            continue
        cells = (row[name] for row in rows if row[name] not in (None, ""))
        if "separator" in book:
            found = {item[1] for cell in cells for item in items_of(cell, {"separator": book["separator"]})}
        else:
            found = {written(cell) for cell in cells}
        if set(map(canonical, found)) != set(map(canonical, book["labels"])):
            return name
    return None


def flaw_of_codebook(path: Path, names: list[str], rows: list[Row]) -> str | None:
    """What is wrong with a codebook beside a file: one that explains other labels than the file has."""
    beside = path.with_name("codebook.json")
    if not beside.is_file():
        return None
    try:
        told = json.loads(beside.read_text("utf-8"))
        if told["file"] != path.name or set(told["columns"]) != set(map(canonical, names)):
            return f"{beside.name} is not about the columns of {path.name}"
        other = otherwise_explained(told["columns"], names, rows)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return f"{beside.name} cannot be read: {error}"
    return None if other is None else f"{beside.name} explains other labels than {other} has"


def written(label: Any) -> str:
    """A label as it is written, also where a column holds numbers."""
    return str(label).removesuffix(".0") if isinstance(label, float) else str(label)


def once_each(pairs: list[tuple[str, Any]]) -> Row:
    """A JSON object, of which each name must stand there once."""
    if len(dict(pairs)) < len(pairs):
        raise CannotTell("a record names a column twice")
    return {canonical(name): value for name, value in pairs}


def canonical(text: str) -> str:
    """The name of a column, or an item that may be sensitive, however it is written."""
    return unicodedata.normalize("NFC", text.strip())


def key_of(value: Any) -> Value:
    """A single value as it is told from others: its type, and how it is written."""
    if value is None:
        return NULL, ""
    if isinstance(value, str) and not isinstance(value, Number):
        return "text", value
    return type(value).__name__, str(value)


def items_of(cell: Any, about: Row) -> Iterator[Value]:
    """The items of a set that are not sensitive; one that is repeated is another item each time."""
    pieces = cell if isinstance(cell, list) else filter(None, str(cell or "").split(about["separator"]))
    seen: Counter[Value] = Counter()
    for item in map(key_of, pieces):
        if canonical(item[1]) not in about.get("sensitive", ()):
            seen[item] += 1
            yield item[0], about["separator"].join([item[1]] * seen[item])


def with_nulls_told_apart(rows: list[Row], sets: Row) -> list[Row]:
    """Rows whose null sets hold an item of their own: among lists, or where other texts are empty."""
    for name in sets:
        if any(isinstance(row[name], list) or row[name] == "" for row in rows):
            rows = [{**row, name: [None] if row[name] is None else row[name]} for row in rows]
    return rows


def knowledge(rows: list[Row], columns: Row, m: int | None) -> Iterator[Known]:
    """For each row what may be known: all single values and each set of at most m items, or all items."""
    values, sets = quasi_identifiers(columns)
    for row in with_nulls_told_apart(rows, sets):
        shared = tuple(key_of(row[name]) for name in values)
        items = sorted((name, item) for name, about in sets.items() for item in items_of(row[name], about))
        for size in [len(items)] if m is None else range(min(m, len(items)) + 1):
            for chosen in combinations(items, size):
                yield shared, chosen


def quasi_identifiers(columns: Row) -> tuple[list[str], Row]:
    """The columns with single values, and those with sets and what is to be known of them."""
    sets = {name: about for name, about in columns.items() if about.get("kind") == "set"}
    return [name for name in columns if columns[name]["role"] == "quasi" and name not in sets], sets


def smallest_support(known: Iterable[Known], *, nothing_tells: bool) -> tuple[int | None, Known | None]:
    """What fewest rows share, and how many they are; somebody who knows nothing may be left out."""
    counts = Counter(known)
    if nothing_tells:
        counts.pop(((), ()), None)
    return min(((count, known) for known, count in counts.items()), default=(None, None))


def refuse_unreadable(values: Iterable[str], about: Row) -> None:
    """Sensitive values that are not of their kind cannot be compared."""
    for value in values:
        try:
            if about["kind"] == "number":
                float(value)
            elif about["kind"] == "date":
                date.fromisoformat(value[:10])
        except ValueError as error:
            raise CannotTell(f"{value!r} is no {about['kind']}") from error


def flaw_of_columns(names: list[str], rows: list[Row], columns: Row, k: int, decimal: str) -> str | None:
    """What is wrong with a file before anything is counted."""
    if sorted(names) != sorted(columns):
        return f"the file has the columns {sorted(names)}, and the certificate {sorted(columns)}"
    if not rows:
        return "the file has no records"
    for name in (name for name, about in columns.items() if about["role"] == "pseudonym"):
        if not all(
            re.fullmatch("[0-9a-f]{32}", str(row[name])) for row in rows if row[name] not in (None, "")
        ):
            return f"{name} holds something else than pseudonyms"
    for name in (name for name, about in columns.items() if about["role"] == "sensitive"):
        values = {str(row[name]) for row in rows if row[name] not in (None, "", "*")}
        refuse_unreadable({value.replace(decimal, ".") for value in values}, columns[name])
    for name in (name for name, about in columns.items() if about["role"] == "insensitive"):
        tells = k > 1 and len({repr(row[name]) for row in rows}) > max(len(rows) / k, 1)
        if tells and not columns[name]["tells_apart"]:
            return f"{name} has more values than rows / k and could tell people apart"
    return None


def flaw_of_certificate(certificate: Row) -> str | None:
    """Whether it is still what it was when it was made."""
    if certificate["format"] != FORMAT:
        raise CannotTell(f"the certificate has not the format {FORMAT}")
    others = {name: value for name, value in certificate.items() if name != "digest"}
    text = json.dumps(others, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != certificate["digest"]:
        return "the certificate was changed after it was made"
    return None


def other_statements(certificate: Row, index: int, found: tuple[int | None, int, str | None]) -> Row:
    """What the certificate states about the promise that was checked, where something else was found."""
    verdict, checks, claims = certificate["verdict"], certificate["verdict"]["checks"], certificate["claims"]
    smallest, records, claim = found
    pairs = {
        "smallest support": (smallest, checks[index]["smallest"]),
        "smallest": (
            min(filter(None, (each["smallest"] for each in checks)), default=None),
            verdict["smallest"],
        ),
        "records": (records, verdict["records"]),
        "claim": (claim or claims[index], claims[index]),
        "claims": ([each["claim"] for each in checks], claims),
        "model": (certificate["promises"][0]["model"], certificate["model"]),
        "verdict": ((True, False), (verdict["holds"], verdict["by_construction"])),
        "verdicts": ({(True, False)}, {(each["holds"], each["by_construction"]) for each in checks}),
    }
    return {what: both for what, both in pairs.items() if both[0] != both[1]}


def other_measures(certificate: Row, known: Iterable[Known]) -> Row:
    """The sizes of classes of rows that are alike in all that may be known, if others are stated."""
    sizes = Counter(known).values()
    found = {
        "classes": len(sizes),
        "smallest_class": min(sizes),
        "largest_class": max(sizes),
        "unique_records": list(sizes).count(1),
        "highest_risk": float(f"{1 / min(sizes):.3g}"),
        "mean_risk": float(f"{len(sizes) / sum(sizes):.3g}"),
    }
    stated = certificate["measures"]
    return {} if stated == {"published": found} else {"measures": (found, stated)}


def check(certificate: Row, path: Path) -> tuple[int, str]:
    """The exit code, and what was found in a sentence."""
    parts = parts_of(path)
    flaw, about = flaw_of_certificate(certificate), fingerprint(path, parts)
    dialect = certificate["file"].get("dialect", {})
    if flaw is None and {**certificate["file"], "dialect": dialect} != {**about, "dialect": dialect}:
        flaw = f"{path.name} is not the file that the certificate is about: its name, size or SHA-256 differs"
    if flaw is not None:
        return FALSE, flaw
    promises = certificate["promises"]
    index = next((i for i, promise in enumerate(promises) if promise["model"] in MODELS), None)
    if index is None or promises[index]["parameters"].get("negative"):
        raise CannotTell(f"this script checks {', '.join(MODELS)} without facts of absence")
    model, parameters = promises[index]["model"], promises[index]["parameters"]
    columns = certificate["policy"]["columns"]
    names, rows = rows_of_parts(parts, list(columns), dialect)
    if min(parameters["k"], parameters.get("m", 1)) < 1 or (
        any(b"\0" in part for part in parts.values())
        and path.suffix in (".csv", ".tsv", ".txt", ".dat", ".jsonl", ".ndjson", ".json")
    ):
        raise CannotTell("parameters are not positive numbers, or the file is no text")
    k, m = int(parameters["k"]), None if model == "set-k-anonymity" else int(parameters.get("m", 0))
    decimal = dialect.get("decimal", ".")
    if flaw := flaw_of_columns(names, rows, columns, k, decimal) or flaw_of_codebook(path, names, rows):
        return FALSE, flaw
    smallest, known = smallest_support(knowledge(rows, columns, m), nothing_tells=model == "km-anonymity")
    if smallest is not None and smallest < k:
        return FALSE, f"only {smallest} rows fit {known}, fewer than k={k}"
    values, sets = quasi_identifiers({name: columns[name] for name in names})
    claim = MODELS[model].format(**parameters, values=", ".join(values), sets=", ".join(sets))
    wrong = other_statements(certificate, index, (smallest, len(rows), claim if values or sets else None))
    if wrong := wrong or other_measures(certificate, knowledge(rows, columns, None)):
        return FALSE, f"the file shows, and the certificate says: {wrong}"
    others = [promise["model"] for promise in promises if promise is not promises[index]]
    holds = f"{model} with {parameters} holds; the smallest support is {smallest}"
    return (UNKNOWN, f"{holds}; not checked here: {', '.join(others)}") if others else (TRUE, holds)


def main(arguments: list[str]) -> int:
    """Check the file and say what was found."""
    if len(arguments) != 2:
        sys.stderr.write(f"{__doc__}\n")
        return UNKNOWN
    try:
        certificate = json.loads(Path(arguments[0]).read_text("utf-8"), object_pairs_hook=once_each)
        code, sentence = check(certificate, Path(arguments[1]))
    except Exception as error:  # noqa: BLE001 - whatever it is, the claim was not shown to be true
        code, sentence = UNKNOWN, f"cannot tell: {error}"
    shown = sentence.encode("utf-8", "backslashreplace").decode()
    sys.stdout.write(f"{ANSWERS[code]}: {shown}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
