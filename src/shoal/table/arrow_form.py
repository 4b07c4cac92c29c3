"""The columns of a table as Arrow arrays: typed, or as the texts that text formats hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.arrays import Floats, Ints, wide
from shoal.table.canonical import as_text, holds_lists, is_text
from shoal.table.columns import Carried, Coded, Column, Kind, Sets, Table
from shoal.table.pairs import sets_of_pairs

_NUMBER = r"^[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$"
_DAY = r"^\d{4}-\d\d-\d\d$"


def in_text_order(table: Table) -> Table:
    """The same table with the labels of each set in the order of their texts."""
    return table.replacing(
        {name: _sorted_sets(column) for name, column in table.columns.items() if isinstance(column, Sets)}
    )


def typed_column(column: Column, start: int, stop: int) -> pa.Array:
    """Some rows: texts, numbers, dates or lists, and nulls for missing values."""
    if isinstance(column, Carried):
        return _carried_rows(column, start, stop)
    if isinstance(column, Sets):
        return set_column(column, column.domain.labels, start, stop)
    return coded_column(column, typed_values(column), start, stop)


def text_column(column: Column, start: int, stop: int) -> pa.StringArray:
    """Some rows as texts, nulls for missing values; sets joined by their separator."""
    if isinstance(column, Carried):
        values = _carried_rows(column, start, stop)
        return as_text(values) if column.separator is None else _joined(values, column.separator)
    if isinstance(column, Sets):
        return pc.binary_join(set_column(column, column.domain.labels, start, stop), column.separator)
    return coded_column(column, column.domain.labels, start, stop)


def _joined(values: pa.Array, separator: str) -> pa.StringArray:
    """Lists as texts; what is no list stays what it is."""
    if not holds_lists(values.type):
        return as_text(values)
    sizes = pc.fill_null(pc.list_value_length(values), 0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    items = as_text(pc.list_flatten(values)).fill_null("")
    lists = pa.ListArray.from_arrays(pa.array(offsets), items)
    return pc.if_else(values.is_valid(), pc.binary_join(lists, separator), None)


def numbers_told(values: pa.Array) -> Floats | None:
    """Numbers, or dates as days since 1970, NaN for missing ones; also of texts that write nothing else.

    None if they are something else. Texts such as 01067 are codes and no numbers.
    """
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if is_text(values.type):
        values = _typed(values)
    if pa.types.is_date(values.type) or pa.types.is_timestamp(values.type):
        values = values.cast(pa.date32(), safe=False).cast(pa.int32())
    elif not (
        pa.types.is_integer(values.type)
        or pa.types.is_floating(values.type)
        or pa.types.is_decimal(values.type)
    ):
        return None
    numbers: Floats = values.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    return numbers


def _typed(texts: pa.Array) -> pa.Array:
    """Texts as numbers or days, if all of them are."""
    for pattern, kind in ((_NUMBER, pa.float64()), (_DAY, pa.date32())):
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py():
            try:
                return texts.cast(kind)
            except pa.ArrowInvalid:  # a day that its month does not have
                continue
    return texts


def typed_values(column: Coded) -> pa.Array:
    """The domain as the type of its kind."""
    domain = column.domain
    if domain.kind == Kind.DATE:
        return domain.labels.cast(pa.date32())
    if domain.kind == Kind.NUMBER and domain.numbers is not None:
        values = pa.array(domain.numbers)
        whole = bool(np.all(domain.numbers == np.floor(domain.numbers)))
        return values.cast(pa.int64()) if whole else values
    return domain.labels


def set_column(column: Sets, texts: pa.StringArray, start: int, stop: int) -> pa.ListArray:
    """Some rows of sets as lists of the given text of each item."""
    starts = column.starts
    items = column.narrow[starts[start] : starts[stop]]
    offsets = (starts[start : stop + 1] - starts[start]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), texts.take(pa.array(items)))


def coded_column(column: Coded, texts: pa.Array, start: int, stop: int) -> pa.Array:
    """Some rows of single values as the given text of each value, nulls for missing ones."""
    codes = wide(column.narrow[start:stop])
    return texts.take(pa.array(codes, mask=codes == column.domain.missing))


def to_arrow(
    table: Table,
    types: Mapping[str, pa.DataType],
    orders: Mapping[str, pa.StringArray] = MappingProxyType({}),
) -> pa.Table:
    """The whole table, with the types of its source wherever all its published labels still have them.

    `orders` are the categories of categorical columns, canonical, in their order.
    """
    ordered = in_text_order(table)
    columns = {}
    for name, column in ordered.columns.items():
        wanted = types.get(name)
        were_texts = wanted is not None and is_text(_of_entries(wanted))
        as_they_were = text_column if isinstance(column, Sets) and were_texts else typed_column
        values = as_they_were(column, 0, table.row_count)
        if wanted is not None and not isinstance(column, Carried):
            values = _restored(values, wanted, orders.get(name))
        columns[name] = values
    return pa.table(columns)


def _of_entries(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _restored(values: pa.Array, wanted: pa.DataType, order: pa.StringArray | None) -> pa.Array:
    if pa.types.is_dictionary(wanted) and not pa.types.is_nested(values.type):
        return _categorical(values, wanted, order)
    try:
        if pa.types.is_timestamp(wanted) and wanted.tz is not None and is_text(values.type):
            local = values.cast(pa.timestamp(wanted.unit))
            return pc.assume_timezone(local, wanted.tz, ambiguous="earliest", nonexistent="earliest")
        return values.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # generalized labels are no such values
        return values


def _categorical(values: pa.Array, wanted: pa.DataType, order: pa.StringArray | None) -> pa.Array:
    """Categories in the order of the source, but none that is not published."""
    texts = as_text(values)
    used = None if order is None else order.filter(pc.is_in(order, value_set=texts.unique()))
    if used is None or len(used) < len(texts.drop_null().unique()):  # generalized labels have no such order
        return _restored(values, wanted.value_type, None).dictionary_encode()
    return pa.DictionaryArray.from_arrays(
        pc.index_in(texts, value_set=used), _restored(used, wanted.value_type, None), ordered=wanted.ordered
    )


def _sorted_sets(column: Sets) -> Sets:
    labels = column.domain.labels
    order: Ints = pc.array_sort_indices(labels).to_numpy().astype(np.int64)
    if np.array_equal(order, np.arange(len(order))):
        return column
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    domain = replace(column.domain, labels=labels.take(pa.array(order)), numbers=None)
    rows = np.repeat(np.arange(len(column)), column.sizes)
    sets, _ = sets_of_pairs(rows, rank[column.narrow], len(column), domain, column.separator)
    return sets


def _carried_rows(column: Carried, start: int, stop: int) -> pa.Array:
    values = column.values.slice(start, stop - start)
    if not pa.types.is_dictionary(values.type):
        return pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], type=values.type)
    return _without_unused_values(values)


def _without_unused_values(values: pa.ChunkedArray) -> pa.DictionaryArray:
    """A categorical column lists its categories, also those of records that are not published."""
    unified = values.unify_dictionaries().combine_chunks()
    array = unified.chunk(0) if isinstance(unified, pa.ChunkedArray) else unified
    used = pc.unique(array.indices.drop_null()).sort()
    return pa.DictionaryArray.from_arrays(
        pc.index_in(array.indices, value_set=used), array.dictionary.take(used), ordered=array.type.ordered
    )
