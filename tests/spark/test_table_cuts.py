"""From counts alone a block is cut where Mondrian cuts its rows."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.ends import Ends, find_ends
from shoal.algorithms.relational.mondrian.algorithm import ordered_columns
from shoal.errors import Infeasible
from shoal.kernels.mondrian import NO_COLUMN, STRICT, choose_cut
from shoal.privacy.k_anonymity import KAnonymity
from shoal.spark.table_cuts import CutColumn, best_cut
from tests.algorithms.relational.tables import tables
from tests.examples import examples


def columns_of(data, ends):
    return [
        CutColumn.with_tree(name, data.trees[name], data.weights()[name])
        if name in data.trees
        else CutColumn.with_numbers(
            name, data.table.coded(name).domain.numbers, ends[name], data.weights()[name]
        )
        for name in data.quasi
    ]


def counts_in(columns, data, rows):
    return [
        np.bincount(column.axis.places(data)[rows], minlength=column.axis.value_count + 2)
        for column in columns
    ]


@examples(150)
@given(tables(with_subjects=False), st.integers(2, 4), st.randoms(use_true_random=False))
def test_a_block_is_cut_where_mondrian_cuts_it(drawn, k, chance):
    data = drawn.data
    rows = np.array(chance.sample(range(data.row_count), chance.randint(1, max(1, data.row_count))))
    assume(len(rows) >= 2 * k)
    try:
        needs = class_constraint_of(data, [KAnonymity(k)])
    except Infeasible:
        assume(False)
    ends = find_ends(data)
    columns = columns_of(data, ends)
    found = best_cut(columns, counts_in(columns, data, rows), k)
    column, count = choose_cut(ordered_columns(data, ends), needs, STRICT, rows.copy())
    if column == NO_COLUMN:
        assert found is None
    else:
        assert (found.column, found.rows) == (column, count)


def test_borders_lie_between_the_numbers_and_leave_room_for_all_of_them():
    ends = Ends(0.0, 10_000.0, whole=True, derived=True)
    column = CutColumn.with_numbers("x", np.arange(5_000.0), ends, 1.0)
    assert column.axis.value_count <= 1_024
    assert len(column.axis.borders) == column.axis.value_count - 1
    few = CutColumn.with_numbers("x", np.array([3.0, 20.0, 3.0, 41.0]), ends, 1.0)
    assert few.axis.value_count == 3
    assert ((few.axis.borders >= [3, 20]) & (few.axis.borders < [20, 41])).all()


def test_numbers_of_a_block_end_at_its_cuts():
    ends = Ends(0.0, 50.0, whole=True, derived=True)
    column = CutColumn.with_numbers("x", np.array([3.0, 20.0, 41.0]), ends, 1.0)
    first, second = column.axis.borders.tolist()
    below, above = column.boxes({}, 0)
    assert (below, above) == ({"x": (0.0, first)}, {"x": (first + 1, 50.0)})
    assert column.boxes(above, 1)[0] == {"x": (first + 1, second)}
    assert column.boxes(below, 2) == (below, below)  # what is missing was split off
