"""Algorithms by blocks on Spark against the same on one machine: what the blocks cost in loss and time.

Real data, the cluster of the tests on loopback with two executors of one core, and blocks small enough that
there are several.

    SHOAL_DATA=... python bench/spark_blocks.py [--only mondrian lra ...] [--rows-per-block 10000]
                                           [--keep]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.spark.cluster import running_cluster, session_on

import shoal as sh
from measuring.kept_tables import offer_to_keep, printed_table
from shoal.table.roles import Role
from shoal.table.writing import write_table

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
CLICKS = {"items": sh.QuasiSet(hierarchy=sh.fanout(10))}
FARS = {
    **{
        name: sh.Quasi(hierarchy=sh.fanout(5)) for name in ("iage", "irace", "isex", "ihispanic", "istatenum")
    },
    **{name: sh.Insensitive(confirm=True) for name in ("ideathmon", "ideathday", "iinjury")},
}
INFORMS = {
    **{name: sh.Quasi(hierarchy=sh.fanout(5)) for name in ("DOBMM", "DOBYY", "SEX", "RACEX", "EDUCYEAR")},
    **{name: sh.Insensitive(confirm=True) for name in ("marry", "income", "poverty")},
    "ICD9": sh.QuasiSet(hierarchy=sh.fanout(5)),
}


@dataclass(frozen=True)
class Case:
    """Data, a promise, and what is measured."""

    file: str
    roles: Mapping[str, Role]
    promise: Any
    loss: str
    options: Mapping[str, Any]


CASES = {
    "mondrian": Case("fars.csv.gz", FARS, sh.KAnonymity(5), "ncp", {}),
    "kanon-cf": Case("fars.csv.gz", FARS, sh.KAnonymity(5), "ncp", {"block": 20_000, "measure": "ncp"}),
    "hilbert": Case("fars.csv.gz", FARS, sh.KAnonymity(5), "ncp", {"block": 5_000}),
    "itemwise": Case("bms_webview2.txt.gz", CLICKS, sh.KmAnonymity(5, 2), "ncp", {}),
    "hghs": Case("bms_webview2.txt.gz", CLICKS, sh.KmAnonymity(5, 2), "ncp", {}),
    "classwise": Case("informs2005_rt.csv.gz", INFORMS, sh.KKmAnonymity(5, 2), "ul", {}),
    "lra": Case("bms_webview2.txt.gz", CLICKS, sh.KmAnonymity(5, 2), "ncp", {}),
    "vpa": Case("bms_webview2.txt.gz", CLICKS, sh.KmAnonymity(5, 2), "ncp", {}),
    "partition": Case("bms_webview2.txt.gz", CLICKS, sh.SetKAnonymity(5), "ncp", {}),
    "lgr": Case("bms_webview2.txt.gz", CLICKS, sh.SetKAnonymity(5), "ncp", {}),
    "disassociation": Case(
        "bms_webview2.txt.gz", {"items": sh.QuasiSet()}, sh.Disassociation(5, 2), "tlost", {}
    ),
    "rmerge-rt": Case("informs2005_rt.csv.gz", INFORMS, sh.KKmAnonymity(5, 2), "ul", {"delta": 0.65}),
}
HEADS = ("algorithm", "rows", "blocks", "Spark s", "loss", "in memory s", "loss there")


def measured(name: str, case: Case, spark: Any, folder: Path) -> list[str]:
    """A row of the table."""
    source = DATA / case.file
    started = time.perf_counter()
    data = sh.read(source, case.roles)
    here = sh.anonymize(data, case.promise, algorithm=name, seed=1, **case.options)
    in_memory = time.perf_counter() - started
    path = folder / f"{name}.parquet"
    write_table(data.original, path)
    started = time.perf_counter()
    frame = spark.read.parquet(str(path)).repartition(4)
    there = sh.anonymize(sh.read(frame, case.roles), case.promise, algorithm=name, seed=1, **case.options)
    on_spark = time.perf_counter() - started
    there.frame.unpersist()
    blocks = there.outcome.provenance.figures.get("blocks", "-")
    cells = [name, f"{data.row_count:,}", str(blocks), f"{on_spark:.1f}", f"{there.loss[case.loss]:.4f}"]
    return [*cells, f"{in_memory:.1f}", f"{here.loss[case.loss]:.4f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--rows-per-block", type=int, default=20_000)
    offer_to_keep(parser)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_cluster(Path(folder) / "spark") as cluster,
        printed_table("spark-blocks", HEADS) as add_row,
    ):
        spark = session_on(cluster.url)
        spark.conf.set("spark.shoal.rowsPerBlock", str(given.rows_per_block))
        for name in given.only:
            add_row(*measured(name, CASES[name], spark, Path(folder)))
        spark.stop()


if __name__ == "__main__":
    main()
