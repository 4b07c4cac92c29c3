"""What a second thread is worth: searches and verification of a million records with one thread and with two.

    python bench/threads.py [--records 1000000] [--times 3] [--only aa,mondrian]

Seconds are of the clock, so nothing else should run. One thread and two take turns, and the best of each
counts. "Alone" is the share of processor time in which the main thread computed while others could not, which
other programs do not change; "could be" is how much faster that lets two threads be on two idle cores.
"search" is the algorithm alone; "verify" reads a published file and checks it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import shoal as sh
from measuring.kept_tables import offer_to_keep, printed_table
from measuring.tables import beginning, load
from shoal.algorithms.catalogue import make_algorithm
from shoal.engine.local import LocalData
from shoal.privacy.model import Model
from shoal.progress import Silent
from shoal.table.columns import Table
from shoal.table.quest import quest
from shoal.table.roles import Role
from shoal.table.writing import write_table
from shoal.threads import at_most

ITEMS, PATTERNS = 1_000, 2_000
OPTIONS = {"kanon-cf": {"block": 20_000}, "agglomerative": {"block": 2_000}}
OF_SETS: dict[str, Model] = {
    "aa": sh.KmAnonymity(5, 2),
    "vpa": sh.KmAnonymity(5, 2),
    "disassociation": sh.Disassociation(5, 2),
}
OF_TABLES = ("mondrian", "hilbert")
VERIFIED = {"sets": sh.KmAnonymity(5, 2), "table": sh.KAnonymity(2)}


def read_baskets(records: int, folder: Path) -> tuple[LocalData, dict[str, Role], Path]:
    roles: dict[str, Role] = {"items": sh.QuasiSet(hierarchy=sh.fanout(10))}
    file = folder / f"{records}.txt"
    write_table(Table.of({"items": quest(records, ITEMS, patterns=PATTERNS, seed=1)}), file)
    return sh.read(file, roles).local, roles, file


def searching(data: LocalData, algorithm: str, model: Model) -> Callable[[], object]:
    chosen = make_algorithm(algorithm, OPTIONS.get(algorithm, {}))
    return lambda: chosen.find(data, [model], np.random.default_rng(1), Silent())


@dataclass
class Best:
    """Seconds with one thread and with two, and the least share of the main thread with two."""

    one: float = float("inf")
    two: float = float("inf")
    alone: float = 1.0


def best_of(work: Callable[[], object], times: int) -> Best:
    best = Best()
    for _ in range(times):
        began = time.perf_counter()
        with at_most(1):
            work()
        best.one = min(best.one, time.perf_counter() - began)
        began, computed, in_main = time.perf_counter(), time.process_time(), time.thread_time()
        with at_most(2):
            work()
        best.two = min(best.two, time.perf_counter() - began)
        alone = (time.thread_time() - in_main) / (time.process_time() - computed)
        best.alone = min(best.alone, alone)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", default=",".join((*OF_SETS, *OF_TABLES, "verify")))
    offer_to_keep(parser)
    given = parser.parse_args()
    names = ["what", "one thread, s", "two, s", "times as fast", "alone, %", "could be times as fast"]
    with printed_table("threads", names) as add_row:
        measure_all(given, add_row)


def measure_all(given: argparse.Namespace, add_row: Callable[..., None]) -> None:
    only = given.only.split(",")

    def show(what: str, few: Callable[[], object], work: Callable[[], object]) -> None:
        few()  # compiles
        best = best_of(work, given.times)
        seconds = f"{best.one:.2f}", f"{best.two:.2f}", f"{best.one / best.two:.2f}"
        add_row(what, *seconds, f"{100 * best.alone:.0f}", f"{2 / (1 + best.alone):.2f}")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, roles, small_file = read_baskets(30_000, folder)
        baskets, _, file = read_baskets(given.records, folder)
        for algorithm, model in OF_SETS.items():
            if algorithm in only:
                show(
                    f"{algorithm}, search",
                    searching(small, algorithm, model),
                    searching(baskets, algorithm, model),
                )
        if "verify" in only:
            promise = VERIFIED["sets"]
            show(
                "verify sets",
                lambda: sh.verify(small_file, roles, promise),
                lambda: sh.verify(file, roles, promise),
            )
        table = load("adult", given.records, mixed=True)
        for algorithm in OF_TABLES:
            if algorithm in only:
                model = sh.KAnonymity(10)
                few = beginning(table, 30_000)
                show(
                    f"{algorithm}, search",
                    searching(few, algorithm, model),
                    searching(table, algorithm, model),
                )


if __name__ == "__main__":
    main()
