import pytest

from shoal.engine.local import LocalData
from shoal.errors import CannotVerify, Infeasible, InvalidParameter
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.table.roles import QuasiSet
from tests.builders import flat_tree, local_data


def release(sets, leaves=None):
    data = local_data([(items,) for items in sets], {"items": QuasiSet()})
    return LocalData(data.table, data.roles, leaves_of_label={} if leaves is None else {"items": leaves})


def test_absence_singles_out_where_presence_does_not():
    data = release([{"a", "b"}, {"a", "b"}, {"a"}, {"b"}, {"b"}], {"a": 1, "b": 1})
    assert not KmAnonymity(2, 2).verify(release([{"a", "b"}, {"a"}])).holds
    assert KmAnonymity(2, 2).verify(data).holds
    verdict = KmAnonymity(2, 2, negative=True).verify(data)
    assert not verdict.holds
    assert verdict.smallest == 1
    assert verdict.witness.what == "1 record holds none of {b}, fewer than k=2"
    assert verdict.witness.rows == (3,)


def test_absence_of_a_wide_label_takes_more_facts_than_somebody_knows():
    sets = [{"A", "b"}, {"A", "b"}, {"A"}, {"A"}, {"b"}]
    assert not KmAnonymity(2, 2, negative=True).verify(release(sets, {"A": 2, "b": 1})).holds
    assert KmAnonymity(2, 2, negative=True).verify(release(sets, {"A": 3, "b": 1})).holds


def test_release_that_passes_the_strictest_reading_needs_no_hierarchy():
    assert KmAnonymity(2, 2, negative=True).verify(release([{"a", "b"}, {"a", "b"}])).holds
    with pytest.raises(CannotVerify, match="give the hierarchy as a file"):
        KmAnonymity(2, 1, negative=True).verify(release([{"a"}, {"a"}, {"b"}]))


def test_releases_without_items_show_nothing():
    assert KmAnonymity(2, 1, negative=True).verify(release([set(), set()], {})).holds


def test_emptiness_that_can_be_known_needs_k_records():
    tree = flat_tree(["a", "b"])
    data = local_data([({"a"},), ({"b"},), (set(),)], {"items": QuasiSet()}, trees={"items": tree})
    with pytest.raises(Infeasible, match="1 record has none of the 2 items"):
        raise KmAnonymity(2, 2, negative=True).infeasible(data)
    assert KmAnonymity(2, 1, negative=True).infeasible(data) is None
    assert KmAnonymity(2, 2).infeasible(data) is None


def test_claim_says_so():
    claim = KmAnonymity(2, 2, negative=True).claim(release([{"a"}]))
    assert claim == "satisfies k^m-anonymity with k=2, m=2 and negative knowledge on items"


@pytest.mark.parametrize("bad", [0, 1, "true", None])
def test_negative_is_yes_or_no(bad):
    with pytest.raises(InvalidParameter, match="negative must be true or false"):
        KmAnonymity(2, 2, negative=bad)
