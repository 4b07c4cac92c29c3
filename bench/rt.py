"""What (k,k^m)-anonymity of tables with sets costs: loss in both parts, query errors, time and memory.

    python bench/rt.py [--quick] [--only PART]...

INFORMS 2005 (26,854 patients, five single values, diagnoses) and a sample of YouTube (4,999 videos, six
single values, related videos), k = 25, m = 2. Items are generalized without a tree (PCTA), as in the paper
that the figures are after; over its wide tree nearly every diagnosis of INFORMS ends in the root. Every
release is checked by the verifier; the exit code is 1 if a promise or a bound is broken or a target is
missed. Tables as CSV and plots are in bench/results. The parts:

speed           time over records and over k (Figures 7a and 7b), and the exponent of growth. Targets on the
                whole of INFORMS: rmerge-rt within 60 s and 2 GB, with AA and with PCTA, Cluster within 5 s,
                exponent 2. Each case in a process of its own; compiled beforehand.
rum-informs     for growing delta: average relative error of 100 queries about (values, items), both losses
rum-youtube     and the largest cluster of Rum-bound (Figures 4 and 6) ...
tum-informs     ... and of Tum-bound.
tum-youtube
diversity       the same of (k,l^m)-diversity with every tenth of the frequent diagnoses sensitive (Figure 5).
closeness       BTD beside the loss of every union on 4,000 patients: UL and time (Figures 7c to 7f).
merges          UL after each union of clusters with delta = 1 on 4,000 patients (Figures 7g and 7h).

Seconds are those of the processor; where a target is on the clock, that is given beside them.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import math
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from plotly.subplots import make_subplots

import shoal as sh
from measuring.kept_tables import KEEP, keep_table, offer_to_keep, show_table
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.mixed.joint_search.merging import (
    MergeOrder,
    SolvedItems,
    closeness_of,
    merge_always,
    merge_within,
)
from shoal.algorithms.mixed.joint_search.task import JointTask
from shoal.engine.local import LocalData
from shoal.errors import Infeasible
from shoal.metrics.catalogue import measure
from shoal.metrics.estimates import RecordsEstimator, relative_errors
from shoal.metrics.workloads import generate_workload
from shoal.privacy.check import verify_all
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Role

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"
INFORMS_VALUES = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
YOUTUBE_VALUES = ("age", "length", "rate", "ratings", "comments")

K, M, SEED = 25, 2, 0
ORDER_OF_CHANCE = SEED_OF_QUERIES = 7
FEW = 4_000
SHAPES = ((1, 0), (2, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
RUM, TUM = ("rmerge-r", "rmerge-t", "rmerge-rt"), ("tmerge-r", "tmerge-t", "tmerge-rt")
COLOURS = ("#1f4e79", "#c0504d", "#4f8f4f", "#7f6084", "#d08c2f", "#2f8f8f", "#777777")

SPEED = ("", "seconds", "on the clock, two cores", "peak MB", "time grows with the records to the power of")
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
    on_clock: float
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
    """All records in the order of their file, as `bench/paper.py` has them."""
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
    return _with_sensitive_items(local) if diverse else local


def _with_sensitive_items(data: LocalData) -> LocalData:
    """Every tenth item in the order of frequency is sensitive."""
    (name,) = data.quasi_sets
    sets, role = data.table.sets(name), data.roles[name]
    frequent = np.argsort(-np.bincount(sets.arrays.items, minlength=len(sets.domain)), kind="stable")
    occurring = [str(sets.domain.labels[int(item)]) for item in frequent[: len(frequent) // 4]]
    return replace(data, roles={**data.roles, name: replace(role, sensitive=tuple(occurring[::10]))})  # type: ignore[type-var]


def beginning(data: LocalData, records: int) -> LocalData:
    """All records, or fewer in an order of chance that does not change: more of them contain fewer."""
    if not records or records >= data.row_count:
        return data
    order = np.random.default_rng(ORDER_OF_CHANCE).permutation(data.row_count)
    return replace(data, table=data.table.take(order[:records]))


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
    started = time.perf_counter(), time.process_time()
    try:
        recoding = algorithm.find(data, [model], np.random.default_rng(SEED), Silent())
    except Infeasible as refusal:
        return Measured(case, *_since(started), _peak_mb(), refusal=str(refusal))
    took, peak = _since(started), _peak_mb()
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=case.k).table
    losses = measure(data, recoding, case.k)
    figures = recoding.figures
    return Measured(
        case,
        *took,
        peak,
        ncp=losses["ncp"],
        ul=losses.get("ul", math.nan),
        largest=figures.get("largest_cluster", 0),
        merges=figures.get("merges", 0),
        holds=all(verdict.holds for verdict in verify_all([model], LocalData(released, data.roles))),
        errors=_query_errors(data, released) if case.queries else {},
    )


def _since(started: tuple[float, float]) -> tuple[float, float]:
    return time.perf_counter() - started[0], time.process_time() - started[1]


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _query_errors(data: LocalData, released: Any) -> dict[tuple[int, int], float]:
    truth = RecordsEstimator(data, data.table)
    published = RecordsEstimator(data, released, "subsets")  # as the paper estimates
    errors = {}
    for values, items in SHAPES:
        queries = generate_workload(data, np.random.default_rng(SEED_OF_QUERIES), values=values, items=items)
        errors[values, items] = relative_errors(queries, truth, published).are
    return errors


def measured_apart(cases: Sequence[Case]) -> Iterator[Measured]:
    """Each case in a process of its own, one after the other, so that each has its own peak of memory."""
    for case in cases:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool.submit(measure_case, case).result()


class Report:
    """Prints tables as they come, keeps them as CSV, and remembers what was missed."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self._rows: list[tuple[object, ...]] = []

    def table(self, text: str, *heads: str) -> None:
        print(f"\n{text}", flush=True)
        self._rows = []
        self.row(*heads)

    def row(self, *cells: object) -> None:
        print("  ".join(f"{_cell(cell):>12}" for cell in cells), flush=True)
        self._rows.append(cells)

    def save(self, name: str, kept_as: str = "") -> None:
        """Write the table, and keep it under a name if the command was asked to."""
        if kept_as and KEEP in sys.argv:
            heads, *rows = ([_cell(cell) for cell in row] for row in self._rows)
            whole = [[*row, *[""] * (len(heads) - len(row))] for row in rows]  # refusals are shorter
            keep_table(kept_as, heads, whole)
        RESULTS.mkdir(exist_ok=True)
        with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(self._rows)

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
    whole = load("informs").row_count
    sizes = [5_000, 10_000, whole] if quick else [2_500, 5_000, 10_000, 20_000, whole]
    ks = [K] if quick else [15, K, 50, 100]
    lines = {"cluster": {}, **{name: {"delta": 0.65, "items": "pcta"} for name in RUM}}
    lines["rmerge-rt with aa"] = {"delta": 0.65, "items": "aa"}
    cases = {
        (line, size, k): Case(algorithm=line.split()[0], records=size, k=k, options=options)
        for line, options in lines.items()
        for size, k in [*((size, K) for size in sizes), *((whole, k) for k in ks if k != K)]
    }
    report.table(
        "INFORMS, delta = 0.65: time over records (Figure 7a) and over k (Figure 7b)",
        "algorithm", "records", "k", "seconds", "on the clock", "peak MB", "NCP", "UL",
    )  # fmt: skip
    found = {}
    for (line, size, k), each in zip(cases, measured_apart(list(cases.values())), strict=True):
        found[line, size, k] = report.check(each)
        report.row(line, size, k, each.seconds, each.on_clock, round(each.peak_mb), each.ncp, each.ul)
    report.save("rt_speed")
    powers = {
        line: np.polyfit(np.log(sizes), np.log([found[line, size, K].seconds for size in sizes]), 1)[0]
        for line in lines
    }
    show_table("rt-speed", SPEED, (of_speed(line, found[line, whole, K], powers[line]) for line in lines))
    for line in ("cluster", "rmerge-rt", "rmerge-rt with aa"):
        each, limit = found[line, whole, K], MOST_SECONDS_OF_CLUSTER if line == "cluster" else MOST_SECONDS
        report.expect(
            f"{line} on all records: {each.on_clock:.1f} s (at most {limit}), {each.peak_mb:.0f} MB",
            met=each.on_clock <= limit and each.peak_mb <= MOST_MEMORY_MB,
        )
    for line, power in powers.items():
        report.expect(
            f"{line} grows with the {power:.2f}th power of the records (at most {MOST_EXPONENT})",
            met=power <= MOST_EXPONENT,
        )
    over_records = {line: [(size, found[line, size, K].seconds) for size in sizes] for line in lines}
    over_k = {line: [(k, found[line, whole, k].seconds) for k in ks] for line in lines}
    plot_lines("rt_speed", "Seconds", {"over records, k = 25": over_records, "over k, all records": over_k})


