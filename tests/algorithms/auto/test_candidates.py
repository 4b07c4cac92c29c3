import numpy as np
import pytest

from shoal.algorithms.auto import candidates
from shoal.algorithms.auto.candidates import automatic, like_records, named, sample_of, sets_of_a_sample
from shoal.algorithms.auto.trial import Trial
from shoal.algorithms.search import Limits
from shoal.errors import BadInput, InvalidParameter, UnknownName
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.set_k_anonymity import SetKAnonymity
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, QuasiSet, Sensitive
from tests.builders import flat_tree, local_data

K2, KM = [KAnonymity(2)], [KmAnonymity(2, 2)]
NO_LIMITS = Limits()
ROWS = [("red", 30, "flu"), ("blue", 60, "cold"), ("red", 31, "flu"), ("red", 30, "cold")]
ROLES = {"colour": Quasi(), "age": Quasi(kind=Kind.NUMBER, bounds=(0, 100)), "illness": Sensitive()}
ON_TREES = local_data(
    ROWS, ROLES, trees={"colour": flat_tree(["red", "blue"]), "age": flat_tree(["30", "31", "60"])}
)
WITHOUT_A_TREE = local_data(ROWS, ROLES, trees={"colour": flat_tree(["red", "blue"])})


def sets(trees):
    return local_data([(["a", "b"],), (["a"],)], {"items": QuasiSet()}, trees=trees)


ITEMS_ON_A_TREE = sets({"items": flat_tree("ab")})


def tried(data, models, limits=NO_LIMITS, **options):
    found = automatic(models, options, limits, data)
    return [each.name for each in found.candidates] if isinstance(found, Trial) else [found.name]


def test_a_named_algorithm_must_be_there_and_serve():
    assert named("forest", K2) == "forest"
    with pytest.raises(UnknownName, match="did you mean 'auto'"):
        named("autp", K2)
    with pytest.raises(BadInput, match=r"aa does not serve k-anonymity.*use one of mondrian"):
        named("aa", K2)


def test_what_nothing_serves_is_refused():
    with pytest.raises(BadInput, match="no algorithm of this version serves"):
        automatic([KAnonymity(2), DifferentialPrivacy(1.0)], {}, NO_LIMITS)


@pytest.mark.parametrize(
    ("data", "models", "names"),
    [
        (ON_TREES, K2, ["kanon-cf", "agglomerative", "hilbert", "mondrian"]),
        (WITHOUT_A_TREE, K2, ["hilbert", "mondrian"]),
        (ITEMS_ON_A_TREE, KM, ["itemwise", "hghs", "lra", "pcta"]),
        (sets({}), KM, ["pcta"]),
        (ITEMS_ON_A_TREE, [KmAnonymity(2, 2, negative=True)], ["aa"]),
        (ITEMS_ON_A_TREE, [SetKAnonymity(2)], ["lgr", "partition"]),
        (ITEMS_ON_A_TREE, [DifferentialPrivacy(1.0)], ["diffpart"]),
    ],
)
def test_what_suits_the_data_and_the_promise_is_tried(data, models, names):
    assert tried(data, models) == names


def test_tables_with_sets_are_tried_with_what_serves_both():
    data = local_data([("red", ["a"])], {"colour": Quasi(), "basket": QuasiSet(separator=" ")})
    assert tried(data, [KKmAnonymity(2, 2)]) == ["classwise", "rmerge-rt"]
    trees = {"colour": flat_tree(["red"]), "basket": flat_tree("a")}
    on_trees = local_data(
        [("red", ["a"])], {"colour": Quasi(), "basket": QuasiSet(separator=" ")}, trees=trees
    )
    assert tried(on_trees, [KKmAnonymity(2, 2)]) == ["classwise", "rmerge-rt"]


def test_options_that_are_given_are_kept_and_lead_to_those_that_take_them():
    assert tried(ON_TREES, K2, suppression=0.1) == ["full-domain"]
    assert tried(ON_TREES, K2, mode="relaxed") == ["mondrian"]
    found = automatic(K2, {"local_search": False}, NO_LIMITS, ON_TREES)
    assert [each.name for each in found.candidates] == ["kanon-cf", "agglomerative", "hilbert"]
    assert all(each.options["local_search"] is False for each in found.candidates)


def test_options_that_nobody_takes_are_refused():
    with pytest.raises(UnknownName, match="auto has no option 'suppresion'; did you mean 'suppression'"):
        automatic(K2, {"suppresion": 0.1}, NO_LIMITS)
    with pytest.raises(BadInput, match="no algorithm that serves k-anonymity takes mode and suppression"):
        automatic(K2, {"mode": "strict", "suppression": 0.1}, NO_LIMITS)
    with pytest.raises(InvalidParameter, match="objective"):
        automatic(K2, {"objective": "beauty"}, NO_LIMITS)
    with pytest.raises(InvalidParameter, match="one of ncp, ul, query-error"):
        automatic(KM, {"objective": "entropy"}, NO_LIMITS, ITEMS_ON_A_TREE)
    with pytest.raises(InvalidParameter, match="objective"):
        automatic(K2, {"objective": "ul"}, NO_LIMITS, ON_TREES)


