"""What only a cluster of several processes shows."""

import json
import os
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.progress import Silent
from shoal.run.spark_files import save_spark
from tests.spark import releases
from tests.spark.cluster import SOURCES, settings_for_a_command
from tests.spark.test_release import ITEMS, as_arrow, as_frame, baskets

POLICY = """
[data]
path = "baskets.parquet"
[columns]
items = { role = "quasi", kind = "set", hierarchy = { fanout = 3 } }
[privacy]
model = "km-anonymity"
k = 4
m = 2
[algorithm]
name = "aa"
exchanges = 0
[output]
path = "release.parquet"
"""


class KillsAWorker(Silent):
    """Kills a worker while a job runs, once the search has begun."""

    def __init__(self, cluster, session):
        super().__init__()
        self.killed = threading.Event()
        self._cluster, self._tracker = cluster, session.sparkContext.statusTracker()

    def stage(self, name):
        if name.startswith("searching"):
            threading.Thread(target=self._kill).start()

    def _kill(self):
        while not self._a_task_runs():
            time.sleep(0.01)
        self._cluster.kill_a_worker()
        self.killed.set()

    def _a_task_runs(self):
        stages = map(self._tracker.getStageInfo, self._tracker.getActiveStageIds())
        return any(stage is not None and stage.numActiveTasks for stage in stages)


@pytest.fixture
def whole_cluster_again(cluster):
    yield
    cluster.start_workers(2 - len(cluster.workers))


@pytest.mark.slow
@pytest.mark.usefixtures("whole_cluster_again")
def test_a_killed_worker_changes_nothing(cluster, spark):
    sets, promise = baskets(seed=2), sh.KmAnonymity(k=4, m=2)
    here = sh.anonymize(sh.read(as_arrow(sets), ITEMS), promise, algorithm="aa", exchanges=0)
    data = sh.read(as_frame(spark, sets), ITEMS)
    killer = KillsAWorker(cluster, spark)
    there = sh.anonymize(data, promise, algorithm="aa", exchanges=0, progress=killer)
    assert killer.killed.is_set()
    assert len(cluster.workers) == 1
    assert there.recoding.cuts.node_of_leaf.tolist() == here.recoding.cuts.node_of_leaf.tolist()
    assert there.verdict == here.verdict
    assert there.outcome.cost.published_records == len(sets)
    there.frame.unpersist()


BY_BLOCKS = {
    "mondrian": (releases.people(), releases.PEOPLE, sh.KAnonymity(5)),
    "lra": (releases.baskets(), ITEMS, sh.KmAnonymity(4, 2)),
    "rmerge-rt": (releases.people_with_baskets(), releases.BOTH, sh.KKmAnonymity(4, 2)),
}


@pytest.mark.slow
@pytest.mark.usefixtures("whole_cluster_again")
@pytest.mark.parametrize("algorithm", BY_BLOCKS)
def test_a_worker_killed_while_blocks_are_searched_changes_nothing(cluster, by_blocks, algorithm):
    calm = releases.released(by_blocks, *BY_BLOCKS[algorithm], algorithm)
    killer = KillsAWorker(cluster, by_blocks)
    disturbed = releases.released(by_blocks, *BY_BLOCKS[algorithm], algorithm, progress=killer)
    assert killer.killed.is_set()
    assert len(cluster.workers) == 1
    assert disturbed.loss == pytest.approx(calm.loss)
    published = [releases.contents(releases.collected(result)) for result in (calm, disturbed)]
    assert published[0] == published[1]


@pytest.mark.slow
@pytest.mark.usefixtures("whole_cluster_again")
def test_a_worker_killed_while_records_are_taken_apart_loses_none(cluster, by_blocks):
    promise, roles = sh.Disassociation(k=3, m=2), {"items": sh.QuasiSet()}
    calm = releases.released(by_blocks, releases.baskets(), roles, promise, "disassociation")
    killer = KillsAWorker(cluster, by_blocks)
    disturbed = releases.released(
        by_blocks, releases.baskets(), roles, promise, "disassociation", progress=killer
    )
    assert killer.killed.is_set()
    assert disturbed.verdict.holds
    assert disturbed.outcome.cost.published_records == calm.outcome.cost.published_records
    assert disturbed.loss == pytest.approx(calm.loss)
    for result in (calm, disturbed):
        result.frame.unpersist()


@pytest.mark.slow
def test_urls_are_those_of_any_file_system_that_spark_has(spark, tmp_path):
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("fs.viewfs.mounttable.shoal.link./data", tmp_path.as_uri())
    as_frame(spark, baskets()).write.parquet("viewfs://shoal/data/baskets")
    frame = spark.read.parquet("viewfs://shoal/data/baskets")
    result = sh.anonymize(sh.read(frame, ITEMS), sh.KmAnonymity(k=4, m=2), algorithm="aa", exchanges=0)
    url = "viewfs://shoal/data/release"
    save_spark(result, url, published="published.parquet", replace=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["baskets", "release"]
    assert (tmp_path / "release" / "certificate.json").is_file()
    (verdict,) = sh.verify(spark.read.parquet(f"{url}/published.parquet"), ITEMS, sh.KmAnonymity(k=4, m=2))
    assert verdict.holds
    with pytest.raises(sh.ShoalError, match="exists already"):
        save_spark(result, url, published="published.parquet", replace=False)
    result.frame.unpersist()


@pytest.mark.slow
def test_the_command_writes_a_release_that_one_machine_verifies(cluster, tmp_path):
    sets = baskets(seed=3)
    pq.write_table(as_arrow(sets), tmp_path / "baskets.parquet")
    (tmp_path / "policy.toml").write_text(POLICY)
    command = [sys.executable, "-c", "from shoal.cli.main import main; main()", "run", "policy.toml"]
    done = subprocess.run(
        [*command, "--engine", "spark", "--master", cluster.url, "--json"],
        cwd=tmp_path,
        env={**os.environ, **settings_for_a_command(), "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    folder = tmp_path / "policy-out"
    assert sorted(path.name for path in folder.iterdir()) == [
        "certificate.json",
        "codebook.json",
        "internal",
        "release.parquet",
        "result.json",
    ]
    assert not list(tmp_path.glob(".policy-out*"))
    assert facts["verdict"]["holds"]
    certificate = json.loads((folder / "certificate.json").read_text())
    assert certificate["file"]["name"] == "release.parquet"
    released = pa.concat_tables(
        pq.read_table(file) for file in (folder / "release.parquet").glob("*.parquet")
    )
    assert released.num_rows == len(sets)
    (verdict,) = sh.verify(released, ITEMS, sh.KmAnonymity(k=4, m=2))
    assert verdict.holds
    assert verdict.smallest == certificate["verdict"]["smallest"]
