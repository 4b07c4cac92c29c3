from pathlib import Path

import pytest

import shoal as sh
from shoal.errors import BadInput
from shoal.explain.items import explain

TREE = "a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n"
BASKETS = "a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\n"


@pytest.fixture
def result(tmp_path: Path) -> sh.Result:
    (tmp_path / "tree.csv").write_text(TREE)
    (tmp_path / "baskets.txt").write_text(BASKETS)
    role = sh.QuasiSet(hierarchy=sh.HierarchyFile(tmp_path / "tree.csv"))
    return sh.anonymize(
        sh.read(tmp_path / "baskets.txt", {"items": role}), sh.KmAnonymity(k=2, m=2), algorithm="aa"
    )


def test_the_worked_example_is_generalized_for_the_pair_that_occurs_once(result):
    (found,) = explain(result.data.local, result.models, result.recoding, "a1")
    assert found.published_as == "A"
    assert found.reason.support == 1
    assert set(found.reason.itemset) in ({"a1", "b1"}, {"a1", "a2"})
    assert "would find 1 record" in found.sentence()
    assert result.loss["ncp"] == pytest.approx(2.5 / 11)


def test_a_promise_of_diversity_is_a_reason_of_its_own(tmp_path: Path):
    (tmp_path / "tree.csv").write_text("a;A;*\nb;A;*\nc;C;*\nd;C;*\ns;S;*\n")
    (tmp_path / "baskets.txt").write_text("a s\na s\na\nb\nb\nb\nc\nc\n")
    role = sh.QuasiSet(hierarchy=sh.HierarchyFile(tmp_path / "tree.csv"), sensitive=("s",))
    data = sh.read(tmp_path / "baskets.txt", {"items": role})
    result = sh.anonymize(data, [sh.KmAnonymity(k=2, m=1), sh.LmDiversity(l=2, m=1)], algorithm="aa")
    (found,) = explain(result.data.local, result.models, result.recoding, "a")
    assert found.sentence() == (
        "a is published as A: in more detail, whoever knows a would find 3 records, too many of which share"
        " something sensitive"
    )


def test_an_item_that_was_not_generalized_says_so(result):
    (found,) = explain(result.data.local, result.models, result.recoding, " b1 ")
    assert found.sentence() == "b1 is published as it is"


def test_the_outcome_lists_every_generalized_item_with_its_reason(result):
    (entry,) = result.outcome.changes.generalized_items
    assert (entry.label, entry.items, entry.occurrences) == ("A", 2, 5)


def test_an_unknown_item_names_the_nearest(result):
    with pytest.raises(BadInput, match=r"no item 'a3'; the nearest are a\d"):
        explain(result.data.local, result.models, result.recoding, "a3")


def test_an_item_of_a_table_with_sets_is_explained_by_what_it_is_published_as(tmp_path: Path):
    (tmp_path / "t.csv").write_text("sex,drugs\nf,a\nf,b\nm,a\nm,a\n")
    roles = {"sex": sh.Quasi(hierarchy=sh.flat()), "drugs": sh.QuasiSet()}
    data = sh.read(tmp_path / "t.csv", roles)
    result = sh.anonymize(data, sh.KKmAnonymity(k=2, m=1), algorithm="rfirst", seed=1)
    as_it_is, united = explain(result.data.local, result.models, result.recoding, "a")
    assert as_it_is.place + as_it_is.sentence() == "in 2 of 3 records: a is published as it is"
    assert united.place + united.sentence() == (
        "in 1 of 3 records: a is published as (a|b): in more detail, whoever knows a would find 1 record"
        " among the 2 of its cluster"
    )
    (listed,) = result.outcome.changes.generalized_items
    assert (listed.label, listed.items, listed.occurrences) == ("(a|b)", 2, 2)
    with pytest.raises(BadInput, match="'drugs' has no item 'c'"):
        explain(result.data.local, result.models, result.recoding, "c")


def test_tables_have_no_items_to_explain(tmp_path: Path):
    (tmp_path / "t.csv").write_text("age\n1\n1\n2\n2\n")
    data = sh.read(tmp_path / "t.csv", {"age": sh.Quasi(hierarchy=sh.flat())})
    result = sh.anonymize(data, sh.KAnonymity(k=2))
    with pytest.raises(BadInput, match="no set column"):
        explain(result.data.local, result.models, result.recoding, "1")


def test_sensitive_items_are_never_generalized(tmp_path: Path):
    (tmp_path / "t.csv").write_text("sex,drugs\nf,a s\nf,b\nm,a\nm,b\n")
    roles = {
        "sex": sh.Quasi(hierarchy=sh.flat()),
        "drugs": sh.QuasiSet(sensitive=("s",), hierarchy=sh.flat()),
    }
    result = sh.anonymize(
        sh.read(tmp_path / "t.csv", roles), sh.KKmAnonymity(k=2, m=1), algorithm="rfirst", seed=1
    )
    assert {each.sentence() for each in explain(result.data.local, result.models, result.recoding, "s")} == {
        "s is published as it is"
    }
    assert all(entry.occurrences == 2 for entry in result.outcome.changes.generalized_items)


def test_suppressed_items_say_so(tmp_path: Path):
    (tmp_path / "t.csv").write_text("sex,drugs\nf,a\nf,\nm,a\nm,a\n")
    roles = {"sex": sh.Quasi(hierarchy=sh.flat()), "drugs": sh.QuasiSet()}
    result = sh.anonymize(
        sh.read(tmp_path / "t.csv", roles), sh.KKmAnonymity(k=2, m=1), algorithm="rfirst", seed=1
    )
    found = [
        each.place + each.sentence()
        for each in explain(result.data.local, result.models, result.recoding, "a")
    ]
    assert found == [
        "in 2 of 3 records: a is published as it is",
        "in 1 of 3 records: a is suppressed: it is left out",
    ]
