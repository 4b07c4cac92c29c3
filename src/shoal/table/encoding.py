"""Raw columns become coded ones: what a role makes of what stands in the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import Problem
from shoal.kernels.arrays import Ints
from shoal.table.canonical import (
    Canonical,
    MissingTokens,
    UnsupportedType,
    as_text,
    canonical_text,
    categories,
    dates,
    numbers,
)
from shoal.table.columns import Carried, Coded, Column, Kind
from shoal.table.pairs import sets_of_pairs
from shoal.table.raw import LISTED, Raw
from shoal.table.roles import Insensitive, Quasi, QuasiSet, Role, Sensitive

DEFAULT_SEPARATOR = " "


@dataclass(frozen=True, slots=True)
class Encoded:
    """A column, what keeps it from being used, and what its reader should know."""

    column: Column | None
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()


def encode(raw: Raw, name: str, role: Role, missing: MissingTokens) -> Encoded:
    """One column as its role reads it."""
    values = raw.table.column(name)
    if isinstance(role, Insensitive):
        return Encoded(Carried(values))
    kind = Kind(getattr(role, "kind", Kind.CATEGORY))
    try:
        if kind is Kind.SET:
            separator = role.separator if isinstance(role, QuasiSet) else DEFAULT_SEPARATOR
            return _encode_sets(raw, name, separator, missing)
        return _encode_values(raw, name, role, kind, missing)
    except UnsupportedType as error:
        return Encoded(None, (_unsupported(raw, name, values.type, str(error)),))


def _encode_values(raw: Raw, name: str, role: Role, kind: Kind, missing: MissingTokens) -> Encoded:
    encoded = _dictionary(raw.table.column(name))
    entries = _entries(encoded)
    date_format = role.date_format if isinstance(role, Quasi | Sensitive) else None
    if kind is Kind.NUMBER:
        found = numbers(entries, missing)
    elif kind is Kind.DATE:
        found = dates(entries, missing, date_format)
    else:
        found = categories(entries, missing)
    codes = _gathered(encoded, found.codes, len(found.domain))
    codes.flags.writeable = False  # nobody else has it, so it needs no copy
    column = Coded(codes, found.domain)
    problems: list[Problem] = []
    if found.invalid.any():
        problems += _invalid_values(raw, name, kind, encoded, found)
    elif isinstance(role, Quasi | Sensitive) and role.missing == "reject" and column.missing_count:
        rows = np.flatnonzero(column.codes == found.domain.missing)
        what = "holds missing values, which its rule refuses"
        problems.append(raw.problem_at(rows, what, 'fill them in, or set missing = "own"', name))
    return Encoded(column, tuple(problems))


def _encode_sets(raw: Raw, name: str, separator: str, missing: MissingTokens) -> Encoded:
    row_of_item, items = _items(raw.table.column(name), separator, missing)
    encoded = _dictionary(items)
    found = categories(_entries(encoded), missing, Kind.SET)
    domain = found.domain
    ambiguous = domain.labels.filter(pc.match_substring(domain.labels, separator))
    if len(ambiguous):
        return Encoded(None, tuple(_ambiguous_items(raw, name, separator, ambiguous.to_pylist())))
    codes = _gathered(encoded, found.codes, len(domain))
    present = codes < len(domain)
    column, repeating = sets_of_pairs(
        row_of_item[present], codes[present], raw.table.num_rows, domain, separator
    )
    if not len(repeating):
        return Encoded(column)
    notice = f"{raw.where}, column {name!r}: repeated items were counted once, in {len(repeating)} rows"
    return Encoded(column, (), (notice,))


def _items(values: pa.ChunkedArray, separator: str, missing: MissingTokens) -> tuple[Ints, pa.ChunkedArray]:
    """The items of all cells with the rows they stand in."""
    rows: list[Ints] = []
    items: list[pa.Array] = []
    start = 0
    for chunk in values.chunks:
        lists = chunk if _holds_lists(chunk.type) else _split(chunk, separator, missing)
        rows.append(_numpy_ints(pc.list_parent_indices(lists)) + start)
        items.append(as_text(pc.list_flatten(lists)))
        start += len(chunk)
    no_rows = np.empty(0, dtype=np.int64)
    return np.concatenate(rows or [no_rows]), pa.chunked_array(items, type=pa.string())


def _split(cells: pa.Array, separator: str, missing: MissingTokens) -> pa.Array:
    texts = as_text(cells)
    # A token without the separator is an item, and dropped as one; the others are whole cells.
    whole_cells = missing.texts.filter(pc.match_substring(missing.texts, separator))
    if len(whole_cells):
        absent = pc.is_in(canonical_text(texts), value_set=whole_cells)
        texts = pc.if_else(absent, None, texts)
    return pc.split_pattern(texts, pattern=separator)


def _dictionary(values: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = values.type
    as_text(pa.array([], type=kind))  # raises UnsupportedType
    if pa.types.is_dictionary(kind):
        return values.unify_dictionaries()
    if pa.types.is_null(kind) or pa.types.is_string_view(kind):
        values = values.cast(pa.string())
    elif pa.types.is_float16(kind):
        values = values.cast(pa.float32())
    return values.dictionary_encode()


def _entries(encoded: pa.ChunkedArray) -> pa.Array:
    if encoded.num_chunks:
        return encoded.chunk(0).dictionary
    return pa.array([], type=encoded.type.value_type)


def _gathered(encoded: pa.ChunkedArray, code_of_entry: Ints, missing_code: int) -> Ints:
    lookup = np.append(code_of_entry, missing_code)  # a null has entry -1, the last place
    codes = np.empty(len(encoded), dtype=np.int64)
    start = 0
    for chunk in encoded.chunks:
        stop = start + len(chunk)
        np.take(lookup, _numpy_ints(chunk.indices), out=codes[start:stop], mode="wrap")
        start = stop
    return codes


def _numpy_ints(values: pa.Array) -> Ints:
    ints: Ints = values.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return ints


def _holds_lists(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _invalid_values(
    raw: Raw, name: str, kind: Kind, encoded: pa.ChunkedArray, found: Canonical
) -> list[Problem]:
    entry_of_row = _gathered(encoded, np.arange(len(found.codes)), -1)
    entries = np.flatnonzero(found.invalid)
    texts = as_text(_entries(encoded).take(pa.array(entries[:LISTED]))).to_pylist()
    remedy = "correct it, declare it as missing, or read the column as a category"
    problems = [
        raw.problem_at(np.flatnonzero(entry_of_row == entry), f"is not a {kind}", remedy, name, text)
        for entry, text in zip(entries, texts, strict=False)
    ]
    if len(entries) > len(problems):
        rows = int(np.count_nonzero(np.isin(entry_of_row, entries)))
        what = f"{len(entries)} different values in {rows} rows are no {kind}s; {LISTED} of them are listed"
        problems.append(Problem(what, file=raw.where, column=name))
    return problems


def _ambiguous_items(raw: Raw, name: str, separator: str, labels: Sequence[str]) -> list[Problem]:
    problems = [
        Problem(
            f"the item contains the separator {separator!r} of the set",
            "choose a separator that no item contains",
            file=raw.where,
            column=name,
            value=label,
        )
        for label in labels[:LISTED]
    ]
    if len(labels) > LISTED:
        what = f"{len(labels)} items contain the separator; {LISTED} of them are listed"
        problems.append(Problem(what, file=raw.where, column=name))
    return problems


def _unsupported(raw: Raw, name: str, kind: pa.DataType, reason: str) -> Problem:
    remedy = "make it a set column" if _holds_lists(kind) else "turn it into text, or drop the column"
    return Problem(
        f"holds values of the type {reason}, which cannot be told apart", remedy, raw.where, None, name
    )
