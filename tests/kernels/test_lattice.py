import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.lattice import roll_up
from tests.examples import examples


@examples(60)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(4, 7), st.integers(1, 9)), min_size=1, max_size=12),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
    st.lists(st.integers(4, 7), min_size=4, max_size=4),
)
def test_classes_that_become_equal_are_united(classes, above_first, above_second):
    above = [*above_first, *above_second]
    vectors = np.array([(u, v) for u, v, _ in classes], dtype=np.int64)
    counts = np.array([count for *_, count in classes], dtype=np.int64)
    new_class, raised, sizes = roll_up(vectors, counts, np.array(above, dtype=np.int64))
    expected: dict[tuple[int, int], int] = {}
    for u, v, count in classes:
        key = (above[u], above[v])
        expected[key] = expected.get(key, 0) + count
    assert dict(zip(map(tuple, raised.tolist()), sizes.tolist(), strict=True)) == expected
    for number, (u, v, _) in enumerate(classes):
        assert tuple(raised[new_class[number]]) == (above[u], above[v])


def test_a_table_without_columns_is_one_class():
    none = np.empty((1, 0), dtype=np.int64)
    new_class, raised, sizes = roll_up(none, np.array([4]), np.empty(0, dtype=np.int64))
    assert new_class.tolist() == [0]
    assert raised.shape == (1, 0)
    assert sizes.tolist() == [4]
