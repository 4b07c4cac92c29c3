from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.diversify import diversify
from shoal.algorithms.relational.clustering.records import Records
from shoal.errors import Infeasible
from shoal.kernels.constraint import classes_admissible
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Silent
from shoal.table.roles import Quasi, Sensitive
from tests.algorithms.relational.clustering.test_clusters import clustered
from tests.builders import local_data, tree
from tests.examples import examples
from tests.reference import privacy_tables
from tests.reference.uniting import unite_until_fine

HOPELESS = 1e9


def frequency(counts, size, _table):
    return 2 - size / max(counts.values())


def distinct(counts, _size, _table):
    return 2 - len(counts)


def share(counts, size, _table):
    return Fraction(10, 7) - Fraction(size, max(counts.values()))


def recursive(counts, _size, _table):
    ordered = sorted(counts.values(), reverse=True)
    rarer = sum(ordered[1:])
    return ordered[0] / rarer - 3 if rarer else HOPELESS


def equal(counts, _size, table):
    return float(privacy_tables.equal_distance(counts, table)) - 0.4


def ordered(counts, _size, table):
    return float(privacy_tables.ordered_distance(counts, table)) - 0.4


# A model, whether a class is fine, and how far it is from that.
CASES = {
    "frequency": (LDiversity(2), privacy_tables.frequency, (2,), frequency),
    "distinct": (LDiversity(2, "distinct"), privacy_tables.distinct, (2,), distinct),
    "recursive": (LDiversity(2, "recursive", c=3), privacy_tables.recursive, (2, 3), recursive),
    "equal": (TCloseness(0.4), privacy_tables.close, (Fraction(2, 5), "equal"), equal),
    "ordered": (TCloseness(0.4, "ordered"), privacy_tables.close, (Fraction(2, 5), "ordered"), ordered),
    "alpha": (AlphaKAnonymity(0.7, 2), privacy_tables.share_at_most, (Fraction(7, 10),), share),
}


def gap_in(case, data, k):
    """What a set of rows lacks, counted as the models count: in rows and, where they differ, in people."""
    _, holds, parameters, distance = CASES[case]
    coded = data.table.coded("illness")
    rows = [{"illness": coded.domain.label(code)} for code in coded.codes.tolist()]
    views = [list(range(len(rows)))] + ([data.subjects.tolist()] if data.subjects is not None else [])

    def gap(members):
        total = max(0, k - len({views[-1][row] for row in members}))
        for who in views:
            counts, table = (
                privacy_tables.people_histogram([rows[r] for r in some], "illness", [who[r] for r in some])
                for some in (members, range(len(rows)))
            )
            counts, table = (
                {
                    code: by_label[label]
                    for code, label in enumerate(coded.domain.texts())
                    if label in by_label
                }
                for by_label in (counts, table)
            )
            size = len({who[r] for r in members if rows[r]["illness"] is not None})
            if not holds(counts, size, table, *parameters):
                total += max(float(distance(counts, size, table)), 1e-300) if counts else HOPELESS
        return total

    return gap


@pytest.mark.parametrize("case", CASES)
@examples(25)
@given(drawn=clustered(least_rows=2, most_rows=10), w=st.sampled_from([0.0, 0.15, 1.0]))
def test_clusters_are_united_as_algorithm_8_says(case, drawn, w):
    data, clustering = drawn
    records = Records.of(data, "ncp")
    try:
        constraint = class_constraint_of(data, [KAnonymity(2), CASES[case][0]])
    except Infeasible:
        assume(False)
    found = diversify(records, clustering, constraint, w, Silent())

    vectors = [tuple(vector) for vector in records.nodes[records.record_of_row].tolist()]
    before = [
        [(vectors[row], row) for row in np.flatnonzero(clustering.cluster_of_row == c).tolist()]
        for c in range(len(clustering))
    ]
    parent, cost = records.trees.parent.tolist(), records.trees.cost.tolist()
    expected = unite_until_fine(parent, cost, before, w, gap_in(case, data, constraint.k))
    blocks = {frozenset(row for _, row in cluster) for cluster in expected}
    assert {
        frozenset(np.flatnonzero(found.cluster_of_row == c).tolist()) for c in range(len(found))
    } == blocks


