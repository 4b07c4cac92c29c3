import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering import clustering_algorithm
from shoal.algorithms.relational.clustering.records import MEASURES, Records
from shoal.algorithms.relational.full_domain import lattice_search
from shoal.algorithms.relational.full_domain.algorithm import FullDomain
from shoal.algorithms.relational.hilbert.algorithm import Hilbert
from shoal.algorithms.relational.kanon_cf import algorithm, closed_records, cover
from shoal.algorithms.relational.kanon_cf.algorithm import KAnonCF
from shoal.engine.local import LocalData
from shoal.errors import Cancelled, Infeasible, LimitReached
from shoal.metrics.relational import table_cost
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.roles import Quasi, Sensitive
from tests.algorithms.relational.kanon_cf.test_closed_records import CLOTHING, SOLD, mined, wide_data
from tests.algorithms.relational.tables import tables
from tests.builders import flat_tree, local_data, tree
from tests.examples import examples
from tests.reference import clusterings as reference


def find(data, *models, progress=None, **options):
    return KAnonCF(**options).find(data, models, np.random.default_rng(0), progress or Silent())


def class_sizes(recoding):
    return sorted(np.bincount(recoding.clusters.cluster_of_row).tolist())


@examples(60)
@given(
    drawn=tables(least_rows=2, most_rows=8, with_subjects=False),
    k=st.integers(2, 4),
    measure=st.sampled_from(MEASURES),
    local_search=st.booleans(),
)
def test_loss_is_within_the_proven_factor_of_the_best(drawn, k, measure, local_search):
    """For every measure, where it is monotone on the trees, as all but entropy always are."""
    assume(len(drawn.rows) >= k)
    data = drawn.on_trees.data
    records = Records.of(data, measure)
    assert records.monotone or measure == "entropy"
    assume(records.monotone)
    recoding = find(data, KAnonymity(k), measure=measure, local_search=local_search)
    rows = [tuple(row) for row in records.nodes[records.record_of_row].tolist()]
    best = reference.least_cost(records.trees.parent.tolist(), records.trees.cost.tolist(), rows, k)
    found = recoding.figures["cost"] * len(rows)
    factor = recoding.figures["times_best_at_most"]
    assert factor == pytest.approx(2 * (1 + math.log(2 * k)))
    assert best - 1e-9 <= found <= factor * best + 1e-9
    assert recoding.figures["lower_bound"] * len(rows) <= best + 1e-9
    assert found <= recoding.figures["cost_before_local_search"] * len(rows) + 1e-9


@examples(60)
@given(
    drawn=tables(least_rows=2, with_subjects=False), k=st.integers(2, 4), measure=st.sampled_from(MEASURES)
)
def test_as_printed_there_is_the_cover_of_the_paper_and_nothing_else(drawn, k, measure):
    """Of which `test_cover` knows that its sets and clusters are those of Algorithms 4 and 2."""
    assume(len(drawn.rows) >= k)
    data = drawn.on_trees.data
    records = Records.of(data, measure)
    recoding = find(data, KAnonymity(k), measure=measure, as_printed=True)
    if data.quasi:
        printed = cover.greedy_cover(records, mined(records, k), k, Silent()).clustering(records)
        assert recoding.figures["cost"] == pytest.approx(printed.cost(records))
        expected = printed.unite_alike(records).generalized(records)
        np.testing.assert_array_equal(recoding.clusters.cluster_of_row, expected.cluster_of_row)
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1)
    assert KAnonymity(k).verify(LocalData(released.table, data.roles)).holds


def test_as_printed_clusters_are_united_for_diversity_alone(monkeypatch):
    def ours(*_):
        raise AssertionError("an addition of ours")

    for addition in ("cheapest_levels", "runs_along_the_curve"):
        monkeypatch.setattr(algorithm, addition, ours)
    monkeypatch.setattr(clustering_algorithm, "improved", ours)
    models = KAnonymity(3), LDiversity(2)
    rows = [*[("a", "flu")] * 3, *[("b", "cold")] * 3, *[("c", "flu"), ("c", "cold")] * 2]
    recoding = find(local_data(rows, DIVERSE, trees={"x": flat_tree("abc")}), *models, as_printed=True)
    assert class_sizes(recoding) == [4, 6]
    assert "clusters of k rows were united" in recoding.notices[-1]


@examples(40)
@given(
    drawn=tables(least_rows=2), k=st.integers(2, 4), diverse=st.booleans(), measure=st.sampled_from(MEASURES)
)
def test_loss_is_never_above_that_of_the_best_levels(drawn, k, diverse, measure):
    data = drawn.on_trees.data
    models = [KAnonymity(k), *([LDiversity(1.5)] if diverse else [])]
    try:
        levels = FullDomain(measure=measure).find(data, models, np.random.default_rng(0), Silent())
    except Infeasible:
        assume(False)
    recoding = find(data, *models, measure=measure, local_search=False)
    assert table_cost(data, recoding.clusters, measure) <= table_cost(data, levels.clusters, measure) + 1e-9


