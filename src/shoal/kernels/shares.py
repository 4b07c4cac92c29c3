"""Whether a sensitive item has too large a share of some rows."""

from typing import NamedTuple

from shoal.kernels.arrays import Ints, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.itemset_supports import NEVER_GUESSED, SHARE_OF_ROWS


class ShareLimit(NamedTuple):
    """No sensitive item may have more than denominator / numerator of the rows; see `ItemRows` for whole_of.

    Without sensitive items `whole_of` is empty. `counts` is all zero between two uses.
    """

    sensitive: SetArrays
    whole_of: Ints
    numerator: int
    denominator: int
    counts: Ints
    touched: Ints


@kernel
def count_row(limit: ShareLimit, row: int, distinct: int) -> int:
    """Add a row's sensitive items to the counts; returns how many different ones were touched so far."""
    for index in range(limit.sensitive.starts[row], limit.sensitive.starts[row + 1]):
        item = limit.sensitive.items[index]
        if limit.counts[item] == 0:
            limit.touched[distinct] = item
            distinct += 1
        limit.counts[item] += 1
    return distinct


@kernel
def exceeds(limit: ShareLimit, row_count: int, distinct: int) -> bool:
    """Whether an item counted in row_count rows has too large a share; the counts are zero afterwards."""
    too_large = False
    for number in range(distinct):
        item = limit.touched[number]
        whole = limit.whole_of[item]
        if whole != NEVER_GUESSED:
            of = row_count if whole == SHARE_OF_ROWS else limit.counts[whole]
            too_large |= limit.counts[item] * limit.numerator > of * limit.denominator
    for number in range(distinct):
        limit.counts[limit.touched[number]] = 0
    return too_large


@kernel
def share_exceeded(limit: ShareLimit, rows: Ints) -> bool:
    """Whether a sensitive item has too large a share of the given rows. O(sensitive items of the rows)."""
    distinct = 0
    for row in rows:
        distinct = count_row(limit, row, distinct)
    return exceeds(limit, len(rows), distinct)
