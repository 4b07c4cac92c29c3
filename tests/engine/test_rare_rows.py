import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.engine.rare_rows import rows_with_rare_itemsets
from shoal.kernels.arrays import SetArrays, frozen_sets
from tests.examples import examples
from tests.reference import regions as reference


def arrays_of(rows: list[set[str]]) -> SetArrays:
    items = [sorted("abcde".index(item) for item in row) for row in rows]
    return frozen_sets(np.cumsum([0, *map(len, items)]), [item for row in items for item in row])


@examples(150)
@given(
    st.lists(st.tuples(st.sets(st.sampled_from("abcde")), st.integers(0, 1)), min_size=1, max_size=14),
    st.integers(1, 3),
    st.integers(1, 4),
)
def test_leaving_out_rows_again_and_again_ends_where_the_reference_ends(drawn, m, k):
    rows, classes = [row for row, _ in drawn], [number for _, number in drawn]
    kept = np.arange(len(rows))
    while True:
        some, numbers = [rows[row] for row in kept], [classes[row] for row in kept]
        out = rows_with_rare_itemsets(arrays_of(some), np.array(numbers, dtype=np.int64), m, k)
        if not out.any():
            break
        kept = kept[~out]
    gone = set(range(len(rows))) - set(kept.tolist())
    assert gone == reference.rows_with_rare_itemsets(rows, classes, m, k)
