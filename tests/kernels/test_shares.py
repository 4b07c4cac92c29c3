import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.arrays import frozen_ints
from shoal.kernels.itemset_supports import NEVER_GUESSED, SHARE_OF_ROWS
from shoal.kernels.shares import ShareLimit, share_exceeded
from tests.examples import examples
from tests.kernels.test_sets import arrays

# Items 0 and 1 are shares of all rows, 2 and 3 of the rows that hold 4, which is not sensitive itself.
WHOLE_OF = [SHARE_OF_ROWS, SHARE_OF_ROWS, 4, 4, NEVER_GUESSED]
a_row = st.tuples(st.sets(st.integers(0, 1)), st.sampled_from([set(), {2, 4}, {3, 4}])).map(
    lambda parts: parts[0] | parts[1]
)


def too_large(rows, chosen, largest):
    numerator, denominator = largest
    held = [rows[row] for row in chosen]
    wholes = {0: len(held), 1: len(held), **dict.fromkeys((2, 3), sum(4 in items for items in held))}
    return any(
        sum(item in items for items in held) * denominator > numerator * whole
        for item, whole in wholes.items()
    )


@examples(80)
@given(st.lists(a_row, min_size=1, max_size=9), st.sampled_from([(1, 1), (2, 3), (1, 2), (1, 4)]), st.data())
def test_share_of_some_rows(rows, largest, data):
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True))
    scratch = np.zeros(5, dtype=np.int64), np.zeros(5, dtype=np.int64)
    limit = ShareLimit(arrays(rows), frozen_ints(WHOLE_OF), largest[1], largest[0], *scratch)
    assert share_exceeded(limit, np.array(chosen, dtype=np.int64)) == too_large(rows, chosen, largest)
    assert not limit.counts.any()
