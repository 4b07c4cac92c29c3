from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from shoal.table.roles import QuasiSet
from tests.builders import local_data
from tests.examples import examples
from tests.privacy.set_files import ITEMS, SECRETS, SetFile, files_after_one_change
from tests.reference import privacy_sets as reference


def baskets(*texts, sensitive=()):
    return local_data([(text.split(),) for text in texts], {"basket": QuasiSet(sensitive=sensitive)})


@given(files_after_one_change(), st.integers(2, 4))
@examples(150)
def test_the_verdict_is_the_twins_before_and_after_any_one_change(files, k):
    for file in files:
        verdict = SetKAnonymity(k).verify(file.data)
        assert (verdict.holds, verdict.smallest) == reference.set_k_anonymity(
            file.sets, k, frozenset(SECRETS)
        )
        if not verdict.holds:
            groups = reference.equal_sets(file.sets, frozenset(SECRETS))
            assert [row - 1 for row in verdict.witness.rows] in [group for group in groups if len(group) < k]


@given(files_after_one_change(), st.sampled_from([1.2, 1.5, 2, 3]))
@examples(100)
def test_the_verdict_on_diversity_is_the_twins_before_and_after_any_one_change(files, l):
    exact = Fraction(str(l))
    for file in files:
        verdict = SetLDiversity(l).verify(file.data)
        assert verdict.holds == reference.set_l_diversity(
            file.sets, exact, frozenset(SECRETS), [file.outcomes]
        )
        items_only = SetLDiversity(l).verify(file.sets_only)
        assert items_only.holds == reference.set_l_diversity(file.sets, exact, frozenset(SECRETS))


@given(st.data())
@examples(60)
def test_a_change_that_leaves_fewer_than_k_equal_sets_is_caught(data):
    k = data.draw(st.integers(2, 3))
    tight = data.draw(st.frozensets(st.sampled_from(ITEMS)))
    file = SetFile(tuple((None, tight, None) for _ in range(k)) + ((None, frozenset("xyz"), None),) * (k + 1))
    assert SetKAnonymity(k).verify(file.data).smallest == k
    other = data.draw(st.frozensets(st.sampled_from(ITEMS)).filter(lambda items: items != tight))
    changed = file.changed(data.draw(st.integers(0, k - 1)), (None, other, None))
    assert not SetKAnonymity(k).verify(changed.data).holds


def test_a_published_result_of_lgr_shares_values_but_not_sets():
    """Local generalization with reallocation, as printed: every label is in two records, four sets in one."""
    published = baskets("P", "P f g", "K f M", "K f M", "P f g", "T i", "T", "i")
    assert KmAnonymity(2, 1).verify(published).holds
    verdict = SetKAnonymity(2).verify(published)
    assert (verdict.holds, verdict.smallest) == (False, 1)
    assert verdict.witness.what == "{P} is the set of 1 record, fewer than k=2"
    assert verdict.figures == {"records": 8, "different_sets": 6, "sets_below_k": 4}


def test_partitions_answer_to_the_same_records_is_accepted():
    published = baskets("T", "P f g", "K f M", "K f M", "P f g", "T", "T", "T")
    assert SetKAnonymity(2).verify(published).holds


def test_empty_sets_count_like_others():
    assert SetKAnonymity(2).verify(baskets("", "", "a", "a")).holds
    verdict = SetKAnonymity(2).verify(baskets("", "a", "a"))
    assert verdict.witness.what == "{} is the set of 1 record, fewer than k=2"
    assert verdict.claim == "satisfies complete k-anonymity of sets with k=2 on basket"


def test_sensitive_items_are_left_out_of_the_comparison():
    assert SetKAnonymity(2).verify(baskets("a s", "a", sensitive=("s",))).holds
    assert not SetKAnonymity(2).verify(baskets("a s", "a")).holds


def test_the_likeliest_guess_among_equal_sets_is_named():
    verdict = SetLDiversity(2).verify(baskets("a", "b s", "b s", "b", "a", sensitive=("s",)))
    assert verdict.witness.what == "2 of 3 records with the set {b} hold the sensitive s, more than 1 in 2"
    assert verdict.witness.rows == (2, 3)
    assert verdict.claim == ("satisfies l-diversity with l=2 for s among records with equal sets on basket")


def test_more_records_than_k_are_needed():
    assert SetKAnonymity(2).infeasible(baskets("a", "b")) is None
    assert "there are only 2 records, so k can be at most 2" in str(
        SetKAnonymity(3).infeasible(baskets("a", "b"))
    )


def test_parameters_and_data_that_do_not_fit_are_refused():
    with pytest.raises(InvalidParameter, match="SetKAnonymity: k must be"):
        SetKAnonymity(0)
    with pytest.raises(InvalidParameter, match="SetLDiversity: l must be"):
        SetLDiversity(0)
    with pytest.raises(BadInput, match="nothing is sensitive"):
        SetLDiversity(2).verify(baskets("a"))
    assert not SetKAnonymity(2).verify(baskets()).holds
    assert not SetLDiversity(2).verify(baskets(sensitive=("s",))).holds