def of_speed(line: str, found: Measured, power: float) -> list[str]:
    """What a line takes for all records."""
    name, _, more = line.partition(" ")
    named = (
        f"`{name}` (k-anonymity, lower bound included)" if name == "cluster" else f"`{name}` {more}".strip()
    )
    seconds = f"{found.seconds:.1f}", f"{found.on_clock:.1f}"
    return [named, *seconds, f"{found.peak_mb:.0f}", f"{power:.2f}"]


def bounds(report: Report, *, quick: bool, data: str, algorithms: Sequence[str]) -> None:
    deltas: Sequence[float]
    if algorithms is RUM:
        deltas = (0.45, 0.65, 0.85) if quick else (0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
    else:
        deltas = (0.6,) if quick else (0.3, 0.4, 0.5, 0.6, 0.8)
    cases = [
        Case(data, algorithm, options={"delta": delta, "items": "pcta"}, queries=True)
        for algorithm in algorithms
        for delta in deltas
    ]
    bound = "rum" if algorithms is RUM else "tum"
    kept_as = f"{bound}-{data}" if data == "youtube" else ""  # those of INFORMS are on the page of the paper
    sweep(report, f"{data} {bound.capitalize()}-bound", cases, kept_as=kept_as)


def diversity(report: Report, *, quick: bool) -> None:
    cases = [
        Case("informs", algorithm, l=2.0, options={"delta": delta, "items": "pcta"}, queries=True)
        for algorithm in RUM
        for delta in ((0.65,) if quick else (0.45, 0.65, 0.85))
    ]
    sweep(report, "informs diversity", cases, " with l = 2")


def sweep(report: Report, name: str, cases: Sequence[Case], more: str = "", kept_as: str = "") -> None:
    heads = (
        "algorithm",
        "delta",
        "NCP",
        "UL",
        "largest",
        "merges",
        "s",
        *(f"ARE{shape}" for shape in SHAPES),
    )
    report.table(f"{name}{more}, k = {K}, m = {M}: ARE by (values, items), largest cluster, losses", *heads)
    figures: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for case in cases:
        each, delta = report.check(measure_case(case)), case.options["delta"]
        if each.refusal:
            report.row(case.algorithm, delta, each.refusal)
            continue
        errors = [each.errors[shape] for shape in SHAPES]
        report.row(case.algorithm, delta, each.ncp, each.ul, each.largest, each.merges, each.seconds, *errors)
        shown = {"UL": each.ul, "NCP": each.ncp, "largest cluster": float(each.largest)}
        shown |= {f"ARE of queries about {shape}": error for shape, error in each.errors.items()}
        for figure, value in shown.items():
            figures.setdefault(figure, {}).setdefault(case.algorithm, []).append((delta, value))
    file = "rt_" + name.replace(" ", "_").lower()
    report.save(file, kept_as)
    plot_lines(file, f"{name}{more} over delta", figures)


def closeness(report: Report, *, quick: bool) -> None:
    records = 1_000 if quick else FEW
    report.table(
        f"INFORMS, {records} records: BTD beside the loss of every union (Figures 7c to 7f)",
        "algorithm", "delta", "UL by btd", "UL by loss", "s by btd", "s by loss", "times",
    )  # fmt: skip
    figures: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for algorithm in ("rmerge-t", "rmerge-rt", "tmerge-t", "tmerge-rt"):
        for delta in (0.65,) if quick else (0.6, 0.7, 0.8) if algorithm in RUM else (0.3, 0.4, 0.5):
            by = {}
            for name in ("btd", "loss"):
                options = {"delta": delta, "items": "pcta", "closeness": name}
                by[name] = report.check(
                    measure_case(Case("informs", algorithm, records=records, options=options))
                )
            if by["btd"].refusal or by["loss"].refusal:
                report.row(algorithm, delta, by["btd"].refusal or by["loss"].refusal)
                continue
            times = by["loss"].seconds / by["btd"].seconds
            report.row(
                algorithm, delta, *(by[name].ul for name in by), *(by[name].seconds for name in by), times
            )
            for name, each in by.items():
                for figure, value in (
                    (f"UL of {algorithm}", each.ul),
                    (f"seconds of {algorithm}", each.seconds),
                ):
                    figures.setdefault(figure, {}).setdefault(name, []).append((delta, value))
    report.save("rt_closeness", "rt-closeness")
    plot_lines("rt_closeness", f"BTD beside exact closeness on {records} patients, over delta", figures)


def merges(report: Report, *, quick: bool) -> None:
    records = 1_000 if quick else FEW
    report.table(
        f"INFORMS, {records} records, delta = 1: UL over the number of unions (Figures 7g and 7h)",
        "algorithm", "unions", "UL at first", "UL at last", "rises", "largest rise",
    )  # fmt: skip
    task = JointTask.of(
        beginning(load("informs"), records), [sh.KKmAnonymity(K, M)], items="pcta", minimal=True
    )
    lines = {
        name: _losses_by_union(task, order, within=name in RUM)
        for name, order in zip(
            (*RUM, *TUM), (MergeOrder.VALUES, MergeOrder.ITEMS, MergeOrder.BOTH) * 2, strict=True
        )
    }
    for name, losses in lines.items():
        steps = np.diff(losses)
        rises = int(np.count_nonzero(steps > 1e-9))
        report.row(name, len(steps), losses[0], losses[-1], rises, float(steps.max(initial=0.0)))
    report.save("rt_merges", "rt-unions")
    plot_lines("rt_merges", "UL over the number of unions", {
        bound: {name: list(enumerate(lines[name])) for name in names}
        for bound, names in (("Rum-bound", RUM), ("Tum-bound", TUM))
    })  # fmt: skip


def _losses_by_union(task: JointTask, order: MergeOrder, *, within: bool) -> list[float]:
    clusters = task.initial_clusters(np.random.default_rng(SEED), Silent())
    solved = SolvedItems(task, task.solve(clusters, Silent()), Silent())
    near = closeness_of("btd", task, clusters, Silent())
    losses = [solved.loss]
    if within:
        for merge in merge_within(clusters, near, order, 1.0):
            solved.unite(clusters, merge.cluster, merge.partner)
            losses.append(solved.loss)
    else:
        losses += [solved.loss for _ in merge_always(clusters, near, order, solved)]
    return losses


def plot_lines(
    name: str, title: str, figures: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]
) -> None:
    """One plot per figure, a line per algorithm, each line of one colour in all of them."""
    if not figures:
        return
    rows, columns = math.ceil(len(figures) / 3), min(3, len(figures))
    grid = make_subplots(rows, columns, subplot_titles=list(figures))
    colours: dict[str, str] = {}
    for place, lines in enumerate(figures.values()):
        for line, points in lines.items():
            known = line in colours
            grid.add_scatter(
                x=[x for x, _ in points],
                y=[y for _, y in points],
                name=line,
                mode="lines+markers" if len(points) <= 20 else "lines",
                legendgroup=line,
                marker_color=colours.setdefault(line, COLOURS[len(colours) % len(COLOURS)]),
                showlegend=not known,
                row=place // columns + 1,
                col=place % columns + 1,
            )
    grid.update_layout(template="simple_white", title=title, height=320 * rows + 100)
    grid.update_yaxes(rangemode="tozero")
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.html"
    grid.write_html(path, include_plotlyjs=True)
    print(f"plotted in {path.relative_to(RESULTS.parents[1])}", flush=True)


PARTS: Mapping[str, Callable[..., None]] = {
    "speed": speed,
    "rum-informs": partial(bounds, data="informs", algorithms=RUM),
    "tum-informs": partial(bounds, data="informs", algorithms=TUM),
    "rum-youtube": partial(bounds, data="youtube", algorithms=RUM),
    "tum-youtube": partial(bounds, data="youtube", algorithms=TUM),
    "diversity": diversity,
    "closeness": closeness,
    "merges": merges,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Loss, query errors, time and memory of tables with sets.")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller cases")
    parser.add_argument("--only", choices=PARTS, action="append", help="one of the parts; may be given again")
    offer_to_keep(parser)
    arguments = parser.parse_args()
    report = Report()
    for name in arguments.only or PARTS:
        PARTS[name](report, quick=arguments.quick)
    print("\n".join(("\nMissed:", *report.failures)) if report.failures else "\nAll targets are met.")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
