"""AA on Spark against AA in memory: time per counted itemset, memory of the driver, the same cut.

Quest baskets of 10 items out of 1,000, a tree of fan-out 5, k = 5. A cluster of a master and two workers with
two executors of one core is started on loopback; the search in memory uses one thread.

    python bench/spark.py --transactions 500000 1000000 2000000 [--m 2] [--no-exchanges]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.run.spark.cluster import running_cluster, session_on

import shoal as sh
from shoal.algorithms.sets.aa import AA
from shoal.table.columns import Table
from shoal.table.quest import quest
from shoal.table.writing import write_table

ROLES = {"items": sh.QuasiSet(hierarchy=sh.fanout(5))}


def baskets(folder: Path, transactions: int) -> Path:
    path = folder / f"{transactions}.parquet"
    if not path.exists():
        sets = quest(transactions, 1_000, patterns=2_000, seed=1)
        write_table(Table.of({"items": sets}), path)
    return path


def on_spark(path: Path, m: int, exchanges: int, folder: Path) -> dict[str, Any]:
    """A driver of its own, so that its memory is that of this run alone."""
    with running_cluster(folder / f"cluster-{path.stem}-{m}") as cluster:
        session = session_on(cluster.url, **{"spark.executor.memory": "1g"})
        frame = session.read.parquet(str(path)).repartition(4)
        started = time.perf_counter()
        data = sh.read(frame, ROLES)
        result = sh.anonymize(data, sh.KmAnonymity(5, m), algorithm="aa", exchanges=exchanges)
        seconds = time.perf_counter() - started
        figures = result.outcome.figures
        session.stop()
    return {
        "seconds": seconds,
        "search": result.outcome.seconds["algorithm"],
        "counted": figures["occurrences_counted"],
        "jobs": figures["spark_jobs"],
        "driver_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "cut": result.cuts.node_of_leaf[0].tolist() if result.cuts else [],
    }


def in_memory(path: Path, m: int, exchanges: int) -> dict[str, Any]:
    started = time.perf_counter()
    data = sh.read(path, ROLES)
    result = sh.anonymize(data, sh.KmAnonymity(5, m), algorithm="aa", exchanges=exchanges)
    return {
        "seconds": time.perf_counter() - started,
        "search": result.outcome.seconds["algorithm"],
        "counted": result.outcome.figures["occurrences_counted"],
        "cut": result.recoding.node_of_leaf[0].tolist(),
    }


def in_a_process(way: str, path: Path, m: int, exchanges: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--way", way, "--path", str(path), "--m", str(m)]
    command += ["--exchanges", str(exchanges), "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transactions", type=int, nargs="*", default=[500_000, 1_000_000, 2_000_000])
    parser.add_argument("--m", type=int, default=2)
    parser.add_argument("--exchanges", type=int, default=AA().exchanges)
    parser.add_argument("--way", choices=["spark", "memory"])
    parser.add_argument("--path", type=Path)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.way == "spark":
        print(json.dumps(on_spark(given.path, given.m, given.exchanges, given.folder)))
        return
    if given.way == "memory":
        print(json.dumps(in_memory(given.path, given.m, given.exchanges)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for transactions in given.transactions:
            path = baskets(folder, transactions)
            spark, memory = (
                in_a_process(way, path, given.m, given.exchanges, folder) for way in ("spark", "memory")
            )
            print(
                f"{transactions:>10,}  Spark {spark['seconds']:7.1f} s ({spark['jobs']} jobs, search"
                f" {spark['search']:.1f} s, {spark['counted']:,} counted,"
                f" {1e9 * spark['search'] / spark['counted']:.1f} ns each, driver"
                f" {spark['driver_mb']:.0f} MB)"
                f"  in memory {memory['seconds']:7.1f} s (search {memory['search']:.1f} s)"
                f"  same cut: {spark['cut'] == memory['cut']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
