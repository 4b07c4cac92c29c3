"""Raw columns become coded ones: what a role makes of what stands in the source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import Problem
from shoal.kernels.arrays import Bools, Ints, freeze, wide
from shoal.table.canonical import (
    Canonical,
    MissingTokens,
    UnsupportedType,
    as_text,
    canonical_text,
    categories,
    dates,
    holds_lists,
    numbers,
    refuse_unsupported,
)
from shoal.table.columns import Carried, Coded, Column, Domain, Kind, Sets
from shoal.table.missing import with_nulls_for_missing
from shoal.table.multisets import is_counted, with_counts
from shoal.table.number_style import NumberStyle
from shoal.table.occurrences import ListBatch, ListBatches, Occurrences
from shoal.table.pairs import sets_of_pairs, sets_of_pieces
from shoal.table.raw import LISTED, Raw, TakesLists
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Role, Sensitive
from shoal.table.separators import stays_apart, that_run_into
from shoal.table.written import how_published, how_written
from shoal.threads import mapped

DEFAULT_SEPARATOR = " "
NULL_SET = "(null)"  # what stands for a null where sets are told apart from it
_HOW_WRITTEN = {
    Kind.NUMBER: "say how numbers are written (decimal, thousands)",
    Kind.DATE: "say how dates are written (format)",
}


@dataclass(frozen=True, slots=True)
class Encoded:
    """A column, what keeps it from being used, and what its reader should know."""

    column: Column | None
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()


def encode(raw: Raw, name: str, role: Role, missing: MissingTokens, *, published: bool = False) -> Encoded:
    """One column as its role reads it; quasi-identifiers of a published source as they are written there."""
    if isinstance(role, Insensitive):
        return _encode_untouched(raw, name, role, MissingTokens.only_nulls() if published else missing)
    kind, of_source = Kind(getattr(role, "kind", Kind.CATEGORY)), raw.type_of(name)
    try:
        if published and raw.typed and (isinstance(role, Quasi) or holds_lists(of_source)):
            missing = MissingTokens.only_nulls()
        if published and isinstance(role, QuasiSet):
            return _encode_published_sets(raw, name, role, missing)
        if published and isinstance(role, Quasi | Identifier):
            return _encode_published_values(raw, name, missing)
        if kind is Kind.SET:
            return _encode_sets(raw, name, role, missing)
        return _encode_values(raw, name, role, kind, missing, published=published)
    except UnsupportedType as error:
        return Encoded(None, (_unsupported(raw, name, of_source, str(error)),))


def holds_single_values(role: Role) -> bool:
    """Whether a column is encoded value by value, so that nobody needs all of its cells at once."""
    return isinstance(role, Quasi | Sensitive | Identifier) and getattr(role, "kind", None) != Kind.SET


def takes_lists(role: Role, missing: MissingTokens) -> TakesLists | None:
    """How some cells of a column of texts are taken as sets; None if its role makes no sets of them."""
    if getattr(role, "kind", None) != Kind.SET:
        return None
    return partial(_listed, separator=_separator(role), missing=missing)


def _separator(role: Role) -> str:
    return role.separator if isinstance(role, QuasiSet) else DEFAULT_SEPARATOR


def _encode_untouched(raw: Raw, name: str, role: Insensitive, missing: MissingTokens) -> Encoded:
    values = raw.table.column(name)
    if role.separator is not None and holds_lists(values.type):
        texts = _entries(_dictionary(_items(values, role.separator, missing)[1]))
        if problems := _ambiguous_items(raw, name, role.separator, texts):
            return Encoded(None, problems)
    owned = values if raw.library is None else _owned(values)
    return Encoded(Carried(with_nulls_for_missing(owned, missing), role.separator))


def _encode_values(
    raw: Raw, name: str, role: Role, kind: Kind, missing: MissingTokens, *, published: bool
) -> Encoded:
    occurrences = _occurrences(raw, name)
    entries = occurrences.entries
    how = how_published(role) if published else how_written(role)
    if kind is Kind.NUMBER and name in raw.mixed and how.style not in (None, NumberStyle()):
        what = "holds cells that are numbers and cells that are texts, which write numbers in different ways"
        return Encoded(
            None, (Problem(what, "make all its cells numbers, or all texts", raw.where, None, name),)
        )
    if kind is Kind.NUMBER:
        found = numbers(entries, missing, how.style)
    elif kind is Kind.DATE:
        found = dates(entries, missing, how.date_format, mixed=name in raw.mixed)
    else:
        found = categories(entries, missing)
    column = _column(occurrences, found)
    problems: list[Problem] = []
    if found.invalid.any():
        problems += _invalid_values(raw, name, kind, occurrences, found)
    elif len(found.units) > 1:
        what = f"holds numbers in several units: {', '.join(map(repr, found.units))}"
        remedy = "bring them into one unit, or read the column as a category"
        problems.append(Problem(what, remedy, file=raw.where, column=name))
    elif isinstance(role, Quasi | Sensitive) and role.missing == "reject" and column.missing_count:
        rows = np.flatnonzero(column.narrow == found.domain.missing)
        what = "holds missing values, which its rule refuses"
        problems.append(raw.problem_at(rows, what, 'fill them in, or set missing = "own"', name))
    return Encoded(column, tuple(problems))


def _encode_published_values(raw: Raw, name: str, missing: MissingTokens) -> Encoded:
    occurrences = _occurrences(raw, name, told_apart=True)
    found = categories(occurrences.entries, missing, as_written=True)
    return Encoded(_column(occurrences, found), (), _spellings(raw, name, found.domain.labels))


def _occurrences(raw: Raw, name: str, *, told_apart: bool = False) -> Occurrences:
    """The values of a column and where they stand; raises UnsupportedType."""
    refuse_unsupported(raw.type_of(name))
    in_batches = name in raw.batches
    found = raw.batches[name].occurrences() if in_batches else Occurrences.of(raw.table.column(name))
    if told_apart and not pa.types.is_dictionary(raw.type_of(name)):
        return replace(found, entries=_told_apart(found.entries))
    return found


def _column(occurrences: Occurrences, found: Canonical) -> Coded:
    return Coded(freeze(occurrences.codes(found.codes, len(found.domain))), found.domain)


def _told_apart(values: pa.Array) -> pa.Array:
    """Values that have different texts where they differ: hours with one local time, zeros, NaN and null."""
    kind = values.type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return values.cast(pa.timestamp(kind.unit))
    if pa.types.is_floating(kind) and not pa.types.is_float16(kind):
        minus_zero = pc.and_(pc.equal(values, 0.0), pc.less(pc.divide(1.0, values), 0.0))
        no_number = pc.is_nan(values)
        if pc.any(pc.or_(minus_zero, no_number), min_count=0).as_py():
            texts = pc.if_else(minus_zero, "-0", as_text(values))
            return pc.if_else(no_number, "nan", texts)
    return values


def _encode_sets(raw: Raw, name: str, role: Role, missing: MissingTokens) -> Encoded:
    separator = _separator(role)
    lists = _lists(raw, name, separator, missing)
    items = lists.items()
    found = categories(items.entries, missing, Kind.SET)
    if problems := _ambiguous_items(raw, name, separator, found.domain.labels):
        return Encoded(None, problems)
    notices = _absent_sensitive_items(raw, name, role, found.domain.labels)
    if isinstance(role, QuasiSet) and role.multiset:
        codes = wide(items.codes(found.codes, len(found.domain)))
        return _encode_multisets(raw, name, role, (_rows_of(lists), codes, found.domain), notices)
    column, repeating = _sets_of_lists(lists, items, found, separator)
    if len(repeating):
        how_often = f"in {len(repeating)} {'row' if len(repeating) == 1 else 'rows'}"
        notices += (f"{raw.where}, column {name!r}: repeated items were counted once, {how_often}",)
    return Encoded(column, (), notices)


def _encode_multisets(
    raw: Raw, name: str, role: QuasiSet, items: tuple[Ints, Ints, Domain], notices: tuple[str, ...]
) -> Encoded:
    """Sets of items with their counts; sensitive items are counted once."""
    rows, codes, domain = items
    texts = domain.texts()
    misread = [text for text in texts if is_counted(text)]
    if misread:
        what = f"items such as {', '.join(map(repr, misread[:LISTED]))} read like items with a count"
        remedy = "write them in another way, or leave out multiset = true"
        return Encoded(None, (Problem(what, remedy, file=raw.where, column=name),))
    present = codes < len(domain)
    sensitive = np.array([text in role.sensitive for text in texts], dtype=np.bool_)
    counted = with_counts(rows[present], codes[present], texts, sensitive)
    labels = pa.array(counted.labels, type=pa.string())
    if problems := _ambiguous_items(raw, name, role.separator, labels):
        return Encoded(None, problems)
    column, _ = sets_of_pairs(
        counted.rows, counted.codes, raw.row_count, Domain(Kind.SET, labels), role.separator
    )
    if counted.repeating_rows:
        how_often = f"in {counted.repeating_rows} {'row' if counted.repeating_rows == 1 else 'rows'}"
        notices += (f"{raw.where}, column {name!r}: repeated items were given their counts, {how_often}",)
    return Encoded(column, (), notices)


def _encode_published_sets(raw: Raw, name: str, role: QuasiSet, missing: MissingTokens) -> Encoded:
    """Sets as they are written, but for the spelling of sensitive items, which must be found.

    An item that stands twice in a set is another item the second time: equal sets are equal with repeats.
    """
    lists: ListBatches | None = None
    if raw.typed:
        rows, texts_of_items = _items(raw.table.column(name), role.separator, missing)
        rows, texts_of_items = _with_nulls_as_items(
            raw.table.column(name), rows, texts_of_items, role.separator
        )
        items = Occurrences.of(texts_of_items)
    else:
        lists = _lists(raw, name, role.separator, missing)
        items = lists.items()
    texts = _with_sensitive_canonical(as_text(items.entries), role)
    found = categories(texts, missing, Kind.SET, as_written=True)
    labels = found.domain.labels
    if problems := _ambiguous_items(raw, name, role.separator, labels):
        return Encoded(None, problems)
    notices = (*_absent_sensitive_items(raw, name, role, labels), *_spellings(raw, name, labels))
    if lists is None:
        codes = wide(items.codes(found.codes, len(labels)))
        column, repeating = _sets(rows, codes, found.domain, raw.row_count, role.separator)
    else:
        column, repeating = _sets_of_lists(lists, items, found, role.separator)
    if len(repeating):
        if lists is not None:
            rows, codes = _rows_of(lists), wide(items.codes(found.codes, len(labels)))
        entries, places = _repeats_as_items(rows, codes, labels, role)
        found = categories(entries, missing, Kind.SET, as_written=True)
        column, _ = _sets(rows, found.codes[places], found.domain, raw.row_count, role.separator)
        what = f"items are repeated in {len(repeating)} rows, and a repeat is taken as an item of its own"
        notices += (f"{raw.where}, column {name!r}: {what}",)
    return Encoded(column, (), notices)


def _with_nulls_as_items(
    values: pa.ChunkedArray, rows: Ints, items: pa.ChunkedArray, separator: str
) -> tuple[Ints, pa.ChunkedArray]:
    """Nulls as items of their own: a reader can tell a null from an empty set, and a null in a list.

    Where sets are texts, as in a frame that was read from text, a null is the empty set unless an empty text
    stands beside it.
    """
    label = NULL_SET
    while not stays_apart(label, separator) or pc.index(items, label).as_py() >= 0:
        label = f"{label}~" if stays_apart(f"{label}~", separator) else f"{label}+"
    of_lists = holds_lists(values.type)
    if of_lists:
        items = items.fill_null(label)
    null_rows = np.flatnonzero(values.is_null().to_numpy())
    empty = np.ones(len(values), dtype=np.bool_)
    empty[null_rows] = False
    empty[rows[_present(items)]] = False
    if not len(null_rows) or not (of_lists or empty.any()):
        return rows, items
    more = pa.array([label] * len(null_rows), type=pa.string())
    return np.concatenate((rows, null_rows)), pa.chunked_array([*items.chunks, more])


def _present(items: pa.ChunkedArray) -> Bools:
    present: Bools = pc.fill_null(pc.not_equal(items, ""), False).to_numpy()  # noqa: FBT003
    return present


def _sets(rows: Ints, codes: Ints, domain: Domain, row_count: int, separator: str) -> tuple[Sets, Ints]:
    present = codes < len(domain)
    return sets_of_pairs(rows[present], codes[present], row_count, domain, separator)


def _sets_of_lists(
    lists: ListBatches, items: Occurrences, found: Canonical, separator: str
) -> tuple[Sets, Ints]:
    sizes = (batch.sizes for batch in lists.batches)
    pieces = zip(sizes, items.codes_of_batches(found.codes, len(found.domain)), strict=True)
    return sets_of_pieces(pieces, lists.row_count, items.count, found.domain, separator)


def _rows_of(lists: ListBatches) -> Ints:
    sizes = np.concatenate([np.empty(0, dtype=np.int64), *(batch.sizes for batch in lists.batches)])
    return np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)


def _with_sensitive_canonical(texts: pa.StringArray, role: QuasiSet) -> pa.StringArray:
    canonical = canonical_text(texts)
    sensitive = pc.is_in(canonical, value_set=pa.array(role.sensitive, type=pa.string()))
    return pc.if_else(sensitive, canonical, texts)


def _repeats_as_items(
    rows: Ints, codes: Ints, labels: pa.StringArray, role: QuasiSet
) -> tuple[pa.StringArray, Ints]:
    """Labels with further ones for repeats, `a a` for the second `a`, and the label of each item.

    No other label can be like them, because none contains the separator. Missing items have the empty label,
    and a sensitive item is the same one each time.
    """
    texts = [*labels.to_pylist(), ""]
    once = np.isin(np.array(texts, dtype=object), np.array(["", *role.sensitive], dtype=object))
    order = np.lexsort((codes, rows))
    in_row, code = rows[order], codes[order]
    begins = np.concatenate(([True], (in_row[1:] != in_row[:-1]) | (code[1:] != code[:-1])))
    first = np.flatnonzero(begins)
    earlier = np.arange(len(code)) - np.repeat(first, np.diff(np.append(first, len(code))))
    earlier[once[code]] = 0
    distinct, places = np.unique(np.stack((code, earlier), axis=1), axis=0, return_inverse=True)
    written = [role.separator.join([texts[item]] * (before + 1)) for item, before in distinct.tolist()]
    place_of_item = np.empty(len(code), dtype=np.int64)
    place_of_item[order] = places.ravel()
    return pa.array(written, type=pa.string()), place_of_item


def _spellings(raw: Raw, name: str, labels: pa.StringArray) -> tuple[str, ...]:
    """A notice about labels that would be one value if they were not published."""
    canonical = canonical_text(labels)
    if len(canonical.unique()) == len(labels):
        return ()
    spellings: dict[str, list[str]] = {}
    for label, value in zip(labels.to_pylist(), canonical.to_pylist(), strict=True):
        spellings.setdefault(value, []).append(label)
    several = [" and ".join(map(ascii, written)) for written in spellings.values() if len(written) > 1]
    more = f" and {len(several) - LISTED} more" if len(several) > LISTED else ""
    what = f"{'; '.join(several[:LISTED])}{more} differ only in how they are written, and are told apart"
    return (f"{raw.where}, column {name!r}: {what}",)


def _absent_sensitive_items(raw: Raw, name: str, role: Role, labels: pa.StringArray) -> tuple[str, ...]:
    sensitive = role.sensitive if isinstance(role, QuasiSet) else ()
    present = set(labels.to_pylist()) if sensitive else set()
    in_lower_case = {label.lower(): label for label in present}
    absent = [item for item in sensitive if item not in present]
    if not absent:
        return ()
    meant = [in_lower_case[item.lower()] for item in absent if item.lower() in in_lower_case]
    hint = f"; did you mean {', '.join(map(repr, meant[:LISTED]))}?" if meant else ""
    listed = ", ".join(map(repr, absent[:LISTED])) + (", ..." if len(absent) > LISTED else "")
    return (f"{raw.where}, column {name!r}: sensitive items that do not occur: {listed}{hint}",)


def _items(values: pa.ChunkedArray, separator: str, missing: MissingTokens) -> tuple[Ints, pa.ChunkedArray]:
    """The items of all cells with the rows they stand in."""
    rows: list[Ints] = []
    items: list[pa.Array] = []
    start = 0
    for chunk in values.chunks:
        lists = chunk if holds_lists(chunk.type) else _split(chunk, separator, missing)
        rows.append(_numpy_ints(pc.list_parent_indices(lists)) + start)
        items.append(as_text(pc.list_flatten(lists)))
        start += len(chunk)
    no_rows = np.empty(0, dtype=np.int64)
    return np.concatenate(rows or [no_rows]), pa.chunked_array(items, type=pa.string())


def _lists(raw: Raw, name: str, separator: str, missing: MissingTokens) -> ListBatches:
    """The lists of a column, of whose items no text is kept but once in a batch."""
    if name in raw.lists:
        return raw.lists[name]
    listed = partial(_listed, separator=separator, missing=missing)
    return ListBatches(raw.type_of(name), tuple(mapped(listed, raw.table.column(name).chunks)))


def _listed(cells: pa.Array, separator: str, missing: MissingTokens) -> ListBatch:
    return ListBatch.of(cells if holds_lists(cells.type) else _split(cells, separator, missing))


def _split(cells: pa.Array, separator: str, missing: MissingTokens) -> pa.Array:
    texts = as_text(cells)
    # A token without the separator is an item, and dropped as one; the others are whole cells.
    whole_cells = missing.texts.filter(pc.match_substring(missing.texts, separator))
    if len(whole_cells):
        absent = pc.is_in(canonical_text(texts), value_set=whole_cells)
        texts = pc.if_else(absent, None, texts)
    return pc.split_pattern(texts, pattern=separator)


def _owned(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A copy: the memory of a frame is its owner's, who may write to it after it was read."""
    memory = pa.default_cpu_memory_manager()
    return pa.chunked_array([chunk.copy_to(memory) for chunk in values.chunks], type=values.type)


