from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import tree_from_parents
from shoal.metrics import pair_supports as module
from shoal.metrics.pair_supports import (
    generalized_pair_supports,
    pair_error,
    pair_supports,
    terms_of_ranks,
)
from tests.builders import tree
from tests.examples import examples
from tests.metrics.test_top_itemsets import arrays, generalized_pairs
from tests.reference import set_losses as reference

ITEMS = 6
records = st.lists(st.sets(st.integers(0, ITEMS - 1)), max_size=8)


@given(records, st.integers(0, 3), st.integers(1, 3))
@examples(100)
def test_terms_of_ranks_are_those_of_the_twin_or_none(rows, first, further):
    ranked = reference.ranked(rows)
    last = first + further
    expected = ranked[first : last + 1] if last < len(ranked) else []
    assert terms_of_ranks(arrays(rows), ITEMS, first, last).tolist() == expected


@given(records, records, records)
@examples(150)
def test_errors_against_the_mean_of_two_publications_equal_the_twin(rows, one, other):
    terms = np.arange(ITEMS)
    pairs = list(combinations(range(ITEMS), 2))

    def supports(of):
        return {pair: sum(set(pair) <= row for row in of) for pair in pairs}

    mean = {pair: (supports(one)[pair] + supports(other)[pair]) / 2 for pair in pairs}
    expected = reference.relative_error(
        supports(rows), {pair: reference.Fraction(count) for pair, count in mean.items()}
    )
    found = pair_error(
        pair_supports(arrays(rows), terms),
        [pair_supports(arrays(one), terms), pair_supports(arrays(other), terms)],
    )
    assert found.error == (None if expected is None else pytest.approx(float(expected)))
    assert found.error is None or 0 <= found.error <= 2


@given(generalized_pairs(), st.sampled_from([1, 3, 1 << 16]))
@examples(100)
def test_generalized_supports_are_divided_as_in_the_twin(case, rows_at_once):
    parents, _, published = case
    on = tree_from_parents(parents)
    nodes = arrays([[on.labels.index(label) for label in row] for row in published])
    terms = np.arange(on.leaf_count)[::-1].copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ROWS_AT_ONCE", rows_at_once)
        found = generalized_pair_supports(on, nodes, terms)
    for i, j in combinations(range(len(terms)), 2):
        pair = on.labels[terms[i]], on.labels[terms[j]]
        expected = float(reference.pair_support(parents, published, pair))
        assert found[i, j] == found[j, i] == pytest.approx(expected)


def test_two_items_under_one_node_and_under_two():
    """One record of A: each of the pairs a1 a2, a1 a1, .. gets a quarter; A with B: an eighth of it each."""
    on = tree({"*": {"A": ["a1", "a2"], "B": ["b1", "b2", "b3", "b4"]}})
    node = {label: place for place, label in enumerate(on.labels)}
    terms = np.array([node["a1"], node["a2"], node["b3"]])
    found = generalized_pair_supports(on, arrays([[node["A"], node["B"]], [node["A"]]]), terms)
    assert found[0, 1] == pytest.approx(2 / 4)
    assert found[0, 2] == pytest.approx(1 / 8)


def test_absent_with_the_reason():
    few = terms_of_ranks(arrays([{0}, {1}]), ITEMS, 200, 219)
    assert len(few) == 0
    supports = pair_supports(arrays([{0}, {1}]), few)
    assert pair_error(supports, [supports]).why_absent == "the data have too few terms for these ranks"
    apart = pair_supports(arrays([{0}, {1}]), np.array([0, 1]))
    assert pair_error(apart, [apart]).why_absent == "no record holds two of these terms"


@pytest.mark.parametrize("ranks", [(3, 2), (2, 2), (-1, 4)])
def test_ranks_that_are_none_are_refused(ranks):
    with pytest.raises(InvalidParameter, match="the smaller first"):
        terms_of_ranks(arrays([]), ITEMS, *ranks)
