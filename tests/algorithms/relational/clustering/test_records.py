import numpy as np
import pytest
from hypothesis import given

from shoal.algorithms.relational.clustering.records import MEASURES, Records
from shoal.errors import BadInput
from shoal.table.columns import Kind
from shoal.table.roles import Quasi
from tests.algorithms.relational.tables import tables
from tests.builders import flat_tree, local_data, tree
from tests.examples import examples

COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})


def test_equal_rows_are_one_record_in_the_order_of_values():
    data = local_data(
        [("blue",), ("red",), ("blue",), (None,), ("*",)], {"colour": Quasi()}, trees={"colour": COLOURS}
    )
    records = Records.of(data, "ncp")
    labels = [COLOURS.labels[node] for node in records.nodes[:, 0]]
    assert labels == ["red", "blue", "", "*"]
    assert records.counts.tolist() == [1, 2, 1, 1]
    assert records.rows.tolist() == [1, 0, 2, 3, 4]
    assert records.record_of_place.tolist() == [0, 1, 1, 2, 3]
    assert records.record_of_row.tolist() == [1, 0, 1, 2, 3]


def test_costs_are_those_of_the_measure_times_the_weights():
    roles = {"colour": Quasi(weight=3.0), "shape": Quasi(weight=1.0)}
    data = local_data([("red", "a")], roles, trees={"colour": COLOURS, "shape": flat_tree("ab")})
    records = Records.of(data, "ncp")
    cost_of_colour = records.trees.cost[: COLOURS.node_count]
    assert dict(zip(COLOURS.labels, cost_of_colour, strict=True)) == {
        "red": 0,
        "orange": 0,
        "blue": 0,
        "": 0,
        "warm": pytest.approx(0.75 * 2 / 3),
        "cold": 0,
        "*": 0.75,
    }
    assert records.trees.cost[-1] == 0.25


def test_any_cost_per_cell_will_do():
    data = local_data([("red",), ("blue",)], {"colour": Quasi()}, trees={"colour": COLOURS})
    records = Records.of(data, lambda cover: (cover.leaves > 1).astype(float))
    first, second = records.nodes
    assert records.union_cost(first, second) == 1.0
    assert records.monotone


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_know_whether_they_are_monotone(measure):
    rows = [*[("red",)] * 5, *[("orange",)] * 5, *[("blue",)] * 90]
    data = local_data(rows, {"colour": Quasi()}, trees={"colour": COLOURS})
    assert Records.of(data, measure).monotone == (measure != "entropy")


def test_columns_without_a_tree_are_refused_all_at_once():
    roles = {"age": Quasi(kind=Kind.NUMBER), "colour": Quasi()}
    data = local_data([(30, "red")], roles)
    with pytest.raises(BadInput) as refused:
        Records.of(data, "ncp")
    about_age, about_colour = map(str, refused.value.problems)
    assert "'age'" in about_age
    assert "ranges" in about_age
    assert "mondrian" in about_age
    assert "'colour'" in about_colour
    assert "file" in about_colour


@examples(40)
@given(tables())
def test_rows_lead_back_to_their_values(drawn):
    data = drawn.on_trees.data
    records = Records.of(data, "ncp")
    for number, name in enumerate(data.quasi):
        codes = records.nodes[records.record_of_row, number] - records.trees.starts[number]
        np.testing.assert_array_equal(codes, data.table.coded(name).codes)
    np.testing.assert_array_equal(records.record_of_row[records.rows], records.record_of_place)
