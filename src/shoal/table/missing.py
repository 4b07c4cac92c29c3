"""Missing values of columns that are published untouched: nulls, whatever they were written as."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.arrays import Bools
from shoal.table.canonical import MissingTokens, UnsupportedType, categories, numbers


def with_nulls_for_missing(values: pa.ChunkedArray, missing: MissingTokens) -> pa.ChunkedArray:
    """The same values, as they are written, but for missing ones; lists stay as they are."""
    if pa.types.is_dictionary(values.type):
        return _categories_without(values.unify_dictionaries(), missing)
    if pa.types.is_null(values.type) or pa.types.is_nested(values.type):
        return values
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    if not len(missing.texts):
        return values
    encoded = values.dictionary_encode()
    entries = encoded.chunk(0).dictionary if encoded.num_chunks else pa.array([], type=values.type)
    absent = entries.filter(pa.array(_are_missing(entries, missing)))
    return (
        pc.if_else(pc.is_in(values, absent), pa.scalar(None, values.type), values) if len(absent) else values
    )


def _categories_without(values: pa.ChunkedArray, missing: MissingTokens) -> pa.ChunkedArray:
    if not values.num_chunks:
        return values
    absent = _are_missing(values.chunk(0).dictionary, missing)
    if not absent.any():
        return values
    places = pa.array(np.flatnonzero(absent), type=values.type.index_type)
    return pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(
                pc.if_else(pc.is_in(chunk.indices, places), None, chunk.indices),
                chunk.dictionary,
                ordered=values.type.ordered,
            )
            for chunk in values.chunks
        ]
    )


def _are_missing(entries: pa.Array, missing: MissingTokens) -> Bools:
    is_number = pa.types.is_integer(entries.type) or pa.types.is_floating(entries.type)
    try:
        found = numbers(entries, missing) if is_number else categories(entries, missing)
    except (UnsupportedType, pa.ArrowNotImplementedError):
        return np.zeros(len(entries), dtype=np.bool_)
    return np.asarray((found.codes == len(found.domain)) & ~found.invalid)
