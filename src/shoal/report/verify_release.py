#!/usr/bin/env python3
"""Verify a published file from its certificate, with nothing but Python's standard library.

    python verify_release.py certificate.json published.csv

Checks that the file is the one that the certificate is about, and counts again what it claims: k-anonymity,
k^m-anonymity or (k,k^m)-anonymity. A missing value is a value of its own. Exit code 0: the claim is true; 1:
it is not; 2: this script cannot tell. It reads .csv, .tsv, .jsonl, .txt and .dat files, also with .gz.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

TRUE, FALSE, UNKNOWN = 0, 1, 2
Row = dict[str, Any]
Supports = Counter[tuple[tuple[str, ...], tuple[tuple[str, str], ...]]]

MODELS = ("k-anonymity", "km-anonymity", "k-km-anonymity")


class CannotTell(Exception):
    """The script does not know how to check this."""


def rows_of(path: Path, content: bytes, sets: Row) -> list[Row]:
    """The rows of a published file: a text for each single value, a set of labels for each set."""
    name = path.name
    if name.endswith(".gz"):
        content, name = gzip.decompress(content), name.removesuffix(".gz")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CannotTell(f"{path.name} is not a text file in UTF-8") from error
    if name.endswith((".txt", ".dat")):
        (column,) = sets
        rows: list[Row] = [{column: line} for line in text.split("\n")]
        rows = rows[:-1] if text.endswith("\n") or not text else rows
    elif name.endswith((".csv", ".tsv")):
        delimiter = "\t" if name.endswith(".tsv") else ","
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    elif name.endswith(".jsonl"):
        rows = [json.loads(line) for line in text.splitlines() if line]
    else:
        raise CannotTell(f"this script does not read files such as {path.name}")
    for row in rows:
        for column, about in sets.items():
            row[column] = labels_of(row.get(column), about["separator"])
    return rows


def labels_of(cell: Any, separator: str) -> frozenset[str]:
    """The labels of a set, however it is written."""
    labels = cell if isinstance(cell, list) else (cell or "").strip("\r").split(separator)
    return frozenset(label.strip() for label in labels if label.strip())


def supports(rows: list[Row], values: list[str], sets: list[str], m: int) -> Supports:
    """How many rows share all single values and each set of at most m labels; the empty set is one, too."""
    counts: Supports = Counter()
    for row in rows:
        shared = tuple(json.dumps(row.get(column) or "") for column in values)
        labels = sorted((column, label) for column in sets for label in row[column])
        for size in range(m + 1):
            counts.update((shared, chosen) for chosen in combinations(labels, size))
    return counts


def check(certificate: Row, path: Path) -> tuple[int, str]:
    """The exit code, and what was found in a sentence."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != certificate["file"]["sha256"]:
        return FALSE, f"{path.name} is not the file that the certificate is about: its SHA-256 differs"
    promise = next((p for p in certificate["promises"] if p["model"] in MODELS), None)
    if promise is None or promise["parameters"].get("negative"):
        raise CannotTell(f"this script checks {', '.join(MODELS)} without facts of absence")
    sets = certificate["columns"]["sets"]
    if any(about["sensitive_items"] for about in sets.values()):
        raise CannotTell("some items are sensitive and count differently; use `shoal verify`")
    rows = rows_of(path, content, sets)
    values = [column for column in certificate["columns"]["quasi"] if column not in sets]
    k, m = int(promise["parameters"]["k"]), int(promise["parameters"].get("m", 0))
    counts = supports(rows, values, sorted(sets), m)
    if promise["model"] == "km-anonymity":  # there are no values to share, and knowing nothing tells nothing
        counts = Counter({known: count for known, count in counts.items() if known[1]})
    smallest, known = min(((count, known) for known, count in counts.items()), default=(None, None))
    if smallest is not None and smallest < k:
        return FALSE, f"only {smallest} rows fit {known}, fewer than k={k}"
    if smallest != certificate["verdict"]["smallest"]:
        return FALSE, f"the smallest support is {smallest}, the certificate says otherwise"
    return TRUE, f"{promise['model']} with {promise['parameters']} holds; the smallest support is {smallest}"


def main(arguments: list[str]) -> int:
    """Check the file and say what was found."""
    if len(arguments) != 2:
        sys.stderr.write(f"{__doc__}\n")
        return UNKNOWN
    try:
        certificate = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        code, sentence = check(certificate, Path(arguments[1]))
    except (CannotTell, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        code, sentence = UNKNOWN, f"cannot tell: {error}"
    sys.stdout.write(f"{'TRUE' if code == TRUE else 'FALSE' if code == FALSE else 'UNKNOWN'}: {sentence}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
