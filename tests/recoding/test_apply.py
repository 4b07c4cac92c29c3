from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from shoal.recoding.apply import apply_clusters
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.table.columns import Carried, Kind, Sets
from shoal.table.roles import Insensitive, Quasi, QuasiSet, Sensitive
from tests.builders import EPOCH, local_data, tree

TOWNS = tree({"all": {"north": ["a", "b"], "south": ["c"]}})
ROLES = {
    "town": Quasi(),
    "size": Quasi(kind=Kind.NUMBER),
    "items": QuasiSet(),
    "illness": Sensitive(),
    "note": Insensitive(),
    "visits": Insensitive(),
}
ROWS = [
    ("a", 1, ["x", "y"], "flu", "one", 1),
    ("b", 2, ["y"], "cold", "two", 2),
    (None, None, [], None, "three", 3),
    ("c", 7, ["x"], "flu", None, 4),
]
DATA = local_data(ROWS, ROLES, trees={"town": TOWNS})


def decided(cluster_of_row, nodes, ranges):
    return GeneralizedClusters(
        np.array(cluster_of_row), {"town": np.array(nodes)}, {"size": np.array(ranges, dtype=float)}
    )


def applied(clusters, smallest=2, people=None):
    return apply_clusters(DATA.table, DATA.trees, DATA.roles, clusters, smallest=smallest, people=people)


def labels(table, name):
    column = table.coded(name)
    return [column.domain.label(code) for code in column.codes.tolist()]


def node(label):
    return TOWNS.labels.index(label)


def test_groups_are_published_as_labels_of_nodes_and_ranges():
    clusters = decided(
        [0, 0, 1, 2],
        [node("north"), TOWNS.missing, TOWNS.root],
        [(0, 2.5), (np.nan, np.nan), (-np.inf, np.inf)],
    )
    done = applied(clusters)
    assert labels(done.table, "town") == ["north", "north", None, "all"]
    assert labels(done.table, "size") == ["[0, 2.5]", "[0, 2.5]", None, "*"]
    assert done.table.coded("size").domain.kind is Kind.CATEGORY
    assert done.table.coded("town").domain.texts() == ["all", "north"]
    assert done.rows.tolist() == [0, 1, 2, 3]
    assert not done.stars.any()


@pytest.mark.parametrize("cluster_of_row", [[0, 0, 1, 1], [0, -1, 1, -1], [0, 0, -1, 1], [-1, -1, -1, -1]])
@pytest.mark.parametrize("kind", [np.int64, np.uint32])
def test_rows_are_published_in_the_order_that_is_asked_for(cluster_of_row, kind):
    count = max(*cluster_of_row, 0) + 1
    clusters = decided(cluster_of_row, [node("north"), TOWNS.root][:count], [(0, 3), (2, 9)][:count])
    plain, asked = applied(clusters), []

    def order(rows):
        asked.append(rows)
        return np.arange(rows, dtype=kind)[::-1]

    done = apply_clusters(DATA.table, DATA.trees, DATA.roles, clusters, smallest=2, order=order)
    assert asked == [plain.table.row_count]
    assert done.rows.tolist() == plain.rows[::-1].tolist()
    assert done.stars.tolist() == plain.stars[::-1].tolist()
    backwards = plain.table.take(np.arange(plain.table.row_count)[::-1])
    assert list(done.table.columns) == list(plain.table.columns)
    for name in ("town", "size", "illness"):
        assert labels(done.table, name) == labels(backwards, name)
    for name in ("note", "visits"):
        values = [table.column(name).values.to_pylist() for table in (done.table, backwards)]
        assert values[0] == values[1]
    taken = [table.sets("items").arrays for table in (done.table, backwards)]
    assert [each.tolist() for each in taken[0]] == [each.tolist() for each in taken[1]]


def test_other_columns_are_published_as_they_are():
    done = applied(decided([0, 0, 0, 0], [TOWNS.root], [(0, 10)]))
    for name in ("items", "illness", "note", "visits"):
        assert done.table.column(name) is DATA.table.column(name)


