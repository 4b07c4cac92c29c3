"""What `auto` loses beside every algorithm of the catalogue that serves the same promise.

    python bench/auto.py [--only sets|tables|both] [--data NAME,..] [--k 5,10,50] [--m 2,3] [--seconds 600]
                         [--keep]

sets    k^m-anonymity of the real sets (fan-out 5, or their own taxonomy): NCP
tables  k-anonymity of the real tables: LM
both    (k,k^m)-anonymity of INFORMS with its diagnoses: NCP + UL

`auto` has its default budget, every other algorithm `--seconds`; one that can move records afterwards is run
with and without. Each measurement has its own process. What was measured is kept in bench/results/auto.jsonl,
and a run goes on from there. `--keep` keeps one row for each case: auto, the best of the others, and the best
one that moves no records. The exit code is 1 if `auto` loses more than 1.02 times the best of the others, or
publishes a column entirely at its root where one of them does not, or a promise is broken.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import shoal as sh
from measuring.cells import RESULTS, peak_memory_mb
from measuring.kept_tables import offer_to_keep, show_table
from measuring.tables import DATA, TABLES, frame
from shoal.algorithms.auto.candidates import serving
from shoal.algorithms.catalogue import takes
from shoal.errors import ShoalError
from shoal.privacy.model import Model
from shoal.run.prepare import Data
from shoal.table.reading import ReadOptions

TIMES_THE_BEST = 1.02
AT_ROOT = 1 - 1e-9
SETS = ("bms_webview1", "bms_webview2", "fruithut", "msweb", "groceries", "informs-sets")
WITH_TREES = (
    *("nursery", "coil2000", "coil2000-20", "coil2000-40", "creditcard", "informs"),
    *("adult", "adult-11", "adult-14", "fars"),
)
BOTH = ("informs-rt",)
DATA_OF = {"sets": SETS, "tables": WITH_TREES, "both": BOTH}
NOT_RUN = ("oa", "lgr-literal")  # would not end
INFORMS = DATA / "hierarchies" / "informs"


@dataclass(frozen=True)
class Case:
    data: str
    k: int
    m: int | None
    algorithm: str
    seconds: float | None
    options: dict[str, Any] = field(default_factory=dict)

    def model(self) -> Model:
        if self.m is None:
            return sh.KAnonymity(self.k)
        return sh.KKmAnonymity(self.k, self.m) if self.data in BOTH else sh.KmAnonymity(self.k, self.m)

    @property
    def called(self) -> str:
        return f"{self.algorithm}, moving records" if self.options.get("local_search") else self.algorithm


@dataclass(frozen=True)
class Found:
    case: Case
    loss: float | None
    took: str
    seconds: float
    memory_mb: float
    error: str = ""
    at_root: list[str] = field(default_factory=list)


def data_of(name: str) -> Data:
    if name in TABLES:
        chosen = TABLES[name]
        return sh.read(frame(name), {**chosen.quasi, chosen.sensitive: sh.Sensitive()})
    codes = sh.QuasiSet(separator=" ", hierarchy=INFORMS / "ICD9.csv")
    options = ReadOptions(others="drop")
    if name == "informs-sets":
        return sh.read(DATA / "informs2005_rt.csv.gz", {"ICD9": codes}, options=options)
    if name == "informs-rt":
        values = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
        columns = {column: sh.Quasi(hierarchy=INFORMS / f"{column}.csv") for column in values}
        return sh.read(DATA / "informs2005_rt.csv.gz", {**columns, "ICD9": codes}, options=options)
    tree: Any = DATA / "hierarchies" / "groceries" / "item.csv" if name == "groceries" else sh.fanout(5)
    return sh.read(DATA / f"{name}.txt.gz", {"items": sh.QuasiSet(hierarchy=tree)})


def measure(case: Case) -> Found:
    data = data_of(case.data)
    started = time.perf_counter()
    try:
        result = sh.anonymize(
            data,
            case.model(),
            algorithm=case.algorithm,
            time_limit=case.seconds,
            on_limit="stop" if case.seconds is None else "best",
            seed=0,
            **case.options,
        )
    except ShoalError as error:
        taken = time.perf_counter() - started
        return Found(case, None, "", taken, peak_memory_mb(), str(error).splitlines()[0])
    cost, taken = result.outcome.cost, time.perf_counter() - started
    loss = cost.losses["lm"] if case.m is None else cost.losses["ncp"]
    if case.data in BOTH:
        loss += cost.losses["ul"]
    at_root = [name for name, lost in cost.column_losses.items() if lost.get("ncp", 0) >= AT_ROOT]
    took = result.outcome.provenance.algorithm
    return Found(case, loss, took, taken, peak_memory_mb(), at_root=at_root)


def cases(data: Sequence[str], ks: Sequence[int], ms: Sequence[int], seconds: float) -> Iterator[list[Case]]:
    for name in data:
        for k in ks:
            for m in [None] if name in TABLES else ms:
                auto = Case(name, k, m, "auto", None)
                yield [auto, *rivals(auto, seconds)]


def rivals(auto: Case, seconds: float) -> Iterator[Case]:
    for name in serving([auto.model()]):
        if name in NOT_RUN:
            continue
        options: dict[str, Any] = {"measure": "lm"} if auto.m is None and takes(name, "measure") else {}
        for moving in (False, True) if takes(name, "local_search") else (None,):
            more = {} if moving is None else {"local_search": moving}
            yield Case(auto.data, auto.k, auto.m, name, seconds, options | more)


class Notebook:
    """What was measured so far."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        known = [Found(**{**each, "case": Case(**each["case"])}) for each in map(json.loads, lines)]
        self._known = {json.dumps(asdict(each.case)): each for each in known}

    def found(self, case: Case) -> Found:
        key = json.dumps(asdict(case))
        if key not in self._known:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                self._known[key] = pool.apply(measure, (case,))
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(self._known[key])) + "\n")
        return self._known[key]


