import pytest

from shoal.errors import BadInput
from shoal.web.service.merging import differences, merged

BASE = {
    "columns": {"age": {"role": "quasi", "hierarchy": {"ranges": [5]}}, "ill": {"role": "sensitive"}},
    "privacy": {"model": "k-anonymity", "k": 5},
}


def changed(**privacy: object) -> dict:
    return {**BASE, "privacy": {**BASE["privacy"], **privacy}}


def test_changes_of_different_things_are_both_kept():
    ours = {**BASE, "columns": {**BASE["columns"], "ill": {"role": "quasi"}}}
    assert merged(BASE, ours, changed(k=20)) == {**ours, "privacy": {"model": "k-anonymity", "k": 20}}


def test_the_same_change_twice_is_no_conflict():
    assert merged(BASE, changed(k=20), changed(k=20)) == changed(k=20)


def test_a_change_of_the_same_thing_is_refused_with_both_values():
    with pytest.raises(
        BadInput, match="k of the promise was changed to 20 elsewhere, and would become 7 here"
    ):
        merged(BASE, changed(k=7), changed(k=20))
    gone = {**BASE, "columns": {"ill": {"role": "sensitive"}}}
    dates = {"age": {"role": "quasi", "hierarchy": {"fanout": 3}}, "ill": {"role": "sensitive"}}
    with pytest.raises(BadInput, match="hierarchy of the column age was changed to not set"):
        merged(BASE, {**BASE, "columns": dates}, gone)


def test_a_recipe_is_one_value_and_never_a_mixture():
    ours = {**BASE, "columns": {**BASE["columns"], "age": {"role": "quasi", "hierarchy": {"fanout": 3}}}}
    assert merged(BASE, ours, BASE) == ours


def test_what_is_taken_away_goes_and_what_others_added_stays():
    without = {**BASE, "columns": {"age": BASE["columns"]["age"]}}
    assert merged(BASE, without, changed(l=2)) == {**without, "privacy": {**BASE["privacy"], "l": 2}}


def test_differences_are_told_in_words():
    assert differences(BASE, BASE) == ()
    assert differences(BASE, changed(k=7, l=2)) == (
        "k of the promise was 5 and is 7 now",
        "l of the promise was not set and is 2 now",
    )
