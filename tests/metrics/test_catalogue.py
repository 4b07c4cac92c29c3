from dataclasses import replace
from math import isfinite

import numpy as np
import pytest
from hypothesis import given

from shoal.kernels.arrays import frozen_ints
from shoal.metrics.catalogue import (
    MEASURES,
    measure,
    measure_by_column,
    measure_columns,
    measure_items,
    measure_table,
)
from shoal.metrics.node_costs import NODE_COSTS
from shoal.metrics.relational import discernibility, log10_ambiguity, published_columns, table_cost
from shoal.recoding.cuts import Cuts, unions_of
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.rows import RowRecoding
from shoal.table.roles import Quasi, QuasiSet
from tests.builders import local_data, set_column, tree
from tests.metrics.releases import releases

OF_LEVELS = {"ml2", "dml2", "tkd_ml2"}
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
    for name in NODE_COSTS:
        assert measured[name] == table_cost(data, clusters, name)
    assert measure_columns(data, clusters) == {"letter": {name: measured[name] for name in NODE_COSTS}}
    assert measured["log10_am"] == log10_ambiguity(published_columns(data, clusters), clusters)
    assert measured["discernibility"] == discernibility(clusters) == 5
    assert measured["c_avg"] == pytest.approx(1.5)


def test_every_measure_of_sets():
    sets = set_column([("a1", "a2"), ("b1",)], hierarchy=LETTERS).arrays
    measured = measure_items(LETTERS, sets, frozen_ints([LETTERS.labels.index("A")] * 2 + [2]))
    assert set(measured) == names("sets")
    assert measured == pytest.approx({"ncp": 2 / 3 * 2 / 4, "ul": 1 / 2})


def lettered(*columns):
    """Records of letters in some columns, and what of them is published: a1 and a2 as A."""
    roles = dict.fromkeys(columns, QuasiSet())
    rows = [tuple({"a1", "b1"} for _ in columns), tuple({"a2"} for _ in columns)]
    data = local_data(rows, roles, trees=dict.fromkeys(columns, LETTERS))
    cut = np.array([[LETTERS.labels.index(label) for label in ("A", "A", "b1", "b2")]])
    return data, RowRecoding(items=tuple(Cuts(column, frozen_ints([0, 0]), cut) for column in columns))


def test_levels_are_measured_of_the_only_column_of_sets():
    """Every itemset is frequent; a1, a2, {a1, b1} of level 2 are found one level up."""
    losses = measure(*lettered("letters"), 2)
    assert OF_LEVELS == names("trees of sets") - names("both") <= set(losses)
    assert (losses["ml2"], losses["dml2"]) == (pytest.approx(3 / 8), 1.0)
    assert OF_LEVELS & set(measure_by_column(*lettered("letters"))["letters"]) == set()


def test_levels_are_measured_of_each_of_several_columns_of_sets():
    data, recoding = lettered("one", "other")
    clusters = GeneralizedClusters(frozen_ints([0, 0]), {})
    recoding = replace(recoding, clusters=clusters)
    assert OF_LEVELS & set(measure(data, recoding, 2)) == set()
    by_column = measure_by_column(data, recoding)
    assert by_column["one"]["ml2"] == by_column["other"]["ml2"] == pytest.approx(3 / 8)


def test_unions_without_a_tree_have_no_levels():
    unions, words = unions_of(np.array([[0, 0]]), ["p", "q"], " ")
    data = local_data([({"p"},), ({"q"},)], {"letters": QuasiSet()})
    cuts = Cuts("letters", frozen_ints([0, 0]), words, unions=unions)
    assert OF_LEVELS & set(measure(data, RowRecoding(items=(cuts,)), 2)) == set()


def test_every_measure_says_what_it_is():
    for name, metric in MEASURES.items():
        assert metric.name == name
        assert len(metric.description) > 20
        assert metric.lower_is_better
