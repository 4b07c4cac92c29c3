"""What is in a file, how unique its people are, and which role each column could have."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Ints
from shoal.kernels.grouping import group_rows
from shoal.table.reading import ReadOptions, inspect

MANY = 20  # distinct values from which a tree helps more than a list
SET_SEPARATORS = ("|", ";", ",", " ")
NAMING = re.compile(
    r"(^|[^a-z])(id|name|surname|e?mail|phone|tel|ssn|passport|address|iban|account|mrn)([^a-z]|$)", re.I
)
TELLING = re.compile(
    r"(diagnos|disease|outcome|result|income|salary|wage|religion|party|orientation|hiv|drug)", re.I
)
POSTAL = re.compile(r"(zip|postal|postcode|plz)", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """One column: what it looks like, how telling it is, and the role it could have."""

    name: str
    kind: str
    distinct: int
    missing: int
    unique_share: float
    role: str
    reason: str
    separator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A file at a glance; `uniqueness` pairs columns with the share of records they single out."""

    records: int
    columns: tuple[ColumnProfile, ...]
    uniqueness: tuple[tuple[tuple[str, ...], float], ...]
    missing: tuple[str, ...] = ("",)
    notices: tuple[str, ...] = ()


def profile(source: Path, options: ReadOptions) -> Profile:
    """Look at every column of a file."""
    raw = inspect(source, options)
    codes = {name: _codes(raw.column(name)) for name in raw.column_names}
    columns = tuple(_column(name, raw.column(name), codes[name]) for name in raw.column_names)
    known = [column.name for column in columns if column.role == "quasi" and column.kind != "set"]
    return Profile(
        records=raw.num_rows,
        columns=columns,
        uniqueness=tuple(_uniqueness(known, codes)),
        missing=options.missing,
        notices=("roles are suggestions from names and counts: only you know what an adversary could know",),
    )


def _codes(column: pa.ChunkedArray) -> Ints:
    values = column.cast(pa.string()) if not pa.types.is_list(column.type) else pc.binary_join(column, " ")
    encoded = values.combine_chunks().dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def _unique_share(codes: Sequence[Ints]) -> float:
    if len(codes[0]) == 0:
        return 0.0
    class_of_row, first_rows = group_rows(np.stack(codes, axis=1))
    sizes = np.bincount(class_of_row, minlength=len(first_rows))
    return float(np.count_nonzero(sizes == 1) / len(class_of_row))


def _uniqueness(names: Sequence[str], codes: dict[str, Ints]) -> list[tuple[tuple[str, ...], float]]:
    """All columns together, then the pairs and single columns that single out most."""
    shown: list[tuple[tuple[str, ...], float]] = []
    if len(names) > 2:
        shown.append((tuple(names), _unique_share([codes[name] for name in names])))
    pairs = [
        (pair, _unique_share([codes[name] for name in pair]))
        for pair in itertools.combinations(names[:30], 2)
    ]
    singles = [((name,), _unique_share([codes[name]])) for name in names]
    shown += sorted(pairs, key=lambda entry: -entry[1])[:10]
    shown += sorted(singles, key=lambda entry: -entry[1])[:10]
    return shown


def _column(name: str, column: pa.ChunkedArray, codes: Ints) -> ColumnProfile:
    present = column.drop_null()
    distinct = (
        pc.count_distinct(present).as_py() if not pa.types.is_list(column.type) else len(np.unique(codes))
    )
    unique_share = _unique_share([codes])
    kind, separator = _kind(column)
    role, reason = _role(name, kind, distinct, unique_share)
    return ColumnProfile(
        name=name,
        kind=kind,
        distinct=distinct,
        missing=column.null_count,
        unique_share=unique_share,
        role=role,
        reason=reason,
        separator=separator,
    )


def _kind(column: pa.ChunkedArray) -> tuple[str, str | None]:
    if pa.types.is_list(column.type):
        return "set", " "
    texts = pc.unique(column.drop_null().cast(pa.string()))
    if len(texts) == 0:
        return "category", None
    if _all_match(texts, r"^[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?$"):
        return "number", None
    if _all_match(texts, r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$"):
        return "date", None
    for separator in SET_SEPARATORS:
        parts = pc.list_flatten(pc.split_pattern(texts, separator))
        items = pc.count_distinct(parts).as_py()
        several = len(parts) / len(texts)
        if several > 1.5 and items < len(texts) / 2:
            return "set", separator
    return "category", None


def _all_match(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _role(name: str, kind: str, distinct: int, unique_share: float) -> tuple[str, str]:
    if kind == "set":
        return "quasi", "a set of items that somebody could know in part"
    if NAMING.search(name) and unique_share > 0.5:
        return "identifier", "its name and its unique values point to one person"
    if kind == "category" and unique_share > 0.9:
        return "identifier", "nearly every record has a value of its own"
    if TELLING.search(name):
        return "sensitive", "its name suggests something that nobody should learn about a person"
    if distinct <= 1:
        return "insensitive", "all records agree"
    return "quasi", "could be known to somebody and tell people apart (the safe assumption)"


def starter_policy(found: Profile, data: Path, policy: Path) -> None:
    """Write a policy to start from; an existing file is never overwritten."""
    if policy.exists():
        raise BadInput(
            Problem("exists already", "choose another name for the starter policy", file=str(policy))
        )
    lines = [
        "[data]",
        f"path = {_quoted(_relative(data, policy))}",
        f"missing = {_list(found.missing)}",
        "",
        "[columns]",
    ]
    for column in found.columns:
        lines += [f"# {column.reason}", f"{_key(column.name)} = {_entry(column)}"]
    has_sets = any(column.kind == "set" and column.role == "quasi" for column in found.columns)
    has_table = any(column.kind != "set" and column.role == "quasi" for column in found.columns)
    model = "k-km-anonymity" if has_sets and has_table else "km-anonymity" if has_sets else "k-anonymity"
    lines += ["", "[privacy]", f'model = "{model}"', "k = 5"]
    if has_sets:
        lines.append("m = 2")
    lines += ["", "[algorithm]", 'name = "auto"', "", "[output]", 'path = "published.csv"', ""]
    try:
        policy.write_text("\n".join(lines), encoding="utf-8")
    except OSError as error:
        raise BadInput(
            Problem(f"cannot be written: {error.strerror}", "choose another place", file=str(policy))
        ) from error


def _entry(column: ColumnProfile) -> str:
    parts = [f'role = "{column.role}"']
    if column.role in ("quasi", "sensitive") and column.kind != "category":
        parts.append(f'kind = "{column.kind}"')
    if column.role == "quasi":
        if column.kind == "set" and column.separator is not None:
            parts.append(f"separator = {_quoted(column.separator)}")
        parts.append(f"hierarchy = {_hierarchy(column)}")
    return "{ " + ", ".join(parts) + " }"


def _hierarchy(column: ColumnProfile) -> str:
    if column.kind == "number":
        return "{ fanout = 5 }" if not POSTAL.search(column.name) else '{ mask = "right" }'
    if column.kind == "date":
        return '{ dates = ["month", "year", "decade"] }'
    if POSTAL.search(column.name):
        return '{ mask = "right" }'
    return "{ fanout = 5 }" if column.kind == "set" or column.distinct > MANY else "{ flat = true }"


def _relative(data: Path, policy: Path) -> str:
    try:
        return str(data.resolve().relative_to(policy.resolve().parent))
    except ValueError:
        return str(data.resolve())


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


def _list(texts: Sequence[str]) -> str:
    return "[" + ", ".join(map(_quoted, dict.fromkeys(texts))) + "]"