@pytest.mark.parametrize(
    ("ends", "label"),
    [
        ((3, 3), "3"),
        ((0.1, 0.25), "[0.1, 0.25]"),
        ((-5, 1e6), "[-5, 1000000]"),
        ((0, 1e-7), "[0, 0.0000001]"),
    ],
)
def test_ranges_are_written_in_shortest_decimals(ends, label):
    done = applied(decided([0, 0, 0, 0], [TOWNS.root], [ends]))
    assert labels(done.table, "size")[0] == label


def test_ranges_of_dates_are_written_in_iso_form():
    days = [date(2024, 2, 29), date(1969, 12, 31)]
    data = local_data([(day,) for day in days], {"day": Quasi(kind=Kind.DATE)})
    ends = [(-1, (date(2024, 2, 29) - EPOCH).days)]
    clusters = GeneralizedClusters(np.array([0, 0]), ranges={"day": np.array(ends, dtype=float)})
    done = apply_clusters(data.table, {}, data.roles, clusters, smallest=2)
    assert labels(done.table, "day") == ["[1969-12-31, 2024-02-29]"] * 2


def test_suppressed_records_of_too_few_people_are_left_out():
    clusters = decided([0, SUPPRESSED, SUPPRESSED, 0], [TOWNS.root], [(0, 10)])
    assert applied(clusters, people=np.array([0, 1, 1, 2])).table.row_count == 2
    assert applied(clusters, people=np.array([0, 1, 2, 2])).table.row_count == 4


def test_too_few_suppressed_records_are_left_out():
    done = applied(decided([0, SUPPRESSED, SUPPRESSED, 0], [TOWNS.root], [(0, 10)]), smallest=3)
    assert done.table.row_count == 2
    assert done.rows.tolist() == [0, 3]
    assert not done.stars.any()
    assert labels(done.table, "illness") == ["flu", "flu"]
    assert labels(done.table, "town") == ["all", "all"]


def test_suppressed_records_that_hide_each_other_are_rows_of_stars():
    done = applied(decided([0, SUPPRESSED, SUPPRESSED, 0], [TOWNS.root], [(0, 10)]), smallest=2)
    assert done.stars.tolist() == [False, True, True, False]
    assert done.rows.tolist() == [0, 1, 2, 3]
    assert labels(done.table, "town") == ["all", "*", "*", "all"]
    assert labels(done.table, "size") == ["[0, 10]", "*", "*", "[0, 10]"]
    assert labels(done.table, "illness") == ["flu", "*", "*", "flu"]
    sets = done.table.sets("items")
    assert isinstance(sets, Sets)
    assert sets.sizes.tolist() == [2, 0, 0, 1]
    assert sets.arrays.items.tolist() == [0, 1, 0]
    assert carried(done.table, "note") == ["one", "*", "*", None]
    assert carried(done.table, "visits") == [1, None, None, 4]


def carried(table, name):
    column = table.column(name)
    assert isinstance(column, Carried)
    assert isinstance(column.values, pa.ChunkedArray)
    return column.values.to_pylist()


def test_missing_sensitive_values_of_published_records_stay_missing():
    done = applied(decided([SUPPRESSED, SUPPRESSED, 0, 0], [TOWNS.root], [(0, 10)]), smallest=2)
    assert labels(done.table, "illness") == ["*", "*", None, "flu"]


def test_star_of_a_tree_and_star_of_a_suppressed_record_are_one_label():
    letters = tree({"*": ["a", "b"]})
    data = local_data([("a",), ("b",)], {"letter": Quasi()}, trees={"letter": letters})
    clusters = GeneralizedClusters(np.array([0, SUPPRESSED]), {"letter": np.array([letters.root])})
    done = apply_clusters(data.table, data.trees, data.roles, clusters, smallest=1)
    assert done.table.coded("letter").domain.texts() == ["*"]
    assert labels(done.table, "letter") == ["*", "*"]


def test_a_quasi_identifier_never_slips_through_undecided():
    with pytest.raises(ValueError, match="size"):
        applied(GeneralizedClusters(np.zeros(4, dtype=np.int64), {"town": np.array([TOWNS.root])}))


def test_the_original_is_left_as_it_is():
    before = {name: DATA.table.coded(name).codes.copy() for name in ("town", "size", "illness")}
    applied(decided([0, SUPPRESSED, SUPPRESSED, 0], [TOWNS.root], [(0, 10)]))
    for name, codes in before.items():
        np.testing.assert_array_equal(DATA.table.coded(name).codes, codes)
