from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.full_domain import algorithm as full_domain
from shoal.algorithms.relational.full_domain.algorithm import FullDomain
from shoal.errors import BadInput, Cancelled, Infeasible, LimitReached
from shoal.hierarchy.tree import tree_from_parents
from shoal.metrics.relational import normalized_weights, table_cost
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Silent
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.builders import flat_tree, local_data, tree
from tests.examples import examples
from tests.hierarchy.trees import parent_maps
from tests.reference import full_domain as reference
from tests.reference import privacy_tables


def find(data, *models, progress=None, **options):
    return FullDomain(**options).find(data, models, np.random.default_rng(0), progress or Silent())


def published(data, recoding):
    """What each row is published as, None for a suppressed one."""
    labels = {name: [*data.trees[name].labels] for name in data.quasi}
    for name in data.quasi:
        labels[name][data.trees[name].missing] = None
    return [
        None
        if group < 0
        else tuple(labels[name][recoding.clusters.nodes[name][group]] for name in data.quasi)
        for group in recoding.clusters.cluster_of_row.tolist()
    ]


@st.composite
def tables_on_trees(draw, with_subjects=False):
    """Columns on unbalanced trees, missing values and suppressed cells; the sensitive column is the last."""
    parents = draw(st.lists(parent_maps(most_nodes=7), min_size=0, max_size=3))
    trees = [tree_from_parents(each) for each in parents]
    cells = [st.sampled_from([*each.leaf_labels, None, each.labels[each.root]]) for each in trees]
    rows = draw(st.lists(st.tuples(*cells, st.sampled_from([1, 2, 5])), min_size=2, max_size=10))
    weights = [draw(st.sampled_from([1.0, 1.0, 3.0, 0.0])) for _ in trees]
    roles = {f"c{place}": Quasi(weight=weight) for place, weight in enumerate(weights)}
    subjects = draw(st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows)))
    return (
        parents,
        rows,
        local_data(
            rows,
            {**roles, "illness": Sensitive(kind=Kind.NUMBER)},
            trees={f"c{place}": each for place, each in enumerate(trees)},
            subjects=subjects if with_subjects else None,
        ),
    )


def counts(rows, members):
    return privacy_tables.histogram([{"illness": rows[row][-1]} for row in members], "illness")


def fails_k(rows, people, k):
    return lambda kept: {key for key, members in kept.items() if len({people[row] for row in members}) < k}


def fails_diversity(rows, people, k, holds):
    """Also what holds(counts of a class, its size, counts of what is published) denies."""

    def failing(kept):
        table = counts(rows, [row for members in kept.values() for row in members])
        return fails_k(rows, people, k)(kept) | {
            key for key, members in kept.items() if not holds(counts(rows, members), len(members), table)
        }

    return failing


CASES = {
    "k": ([KAnonymity(2)], lambda rows, people: fails_k(rows, people, 2)),
    "frequency": (
        [KAnonymity(2), LDiversity(Fraction(3, 2))],
        lambda rows, people: fails_diversity(
            rows, people, 2, lambda *of: privacy_tables.frequency(*of, Fraction(3, 2))
        ),
    ),
    "closeness": (
        [KAnonymity(2), TCloseness(0.4)],
        lambda rows, people: fails_diversity(
            rows, people, 2, lambda *of: privacy_tables.close(*of, Fraction(2, 5), "equal")
        ),
    ),
}


def assert_best(drawn, recoding, failing, suppression):
    parents, rows, data = drawn
    weights = list(normalized_weights(data.weights()).values())
    allowed = int(suppression * len(rows))
    everything = list(reference.releases(parents, [row[:-1] for row in rows], failing, allowed))
    found = published(data, recoding)
    assert found in everything
    least = min(reference.ncp(parents, weights, each) for each in everything)
    assert reference.ncp(parents, weights, found) == pytest.approx(least, abs=1e-9)
    assert table_cost(data, recoding.clusters, "ncp") == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("case", CASES)
@examples(60)
@given(drawn=tables_on_trees(), suppression=st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0]))
def test_no_choice_of_levels_is_better(case, drawn, suppression):
    _, rows, data = drawn
    models, failing = CASES[case]
    try:
        recoding = find(data, *models, suppression=suppression)
    except Infeasible:
        assume(False)
    assert_best(drawn, recoding, failing(rows, range(len(rows))), suppression)


@examples(40)
@given(tables_on_trees(with_subjects=True), st.sampled_from([0.0, 0.5]))
def test_people_are_counted_and_not_rows(drawn, suppression):
    _, rows, data = drawn
    try:
        recoding = find(data, KAnonymity(2), suppression=suppression)
    except Infeasible:
        assume(False)
    assert_best(drawn, recoding, fails_k(rows, data.subjects.tolist(), 2), suppression)


COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})
UNBALANCED = tree({"*": {"a": [], "deep": {"b": ["b1", "b2"], "c": []}}})


