import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.distinct import distinct_in_groups


@given(st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=5))
def test_every_group_has_each_item_once_in_the_order_of_coming(groups):
    starts = np.concatenate(([0], np.cumsum([len(group) for group in groups], dtype=np.int64)))
    items = np.array([item for group in groups for item in group], dtype=np.int32)
    found = distinct_in_groups(starts, items, 5)
    expected = [list(dict.fromkeys(group)) for group in groups]
    assert [part.tolist() for part in np.split(found.items, found.starts[1:-1])][: len(groups)] == expected
