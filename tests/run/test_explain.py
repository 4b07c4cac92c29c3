from pathlib import Path

import pytest

import shoal as sh
from shoal.errors import BadInput
from shoal.run.explain import explain

TREE = "a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n"
BASKETS = "a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\n"


@pytest.fixture
def result(tmp_path: Path) -> sh.Result:
    (tmp_path / "tree.csv").write_text(TREE)
    (tmp_path / "baskets.txt").write_text(BASKETS)
    role = sh.QuasiSet(hierarchy=sh.HierarchyFile(tmp_path / "tree.csv"))
    return sh.anonymize(sh.read(tmp_path / "baskets.txt", {"items": role}), sh.KmAnonymity(k=2, m=2))


def test_the_worked_example_is_generalized_for_the_pair_that_occurs_once(result):
    (found,) = explain(result.data.local, result.recoding, "a1")
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
    (found,) = explain(result.data.local, result.recoding, "a")
    assert found.sentence() == (
        "a is published as A: in more detail, whoever knows a would find 3 records, too many of which share"
        " something sensitive"
    )


def test_an_item_that_was_not_generalized_says_so(result):
    (found,) = explain(result.data.local, result.recoding, " b1 ")
    assert found.sentence() == "b1 is published as it is"


def test_the_outcome_lists_every_generalized_item_with_its_reason(result):
    (entry,) = result.outcome.generalized_items
    assert (entry.label, entry.items, entry.occurrences) == ("A", 2, 5)


def test_an_unknown_item_names_the_nearest(result):
    with pytest.raises(BadInput, match=r"no item 'a3'; the nearest are a\d"):
        explain(result.data.local, result.recoding, "a3")


def test_an_item_of_a_table_with_sets_is_explained_part_by_part(tmp_path: Path):
    (tmp_path / "t.csv").write_text("sex,drugs\nf,a\nf,b\nm,a\nm,a\n")
    roles = {"sex": sh.Quasi(hierarchy=sh.flat()), "drugs": sh.QuasiSet()}
    data = sh.read(tmp_path / "t.csv", roles)
    result = sh.anonymize(data, sh.KKmAnonymity(k=2, m=1), algorithm="rfirst", seed=1)
    found = {each.published_as for each in explain(result.data.local, result.recoding, "a")}
    assert found == {"a", "(a|b)"}
    with pytest.raises(BadInput, match="'drugs' has no item 'c'"):
        explain(result.data.local, result.recoding, "c")


def test_tables_have_no_items_to_explain(tmp_path: Path):
    (tmp_path / "t.csv").write_text("age\n1\n1\n2\n2\n")
    data = sh.read(tmp_path / "t.csv", {"age": sh.Quasi(hierarchy=sh.flat())})
    result = sh.anonymize(data, sh.KAnonymity(k=2))
    with pytest.raises(BadInput, match="no set column"):
        explain(result.data.local, result.recoding, "1")
