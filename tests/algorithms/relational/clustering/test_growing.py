"""k-member and Cluster against their twins."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering import growing
from shoal.algorithms.relational.clustering.growing import around_random_seeds, completed, nothing_grown
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.k_member import KMember
from shoal.kernels.greedy_clusters import NO_CLUSTER, grow_around_seeds, grow_by_members
from shoal.progress import Silent
from shoal.table.roles import Quasi
from tests.algorithms.relational.tables import tables
from tests.builders import local_data, tree
from tests.examples import examples
from tests.hurried import UpAfter
from tests.reference.growing import Growing

MEASURES = st.sampled_from(["ncp", "entropy"])


@st.composite
def instances(draw):
    """Records of a table and a k that it has rows for."""
    drawn = draw(tables(least_rows=2, most_rows=12, with_subjects=False))
    records = Records.of(drawn.on_trees.data, draw(MEASURES))
    return records, draw(st.integers(1, min(records.row_count, 4)))


def twin(records, k):
    rows = [tuple(record) for record in records.nodes[records.record_of_row].tolist()]
    return Growing(records.trees.parent.tolist(), records.trees.cost.tolist(), rows, k)


def as_records(records, clustering):
    """The records of each cluster, in the order of clusters."""
    vectors = [tuple(record) for record in records.nodes[records.record_of_row].tolist()]
    return [
        sorted(vectors[row] for row in np.flatnonzero(clustering.cluster_of_row == cluster))
        for cluster in range(len(clustering))
    ]


@examples(60)
@given(instances(), st.data())
def test_k_member_takes_what_is_cheapest(instance, data):
    records, k = instance
    first = data.draw(st.integers(0, len(records) - 1))
    growth = nothing_grown(records)
    last = first
    while growth.state[1] >= k:
        last = grow_by_members(records.trees, growth, k, last, 1)
    expected = twin(records, k).by_members(tuple(records.nodes[first].tolist()))
    assert as_records(records, completed(records, growth)) == [sorted(cluster) for cluster in expected]


@examples(60)
@given(instances(), st.randoms(use_true_random=False))
def test_cluster_gathers_around_seeds(instance, random):
    records, k = instance
    seeds = list(range(records.row_count))
    random.shuffle(seeds)
    growth = nothing_grown(records)
    grow_around_seeds(records.trees, growth, k, np.array(seeds))
    of_place = records.record_of_place
    named = [
        (tuple(records.nodes[of_place[place]].tolist()), int(place - records.row_starts[of_place[place]]))
        for place in seeds
    ]
    expected = twin(records, k).around_seeds(named)
    assert as_records(records, completed(records, growth)) == [sorted(cluster) for cluster in expected]


@given(instances())
@examples(20)
def test_slices_of_seeds_give_the_same_clusters(instance):
    records, k = instance
    seeds = np.arange(records.row_count)
    at_once, by_and_by = nothing_grown(records), nothing_grown(records)
    grow_around_seeds(records.trees, at_once, k, seeds)
    for seed in seeds:
        grow_around_seeds(records.trees, by_and_by, k, seeds[seed : seed + 1])
    np.testing.assert_array_equal(at_once.cluster_of_place, by_and_by.cluster_of_place)
    left = np.count_nonzero(at_once.cluster_of_place == NO_CLUSTER)
    assert left < k
    assume(left > 0)
    assert (completed(records, at_once).sizes >= k).all()


@pytest.mark.parametrize("k", [2, 3])
def test_leftovers_go_where_they_add_least(k):
    colours = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})
    rows = [("red",)] * k + [("blue",)] * k + [("orange",)]
    data = local_data(rows, {"colour": Quasi()}, trees={"colour": colours})
    records = Records.of(data, "lm")
    growth = nothing_grown(records)
    grow_around_seeds(records.trees, growth, k, np.array([0, records.row_count - 1]))
    clusters = completed(records, growth).cluster_of_row
    assert clusters[-1] == clusters[0] != clusters[k]


def gathered(records, k, progress):
    grown = around_random_seeds(records, k, np.random.default_rng(0), progress)
    return grown.clustering, grown.notices


def grown_by_members(records, k, progress):
    return KMember().clusters(records, k, np.random.default_rng(0), progress)


@pytest.mark.parametrize("grow", [gathered, grown_by_members])
@pytest.mark.parametrize("questions", [0, 1, 3])
def test_when_time_is_up_what_was_grown_stays_and_the_rest_gets_clusters_of_k(grow, questions, monkeypatch):
    monkeypatch.setattr(growing, "_LOOKUPS_PER_SLICE", 1)
    colours = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})
    rows = [(label,) for label in ("red", "orange", "blue", "green") for _ in range(5)]
    data = local_data(rows, {"colour": Quasi()}, trees={"colour": colours})
    records = Records.of(data, "lm")
    progress = UpAfter(questions)
    clustering, notices = grow(records, 3, progress)
    assert (clustering.sizes >= 3).all()
    assert progress.more == 1
    assert "time was up" in notices[0]


@pytest.mark.parametrize("grow", [gathered, grown_by_members])
@examples(20)
@given(instance=instances())
def test_the_clock_changes_nothing_while_there_is_time(grow, instance):
    records, k = instance
    whole, _ = grow(records, k, Silent())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing, "_LOOKUPS_PER_SLICE", 1)
        in_slices, notices = grow(records, k, UpAfter(1000))
    np.testing.assert_array_equal(whole.cluster_of_row, in_slices.cluster_of_row)
    assert notices == ()


def test_records_without_a_cluster_are_grouped_with_those_beside_them():
    colours = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})
    sizes = tree({"any": {"small": ["s", "m"], "large": ["l", "xl"]}})
    rows = [(colour, size) for colour in ("red", "green") for size in ("s", "xl")] * 2
    data = local_data(rows, {"colour": Quasi(), "size": Quasi()}, trees={"colour": colours, "size": sizes})
    records = Records.of(data, "lm")
    clustering, _ = gathered(records, 2, UpAfter(0))
    assert clustering.cost(records) == 0


@examples(30)
@given(instances())
def test_records_without_a_cluster_never_lose_more_than_in_the_order_of_values(instance):
    records, k = instance
    nobody = np.full(records.row_count, NO_CLUSTER, dtype=np.int64)
    by_values = growing._in_runs(records, nobody, np.arange(records.row_count), k)
    found = growing.with_leftovers(records, nobody, k)
    assert (found.sizes >= k).all()
    assert found.cost(records) <= by_values.cost(records)
