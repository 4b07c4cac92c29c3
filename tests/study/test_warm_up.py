import sys

import pytest

from shoal.algorithms.catalogue import ALGORITHMS
from shoal.progress import Silent
from shoal.study import warm_up
from shoal.study.warm_up import WarmUpTask, run_one, tasks


def test_every_algorithm_is_run_under_every_promise_that_it_serves_alone():
    run = tasks()
    assert {task.algorithm for task in run} == set(ALGORITHMS)
    assert len(set(run)) == len(run)


@pytest.mark.parametrize(
    "task", [WarmUpTask("mondrian", "l-diversity"), WarmUpTask("hilbert", "k-anonymity", trees=False)]
)
def test_a_run_ends_whatever_comes_of_it(task):
    run_one(task)


def test_what_is_not_installed_needs_no_code(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp", None)
    run_one(WarmUpTask("diffpart", "differential-privacy"))


@pytest.mark.slow
def test_processes_share_the_work(monkeypatch):
    monkeypatch.setattr(
        warm_up, "tasks", lambda: [WarmUpTask("mondrian", "k-anonymity"), WarmUpTask("aa", "km-anonymity")]
    )
    assert warm_up.warm_up(Silent(), processes=2) == 2
