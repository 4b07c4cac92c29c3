"""Sets as they travel between Spark and its Python workers: some thousand rows in a few bytes blocks.

A row of a Spark DataFrame per record would be taken apart and put together again at every pass. A chunk is
one row of two blocks of bytes, which becomes arrays without a look at its items.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from shoal.kernels.arrays import Ints, SetArrays, frozen_ints, frozen_sets
from shoal.spark.answers import answer

SCHEMA = "starts binary, items binary"
ITEMS_PER_CHUNK = 1 << 20  # 4 MB

_WIDTH = np.dtype("<i4")


def chunks_of(sets: SetArrays, most_items: int) -> Iterator[pa.RecordBatch]:
    """The sets in chunks of about so many items; a longer set is a chunk of its own."""
    row_count = len(sets.starts) - 1
    start = 0
    while start < row_count:
        end = int(np.searchsorted(sets.starts, sets.starts[start] + most_items, side="right")) - 1
        end = min(max(end, start + 1), row_count, start + most_items)
        starts = sets.starts[start : end + 1] - sets.starts[start]
        items = sets.items[sets.starts[start] : sets.starts[end]]
        yield answer(SCHEMA, *([array.astype(_WIDTH).tobytes()] for array in (starts, items)))
        start = end


def sets_of(batches: Iterable[pa.RecordBatch]) -> Iterator[SetArrays]:
    """The sets of each chunk."""
    for batch in batches:
        for index in range(batch.num_rows):
            starts, items = (
                unpacked(batch.column(name)[index].as_py(), _WIDTH) for name in ("starts", "items")
            )
            yield frozen_sets(starts, items)


def unpacked(block: bytes, width: np.dtype[np.int32] | np.dtype[np.int64]) -> Ints:
    """The numbers in a block of bytes."""
    return frozen_ints(np.frombuffer(block, dtype=width))
