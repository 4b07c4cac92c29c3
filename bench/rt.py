"""What (k,k^m)-anonymity of tables with sets costs: loss in both parts, query errors, time and memory.

    python bench/rt.py [--quick] [--only speed|bounds|diversity|closeness|merges]

INFORMS 2005 (26,854 patients, five single values, diagnoses) and a sample of YouTube (4,999 videos, six
single values, related videos), k = 25, m = 2. Items are generalized without a tree (PCTA), as in the paper
that the figures are after; over its wide tree nearly every diagnosis of INFORMS ends in the root. Every
release is checked by the verifier; the exit code is 1 if a promise or a bound is broken or a target is
missed. One table each, and plots in bench/results.

speed       time over records and over k (Figures 7a and 7b), and the exponent of growth. Targets on the whole
            of INFORMS: rmerge-rt within 60 s and 2 GB, with AA and with PCTA, Cluster within 5 s, exponent 2.
bounds      for growing delta: average relative error of 100 queries about (values, items), both losses and
            the largest cluster, of Rum-bound and Tum-bound (Figures 4 and 6).
diversity   the same of (k,l^m)-diversity with every tenth of the frequent diagnoses sensitive (Figure 5).
closeness   BTD beside the loss of every union on 4,000 patients: UL and time (Figures 7c to 7f).
merges      UL after each union of clusters with delta = 1 on 4,000 patients (Figures 7g and 7h).
"""

from __future__ import annotations

import argparse
import contextlib
import math
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from plotly.subplots import make_subplots

import shoal as sh
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.mixed.merging import SolvedItems, closeness_of, merge_always, merge_within
from shoal.algorithms.mixed.orders import Order
from shoal.algorithms.mixed.task import Task
from shoal.engine.local import LocalData
from shoal.errors import Infeasible
from shoal.metrics.catalogue import measure
from shoal.metrics.estimates import RecordsEstimator, relative_errors
from shoal.metrics.workloads import generate_workload
from shoal.privacy.check import verify_all
from shoal.progress import Silent
from shoal.recoding.decision import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Role

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"
INFORMS_VALUES = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
YOUTUBE_VALUES = ("age", "length", "rate", "ratings", "comments")

