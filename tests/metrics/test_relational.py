from math import inf, log10, nan

import numpy as np
import pytest
from hypothesis import given

from shoal.errors import UnknownName
from shoal.hierarchy.tree import NO_PARENT, tree_from_nodes
from shoal.kernels.arrays import frozen_floats, frozen_ints
from shoal.metrics.node_costs import NODE_COSTS
from shoal.metrics.relational import column_costs, normalized_weights, published_columns, table_cost
from shoal.metrics.relational import log10_ambiguity as ambiguity_of_columns
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.builders import flat_tree, local_data, tree
from tests.examples import examples
from tests.metrics.releases import releases
from tests.reference import metrics as reference

CITIES = tree({"*": {"north": ["Aa", "Bo"], "south": ["Ce", "Du"]}})
AGE = Quasi(kind=Kind.NUMBER)


def log10_ambiguity(data, clusters):
    return ambiguity_of_columns(published_columns(data, clusters), clusters)


def published(*nodes, on=CITIES):
    return frozen_ints([on.missing if node is None else on.labels.index(node) for node in nodes])


def ranges(*ends):
    return frozen_floats(ends)


@given(releases())
@examples(200)
def test_costs_equal_their_twins(release):
    for measure in NODE_COSTS:
        expected = [
            reference.column_cost(measure, column, cells)
            for column, cells in zip(release.columns, release.published, strict=True)
        ]
        found = column_costs(release.data, release.clusters, measure)
        assert list(found.values()) == pytest.approx([float(cost) for cost in expected], abs=1e-9)
        table = reference.table_cost(measure, release.columns, release.published, release.weights)
        assert table_cost(release.data, release.clusters, measure) == pytest.approx(float(table), abs=1e-9)


@given(releases())
def test_ambiguity_equals_its_twin(release):
    found = log10_ambiguity(release.data, release.clusters)
    if release.data.row_count == 0:
        assert found == 0.0
    else:
        assert found == pytest.approx(log10(reference.ambiguity(release.columns, release.published)))


def test_untouched_table_costs_nothing():
    data = local_data([("Aa", 30), ("Du", 41)], {"city": Quasi(), "age": AGE}, trees={"city": CITIES})
    clusters = GeneralizedClusters(
        frozen_ints([0, 1]), {"city": published("Aa", "Du")}, {"age": ranges((30, 30), (41, 41))}
    )
    assert {measure: table_cost(data, clusters, measure) for measure in NODE_COSTS} == dict.fromkeys(
        NODE_COSTS, 0.0
    )
    assert log10_ambiguity(data, clusters) == 0.0


def test_ncp_weights_columns_and_the_others_do_not():
    roles = {"city": Quasi(weight=3.0), "age": Quasi(kind=Kind.NUMBER, weight=1.0)}
    data = local_data([("Aa", 30), ("Bo", 40), ("Ce", 50)], roles, trees={"city": CITIES})
    clusters = GeneralizedClusters(
        frozen_ints([0, 0, 1]), {"city": published("north", "Ce")}, {"age": ranges((30, 40), (50, 50))}
    )
    assert column_costs(data, clusters, "ncp") == pytest.approx({"city": 2 / 3 / 2, "age": 2 / 3 / 2})
    only_city = GeneralizedClusters(
        clusters.cluster_of_row, clusters.nodes, {"age": ranges((30, 30), (50, 50))}
    )
    assert table_cost(data, only_city, "ncp") == pytest.approx(3 / 4 * 2 / 3 * 2 / 4)
    assert table_cost(data, only_city, "lm") == pytest.approx(1 / 2 * 2 / 3 * 1 / 3)


def test_weights_are_normalized_and_all_zero_means_equal():
    assert normalized_weights({"a": 2.0, "b": 6.0}) == {"a": 0.25, "b": 0.75}
    assert normalized_weights({"a": 0.0, "b": 0.0}) == {"a": 0.5, "b": 0.5}
    assert normalized_weights({}) == {}


def test_suppressed_records_cost_all_there_is():
    data = local_data([("Aa", 1), ("Bo", 2)], {"city": Quasi(), "age": AGE}, trees={"city": CITIES})
    nothing = GeneralizedClusters(
        frozen_ints([SUPPRESSED, SUPPRESSED]), {"city": published()}, {"age": np.empty((0, 2))}
    )
    for measure in ("ncp", "lm", "tree"):
        assert table_cost(data, nothing, measure) == pytest.approx(1.0)
    for measure in ("entropy", "monotone_entropy"):
        assert table_cost(data, nothing, measure) == pytest.approx(1.0)  # one of two values each
    assert log10_ambiguity(data, nothing) == pytest.approx(log10(4 * 2))


