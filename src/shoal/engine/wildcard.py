"""The weaker reading of missing values: each matches everything.

It overstates protection ((30, missing) and (30, M) pass as two alike, yet whoever looks for a woman of 30
finds one row), so it is only reported beside the verdict and never decides.
"""

import numpy as np

from shoal.engine.port import Wildcard
from shoal.kernels.arrays import Bools, Ints
from shoal.kernels.grouping import group_rows

PATTERNS_AT_MOST = 64


def wildcard_reading(codes: Ints, missing: Bools, sizes: Ints, k: int) -> Wildcard:
    """The fewest records that any record could be mistaken for, itself included.

    There are sizes[r] records with the values codes[r], those marked in missing[r] not being there. Two
    records are compatible when they agree wherever both have a value. Exact: the distinct records are split
    by which of their values are missing, and every two such patterns are joined on the columns that both of
    them have, so the cost is patterns x distinct records.
    """
    pattern_of_class, first_of_pattern = group_rows(missing.astype(np.int64))
    patterns = missing[first_of_pattern]
    if len(patterns) > PATTERNS_AT_MOST:
        reason = f"values are missing in {len(patterns)} different combinations of columns"
        return {"holds": None, "smallest": None, "not_computed": f"{reason}, more than {PATTERNS_AT_MOST}"}

    members = [np.flatnonzero(pattern_of_class == pattern) for pattern in range(len(patterns))]
    compatible = np.zeros(len(sizes), dtype=np.int64)
    for here, at in enumerate(members):
        for there, others in enumerate(members):
            shared = ~(patterns[here] | patterns[there])
            compatible[at] += _matches(codes[at][:, shared], codes[others][:, shared], sizes[others])
    smallest = int(compatible.min())
    return {"holds": smallest >= k, "smallest": smallest}


def _matches(records: Ints, others: Ints, sizes: Ints) -> Ints:
    """How many of the others, of which there are `sizes` each, equal each record."""
    if records.shape[1] == 0:
        return np.full(len(records), sizes.sum())
    key, first_rows = group_rows(np.ascontiguousarray(np.concatenate((records, others))))
    total = np.zeros(len(first_rows), dtype=np.int64)
    np.add.at(total, key[len(records) :], sizes)
    return total[key[: len(records)]]
