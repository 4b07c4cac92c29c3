"""Records without items, clusters with too few of them, and columns that hold nothing to be known."""

import numpy as np
import pytest

from shoal.algorithms.catalogue import make_algorithm
from shoal.errors import BadInput, Infeasible, LimitReached
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Insensitive, Quasi, QuasiSet
from tests.algorithms.mixed.tables import COLOURS, items_of, released
from tests.algorithms.mixed.test_promises import MIXED, each_algorithm
from tests.builders import flat_tree, local_data
from tests.hurried import UpAfter
from tests.reference import privacy_sets as reference

ITEMS = flat_tree("abc", root="any")
ROLES = {"colour": Quasi(), "items": QuasiSet()}


def table(rows, roles=None, trees=None):
    return local_data(rows, roles or ROLES, trees=trees or {"colour": COLOURS, "items": ITEMS})


def find(name, data, model, progress=None, **options):
    options = {**({"delta": 1.0} if "merge" in name else {}), **options}
    return make_algorithm(name, options).find(data, [model], np.random.default_rng(0), progress or Silent())


def shown_sets(data, joint):
    return [sorted(label for _, label in items) for items in released(data, joint).sets]


@each_algorithm
def test_records_that_are_all_empty(name):
    data = table([("red", ()), ("red", ()), ("blue", ())])
    joint = find(name, data, KKmAnonymity(3, 2))
    assert shown_sets(data, joint) == [[], [], []]
    assert joint.figures["utility_loss"] == 0


@each_algorithm
@pytest.mark.parametrize("items", ["aa", "pcta"])
def test_too_few_records_with_items_lose_them_all(name, items):
    data = table([("red", ("a",)), ("red", ()), ("red", ()), ("red", ())])
    joint = find(name, data, KKmAnonymity(2, 1), items=items)
    assert shown_sets(data, joint) == [[], [], [], []]
    assert joint.figures["utility_loss"] == pytest.approx(1 / 4)
    assert joint.figures["clusters_with_suppressed_items"] == 1
    assert any("items of 1 cluster were suppressed" in notice for notice in joint.notices)


def test_a_cluster_with_too_few_items_may_be_united_instead():
    rows = [("red", ("a",)), ("red", ()), ("blue", ("a",)), ("blue", ("a",))]
    kept = table(rows)
    joint = find("rmerge-r", kept, KKmAnonymity(2, 1), delta=1.0)
    assert joint.figures["clusters"] == 1
    assert shown_sets(kept, joint) == [["a"], [], ["a"], ["a"]]
    bounded = find("rmerge-r", kept, KKmAnonymity(2, 1), delta=0.0)
    assert shown_sets(kept, bounded) == [[], [], ["a"], ["a"]]


@each_algorithm
def test_without_quasi_identifiers_of_single_values_all_records_are_one_class(name):
    roles = {"note": Insensitive(), "items": QuasiSet()}
    data = table([("x", ("a",)), ("y", ("a", "b")), ("z", ("b",))], roles, {"items": ITEMS})
    joint = find(name, data, KKmAnonymity(2, 1))
    assert shown_sets_of_all(data, joint) == [["a"], ["a", "b"], ["b"]]


def shown_sets_of_all(data, joint):
    column = apply_recoding(data.table, data.trees, data.roles, joint, smallest=1).table.sets("items")
    return [items_of(column, row) for row in range(data.row_count)]


@each_algorithm
def test_items_that_are_all_sensitive_stay_as_they_are(name):
    roles = {"colour": Quasi(), "items": QuasiSet(sensitive=("a", "b", "c"))}
    data = table([("red", ("a",)), ("red", ("b",)), ("blue", ("c",)), ("blue", ())], roles)
    joint = find(name, data, KLmDiversity(2, 2, 2))
    assert shown_sets(data, joint) == [["a"], ["b"], ["c"], []]
    assert joint.figures["utility_loss"] == 0
    keys = released(data, joint).keys
    assert reference.k_km_anonymity(keys, [set()] * 4, 2, 2)[0]


def test_clusters_in_which_a_sensitive_item_is_too_frequent_are_united():
    roles = {"colour": Quasi(), "items": QuasiSet(sensitive=("a",))}
    data = table([("red", ("a",)), ("red", ("a",)), ("blue", ()), ("blue", ())], roles)
    joint = find("rfirst", data, KLmDiversity(2, 2, 1))
    assert joint.figures["clusters"] == 1
    with pytest.raises(Infeasible, match="raise delta") as refusal:
        find("rmerge-rt", data, KLmDiversity(2, 2, 1), delta=0.1)
    assert refusal.value.figures["relational_loss"] == 1.0