def test_missing_values_cost_nothing_as_missing_and_all_as_root():
    rows = [(None, None), ("Aa", 5), ("Ce", 9)]
    data = local_data(rows, {"city": Quasi(), "age": AGE}, trees={"city": CITIES})
    kept = GeneralizedClusters(
        frozen_ints([0, 1, 2]),
        {"city": published(None, "Aa", "Ce")},
        {"age": ranges((nan, nan), (5, 5), (9, 9))},
    )
    hidden = GeneralizedClusters(
        frozen_ints([0, 0, 1]), {"city": published("*", "Ce")}, {"age": ranges((inf, inf), (9, 9))}
    )
    for measure in NODE_COSTS:
        assert table_cost(data, kept, measure) == 0.0
    assert column_costs(data, hidden, "ncp") == pytest.approx({"city": 2 / 3, "age": 2 / 3})


def test_a_column_with_one_value_costs_nothing():
    rows = [("only", 7), (None, None)]
    data = local_data(rows, {"city": Quasi(), "age": AGE}, trees={"city": flat_tree(["only"])})
    root = published("*", on=data.trees["city"])
    clusters = GeneralizedClusters(frozen_ints([0, 0]), {"city": root}, {"age": ranges((-inf, inf))})
    assert table_cost(data, clusters, "ncp") == 0.0
    assert table_cost(data, clusters, "lm") == 0.0


def test_a_column_without_any_value_costs_nothing_until_it_is_suppressed():
    empty = tree_from_nodes(["*"], [NO_PARENT])
    data = local_data([(None, None)] * 2, {"city": Quasi(), "age": AGE}, trees={"city": empty})
    for node, ends in ((empty.missing, (nan, nan)), (empty.root, (-inf, inf))):
        clusters = GeneralizedClusters(
            frozen_ints([0, 0]), {"city": frozen_ints([node])}, {"age": ranges(ends)}
        )
        assert table_cost(data, clusters, "ncp") == table_cost(data, clusters, "lm") == 0.0
        assert table_cost(data, clusters, "entropy") == table_cost(data, clusters, "monotone_entropy") == 0.0
        assert log10_ambiguity(data, clusters) == 0.0
    gone = GeneralizedClusters(
        frozen_ints([SUPPRESSED] * 2), {"city": published()}, {"age": np.empty((0, 2))}
    )
    assert table_cost(data, gone, "ncp") == 1.0
    assert log10_ambiguity(data, gone) == 0.0


def test_ranges_are_measured_over_bounds_or_data_whichever_reach_further():
    rows = [(0,), (10,), (120,)]
    clusters = GeneralizedClusters(frozen_ints([0, 0, 1]), {}, {"age": ranges((0, 10), (120, 120))})
    for bounds, width in ((None, 120), ((0.0, 100.0), 120), ((-80.0, 100.0), 200)):
        data = local_data(rows, {"age": Quasi(kind=Kind.NUMBER, bounds=bounds)})
        assert table_cost(data, clusters, "ncp") == pytest.approx(2 / 3 * 10 / width)


def test_ambiguity_survives_where_its_product_does_not():
    wide = flat_tree([f"v{value}" for value in range(1000)])
    names = [f"c{place}" for place in range(150)]
    data = local_data(
        [["v0"] * 150, ["v1"] * 150], dict.fromkeys(names, Quasi()), trees=dict.fromkeys(names, wide)
    )
    clusters = GeneralizedClusters(frozen_ints([0, 0]), dict.fromkeys(names, frozen_ints([wide.root])))
    assert log10_ambiguity(data, clusters) == pytest.approx(450.0)


def test_a_table_without_quasi_identifiers_has_nothing_to_lose():
    data = local_data([("flu",)], {"illness": Sensitive()})
    clusters = GeneralizedClusters(frozen_ints([0]))
    assert column_costs(data, clusters, "ncp") == {}
    assert table_cost(data, clusters, "ncp") == 0.0
    assert log10_ambiguity(data, clusters) == 0.0


def test_unknown_measure_is_refused():
    data = local_data([("Aa",)], {"city": Quasi()}, trees={"city": CITIES})
    with pytest.raises(UnknownName, match="no measure 'mcp'; did you mean 'ncp'"):
        table_cost(data, GeneralizedClusters(frozen_ints([0]), {"city": published("Aa")}), "mcp")
