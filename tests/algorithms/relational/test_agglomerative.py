from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.agglomerative import DISTANCES, Agglomerative
from shoal.algorithms.relational.clustering.records import Records
from shoal.privacy.k_anonymity import KAnonymity
from shoal.progress import Silent
from shoal.table.roles import Quasi
from tests.algorithms.relational.tables import tables
from tests.builders import local_data, tree
from tests.examples import examples
from tests.reference import clusterings as reference

COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})


def find(data, k, progress=None, **options):
    random = np.random.default_rng(0)
    return Agglomerative(**options).find(data, [KAnonymity(k)], random, progress or Silent())


def colours(*labels):
    return local_data([(label,) for label in labels], {"colour": Quasi()}, trees={"colour": COLOURS})


def published(data, recoding):
    """How often each record is published as each vector of nodes."""
    records = Records.of(data, "ncp")
    vectors = (
        np.stack([recoding.clusters.nodes[name] for name in data.quasi], axis=1) + records.trees.starts[:-1]
    )
    rows = records.nodes[records.record_of_row].tolist()
    return Counter(
        (tuple(row), tuple(vector))
        for row, vector in zip(rows, vectors[recoding.clusters.cluster_of_row].tolist(), strict=True)
    )


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("modified", [False, True])
@examples(60)
@given(drawn=tables(least_rows=2, most_rows=14, with_subjects=False), k=st.integers(2, 5))
def test_release_is_that_of_the_slow_search(distance, modified, drawn, k):
    data = drawn.on_trees.data
    assume(data.row_count >= k)
    records = Records.of(data, "ncp")
    vectors = [tuple(vector) for vector in records.nodes.tolist()]
    parent, cost = records.trees.parent.tolist(), records.trees.cost.tolist()
    slow = reference.Agglomeration(parent, cost, distance, k, modified)
    expected = Counter()
    for cluster in slow.clusters(dict(zip(vectors, records.counts.tolist(), strict=True))):
        vector = reference.closure(parent, [record for record, _ in cluster])
        for record, copies in cluster:
            expected[record, vector] += copies
    assert published(data, find(data, k, distance=distance, modified=modified)) == expected


def test_ripe_clusters_shrink_to_k():
    """The pairs of red and of orange make four; the one too many of them goes to the others."""
    data = colours("red", "red", "orange", "orange", "blue", "green")
    assert sorted(np.bincount(find(data, 3, modified=False).clusters.cluster_of_row)) == [6]
    assert sorted(np.bincount(find(data, 3, modified=True).clusters.cluster_of_row)) == [3, 3]


def test_without_time_records_are_grouped_in_order_with_a_notice():
    data = colours("red", "blue", "red", "green", "orange")
    recoding = find(data, 2, Silent(time_limit=-1.0))
    assert np.bincount(recoding.clusters.cluster_of_row).min() >= 2
    assert any("time was up" in notice for notice in recoding.notices)


def test_in_time_there_is_no_notice_of_time():
    recoding = find(colours("red", "blue", "red", "green", "orange"), 2, Silent(time_limit=60.0))
    assert not any("time was up" in notice for notice in recoding.notices)
