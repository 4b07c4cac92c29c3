from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.hilbert import OrderedRows, curve_positions, group_beginnings, no_runs, run_starts
from tests.algorithms.relational.tables import tables
from tests.examples import examples
from tests.reference.hilbert import is_hilbert_curve, least_cost_of_runs


def number_of(words, bits):
    """Each position as one Python integer; the last word has the bits that are left over."""
    after = [max(bits - 62 * (place + 1), 0) for place in range(len(words))]
    return [sum(int(word) << shift for word, shift in zip(column, after, strict=True)) for column in words.T]


@pytest.mark.parametrize(
    ("dimensions", "bits"), [(1, 1), (1, 4), (2, 1), (2, 2), (2, 4), (3, 1), (3, 3), (4, 2), (5, 1)]
)
def test_positions_are_those_of_a_hilbert_curve(dimensions, bits):
    points = list(product(range(2**bits), repeat=dimensions))
    positions = number_of(curve_positions(np.array(points, dtype=np.int64), bits), dimensions * bits)
    assert sorted(positions) == list(range(len(points)))
    in_order = [points[place] for place in np.argsort(positions)]
    assert is_hilbert_curve(in_order, 2**bits)
    assert set(in_order[0]) == {0}


def test_what_is_no_hilbert_curve():
    assert is_hilbert_curve([(0, 0), (0, 1), (1, 1), (1, 0)], 2)
    assert not is_hilbert_curve([(0, 0), (1, 1), (0, 1), (1, 0)], 2)
    rows_by_turns = [(x, y if x % 2 == 0 else 3 - y) for x in range(4) for y in range(4)]
    assert not is_hilbert_curve(rows_by_turns, 4)


@examples(30)
@given(st.integers(9, 20), st.data())
def test_long_positions_take_several_words_and_lead_to_the_neighbours(dimensions, data):
    """One step away from a point there are points before and behind it on the curve, none of them equal."""
    bits = data.draw(st.integers(8, 40))
    point = data.draw(st.lists(st.integers(1, 2**bits - 2), min_size=dimensions, max_size=dimensions))
    neighbours = [
        [each + step * (place == moved) for place, each in enumerate(point)]
        for moved in range(dimensions)
        for step in (-1, 1)
    ]
    words = curve_positions(np.array([point, *neighbours], dtype=np.int64), bits)
    assert len(words) == -(-dimensions * bits // 62)
    assert ((words >= 0) & (words < 2**62)).all()
    here, *around = number_of(words, dimensions * bits)
    assert len(set(around)) == len(around)
    assert here - 1 in around
    assert here + 1 in around


def lowest_common_ancestor(tree, nodes):
    return next(
        node
        for node in (nodes[0], *tree.ancestors(nodes[0]))
        if all(tree.covers(node, each) for each in nodes)
    )


@examples(60)
@given(tables(with_subjects=False, most_rows=12), st.integers(1, 4), st.data())
def test_runs_cost_as_little_as_the_best_of_all(drawn, k, data):
    table = drawn.on_trees.data
    records = Records.of(table, "ncp")
    order = data.draw(st.permutations(range(len(records))))
    line = np.repeat(order, records.counts[order]).astype(np.int64)
    trees = [table.trees[name] for name in table.quasi]

    def cost(begin, end):
        nodes = records.nodes[line[begin:end]] - records.trees.starts[:-1]
        closure = [lowest_common_ancestor(tree, nodes[:, j]) for j, tree in enumerate(trees)]
        return (end - begin) * sum(records.trees.cost[records.trees.starts[:-1] + closure])

    runs = no_runs(len(line), k)
    middle = data.draw(st.integers(k - 1, max(len(line), k - 1)))
    for first, last in ((k, middle), (middle + 1, len(line))):
        group_beginnings(records.trees, OrderedRows(records.nodes, line), runs, first, last)
    expected = least_cost_of_runs(len(line), k, cost)
    if expected == float("inf"):
        assert runs.costs[-1] == expected
        return
    starts = run_starts(runs.begins, len(line)).tolist()
    sizes = np.diff([*starts, len(line)]).tolist()
    assert starts[:1] == [0]
    assert all(k <= size < 2 * k for size in sizes)
    assert sum(map(cost, starts, [*starts[1:], len(line)])) == pytest.approx(expected, abs=1e-9)
    assert runs.costs[-1] == pytest.approx(expected, abs=1e-9)
