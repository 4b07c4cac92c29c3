"""What k^m-anonymity of sets costs: loss, time and memory of AA, LRA, VPA and, on real sets, Itemwise.

    python bench/km.py [--quick] [--only real|reference|growth|trends] [--keep]

Four parts, one table each. Every release is checked by the verifier; the exit code is 1 if a promise is
broken or a target is missed. The full run takes about 20 minutes, `--quick` a few.

real        WebView-1, WebView-2 and FruitHut (fan-out 5) and Groceries (its own taxonomy), k = 5, m = 2
            and 3, beside what others needed for the same. Targets: AA loses no more than each of them and LRA
            less, as far as the two decimals that are known of them tell; both are 20 times as fast.
reference   AA with k = 5, m = 3 beside a pass that adds one to a table of 2^22 counters for each 3-subset of
            the original sets, on 1,000,000 Quest baskets and on the real sets. Target: at most 6 times the
            pass and 2 GB on the baskets. LRA and VPA in one thread and in two stand beside it.
growth      AA on 250,000 to 4,000,000 Quest baskets up to its minimal cut, without exchanges, which are a
            search of their own whose length depends on the cut. Target: seconds per counted subset vary by
            at most 1.3.
trends      FruitHut with other k, m, heights of the tree, numbers of parts, flexibilities and levels, and all
            real sets side by side, as in Figures 13 to 18 of the paper; plots in bench/results.

Each measurement has a process of its own, starts from encoded arrays, and is compiled beforehand. Times are
the best of several runs. Memory is the peak of the whole process while it searches, program and data
included. NCP is in percent. What the command line publishes is measured by km_published.py.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numba
import numpy as np
from plotly.subplots import make_subplots

import shoal as sh
from measuring.cells import RESULTS, forget_peak_memory, peak_memory_mb
from measuring.kept_tables import printed_table, show_table
from measuring.reports import Report, each_in_its_own_process, run_parts
from measuring.tables import DATA
from shoal.algorithms.catalogue import make_algorithm
from shoal.engine.local import LocalData
from shoal.hierarchy.binding import bind
from shoal.kernels.arrays import SetArrays
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Table
from shoal.table.quest import quest

TAXONOMY = DATA / "hierarchies" / "groceries" / "item.csv"
NAMES = {
    "bms_webview1": "WebView-1",
    "bms_webview2": "WebView-2",
    "fruithut": "FruitHut",
    "groceries": "Groceries",
}
REAL = tuple(NAMES)
Losses = Mapping[tuple[str, int], float]

ALL, ITEMWISE = ("aa", "lra", "vpa"), "itemwise"

K = 5
FANOUT = 5
QUEST_ITEMS, QUEST_LENGTH = 5_000, 10
COUNTERS = 2**22

TIMES_AS_FAST = 20
TIMES_THE_PASS = 6
MOST_MEMORY_MB = 2_000
LARGEST_SPREAD = 1.3
REFERENCE = ("data", "algorithm", "threads", "seconds", "of the pass", "ratio", "NCP %", "peak MB")
GROWTH = ("baskets", "`aa` to its minimal cut", "ns per subset counted", "peak memory", "NCP %", "nodes")

# NCP in percent and seconds on a machine of this kind, fan-out 5, k = 5; None where no loss was reported.
AMNESIA = "Amnesia 1.4, Apriori (Java)"
PYTHON_AA = "a public AA in Python"
PEERS: dict[tuple[str, int], dict[str, tuple[float | None, float]]] = {
    ("bms_webview1", 2): {AMNESIA: (None, 9), PYTHON_AA: (5.82, 21)},
    ("bms_webview1", 3): {AMNESIA: (10.81, 10), PYTHON_AA: (11.07, 18)},
    ("bms_webview2", 2): {AMNESIA: (2.06, 100), PYTHON_AA: (3.39, 115)},
    ("bms_webview2", 3): {AMNESIA: (3.73, 246), PYTHON_AA: (3.58, 160)},
    ("fruithut", 2): {AMNESIA: (2.27, 60), PYTHON_AA: (2.61, 77)},
    ("fruithut", 3): {AMNESIA: (6.23, 81), PYTHON_AA: (49.4, 120)},
}


@dataclass(frozen=True)
class Case:
    """One measurement: an algorithm on some data."""

    data: str
    algorithm: str = "aa"
    k: int = K
    m: int = 3
    fanout: int = FANOUT
    options: tuple[tuple[str, Any], ...] = ()
    repeats: int = 3
    with_pass: bool = False

    def with_options(self, **options: Any) -> Case:
        return replace(self, options=tuple(options.items()))


@dataclass(frozen=True)
class Measured:
    """What came of a case; `pass_seconds` is the time of the reference pass, if that was asked for."""

    case: Case
    ncp: float
    seconds: float
    peak_mb: float
    holds: bool
    pass_seconds: float
    figures: dict[str, Any] = field(default_factory=dict)


def load(data: str, fanout: int) -> LocalData:
    """A real set by its name, or as many Quest baskets as the number says."""
    if data.isdigit():
        role = sh.QuasiSet(hierarchy=sh.fanout(fanout))
        bound = bind("items", quest(int(data), QUEST_ITEMS, QUEST_LENGTH, seed=1), role)
        return LocalData(Table.of({"items": bound.column}), {"items": role}, {"items": bound.tree})
    tree = sh.HierarchyFile(TAXONOMY) if data == "groceries" else sh.fanout(fanout)
    return sh.read(DATA / f"{data}.txt.gz", {"items": sh.QuasiSet(hierarchy=tree)}).local


def measure(case: Case) -> Measured:
    """Search, check, and time; runs in a process of its own."""
    data = load(case.data, case.fanout)
    model = sh.KmAnonymity(case.k, case.m)
    algorithm = make_algorithm(case.algorithm, dict(case.options))
    few = replace(data, table=data.table.take(np.arange(200)))
    search(algorithm, few, sh.KmAnonymity(2, case.m))  # compiles
    forget_peak_memory()
    seconds = math.inf
    for _ in range(case.repeats):
        started = time.perf_counter()
        recoding = search(algorithm, data, model)
        seconds = min(seconds, time.perf_counter() - started)
    peak = peak_memory_mb()
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1).table
    return Measured(
        case=case,
        ncp=100 * recoding.figures["ncp"],
        seconds=seconds,
        peak_mb=peak,
        holds=model.verify(LocalData(released, data.roles)).holds,
        pass_seconds=reference_pass(data.table.sets("items").arrays) if case.with_pass else math.nan,
        figures=dict(recoding.figures),
    )


def search(algorithm: Any, data: LocalData, model: Any) -> Any:
    return algorithm.find(data, [model], np.random.default_rng(0), Silent())


@numba.njit
def count_triples(starts: np.ndarray, items: np.ndarray, counters: np.ndarray) -> None:
    for row in range(len(starts) - 1):
        end = starts[row + 1]
        for first in range(starts[row], end):
            for second in range(first + 1, end):
                pair = np.uint64(items[first]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(items[second])
                pair *= np.uint64(0xC2B2AE3D27D4EB4F)
                for third in range(second + 1, end):
                    key = (pair + np.uint64(items[third])) * np.uint64(0x165667B19E3779F9)
                    counters[np.int64(key >> np.uint64(42))] += 1


def reference_pass(sets: SetArrays) -> float:
    counters = np.zeros(COUNTERS, dtype=np.int32)
    count_triples(sets.starts[:2], sets.items, counters)
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        count_triples(sets.starts, sets.items, counters)
        taken.append(time.perf_counter() - started)
    return min(taken)


def real_sets(report: Report, *, quick: bool) -> None:
    report.title(f"Real sets, k = {K}")
    report.row("data", "m", "algorithm", "NCP %", "seconds", "peak MB", "nodes")
    cases = [
        Case(data, algorithm, m=m, repeats=1 if quick else 3)
        for data in REAL
        for m in (2, 3)
        for algorithm in (*ALL, ITEMWISE)
    ]
    ours: dict[str, dict[tuple[str, int], Measured]] = {algorithm: {} for algorithm in (*ALL, ITEMWISE)}
    for found in each_in_its_own_process(measure, cases):
        case = report.check(found).case
        nodes = found.figures["labels" if case.algorithm == ITEMWISE else "nodes_on_cut"]
        report.row(case.data, case.m, case.algorithm, found.ncp, found.seconds, round(found.peak_mb), nodes)
        ours[case.algorithm][case.data, case.m] = found
    for algorithm in ("aa", "lra"):
        beside_peers(report, algorithm, ours[algorithm])
    report.title("NCP in percent")
    show_table(
        "km-real-sets", ["", *(f"{NAMES[data]} m={m}" for data, m in cells_of(REAL))], side_by_side(ours)
    )


def cells_of(sets: Sequence[str]) -> list[tuple[str, int]]:
    return [(data, m) for data in sets for m in (2, 3)]


def side_by_side(ours: Mapping[str, Mapping[tuple[str, int], Measured]]) -> Iterator[list[str]]:
    """A row for each algorithm and peer, algorithms that lose the same in one; the lowest stand bold."""
    losses = {
        f"`{name}`": {cell: round(each.ncp, 2) for cell, each in ours[name].items()}
        for name in (ITEMWISE, "lra", "aa", "vpa")
    }
    for peer in (AMNESIA, PYTHON_AA):
        known = {cell: peers[peer][0] for cell, peers in PEERS.items()}
        losses[peer] = {cell: loss for cell, loss in known.items() if loss is not None}
    same: dict[tuple[Any, ...], list[str]] = {}
    for name, line in losses.items():
        same.setdefault(tuple(line.items()), []).append(name)
    for names in same.values():
        line = losses[names[0]]
        yield [", ".join(names), *(_told(cell, line, losses.values()) for cell in cells_of(REAL))]


def _told(cell: tuple[str, int], line: Losses, lines: Iterable[Losses]) -> str:
    if cell not in line:
        return ""
    lowest = min(other[cell] for other in lines if cell in other)
    return f"**{line[cell]:.2f}**" if line[cell] == lowest else f"{line[cell]:.2f}"


def beside_peers(report: Report, algorithm: str, ours: Mapping[tuple[str, int], Measured]) -> None:
    """AA finds the best of all single cuts, where some of the peers are, too; only LRA can lose less."""
    report.title(f"{algorithm.upper()} beside others")
    report.row("data", "m", "peer", "their NCP %", "our NCP %", "their s", "our s", "times")
    more, equal, slow = [], [], []
    for (data, m), peers in PEERS.items():
        found = ours[data, m]
        for peer, (ncp, seconds) in peers.items():
            times = seconds / found.seconds
            theirs = "-" if ncp is None else ncp
            report.row(data, m, peer, theirs, found.ncp, float(seconds), found.seconds, times)
            cell = f"{data} m={m} ({peer})"
            more += [cell] if ncp is not None and round(found.ncp, 2) > ncp else []
            equal += [cell] if ncp is not None and round(found.ncp, 2) == ncp else []
            slow += [cell] if times < TIMES_AS_FAST else []
    words = f"; equal: {', '.join(equal) or 'none'}; more: {', '.join(more) or 'none'}"
    target = "no more" if algorithm == "aa" else "less"
    met = not more and (algorithm == "aa" or not equal)
    report.expect(f"{algorithm.upper()} loses {target} than each of them{words}", met=met)
    report.expect(
        f"{algorithm.upper()} is {TIMES_AS_FAST} times as fast, except: {', '.join(slow) or 'nowhere'}",
        met=not slow,
    )


def against_reference(report: Report, *, quick: bool) -> None:
    baskets = Case("100000" if quick else "1000000", repeats=2, with_pass=True)
    report.title(f"Beside one pass over all 3-subsets, k = {K}, m = 3")
    rows = []
    cases = [
        baskets,
        *(
            replace(baskets, algorithm=name).with_options(parts=parts, threads=threads)
            for name, parts in (("lra", 2), ("vpa", 3))
            for threads in (1, 2)
        ),
        *(Case(data, with_pass=True) for data in REAL),
    ]
    for found in each_in_its_own_process(measure, cases):
        case = report.check(found).case
        ratio = found.seconds / found.pass_seconds
        named = NAMES.get(case.data) or f"{int(case.data):,} baskets"
        figures = (found.seconds, found.pass_seconds, ratio, found.ncp)
        threads = dict(case.options).get("threads", 1)
        rows.append([named, f"`{case.algorithm}`", threads, *(f"{figure:.2f}" for figure in figures)])
        rows[-1].append(f"{found.peak_mb:,.0f}")
        if case == baskets:
            report.expect(
                f"AA takes {ratio:.1f} times the pass (at most {TIMES_THE_PASS}) and {found.peak_mb:.0f} MB"
                f" (at most {MOST_MEMORY_MB})",
                met=ratio <= TIMES_THE_PASS and found.peak_mb <= MOST_MEMORY_MB,
            )
    show_table("km-reference", REFERENCE, rows)


def growth(report: Report, *, quick: bool) -> None:
    report.title(f"Growth of AA on Quest baskets, k = {K}, m = 3, up to its minimal cut")
    sizes = [62_500, 125_000, 250_000] if quick else [250_000, 500_000, 1_000_000, 2_000_000, 4_000_000]
    seconds, per_subset = [], []
    cases = [Case(str(size), repeats=2).with_options(exchanges=0) for size in sizes]
    with printed_table("km-growth", GROWTH) as add_row:
        for found in each_in_its_own_process(measure, cases):
            report.check(found)
            seconds.append(found.seconds)
            per_subset.append(1e9 * found.seconds / found.figures["occurrences_counted"])
            told = f"{found.seconds:.1f} s", f"{per_subset[-1]:.1f}", f"{found.peak_mb / 1000:.2f} GB"
            baskets, nodes = f"{int(found.case.data):,}", found.figures["nodes_on_cut"]
            add_row(baskets, *told, f"{found.ncp:.2f}", nodes)
    power, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    print(f"time grows with the number of baskets to the power of {power:.2f}")
    spread = max(per_subset) / min(per_subset)
    report.expect(
        f"time per counted subset varies by {spread:.2f} (at most {LARGEST_SPREAD})",
        met=spread <= LARGEST_SPREAD,
    )


@dataclass(frozen=True)
class Trend:
    """One thing that varies, and how a case changes with it."""

    name: str
    title: str
    values: Sequence[Any]
    algorithms: Sequence[str]
    vary: Callable[[Case, Any], Case]

    def cases(self, base: Case) -> list[Case]:
        return [
            self.vary(replace(base, algorithm=algorithm), value)
            for algorithm in self.algorithms
            for value in self.values
        ]


TRENDS = (
    Trend("data", "data set", REAL, ALL, lambda case, data: replace(case, data=data)),
    Trend("k", "k", (5, 20, 100, 1000), ALL, lambda case, k: replace(case, k=k)),
    Trend("m", "m", (1, 2, 3, 4), ALL, lambda case, m: replace(case, m=m)),
    Trend(
        "height",
        "fan-out of the tree: the smaller, the higher",
        (2, 3, 5, 10, 36),
        ALL,
        lambda case, fanout: replace(case, fanout=fanout),
    ),
    Trend(
        "parts",
        "number of parts",
        (1, 2, 3, 5, 10),
        ("lra", "vpa"),
        lambda case, parts: case.with_options(parts=parts),
    ),
    Trend(
        "flexibility",
        "flexibility of borders",
        (0, 10, 100, 1000),
        ("lra",),
        lambda case, flexibility: case.with_options(flexibility=flexibility),
    ),
    Trend(
        "level",
        "level of subtrees",
        (0, 1, 2, 3),
        ("vpa",),
        lambda case, level: case.with_options(level=level),
    ),
)


def trends(report: Report, *, quick: bool) -> None:
    RESULTS.mkdir(exist_ok=True)
    for trend in TRENDS[1:4] if quick else TRENDS:
        report.title(f"FruitHut by {trend.title}" if trend.name != "data" else "Real sets, m = 3")
        report.row(trend.name, "algorithm", "", "NCP %", "seconds", "peak MB")
        values = [*trend.values] * len(trend.algorithms)
        found = []
        for value, each in zip(
            values, each_in_its_own_process(measure, trend.cases(Case("fruithut", repeats=1))), strict=True
        ):
            found.append(report.check(each))
            report.row(value, each.case.algorithm, "", each.ncp, each.seconds, round(each.peak_mb))
        plot(trend, list(zip(values, found, strict=True)))


def plot(trend: Trend, points: Sequence[tuple[Any, Measured]]) -> None:
    """Time, memory and loss over the thing that varies, a line per algorithm."""
    figure = make_subplots(1, 3, subplot_titles=("seconds", "peak MB", "NCP in percent"))
    for algorithm, colour in zip(ALL, ("#1f4e79", "#c0504d", "#4f8f4f"), strict=True):
        line = [(str(value), found) for value, found in points if found.case.algorithm == algorithm]
        for column, name in enumerate(("seconds", "peak_mb", "ncp"), start=1):
            figure.add_scatter(
                x=[value for value, _ in line],
                y=[getattr(found, name) for _, found in line],
                name=algorithm.upper(),
                marker_color=colour,
                showlegend=column == 1,
                row=1,
                col=column,
            )
    figure.update_xaxes(title_text=trend.title, type="category")
    figure.update_layout(template="simple_white", title=f"k^m-anonymity by {trend.title}")
    path = RESULTS / f"km_{trend.name}.html"
    figure.write_html(path, include_plotlyjs=True)
    print(f"plotted in {path.relative_to(RESULTS.parents[1])}")


PARTS = {"real": real_sets, "reference": against_reference, "growth": growth, "trends": trends}


if __name__ == "__main__":
    sys.exit(run_parts("Loss, time and memory of k^m-anonymity of sets.", PARTS))