def column(values, hierarchy=COLOURS):
    return local_data([(value,) for value in values], {"x": Quasi()}, trees={"x": hierarchy})


def labels(data, recoding):
    return [None if row is None else row[0] for row in published(data, recoding)]


def test_all_values_of_a_column_are_published_at_one_level():
    data = column(["red", "red", "orange", "blue", "green"])
    recoding = find(data, KAnonymity(2))
    assert labels(data, recoding) == ["warm"] * 3 + ["cold"] * 2
    assert recoding.figures["levels"] == {"x": 1}


def test_small_subtrees_of_unbalanced_trees_are_closed_first():
    data = column(["a", "a", "b1", "b2", "c", "c"], UNBALANCED)
    recoding = find(data, KAnonymity(2))
    assert labels(data, recoding) == ["a", "a", "b", "b", "c", "c"]
    assert recoding.figures["levels"] == {"x": 1}


def test_missing_values_stay_until_the_root():
    data = column(["red", "orange", None, None])
    assert labels(data, find(data, KAnonymity(2))) == ["warm", "warm", None, None]
    assert labels(data, find(data, KAnonymity(3))) == ["*"] * 4


def test_no_record_is_suppressed_unless_that_is_allowed():
    data = column(["red"] * 9 + ["blue"])
    assert labels(data, find(data, KAnonymity(2))) == ["*"] * 10
    assert labels(data, find(data, KAnonymity(2), suppression=0.1)) == ["red"] * 9 + [None]
    assert labels(data, find(data, KAnonymity(2), suppression=0.09)) == ["*"] * 10


def test_shares_are_those_that_were_written():
    data = column(["red"] * 71 + ["blue"] * 29)  # 0.29 * 100 is a little less than 29 in floating point
    assert find(data, KAnonymity(30), suppression=0.29).clusters.suppressed_count == 29


def test_not_everything_is_suppressed():
    data = column(["red", "orange", "blue"])
    recoding = find(data, KAnonymity(3), suppression=1.0)
    assert labels(data, recoding) == ["*"] * 3


def test_closeness_is_to_what_is_published():
    """Blue is as close to the whole table as is asked, but not to what is left when green is suppressed."""
    illnesses = {"red": [1] * 12 + [2] * 6, "blue": [1, 2, 2], "green": [2] * 9}
    data = local_data(
        [(colour, illness) for colour in illnesses for illness in illnesses[colour]],
        {"x": Quasi(), "illness": Sensitive(kind=Kind.NUMBER)},
        trees={"x": flat_tree(["red", "blue", "green"])},
    )
    recoding = find(data, KAnonymity(2), TCloseness(0.25), suppression=0.5)
    assert published(data, recoding) == [("red",)] * 18 + [None] * 12


def test_when_no_class_is_close_enough_coarser_ones_are_published():
    data = local_data(
        [("red", 1), ("red", 1), ("blue", 2), ("blue", 2)],
        {"x": Quasi(), "illness": Sensitive(kind=Kind.NUMBER)},
        trees={"x": flat_tree(["red", "blue"])},
    )
    assert labels(data, find(data, KAnonymity(2), TCloseness(0.25), suppression=1.0)) == ["*"] * 4


def test_columns_that_cannot_be_generalized_are_refused():
    data = local_data([(1,), (2,)], {"x": Quasi(kind=Kind.NUMBER)})
    with pytest.raises(BadInput, match=r"column 'x'.*hierarchy"):
        find(data, KAnonymity(2))


def test_a_lattice_that_is_too_large_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(full_domain, "_MOST_CHOICES", 2)
    with pytest.raises(LimitReached, match=r"3 choices of levels \(levels: x 3\)"):
        find(column(["red", "orange", "blue", "green"]), KAnonymity(2))


def test_when_time_is_up_the_best_so_far_is_published():
    data = column(["red", "orange", "blue", "green"])
    recoding = find(data, KAnonymity(2), progress=Silent(time_limit=-1))
    assert labels(data, recoding) == ["*"] * 4
    assert any("time was up: 0 of 3 choices" in notice for notice in recoding.notices)


def test_a_wish_to_stop_is_honoured():
    progress = Silent()
    progress.cancel()
    with pytest.raises(Cancelled):
        find(column(["red", "blue"]), KAnonymity(2), progress=progress)


def test_few_choices_are_looked_at():
    rng = np.random.default_rng(5)
    digits = tree(
        {"*": {f"{a}**": {f"{a}{b}*": [f"{a}{b}{c}" for c in range(4)] for b in range(4)} for a in range(4)}}
    )
    names = [f"c{number}" for number in range(6)]
    rows = [tuple(f"{a}{b}{c}" for a, b, c in row) for row in rng.integers(0, 4, (300, 6, 3))]
    data = local_data(rows, dict.fromkeys(names, Quasi()), trees=dict.fromkeys(names, digits))
    recoding = find(data, KAnonymity(5))
    assert recoding.figures["choices"] == 4**6
    assert recoding.figures["choices_looked_at"] < 4**6 / 10
