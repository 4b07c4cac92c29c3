import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.table.roles import Quasi, QuasiSet
from tests.builders import local_data
from tests.examples import examples
from tests.privacy.set_files import SECRETS, files_after_one_change
from tests.reference import privacy_sets as reference

BASKETS = {"basket": QuasiSet()}


def baskets(*texts, **roles):
    return local_data([(text.split(),) for text in texts], {"basket": QuasiSet(**roles)})


@pytest.mark.parametrize("parameters", [(0, 2), (2, 0), (2.0, 2), (2, True), ("2", 2)])
def test_k_is_an_integer_of_2_or_more_and_m_of_1(parameters):
    with pytest.raises(InvalidParameter, match=r"KmAnonymity: [km] must be an integer of [12] or more"):
        KmAnonymity(*parameters)


@pytest.mark.parametrize("parameters", [(2**53 + 1, 2), (2, 10**30)])
def test_k_and_m_fit_into_kernels(parameters):
    with pytest.raises(InvalidParameter, match=r"KmAnonymity: [km] must be an integer of at most"):
        KmAnonymity(*parameters)


def test_the_largest_k_and_m_are_checked():
    assert KmAnonymity(2, 2**53).verify(baskets("a b", "a b")).holds
    assert not KmAnonymity(2**53, 2**53).verify(baskets("a b", "a")).holds


@given(files_after_one_change(), st.integers(2, 4), st.integers(1, 4))
@examples(150)
def test_the_verdict_is_the_twins_before_and_after_any_one_change(files, k, m):
    for file in files:
        verdict = KmAnonymity(k, m).verify(file.data)
        assert (verdict.holds, verdict.smallest) == reference.km_anonymity(
            file.sets, k, m, frozenset(SECRETS)
        )
        assert (verdict.witness is None) == verdict.holds
        if not verdict.holds:
            _, itemset = reference.rarest(file.sets, m, frozenset(SECRETS))
            assert verdict.witness.what.startswith("{" + ", ".join(itemset) + "} occurs in")
            holding = [row + 1 for row, items in enumerate(file.sets) if set(itemset) <= items]
            assert list(verdict.witness.rows) == holding


@given(st.data())
@examples(60)
def test_a_change_that_leaves_an_itemset_below_k_is_caught(data):
    k, m = data.draw(st.integers(2, 3)), data.draw(st.integers(1, 3))
    tight = data.draw(st.sets(st.sampled_from("abc"), min_size=1, max_size=m))
    rows = [set(tight) for _ in range(k)] + [{"y"}, {"y", "z"}, {"z"}, {"y", "z"}, {"y", "z"}]
    assert KmAnonymity(k, m).verify(local_data([(row,) for row in rows], BASKETS)).smallest == k
    rows[data.draw(st.integers(0, k - 1))].discard(data.draw(st.sampled_from(sorted(tight))))
    verdict = KmAnonymity(k, m).verify(local_data([(row,) for row in rows], BASKETS))
    assert not verdict.holds
    assert verdict.smallest == k - 1


@pytest.mark.parametrize(
    ("cut", "holds"),
    [
        ({}, False),
        ({"a1": "A", "a2": "A"}, True),
        ({"b1": "B", "b2": "B"}, False),
        ({"a1": "A", "a2": "A", "b1": "B", "b2": "B"}, True),
        (dict.fromkeys(["a1", "a2", "b1", "b2"], "ALL"), True),
    ],
)
def test_the_cuts_of_the_worked_example(cut, holds):
    records = ["a1 b1 b2", "a2 b1", "a2 b1 b2", "a1 a2 b2"]
    published = [" ".join(cut.get(item, item) for item in record.split()) for record in records]
    assert KmAnonymity(2, 2).verify(baskets(*published)).holds == holds


def test_the_verdict_in_words():
    verdict = KmAnonymity(3, 2).verify(baskets("beer wine", "beer wine", "beer", "beer", "wine"))
    assert verdict.claim == "satisfies k^m-anonymity with k=3, m=2 on basket"
    assert verdict.evidence == (
        "the rarest set of at most 2 items: {beer, wine} occurs in 2 records;"
        " supports are counted on the published labels"
    )
    assert verdict.witness.what == "{beer, wine} occurs in 2 records, fewer than k=3"
    assert verdict.witness.rows == (1, 2)
    assert verdict.figures == {"records": 5, "itemsets_below_k": 1}


def test_records_without_items_pass_and_count_for_nothing():
    verdict = KmAnonymity(5, 2).verify(baskets("", "", ""))
    assert (verdict.holds, verdict.smallest) == (True, None)
    assert not KmAnonymity(2, 2).verify(baskets("a", "", "")).holds


def test_sensitive_items_are_not_counted():
    assert KmAnonymity(2, 2).verify(baskets("a hiv", "a", sensitive=("hiv", "never seen"))).smallest == 2
    assert KmAnonymity(2, 2).verify(baskets("a hiv", "a")).smallest == 1


def test_items_of_several_columns_are_known_together():
    rows = [(["x"], ["x"]), (["x"], []), ([], ["x"])]
    verdict = KmAnonymity(2, 2).verify(local_data(rows, {"food": QuasiSet(), "drink": QuasiSet()}))
    assert verdict.smallest == 1
    assert verdict.witness.what == "{food=x, drink=x} occurs in 1 record, fewer than k=2"
    assert KmAnonymity(2, 1).verify(local_data(rows, {"food": QuasiSet(), "drink": QuasiSet()})).holds


def test_m_beyond_the_longest_record_asks_for_whole_records():
    assert KmAnonymity(2, 10**12).verify(baskets("a b c", "a b c")).smallest == 2


def test_a_file_without_set_columns_is_refused():
    with pytest.raises(
        BadInput, match="km-anonymity is about sets of items, and no quasi-identifier holds sets"
    ):
        KmAnonymity(2, 2).verify(local_data([("30",)], {"age": Quasi()}))


def test_a_release_without_records_keeps_no_promise():
    assert not KmAnonymity(2, 1).verify(baskets()).holds


def test_fewer_than_k_records_with_items_are_infeasible():
    data = baskets("a", "b c", "", "")
    assert KmAnonymity(2, 2).infeasible(data) is None
    reason = KmAnonymity(3, 2).infeasible(data)
    assert "only 2 records have any item, so k can be at most 2" in str(reason)
    assert reason.figures["largest_k"] == 2
