import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.relational.sequential import allotted
from shoal.kernels.generalized_records import NOTHING
from shoal.kernels.sequential import move_records
from tests.algorithms.relational.tables import tables
from tests.reference import clusterings as reference


def members_of(allotment, cluster):
    listed = []
    record = int(allotment.heads[cluster])
    while record != NOTHING:
        listed.append(record)
        record = int(allotment.after[record])
    return listed


@given(drawn=tables(with_subjects=False), random=st.randoms(use_true_random=False))
def test_records_move_where_the_slow_search_moves_them(drawn, random):
    records = Records.of(drawn.on_trees.data, "ncp")
    labels = [random.randrange(4) for _ in range(len(records))]
    clusters = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    order = random.sample(range(len(records)), len(records)) * 2
    allotment = allotted(records, clusters.copy())
    before = float(np.dot(allotment.sizes, allotment.costs))
    moved = move_records(records.trees, allotment, np.array(order, dtype=np.int64))

    vectors = [tuple(vector) for vector in records.nodes.tolist()]
    expected = reference.moved_in_turn(
        records.trees.parent.tolist(),
        records.trees.cost.tolist(),
        dict(zip(vectors, records.counts.tolist(), strict=True)),
        dict(zip(vectors, clusters.tolist(), strict=True)),
        [vectors[record] for record in order],
    )
    assert allotment.cluster_of.tolist() == [expected[vector] for vector in vectors]
    assert (moved > 0) == (float(np.dot(allotment.sizes, allotment.costs)) < before - 1e-10)
    for cluster in range(len(allotment.sizes)):
        listed = members_of(allotment, cluster)
        assert sorted(listed) == np.flatnonzero(allotment.cluster_of == cluster).tolist()
        assert allotment.sizes[cluster] == records.counts[listed].sum()
        if listed:
            closure = reference.closure(records.trees.parent.tolist(), [vectors[r] for r in listed])
            assert tuple(allotment.closures[cluster].tolist()) == closure
