from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering import local_search
from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.diversify import diversify
from shoal.algorithms.relational.clustering.local_search import improved
from shoal.algorithms.relational.clustering.records import Records
from shoal.errors import Cancelled, Infeasible
from shoal.kernels.constraint import classes_admissible, rows_hold
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Silent
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.algorithms.relational.clustering.test_clusters import clustered
from tests.builders import local_data, tree
from tests.examples import examples
from tests.reference import clusterings as reference

MODELS = {
    "nothing more": [],
    "diversity": [LDiversity(Fraction(3, 2))],
    "closeness": [TCloseness(0.4)],
}


def admissible_start(drawn, models, measure="ncp"):
    data, clustering = drawn
    records = Records.of(data, measure)
    try:
        constraint = class_constraint_of(data, models)
    except Infeasible:
        assume(False)
    start = diversify(records, clustering, constraint, 0.15, Silent())
    assume(classes_admissible(constraint, *start.members()).all())
    return records, constraint, start


@pytest.mark.parametrize("more", MODELS)
@pytest.mark.parametrize("measure", ["ncp", "entropy"])
@examples(40)
@given(drawn=clustered(least_rows=2, most_rows=14), k=st.integers(2, 3))
def test_cost_never_rises_and_every_cluster_stays_admissible(more, measure, drawn, k):
    records, constraint, start = admissible_start(drawn, [KAnonymity(k), *MODELS[more]], measure)
    found = improved(
        records, start, constraint, Silent(time_limit=600.0)
    )  # else a circle would go on for ever
    assert found.finished
    assert found.clustering.cost(records) <= start.cost(records) + 1e-12
    assert classes_admissible(constraint, *found.clustering.members()).all()


@examples(60)
@given(drawn=clustered(least_rows=2, most_rows=7, with_subjects=False), k=st.integers(2, 3))
def test_no_move_and_no_swap_is_left(drawn, k):
    records, constraint, start = admissible_start(drawn, [KAnonymity(k)])
    found = improved(records, start, constraint, Silent()).clustering
    vectors = [tuple(vector) for vector in records.nodes[records.record_of_row].tolist()]
    parent, cost = records.trees.parent.tolist(), records.trees.cost.tolist()

    def total(*clusters):
        return sum(
            len(rows) * reference.cost_of(parent, cost, [vectors[row] for row in rows])
            for rows in clusters
            if rows
        )

    def entries(rows):
        return [{row for row in rows if vectors[row] == record} for record in {vectors[row] for row in rows}]

    clusters = [set(np.flatnonzero(found.cluster_of_row == c).tolist()) for c in range(len(found))]
    for a, b in combinations(clusters, 2):
        before = total(a, b)
        for here, there in ((a, b), (b, a)):
            for entry in entries(here):
                if len(here - entry) >= k or here == entry:
                    assert total(here - entry, there | entry) >= before - 1e-8
        for one in entries(a):
            for other in entries(b):
                if len(one) == len(other):
                    assert total(a - one | other, b - other | one) >= before - 1e-8
    for cluster in clusters:
        others = [other for other in clusters if other != cluster]
        if others:
            orders = permutations(entries(cluster))
            assert any(dissolved(total, order, others) >= total(*clusters) - 1e-8 for order in orders)
    best = reference.least_cost(parent, cost, vectors, k)
    assert total(*clusters) >= best - 1e-9


def dissolved(total, entries, others):
    """The cost when the entries go, one after the other, to where each adds least."""
    others = list(others)
    for entry in entries:
        added = [total(other | entry) - total(other) for other in others]
        host = added.index(min(added))
        others[host] = others[host] | entry
    return total(*others)


