from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.hilbert.grids import on_grids
from shoal.errors import BadInput
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.rows import RowRecoding
from shoal.table.columns import Kind
from shoal.table.roles import Quasi
from tests.algorithms.relational.tables import tables
from tests.builders import EPOCH, flat_tree, local_data
from tests.examples import examples


def numbers(values, **role):
    return local_data([(value,) for value in values], {"x": Quasi(**{"kind": Kind.NUMBER, **role})})


def ranges(data, cluster_of_row):
    """The published range of each cluster."""
    gridded = on_grids(data)
    clusters = GeneralizedClusters(
        np.array(cluster_of_row), nodes={"x": np.zeros(max(cluster_of_row) + 1, dtype=np.int64)}
    )
    published = gridded.published(RowRecoding(clusters)).clusters
    assert "x" not in published.nodes
    return published.ranges["x"].tolist()


def test_ranges_end_at_round_points_and_at_the_bounds():
    data = numbers([0, 3, 11, 12, 99], bounds=(0, 99))
    assert ranges(data, [0, 0, 1, 1, 1]) == [[0, 3], [10, 99]]


def test_cells_of_integers_hold_more_than_one():
    data = numbers([1, 2, 3, 4], bounds=(0, 5))
    assert ranges(data, [0, 1, 1, 0]) == [[0, 5], [2, 3]]


def test_other_numbers_have_finer_cells():
    data = numbers([0.11, 0.25, 0.5, 0.97], bounds=(0, 1))
    assert ranges(data, [0, 0, 1, 1]) == [pytest.approx([0.1, 0.26]), pytest.approx([0.5, 0.98])]


def test_one_value_is_published_as_it_is_and_mixtures_with_missing_ones_are_suppressed():
    data = numbers([7, 7, None, None, 7, None, 50], bounds=(0, 99))
    found = ranges(data, [0, 0, 1, 1, 2, 2, 0])
    assert found[0] == [6, 51]
    assert np.isnan(found[1]).all()
    assert found[2] == [-np.inf, np.inf]
    assert ranges(data, [0, 0, 1, 1, 0, 1, 2])[0] == [7, 7]


def test_dates_are_days_on_a_grid():
    data = local_data(
        [(date(2020, 3, 5),), (date(2020, 3, 9),), (date(2020, 12, 24),)], {"x": Quasi(kind=Kind.DATE)}
    )
    ((lower, upper), _) = ranges(data, [0, 0, 1])
    first, last = ((date(2020, 3, day) - EPOCH).days for day in (5, 9))
    assert lower <= first
    assert last <= upper
    assert lower % 10 == 0
    assert upper % 10 == 9
    assert upper - lower < 20


def test_numbers_of_any_size_have_a_grid():
    (lower, upper), _ = ranges(numbers([-8e307, -7.9e307, 8e307], bounds=(-1e308, 1e308)), [0, 0, 1])
    assert -9e307 < lower <= -8e307
    assert -7.9e307 <= upper < -7e307
    assert ranges(numbers([1e-310, 2e-310, 5e-310], bounds=(0, 9e-310)), [0, 0, 0]) == [[0, 9e-310]]
    assert ranges(numbers([-1.7e308, 1.7e308]), [0, 0]) == [[-np.inf, np.inf]]


def test_columns_without_any_value_and_constant_ones():
    assert np.isnan(ranges(numbers([None, None]), [0, 0])).all()
    assert ranges(numbers([5, 5]), [0, 0]) == [[5, 5]]


def test_categories_without_a_tree_are_refused():
    data = local_data([("a",), ("b",)], {"x": Quasi()})
    with pytest.raises(BadInput, match=r"column 'x'.*cannot be generalized"):
        on_grids(data)


@examples(60)
@given(tables(with_subjects=False), st.data())
def test_grid_trees_hold_all_values_and_ranges_do_not_depend_on_single_members(drawn, data):
    table = drawn.data
    gridded = on_grids(table)
    count = data.draw(st.integers(1, 4))
    cluster_of_row = np.array(
        data.draw(st.lists(st.integers(0, count - 1), min_size=len(drawn.rows), max_size=len(drawn.rows)))
    )
    _, cluster_of_row = np.unique(cluster_of_row, return_inverse=True)
    published = gridded.published(RowRecoding(GeneralizedClusters(cluster_of_row.astype(np.int64)))).clusters
    for name, grid in gridded.grids.items():
        column, tree = table.table.coded(name), gridded.data.trees[name]
        assert tree.leaf_labels == tuple(column.domain.texts())
        assert tree.missing == column.domain.missing
        for group, (lower, upper) in enumerate(published.ranges[name].tolist()):
            codes = column.codes[cluster_of_row == group]
            if (codes < column.domain.missing).all():
                values = column.domain.numbers[codes]
                assert lower <= values.min()
                assert values.max() <= upper
                if lower < upper:
                    assert lower in grid.lowers
                    assert upper in grid.uppers
    widths = {len(grid.lowers) for grid in gridded.grids.values()}
    assert all(1 <= width < 400 for width in widths)


def test_flat_trees_are_left_alone():
    data = local_data([("a", 1)], {"x": Quasi(), "y": Quasi(kind=Kind.NUMBER)}, trees={"x": flat_tree("a")})
    gridded = on_grids(data)
    assert gridded.data.trees["x"] is data.trees["x"]
    assert set(gridded.grids) == {"y"}
