"""What is in a file, how unique its people are, and which role each column could have."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import UnknownName
from shoal.kernels.arrays import Ints
from shoal.kernels.grouping import group_rows
from shoal.table.canonical import MissingTokens, UnsupportedType, as_text, categories
from shoal.table.reading import ReadOptions, inspect

PAIRED = 30  # columns whose pairs are looked at
SET_SEPARATORS = ("|", ";", ",", " ")
_JOINT = "\x1f"  # between the items of a list, which may contain any usual separator
NAMING = re.compile(
    r"(^|[^a-z])(id|name|surname|e?mail|phone|tel|ssn|passport|address|iban|account|mrn)([^a-z]|$)", re.I
)
TELLING = re.compile(
    r"(diagnos|disease|outcome|result|income|salary|wage|religion|party|orientation|hiv|drug)", re.I
)


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


@dataclass(frozen=True, slots=True)
class _Values:
    """A column as distinct texts and the text of each row; len(texts) stands for a missing value.

    `separator` is given if the source itself holds lists; then the texts are theirs, joined.
    """

    texts: pa.StringArray
    codes: Ints
    separator: str | None = None


def profile(source: Path, options: ReadOptions) -> Profile:
    """Look at every column of a file."""
    raw = inspect(source, options)
    missing = MissingTokens.of(options.missing)
    values = {name: _values(raw.column(name), missing) for name in raw.column_names}
    if source.name.lower().removesuffix(".gz").endswith((".txt", ".dat")):  # one set per line, by its ending
        values = {name: found and replace(found, separator=" ") for name, found in values.items()}
    columns = tuple(_column(name, found, raw.column(name).type) for name, found in values.items())
    known = {
        column.name: found.codes
        for column in columns
        if column.role == "quasi" and column.kind != "set" and (found := values[column.name])
    }
    return Profile(
        records=raw.num_rows,
        columns=columns,
        uniqueness=tuple(_uniqueness(known)),
        missing=options.missing,
        notices=("roles are suggestions from names and counts: only you know what an adversary could know",),
    )


def unique_share(raw: pa.Table, columns: Sequence[str], missing: Sequence[str]) -> float:
    """The share of the records of a table that nobody else agrees with in all of these columns."""
    tokens = MissingTokens.of(tuple(missing))
    unknown = [name for name in columns if name not in raw.column_names]
    if unknown or not columns:
        raise UnknownName("The file", "column", unknown[0] if unknown else "", raw.column_names)
    codes = [found.codes for name in columns if (found := _values(raw.column(name), tokens)) is not None]
    return _unique_share(codes) if codes else 0.0


def _values(column: pa.ChunkedArray, missing: MissingTokens) -> _Values | None:
    """None for a type whose values cannot be told apart."""
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    try:
        if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            return replace(_encoded(_joined(column), missing), separator=" ")
        return _encoded(column, missing)
    except (UnsupportedType, pa.ArrowNotImplementedError):
        return None


def _encoded(column: pa.ChunkedArray, missing: MissingTokens) -> _Values:
    encoded = (
        column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    )
    entries = encoded.chunk(0).dictionary if encoded.num_chunks else pa.array([], type=pa.string())
    found = categories(as_text(entries), missing)
    indices = [chunk.indices.cast(pa.int64()).fill_null(-1) for chunk in encoded.chunks]
    lookup = np.append(found.codes, len(found.domain))  # a null has entry -1, the last place
    return _Values(found.domain.labels, lookup[pa.chunked_array(indices, type=pa.int64()).to_numpy()])


def _joined(column: pa.ChunkedArray) -> pa.ChunkedArray:
    texts = [
        pc.binary_join(pa.ListArray.from_arrays(_offsets(chunk), as_text(pc.list_flatten(chunk))), _JOINT)
        for chunk in column.chunks
    ]
    return pa.chunked_array(texts, type=pa.string())


def _offsets(lists: pa.Array) -> pa.Array:
    lengths = pc.fill_null(pc.list_value_length(lists), 0)
    return pa.array(np.concatenate(([0], np.cumsum(lengths.to_numpy(zero_copy_only=False)))), type=pa.int32())


def _unique_share(codes: Sequence[Ints]) -> float:
    if len(codes[0]) == 0:
        return 0.0
    class_of_row, first_rows = group_rows(np.stack(codes, axis=1))
    sizes = np.bincount(class_of_row, minlength=len(first_rows))
    return float(np.count_nonzero(sizes == 1) / len(class_of_row))


def _uniqueness(known: Mapping[str, Ints]) -> list[tuple[tuple[str, ...], float]]:
    """All columns together, then the pairs and single columns that single out most."""
    names = list(known)
    shown: list[tuple[tuple[str, ...], float]] = []
    if len(names) > 2:
        shown.append((tuple(names), _unique_share(list(known.values()))))
    pairs = [
        (pair, _unique_share([known[name] for name in pair]))
        for pair in itertools.combinations(names[:PAIRED], 2)
    ]
    singles = [((name,), _unique_share([known[name]])) for name in names]
    shown += sorted(pairs, key=lambda entry: -entry[1])[:10]
    shown += sorted(singles, key=lambda entry: -entry[1])[:10]
    return shown


def _column(name: str, values: _Values | None, kind: pa.DataType) -> ColumnProfile:
    if values is None:
        reason = "no rule tells such values apart: leave the column out"
        return ColumnProfile(
            name=name, kind=str(kind), distinct=0, missing=0, unique_share=0.0, role="drop", reason=reason
        )
    unique_share = _unique_share([values.codes])
    guess, separator = _kind(values)
    role, reason = _role(name, guess, len(values.texts), unique_share)
    if role == "identifier":
        guess, separator = "category", None
    return ColumnProfile(
        name=name,
        kind=guess,
        distinct=len(values.texts),
        missing=0 if guess == "set" else int(np.count_nonzero(values.codes == len(values.texts))),
        unique_share=unique_share,
        role=role,
        reason=reason,
        separator=separator,
    )


def _kind(values: _Values) -> tuple[str, str | None]:
    texts = values.texts
    if values.separator is not None:
        return "set", values.separator
    if len(texts) == 0:
        return "category", None
    if _all_match(texts, r"^[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?$"):
        return "number", None
    if _all_match(texts, r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$"):
        return "date", None
    return next(
        (("set", mark) for mark in SET_SEPARATORS if _looks_like_sets(texts, mark)), ("category", None)
    )


def _looks_like_sets(texts: pa.StringArray, separator: str) -> bool:
    """Cells of several pieces that return in other cells; names and addresses vary less in length."""
    pieces = pc.split_pattern(texts, separator)
    sizes = pc.list_value_length(pieces)
    items = pc.count_distinct(pc.list_flatten(pieces)).as_py()
    several = pc.mean(sizes).as_py() > 1.5
    return bool(several and items < len(texts) / 2 and pc.count_distinct(sizes).as_py() > 2)


def _all_match(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _role(name: str, kind: str, distinct: int, unique_share: float) -> tuple[str, str]:
    if NAMING.search(name) and unique_share > 0.5:
        return "identifier", "its name and its unique values point to one person"
    if kind == "set":
        return "quasi", "a set of items that somebody could know in part"
    if kind == "category" and unique_share > 0.9:
        return "identifier", "nearly every record has a value of its own"
    if TELLING.search(name):
        return "sensitive", "its name suggests something that nobody should learn about a person"
    if distinct <= 1:
        return "insensitive", "all records agree"
    return "quasi", "could be known, and tells people apart"
