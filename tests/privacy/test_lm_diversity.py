from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.privacy.lm_diversity import LmDiversity
from shoal.table.roles import QuasiSet, Sensitive
from tests.builders import local_data
from tests.examples import examples
from tests.privacy.set_files import SECRETS, files_after_one_change
from tests.reference import privacy_sets as reference

BASKETS = {"basket": QuasiSet(sensitive=("s", "t"))}

diversities = st.sampled_from([1.2, 1.5, 2, Fraction(4, 3), 3, 2.5])


def baskets(*texts):
    return local_data([(text.split(),) for text in texts], BASKETS)


@pytest.mark.parametrize("parameters", [(0, 2), (0.5, 2), (2, 0), (float("inf"), 1), ("2", 1), (True, 1)])
def test_parameters_outside_their_range_are_refused(parameters):
    with pytest.raises(InvalidParameter, match=r"LmDiversity: [lm] must be"):
        LmDiversity(*parameters)


@given(files_after_one_change(), diversities, st.integers(1, 3))
@examples(150)
def test_the_verdict_is_the_twins_before_and_after_any_one_change(files, l, m):
    exact = Fraction(str(l))
    for file in files:
        columns = [file.outcomes]
        verdict = LmDiversity(l, m).verify(file.data)
        assert verdict.holds == reference.lm_diversity(file.sets, exact, m, frozenset(SECRETS), columns)
        share = reference.largest_share(file.sets, m, frozenset(SECRETS), columns)
        assert verdict.figures.get("largest_share", 0) == float(share)

        items_only = LmDiversity(l, m).verify(file.sets_only)
        assert items_only.holds == reference.lm_diversity(file.sets, exact, m, frozenset(SECRETS))
        assert (items_only.witness is None) == items_only.holds


@given(st.data())
@examples(40)
def test_a_change_that_lifts_a_share_above_1_in_l_is_caught(data):
    l = data.draw(st.integers(2, 3))
    rows = [{"a", "s"}] + [{"a"} for _ in range(l - 1)] + [{"b"} for _ in range(6)]
    assert LmDiversity(l, 1).verify(local_data([(row,) for row in rows], BASKETS)).holds
    changed = data.draw(st.integers(1, l - 1))
    if data.draw(st.booleans()):
        rows[changed].add("s")
    else:
        rows[changed].discard("a")
    verdict = LmDiversity(l, 1).verify(local_data([(row,) for row in rows], BASKETS))
    assert not verdict.holds
    assert 1 in verdict.witness.rows


def test_generalizing_can_break_it():
    """The promise is not monotone: a, b -> A ties s to 2 of 3 records."""
    assert LmDiversity(2, 1).verify(baskets("a b", "a s", "b s", "c")).holds
    verdict = LmDiversity(2, 1).verify(baskets("A", "A s", "A s", "c"))
    assert verdict.witness.what == "2 of 3 records that hold {A} hold the sensitive s, more than 1 in 2"
    assert verdict.witness.rows == (2, 3)


def test_nothing_need_be_known_to_guess_what_most_records_hold():
    verdict = LmDiversity(2, 1).verify(baskets("s", "s", "", "s", ""))
    assert verdict.witness.what == "3 of 5 records hold the sensitive s, more than 1 in 2"
    assert verdict.claim == ("satisfies l^m-diversity with l=2, m=1 for s on basket")


def test_shares_are_exact():
    thirds = baskets("a s", "a", "a")
    assert LmDiversity(3, 1).verify(thirds).holds
    assert not LmDiversity(3.0000001, 1).verify(thirds).holds


def test_a_sensitive_column_is_protected_alike_and_missing_values_are_no_values():
    roles = {"basket": QuasiSet(), "outcome": Sensitive()}
    rows = [(["a"], "good"), (["a"], "bad"), (["a"], None), (["b"], "good"), (["b"], "bad")]
    assert LmDiversity(2, 1).verify(local_data(rows, roles)).holds
    verdict = LmDiversity(2, 1).verify(local_data([*rows[:1], (["a"], None), *rows[2:]], roles))
    assert verdict.witness.what == (
        "1 of 1 record with a value that hold {a} have outcome=good, more than 1 in 2"
    )
    assert verdict.witness.rows == (1,)


def test_all_items_of_a_sensitive_set_column_are_protected():
    data = local_data([(["a"],), (["b"],)], {"basket": QuasiSet(sensitive=("s",))})
    secrets = local_data([(["s"],), ([],)], {"illness": QuasiSet()}).table.columns["illness"]
    both = data.table.replacing({"illness": secrets})
    joined = type(data)(both, {**data.roles, "illness": Sensitive()})
    assert LmDiversity(2, 1).verify(joined).figures["largest_share"] == 1
    assert LmDiversity(2, 1).verify(joined).claim.endswith("for illness on basket")


def test_without_anything_sensitive_the_promise_is_empty_and_refused():
    with pytest.raises(BadInput, match="nothing is sensitive"):
        LmDiversity(2, 1).verify(local_data([(["a"],)], {"basket": QuasiSet()}))


def test_sensitive_items_that_do_not_occur_cannot_be_guessed():
    verdict = LmDiversity(5, 2).verify(baskets("a", "b"))
    assert (verdict.holds, verdict.evidence) == (True, "no sensitive item or value occurs")
