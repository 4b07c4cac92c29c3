from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.kanon_cf import cover as module
from shoal.algorithms.relational.kanon_cf.cover import greedy_cover, least_cost
from shoal.progress import Silent
from tests.algorithms.relational.kanon_cf.test_closed_records import mined, wide_data
from tests.algorithms.relational.tables import tables
from tests.examples import examples
from tests.reference import clusterings, kanon_cf

MEASURES = st.sampled_from(["lm", "ncp", "tree", "monotone_entropy", "entropy"])


def sets_of(cover):
    return [cover.places[begin:end].tolist() for begin, end in pairwise(cover.starts)]


def places_as_rows(records):
    return [tuple(row) for row in records.nodes[records.record_of_place].tolist()]


@st.composite
def problems(draw, most_rows=14):
    """Records and k, which is at most their number."""
    drawn = draw(tables(least_rows=1, most_rows=most_rows, with_subjects=False)).on_trees
    k = draw(st.integers(2, 4))
    assume(k <= len(drawn.rows))
    return Records.of(drawn.data, draw(MEASURES)), k


@examples(100)
@given(problem=problems(), frugal=st.booleans())
def test_lazy_choices_are_the_greedy_ones(problem, frugal):
    records, k = problem
    closed = mined(records, k)
    cover = greedy_cover(records, closed, k, Silent(), frugal=frugal)
    parent, cost = records.trees.parent.tolist(), records.trees.cost.tolist()
    rows = places_as_rows(records)
    vectors = closed.vectors().tolist()
    supports = [kanon_cf.support(parent, vector, rows) for vector in vectors]
    costs = [sum(cost[node] for node in vector) for vector in vectors]
    covered = set()
    for number, places in zip(cover.chosen.tolist(), sets_of(cover), strict=True):
        assert number == kanon_cf.greedy_choice(supports, costs, covered, k, frugal)
        assert len(set(places)) == len(places)
        assert k <= len(places) <= max(2 * k - 1, 1)
        assert kanon_cf.is_part_to_take(set(places), supports[number], covered, k, frugal)
        covered |= set(places)
    assert covered == set(range(len(rows)))


@examples(100)
@given(problem=problems(), frugal=st.booleans())
def test_clustering_is_disjoint_and_its_sets_cost_no_more(problem, frugal):
    records, k = problem
    assume(records.monotone)
    cover = greedy_cover(records, mined(records, k), k, Silent(), frugal=frugal)
    clustering = cover.clustering(records)
    assert clustering.sizes.sum() == records.row_count
    assert clustering.sizes.min() >= k
    assert clustering.sizes.max() <= max(2 * k - 1, 1)
    parent, cost = records.trees.parent.tolist(), records.trees.cost.tolist()
    rows = places_as_rows(records)
    of_cover = sum(
        clusterings.cost_of(parent, cost, [rows[place] for place in places]) for places in sets_of(cover)
    )
    assert clustering.costs(records).sum() <= of_cover + 1e-9


@examples(60)
@given(problem=problems(most_rows=8))
def test_clustering_is_one_that_algorithm_2_may_make(problem):
    records, k = problem
    cover = greedy_cover(records, mined(records, k), k, Silent())
    assume(sum(map(len, sets_of(cover))) <= records.row_count + 5)
    cluster_of_place = cover.clustering(records).cluster_of_row[records.rows]
    clusters = {
        frozenset(np.flatnonzero(cluster_of_place == number).tolist()) for number in cluster_of_place.tolist()
    }
    assert clusters in kanon_cf.clusterings_of(sets_of(cover), k)


@examples(60)
@given(problem=problems())
def test_no_row_can_cost_less_than_its_cheapest_closed_record(problem):
    records, k = problem
    closed = mined(records, k)
    parent, cost = records.trees.parent.tolist(), records.trees.cost.tolist()
    rows = places_as_rows(records)
    vectors = closed.vectors().tolist()
    supports = [kanon_cf.support(parent, vector, rows) for vector in vectors]
    least = [
        min(
            sum(cost[node] for node in vector)
            for vector, places in zip(vectors, supports, strict=True)
            if place in places
        )
        for place in range(len(rows))
    ]
    assert least_cost(records, closed, Silent()) == pytest.approx(sum(least) / len(rows))


def test_slices_change_nothing(monkeypatch):
    records = Records.of(wide_data(5, row_count=300), "lm")
    closed = mined(records, 4)
    whole = greedy_cover(records, closed, 4, Silent())
    least = least_cost(records, closed, Silent())
    monkeypatch.setattr(module, "_LOOKS_PER_SLICE", 1)
    pieces = greedy_cover(records, closed, 4, Silent())
    np.testing.assert_array_equal(pieces.chosen, whole.chosen)
    np.testing.assert_array_equal(pieces.places, whole.places)
    assert least_cost(records, closed, Silent()) == least
