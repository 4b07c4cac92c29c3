from dataclasses import replace

import numpy as np
import pytest

from shoal.kernels.arrays import SetArrays, frozen_ints, frozen_items
from shoal.recoding.cuts import Cuts, ItemNodes, unions_of
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.recoding_diff import diff_recodings
from shoal.recoding.rows import RowRecoding
from shoal.recoding.synthetic import Synthetic
from tests.recoding.samples import CASES, sample

INF, NAN = np.inf, np.nan


def rows(cluster_of_row, nodes, ranges=None):
    of_columns = {} if ranges is None else {"age": np.array(ranges, dtype=float)}
    return RowRecoding(
        GeneralizedClusters(frozen_ints(cluster_of_row), {"town": frozen_ints(nodes)}, of_columns)
    )


def items(*each):
    return RowRecoding(items=each)


def told(one, other):
    return [str(each) for each in diff_recodings(one, other)]


@pytest.mark.parametrize("case", CASES)
def test_equal_recodings_differ_in_nothing(case):
    _, result = sample(case)
    assert diff_recodings(result.recoding, replace(result.recoding, notices=(), figures={})) == []


def test_numbers_of_clusters_do_not_matter():
    assert told(rows([0, 0, 1], [4, 5]), rows([1, 1, 0], [5, 4])) == []
    one = rows([0, 1, 1], [4, 4], [(NAN, NAN), (-INF, INF)])
    assert told(one, rows([1, 0, 0], [4, 4], [(-INF, INF), (NAN, NAN)])) == []


def test_clusters():
    one = rows([0, 0, 1, 1, SUPPRESSED], [4, 5], [(0, 9), (1, 1)])
    assert told(one, rows([0, 0, 0, 1, 1], [4, 5], [(0, 9), (1, 2)])) == [
        "1 records are suppressed in the first only",
        "4 records are in a cluster with other records",
        "column 'town': 1 records are published as another value",
        "column 'age': 2 records are published as another value",
    ]
    assert told(one, rows([0, 0, 1, 1], [4, 5], [(0, 9), (1, 1)])) == [
        "1 records more in one than in the other"
    ]
    assert told(one, rows([0, 0, 1, 1, SUPPRESSED], [4, 5])) == [
        "column 'age': 5 records are published as another kind of value"
    ]
    assert told(one, RowRecoding()) == ["1 recoding decides about single values, and one does not"]


def test_cuts():
    one = Cuts("items", frozen_ints([0, 0, 1]), np.array([[3, 3, 2], [0, 1, 2]]))
    turned = Cuts("items", frozen_ints([1, 1, 0]), np.array([[0, 1, 2], [3, 3, 2]]))
    coarser = Cuts("items", frozen_ints([0, 0, 0]), np.array([[3, 3, 2]]))
    assert told(items(one), items(turned)) == []
    assert told(items(one), items(coarser)) == ["column 'items': 1 records have another cut"]
    assert told(items(one), items(replace(one, column="other"))) == [
        "column 'items': 1 recoding decides about its items, and one does not",
        "column 'other': 1 recoding decides about its items, and one does not",
    ]
    assert told(items(one), items(replace(one, part_of_row=frozen_ints([0])))) == [
        "column 'items': 2 recodings are of other records or items"
    ]


def test_unions_are_compared_by_what_they_are_called():
    labels, parts = ["a", "b", "c"], frozen_ints([0, 1])
    unions, words = unions_of(np.array([[0, 0, 2], [0, 1, 1]]), labels, " ")
    turned, other_words = unions_of(np.array([[0, 1, 1], [0, 0, 2]]), labels, " ")
    one = Cuts("items", parts, words, unions=unions)
    other = Cuts("items", frozen_ints([1, 0]), other_words, unions=turned)
    assert not np.array_equal(words[::-1], other_words)
    assert told(items(one), items(other)) == []
    assert told(items(one), items(replace(other, part_of_row=parts))) == [
        "column 'items': 2 records have another cut"
    ]
    assert told(items(one), items(replace(other, unions=None))) == [
        "column 'items': 1 recoding unites items, and one has a tree"
    ]


def test_occurrences():
    one = ItemNodes("items", frozen_items([0, 1, 2]), np.array([False, False]))
    other = ItemNodes("items", frozen_items([0, 3, 3]), np.array([False, True]))
    assert told(items(one), items(other)) == [
        "column 'items': 1 records are withheld in one only",
        "column 'items': 2 occurrences of items are published as another node",
    ]
    assert told(items(one), items(replace(other, node_of_occurrence=frozen_items([0])))) == [
        "column 'items': 2 items more in one than in the other"
    ]
    cuts = Cuts("items", frozen_ints([0, 0]), np.array([[0, 1, 2]]))
    assert told(items(one), items(cuts)) == [
        "column 'items': 1 recoding has cuts, and one a node for each occurrence"
    ]


def test_forms_and_new_records():
    itemsets = SetArrays(frozen_ints([0, 1, 3]), frozen_ints([0, 0, 1]))
    one = Synthetic("items", itemsets, frozen_ints([4, 1]))
    turned = Synthetic(
        "items", SetArrays(frozen_ints([0, 2, 3]), frozen_ints([0, 1, 0])), frozen_ints([1, 4])
    )
    assert told(one, turned) == []
    assert told(one, replace(one, counts=frozen_ints([4, 2]))) == [
        "column 'items': 1 itemsets are published another number of times"
    ]
    assert told(one, RowRecoding()) == ["2 forms: new records, and rows"]


def test_chunks():
    _, result = sample("chunks")
    one = result.recoding
    moved = one.cluster_of_row.copy()
    moved[np.flatnonzero(moved == moved.max())[0]] = moved[moved >= 0].min()
    assert any("cluster with other records" in each for each in told(one, replace(one, cluster_of_row=moved)))
    release = one.clusters
    emptied = SetArrays(np.zeros_like(release.subrecords.starts), frozen_ints([]))
    changed = replace(one, clusters=replace(release, subrecords=emptied))
    count = len(np.unique(release.chunk_clusters))
    assert told(one, changed) == [f"column 'items': {count} clusters are taken apart otherwise"]
    assert told(one, replace(one, cluster_of_row=moved[:-1])) == [
        "column 'items': 1 records more in one than in the other"
    ]
