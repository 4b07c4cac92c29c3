import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import tree_from_parents
from shoal.kernels.arrays import SetArrays, frozen_ints
from shoal.metrics.top_itemsets import generalized_top_deviation, top_deviation
from tests.examples import examples
from tests.metrics.releases import parent_maps
from tests.reference import set_losses as reference
from tests.reference.metrics import above

ITEMS = 5
records = st.lists(st.sets(st.integers(0, ITEMS - 1)), max_size=6)


def arrays(rows):
    starts, items = [0], []
    for row in rows:
        items += sorted(row)
        starts.append(len(items))
    return SetArrays(frozen_ints(starts), frozen_ints(items))


def as_float(share):
    return None if share is None else pytest.approx(float(share))


@given(records, records, st.sampled_from([1, 3, 10, 1000]))
@examples(150)
def test_deviation_equals_the_twin(original, published, top):
    found = top_deviation(arrays(original), arrays(published), ITEMS, top=top)
    assert found == as_float(reference.tkd(original, published, top) or 0)


@st.composite
def generalized_pairs(draw):
    """A tree, records of leaves, and other records of nodes."""
    parents = draw(parent_maps(max_leaves=5))
    leaves = [node for node in parents if node not in parents.values()]
    original = draw(st.lists(st.sets(st.sampled_from(leaves), max_size=4), max_size=5))
    published = [
        {draw(st.sampled_from([leaf, leaf, *above(parents, leaf)])) for leaf in record} for record in original
    ]
    return parents, original, published


@given(generalized_pairs(), st.sampled_from([1, 4, 1000]))
@examples(120)
def test_deviation_over_all_levels_equals_the_twin(case, top):
    parents, original, published = case
    tree = tree_from_parents(parents)
    rank = tree.labels.index

    def nodes(rows):
        return arrays([[rank(label) for label in row] for row in rows])

    found = generalized_top_deviation(tree, nodes(original), nodes(published), top=top)
    assert found == as_float(reference.tkd_ml2(parents, rank, original, published, top) or 0)


def test_identical_data_lose_nothing_even_with_fewer_itemsets_than_asked_for():
    rows = arrays([{0, 1}, {1, 2}, {0, 1}])
    assert top_deviation(rows, rows, ITEMS) == 0.0
    assert top_deviation(arrays([]), arrays([]), ITEMS) == 0.0


def test_itemsets_of_the_original_that_only_sank_below_the_top_are_lost():
    original, published = arrays([{0}, {0}, {1}]), arrays([{1}, {1}, {0}])
    assert top_deviation(original, published, ITEMS, top=1) == 1.0
    assert top_deviation(original, published, ITEMS, top=2) == 0.0


@pytest.mark.parametrize("top", [0, -1])
def test_a_top_of_nothing_is_refused(top):
    with pytest.raises(InvalidParameter, match="tKd: top must be an integer of 1 or more"):
        top_deviation(arrays([]), arrays([]), ITEMS, top=top)