@pytest.mark.parametrize("name", ["rmerge-t", "tmerge-t"])
def test_a_frontier_starts_from_clusters_that_were_united_for_diversity(name):
    roles = {"colour": Quasi(), "items": QuasiSet(sensitive=("a",))}
    rows = [("red", ("a", "b")), ("red", ("a",)), ("orange", ()), ("orange", ("b",)), ("blue", ("b",))]
    data = table([*rows, ("blue", ("c",)), ("green", ("c",)), ("green", ("b", "c"))], roles)
    joint = find(name, data, KLmDiversity(2, 2, 1), delta="frontier")
    assert joint.figures["frontier"][0]["clusters"] < 4
    assert all(point["holds"] for point in joint.figures["frontier"])


@pytest.mark.parametrize("questions", [0, 1, 2, 4])
@pytest.mark.parametrize("name", [name for name in MIXED if not name.startswith("tmerge")])
def test_clusters_are_united_for_diversity_when_time_is_up(name, questions):
    roles = {"colour": Quasi(), "items": QuasiSet(sensitive=("a",))}
    rows = [("red", ("a", "b")), ("red", ("a",)), ("orange", ()), ("orange", ("b",)), ("blue", ("b",))]
    rows += [("blue", ("c",)), ("green", ("c",)), ("green", ("a", "b", "c"))]
    data = table([*rows, ("green", ("a",)), *rows], roles)
    joint = find(name, data, KLmDiversity(2, 2, 1), UpAfter(questions))
    shown = released(data, joint)
    secret = frozenset({("items", "a")})
    assert reference.k_lm_diversity(shown.keys, shown.sets, 2, 2, 1, sensitive=secret)[0]


def test_an_impossible_share_is_refused_with_the_largest_l():
    roles = {"colour": Quasi(), "items": QuasiSet(sensitive=("a",))}
    data = table([("red", ("a",)), ("red", ("a",)), ("blue", ())], roles)
    with pytest.raises(Infeasible, match=r"2 of 3 records hold the sensitive a.*l can be at most 3/2"):
        find("rfirst", data, KLmDiversity(2, 2, 1))


@each_algorithm
def test_missing_values_are_values_of_their_own(name):
    data = table([(None, ("a",)), (None, ("a",)), ("red", ("a",)), ("red", ("a",))])
    options = {"delta": 0.0} if name.startswith("rmerge") else {}
    joint = find(name, data, KKmAnonymity(2, 1), **options)
    shown = released(data, joint)
    assert reference.k_km_anonymity(shown.keys, shown.sets, 2, 1)[0]
    if name in ("rfirst", "rmerge-rt"):
        assert shown.keys == [(None,), (None,), ("red",), ("red",)]


def test_several_set_columns_are_joined_for_the_work_and_split_again():
    roles = {"colour": Quasi(), "drugs": QuasiSet(), "codes": QuasiSet()}
    trees = {"colour": COLOURS, "drugs": ITEMS, "codes": flat_tree("xy", root="all")}
    # Each column alone is 2^2-anonymous; a with x, and b with y, occur together once.
    rows = [
        ("red", ("a",), ("x",)),
        ("red", ("a",), ("y",)),
        ("red", ("b",), ("x",)),
        ("red", ("b",), ("x",)),
    ]
    for items in ("aa", "pcta"):
        data = local_data(rows, roles, trees=trees)
        joint = find("rfirst", data, KKmAnonymity(2, 2), items=items)
        assert [cuts.column for cuts in joint.items] == ["drugs", "codes"]
        shown = released(data, joint)
        assert reference.k_km_anonymity(shown.keys, shown.sets, 2, 2)[0]
        assert {label for items in shown.sets for _, label in items} <= {
            "a",
            "b",
            "c",
            "any",
            "x",
            "y",
            "all",
            "(a|b)",
            "(x|y)",
        }


def test_columns_whose_items_cannot_be_published_together_lose_the_rarer_one():
    roles = {"colour": Quasi(), "drugs": QuasiSet(), "codes": QuasiSet()}
    trees = {"colour": COLOURS, "drugs": ITEMS, "codes": flat_tree("xy", root="all")}
    # Two records have drugs, three have codes, and only one has both: no generalization mends that.
    rows = [("red", ("a",), ("x",)), ("red", ("a",), ()), ("red", (), ("x",)), ("red", (), ("x",))]
    for items in ("aa", "pcta"):
        data = local_data(rows, roles, trees=trees)
        joint = find("rfirst", data, KKmAnonymity(2, 2), items=items)
        assert shown_sets(data, joint) == [["x"], [], ["x"], ["x"]]