@examples(40)
@given(drawn=clustered(least_rows=2, most_rows=14))
def test_clusters_are_only_united_and_hold_in_the_end(drawn):
    data, clustering = drawn
    try:
        constraint = class_constraint_of(data, [KAnonymity(3), LDiversity(Fraction(3, 2), "entropy")])
    except Infeasible:
        assume(False)
    found = diversify(Records.of(data, "lm"), clustering, constraint, 0.15, Silent())
    assert classes_admissible(constraint, *found.members()).all() or len(found) == 1
    together = {
        (int(a), int(b)) for a, b in zip(clustering.cluster_of_row, found.cluster_of_row, strict=True)
    }
    assert len(together) == len(clustering)


@examples(40)
@given(drawn=clustered(least_rows=2, most_rows=14))
def test_without_time_clusters_are_united_with_the_next_ones(drawn):
    data, clustering = drawn
    try:
        constraint = class_constraint_of(data, [KAnonymity(3), LDiversity(Fraction(3, 2))])
    except Infeasible:
        assume(False)

    def fine(clusters):
        rows = np.isin(clustering.cluster_of_row, clusters)
        return classes_admissible(constraint, *Clustering(np.where(rows, 0, 1)).members())[0]

    expected = []
    for cluster in range(len(clustering)):
        if expected and not fine(expected[-1]):
            expected[-1].append(cluster)
        else:
            expected.append([cluster])
    while len(expected) > 1 and not fine(expected[-1]):
        last = expected.pop()
        expected[-1] += last
    found = diversify(Records.of(data, "lm"), clustering, constraint, 0.15, Silent(time_limit=-1.0))
    blocks = {
        frozenset(np.flatnonzero(np.isin(clustering.cluster_of_row, each)).tolist()) for each in expected
    }
    assert {
        frozenset(np.flatnonzero(found.cluster_of_row == c).tolist()) for c in range(len(found))
    } == blocks


COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})
ROLES = {"colour": Quasi(), "illness": Sensitive(), "cause": Sensitive()}


def colours(*rows, **more):
    return local_data(rows, ROLES, trees={"colour": COLOURS}, **more)


def diversified(data, clusters, *models, w=0.15):
    records = Records.of(data, "lm")
    clustering = Clustering(np.array(clusters))
    return diversify(
        records, clustering, class_constraint_of(data, models), w, Silent()
    ).cluster_of_row.tolist()


def test_partner_is_the_one_that_costs_least():
    data = local_data(
        [("red", "flu"), ("orange", "cold"), ("blue", "cold"), ("green", "flu")],
        {"colour": Quasi(), "illness": Sensitive()},
        trees={"colour": COLOURS},
    )
    assert diversified(data, [0, 1, 2, 3], LDiversity(2)) == [0, 0, 1, 1]


def test_every_sensitive_column_counts():
    data = colours(("red", "flu", "x"), ("red", "cold", "x"), ("blue", "flu", "y"), ("blue", "cold", "y"))
    assert diversified(data, [0, 0, 1, 1], LDiversity(2, "distinct")) == [0, 0, 0, 0]


def test_people_count_where_rows_are_not_people():
    data = colours(("red", "flu", "x"), ("red", "flu", "x"), ("blue", "flu", "x"), subjects=[1, 1, 2])
    assert diversified(data, [0, 0, 1], KAnonymity(2)) == [0, 0, 0]


def test_clusters_that_are_fine_stay_as_they_are():
    data = colours(("red", "flu", "x"), ("red", "cold", "y"), ("blue", "flu", "y"), ("blue", "cold", "x"))
    assert diversified(data, [1, 1, 0, 0], LDiversity(2)) == [1, 1, 0, 0]


def test_long_lists_are_moved_when_there_is_no_room():
    """Many unions with many values: the lists of clusters that are gone make room for others."""
    rows = [("red", f"illness {i}", "x") for i in range(60)]
    data = local_data(
        [row[:2] for row in rows], {"colour": Quasi(), "illness": Sensitive()}, trees={"colour": COLOURS}
    )
    assert set(diversified(data, list(range(60)), LDiversity(60, "distinct"))) == {0}
