"""What every algorithm must do, for every model that it says it serves.

Tables are for the algorithms that serve k-anonymity; parameters are checked for all of the catalogue.
"""

from dataclasses import replace
from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms.catalogue import ALGORITHMS, make_algorithm
from shoal.algorithms.parameters import OneOf, YesOrNo, parameters_of
from shoal.errors import BadInput, Infeasible, InvalidParameter
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.algorithms.relational.tables import number_tree, tables
from tests.builders import flat_tree, local_data, tree
from tests.contract.bad_values import bad_values
from tests.reference import privacy_tables as reference

THREE_HALVES = Fraction(3, 2)
MANY = 8 if settings.get_current_profile_name() == "same" else 30  # for each of a thousand combinations


def twin_of_k(k):
    return lambda rows, quasi, people: reference.k_anonymity(rows, quasi, k, people)[0]


def twin_of_diversity(holds, *parameters):
    return lambda rows, quasi, people: reference.every_class(
        rows, quasi, "illness", people, lambda *of: holds(*of, *parameters)
    )


# A model, and the definition that a release must satisfy.
CASES = {
    "k": (KAnonymity(2), twin_of_k(2)),
    "frequency": (LDiversity(THREE_HALVES), twin_of_diversity(reference.frequency, THREE_HALVES)),
    "distinct": (LDiversity(2, "distinct"), twin_of_diversity(reference.distinct, 2)),
    "entropy": (
        LDiversity(THREE_HALVES, "entropy"),
        twin_of_diversity(reference.entropy, THREE_HALVES),
    ),
    "recursive": (LDiversity(2, "recursive", c=3), twin_of_diversity(reference.recursive, 2, 3)),
    "equal": (TCloseness(0.4), twin_of_diversity(reference.close, Fraction(2, 5), "equal")),
    "ordered": (
        TCloseness(0.4, "ordered"),
        twin_of_diversity(reference.close, Fraction(2, 5), "ordered"),
    ),
    "alpha": (
        AlphaKAnonymity(0.7, 2),
        lambda *of: twin_of_k(2)(*of) and twin_of_diversity(reference.share_at_most, Fraction(7, 10))(*of),
    ),
}


FOR_TABLES = {name: algorithm for name, algorithm in ALGORITHMS.items() if KAnonymity in algorithm.serves}


def variants():
    """Every algorithm for tables with every choice of its words, but of the measures only one more."""
    for name, algorithm in FOR_TABLES.items():
        yield make_algorithm(name, {})
        for declared in parameters_of(algorithm):
            for choice in other_choices(declared):
                yield make_algorithm(name, {declared.name: choice})


def other_choices(declared):
    if isinstance(declared.rule, YesOrNo):
        return [not declared.default]
    if not isinstance(declared.rule, OneOf):
        return []
    if declared.name == "measure":
        return ["entropy"]  # the one that is not monotone
    return [choice for choice in declared.rule.choices if choice != declared.default]


VARIANTS = list(variants())
each_variant = pytest.mark.parametrize("algorithm", VARIANTS, ids=repr)


def find(algorithm, data, models, seed=0):
    return algorithm.find(data, models, np.random.default_rng(seed), Silent())


def published(data, recoding):
    """The released table as rows of the twins."""
    table = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1).table
    names = (*data.quasi, *data.sensitive)
    columns = {
        name: [table.coded(name).domain.label(code) for code in table.coded(name).codes.tolist()]
        for name in names
    }
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def class_sizes(recoding):
    return sorted(
        np.bincount(recoding.clusters.cluster_of_row[recoding.clusters.cluster_of_row >= 0]).tolist()
    )


ROLES = {"colour": Quasi(), "age": Quasi(kind=Kind.NUMBER, bounds=(0, 100)), "illness": Sensitive()}
COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})


def takes_numbers(algorithm):
    """Whether it can do without a tree for numbers."""
    data = local_data([("red", 30, "flu")] * 2, ROLES, trees={"colour": COLOURS})
    try:
        find(algorithm, data, [KAnonymity(2)])
    except BadInput as error:
        assert "'age'" in str(error)  # noqa: PT017 - either is fine, but not another error
        assert "ranges" in str(error)  # noqa: PT017
        return False
    return True


TAKES_NUMBERS = {name: takes_numbers(make_algorithm(name, {})) for name in FOR_TABLES}


def suited(algorithm, drawn):
    """The drawn table in a form that the algorithm takes."""
    return drawn if TAKES_NUMBERS[algorithm.name] else drawn.on_trees


