from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.quest import PATIENCE, Patterns, fill_baskets
from tests.examples import examples
from tests.reference import quest as reference

ITEMS = 12


@st.composite
def pattern_lists(draw):
    """Triples of items, picked-below mark and corruption; the marks ascend to 1."""
    corruptions = draw(st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), min_size=1, max_size=5))
    count = len(corruptions)
    marks = sorted(draw(st.lists(st.floats(0, 1), min_size=count - 1, max_size=count - 1)))
    items = st.lists(st.integers(0, ITEMS - 1), min_size=1, max_size=6, unique=True)
    return [
        (draw(items), mark, corruption) for mark, corruption in zip([*marks, 1.0], corruptions, strict=True)
    ]


def arrays(patterns):
    return Patterns(
        np.cumsum([0, *(len(items) for items, _, _ in patterns)], dtype=np.int64),
        np.array([item for items, _, _ in patterns for item in items], dtype=np.int64),
        np.array([mark for _, mark, _ in patterns]),
        np.array([corruption for _, _, corruption in patterns]),
    )


@given(st.lists(st.integers(1, 15), max_size=12), pattern_lists(), st.integers(0, 2**32))
@examples(200)
def test_baskets_are_those_that_the_twin_fills_with_the_same_random_numbers(sizes, patterns, seed):
    expected = reference.fill_baskets(sizes, patterns, np.random.default_rng(seed).random, PATIENCE)
    wanted = np.array(sizes, dtype=np.int64)
    filled = fill_baskets(wanted, arrays(patterns), ITEMS, np.random.default_rng(seed))
    assert [filled.items[start:end].tolist() for start, end in pairwise(filled.starts)] == expected
