import json
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.privacy.l_diversity import LDiversity
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, QuasiSet, Sensitive
from tests.builders import local_data
from tests.examples import examples
from tests.privacy.tables import QUASI, tables_after_one_change
from tests.reference import privacy_tables as reference

ROLES = {"age": Quasi(), "illness": Sensitive()}

numbers = st.sampled_from([1.2, 1.5, 2, Fraction(8, 3), 3])
wholes = st.integers(2, 3)
promises = st.one_of(
    st.builds(LDiversity, numbers),
    st.builds(LDiversity, wholes, st.just("distinct")),
    st.builds(LDiversity, numbers, st.just("entropy")),
    st.builds(LDiversity, wholes, st.just("recursive"), st.sampled_from([0.5, 1, Fraction(4, 3), 2, 3])),
)


def twin(model):
    least = Fraction(str(model.l))
    if model.kind == "recursive":
        return partial(reference.recursive, l=int(least), c=Fraction(str(model.c)))
    return partial(getattr(reference, model.kind), l=least)


@given(tables_after_one_change(), promises)
@examples(300)
def test_the_verdict_is_the_twins_before_and_after_any_one_change(tables, model):
    for table in tables:
        verdict = model.verify(table.data)
        truth = reference.every_class(table.dictionaries, QUASI, "illness", table.people, twin(model))
        assert verdict.holds == truth
        assert (verdict.witness is None) == verdict.holds
        json.dumps(verdict.figures, allow_nan=False)


@given(st.lists(st.integers(1, 9), max_size=5), promises)
@examples(200)
def test_holds_for_is_the_definition(counts, model):
    by_value = dict(enumerate(counts))
    truth = twin(model)(by_value, sum(counts), by_value)
    assert model.holds_for(list(by_value), counts, counts) == truth


@pytest.mark.parametrize(
    ("model", "before", "after"),
    [
        (LDiversity(2), "aabb", "abbb"),
        (LDiversity(1.5), "aab", "aaa"),
        (LDiversity(2, "distinct"), "aab", "aaa"),
        (LDiversity(2, "entropy"), "aabb", "abbb"),
        (LDiversity(4, "entropy"), "aaaabcde", "aaaaacde"),
        (LDiversity(2, "recursive", c=2), "aabb", "aaab"),
    ],
)
def test_one_change_that_breaks_a_tight_class_is_caught_and_the_class_named(model, before, after):
    roomy = [("40", illness) for illness in "vwxyz"]
    assert model.verify(local_data([("30", illness) for illness in before] + roomy, ROLES)).holds
    verdict = model.verify(local_data([("30", illness) for illness in after] + roomy, ROLES))
    assert not verdict.holds
    assert verdict.witness.what.startswith("in class age=30: illness=")
    assert verdict.witness.rows == tuple(range(1, len(before) + 1))


def test_the_witness_says_which_value_is_too_frequent():
    verdict = LDiversity(2).verify(local_data([("30", "flu")] * 3 + [("30", "cold")], ROLES))
    assert verdict.witness.what == (
        "in class age=30: illness=flu in 3 of 4 records with a value (75.0%); "
        "its diversity (frequency) is 1.33333 where 2 is asked"
    )
    assert verdict.figures["lowest_diversity"] == pytest.approx(4 / 3)
    assert verdict.smallest is None


def test_a_missing_value_counts_in_no_share():
    half_missing = local_data([("30", "flu"), ("30", None), ("30", "cold"), ("30", None)], ROLES)
    assert LDiversity(2).verify(half_missing).holds
    same_value = local_data([("30", "flu"), ("30", "flu"), ("30", None), ("30", None)], ROLES)
    assert not LDiversity(2).verify(same_value).holds


def test_a_class_without_values_fails():
    verdict = LDiversity(2).verify(local_data([("30", "flu"), ("40", None), ("40", None)], ROLES))
    assert not verdict.holds
    assert "in class age=40: every value of illness is missing" in verdict.witness.what
    assert verdict.witness.rows == (2, 3)
    assert verdict.figures["lowest_diversity"] is None


def test_a_person_with_many_records_does_not_make_a_class_diverse():
    rows = [("30", "flu"), ("30", "flu"), ("30", "cold"), ("30", "gout")]
    assert LDiversity(2).verify(local_data(rows, ROLES)).holds
    verdict = LDiversity(2).verify(local_data(rows, ROLES, subjects=[0, 1, 0, 1]))
    assert not verdict.holds, "both people have the flu"
    assert "illness=flu in 2 of 2 people with a value (100.0%)" in verdict.witness.what
    assert verdict.figures["sensitive"]["illness"]["lowest_diversity"] == 2
    assert verdict.figures["sensitive"]["illness"]["lowest_diversity_people"] == 1


