from math import isfinite

import pytest
from hypothesis import given

from shoal.kernels.arrays import frozen_ints
from shoal.metrics.catalogue import MEASURES, measure_columns, measure_items, measure_table
from shoal.metrics.node_costs import NODE_COSTS
from shoal.metrics.relational import discernibility, log10_ambiguity, published_columns, table_cost
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.table.roles import Quasi
from tests.builders import local_data, set_column, tree
from tests.metrics.releases import releases

LETTERS = tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})


def names(applies_to):
    return {name for name, metric in MEASURES.items() if metric.applies_to in (applies_to, "both")}


@given(releases())
def test_every_measure_of_tables_is_a_number_on_every_table(release):
    measured = measure_table(release.data, release.clusters, k=2)
    assert set(measured) == names("table")
    assert all(isinstance(value, float) and isfinite(value) and value >= 0 for value in measured.values())


def test_figures_are_those_of_the_single_measures():
    data = local_data([("a1",), ("a2",), ("b1",)], {"letter": Quasi()}, trees={"letter": LETTERS})
    clusters = GeneralizedClusters(
        frozen_ints([0, 0, 1]), {"letter": frozen_ints([LETTERS.labels.index("A"), 2])}
    )
    measured = measure_table(data, clusters, k=1)
    for measure in NODE_COSTS:
        assert measured[measure] == table_cost(data, clusters, measure)
    assert measure_columns(data, clusters) == {"letter": {name: measured[name] for name in NODE_COSTS}}
    assert measured["log10_am"] == log10_ambiguity(published_columns(data, clusters), clusters)
    assert measured["discernibility"] == discernibility(clusters) == 5
    assert measured["c_avg"] == pytest.approx(1.5)


def test_every_measure_of_sets():
    sets = set_column([("a1", "a2"), ("b1",)], hierarchy=LETTERS).arrays
    measured = measure_items(LETTERS, sets, frozen_ints([LETTERS.labels.index("A")] * 2 + [2]))
    assert set(measured) == names("sets")
    assert measured == pytest.approx({"ncp": 2 / 3 * 2 / 4, "ul": 1 / 2})


def test_every_measure_says_what_it_is():
    for name, metric in MEASURES.items():
        assert metric.name == name
        assert len(metric.description) > 20
        assert metric.lower_is_better