K, M, SEED = 25, 2, 7
FEW = 4_000
SHAPES = ((1, 0), (2, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
RUM, TUM = ("rmerge-r", "rmerge-t", "rmerge-rt"), ("tmerge-r", "tmerge-t", "tmerge-rt")
COLOURS = ("#1f4e79", "#c0504d", "#4f8f4f", "#7f6084", "#d08c2f", "#2f8f8f", "#777777")

MOST_SECONDS, MOST_SECONDS_OF_CLUSTER, MOST_MEMORY_MB, MOST_EXPONENT = 60, 5, 2_000, 2.0


@dataclass(frozen=True)
class Case:
    """One measurement: an algorithm on some records; 0 records are all, an l of 0 asks for no diversity."""

    data: str = "informs"
    algorithm: str = "rmerge-rt"
    k: int = K
    l: float = 0.0
    records: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    queries: bool = False


@dataclass(frozen=True)
class Measured:
    """What came of a case; without a release only why."""

    case: Case
    seconds: float
    peak_mb: float
    ncp: float = math.nan
    ul: float = math.nan
    largest: int = 0
    merges: int = 0
    holds: bool = True
    errors: Mapping[tuple[int, int], float] = field(default_factory=dict)
    refusal: str = ""


@cache
def load(data: str, *, diverse: bool = False) -> LocalData:
    """All records, in an order of chance that does not change, so that fewer are contained in more."""
    if data == "informs":
        folder = DATA / "hierarchies" / "informs"
        roles: dict[str, Role] = {
            name: sh.Quasi(hierarchy=sh.HierarchyFile(folder / f"{name}.csv")) for name in INFORMS_VALUES
        }
        roles["ICD9"] = sh.QuasiSet(hierarchy=sh.HierarchyFile(folder / "ICD9.csv"))
        file = DATA / "informs2005_rt.csv.gz"
    else:
        roles = {name: sh.Quasi(kind=Kind.NUMBER, hierarchy=sh.fanout(5)) for name in YOUTUBE_VALUES}
        roles["category"] = sh.Quasi(hierarchy=sh.flat())
        roles["related"] = sh.QuasiSet(hierarchy=sh.fanout(5))
        file = DATA / "youtube_rt_sample.csv.gz"
    local = sh.read(file, roles, options=sh.ReadOptions(others="drop")).local
    order = np.random.default_rng(SEED).permutation(local.row_count)
    local = replace(local, table=local.table.take(order))
    return _with_sensitive_items(local) if diverse else local


def _with_sensitive_items(data: LocalData) -> LocalData:
    """Every tenth item in the order of frequency is sensitive."""
    (name,) = data.quasi_sets
    sets, role = data.table.sets(name), data.roles[name]
    frequent = np.argsort(-np.bincount(sets.arrays.items, minlength=len(sets.domain)), kind="stable")
    occurring = [str(sets.domain.labels[int(item)]) for item in frequent[: len(frequent) // 4]]
    return replace(data, roles={**data.roles, name: replace(role, sensitive=tuple(occurring[::10]))})  # type: ignore[type-var]


def beginning(data: LocalData, records: int) -> LocalData:
    """The first records, or all."""
    if not records:
        return data
    return replace(data, table=data.table.take(np.arange(min(records, data.row_count))))


def measure_case(case: Case) -> Measured:
    data = beginning(load(case.data, diverse=case.l > 0), case.records)
    model = sh.KLmDiversity(case.k, case.l, M) if case.l else sh.KKmAnonymity(case.k, M)
    if case.algorithm == "cluster":
        model = sh.KAnonymity(case.k)
        data = replace(data, table=data.table.without(data.quasi_sets))
    algorithm = make_algorithm(case.algorithm, case.options)
    warm = beginning(data, 300)
    with contextlib.suppress(Infeasible):  # compiled all the same
        algorithm.find(warm, [replace(model, k=5)], np.random.default_rng(0), Silent())
    started = time.perf_counter()
    try:
        recoding = algorithm.find(data, [model], np.random.default_rng(SEED), Silent())
    except Infeasible as refusal:
        return Measured(case, time.perf_counter() - started, _peak_mb(), refusal=str(refusal))
    seconds, peak = time.perf_counter() - started, _peak_mb()
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=case.k).table
    losses = measure(data, recoding, case.k)
    figures = recoding.figures
    return Measured(
        case,
        seconds,
        peak,
        ncp=losses["ncp"],
        ul=losses.get("ul", math.nan),
        largest=figures.get("largest_cluster", 0),
        merges=figures.get("merges", 0),
        holds=all(verdict.holds for verdict in verify_all([model], LocalData(released, data.roles))),
        errors=_query_errors(data, released) if case.queries else {},
    )


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _query_errors(data: LocalData, released: Any) -> dict[tuple[int, int], float]:
    truth, published = RecordsEstimator(data, data.table), RecordsEstimator(data, released)
    errors = {}
    for values, items in SHAPES:
        queries = generate_workload(data, np.random.default_rng(SEED), values=values, items=items)
        errors[values, items] = relative_errors(queries, truth, published).are
    return errors


def measured(cases: Sequence[Case]) -> Iterator[Measured]:
    """Each case in a process of its own, one after the other."""
    for case in cases:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool.submit(measure_case, case).result()


class Report:
    """Prints tables as they come and remembers what was missed."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def title(self, text: str) -> None:
        print(f"\n{text}", flush=True)

    def row(self, *cells: object) -> None:
        print("  ".join(f"{_cell(cell):>12}" for cell in cells), flush=True)

    def expect(self, text: str, *, met: bool) -> None:
        print(f"{'met   ' if met else 'MISSED'}  {text}", flush=True)
        self.failures += [] if met else [text]

    def check(self, found: Measured) -> Measured:
        """A release that breaks its promise or its bound is a failure."""
        delta = found.case.options.get("delta")
        if not found.holds:
            self.expect(f"the promise of {found.case} holds", met=False)
        if not found.refusal and isinstance(delta, float):
            loss = found.ncp if found.case.algorithm in RUM else found.ul
            if loss > delta + 1e-9:
                self.expect(f"{found.case} keeps its bound: {loss:.4f}", met=False)
        return found


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def speed(report: Report, *, quick: bool) -> None:
    report.title("INFORMS, delta = 0.65: time over records (Figure 7a) and over k (Figure 7b)")
    report.row("algorithm", "items", "records", "k", "seconds", "peak MB", "NCP", "UL")
    whole = len(load("informs").table.columns["ICD9"])
    sizes = [5_000, 10_000, whole] if quick else [2_500, 5_000, 10_000, 20_000, whole]
    bounded = {"delta": 0.65, "items": "pcta"}
    cases = [Case(algorithm="cluster", records=size) for size in sizes]
    cases += [Case(algorithm=name, records=size, options=bounded) for name in RUM for size in sizes]
    cases += [Case(records=whole, options={"delta": 0.65, "items": "aa"})]
    cases += (
        [] if quick else [Case(algorithm=name, k=k, options=bounded) for name in RUM for k in (15, 50, 100)]
    )
    found = []
    for each in measured(cases):
        found.append(report.check(each))
        case = each.case
        items, records = case.options.get("items", ""), case.records or whole
        report.row(
            case.algorithm, items, records, case.k, each.seconds, round(each.peak_mb), each.ncp, each.ul
        )
    at_whole = [each for each in found if each.case.records == whole and each.case.k == K]
    for each in at_whole:
        limit = MOST_SECONDS_OF_CLUSTER if each.case.algorithm == "cluster" else MOST_SECONDS
        if each.case.algorithm in ("cluster", "rmerge-rt"):
            words = f"{each.case.algorithm} {each.case.options.get('items', '')} on all records"
            report.expect(
                f"{words}: {each.seconds:.1f} s (at most {limit}), {each.peak_mb:.0f} MB",
                met=each.seconds <= limit and each.peak_mb <= MOST_MEMORY_MB,
            )
    for name in ("cluster", *RUM):
        line = [
            each
            for each in found
            if each.case.algorithm == name and each.case.k == K and each.case.options.get("items") != "aa"
        ]
        slope = np.polyfit(
            np.log([each.case.records for each in line]), np.log([each.seconds for each in line]), 1
        )[0]
        report.expect(
            f"{name} grows with the {slope:.2f}th power of the records (at most {MOST_EXPONENT})",
            met=slope <= MOST_EXPONENT,
        )
    plot_lines(
        "rt_speed",
        "seconds over records",
        {
            "seconds": {
                name: [(e.case.records, e.seconds) for e in found if _in_line(e, name)]
                for name in ("cluster", *RUM)
            }
        },
    )


def _in_line(each: Measured, name: str) -> bool:
    case = each.case
    return case.algorithm == name and case.k == K and case.records > 0 and case.options.get("items") != "aa"


def bounds(report: Report, *, quick: bool) -> None:
    for data in ("informs", "youtube"):
        for name, algorithms, deltas in (
            ("Rum-bound", RUM, (0.45, 0.65, 0.85) if quick else (0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)),
            ("Tum-bound", TUM, (0.6,) if quick else (0.3, 0.4, 0.5, 0.6, 0.8)),
        ):
            cases = [
                Case(data, algorithm, options={"delta": delta, "items": "pcta"}, queries=True)
                for algorithm in algorithms
                for delta in deltas
            ]
            sweep(report, f"{data} {name}", cases)


def diversity(report: Report, *, quick: bool) -> None:
    cases = [
        Case("informs", algorithm, l=2.0, options={"delta": delta, "items": "pcta"}, queries=True)
        for algorithm in RUM
        for delta in ((0.65,) if quick else (0.45, 0.65, 0.85))
    ]
    sweep(report, "informs diversity", cases, " with l = 2")


def sweep(report: Report, name: str, cases: Sequence[Case], more: str = "") -> None:
    report.title(f"{name}{more}, k = {K}, m = {M}: ARE by (values, items), largest cluster and losses")
    report.row(
        "algorithm", "delta", "NCP", "UL", "largest", "merges", "s", *(f"ARE{shape}" for shape in SHAPES)
    )
    found = []
    for each in measured(cases):
        report.check(each)
        delta = each.case.options["delta"]
        if each.refusal:
            print(f"{each.case.algorithm:>12}  {delta:>12}  {each.refusal}", flush=True)
            continue
        found.append(each)
        errors = [each.errors[shape] for shape in SHAPES]
        report.row(
            each.case.algorithm, delta, each.ncp, each.ul, each.largest, each.merges, each.seconds, *errors
        )
    figures: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for each in found:
        at, algorithm = each.case.options["delta"], each.case.algorithm
        shown = {"UL": each.ul, "NCP": each.ncp, "largest cluster": float(each.largest)}
        shown |= {f"ARE {shape}": error for shape, error in each.errors.items()}
        for figure, value in shown.items():
            figures.setdefault(figure, {}).setdefault(algorithm, []).append((at, value))
    plot_lines("rt_" + name.replace(" ", "_"), f"{name}{more}", figures)


def closeness(report: Report, *, quick: bool) -> None:
    records = 1_000 if quick else FEW
    report.title(f"INFORMS, {records} records: BTD beside the loss of every union (Figures 7c to 7f)")
    report.row("algorithm", "delta", "UL by btd", "UL by loss", "s by btd", "s by loss", "times")
    for algorithm, delta in (("rmerge-t", 0.75), ("rmerge-rt", 0.75), ("tmerge-t", 0.7), ("tmerge-rt", 0.7)):
        options = {"delta": delta, "items": "pcta"}
        by = [
            report.check(each)
            for each in measured(
                [
                    Case("informs", algorithm, records=records, options={**options, "closeness": name})
                    for name in ("btd", "loss")
                ]
            )
        ]
        times = by[1].seconds / by[0].seconds
        report.row(algorithm, delta, by[0].ul, by[1].ul, by[0].seconds, by[1].seconds, times)


def merges(report: Report, *, quick: bool) -> None:
    records = 1_000 if quick else FEW
    report.title(f"INFORMS, {records} records, delta = 1: UL over the number of unions (Figures 7g and 7h)")
    data = beginning(load("informs"), records)
    task = Task.of(data, [sh.KKmAnonymity(K, M)], items="pcta", minimal=True)
    lines: dict[str, list[tuple[float, float]]] = {}
    for name, order in zip((*RUM, *TUM), (Order.VALUES, Order.ITEMS, Order.BOTH) * 2, strict=True):
        clusters = task.initial_clusters(np.random.default_rng(SEED), Silent())
        solved = SolvedItems(task, task.solve(clusters, Silent()), Silent())
        near = closeness_of("btd", task, clusters, Silent())
        lines[name] = [(0, solved.loss)]
        if name in RUM:
            merging = merge_within(clusters, near, order, 1.0)
            for number, merge in enumerate(merging, start=1):
                solved.unite(clusters, merge.cluster, merge.partner)
                lines[name].append((number, solved.loss))
        else:
            for number, _ in enumerate(merge_always(clusters, near, order, solved), start=1):
                lines[name].append((number, solved.loss))
        rises = sum(
            after > before + 1e-9
            for (_, before), (_, after) in zip(lines[name], lines[name][1:], strict=False)
        )
        report.row(name, len(lines[name]) - 1, lines[name][0][1], lines[name][-1][1], f"{rises} rises")
    plot_lines("rt_merges", "UL over the number of unions", {"UL": lines})


def plot_lines(
    name: str, title: str, figures: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]
) -> None:
    """One plot per figure, a line per algorithm."""
    if not figures:
        return
    grid = make_subplots(math.ceil(len(figures) / 3), min(3, len(figures)), subplot_titles=list(figures))
    for place, lines in enumerate(figures.values()):
        for (algorithm, points), colour in zip(lines.items(), COLOURS, strict=False):
            grid.add_scatter(
                x=[x for x, _ in points],
                y=[y for _, y in points],
                name=algorithm,
                legendgroup=algorithm,
                marker_color=colour,
                showlegend=place == 0,
                row=place // 3 + 1,
                col=place % 3 + 1,
            )
    grid.update_layout(template="simple_white", title=title, height=320 * math.ceil(len(figures) / 3) + 100)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.html"
    grid.write_html(path, include_plotlyjs=True)
    print(f"plotted in {path.relative_to(RESULTS.parents[1])}", flush=True)


PARTS = {
    "speed": speed,
    "bounds": bounds,
    "diversity": diversity,
    "closeness": closeness,
    "merges": merges,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Loss, query errors, time and memory of tables with sets.")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller cases")
    parser.add_argument("--only", choices=PARTS, action="append", help="one of the parts; may be given again")
    arguments = parser.parse_args()
    report = Report()
    for name in arguments.only or PARTS:
        PARTS[name](report, quick=arguments.quick)
    report.title("\n".join(("Missed:", *report.failures)) if report.failures else "All targets are met.")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
