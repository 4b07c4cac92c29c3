from dataclasses import replace

import pytest

from shoal.algorithms.auto import Affordable, TableTask, choose, choose_for_table_with_sets
from shoal.algorithms.catalogue import ALGORITHMS, make_algorithm
from shoal.errors import BadInput, UnknownName
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, QuasiSet, Sensitive
from tests.builders import flat_tree, local_data

K2 = [KAnonymity(2)]
ROWS = [("red", 30, "flu"), ("blue", 60, "cold"), ("red", 31, "flu"), ("red", 30, "cold")]
ROLES = {"colour": Quasi(), "age": Quasi(kind=Kind.NUMBER, bounds=(0, 100)), "illness": Sensitive()}
ON_TREES = local_data(
    ROWS, ROLES, trees={"colour": flat_tree(["red", "blue"]), "age": flat_tree(["30", "31", "60"])}
)
WITHOUT_A_TREE = local_data(ROWS, ROLES, trees={"colour": flat_tree(["red", "blue"])})

SMALL = TableTask(rows=45_222, records=26_000, columns=8, k=10, on_trees=True, diverse=False)
WIDE = replace(SMALL, columns=14)
LARGE = replace(SMALL, rows=1_000_000, records=900_000)


@pytest.fixture
def task(monkeypatch):
    """Let every table look like the given task."""

    def looks_like(wanted):
        monkeypatch.setattr(TableTask, "of", staticmethod(lambda *_: wanted))

    return looks_like


def test_a_named_algorithm_is_taken_without_a_word():
    choice = choose("forest", K2, data=ON_TREES)
    assert (choice.name, dict(choice.options), choice.notices) == ("forest", {}, ())


def test_unknown_names_and_algorithms_for_other_promises_are_refused():
    with pytest.raises(UnknownName, match="did you mean 'auto'"):
        choose("autp", K2)
    with pytest.raises(BadInput, match=r"aa does not serve k-anonymity.*use one of mondrian"):
        choose("aa", K2)


def test_what_nothing_serves_is_refused():
    models = [KAnonymity(2), DifferentialPrivacy(1.0)]
    with pytest.raises(BadInput, match="no algorithm of this version serves"):
        choose("auto", models)


def test_what_decides_is_seen_in_the_data():
    assert TableTask.of(ON_TREES, K2) == TableTask(
        rows=4, records=3, columns=2, k=2, on_trees=True, diverse=False
    )
    assert not TableTask.of(WITHOUT_A_TREE, K2).on_trees
    assert TableTask.of(ON_TREES, [*K2, LDiversity(2)]).diverse


@pytest.mark.parametrize(
    ("looks_like", "name", "local_search"),
    [
        (SMALL, "kanon-cf", True),
        (WIDE, "agglomerative", True),
        (replace(SMALL, on_trees=False), "hilbert", True),
        (LARGE, "mondrian", None),
        (replace(LARGE, rows=100_000_000), "mondrian", None),
        (replace(SMALL, diverse=True), "kanon-cf", False),
        (replace(SMALL, records=4_000, diverse=True), "kanon-cf", True),
    ],
)
def test_the_one_that_loses_least_of_those_that_end_soon(task, looks_like, name, local_search):
    task(looks_like)
    choice = choose("auto", K2, data=ON_TREES)
    assert choice.name == name
    assert choice.options.get("local_search") == local_search
    (notice,) = choice.notices
    assert notice.startswith(f"auto chose {name}")
    assert ("local search" in notice) == bool(local_search)
    assert f"{looks_like.records:,} distinct records of {looks_like.columns} columns" in notice


def test_a_time_limit_leads_to_a_faster_one(task):
    task(SMALL)
    in_time = choose("auto", K2, data=ON_TREES, affordable=Affordable(seconds=10.0))
    assert in_time.name == "mondrian"
    assert "should end within 5 s" in in_time.notices[0]
    assert choose("auto", K2, data=ON_TREES, affordable=Affordable(seconds=1e6)).name == "kanon-cf"