def test_the_objective_is_what_searches_keep_low():
    found = automatic(K2, {"objective": "entropy"}, NO_LIMITS, ON_TREES)
    assert found.candidates[0].options["measure"] == "entropy"
    assert automatic(K2, {}, NO_LIMITS, ON_TREES).candidates[0].options["measure"] == "lm"


def test_a_time_limit_is_the_budget():
    assert automatic(K2, {}, NO_LIMITS, ON_TREES).seconds == 3 * candidates.BUDGET
    assert automatic(K2, {}, Limits(time=8.0), ON_TREES).seconds == 6.0


def test_a_memory_limit_reaches_who_wants_to_know():
    found = automatic(K2, {}, Limits(memory=4e8), ON_TREES)
    assert found.candidates[0].options["memory_limit"] == 4e8
    assert "memory_limit" not in found.candidates[1].options


def test_on_large_tables_something_quick_is_tried_beside_the_best(monkeypatch):
    monkeypatch.setattr(candidates, "_SMALL_TABLE", 3)
    found = automatic(K2, {}, NO_LIMITS, ON_TREES).candidates
    assert [each.in_words() for each in found if each.quick] == ["hilbert (local_search = False)", "mondrian"]
    assert [each.options["block"] for each in found if each.quick and "block" in each.options] == [0]
    given = automatic(K2, {"local_search": True}, NO_LIMITS, ON_TREES).candidates
    assert not any(each.quick for each in given)


def test_of_very_large_tables_one_search_runs_at_a_time_and_none_on_all_rows_of_a_curve(monkeypatch):
    assert automatic(K2, {}, NO_LIMITS, ON_TREES).at_once == 2
    monkeypatch.setattr(candidates, "_SMALL_TABLE", 3)
    monkeypatch.setattr(candidates, "MANY_ROWS", 3)
    found = automatic(K2, {}, NO_LIMITS, ON_TREES)
    assert found.at_once == 1
    assert [each.in_words() for each in found.candidates if each.quick] == ["mondrian"]


def test_samples_are_drawn_of_large_data_only(monkeypatch):
    rng = np.random.default_rng(0)
    assert sample_of(ON_TREES, K2, rng) is None
    assert sample_of(ITEMS_ON_A_TREE, KM, rng) is None
    monkeypatch.setattr(candidates, "_SMALL_TABLE", 3)
    monkeypatch.setattr(candidates, "_SMALL_SETS", 1)
    monkeypatch.setattr(candidates, "_SETS_OF_A_SAMPLE", 1)
    assert sample_of(ON_TREES, K2, rng).row_count == 4  # one block of all: they are too few for two
    assert sample_of(ITEMS_ON_A_TREE, KM, rng).row_count == 1
    assert [sets_of_a_sample(rows) for rows in (1, 2, 1_000)] == [1, 1, 1]


def test_like_records_are_neighbours_with_their_sets(monkeypatch):
    monkeypatch.setattr(candidates, "_SMALL_TABLE", 10)
    monkeypatch.setattr(candidates, "_ROWS_OF_A_SAMPLE", 5)
    colours = ["red", "blue", "green", "grey"]
    rows = [(colours[row % 4], ["a"] if row % 3 else ["a", "b"]) for row in range(240)]
    roles = {"colour": Quasi(), "basket": QuasiSet(separator=" ")}
    data = local_data(rows, roles, trees={"colour": flat_tree(colours), "basket": flat_tree("ab")})
    found = like_records(data, [KKmAnonymity(2, 2)], np.random.default_rng(0))
    assert found.row_count == 60
    assert len(set(found.table.coded("colour").codes.tolist())) == 1
    assert like_records(found, [KKmAnonymity(2, 2)], np.random.default_rng(0)).row_count == 60
    again = like_records(data, [KKmAnonymity(2, 2)], np.random.default_rng(0))
    assert again.table.coded("colour").codes.tolist() == found.table.coded("colour").codes.tolist()


def test_only_those_that_run_where_the_data_are_take_part():
    among = ["hilbert", "mondrian", "forest"]
    trial = automatic(K2, {}, NO_LIMITS, ON_TREES, among)
    assert [each.name for each in trial.candidates] == ["hilbert", "mondrian"]
    assert automatic(K2, {}, NO_LIMITS, ON_TREES, ["forest"]).name == "forest"
