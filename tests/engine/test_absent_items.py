from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.engine.absent_items import rarest_knowledge
from tests.examples import examples
from tests.kernels.test_sets import arrays

ITEMS = 5


def known(sets, weights, m):
    """Everything that takes at most m facts to know and fits some set: which items, which rows."""
    occurring = sorted(set().union(*sets))
    facts = [(item, True) for item in occurring] + [(item, False) for item in occurring]
    for size in range(1, len(facts) + 1):
        for chosen in combinations(facts, size):
            weight = sum(1 if there else weights[item] for item, there in chosen)
            fitting = [
                row for row, each in enumerate(sets) if all((i in each) == there for i, there in chosen)
            ]
            if weight <= m and fitting:
                yield chosen, fitting


@examples(80)
@given(
    st.lists(st.sets(st.integers(0, ITEMS - 1)), min_size=1, max_size=70),
    st.lists(st.integers(1, 3), min_size=ITEMS, max_size=ITEMS),
    st.integers(1, 3),
    st.integers(1, 4),
)
def test_goes_through_all_that_can_be_known(sets, weights, m, k):
    found, below = rarest_knowledge(arrays(sets), np.array(weights), m, k)
    expected = list(known(sets, weights, m))
    assert below == sum(len(fitting) < k for _, fitting in expected)
    if not expected:
        assert found is None
        return
    support, size = min((len(fitting), len(chosen)) for chosen, fitting in expected)
    chosen = tuple((fact.item, fact.is_present) for fact in found)
    assert len(chosen) == size
    assert len(dict(expected)[chosen]) == support


def test_nothing_is_known_where_nothing_occurs():
    assert rarest_knowledge(arrays([set(), set()]), np.ones(3, dtype=np.int64), 2, 5) == (None, 0)
