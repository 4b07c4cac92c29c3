"""Where the values of a column stand: each value once, and its place among them in every row.

A column can be taken batch by batch, so that its texts are never in memory all at once. A batch keeps the
values that occur in it and one small number per row, or per item of a list; what equals what is decided when
all batches are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.arrays import Codes, Ints, freeze, frozen_codes, narrowest
from shoal.table.canonical import as_text

Cells = TypeVar("Cells", pa.Array, pa.ChunkedArray)

_NULL = -1  # as an entry


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows: their values, and the place of each row's value among these; a null is behind the last."""

    values: pa.Array
    places: Codes

    @classmethod
    def of(cls, cells: pa.Array) -> Batch:
        """Take the values of some cells; of a categorical column also those that do not occur."""
        if pa.types.is_dictionary(cells.type):
            return cls(cells.dictionary, _places(cells))
        kind = _entry_type(cells.type)
        encoded = _as_bits(cells.cast(kind)).dictionary_encode()
        return cls(encoded.dictionary.view(kind), _places(encoded))

    @classmethod
    def of_read_as_dictionary(cls, cells: pa.DictionaryArray) -> Batch:
        """Take texts that a reader keeps once: some of those that it keeps may not occur."""
        places, values = _places(cells), cells.dictionary
        occurs = np.bincount(places, minlength=len(values) + 1)[:-1] > 0
        if occurs.all():
            return cls(values, places)
        kept = np.append(np.cumsum(occurs) - 1, np.count_nonzero(occurs))
        return cls(values.filter(pa.array(occurs)), frozen_codes(kept)[places])

    def cast(self, kind: pa.DataType) -> Batch:
        """The same with values of another type."""
        return self if self.values.type == kind else replace(self, values=self.values.cast(kind))


@dataclass(frozen=True, slots=True, eq=False)
class ListBatch:
    """Some rows of lists: how many items each row has, and these items as texts, one behind the other."""

    sizes: Codes
    items: Batch

    @classmethod
    def of(cls, lists: pa.Array) -> ListBatch:
        """Take some lists; a null has no items."""
        sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
        return cls(frozen_codes(sizes), Batch.of(as_text(pc.list_flatten(lists))))


@dataclass(frozen=True, slots=True, eq=False)
class ListBatches:
    """A column of lists that was taken batch by batch; `kind` is the type that it has in its source."""

    kind: pa.DataType
    batches: tuple[ListBatch, ...]

    @property
    def row_count(self) -> int:
        """How many lists there are."""
        return sum(len(batch.sizes) for batch in self.batches)

    def items(self) -> Occurrences:
        """Every item of all batches once."""
        return Batches(pa.string(), tuple(batch.items for batch in self.batches)).occurrences()


@dataclass(frozen=True, slots=True, eq=False)
class Batches:
    """A column that was taken batch by batch; `kind` is the type that it has in its source."""

    kind: pa.DataType
    batches: tuple[Batch, ...]

    @classmethod
    def of(cls, values: pa.ChunkedArray) -> Batches:
        """Take a column that is in memory."""
        return cls(values.type, tuple(map(Batch.of, values.chunks)))

    @classmethod
    def joined(cls, parts: Sequence[Batches], kind: pa.DataType) -> Batches:
        """The batches of all parts, whose types have become one."""
        entries = _entry_type(kind)
        return cls(kind, tuple(batch.cast(entries) for part in parts for batch in part.batches))

    def occurrences(self) -> Occurrences:
        """Every value of all batches once."""
        kind = _entry_type(self.kind)
        values = _as_bits(pa.chunked_array([batch.values for batch in self.batches], type=kind))
        encoded = values.dictionary_encode()
        if not encoded.num_chunks:  # there are no values, or none but nulls
            nulls = tuple((batch.places, np.array([_NULL])) for batch in self.batches)
            return Occurrences(pa.array([], type=kind), nulls)
        entry_of_value = np.concatenate([_entries_of(chunk) for chunk in encoded.chunks])
        ends = np.cumsum([len(batch.values) for batch in self.batches])
        of_batches = np.split(entry_of_value, ends[:-1])  # Arrow leaves out chunks without values
        return Occurrences(
            encoded.chunk(0).dictionary.view(kind),
            tuple(
                (batch.places, np.append(entries, _NULL))
                for batch, entries in zip(self.batches, of_batches, strict=True)
            ),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """The distinct entries of a column; batch by batch the places of rows, and the entries of these places.

    A null is entry -1.
    """

    entries: pa.Array
    batches: tuple[tuple[Codes, Ints], ...]

    @classmethod
    def of(cls, values: pa.ChunkedArray) -> Occurrences:
        """Those of a column that is in memory."""
        kind = _entry_type(values.type)
        if pa.types.is_dictionary(values.type):
            encoded = values.unify_dictionaries()
        else:
            encoded = _as_bits(values.cast(kind)).dictionary_encode()
        if not encoded.num_chunks:
            return cls(pa.array([], type=kind), ())
        entries = encoded.chunk(0).dictionary.view(kind)
        themselves = np.append(np.arange(len(entries)), _NULL)
        return cls(entries, tuple((_places(chunk), themselves) for chunk in encoded.chunks))

    @property
    def count(self) -> int:
        """In how many places there are entries, or nulls."""
        return sum(len(places) for places, _ in self.batches)

    def codes(self, code_of_entry: Ints, missing_code: int) -> Codes:
        """The code of every row, in the narrowest type; a null has the one of missing values."""
        lookup = _lookup(code_of_entry, missing_code)
        codes = np.empty_like(lookup, shape=self.count)
        start = 0
        for places, entries in self.batches:
            stop = start + len(places)
            np.take(lookup[entries], places, out=codes[start:stop], mode="clip")  # which needs no buffer
            start = stop
        return codes

    def codes_of_batches(self, code_of_entry: Ints, missing_code: int) -> Iterator[Codes]:
        """The same codes batch by batch."""
        lookup = _lookup(code_of_entry, missing_code)
        for places, entries in self.batches:
            yield lookup[entries][places]


def _lookup(code_of_entry: Ints, missing_code: int) -> Codes:
    """The code of each entry, and behind them, where entry -1 finds it, that of missing values."""
    lookup = np.append(code_of_entry, missing_code)
    return frozen_codes(lookup)


def _entry_type(kind: pa.DataType) -> pa.DataType:
    """The type that values are told apart in."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_null(kind):
        return pa.string()
    return pa.float32() if pa.types.is_float16(kind) else kind


def _as_bits(values: Cells) -> Cells:
    """Numbers as their bits, so that all stay apart that somebody might want to tell apart, as both zeros."""
    bits = {pa.float32(): pa.int32(), pa.float64(): pa.int64()}.get(values.type)
    if bits is None:
        return values
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array([chunk.view(bits) for chunk in values.chunks], type=bits)
    return values.view(bits)


def _entries_of(chunk: pa.DictionaryArray) -> Ints:
    entries: Ints = chunk.indices.cast(pa.int64()).fill_null(_NULL).to_numpy()
    return entries


def _places(cells: pa.DictionaryArray) -> Codes:
    count = len(cells.dictionary)
    places: Ints = cells.indices.cast(pa.int64()).fill_null(count).to_numpy(zero_copy_only=False)
    return freeze(places.astype(narrowest(count)))
