"""What complete k-anonymity of sets costs: loss, time and memory of Partition, LGR and their relatives.

    python bench/topdown.py [--quick] [--only peers|reading|webview1|webview2|fruithut|knowledge]
                            [--keep]

Every release is checked by the verifier; the exit code is 1 if a promise is broken or a target is missed. The
full run takes about half an hour, a third of it HgHs; `--quick` a few minutes.

peers       Partition and LGR at k = 5 on WebView-1, WebView-2 and FruitHut with fan-out 5, beside what a
            public Python program for Partition needed for the same. Targets: partition loses no more than it,
            as far as the two decimals that it prints tell, lgr less; both are at least 10 times as fast.
reading     LGR on WebView-2 with k = 3 beside reading and encoding the file. Target: at most 30 times that.
webview1,   k = 3, 5, 10, 25 and 30 with trees by digits and by fan-out 5, with lgr-literal (which keeps only
webview2,   m = 1), HgHs (m = 2, the best cut found within 10 s) and AA (m = 2 and 3) for comparison: Figures
fruithut    8 and 9 of the LGR paper as plots in bench/results.
knowledge   Partition and LGR, which protect against whoever knows all items, beside VPA and AA, which protect
            against m items: FruitHut by m at k = 5 and by k at m = 3, Figure 23 of the k^m paper.

Each measurement has a process of its own, starts from encoded arrays, and is compiled beforehand. Times are
the best of several runs in the first two parts, and of one run in the others. Memory is the peak of the whole
process while it searches, program and data included. NCP is in percent.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from plotly.subplots import make_subplots

import shoal as sh
from measuring.cells import RESULTS, forget_peak_memory, peak_memory_mb
from measuring.kept_tables import show_table
from measuring.pages import COLOURS
from measuring.reports import Report, each_in_its_own_process, run_parts
from measuring.tables import DATA
from shoal.algorithms.catalogue import make_algorithm
from shoal.engine.local import LocalData
from shoal.errors import Infeasible
from shoal.metrics.catalogue import measure as measure_loss
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding

NAMES = {"bms_webview1": "WebView-1", "bms_webview2": "WebView-2", "fruithut": "FruitHut"}
REAL = tuple(NAMES)
TREES = {"fan-out 5": sh.fanout(5), "digits": sh.digits()}
TREES_IN_NAMES = {"fan-out 5": "fanout", "digits": "digits"}
KS = (3, 5, 10, 25, 30)

# NCP in percent and seconds of a public Python program for Partition, k = 5, fan-out 5.
PUBLIC_PARTITION = {"bms_webview1": (4.13, 5.0), "bms_webview2": (5.65, 11.0), "fruithut": (3.36, 30.0)}
TIMES_AS_FAST = 10
TIMES_THE_READING = 30
HGHS_SECONDS = 10.0
LARGEST_M = 5


@dataclass(frozen=True)
class Case:
    """One measurement: an algorithm on some data; m is None where whole sets are compared."""

    data: str
    algorithm: str
    k: int = 5
    m: int | None = None
    tree: str = "fan-out 5"
    repeats: int = 3
    time_limit: float | None = None

    @property
    def model(self) -> Any:
        return sh.SetKAnonymity(self.k) if self.m is None else sh.KmAnonymity(self.k, self.m)


@dataclass(frozen=True)
class Measured:
    """What came of a case; `reading` is how long reading and encoding the file took."""

    case: Case
    ncp: float
    seconds: float
    peak_mb: float
    reading: float
    outcome: str

    @property
    def holds(self) -> bool:
        return self.outcome != "broken"


def load(case: Case) -> tuple[LocalData, float]:
    role = sh.QuasiSet(hierarchy=TREES[case.tree])
    taken = []
    for _ in range(case.repeats):
        started = time.perf_counter()
        data = sh.read(DATA / f"{case.data}.txt.gz", {"items": role}).local
        taken.append(time.perf_counter() - started)
    return data, min(taken)


def measure(case: Case) -> Measured:
    """Search, check, and time; runs in a process of its own."""
    data, reading = load(case)
    algorithm = make_algorithm(case.algorithm, {"most_cuts": 10**9} if case.algorithm == "hghs" else {})
    few = replace(data, table=data.table.take(np.arange(2000)))
    for k in (2, case.k):  # compiles
        search(make_algorithm(case.algorithm, {}), few, replace(case, k=k), time_limit=1.0)
    forget_peak_memory()
    seconds, recoding = math.inf, None
    for _ in range(case.repeats):
        started = time.perf_counter()
        recoding = search(algorithm, data, case, time_limit=case.time_limit)
        seconds = min(seconds, time.perf_counter() - started)
    peak = peak_memory_mb()
    if recoding is None:
        return Measured(case, math.nan, seconds, peak, reading, "refused: cannot be met")
    applied = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=case.k)
    holds = case.model.verify(LocalData(applied.table, data.roles)).holds
    stopped = any("time was up" in notice for notice in recoding.notices)
    outcome = "broken" if not holds else "stopped by its limit" if stopped else ""
    ncp = 100 * measure_loss(data, recoding, case.k)["ncp"]
    return Measured(case, ncp, seconds, peak, reading, outcome)


def search(algorithm: Any, data: LocalData, case: Case, *, time_limit: float | None) -> Any:
    try:
        return algorithm.find(data, [case.model], np.random.default_rng(0), Silent(time_limit))
    except Infeasible:
        return None


def beside_peers(report: Report, *, quick: bool) -> None:  # noqa: ARG001 - it is quick
    report.title("Beside a public Python program for Partition, k = 5, fan-out 5")
    more, slow = [], []
    rows: dict[str, list[str]] = {}
    for found in each_in_its_own_process(
        measure, [Case(data, name) for data in REAL for name in ("partition", "lgr")]
    ):
        name, data = report.check(found).case.algorithm, found.case.data
        ncp, seconds = PUBLIC_PARTITION[data]
        times = seconds / found.seconds
        row = rows.setdefault(data, [NAMES[data], f"{ncp:.2f} %, {seconds:.0f} s"])
        row.append(f"{found.ncp:.5f} %, {found.seconds:.2f} s ({times:.0f} times as fast)")
        as_known = round(found.ncp, 2)
        more += [f"{name} on {data}"] if as_known > ncp or (name == "lgr" and as_known == ncp) else []
        slow += [f"{name} on {data}"] if times < TIMES_AS_FAST else []
    show_table("partition-peers", ["file", "public program", "`partition`", "`lgr`"], rows.values())
    report.expect(f"partition loses no more, lgr less, except: {', '.join(more) or 'nowhere'}", met=not more)
    report.expect(
        f"both are {TIMES_AS_FAST} times as fast, except: {', '.join(slow) or 'nowhere'}", met=not slow
    )


def beside_reading(report: Report, *, quick: bool) -> None:  # noqa: ARG001 - it is quick
    report.title("LGR on WebView-2 with k = 3 beside reading and encoding the file")
    rows = []
    for found in each_in_its_own_process(
        measure, [Case("bms_webview2", "lgr", k=3, tree=tree) for tree in TREES]
    ):
        times = report.check(found).seconds / found.reading
        rows.append([found.case.tree, f"{found.seconds:.2f}", f"{found.reading:.2f}", f"{times:.1f}"])
        report.expect(
            f"with a tree by {found.case.tree} lgr takes {times:.1f} times the reading (at most"
            f" {TIMES_THE_READING})",
            met=times <= TIMES_THE_READING,
        )
    show_table("lgr-beside-reading", ["tree", "seconds", "of reading", "times"], rows)


def trend_cases(data: str, tree: str, *, quick: bool) -> list[Case]:
    algorithms = [("partition", None), ("lgr", None), ("lgr-literal", 1), ("aa", 2), ("aa", 3), ("hghs", 2)]
    return [
        Case(data, name, k, m, tree, repeats=1, time_limit=HGHS_SECONDS if name == "hghs" else None)
        for name, m in algorithms
        for k in ((3, 30) if quick else KS)
        if not (quick and name == "hghs")
    ]


def trends(report: Report, *, data: str, quick: bool) -> None:
    for tree in TREES:
        points = reported(report, f"{data}, tree by {tree}", trend_cases(data, tree, quick=quick))
        kept_as = f"{data.removeprefix('bms_')}-{TREES_IN_NAMES[tree]}"
        ks = sorted({found.case.k for found in points})
        show_table(kept_as, ["algorithm", *map(str, ks), "seconds", "peak MB"], lines_by_k(points, ks))
        panels = {
            "seconds": Panel("k", "seconds", log=True),
            "NCP in percent": Panel("k", "ncp", log=True),
            "NCP in percent, whole sets alike": Panel("k", "ncp", only=("partition", "lgr")),
            "peak MB": Panel("k", "peak_mb"),
        }
        plot(f"topdown_{data}_{tree.replace(' ', '_')}", f"{data}, tree by {tree}", points, panels)


def lines_by_k(points: Sequence[Measured], ks: Sequence[int]) -> Iterator[list[str]]:
    """NCP by k, the range of seconds and the highest memory of each algorithm."""
    for (name, m), line in grouped(points, lambda case: (case.algorithm, case.m)).items():
        ncp = {found.case.k: found.ncp for found in line}
        ends = [f"{end(found.seconds for found in line):.1f}" for end in (min, max)]
        named = f"`{name}`" if m is None or name == "lgr-literal" else f"`{name}`, m = {m}"
        seconds, peak = "-".join(dict.fromkeys(ends)), max(found.peak_mb for found in line)
        yield [named, *(in_hundredths(ncp.get(k, math.nan)) for k in ks), seconds, f"{peak:.0f}"]


def grouped(points: Sequence[Measured], by: Callable[[Case], Any]) -> dict[Any, list[Measured]]:
    groups: dict[Any, list[Measured]] = {}
    for found in points:
        groups.setdefault(by(found.case), []).append(found)
    return groups


def in_hundredths(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def knowledge(report: Report, *, quick: bool) -> None:
    """Whole sets alike do not depend on m, so their lines over m are level."""
    ms = range(1, 4 if quick else LARGEST_M + 1)
    whole = [Case("fruithut", name, k, repeats=1) for name in ("partition", "lgr") for k in KS]
    up_to_m = [
        Case("fruithut", name, k, m, repeats=1)
        for name in ("aa", "vpa")
        for k, m in [*((5, m) for m in ms), *((k, 3) for k in KS if k != 5)]
    ]
    points = reported(report, "FruitHut by what a reader may know", [*whole, *up_to_m])
    show_knowledge(points, [*ms])
    level = [replace(found, case=replace(found.case, m=m)) for found in points[: len(whole)] for m in ms]
    every = [*level, *points[len(whole) :]]
    panels = {"k = 5": Panel("m", "ncp", fixed=("k", 5)), "m = 3": Panel("k", "ncp", fixed=("m", 3))}
    plot("topdown_knowledge", "FruitHut, fan-out 5: NCP in percent", every, panels)


def show_knowledge(points: Sequence[Measured], ms: Sequence[int]) -> None:
    """By m with k = 5, and by k with m = 3; whoever knows the whole set has a column of its own."""
    by_m: dict[str, dict[int | None, str]] = {}
    by_k: dict[str, dict[int, str]] = {}
    for found in points:
        case, ncp = found.case, in_hundredths(found.ncp)
        if case.k == 5:
            by_m.setdefault(f"`{case.algorithm}`, k = 5", {})[case.m] = ncp
        if case.m in (3, None):
            known = "whole set" if case.m is None else "m = 3"
            by_k.setdefault(f"`{case.algorithm}`, {known}", {})[case.k] = ncp
    known_items = [*ms, None]
    heads = ["", *(f"m = {m}" for m in ms), "whole set"]
    rows = [[name, *(line.get(m, "") for m in known_items)] for name, line in by_m.items()]
    show_table("knowledge-by-m", heads, rows)
    rows = [[name, *(line.get(k, "") for k in KS)] for name, line in by_k.items()]
    show_table("knowledge-by-k", ["", *(f"k = {k}" for k in KS)], rows)


def reported(report: Report, title: str, cases: Sequence[Case]) -> list[Measured]:
    report.title(title)
    report.row("algorithm", "m", "k", "NCP %", "seconds", "peak MB", "")
    points = []
    for found in each_in_its_own_process(measure, cases):
        case = report.check(found).case
        points.append(found)
        peak, m = round(found.peak_mb), "all" if case.m is None else case.m
        report.row(case.algorithm, m, case.k, found.ncp, found.seconds, peak, found.outcome)
    return points


@dataclass(frozen=True)
class Panel:
    """Which figure is drawn over what; `fixed` and `only` say of which cases."""

    over: str
    figure: str
    log: bool = False
    fixed: tuple[str, int] | None = None
    only: tuple[str, ...] = ()

    def shows(self, case: Case) -> bool:
        is_fixed = self.fixed is None or getattr(case, self.fixed[0]) == self.fixed[1]
        return is_fixed and (not self.only or case.algorithm in self.only)

    def line(self, case: Case) -> str:
        """What the points of a case are called: m is named unless it is what varies."""
        return case.algorithm if case.m is None or self.fixed else f"{case.algorithm}, m = {case.m}"


def plot(file: str, title: str, points: Sequence[Measured], panels: dict[str, Panel]) -> None:
    """A panel per figure, a line per algorithm."""
    figure = make_subplots(1, len(panels), subplot_titles=list(panels))
    lines: dict[str, str] = {}
    for column, panel in enumerate(panels.values(), start=1):
        shown = [found for found in points if panel.shows(found.case)]
        for line in dict.fromkeys(panel.line(found.case) for found in shown):
            of_line = sorted(
                (getattr(found.case, panel.over), getattr(found, panel.figure))
                for found in shown
                if panel.line(found.case) == line
            )
            figure.add_scatter(
                x=[over for over, _ in of_line],
                y=[value for _, value in of_line],
                name=line,
                legendgroup=line,
                showlegend=line not in lines,
                marker_color=lines.setdefault(line, COLOURS[len(lines)]),
                row=1,
                col=column,
            )
        figure.update_xaxes(title_text=panel.over, row=1, col=column)
        figure.update_yaxes(type="log" if panel.log else "linear", row=1, col=column)
    figure.update_layout(template="simple_white", title=title)
    RESULTS.mkdir(exist_ok=True)
    figure.write_html(RESULTS / f"{file}.html", include_plotlyjs=True)
    print(f"plotted in bench/results/{file}.html")


PARTS = {
    "peers": beside_peers,
    "reading": beside_reading,
    **{name.removeprefix("bms_"): partial(trends, data=name) for name in REAL},
    "knowledge": knowledge,
}

if __name__ == "__main__":
    sys.exit(run_parts("Loss, time and memory of complete k-anonymity of sets.", PARTS))
