import numpy as np
import pytest
from hypothesis import given

from shoal.errors import UnknownName
from shoal.hierarchy.tree import tree_from_parents
from shoal.kernels.arrays import frozen_floats, frozen_ints
from shoal.metrics.covers import node_cover
from shoal.metrics.node_costs import NODE_COSTS, node_cost
from tests.builders import tree
from tests.metrics.releases import parent_maps

COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})
ONE_EACH = frozen_ints([1, 1, 1, 1, 0])


def costs(measure, numbers=None, counts=ONE_EACH, on=COLOURS):
    values = node_cost(measure)(node_cover(on, None if numbers is None else frozen_floats(numbers), counts))
    return {label or "missing": float(value) for label, value in zip(on.labels, values, strict=True)}


def test_costs_of_nodes_by_leaves():
    assert costs("ncp")["warm"] == pytest.approx(2 / 4)
    assert costs("lm")["warm"] == pytest.approx(1 / 3)
    assert costs("tree")["warm"] == pytest.approx(1 / 2)
    assert costs("entropy")["warm"] == pytest.approx(1.0)
    assert costs("monotone_entropy")["warm"] == pytest.approx(0.5)


def test_numbers_are_measured_by_their_distance():
    assert costs("ncp", numbers=[40, 10, 20, 90])["warm"] == pytest.approx(30 / 80)
    assert costs("lm", numbers=[40, 10, 20, 90])["cold"] == pytest.approx(70 / 80)


@pytest.mark.parametrize("useless", [[1, 2, np.nan, 4], [1, 2, np.inf, 4], [7, 7, 7, 7]])
def test_numbers_that_give_no_distance_are_measured_by_leaves(useless):
    assert costs("ncp", numbers=useless) == costs("ncp")


def test_numbers_too_far_apart_for_a_difference():
    far = costs("lm", numbers=[-1.7e308, 0, 1, 1.7e308])
    assert far["warm"] == pytest.approx(0.5)
    assert far["*"] == 1.0


def test_entropy_may_fall_on_the_way_up_and_monotone_entropy_does_not():
    skewed = frozen_ints([1, 1, 98, 0, 0])
    plain, monotone = costs("entropy", counts=skewed), costs("monotone_entropy", counts=skewed)
    assert plain["*"] < plain["warm"]
    assert monotone["*"] > monotone["warm"]


def test_the_root_also_hides_whether_there_was_a_value():
    with_missing = frozen_ints([2, 0, 0, 0, 2])
    assert costs("entropy", counts=with_missing)["*"] == pytest.approx(1.0)
    assert costs("entropy", counts=with_missing)["warm"] == 0.0


def test_a_node_over_one_leaf_costs_nothing_but_height():
    chain = tree({"*": {"lonely": ["a"], "pair": ["b", "c"]}})
    counts = frozen_ints([1, 1, 1, 0])
    assert {measure: costs(measure, on=chain, counts=counts)["lonely"] for measure in NODE_COSTS} == {
        "ncp": 0.0,
        "lm": 0.0,
        "tree": 0.5,
        "entropy": 0.0,
        "monotone_entropy": 0.0,
    }


@given(parent_maps())
def test_leaves_and_the_missing_value_are_free_and_only_entropy_falls(parents):
    built = tree_from_parents(parents)
    counts = frozen_ints([(7 * leaf + 3) % 5 for leaf in range(built.leaf_count + 1)])
    for measure in NODE_COSTS:
        values = node_cost(measure)(node_cover(built, None, counts))
        assert np.isfinite(values).all()
        assert (values[: built.missing + 1] == 0).all()
        if measure != "entropy":
            assert (values <= values[built.arrays.parent] + 1e-12).all()


def test_unknown_measure_suggests_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'entropy'"):
        costs("entropie")
