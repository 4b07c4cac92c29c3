"""How fast disassociation is: k = 5, m = 2, one thread, unless said otherwise.

    python bench/disassociation.py [--quick] [--only records|terms|real] [--keep]

records     Quest baskets of 10 items on average out of 5,000 (Figure 10a of Terrovitis, Liagouris, Mamoulis
            and Skiadopoulos 2012). Targets: 200,000 records per second from sets to file, and from 250,000
            to 4,000,000 records a time per record that varies by 1.3 at most. The exit code is 1 if one is
            missed.
terms       1,000,000 such baskets over 2,000 to 10,000 items (Figure 10b).
real        WebView-1, WebView-2 and FruitHut with k = 2 to 25 (Figures 9a and 9b), and beside it as in the
            paper: no records settle, and terms are ranked before every pass of REFINE.

From encoded sets to the written file: the three steps of the search, the random order, the JSON lines. Beside
it what `shoal verify` takes for that file: reading it, and checking all rules. Each size has a process of its
own and is compiled beforehand; times are those of the processor, so that other work on the machine does not
count. Charts are in bench/results.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from plotly.subplots import make_subplots

import shoal as sh
from measuring.cells import RESULTS
from measuring.kept_tables import offer_to_keep, printed_table, show_table
from measuring.pages import COLOURS
from measuring.tables import DATA
from shoal.algorithms.sets.disassociation.algorithm import Disassociate
from shoal.engine.local import LocalData
from shoal.progress import Silent
from shoal.recoding.chunk_recoding import randoms_of_the_system, shuffled
from shoal.recoding.disassociated_file import read_clusters, write_clusters
from shoal.table.columns import Table
from shoal.table.quest import quest

SIZES = (250_000, 500_000, 1_000_000, 2_000_000, 4_000_000)
DOMAINS = (2_000, 4_000, 6_000, 8_000, 10_000)
ITEMS, LENGTH = 5_000, 10
NAMES = {"bms_webview1": "WebView-1", "bms_webview2": "WebView-2", "fruithut": "FruitHut"}
REAL = tuple(NAMES)
KS = (2, 5, 10, 15, 20, 25)
K, M = 5, 2
AS_IN_THE_PAPER = {"settle": False, "term_order": "renewed"}
RECORDS_PER_SECOND = 200_000
LARGEST_SPREAD = 1.3
REPEATS = 2
STEPS = (
    "preparing",
    "HORPART",
    "VERPART and REFINE",
    "random order",
    "writing",
    "reading",
    "checking",
)
AFTER_WRITING = {"reading", "checking"}
STAGES = ("bringing similar records together", "taking clusters apart")


class Watch(Silent):
    """Progress that notes when each stage begins."""

    def __init__(self) -> None:
        super().__init__()
        self.began: dict[str, float] = {}

    def stage(self, name: str) -> None:
        self.began[name] = time.process_time()


def baskets(records: int, terms: int) -> LocalData:
    sets = quest(records, terms, LENGTH, seed=1)
    return LocalData(Table.of({"items": sets}), {"items": sh.QuasiSet()})


def fastest(data: LocalData, k: int = K, **options: Any) -> dict[str, float]:
    """Seconds of each step, in their order; the fastest of several runs."""
    runs = [measured(data, k, options) for _ in range(REPEATS)]
    return min(runs, key=to_file)


def to_file(steps: Mapping[str, float]) -> float:
    return sum(seconds for name, seconds in steps.items() if name not in AFTER_WRITING)


def measured(data: LocalData, k: int, options: Mapping[str, Any]) -> dict[str, float]:
    """Seconds of each step of one run."""
    watch, model = Watch(), sh.Disassociation(k, M)
    marks = [time.process_time()]
    recoding = Disassociate(threads=1, **options).find(data, [model], np.random.default_rng(0), watch)
    marks += [*(watch.began[stage] for stage in STAGES), time.process_time()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "published.jsonl"
        release = shuffled(recoding.clusters, randoms_of_the_system)
        marks.append(time.process_time())
        write_clusters(release, path)
        marks.append(time.process_time())
        published = read_clusters(path)
        marks.append(time.process_time())
        verdict = model.verify(published)
        marks.append(time.process_time())
    if not verdict.holds:
        raise SystemExit(f"the promise is broken: {verdict.evidence}")
    return dict(zip(STEPS, np.diff(marks).tolist(), strict=True))


def in_process(records: int, terms: int) -> tuple[dict[str, float], float]:
    """The same in a process that has compiled, and the most memory it took in MB."""
    fastest(baskets(2_000, terms))
    steps = fastest(baskets(records, terms))
    return steps, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def apart(records: int, terms: int) -> tuple[dict[str, float], float]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(in_process, records, terms).result()


def by_records(*, quick: bool) -> bool:
    seconds = {}
    names = ["records", "records/s", "us per record", *(f"{step}, s" for step in STEPS), "peak MB"]
    with printed_table("disassociation-records", names) as add_row:
        for records in SIZES[:2] if quick else SIZES:
            steps, peak = apart(records, ITEMS)
            seconds[records] = to_file(steps)
            rate = records / seconds[records]
            add_row(
                f"{records:,}", f"{rate:,.0f}", f"{1e6 / rate:.1f}", *in_hundredths(steps), f"{peak:,.0f}"
            )
    chart(
        "disassociation_time_records", "Quest data by records (Figure 10a)", {"seconds": seconds}, "records"
    )
    rates = [records / taken for records, taken in seconds.items()]
    spread = max(rates) / min(rates)
    print(f"time per record varies by {spread:.2f} (target {LARGEST_SPREAD})")
    print(f"slowest: {min(rates):,.0f} records per second (target {RECORDS_PER_SECOND:,})")
    return spread <= LARGEST_SPREAD and min(rates) >= RECORDS_PER_SECOND


def by_terms(*, quick: bool) -> bool:
    records = 100_000 if quick else 1_000_000
    seconds = {}
    names = ["records", "terms", "to file, s", *(f"{step}, s" for step in STEPS)]
    with printed_table("disassociation-terms", names) as add_row:
        for terms in DOMAINS[::2] if quick else DOMAINS:
            steps, _ = apart(records, terms)
            seconds[terms] = to_file(steps)
            add_row(f"{records:,}", f"{terms:,}", f"{seconds[terms]:.2f}", *in_hundredths(steps))
    chart("disassociation_time_terms", "Quest data by terms (Figure 10b)", {"seconds": seconds}, "terms")
    return True


def on_real_sets(*, quick: bool) -> bool:
    lines: dict[str, dict[int, float]] = {}
    ks = KS[:2] if quick else KS
    for name in REAL:
        data = sh.read(DATA / f"{name}.txt.gz", {"items": sh.QuasiSet()}).local
        for words, options in (("", {}), (", as in the paper", AS_IN_THE_PAPER)):
            measured(data, K, options)
            lines[NAMES[name] + words] = {k: to_file(fastest(data, k, **options)) for k in ks}
    table = [[name, *(f"{taken:.2f}" for taken in line.values())] for name, line in lines.items()]
    show_table("disassociation-real-seconds", ["", *(f"k = {k}" for k in ks)], table)
    chart("disassociation_time_real", "Real sets by k (Figures 9a and 9b)", lines, "k")
    return True


def in_hundredths(steps: Mapping[str, float]) -> list[str]:
    return [f"{seconds:.2f}" for seconds in steps.values()]


def chart(name: str, title: str, lines: Mapping[str, Mapping[int, float]], x: str) -> None:
    RESULTS.mkdir(exist_ok=True)
    figure = make_subplots()
    for place, (words, values) in enumerate(lines.items()):
        figure.add_scatter(
            x=list(values),
            y=list(values.values()),
            name=words,
            mode="lines+markers",
            line={"color": COLOURS[place % len(COLOURS)]},
        )
    figure.update_layout(template="simple_white", title=title, showlegend=True)
    figure.update_xaxes(title=x)
    figure.update_yaxes(title="seconds of one processor", rangemode="tozero")
    figure.write_html(RESULTS / f"{name}.html", include_plotlyjs=True)


PARTS = {"records": by_records, "terms": by_terms, "real": on_real_sets}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer values and smaller data")
    parser.add_argument("--only", choices=PARTS, help="one part only")
    offer_to_keep(parser)
    asked = parser.parse_args(words)
    met = [part(quick=asked.quick) for name, part in PARTS.items() if asked.only in (None, name)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