def test_levels_tile_where_a_greedy_cover_does_not(monkeypatch):
    """All combinations of values, as in Nursery: many closed records cost the same, and few of them fit."""
    trees = {
        "x": flat_tree("abc"),
        "y": tree({"*": {"ab": ["a", "b"], "cd": ["c", "d"]}}),
        "z": tree({"*": {"ab": ["a", "b"], "cde": ["c", "d", "e"]}}),
    }
    rows = list(product("abc", "abcd", "abcde"))
    data = local_data(rows, dict.fromkeys(trees, Quasi()), trees=trees)
    with_levels = find(data, KAnonymity(7), local_search=False)
    monkeypatch.setattr(lattice_search, "_MOST_CHOICES_OF_A_START", 0)
    without = find(data, KAnonymity(7), local_search=False)
    assert with_levels.figures["cost"] == pytest.approx(4 / 9)
    assert without.figures["cost"] == pytest.approx(7 / 15)


@examples(30)
@given(drawn=tables(least_rows=4), k=st.integers(2, 6))
def test_more_starts_for_diversity_never_cost_more(drawn, k):
    models = [KAnonymity(k), LDiversity(1.5)]
    try:
        few = find(drawn.on_trees.data, *models, local_search=False)
    except Infeasible:
        assume(False)
    more = find(drawn.on_trees.data, *models)
    assert more.figures["cost_before_local_search"] <= few.figures["cost_before_local_search"] + 1e-9


def test_finer_covers_are_united_where_coarse_ones_are_not_diverse(monkeypatch):
    letters = tree(
        {"*": {"abcd": {"ab": ["a", "b"], "cd": ["c", "d"]}, "efgh": {"ef": ["e", "f"], "gh": ["g", "h"]}}}
    )
    rng = np.random.default_rng(4)
    values, illnesses = rng.choice(list("abcdefgh"), (90, 3)).tolist(), rng.choice(list("st"), 90).tolist()
    rows = [(*row, illness) for row, illness in zip(values, illnesses, strict=True)]
    roles = {"x": Quasi(), "y": Quasi(), "z": Quasi(), "illness": Sensitive()}
    data = local_data(rows, roles, trees=dict.fromkeys("xyz", letters))
    models = KAnonymity(12), LDiversity(1.9)
    with_finer = find(data, *models)
    monkeypatch.setattr(KAnonCF, "_finer_covers", lambda *_: [])
    without = find(data, *models)
    assert with_finer.figures["cost_before_local_search"] == pytest.approx(0.7185, abs=1e-4)
    assert without.figures["cost_before_local_search"] == 1


@pytest.fixture
def sold():
    return local_data([(label,) for label in SOLD], {"item": Quasi()}, trees={"item": CLOTHING})


def test_example_of_the_paper_is_published_narrowly(sold):
    recoding = find(sold, KAnonymity(3), measure="lm")
    published = [
        CLOTHING.labels[node]
        for node in recoding.clusters.nodes["item"][recoding.clusters.cluster_of_row].tolist()
    ]
    assert published == [*["shoes"] * 3, *["footwear"] * 3, *["outdoors"] * 4]


def test_bound_is_stated_with_its_figure(sold):
    recoding = find(sold, KAnonymity(3))
    assert recoding.figures["times_best_at_most"] == pytest.approx(2 * (1 + math.log(6)))
    assert any("lm is at most 5.58 times the least possible" in notice for notice in recoding.notices)
    assert recoding.figures["closed_records"] == 5
    assert recoding.figures["mined_all"]


def test_no_bound_for_a_measure_that_is_not_monotone():
    """Most records are a, so `*` tells more of a value than cd does."""
    nested = {"*": {"ab": ["a", "b"], "cd": ["c", "d"]}}
    data = local_data([(label,) for label in "a" * 20 + "cd"], {"x": Quasi()}, trees={"x": tree(nested)})
    recoding = find(data, KAnonymity(2), measure="entropy")
    assert recoding.figures["times_best_at_most"] is None
    assert any("no factor" in notice and "entropy" in notice for notice in recoding.notices)


DIVERSE = {"x": Quasi(), "illness": Sensitive()}


def test_no_bound_after_clusters_were_united_for_diversity():
    rows = [*[("a", "flu")] * 3, *[("b", "cold")] * 3]
    data = local_data(rows, DIVERSE, trees={"x": flat_tree("ab")})
    recoding = find(data, KAnonymity(3), LDiversity(2))
    assert class_sizes(recoding) == [6]
    assert recoding.figures["times_best_at_most"] is None
    assert any("no factor" in notice and "united" in notice for notice in recoding.notices)


def test_bound_stays_when_clusters_are_diverse_as_they_are():
    rows = [("a", "flu"), ("a", "cold"), ("b", "flu"), ("b", "cold")]
    data = local_data(rows, DIVERSE, trees={"x": flat_tree("ab")})
    recoding = find(data, KAnonymity(2), LDiversity(2))
    assert class_sizes(recoding) == [2, 2]
    assert recoding.figures["times_best_at_most"] is not None


