"""AA on Spark against AA in memory: time per counted itemset, memory of the driver, the same cut.

Quest baskets of 10 items out of 1,000, a tree of fan-out 5, k = 5. A cluster of one master and two workers is
started on loopback, with an executor of one core per core asked for; the search in memory uses one thread.
`--baskets` has the folder in which the data are kept for the next call.

    python bench/spark.py --transactions 1000000 2000000 4000000 8000000 [--m 2] [--cores 2] [--exchanges 0]
                          [--keep]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.spark.cluster import running_cluster, session_on

import shoal as sh
from measuring.kept_tables import offer_to_keep, printed_table
from shoal.algorithms.sets.aa import AA
from shoal.engine.memory import peak_memory_mb
from shoal.table.columns import Table
from shoal.table.quest import quest
from shoal.table.writing import write_table

ROLES = {"items": sh.QuasiSet(hierarchy=sh.fanout(5))}
PARTS_PER_CORE = 2
COLUMNS = (
    "baskets",
    "Spark s",
    "search s",
    "jobs",
    "counted",
    "ns each",
    "driver MB",
    "its JVM MB",
    "in memory s",
    "search s",
    "MB",
    "same cut",
)


def baskets(folder: Path, transactions: int) -> Path:
    path = folder / f"{transactions}.parquet"
    if not path.exists():
        sets = quest(transactions, 1_000, patterns=2_000, seed=1)
        write_table(Table.of({"items": sets}), path)
    return path


def on_spark(path: Path, given: argparse.Namespace) -> dict[str, Any]:
    """A driver of its own, so that its memory is that of this run alone."""
    settings = {
        "spark.executor.memory": "1g",
        "spark.cores.max": str(given.cores),
        "spark.default.parallelism": str(PARTS_PER_CORE * given.cores),
        "spark.sql.shuffle.partitions": str(PARTS_PER_CORE * given.cores),
        "spark.driver.extraJavaOptions": "",
        "spark.executor.extraJavaOptions": "",
    }
    with tempfile.TemporaryDirectory() as folder, running_cluster(Path(folder)) as cluster:
        session = session_on(cluster.url, **settings)
        frame = session.read.parquet(str(path)).repartition(PARTS_PER_CORE * given.cores)
        started = time.perf_counter()
        data = sh.read(frame, ROLES)
        result = sh.anonymize(data, sh.KmAnonymity(5, given.m), algorithm="aa", exchanges=given.exchanges)
        seconds = time.perf_counter() - started
        figures = result.outcome.provenance.figures
        memory_of_jvm = peak_memory_of(session.sparkContext._gateway.proc.pid)
        session.stop()
    return {
        "seconds": seconds,
        "search": result.outcome.provenance.seconds["algorithm"],
        "counted": figures["occurrences_counted"],
        "jobs": figures["spark_jobs"],
        "driver_mb": peak_memory_mb(),
        "jvm_mb": memory_of_jvm,
        "cut": result.recoding.cuts.node_of_leaf[0].tolist() if result.recoding else [],
    }


def peak_memory_of(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM"))


def in_memory(path: Path, given: argparse.Namespace) -> dict[str, Any]:
    started = time.perf_counter()
    data = sh.read(path, ROLES)
    result = sh.anonymize(data, sh.KmAnonymity(5, given.m), algorithm="aa", exchanges=given.exchanges)
    return {
        "seconds": time.perf_counter() - started,
        "search": result.outcome.provenance.seconds["algorithm"],
        "memory": peak_memory_mb(),
        "cut": result.recoding.cuts.node_of_leaf[0].tolist(),
    }


WAYS = {"spark": on_spark, "memory": in_memory}


def in_a_process(way: str, path: Path, given: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, __file__, "--way", way, "--path", str(path), "--m", str(given.m)]
    command += ["--exchanges", str(given.exchanges), "--cores", str(given.cores)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def row(transactions: int, spark: dict[str, Any], memory: dict[str, Any]) -> list[object]:
    return [
        f"{transactions:,}",
        f"{spark['seconds']:.1f}",
        f"{spark['search']:.1f}",
        spark["jobs"],
        f"{spark['counted'] / 1e6:.0f} million",
        f"{1e9 * spark['search'] / spark['counted']:.0f}",
        f"{spark['driver_mb']:.0f}",
        f"{spark['jvm_mb']:.0f}",
        f"{memory['seconds']:.1f}",
        f"{memory['search']:.1f}",
        f"{memory['memory']:.0f}",
        "yes" if spark["cut"] == memory["cut"] else "NO",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    sizes = [1_000_000, 2_000_000, 4_000_000, 8_000_000]
    parser.add_argument("--transactions", type=int, nargs="*", default=sizes)
    parser.add_argument("--m", type=int, default=2)
    parser.add_argument("--cores", type=int, choices=[1, 2], default=2)
    parser.add_argument("--exchanges", type=int, default=AA().exchanges)
    parser.add_argument("--baskets", type=Path)
    parser.add_argument("--way", choices=WAYS)
    parser.add_argument("--path", type=Path)
    offer_to_keep(parser)
    given = parser.parse_args()
    if given.way:
        print(json.dumps(WAYS[given.way](given.path, given)))
        return
    with tempfile.TemporaryDirectory() as name, printed_table("spark-counts", COLUMNS) as add_row:
        for transactions in given.transactions:
            path = baskets(given.baskets or Path(name), transactions)
            spark, memory = (in_a_process(way, path, given) for way in WAYS)
            add_row(*row(transactions, spark, memory))


if __name__ == "__main__":
    main()
