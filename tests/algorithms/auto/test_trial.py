import random
import threading
import time
import weakref

import numpy as np
import pytest

from shoal.algorithms.auto.candidates import automatic
from shoal.algorithms.auto.objective import query_error
from shoal.algorithms.auto.trial import Candidate, Trial
from shoal.algorithms.catalogue import ALGORITHMS
from shoal.algorithms.search import Limits
from shoal.errors import Cancelled, Infeasible, LimitReached
from shoal.metrics.catalogue import measure
from shoal.metrics.estimates import RecordsEstimator
from shoal.metrics.workloads import Query
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.roles import Quasi, QuasiSet
from tests.algorithms.sets.instances import random_instance
from tests.algorithms.sets.searches import released
from tests.builders import flat_tree, local_data, tree

KM = [KmAnonymity(3, 2)]
EACH = random_instance(random.Random(4), most_leaves=14, most_rows=80)
CANDIDATES = [Candidate(name) for name in ("lra", "itemwise", "hghs", "pcta")]


def no_sample(*_):
    return None


def trial(candidates=CANDIDATES, seconds=60.0, sample=no_sample, objective="ncp"):
    return Trial(candidates, objective, seconds, sample)


def find(algorithm, progress=None):
    return algorithm.find(EACH.data, KM, np.random.default_rng(7), progress or Silent())


def test_what_loses_least_is_kept_and_all_is_told():
    found = find(trial())
    losses = found.figures["tried"]
    assert set(losses) == {"lra", "itemwise", "hghs", "pcta"}
    assert measure(EACH.data, found, 3)["ncp"] == pytest.approx(min(losses.values()))
    assert losses[found.figures["chosen"]] == min(losses.values())
    assert found.notices[0].startswith(f"auto took {found.figures['chosen']}: NCP lra ")
    assert all(name in found.notices[0] for name in losses)


def test_the_objective_decides():
    of_combinations = find(trial(objective="ul"))
    assert "UL" in of_combinations.notices[0]
    assert measure(EACH.data, of_combinations, 3)["ul"] == pytest.approx(
        min(of_combinations.figures["tried"].values())
    )


@pytest.mark.parametrize("models", [KM, [KAnonymity(3)], [KKmAnonymity(3, 2)]])
def test_counts_can_be_what_decides(models):
    rng = random.Random(3)
    columns = {"age": Quasi(), "job": Quasi()} if models != KM else {}
    sets = {} if isinstance(models[0], KAnonymity) else {"basket": QuasiSet(separator=" ")}
    rows = [
        tuple(rng.choice("abcdef") for _ in columns)
        + tuple(rng.sample("stuvwxyz", rng.randint(1, 4)) for _ in sets)
        for _ in range(60)
    ]
    letters, items = tree({"*": {"A": "abc", "D": "def"}}), tree({"*": {"S": "stuv", "W": "wxyz"}})
    trees = dict.fromkeys(columns, letters) | dict.fromkeys(sets, items)
    data = local_data(rows, {**columns, **sets}, trees=trees)
    names = {KM[0]: ["hghs", "itemwise"], KAnonymity(3): ["mondrian", "kanon-cf"]}.get(
        models[0], ["rfirst", "classwise"]
    )
    found = Trial([Candidate(name) for name in names], "query-error", 60.0, no_sample).find(
        data, models, np.random.default_rng(7), Silent()
    )
    assert found.notices[0].startswith(f"auto took {found.figures['chosen']}: error of counts {names[0]} ")
    assert query_error(data, found) == min(found.figures["tried"].values())
    if models != KM:
        held = sum(row[0] == "a" for row in rows)
        released = apply_recoding(data.table, data.trees, data.roles, found, smallest=1).table
        expected = RecordsEstimator(data, released).count(Query(values={"age": ("a",)}))
        untouched = RecordsEstimator(data, data.table).count(Query(values={"age": ("a",)}))
        assert untouched == held
        assert abs(expected - held) / held < 1


def test_the_same_random_numbers_give_the_same_decision():
    first, second = find(trial()), find(trial())
    assert first.figures == second.figures
    assert first.notices == second.notices


def test_of_equals_the_first_is_kept():
    twice = [Candidate("itemwise"), Candidate("itemwise")]
    assert find(trial(twice)).figures["chosen"] == "itemwise"
    aa_twice = [Candidate("aa", {"minimal": True}, ("minimal",)), Candidate("aa")]
    assert find(trial(aa_twice)).notices[0].startswith("auto took aa (minimal = True)")


def test_a_sample_ranks_and_only_the_best_is_run_on_everything():
    found = find(trial(sample=lambda data, *_: data))
    assert list(found.figures["tried"]) == [found.figures["chosen"]]
    assert found.notices[0].startswith(
        f"auto tried on {EACH.data.row_count} records: NCP {found.figures['chosen']}"
    )


def test_who_fails_is_left_behind():
    who_knows_absence = [KmAnonymity(3, 1, negative=True)]
    found = trial([Candidate("itemwise"), Candidate("aa")]).find(
        EACH.data, who_knows_absence, np.random.default_rng(0), Silent()
    )
    assert list(found.figures["tried"]) == ["aa"]


