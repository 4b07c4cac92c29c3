from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InvalidParameter
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.table.roles import Quasi, Sensitive
from tests.builders import local_data
from tests.examples import examples
from tests.privacy.tables import QUASI, tables_after_one_change
from tests.reference import privacy_tables as reference

ROLES = {"age": Quasi(), "illness": Sensitive()}

promises = st.builds(
    AlphaKAnonymity, st.sampled_from([0.3, Fraction(1, 3), 0.5, Fraction(2, 3), 0.9]), st.integers(2, 3)
)


@given(tables_after_one_change(), promises)
@examples(150)
def test_the_verdict_is_the_twins_before_and_after_any_one_change(tables, model):
    twin = partial(reference.share_at_most, alpha=Fraction(str(model.alpha)))
    for table in tables:
        verdict = model.verify(table.data)
        large, smallest = reference.k_anonymity(table.dictionaries, QUASI, model.k, table.people)
        diverse = reference.every_class(table.dictionaries, QUASI, "illness", table.people, twin)
        assert (verdict.holds, verdict.smallest) == (large and diverse, smallest)
        assert (verdict.witness is None) == verdict.holds


@given(st.lists(st.integers(1, 9), max_size=5), promises)
@examples(100)
def test_holds_for_is_the_definition(counts, model):
    by_value = dict(enumerate(counts))
    truth = reference.share_at_most(by_value, sum(counts), by_value, Fraction(str(model.alpha)))
    assert model.holds_for(list(by_value), counts, counts) == truth


def test_the_witness_is_of_the_part_that_is_broken():
    rows = [("30", "flu"), ("30", "flu"), ("30", "flu"), ("30", "cold")]
    shares = AlphaKAnonymity(0.5, 2).verify(local_data(rows, ROLES))
    assert "illness=flu in 3 of 4 records with a value (75.0%)" in shares.witness.what
    assert "a share of 0.75 where 0.5 is allowed" in shares.witness.what
    assert shares.figures["highest_share"] == 0.75
    sizes = AlphaKAnonymity(0.75, 5).verify(local_data(rows, ROLES))
    assert sizes.witness.what == "class age=30 has 4 records, fewer than k=5"


def test_the_claim_names_both_parts():
    claim = AlphaKAnonymity(0.5, 2).claim(local_data([("30", "flu")], ROLES))
    assert claim == (
        "satisfies k-anonymity with k=2 on age, and no value has more than the share 0.5 "
        "of illness within classes of age"
    )


@pytest.mark.parametrize("alpha", [0, 1.01, True, None, float("nan")])
def test_alpha_is_above_0_and_below_1(alpha):
    with pytest.raises(InvalidParameter, match="AlphaKAnonymity: alpha must be a number above 0 and below 1"):
        AlphaKAnonymity(alpha, 2)


def test_k_is_an_integer_of_2_or_more():
    with pytest.raises(InvalidParameter, match="AlphaKAnonymity: k must be an integer of 2 or more, got 0"):
        AlphaKAnonymity(0.5, 0)


def test_both_parts_can_be_infeasible():
    data = local_data([("30", "flu"), ("40", "flu"), ("40", "flu"), ("40", "cold")], ROLES)
    assert AlphaKAnonymity(0.75, 4).table_holds(data)
    assert not AlphaKAnonymity(0.7, 4).table_holds(data)
    assert "k can be at most 4" in str(AlphaKAnonymity(0.75, 5).infeasible(data))
    assert "the table's own highest share is 0.75" in str(AlphaKAnonymity(0.7, 4).infeasible(data))


def test_a_release_without_records_keeps_no_promise():
    verdict = AlphaKAnonymity(0.5, 2).verify(local_data([], ROLES))
    assert (verdict.holds, verdict.evidence) == (False, "there are no records")