def small(algorithm, rows, **more):
    trees = {"colour": COLOURS}
    if not TAKES_NUMBERS[algorithm.name]:
        trees["age"] = number_tree(row[1] for row in rows)
    return local_data(rows, ROLES, trees=trees, **more)


@each_variant
def test_every_served_model_has_a_case(algorithm):
    assert set(algorithm.serves) <= {type(model) for model, _ in CASES.values()}


@each_variant
@pytest.mark.parametrize("case", CASES)
@settings(max_examples=MANY)
@given(drawn=tables(least_rows=2))
def test_release_keeps_every_promise_that_was_asked_for(algorithm, case, drawn):
    model, holds = CASES[case]
    assume(isinstance(model, algorithm.serves))
    data = suited(algorithm, drawn).data
    try:
        recoding = find(algorithm, data, [KAnonymity(2), model])
    except Infeasible:
        assume(False)
    people = drawn.subjects or list(range(len(drawn.rows)))
    rows = published(data, recoding)
    assert holds(rows, data.quasi, people)
    assert twin_of_k(2)(rows, data.quasi, people)


@each_variant
@settings(max_examples=MANY)
@given(drawn=tables(least_rows=2))
def test_same_seed_gives_the_same_decision_and_leaves_the_data_alone(algorithm, drawn):
    data = suited(algorithm, drawn).data
    names = (*data.quasi, *data.sensitive)
    before = {name: data.table.coded(name).codes.copy() for name in names}
    try:
        first, second = (find(algorithm, data, [KAnonymity(2)], seed=3) for _ in range(2))
    except Infeasible:
        assume(False)
    np.testing.assert_array_equal(first.clusters.cluster_of_row, second.clusters.cluster_of_row)
    for published_first, published_second in (
        (first.clusters.nodes, second.clusters.nodes),
        (first.clusters.ranges, second.clusters.ranges),
    ):
        assert published_first.keys() == published_second.keys()
        for name in published_first:
            np.testing.assert_array_equal(published_first[name], published_second[name])
    for name in names:
        np.testing.assert_array_equal(data.table.coded(name).codes, before[name])


@pytest.mark.parametrize("name", FOR_TABLES)
@settings(max_examples=MANY)
@given(drawn=tables(least_rows=2, with_subjects=False), random=st.randoms(use_true_random=False))
def test_order_of_rows_does_not_change_class_sizes(name, drawn, random):
    algorithm = make_algorithm(name, {})
    shuffled = drawn.rows[:]
    random.shuffle(shuffled)
    before, after = (
        find(algorithm, suited(algorithm, one).data, [KAnonymity(2)])
        for one in (drawn, replace(drawn, rows=shuffled))
    )
    assert class_sizes(before) == class_sizes(after)


@each_variant
def test_one_row(algorithm):
    recoding = find(algorithm, small(algorithm, [("red", 30, "flu")]), [TCloseness(0.5)])
    assert recoding.clusters.cluster_of_row.tolist() == [0]


@each_variant
def test_column_without_any_value(algorithm):
    data = small(algorithm, [(None, None, "flu"), (None, None, "cold"), (None, None, "flu")])
    recoding = find(algorithm, data, [KAnonymity(2)])
    rows = published(data, recoding)
    assert [(row["colour"], row["age"]) for row in rows] == [(None, None)] * 3


@each_variant
def test_constant_columns_are_published_as_they_are(algorithm):
    data = small(algorithm, [("red", 30, "flu")] * 4)
    rows = published(data, find(algorithm, data, [KAnonymity(2)]))
    assert [(row["colour"], row["age"]) for row in rows] == [("red", "30")] * 4


@each_variant
def test_duplicates_need_no_generalization(algorithm):
    data = small(algorithm, [("red", 30, "flu"), ("blue", 60, "cold")] * 3)
    rows = published(data, find(algorithm, data, [KAnonymity(3)]))
    assert [(row["colour"], row["age"]) for row in rows] == [("red", "30"), ("blue", "60")] * 3


@each_variant
def test_a_column_of_distinct_values_does_not_stand_in_the_way(algorithm):
    data = small(algorithm, [("red", 20 + 3 * row, "flu") for row in range(9)])
    recoding = find(algorithm, data, [KAnonymity(3)])
    assert class_sizes(recoding)[0] >= 3
    assert {row["colour"] for row in published(data, recoding)} == {"red"}