@pytest.mark.parametrize("more", MODELS)
@examples(20)
@given(drawn=clustered(least_rows=2, most_rows=14), k=st.integers(2, 3))
def test_pauses_change_nothing(more, drawn, k):
    records, constraint, start = admissible_start(drawn, [KAnonymity(k), *MODELS[more]])
    in_one_go = improved(records, start, constraint, Silent())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_search, "_LOOKS_PER_SLICE", 1)
        with_pauses = improved(records, start, constraint, Silent())
    np.testing.assert_array_equal(in_one_go.clustering.cluster_of_row, with_pauses.clustering.cluster_of_row)


@examples(30)
@given(drawn=clustered(least_rows=4, most_rows=12), k=st.integers(2, 3))
def test_rows_of_a_cluster_keep_the_models_by_themselves(drawn, k):
    """People with several rows: what counts is whose rows they are."""
    records, constraint, start = admissible_start(drawn, [KAnonymity(k), LDiversity(Fraction(3, 2))])
    found = improved(records, start, constraint, Silent()).clustering
    for cluster in range(len(found)):
        assert rows_hold(constraint, np.flatnonzero(found.cluster_of_row == cluster))


COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})


def search(labels, clusters, k, progress=None):
    data = local_data([(label,) for label in labels], {"colour": Quasi()}, trees={"colour": COLOURS})
    records = Records.of(data, "lm")
    constraint = class_constraint_of(data, [KAnonymity(k)])
    return improved(records, Clustering(np.array(clusters)), constraint, progress or Silent())


def blocks(clustering):
    return sorted(np.flatnonzero(clustering.cluster_of_row == c).tolist() for c in range(len(clustering)))


def test_record_moves_to_where_it_belongs():
    found = search(["red", "red", "blue", "blue", "blue"], [0, 0, 0, 1, 1], 2)
    assert blocks(found.clustering) == [[0, 1], [2, 3, 4]]


def test_records_swap_when_no_cluster_can_spare_one():
    found = search(["red", "blue", "red", "blue"], [0, 0, 1, 1], 2)
    assert blocks(found.clustering) == [[0, 2], [1, 3]]


def test_cluster_dissolves_into_its_neighbours():
    found = search(["red", "red", "blue", "blue", "red", "blue"], [0, 0, 1, 1, 2, 2], 2)
    assert {frozenset(block) for block in blocks(found.clustering)} == {
        frozenset({0, 1, 4}),
        frozenset({2, 3, 5}),
    }


def test_cluster_is_founded_from_rows_that_others_can_spare():
    found = search(["red", "blue", "blue", "red", "red", "blue", "red", "red"], [0] * 8, 2)
    records = {frozenset(block) for block in blocks(found.clustering)}
    assert frozenset.union(*records) == frozenset(range(8))
    assert all(block <= {0, 3, 4, 6, 7} or block <= {1, 2, 5} for block in records)


def test_without_time_nothing_changes():
    found = search(["red", "blue", "red", "blue"], [0, 0, 1, 1], 2, Silent(time_limit=-1.0))
    assert not found.finished
    assert blocks(found.clustering) == [[0, 1], [2, 3]]


def test_a_wish_to_stop_is_honoured():
    progress = Silent()
    progress.cancel()
    with pytest.raises(Cancelled):
        search(["red", "blue", "red", "blue"], [0, 0, 1, 1], 2, progress)


def test_a_foundation_that_is_not_allowed_is_undone():
    """The rows that both clusters could spare have one illness: they must not be a cluster of their own."""
    rows = [("red", 1), ("blue", 1), ("blue", 2), ("red", 1), ("blue", 1), ("blue", 2)]
    roles = {"colour": Quasi(), "illness": Sensitive(kind=Kind.NUMBER)}
    data = local_data(rows, roles, trees={"colour": COLOURS})
    records, constraint = (
        Records.of(data, "lm"),
        class_constraint_of(data, [KAnonymity(2), LDiversity(Fraction(3, 2))]),
    )
    found = improved(records, Clustering(np.array([0, 0, 0, 1, 1, 1])), constraint, Silent(time_limit=600.0))
    assert found.finished
    assert classes_admissible(constraint, *found.clustering.members()).all()
