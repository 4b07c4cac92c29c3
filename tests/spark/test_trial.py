"""What is tried before a search on Spark, where the trial itself needs no cluster."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.auto.trial import Candidate, Trial
from shoal.algorithms.search import Limits, Search
from shoal.errors import Infeasible, LimitReached
from shoal.privacy.promise import Promise
from shoal.progress import Silent
from shoal.spark import search as spark_search
from shoal.spark.blocks import RunClock
from shoal.spark.data import SparkFound
from shoal.spark.sample import every_so_many
from tests.spark.releases import ITEMS, baskets


@pytest.mark.parametrize("rows_per_batch", [1, 7, 1_000])
@pytest.mark.parametrize("step", [1.0, 2.5, 40.0])
def test_every_so_many_rows_are_drawn_however_they_are_batched(step, rows_per_batch):
    table = pa.table({"row": range(500)})
    drawn = pa.Table.from_batches(every_so_many(step, 3, table.to_batches(max_chunksize=rows_per_batch)))
    rows = np.array(drawn["row"].to_pylist())
    assert len(rows) in (int(500 / step), int(500 / step) + 1)
    assert set(np.diff(rows)) <= {int(step), int(np.ceil(step))}
    again = pa.Table.from_batches(every_so_many(step, 3, table.to_batches()))
    assert again["row"].to_pylist() == rows.tolist()


NO_LIMITS = Limits()


def ranked(monkeypatch, failing, limits=NO_LIMITS):
    """What is run on all rows after a trial of itemwise and lra, of which some fail there."""
    promise, ran = Promise((sh.KmAnonymity(4, 2),)), []
    sample = sh.read(baskets(), ITEMS).local
    monkeypatch.setattr(spark_search, "sample_of_sets", lambda *_: sample)

    def run(engine, algorithm, progress, divided=None):
        ran.append((algorithm.name, engine.clock.limits))
        if algorithm.name in failing:
            raise failing[algorithm.name]
        return SparkFound(None, {"ncp": 0.1}, ("as found",), {"blocks": 2})

    monkeypatch.setattr(spark_search._OnBlocks, "search", run)
    data = SimpleNamespace(quasi=(), row_count=12_345)
    engine = spark_search._OnBlocks(
        data, promise, Search(limits=limits), seed=1, clock=RunClock.starting_now(limits)
    )
    trial = Trial([Candidate("lra"), Candidate("itemwise")], "ncp", 30.0, None)
    return engine.best_of(trial, Silent()), ran


def test_what_loses_least_on_the_sample_is_run_on_all_rows(monkeypatch):
    found, ran = ranked(monkeypatch, {})
    assert [name for name, _ in ran] == ["itemwise"]
    assert found.figures["chosen"] == "itemwise"
    assert list(found.figures["tried"]) == ["itemwise", "lra"]
    assert found.figures["blocks"] == 2
    choice, other = found.notices
    assert choice.startswith("auto took itemwise, tried on 400 of 12,345 records: NCP itemwise ")
    assert ", lra " in choice
    assert other == "as found"


def test_who_fails_on_all_rows_is_left_behind(monkeypatch):
    found, ran = ranked(monkeypatch, {"itemwise": Infeasible("too few")})
    assert [name for name, _ in ran] == ["itemwise", "lra"]
    assert found.figures["chosen"] == "lra"
    assert found.notices[0].endswith("; itemwise failed on all (too few)")


def test_when_all_fail_the_first_says_why(monkeypatch):
    with pytest.raises(Infeasible, match="too few"):
        ranked(monkeypatch, {"itemwise": Infeasible("too few"), "lra": Infeasible("other")})


def test_a_limit_ends_everything(monkeypatch):
    with pytest.raises(LimitReached):
        ranked(monkeypatch, {"itemwise": LimitReached("time")})


def test_with_a_time_limit_tasks_go_on_with_what_they_found_in_time(monkeypatch):
    _, ((_, limits),) = ranked(monkeypatch, {}, Limits(time=40.0))
    assert limits == Limits(time=30.0, on_limit="best")
    _, ((_, limits),) = ranked(monkeypatch, {})
    assert limits == Limits()
