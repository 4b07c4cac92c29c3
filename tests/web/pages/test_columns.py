from dataclasses import replace

from shoal.study.profile import ColumnProfile
from shoal.web.pages.columns import changed

AGE = ColumnProfile(
    name="age",
    kind="number",
    distinct=90,
    missing=0,
    unique_share=0.0,
    role="quasi",
    reason="could be known",
    separator=None,
)


def test_a_column_that_somebody_could_know_gets_a_hierarchy():
    entry = changed(None, AGE, {"role": "quasi"})
    assert (entry["role"], entry["kind"]) == ("quasi", "number")
    assert entry["hierarchy"] == {"ranges": [5, 10, 20, 40]}


def test_another_kind_gets_another_hierarchy():
    entry = changed(
        {"role": "quasi", "kind": "number", "hierarchy": {"ranges": [5]}}, AGE, {"kind": "category"}
    )
    assert "ranges" not in (entry.get("hierarchy") or {})


def test_what_another_role_has_no_use_for_is_dropped():
    entry = {"role": "quasi", "kind": "number", "hierarchy": {"ranges": [5]}}
    assert changed(entry, AGE, {"role": "identifier"}) == {"role": "identifier"}
    assert changed(entry, AGE, {"role": "sensitive"}) == {"role": "sensitive", "kind": "number"}
    assert changed(entry, AGE, {"role": "insensitive", "confirm": True}) == {
        "role": "insensitive",
        "confirm": True,
    }


def test_an_edit_keeps_what_else_was_said_of_a_set():
    items = replace(AGE, name="items", kind="set", separator=" ")
    said = {"role": "quasi", "kind": "set", "item_weights": {"a": 2}, "multiset": True, "separator": ";"}
    entry = changed(said, items, {"sensitive": ["b"]})
    assert {name: entry[name] for name in said} == said


def test_how_dates_are_written_is_kept_of_sensitive_columns():
    entry = changed({"role": "sensitive", "kind": "date"}, replace(AGE, kind="date"), {"format": "%d.%m.%Y"})
    assert entry == {"role": "sensitive", "kind": "date", "format": "%d.%m.%Y"}


def test_a_column_without_a_hierarchy_is_given_none_by_another_change():
    said = {"role": "quasi", "kind": "number", "bounds": [0, 120]}
    assert changed(said, AGE, {"weight": 0}) == {**said, "weight": 0}
    assert "bounds" not in changed(said, AGE, {"kind": "category"})


def test_what_is_said_of_sensitive_and_insensitive_columns_is_kept():
    assert changed({"role": "sensitive"}, AGE, {"missing": "reject"}) == {
        "role": "sensitive",
        "missing": "reject",
    }
    lists = replace(AGE, kind="set")
    assert changed({"role": "insensitive"}, lists, {"separator": "; "}) == {
        "role": "insensitive",
        "separator": "; ",
    }


def test_a_column_that_named_people_is_what_it_looks_like_afterwards():
    entry = changed({"role": "identifier"}, AGE, {"role": "quasi"})
    assert (entry["kind"], entry["hierarchy"]) == ("number", {"ranges": [5, 10, 20, 40]})