def test_no_bound_when_k_rows_were_not_k_people():
    rows = [*[("a", "flu")] * 2, *[("b", "cold")] * 2]
    data = local_data(rows, DIVERSE, trees={"x": flat_tree("ab")}, subjects=[1, 1, 2, 3])
    recoding = find(data, KAnonymity(2))
    assert class_sizes(recoding) == [4]
    assert recoding.figures["times_best_at_most"] is None


@pytest.fixture
def slow(monkeypatch):
    """Data whose mining takes more than one slice."""
    monkeypatch.setattr(closed_records, "_LOOKS_PER_SLICE", 100)
    return wide_data(5)


def test_without_time_no_bound_is_stated(slow):
    recoding = find(slow, KAnonymity(4), progress=Silent(time_limit=-1.0))
    assert class_sizes(recoding)[0] >= 4
    assert not recoding.figures["mined_all"]
    assert recoding.figures["times_best_at_most"] is None
    assert any("a limit stopped the mining" in notice for notice in recoding.notices)


class UpForMining(Silent):
    """Time that is up for mining, of which that is a share, and for nothing else."""

    def expired(self, share=1.0):
        return share < 1.0


def test_a_stopped_mining_leaves_its_time_to_a_fast_rival(slow):
    recoding = find(slow, KAnonymity(4), progress=UpForMining(), local_search=False)
    rival = Hilbert(measure="lm").find(slow, [KAnonymity(4)], np.random.default_rng(0), Silent())
    assert not recoding.figures["mined_all"]
    assert recoding.figures["cost"] <= rival.figures["cost"] < 1


def test_as_printed_a_stopped_mining_is_covered_with(slow):
    recoding = find(slow, KAnonymity(4), progress=UpForMining(), as_printed=True)
    assert class_sizes(recoding)[0] >= 4
    assert not recoding.figures["mined_all"]


class UpAfterMining(Silent):
    """Time that suffices for mining, of which it is a share, and for no more."""

    def expired(self, share=1.0):
        return share > algorithm._SHARE_OF_MINING


def test_a_cover_that_time_cut_is_replaced_by_a_fast_rival(monkeypatch):
    monkeypatch.setattr(cover, "_LOOKS_PER_SLICE", 10)
    recoding = find(wide_data(5), KAnonymity(4), progress=UpAfterMining())
    assert class_sizes(recoding)[0] >= 4
    assert recoding.figures["mined_all"]
    assert recoding.figures["times_best_at_most"] is None
    assert any("time was up before the rows were covered" in notice for notice in recoding.notices)


def test_as_printed_no_rival_stands_in_for_a_cover_that_time_cut(monkeypatch):
    monkeypatch.setattr(cover, "_LOOKS_PER_SLICE", 10)
    with pytest.raises(LimitReached, match=r"no other way; [0-9,]+ closed generalized records.*columns"):
        find(wide_data(5), KAnonymity(4), as_printed=True, progress=UpAfterMining())


class StopsAfter(Silent):
    """A run with a time limit that stops the work."""

    def __init__(self, updates, error):
        super().__init__()
        self.updates, self.error = updates, error
        self.notes = []

    def update(self, done, total=None, note=""):  # noqa: ARG002 - only notes are looked at
        self.notes.append(note)
        if len(self.notes) > self.updates:
            raise self.error


def test_limit_of_time_says_what_to_reduce(slow):
    progress = StopsAfter(2, LimitReached("the time_limit of 1 s was reached"))
    with pytest.raises(
        LimitReached, match=r"time_limit of 1 s.* [0-9,]+ closed generalized records.*columns.*hierarchies.*k"
    ):
        find(slow, KAnonymity(4), progress=progress)
    assert progress.notes[1].endswith("closed records")


def test_wish_to_stop_is_passed_on_as_it_is(slow):
    with pytest.raises(Cancelled, match=r"^The work was cancelled$"):
        find(slow, KAnonymity(4), progress=StopsAfter(2, Cancelled("The work was cancelled")))


def test_limit_of_memory_says_what_to_reduce(slow):
    with pytest.raises(LimitReached, match=r"memory_limit.*columns.*hierarchies.*k"):
        find(slow, KAnonymity(4), memory_limit=1e6)


def test_limit_of_memory_may_be_met_with_a_release(slow):
    recoding = find(slow, KAnonymity(4), memory_limit=1e6, on_limit="best")
    assert class_sizes(recoding)[0] >= 4
    assert not recoding.figures["mined_all"]
    assert recoding.figures["times_best_at_most"] is None


def test_enough_memory_changes_nothing(slow):
    limited, free = (find(slow, KAnonymity(4), memory_limit=limit) for limit in (2e9, 0.0))
    np.testing.assert_array_equal(limited.clusters.cluster_of_row, free.clusters.cluster_of_row)
    assert limited.figures["mined_all"]


def test_without_columns_all_records_are_alike():
    data = local_data([("flu",)] * 5, {"illness": Sensitive()})
    assert find(data, KAnonymity(3)).clusters.cluster_of_row.tolist() == [0] * 5