def test_when_all_may_reach_the_limits_the_fastest_is_taken_and_that_is_said(task):
    task(replace(LARGE, rows=10**9))
    choice = choose("auto", K2, data=ON_TREES, affordable=Affordable(seconds=1.0))
    assert choice.name == "mondrian"
    assert "the fastest there is, because every other may reach the limits" in choice.notices[0]


def test_a_memory_limit_leads_to_one_that_needs_less(task):
    task(SMALL)
    assert choose("auto", K2, data=ON_TREES, affordable=Affordable(memory=400e6)).name == "agglomerative"


def test_options_that_are_given_are_kept_and_lead_to_one_that_takes_them(task):
    task(SMALL)
    assert choose("auto", K2, options=["suppression"], data=ON_TREES).name == "full-domain"
    assert choose("auto", K2, options=["mode"], data=ON_TREES).name == "mondrian"
    kept = choose("auto", K2, options=["local_search"], data=ON_TREES)
    assert (kept.name, dict(kept.options)) == ("kanon-cf", {})


def test_options_that_nobody_takes_are_refused():
    with pytest.raises(UnknownName, match="auto has no option 'suppresion'; did you mean 'suppression'"):
        choose("auto", K2, options=["suppresion"])
    with pytest.raises(BadInput, match="no algorithm that serves k-anonymity takes mode and suppression"):
        choose("auto", K2, options=["mode", "suppression"])


KM = [KmAnonymity(2, 2)]


def sets(trees):
    return local_data([(["a", "b"],), (["a"],)], {"items": QuasiSet()}, trees=trees)


def test_promises_about_sets_get_the_first_of_the_catalogue():
    first = next(name for name, algorithm in ALGORITHMS.items() if KmAnonymity in algorithm.serves)
    choice = choose("auto", KM, data=sets(trees={"items": flat_tree("ab")}))
    assert choice.name == first == "aa"
    assert choice.notices == ("auto chose aa, the first algorithm that serves km-anonymity",)


def test_sets_without_a_hierarchy_get_one_that_needs_none():
    choice = choose("auto", KM, data=sets(trees={}))
    assert choice.name == "pcta"
    assert choice.notices == ("auto chose pcta, because column 'items' has no hierarchy of items",)


@pytest.mark.parametrize(
    ("records", "given", "limit", "options"),
    [
        (2_000, (), None, {"items": "pcta", "delta": "frontier"}),
        (100_000, (), None, {"items": "pcta"}),
        (1_000_000, (), None, {}),
        (2_000, (), 2.0, {}),
        (2_000, ("delta",), None, {"items": "pcta"}),
        (2_000, ("items", "delta"), None, {}),
    ],
)
def test_tables_with_sets_get_what_loses_least_in_the_time_there_is(records, given, limit, options):
    choice = choose_for_table_with_sets(records, given, Affordable(seconds=limit))
    assert (choice.name, dict(choice.options)) == ("rmerge-rt", options)
    assert f"auto chose rmerge-rt for {records:,} records" in choice.notices[0]
    for name, value in options.items():
        assert f'{name} = "{value}"' in choice.notices[0]


def test_only_tables_with_sets_are_chosen_for_as_such():
    data = local_data([("red", ["a"])], {"colour": Quasi(), "basket": QuasiSet(separator=" ")})
    assert choose("auto", [KKmAnonymity(2, 2)], data=data).options == {"items": "pcta", "delta": "frontier"}
    assert choose("auto", [KKmAnonymity(2, 2)], options=["closeness", "delta"], data=data).options == {
        "items": "pcta"
    }


@pytest.mark.parametrize("data", [ON_TREES, WITHOUT_A_TREE])
def test_what_is_chosen_can_be_made_and_is_chosen_again(data):
    choice = choose("auto", K2, data=data)
    assert make_algorithm(choice.name, choice.options).name == choice.name
    assert choose("auto", K2, data=data) == choice