def _dictionary(values: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = values.type
    refuse_unsupported(kind)
    if pa.types.is_dictionary(kind):
        return values.unify_dictionaries()
    if pa.types.is_null(kind):
        values = values.cast(pa.string())
    elif pa.types.is_float16(kind):
        values = values.cast(pa.float32())
    return values.dictionary_encode()


def _entries(encoded: pa.ChunkedArray) -> pa.Array:
    if encoded.num_chunks:
        return encoded.chunk(0).dictionary
    return pa.array([], type=encoded.type.value_type)


def _numpy_ints(values: pa.Array) -> Ints:
    ints: Ints = values.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return ints


def _invalid_values(
    raw: Raw, name: str, kind: Kind, occurrences: Occurrences, found: Canonical
) -> list[Problem]:
    entry_of_row = occurrences.codes(np.arange(len(found.codes)), len(found.codes))
    entries = np.flatnonzero(found.invalid)
    texts = as_text(occurrences.entries.take(pa.array(entries[:LISTED]))).to_pylist()
    remedy = f"correct it, declare it as missing, {_HOW_WRITTEN[kind]}, or read the column as a category"
    problems = [
        raw.problem_at(np.flatnonzero(entry_of_row == entry), f"is not a {kind}", remedy, name, text)
        for entry, text in zip(entries, texts, strict=False)
    ]
    if len(entries) > len(problems):
        rows = int(np.count_nonzero(np.isin(entry_of_row, entries)))
        what = f"{len(entries)} different values in {rows} rows are no {kind}s; {LISTED} of them are listed"
        problems.append(Problem(what, file=raw.where, column=name))
    return problems


def _ambiguous_items(raw: Raw, name: str, separator: str, labels: pa.StringArray) -> tuple[Problem, ...]:
    ambiguous = that_run_into(labels, separator).to_pylist()
    problems = [
        Problem(
            f"the item contains the separator {separator!r} of the set, or ends in a part of it",
            "choose a separator that no item contains",
            file=raw.where,
            column=name,
            value=label,
        )
        for label in ambiguous[:LISTED]
    ]
    if len(ambiguous) > LISTED:
        what = f"{len(ambiguous)} items contain the separator; {LISTED} of them are listed"
        problems.append(Problem(what, file=raw.where, column=name))
    return tuple(problems)


def _unsupported(raw: Raw, name: str, kind: pa.DataType, reason: str) -> Problem:
    if holds_lists(kind):
        what = "holds lists, where its role asks for single values"
        remedy = "make it a set column, or drop the column"
    else:
        what = f"holds values of the type {reason}, which cannot be told apart"
        remedy = "turn it into text, or drop the column"
    return Problem(what, remedy, raw.where, None, name)