def test_a_set_column_without_items_beside_another():
    roles = {"colour": Quasi(), "drugs": QuasiSet(), "codes": QuasiSet()}
    data = local_data([("red", ("a",), ()), ("red", ("a",), ())], roles, trees={"colour": COLOURS})
    assert shown_sets(data, find("rfirst", data, KKmAnonymity(2, 2))) == [["a"], ["a"]]


def test_aa_needs_a_tree_and_numbers_need_one_too():
    data = local_data([("red", ("a",))] * 2, ROLES, trees={"colour": COLOURS})
    with pytest.raises(BadInput, match=r"'items': the item step aa needs a hierarchy.*pcta"):
        find("rfirst", data, KKmAnonymity(2, 1), items="aa")
    roles = {"age": Quasi(kind=Kind.NUMBER), "items": QuasiSet()}
    with pytest.raises(BadInput, match="'age'"):
        find("rfirst", local_data([(3, ("a",))] * 2, roles), KKmAnonymity(2, 1))


@each_algorithm
def test_k_above_the_number_of_records_is_refused(name):
    with pytest.raises(Infeasible, match="at most 2"):
        find(name, table([("red", ("a",))] * 2), KKmAnonymity(3, 1))


@pytest.mark.parametrize("items", ["aa", "pcta"])
@pytest.mark.parametrize("name", [name for name in MIXED if not name.startswith("tmerge")])
def test_time_that_is_up_still_gives_a_safe_release(name, items):
    data = table([("red", ("a",)), ("blue", ("b",)), ("green", ("a", "b")), ("blue", ("c",))])
    joint = find(name, data, KKmAnonymity(2, 2), Silent(time_limit=0), items=items)
    shown = released(data, joint)
    assert reference.k_km_anonymity(shown.keys, shown.sets, 2, 2)[0]


@pytest.mark.parametrize("items", ["aa", "pcta"])
@pytest.mark.parametrize("questions", [0, 1, 2, 3, 5, 8])
@each_algorithm
def test_time_that_is_up_later_ends_the_search(name, questions, items):
    data = table([("red", ("a",)), ("blue", ("b",)), ("green", ("a", "b")), ("blue", ("c",))] * 3)
    progress = UpAfter(questions)
    delta = {"delta": "frontier"} if "merge" in name else {}
    joint = find(name, data, KKmAnonymity(2, 2), progress, items=items, **delta)
    shown = released(data, joint)
    assert reference.k_km_anonymity(shown.keys, shown.sets, 2, 2)[0]
    assert progress.more <= 12 + data.row_count


def test_clusters_without_time_for_their_items_are_told():
    data = table([("red", ("a",)), ("red", ("b",)), ("blue", ("a", "b")), ("blue", ())])
    by_tree = find("rfirst", data, KKmAnonymity(2, 2), Silent(time_limit=-1.0), items="aa")
    assert shown_sets(data, by_tree) == [["any"], ["any"], [], []]
    united = find("rfirst", data, KKmAnonymity(2, 2), Silent(time_limit=-1.0), items="pcta")
    assert shown_sets(data, united) == [[], [], [], []]
    for joint in (by_tree, united):
        assert any("time was up before the items of 2 clusters" in notice for notice in joint.notices)


@pytest.mark.parametrize("name", [name for name in MIXED if name.startswith("tmerge")])
def test_a_bound_that_there_was_no_time_for_is_a_limit(name):
    data = table([("red", ("a",)), ("blue", ("b",)), ("green", ("a", "b")), ("blue", ("c",))])
    with pytest.raises(LimitReached, match="time was up before the items lost as little as delta=0"):
        find(name, data, KKmAnonymity(2, 2), Silent(time_limit=-1.0), delta=0.0)


def test_a_table_that_is_k_anonymous_and_km_anonymous_need_not_be_both_at_once():
    rows = [("red", ("a",)), ("red", ("b",)), ("blue", ("a",)), ("blue", ("b",))]
    data = table(rows)
    assert KAnonymity(2).verify(data).holds
    assert KmAnonymity(2, 1).verify(data).holds
    assert not KKmAnonymity(2, 1).verify(data).holds
    joint = find("rfirst", data, KKmAnonymity(2, 1))
    shown = released(data, joint)
    assert reference.k_km_anonymity(shown.keys, shown.sets, 2, 1)[0]


def test_a_tree_over_which_nearly_everything_is_lost_is_told():
    data = table([("red", ("a",)), ("red", ("b",)), ("blue", ("a",)), ("blue", ("c",))])
    assert any('items = "pcta"' in notice for notice in find("rfirst", data, KKmAnonymity(2, 1)).notices)
    assert not find("rfirst", data, KKmAnonymity(2, 1), items="pcta").notices
