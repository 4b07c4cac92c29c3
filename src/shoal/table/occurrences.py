"""Where the values of a column stand: each value once, and its place among them in every row.

A column can be taken batch by batch, so that its texts are never in memory all at once. A batch keeps the values
that occur in it and one small number per row; what equals what is decided when all batches are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.arrays import Codes, Ints, narrowest
from shoal.table.canonical import UnsupportedType, as_text


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows: their values, and the place of each row's value among these, one behind the last for a null."""

    values: pa.Array
    places: Codes

    @classmethod
    def of(cls, cells: pa.Array) -> Batch:
        """Take the values of some cells; of a categorical column also those that do not occur."""
        if pa.types.is_dictionary(cells.type):
            return cls(cells.dictionary, _places(cells))
        encoded = _as_bits(_plain(cells)).dictionary_encode()
        return cls(_from_bits(encoded.dictionary, _plain_type(cells.type)), _places(encoded))

    @classmethod
    def of_read_as_dictionary(cls, cells: pa.DictionaryArray) -> Batch:
        """Take texts that a reader keeps once: some of those that it keeps may not occur."""
        places, values = _places(cells), cells.dictionary
        occurs = np.bincount(places, minlength=len(values) + 1)[:-1] > 0
        if occurs.all():
            return cls(values, places)
        kept = np.append(np.cumsum(occurs) - 1, np.count_nonzero(occurs))
        return cls(values.filter(pa.array(occurs)), kept.astype(narrowest(len(kept)))[places])


@dataclass(frozen=True, slots=True, eq=False)
class Batches:
    """A column that was taken batch by batch; `kind` is the type that it has in its source."""

    kind: pa.DataType
    batches: tuple[Batch, ...]

    def __len__(self) -> int:
        return sum(len(batch.places) for batch in self.batches)

    @classmethod
    def of(cls, values: pa.ChunkedArray) -> Batches:
        """Take a column that is in memory."""
        return cls(values.type, tuple(map(Batch.of, values.chunks)))

    @classmethod
    def joined(cls, parts: Sequence[Batches], kind: pa.DataType) -> Batches:
        """The batches of all parts, whose types have become one."""
        batches = (
            replace(batch, values=batch.values.cast(_entry_type(kind)))
            for part in parts
            for batch in part.batches
        )
        return cls(kind, tuple(batches))

    def occurrences(self) -> Occurrences:
        """Every value of all batches once."""
        kinds = {id(batch.values): batch.values for batch in self.batches}
        number_of = {each: number for number, each in enumerate(kinds)}
        joined = pa.chunked_array(list(kinds.values()), type=_entry_type(self.kind))
        bits = _as_bits(joined).dictionary_encode()
        if not bits.num_chunks:
            return Occurrences(pa.array([], type=_entry_type(self.kind)), ())
        entries = _from_bits(bits.unify_dictionaries().chunk(0).dictionary, joined.type)
        places = [np.append(_indices(chunk), -1) for chunk in bits.chunks]
        return Occurrences(
            entries, tuple((batch.places, places[number_of[id(batch.values)]]) for batch in self.batches)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """The distinct entries of a column, and for each batch of rows their places and the entries of these places.

    Without entries of their own, places are entries. A null is entry -1.
    """

    entries: pa.Array
    batches: tuple[tuple[Codes, Ints | None], ...]

    @classmethod
    def of(cls, values: pa.ChunkedArray) -> Occurrences:
        """Those of a column that is in memory; raises UnsupportedType."""
        refuse_unsupported(values.type)
        if pa.types.is_dictionary(values.type):
            encoded = values.unify_dictionaries()
        else:
            encoded = values.cast(_plain_type(values.type)).dictionary_encode()
        if not encoded.num_chunks:
            return cls(pa.array([], type=encoded.type.value_type), ())
        return cls(
            encoded.chunk(0).dictionary, tuple((_indices(chunk), None) for chunk in encoded.chunks)
        )
