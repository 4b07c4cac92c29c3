"""AA asks Spark what it asks on one machine, and ends in the same cut."""

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.cut_search import violations as of_one_machine
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.task import CutTask, ItemTask, fitting
from shoal.errors import LimitReached
from shoal.progress import Silent
from shoal.spark import itemsets, violations
from shoal.spark.encoded_sets import chunks_of
from shoal.spark.itemsets import SpreadSets
from shoal.spark.violations import SpreadTransactions, SpreadViolations
from tests.spark.parts import dealt


def random_data(seed, rows=(30, 200), items=(4, 30), densest=0.6, fanouts=(2, 5)):
    rng = np.random.default_rng(seed)
    row_count, item_count = int(rng.integers(*rows)), int(rng.integers(*items))
    shares = rng.random(item_count) ** 2 * densest
    sets = [[str(item) for item in np.flatnonzero(rng.random(item_count) < shares)] for _ in range(row_count)]
    sets.append([str(item) for item in range(item_count)])
    table = pa.table({"items": pa.array(sets, type=pa.list_(pa.string()))})
    hierarchy = sh.fanout(int(rng.integers(*fanouts)))
    return sh.read(table, {"items": sh.QuasiSet(hierarchy=hierarchy)}), rng


def spread_task(data, models, parts=3, most_items=100):
    transactions = ItemTask.of(data.local, models).violations.transactions
    tree = transactions.tree
    sets = SpreadSets(dealt(chunks_of(transactions.sets, most_items), parts), tree.leaf_count)
    spread = SpreadTransactions.of(tree, sets.totals(tree.arrays.parent))
    constraint, notices = fitting(ItemConstraint.of(models), tree, spread.longest)
    return CutTask("items", 0, SpreadViolations(spread, sets, constraint), notices)


@pytest.mark.parametrize("seed", range(25))
def test_aa_finds_the_same_cut_for_the_same_reasons(seed):
    data, rng = random_data(seed)
    models = [sh.KmAnonymity(int(rng.integers(2, 8)), int(rng.integers(1, 4)))]
    algorithm = AA(minimal=bool(seed % 5), exchanges=seed % 4)
    here = algorithm.find(data.local, models, rng, Silent())
    there = algorithm.search(spread_task(data, models), Silent())
    assert there.cuts.node_of_leaf.tolist() == here.cuts.node_of_leaf.tolist()
    assert {reason.node for reason in there.cuts.reasons} == {reason.node for reason in here.cuts.reasons}
    assert (there.figures["ncp"], there.figures["itemsets_resolved"]) == (
        here.figures["ncp"],
        here.figures["itemsets_resolved"],
    )
    assert there.notices == here.notices


def test_what_blocked_an_expansion_at_an_earlier_cut_is_forgotten():
    """With these data an exchange moves the cut up past an obstacle that was foreseen before it."""
    data, rng = random_data(43, rows=(100, 400), items=(20, 60), densest=0.4, fanouts=(2, 4))
    models = [sh.KmAnonymity(int(rng.integers(3, 9)), 2)]
    here = AA().find(data.local, models, rng, Silent())
    there = AA().search(spread_task(data, models), Silent())
    assert there.cuts.node_of_leaf.tolist() == here.cuts.node_of_leaf.tolist()


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_short_lists_and_small_jobs_lead_to_the_same_cut(seed, monkeypatch):
    data, rng = random_data(seed)
    models = [sh.KmAnonymity(4, 3)]
    here = AA().find(data.local, models, rng, Silent())
    monkeypatch.setattr(violations, "SETS_PER_LIST", 3)
    monkeypatch.setattr(violations, "_SETS_FORESEEN", 1)
    monkeypatch.setattr(violations, "_IMAGES_KEPT", 2)
    monkeypatch.setattr(violations, "_NODES_FORESEEN", 1)
    monkeypatch.setattr(itemsets, "OCCURRENCES_PER_JOB", 50)
    there = AA().search(spread_task(data, models), Silent())
    assert there.cuts.node_of_leaf.tolist() == here.cuts.node_of_leaf.tolist()


def test_huge_transactions_are_refused_as_on_one_machine(monkeypatch):
    monkeypatch.setattr(of_one_machine, "MOST_SUBSETS", 20)
    data, _ = random_data(1)
    with pytest.raises(LimitReached, match=r"10\^\d subsets of 2 items.*leave out the longest transactions"):
        AA().search(spread_task(data, [sh.KmAnonymity(3, 2)]), Silent())


def test_sets_that_no_key_can_number_are_refused(monkeypatch):
    monkeypatch.setattr(violations, "LARGEST_KEY", 100)
    data, _ = random_data(1)
    with pytest.raises(LimitReached, match="cannot be numbered for Spark: ask for a smaller m"):
        AA().search(spread_task(data, [sh.KmAnonymity(3, 3)]), Silent())