def test_what_cannot_be_kept_is_said():
    with pytest.raises(Infeasible):
        trial().find(EACH.data, [KmAnonymity(500, 2)], np.random.default_rng(0), Silent())


def test_a_wish_to_stop_is_heeded():
    progress = Silent()
    progress.cancel()
    with pytest.raises(Cancelled):
        find(trial(), progress)


def test_candidates_end_with_the_budget():
    started = time.monotonic()
    found = find(trial(seconds=1e-9))
    assert time.monotonic() - started < 60
    assert KM[0].verify(released(EACH, found)).holds


def test_a_table_gets_the_best_clusters():
    rng = np.random.default_rng(1)
    values = [f"v{number}" for number in range(6)]
    rows = [tuple(rng.choice(values, size=3)) for _ in range(200)]
    data = local_data(
        rows, {name: Quasi() for name in "abc"}, trees={name: flat_tree(values) for name in "abc"}
    )
    found = automatic([KAnonymity(4)], {}, Limits(), data).find(
        data, [KAnonymity(4)], np.random.default_rng(0), Silent()
    )
    assert min(found.figures["tried"].values()) == found.figures["tried"][found.figures["chosen"]]
    assert np.bincount(found.clusters.cluster_of_row).min() >= 4


def test_getting_ready_changes_no_decision():
    ready = Trial(CANDIDATES, "ncp", 60.0, no_sample, compiles_first=True)
    assert find(ready).figures == find(trial()).figures


def test_of_a_table_with_sets_values_and_items_count_alike():
    rng = random.Random(2)
    items = tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    rows = [
        (rng.choice("xyz"), {item for item in items.leaf_labels if rng.random() < 0.5}) for _ in range(60)
    ]
    roles = {"c": Quasi(), "basket": QuasiSet(separator=" ")}
    data = local_data(rows, roles, trees={"c": flat_tree("xyz"), "basket": items})
    models = [KKmAnonymity(3, 2)]
    found = automatic(models, {}, Limits(), data).find(data, models, np.random.default_rng(0), Silent())
    losses = measure(data, found, 3)
    expected = losses["ncp"] + max(losses["ul"], losses["item_ncp"])
    assert found.figures["tried"][found.figures["chosen"]] == pytest.approx(expected)
    assert "NCP + loss in items" in found.notices[0]


def test_a_candidate_that_never_asks_is_not_waited_for(monkeypatch):
    over = threading.Event()

    class Deaf(ALGORITHMS["aa"]):
        def find(self, data, models, rng, progress):
            over.wait(60)
            return super().find(data, models, rng, progress)

    monkeypatch.setitem(ALGORITHMS._loaded, "aa", Deaf)
    started = time.monotonic()
    found = find(trial([Candidate("aa"), Candidate("itemwise")], seconds=2.0))
    over.set()
    assert found.figures["chosen"] == "itemwise"
    assert "aa failed (it did not end in time)" in found.notices[0]
    assert time.monotonic() - started < 50


def test_a_trial_of_candidates_that_never_ask_ends_at_the_limit(monkeypatch):
    over = threading.Event()

    class Deaf(ALGORITHMS["aa"]):
        def find(self, *_):
            over.wait(60)

    monkeypatch.setitem(ALGORITHMS._loaded, "aa", Deaf)
    with pytest.raises(LimitReached, match="in time"):
        find(trial([Candidate("aa")], seconds=0.2), Silent(0.3))
    over.set()


def test_what_a_failed_candidate_worked_on_is_not_kept(monkeypatch):
    works, alive = [], []

    class Work:
        pass

    class Failing(ALGORITHMS["aa"]):
        def find(self, *_):
            work = Work()
            works.append(weakref.ref(work))
            try:
                raise KeyError(work)
            except KeyError:
                raise LimitReached("too late") from None

    class Next(ALGORITHMS["itemwise"]):
        def find(self, data, models, rng, progress):
            alive.extend(work() is not None for work in works)
            return super().find(data, models, rng, progress)

    monkeypatch.setitem(ALGORITHMS._loaded, "aa", Failing)
    monkeypatch.setitem(ALGORITHMS._loaded, "itemwise", Next)
    one_by_one = Trial([Candidate("aa"), Candidate("itemwise")], "ncp", 60.0, no_sample, at_once=1)
    assert "aa failed (too late)" in find(one_by_one).notices[0]
    assert alive == [False]


def test_the_time_of_a_candidate_begins_with_it(monkeypatch):
    """Whoever shares out its time to parts would have spent it on the first of them before it began."""
    looks = []

    class Slow(ALGORITHMS["aa"]):
        def find(self, data, models, rng, progress):
            time.sleep(1.0)
            return super().find(data, models, rng, progress)

    class Next(ALGORITHMS["itemwise"]):
        def find(self, data, models, rng, progress):
            looks.extend(progress.expired(share) for share in (0.1, 1.0))
            return super().find(data, models, rng, progress)

    monkeypatch.setitem(ALGORITHMS._loaded, "aa", Slow)
    monkeypatch.setitem(ALGORITHMS._loaded, "itemwise", Next)
    find(Trial([Candidate("aa"), Candidate("itemwise")], "ncp", 6.0, no_sample, at_once=1))
    assert looks == [False, False]
