"""Sets from (row, item) pairs in any order."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Ints
from shoal.table.columns import Domain, Sets


def sets_of_pairs(
    rows: Ints, items: Ints, row_count: int, domain: Domain, separator: str
) -> tuple[Sets, Ints]:
    """The set of each row, and the rows in which some item occurred more than once."""
    width = max(1, len(domain))
    keys = rows * width + items
    keys.sort()
    repeated = np.flatnonzero(keys[1:] == keys[:-1]) + 1
    repeating_rows = np.unique(keys[repeated] // width)
    keys = np.delete(keys, repeated)
    sizes = np.bincount(keys // width, minlength=row_count)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return Sets.of(starts, keys % width, domain, separator), repeating_rows