def test_every_sensitive_column_is_judged():
    roles = {**ROLES, "outcome": Sensitive()}
    verdict = LDiversity(2).verify(local_data([("30", "flu", "well"), ("30", "cold", "well")], roles))
    assert not verdict.holds
    assert "outcome=well" in verdict.witness.what
    assert verdict.claim == (
        "satisfies 2-diversity (frequency) of illness and of outcome, each on its own, within classes of age"
    )
    assert verdict.figures["sensitive"]["illness"] == {"lowest_diversity": 2, "classes_broken": 0}


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LDiversity(2), "satisfies 2-diversity (frequency) of illness within classes of age"),
        (LDiversity(2.5, "entropy"), "satisfies 2.5-diversity (entropy) of illness within classes of age"),
        (
            LDiversity(3, "recursive", c=2),
            "satisfies 3-diversity (recursive, c=2) of illness within classes of age",
        ),
    ],
)
def test_the_claim_names_parameters_and_columns(model, words):
    assert model.claim(local_data([("30", "flu")], ROLES)) == words


def test_an_exact_tie_of_unequal_counts_reaches_its_entropy():
    """Counts 4, 1, 1, 1, 1 have entropy log 4 exactly."""
    rows = [("30", illness) for illness in "aaaabcde"]
    assert LDiversity(4, "entropy").verify(local_data(rows, ROLES)).holds
    assert not LDiversity(4.0000000001, "entropy").verify(local_data(rows, ROLES)).holds


def test_one_tenth_means_one_tenth():
    counts = [3, 1, 1, 1, 1, 1, 1, 1]
    assert LDiversity(10 / 3).holds_for(range(8), counts, counts) is False
    assert LDiversity(3.3).holds_for(range(8), [10] + [1] * 23, []) is True
    assert LDiversity(3.3).class_constraint().tolist()[1:3] == [33, 10]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"l": 0}, "LDiversity: l must be a number above 1, got 0"),
        ({"l": True}, "l must be a number above 1, got True"),
        ({"l": "2"}, "l must be a number above 1, got '2'"),
        ({"l": float("nan")}, "l must be a number above 1, got nan"),
        ({"l": Fraction(10**30, 3)}, "with at most 18 digits"),
        ({"l": 2.5, "kind": "distinct"}, "l must be a whole number for kind 'distinct', got 2.5"),
        ({"l": 2.5, "kind": "recursive", "c": 2}, "l must be a whole number for kind 'recursive'"),
        ({"l": 2, "kind": "recursive"}, "c must be a number above 0 for kind 'recursive', got None"),
        ({"l": 2, "kind": "recursive", "c": 0}, "c must be a number above 0"),
        ({"l": 2, "c": 2}, "c must be left out unless kind is 'recursive', got 2"),
        (
            {"l": 2, "kind": "entropie"},
            "kind must be one of 'frequency', 'distinct', 'entropy', 'recursive', got 'entropie'",
        ),
    ],
)
def test_bad_parameters_are_refused(arguments, message):
    with pytest.raises(InvalidParameter) as error:
        LDiversity(**arguments)
    assert message in str(error.value)


def test_without_a_sensitive_column_the_promise_has_no_meaning():
    data = local_data([("30",)], {"age": Quasi()})
    with pytest.raises(BadInput, match="no column is sensitive; give the column"):
        LDiversity(2).verify(data)


def test_a_sensitive_column_of_sets_is_not_left_out_in_silence():
    data = local_data([("20", "flu", ["a"]), ("20", "cold", ["a"])], {**ROLES, "items": QuasiSet()})
    data = replace(data, roles={**ROLES, "items": Sensitive(kind=Kind.SET)})
    with pytest.raises(BadInput, match=r"'items'.*holds sets"):
        LDiversity(2).verify(data)


def test_a_release_without_records_keeps_no_promise():
    assert not LDiversity(2).verify(local_data([], ROLES)).holds


def test_an_impossible_l_is_infeasible_and_names_the_tables_own_diversity():
    data = local_data([("30", "flu"), ("40", "flu"), ("30", "flu"), ("40", "cold"), ("30", None)], ROLES)
    assert not LDiversity(2).table_holds(data)
    reason = LDiversity(2).infeasible(data)
    assert "the table's own diversity is 1.3333, so l can be at most 1.3333" in str(reason)
    assert reason.figures == {"column": "illness", "reached": pytest.approx(4 / 3)}
    assert LDiversity(Fraction(4, 3)).infeasible(data) is None
    ratio = LDiversity(2, "recursive", c=3).infeasible(data)
    assert "the most frequent value is 3 times as frequent as those from rank 2 on" in str(ratio)
    assert "fewer than 3 different values" in str(LDiversity(3, "recursive", c=3).infeasible(data))