def rows(found: Sequence[Found]) -> bool:
    """Print what was found, and tell whether auto is as good as it should be."""
    auto, *others = found
    best = min((each.loss for each in others if each.loss is not None), default=None)
    for each in found:
        loss = "-" if each.loss is None else f"{100 * each.loss:.3f}"
        called = f"auto ({each.took})" if each is auto else each.case.called
        case = each.case
        m = "" if case.m is None else case.m
        print(f"| {case.data} | {case.k} | {m} | {called} | {loss} | {each.seconds:.1f} | {each.error} |")
    fine = auto.loss is not None and (best is None or auto.loss <= TIMES_THE_BEST * best + 1e-9)
    for name in lost_needlessly(auto, others):
        print(f"| {auto.case.data} | {auto.case.k} | | {name} is at its root | | | |")
        fine = False
    if auto.loss is not None and best:
        print(f"| {auto.case.data} | {auto.case.k} | | auto / best | {auto.loss / best:.3f} | | |")
    sys.stdout.flush()
    return fine


def lost_needlessly(auto: Found, others: Sequence[Found]) -> list[str]:
    """Columns that auto publishes as nothing but their roots while another algorithm does not."""
    kept = [set(each.at_root) for each in others if each.loss is not None]
    return [name for name in auto.at_root if any(name not in lost for lost in kept)]


def summary(found: Sequence[Found]) -> list[object]:
    """A case in a row: what auto loses, and the best of the others with and without moving records."""
    auto, *others = found
    best, still = (
        best_of(others),
        best_of([each for each in others if not each.case.options.get("local_search")]),
    )
    case = auto.case
    size = len(TABLES[case.data].quasi) if case.m is None else case.m
    return [case.data, size, case.k, *map(told, (auto, best, still))]


def best_of(found: Sequence[Found]) -> Found | None:
    lost = {each.loss: each for each in reversed(found) if each.loss is not None}
    return lost[min(lost)] if lost else None


def told(found: Found | None) -> str:
    """A loss with its algorithm."""
    if found is None or found.loss is None:
        return "-"
    return f"{100 * found.loss:.2f} ({found.took if found.case.algorithm == 'auto' else found.case.called})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", choices=tuple(DATA_OF), default="sets")
    parser.add_argument("--data", help="some data sets, with commas between")
    parser.add_argument("--k", default="5,10,50")
    parser.add_argument("--m", default="2,3")
    parser.add_argument("--seconds", type=float, default=600.0)
    offer_to_keep(parser)
    given = parser.parse_args()
    names = given.data.split(",") if given.data else DATA_OF[given.only]
    ks, ms = ([int(each) for each in text.split(",")] for text in (given.k, given.m))
    print(
        "| data | k | m | algorithm | loss % | seconds | |\n| --- | ---: | ---: | --- | ---: | ---: | --- |"
    )
    notebook = Notebook(RESULTS / "auto.jsonl")
    found, fine = list[list[Found]](), list[bool]()
    for group in cases(names, ks, ms, given.seconds):
        found.append([notebook.found(case) for case in group])
        fine.append(rows(found[-1]))
    size = "columns" if given.only == "tables" else "m"
    columns = ["data", size, "k", "auto", "best rival", "without moving records"]
    print()
    show_table(f"auto-{given.only}", columns, map(summary, found))
    return 0 if all(fine) else 1


if __name__ == "__main__":
    raise SystemExit(main())