@each_variant
def test_where_no_k_is_promised_nothing_is_changed_for_it_and_that_is_said(algorithm):
    data = small(algorithm, [("red", 30, "flu"), ("blue", 60, "cold"), (None, 31, "flu")])
    recoding = find(algorithm, data, [TCloseness(0.9)])
    rows = published(data, recoding)
    assert [(row["colour"], row["age"]) for row in rows] == [("red", "30"), ("blue", "60"), (None, "31")]
    assert any("no k is promised" in notice for notice in recoding.notices)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread is all there is")
@each_variant
def test_the_number_of_threads_changes_nothing(algorithm):
    random = np.random.default_rng(4)
    colours, ages = random.choice(["red", "orange", "blue"], 200), random.integers(20, 60, 200)
    data = small(algorithm, list(zip(colours.tolist(), ages.tolist(), ["flu"] * 200, strict=True)))
    before = numba.get_num_threads()
    found = []
    for threads in (1, 2):
        numba.set_num_threads(threads)
        found.append(find(algorithm, data, [KAnonymity(5)], seed=3).clusters.cluster_of_row.tolist())
    numba.set_num_threads(before)
    assert found[0] == found[1]


@each_variant
def test_k_of_all_records_makes_one_class(algorithm):
    data = small(algorithm, [("red", 30, "flu"), ("blue", 60, "cold"), ("red", 31, "flu")])
    assert class_sizes(find(algorithm, data, [KAnonymity(3)])) == [3]


@each_variant
def test_k_above_the_number_of_records_is_refused(algorithm):
    data = small(algorithm, [("red", 30, "flu"), ("blue", 60, "cold")])
    with pytest.raises(Infeasible, match="at most 2"):
        find(algorithm, data, [KAnonymity(3)])


@each_variant
def test_k_above_the_number_of_people_is_refused(algorithm):
    data = small(
        algorithm, [("red", 30, "flu"), ("blue", 60, "cold"), ("red", 60, "cold")], subjects=[1, 1, 2]
    )
    with pytest.raises(Infeasible, match="at most 2"):
        find(algorithm, data, [KAnonymity(3)])


@each_variant
def test_impossible_diversity_is_refused_with_the_figure_of_the_table(algorithm):
    data = small(algorithm, [("red", 30, "flu"), ("blue", 60, "flu"), ("red", 60, "cold")])
    with pytest.raises(Infeasible, match=r"1\.5"):
        find(algorithm, data, [KAnonymity(2), LDiversity(2)])


@pytest.mark.parametrize("name", FOR_TABLES)
@pytest.mark.parametrize(
    ("model", "figure"),
    [
        (AlphaKAnonymity(0.5, 2), "share is 0.666667"),
        (LDiversity(3, "distinct"), "diversity is 2"),
        (LDiversity(2, "entropy"), "diversity is 1.8898"),
        (LDiversity(2, "recursive", c=1), "2 times as frequent"),
    ],
    ids=str,
)
def test_whatever_is_impossible_is_refused_with_the_figure_of_the_table(name, model, figure):
    algorithm = make_algorithm(name, {})
    data = small(algorithm, [("red", 30, "flu"), ("blue", 60, "flu"), ("red", 60, "cold")])
    with pytest.raises(Infeasible, match=figure):
        find(algorithm, data, [KAnonymity(2), model])


@each_variant
def test_classes_hold_k_people(algorithm):
    data = small(
        algorithm, [("red", 30, "flu"), ("red", 30, "flu"), ("blue", 60, "cold")], subjects=[1, 1, 2]
    )
    assert class_sizes(find(algorithm, data, [KAnonymity(2)])) == [3]


@each_variant
def test_columns_of_weight_0_are_published_all_the_same(algorithm):
    roles = {"x": Quasi(weight=0.0), "y": Quasi(), "illness": Sensitive()}
    data = local_data(
        [("a", "a", "flu"), ("b", "a", "flu"), ("a", "b", "flu"), ("b", "b", "flu")],
        roles,
        trees={"x": flat_tree("ab"), "y": flat_tree("ab")},
    )
    rows = published(data, find(algorithm, data, [KAnonymity(2)]))
    assert [(row["x"], row["y"]) for row in rows] == [("*", "a"), ("*", "a"), ("*", "b"), ("*", "b")]


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        (name, declared.name, value)
        for name, algorithm in ALGORITHMS.items()
        for declared in parameters_of(algorithm)
        for value in bad_values(declared.rule)
    ],
)
def test_every_declared_parameter_refuses_bad_values(name, option, value):
    with pytest.raises(InvalidParameter, match=f"{name}: {option} must be "):
        make_algorithm(name, {option: value})
