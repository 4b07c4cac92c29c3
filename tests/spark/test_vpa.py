"""Groups of items are searched in tasks as on one machine."""

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.search import Limits
from shoal.algorithms.sets.cut_search.task import ItemTask
from shoal.algorithms.sets.vpa import VPA, Subtrees, search_group
from shoal.progress import Silent
from shoal.spark.blocks import RunClock
from shoal.spark.encoded_sets import chunks_of
from shoal.spark.itemsets import SpreadSets
from shoal.spark.violations import SpreadTransactions
from shoal.spark.vpa import search_groups
from tests.spark.parts import dealt


@pytest.fixture
def task():
    rng = np.random.default_rng(1)
    shares = rng.random(14) * 0.4
    sets = [[f"i{item:02}" for item in np.flatnonzero(rng.random(14) < shares)] for _ in range(200)]
    table = pa.table({"items": pa.array(sets, pa.list_(pa.string()))})
    data = sh.read(table, {"items": sh.QuasiSet(hierarchy=sh.fanout(2))}).local
    return ItemTask.of(data, [sh.KmAnonymity(4, 2)])


def spread(task, rows_per_task):
    sets = task.violations.transactions.sets
    chunks = dealt(list(chunks_of(sets, 40)), 3)
    tree = task.violations.transactions.tree
    transactions = SpreadTransactions.of(tree, SpreadSets(chunks, tree.leaf_count).totals(tree.arrays.parent))
    within = RunClock.starting_now(Limits())
    constraint = task.violations.constraint
    return search_groups(VPA(), chunks, transactions, constraint, most_rows=rows_per_task, within=within)


def test_groups_are_searched_as_on_one_machine(task):
    found, how = spread(task, 1_000)
    groups = Subtrees.of(task.violations.transactions, VPA().level).parts(3)
    expected = [search_group(task.violations, group, Silent()) for group in groups]
    cuts = [np.maximum.reduce([group.node_of_leaf for group in each]) for each in (found, expected)]
    assert cuts[0].tolist() == cuts[1].tolist()
    assert sum(group.tally.mended for group in found) == sum(group.tally.mended for group in expected) > 0
    assert "on one machine with parts = 3" in how


def test_a_group_that_no_task_may_hold_is_left_to_the_search_of_all_items(task):
    found, how = spread(task, 1)
    assert all((group.node_of_leaf == np.arange(14)).all() for group in found)
    assert "too large for a task" in how


def test_smaller_tasks_have_more_groups(task):
    _, how = spread(task, 20)
    assert "parts = 3" not in how
