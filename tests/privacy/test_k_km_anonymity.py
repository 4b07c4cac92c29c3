from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.table.roles import Quasi, QuasiSet
from tests.builders import local_data
from tests.examples import examples
from tests.privacy.set_files import SECRETS, SetFile, files_after_one_change
from tests.reference import privacy_sets as reference

ROLES = {"age": Quasi(), "basket": QuasiSet(sensitive=("s",))}


def people(*texts):
    rows = (text.split(":") for text in texts)
    return local_data([(age or None, items.split()) for age, items in rows], ROLES)


@given(files_after_one_change(), st.integers(2, 3), st.integers(1, 3))
@examples(150)
def test_the_verdict_is_the_twins_before_and_after_any_one_change(files, k, m):
    for file in files:
        verdict = KKmAnonymity(k, m).verify(file.data)
        truth = reference.k_km_anonymity(file.ages, file.sets, k, m, frozenset(SECRETS))
        assert (verdict.holds, verdict.smallest) == truth
        assert (verdict.witness is None) == verdict.holds
        if not verdict.holds:
            assert verdict.witness.row_count == verdict.smallest


@given(files_after_one_change(), st.integers(2, 3), st.sampled_from([1.2, 1.5, 2, 3]), st.integers(1, 3))
@examples(150)
def test_the_verdict_with_diversity_is_the_twins_before_and_after_any_one_change(files, k, l, m):
    for file in files:
        verdict = KLmDiversity(k, l, m).verify(file.data)
        truth = reference.k_lm_diversity(
            file.ages,
            file.sets,
            k,
            Fraction(str(l)),
            m,
            sensitive=frozenset(SECRETS),
            columns=[file.outcomes],
        )
        assert (verdict.holds, verdict.smallest) == truth
        assert (verdict.witness is None) == verdict.holds


@given(st.data())
@examples(60)
def test_a_change_that_leaves_an_itemset_of_a_class_below_k_is_caught(data):
    k = data.draw(st.integers(2, 3))
    tight = (("20-24", frozenset("ab"), None),) * k
    roomy = (("*", frozenset("ab"), None),) * (k + 1)
    file = SetFile(tight + roomy)
    assert KKmAnonymity(k, 2).verify(file.data).smallest == k
    age, items, outcome = tight[0]
    record = data.draw(
        st.sampled_from([("*", items, outcome), (None, items, outcome), (age, frozenset("a"), outcome)])
    )
    changed = file.changed(data.draw(st.integers(0, k - 1)), record)
    assert not KKmAnonymity(k, 2).verify(changed.data).holds


def test_both_parts_may_hold_and_the_whole_not():
    data = people("30:a", "30:b", "40:a", "40:b")
    assert KAnonymity(2).verify(data).holds
    assert KmAnonymity(2, 2).verify(data).holds
    verdict = KKmAnonymity(2, 1).verify(data)
    assert (verdict.holds, verdict.smallest) == (False, 1)
    assert verdict.witness.what == "{a} occurs in 1 record of class age=30, fewer than k=2"
    assert verdict.witness.rows == (1,)
    assert verdict.claim == "satisfies (k,k^m)-anonymity with k=2, m=1 on age, basket"


def test_a_small_class_without_items_is_found():
    verdict = KKmAnonymity(2, 2).verify(people("30:a", "30:a", "40:"))
    assert verdict.witness.what == "class age=40 has 1 record, fewer than k=2"
    assert verdict.figures == {
        "records": 3,
        "classes": 2,
        "smallest_class": 1,
        "smallest_itemset_in_a_class": 2,
        "itemsets_below_k": 0,
    }


def test_a_missing_value_is_a_value_of_its_own():
    verdict = KKmAnonymity(2, 1).verify(people("30:a", "30:a", ":a"))
    assert verdict.witness.what == "class age=(missing) has 1 record, fewer than k=2"
    assert verdict.figures["smallest_class_if_missing_matched_all"] == 3


def test_what_can_be_guessed_within_a_class_is_named():
    data = people("30:a", "30:a s", "40:b s", "40:b s", "40:b", "50:", "50:", "50:")
    assert KKmAnonymity(2, 2).verify(data).holds
    verdict = KLmDiversity(2, 2, 1).verify(data)
    assert verdict.witness.what == ("2 of 3 records of class age=40 hold the sensitive s, more than 1 in 2")
    assert verdict.witness.rows == (3, 4)
    assert verdict.claim == "satisfies (k,l^m)-diversity with k=2, l=2, m=1 for s on age, basket"
    assert verdict.figures["largest_share"] == pytest.approx(2 / 3)


def test_supports_are_judged_before_shares():
    verdict = KLmDiversity(3, 2, 1).verify(people("30:a s", "30:a s"))
    assert verdict.witness.what.endswith("fewer than k=3")


@pytest.mark.parametrize("model", [KKmAnonymity(3, 2), KLmDiversity(3, 2, 2)])
def test_more_records_than_k_are_needed(model):
    assert model.infeasible(people("30:a", "30:", "40:b")) is None
    assert "there is only 1 record, so k can be at most 1" in str(model.infeasible(people("30:a")))


def test_parameters_and_data_that_do_not_fit_are_refused():
    with pytest.raises(InvalidParameter, match="KKmAnonymity: m must be"):
        KKmAnonymity(2, 0)
    for parameters in [(0, 2, 2), (2, 0, 2), (2, 2, 0)]:
        with pytest.raises(InvalidParameter, match=r"KLmDiversity: [klm] must be"):
            KLmDiversity(*parameters)
    with pytest.raises(BadInput, match="no quasi-identifier holds sets"):
        KKmAnonymity(2, 2).verify(local_data([("30",)], {"age": Quasi()}))
    assert not KKmAnonymity(2, 1).verify(people()).holds
    assert not KLmDiversity(2, 2, 1).verify(people()).holds
