from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.privacy.t_closeness import TCloseness
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.builders import local_data
from tests.examples import examples
from tests.privacy.tables import QUASI, tables_after_one_change
from tests.reference import privacy_tables as reference

ROLES = {"age": Quasi(), "income": Sensitive(kind=Kind.NUMBER)}

promises = st.builds(
    TCloseness,
    st.sampled_from([0.1, 0.25, Fraction(1, 3), Fraction(3, 8), 0.5, 0.9]),
    st.sampled_from(["equal", "ordered"]),
)


@given(tables_after_one_change(), promises)
@examples(300)
def test_the_verdict_is_the_twins_before_and_after_any_one_change(tables, model):
    twin = partial(reference.close, t=Fraction(str(model.t)), distance=model.distance)
    for table in tables:
        verdict = model.verify(table.data)
        truth = reference.every_class(table.dictionaries, QUASI, "illness", table.people, twin)
        assert verdict.holds == truth
        assert (verdict.witness is None) == verdict.holds


@given(
    st.dictionaries(st.integers(0, 4), st.integers(1, 9), min_size=1), st.lists(st.integers(0, 9)), promises
)
@examples(150)
def test_holds_for_is_the_definition(counts, others, model):
    totals = [counts.get(v, 0) + (others[v] if v < len(others) else 0) for v in range(5)]
    table = {v: total for v, total in enumerate(totals) if total}
    values = sorted(counts)
    truth = reference.close(counts, 1, table, Fraction(str(model.t)), model.distance)
    assert model.holds_for(values, [counts[v] for v in values], totals) == truth


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_a_class_at_its_limit_holds_and_one_change_beyond_it_is_caught(distance):
    rows = [("30", 1), ("30", 1), ("30", 2), ("30", 4), ("40", 1), ("40", 2), ("40", 4), ("40", 4)]
    tight = TCloseness(Fraction(1, 8), distance)
    verdict = tight.verify(local_data(rows, ROLES))
    assert verdict.holds
    assert verdict.figures["highest_distance"] == 0.125
    rows[2] = ("30", 1)
    changed = tight.verify(local_data(rows, ROLES))
    assert not changed.holds
    assert changed.witness.what.startswith("in class age=30: income=1 in 3 of 4 records with a value (75.0%)")
    assert f"({distance}) to the whole table is" in changed.witness.what


def test_the_published_example_of_the_ordered_distance():
    """Incomes 3k to 11k, each once; the class {3k, 4k, 5k} is 0.375 away (Li et al., ICDE 2007)."""
    rows = [("30", income) for income in (3, 4, 5)] + [("40", income) for income in (6, 8, 11)]
    rows += [("50", income) for income in (7, 9, 10)]
    figures = TCloseness(0.9, "ordered").verify(local_data(rows, ROLES)).figures
    assert figures["highest_distance"] == pytest.approx(0.375)
    assert TCloseness(0.375, "ordered").verify(local_data(rows, ROLES)).holds
    assert not TCloseness(0.3749999999, "ordered").verify(local_data(rows, ROLES)).holds


@pytest.mark.parametrize("values", [("low", "high"), ("9", "10")], ids=["words", "numbers out of order"])
def test_an_ordered_distance_needs_values_in_order(values):
    data = local_data([("30", value) for value in values], {"age": Quasi(), "income": Sensitive()})
    with pytest.raises(BadInput, match=r"column 'income': .*needs numbers or dates.*declare kind") as error:
        TCloseness(0.5, "ordered").verify(data)
    assert error.value.problems[0].column == "income"
    assert TCloseness(0.5).verify(data).holds


def test_labels_that_are_numbers_in_order_will_do():
    data = local_data([("30", "1"), ("30", "2.5")], {"age": Quasi(), "income": Sensitive()})
    assert TCloseness(0.1, "ordered").verify(data).holds


def test_the_claim_names_parameters_and_columns():
    claim = TCloseness(0.2, "ordered").claim(local_data([("30", 1)], ROLES))
    assert claim == "satisfies 0.2-closeness (ordered distance) of income within classes of age"


@pytest.mark.parametrize("t", [0, -0.1, 1.5, True, "0.2", float("inf")])
def test_t_is_above_0_and_up_to_1(t):
    with pytest.raises(InvalidParameter, match="TCloseness: t must be a number above 0 and below 1, got"):
        TCloseness(t)


def test_an_unknown_distance_is_refused():
    with pytest.raises(InvalidParameter, match="distance must be one of 'equal', 'ordered', got 'emd'"):
        TCloseness(0.2, "emd")


def test_the_whole_table_is_close_to_itself_unless_it_has_no_value():
    assert TCloseness(0.001).table_holds(local_data([("30", 1), ("40", 2)], ROLES))
    empty = local_data([("30", None)], ROLES)
    assert not TCloseness(0.9).table_holds(empty)
    assert "the table itself has no value of income" in str(TCloseness(0.9).infeasible(empty))
