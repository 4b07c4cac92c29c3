import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InvalidParameter
from shoal.privacy.k_anonymity import KAnonymity
from shoal.table.roles import Insensitive, Quasi, Sensitive
from tests.builders import local_data, tree
from tests.examples import examples
from tests.privacy.tables import QUASI, VALUES, SmallTable, tables_after_one_change
from tests.reference import privacy_tables as reference

AGE_AND_SEX = {"age": Quasi(), "sex": Quasi()}


@pytest.mark.parametrize("k", [0, -1, 2.0, "5", True, None])
def test_k_is_an_integer_of_2_or_more(k):
    with pytest.raises(InvalidParameter, match="KAnonymity: k must be an integer of 2 or more, got"):
        KAnonymity(k)


@given(tables_after_one_change(), st.integers(2, 5))
@examples(150)
def test_the_verdict_is_the_twins_before_and_after_any_one_change(tables, k):
    for table in tables:
        verdict = KAnonymity(k).verify(table.data)
        truth = reference.k_anonymity(table.dictionaries, QUASI, k, table.people)
        assert (verdict.holds, verdict.smallest) == truth
        assert (verdict.witness is None) == verdict.holds


@given(st.data())
@examples(80)
def test_a_change_that_leaves_a_class_below_k_is_caught_and_the_class_named(data):
    k = data.draw(st.integers(2, 3))
    kinds = data.draw(st.permutations([(a, z) for a in VALUES["age"] for z in VALUES["zip"]]))
    tight, roomy = kinds[:2]
    table = SmallTable(tuple((*tight, 1) for _ in range(k)) + tuple((*roomy, 2) for _ in range(k + 1)))
    assert KAnonymity(k).verify(table.data).smallest == k

    row = data.draw(st.integers(0, k - 1))
    column = data.draw(st.sampled_from(QUASI))
    before = table.dictionaries[row][column]
    value = data.draw(st.sampled_from([v for v in VALUES[column] if v != before]))
    changed = table.changed(row, column, value)
    verdict = KAnonymity(k).verify(changed.data)

    assert not verdict.holds
    rows = [number - 1 for number in verdict.witness.rows]
    (key,) = {tuple(changed.dictionaries[r][name] for name in QUASI) for r in rows}
    assert rows == reference.classes(changed.dictionaries, QUASI)[key]
    assert len(rows) < k
    named = ", ".join(f"{name}={'(missing)' if v is None else v}" for name, v in zip(QUASI, key, strict=True))
    assert named in verdict.witness.what


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (3, 0, 4, 1, 2)])
def test_a_unique_record_with_a_missing_value_is_found(order):
    """Grouping that drops missing values reports k = 2 for this table."""
    rows = [("30", "F"), ("30", "F"), ("40", "M"), ("40", "M"), (None, "M")]
    verdict = KAnonymity(2).verify(local_data([rows[place] for place in order], AGE_AND_SEX))
    assert (verdict.holds, verdict.smallest) == (False, 1)
    assert verdict.witness.what == "class age=(missing), sex=M has 1 record, fewer than k=2"
    assert verdict.witness.rows == (order.index(4) + 1,)


def test_the_wildcard_reading_stands_beside_the_verdict_and_never_decides():
    data = local_data([("30", None), ("30", "M"), ("30", "M")], AGE_AND_SEX)
    verdict = KAnonymity(2).verify(data)
    assert not verdict.holds
    assert verdict.wildcard == {"holds": True, "smallest": 3}


def test_nothing_is_said_of_wildcards_where_nothing_is_missing():
    assert KAnonymity(2).verify(local_data([("30", "M")] * 2, AGE_AND_SEX)).wildcard is None


def test_suppressed_records_are_a_class_like_any_other():
    data = local_data([("30", "M")] * 3 + [("*", "*")] * 2, AGE_AND_SEX)
    assert KAnonymity(2).verify(data).holds
    assert KAnonymity(3).verify(data).witness.what == "class age=*, sex=* has 2 records, fewer than k=3"


def test_figures_say_what_the_verdict_rests_on():
    data = local_data([("30", "M")] * 3 + [("40", "M")], {**AGE_AND_SEX})
    assert KAnonymity(2).verify(data).figures == {
        "records": 4,
        "classes": 2,
        "smallest_class": 1,
        "mean_class": 2.0,
        "share_of_records_below_k": 0.25,
    }


def test_people_are_counted_where_rows_are_not_people():
    rows = [("30", "M")] * 3 + [("40", "F")] * 2
    verdict = KAnonymity(2).verify(local_data(rows, AGE_AND_SEX, subjects=[7, 7, 7, 1, 2]))
    assert (verdict.holds, verdict.smallest) == (False, 1)
    assert verdict.witness.what == "class age=30, sex=M has 1 person, fewer than k=2"
    assert verdict.figures["smallest_class"] == 2
    assert verdict.figures["smallest_class_people"] == 1
    assert verdict.figures["people"] == 3


def test_columns_that_are_not_quasi_identifiers_do_not_enter_the_classes():
    roles = {"age": Quasi(), "illness": Sensitive(), "note": Insensitive()}
    verdict = KAnonymity(2).verify(local_data([("30", "flu", "a"), ("30", "cold", "b")], roles))
    assert verdict.holds
    assert verdict.claim == "satisfies k-anonymity with k=2 on age"


def test_without_quasi_identifiers_all_records_are_one_class_and_the_claim_says_so():
    verdict = KAnonymity(3).verify(local_data([("flu",), ("cold",)], {"illness": Sensitive()}))
    assert (verdict.holds, verdict.smallest) == (False, 2)
    assert "no column is a quasi-identifier" in verdict.claim
    assert verdict.witness.what == "class all records has 2 records, fewer than k=3"


def test_a_release_without_records_keeps_no_promise():
    verdict = KAnonymity(2).verify(local_data([], AGE_AND_SEX))
    assert (verdict.holds, verdict.smallest) == (False, None)
    assert verdict.evidence == "there are no records"


def test_values_on_a_tree_are_named_by_their_labels():
    colours = tree({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})
    data = local_data(
        [("red",), ("*",), ("*",), (None,), (None,)], {"colour": Quasi()}, trees={"colour": colours}
    )
    assert KAnonymity(2).verify(data).witness.what == "class colour=red has 1 record, fewer than k=2"


def test_a_long_witness_lists_its_first_rows_and_counts_all():
    witness = KAnonymity(31).verify(local_data([("30", "M")] * 30, AGE_AND_SEX)).witness
    assert witness.rows == tuple(range(1, 21))
    assert witness.row_count == 30


def test_k_above_the_number_of_records_is_infeasible_and_names_the_largest():
    data = local_data([("30", "M")] * 4, AGE_AND_SEX)
    assert KAnonymity(4).table_holds(data)
    assert KAnonymity(4).infeasible(data) is None
    reason = KAnonymity(5).infeasible(data)
    assert "there are only 4 records, so k can be at most 4" in str(reason)
    assert reason.figures["largest_k"] == 4


def test_k_above_the_number_of_people_is_infeasible():
    data = local_data([("30", "M")] * 4, AGE_AND_SEX, subjects=[3, 3, 5, 5])
    assert "only 2 people, so k can be at most 2" in str(KAnonymity(3).infeasible(data))
