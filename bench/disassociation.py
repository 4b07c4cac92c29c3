"""How fast disassociation is: Quest baskets of 10 items on average, 5,000 items, k = 5, m = 2, one thread.

    python bench/disassociation.py [--quick]

From encoded sets to the written file: the three steps of the search, the random order, the JSON lines. Beside
it what `shoal verify` takes for that file: reading it, and checking all rules. Each size has a process of its
own and is compiled beforehand; times are those of the processor, so that other work on the machine does not
count. Targets: 200,000 records per second from sets to file, and from 250,000 to 4,000,000 records a time per
record that varies by 1.3 at most. The exit code is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import shoal as sh
from shoal.algorithms.sets.disassociation import Disassociate
from shoal.engine.local import LocalData
from shoal.progress import Silent
from shoal.recoding.pieces import randoms_of_the_system, shuffled
from shoal.recoding.publication import read_publication, write_publication
from shoal.table.columns import Table
from shoal.table.quest import quest

SIZES = (250_000, 500_000, 1_000_000, 2_000_000, 4_000_000)
ITEMS, LENGTH = 5_000, 10
MODEL = sh.Disassociation(k=5, m=2)
RECORDS_PER_SECOND = 200_000
LARGEST_SPREAD = 1.3
REPEATS = 2
STEPS = (
    "preparing",
    "HORPART",
    "VERPART",
    "REFINE",
    "random order",
    "writing",
    "reading",
    "checking",
)
STAGES = ("bringing similar records together", "dividing the terms of clusters", "joining clusters")


class Watch(Silent):
    """Progress that notes when each stage begins."""

    def __init__(self) -> None:
        super().__init__()
        self.began: dict[str, float] = {}

    def stage(self, name: str) -> None:
        self.began[name] = time.process_time()


def seconds_of(records: int) -> dict[str, float]:
    """Seconds of each step on so many baskets, in their order; the fastest of several runs."""
    sets = quest(records, ITEMS, LENGTH, seed=1)
    data = LocalData(Table.of({"items": sets}), {"items": sh.QuasiSet()})
    return min((measured(data) for _ in range(REPEATS)), key=lambda steps: sum(steps.values()))


def measured(data: LocalData) -> dict[str, float]:
    """Seconds of each step of one run."""
    watch = Watch()
    marks = [time.process_time()]
    pieces = Disassociate(threads=1).find(data, [MODEL], np.random.default_rng(0), watch)
    marks += [*(watch.began[stage] for stage in STAGES), time.process_time()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "published.jsonl"
        release = shuffled(pieces.clusters, randoms_of_the_system)
        marks.append(time.process_time())
        write_publication(release, path)
        marks.append(time.process_time())
        published = read_publication(path)
        marks.append(time.process_time())
        verdict = MODEL.verify(published)
        marks.append(time.process_time())
    if not verdict.holds:
        raise SystemExit(f"the promise is broken: {verdict.evidence}")
    return dict(zip(STEPS, np.diff(marks).tolist(), strict=True))


def in_process(records: int) -> tuple[dict[str, float], float]:
    """The same in a process that has compiled, and the most memory it took in MB."""
    seconds_of(2_000)
    return seconds_of(records), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="up to 500,000 records")
    sizes = SIZES[:2] if parser.parse_args().quick else SIZES
    print(f"{'records':>10}  {'records/s':>10}  {'us/record':>9}  {'peak MB':>8}  seconds of each step")
    rates = []
    for records in sizes:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            steps, peak = pool.submit(in_process, records).result()
        to_file = sum(seconds for name, seconds in steps.items() if name not in {"reading", "checking"})
        rates.append(records / to_file)
        listed = ", ".join(f"{name} {seconds:.2f}" for name, seconds in steps.items())
        print(
            f"{records:>10,}  {rates[-1]:>10,.0f}  {1e6 / rates[-1]:>9.2f}  {peak:>8,.0f}  {listed}",
            flush=True,
        )
    spread = max(rates) / min(rates)
    print(f"time per record varies by {spread:.2f} (target {LARGEST_SPREAD})")
    print(f"slowest: {min(rates):,.0f} records per second (target {RECORDS_PER_SECOND:,})")
    return int(spread > LARGEST_SPREAD or min(rates) < RECORDS_PER_SECOND)


if __name__ == "__main__":
    sys.exit(main())
