import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy.tree import tree_from_parents
from shoal.kernels.set_recoding import recoded_sets, renumbered_sets, sort_unique, with_nodes_above
from tests.examples import examples
from tests.kernels.test_sets import arrays as set_arrays
from tests.metrics.releases import parent_maps
from tests.reference.rare_sets import recoded
from tests.reference.set_losses import path_up

modest = examples(60)


@modest
@given(st.lists(st.sets(st.integers(0, 6)), max_size=6), st.lists(st.integers(-1, 4), min_size=7, max_size=7))
def test_items_are_exchanged_sorted_and_without_repeats(rows, numbers):
    result = recoded_sets(
        set_arrays(rows), np.zeros(len(rows), dtype=np.int64), np.array([numbers], dtype=np.int32)
    )
    assert [part.tolist() for part in np.split(result.items, result.starts[1:-1])][: len(rows)] == recoded(
        rows, numbers
    )


@modest
@given(st.lists(st.lists(st.integers(-1, 5)), max_size=6))
def test_numbers_of_each_row_become_a_set_without_the_negative_ones(rows):
    starts = np.cumsum([0, *map(len, rows)])
    numbers = np.array([number for row in rows for number in row], dtype=np.int32)
    result = renumbered_sets(starts, numbers)
    found = [part.tolist() for part in np.split(result.items, result.starts[1:-1])][: len(rows)]
    assert found == [sorted(set(row) - {-1}) for row in rows]


@modest
@given(st.lists(st.integers(-5, 40), max_size=120), st.integers(0, 5), st.integers(0, 5))
def test_sorts_a_part_and_drops_its_repeats(numbers, before, behind):
    array = np.array([99] * before + numbers + [-99] * behind, dtype=np.int64)
    end = sort_unique(array, before, before + len(numbers))
    assert array[before:end].tolist() == sorted(set(numbers))
    assert array[:before].tolist() == [99] * before
    assert array[len(array) - behind :].tolist() == [-99] * behind


@modest
@given(st.data())
def test_nodes_above_join_their_sets_but_for_the_root(data):
    parents = data.draw(parent_maps())
    tree = tree_from_parents(parents)
    nodes = sorted({*parents, *parents.values()})
    rows = data.draw(st.lists(st.sets(st.sampled_from(nodes)), max_size=5))
    place = tree.labels.index
    found = with_nodes_above(set_arrays([{place(node) for node in row} for row in rows]), tree.arrays)
    expected = [sorted({place(upper) for node in row for upper in path_up(parents, node)}) for row in rows]
    assert [part.tolist() for part in np.split(found.items, found.starts[1:-1])][: len(rows)] == expected
