"""What `auto` loses beside every algorithm of the catalogue that serves the same promise.

    python bench/auto.py [--only sets|both] [--data NAME,..] [--k 5,10,50] [--m 2,3] [--seconds 600]

sets    k^m-anonymity of the real sets (fan-out 5, or their own taxonomy): NCP
both    (k,k^m)-anonymity of INFORMS with its diagnoses: NCP + UL

`auto` has its default budget, every other algorithm `--seconds`. Each measurement has its own process. The
exit code is 1 if `auto` loses more than 1.02 times the best of the others, or a promise is broken.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import shoal as sh
from measuring.cells import peak_memory_mb
from measuring.tables import DATA
from shoal.algorithms.auto.candidates import serving
from shoal.errors import ShoalError
from shoal.privacy.model import Model
from shoal.run.prepare import Data
from shoal.table.reading import ReadOptions

TIMES_THE_BEST = 1.02
SETS = ("bms_webview1", "bms_webview2", "fruithut", "msweb", "groceries", "informs")
INFORMS = DATA / "hierarchies" / "informs"


@dataclass(frozen=True)
class Case:
    data: str
    k: int
    m: int
    algorithm: str
    seconds: float | None

    def model(self) -> Model:
        if self.data == "informs-rt":
            return sh.KKmAnonymity(self.k, self.m)
        return sh.KmAnonymity(self.k, self.m) if self.data in SETS else sh.KAnonymity(self.k)


@dataclass(frozen=True)
class Found:
    case: Case
    loss: float | None
    took: str
    seconds: float
    memory_mb: float
    error: str = ""


def data_of(name: str) -> Data:
    codes = sh.QuasiSet(separator=" ", hierarchy=INFORMS / "ICD9.csv")
    options = ReadOptions(others="drop")
    if name == "informs":
        return sh.read(DATA / "informs2005_rt.csv.gz", {"ICD9": codes}, options=options)
    if name == "informs-rt":
        values = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
        columns = {column: sh.Quasi(hierarchy=INFORMS / f"{column}.csv") for column in values}
        return sh.read(DATA / "informs2005_rt.csv.gz", {**columns, "ICD9": codes}, options=options)
    tree: Any = DATA / "hierarchies" / "groceries" / "item.csv" if name == "groceries" else sh.fanout(5)
    return sh.read(DATA / f"{name}.txt.gz", {"items": sh.QuasiSet(hierarchy=tree)})


def measure(case: Case) -> Found:
    started = time.perf_counter()
    try:
        data = data_of(case.data)
        result = sh.anonymize(
            data,
            case.model(),
            algorithm=case.algorithm,
            time_limit=case.seconds,
            on_limit="stop" if case.seconds is None else "best",
        )
    except ShoalError as error:
        taken = time.perf_counter() - started
        return Found(case, None, "", taken, peak_memory_mb(), str(error).splitlines()[0])
    losses, outcome = result.outcome.cost.losses, result.outcome
    loss = losses["ncp"] + (losses["ul"] if case.data == "informs-rt" else 0.0)
    return Found(case, loss, outcome.provenance.algorithm, time.perf_counter() - started, peak_memory_mb())


def cases(data: Sequence[str], ks: Sequence[int], ms: Sequence[int], seconds: float) -> Iterator[list[Case]]:
    for name in data:
        for k in ks:
            for m in ms:
                auto = Case(name, k, m, "auto", None)
                others = [each for each in serving([auto.model()]) if each not in ("oa", "lgr-literal")]
                yield [auto, *(Case(name, k, m, each, seconds) for each in others)]


def rows(found: Sequence[Found]) -> bool:
    """Print what was found, and tell whether auto is as good as it should be."""
    auto, *others = found
    best = min((each.loss for each in others if each.loss is not None), default=None)
    for each in found:
        loss = "-" if each.loss is None else f"{100 * each.loss:.3f}"
        called = f"auto ({each.took})" if each is auto else each.case.algorithm
        case = each.case
        print(
            f"| {case.data} | {case.k} | {case.m} | {called} | {loss} | {each.seconds:.1f} | {each.error} |"
        )
    sys.stdout.flush()
    return auto.loss is not None and (best is None or auto.loss <= TIMES_THE_BEST * best + 1e-9)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", choices=("sets", "both"), default="sets")
    parser.add_argument("--data", help="some data sets, with commas between")
    parser.add_argument("--k", default="5,10,50")
    parser.add_argument("--m", default="2,3")
    parser.add_argument("--seconds", type=float, default=600.0)
    given = parser.parse_args()
    names = given.data.split(",") if given.data else list(SETS) if given.only == "sets" else ["informs-rt"]
    ks, ms = ([int(each) for each in text.split(",")] for text in (given.k, given.m))
    print(
        "| data | k | m | algorithm | loss % | seconds | |\n| --- | ---: | ---: | --- | ---: | ---: | --- |"
    )
    fine = True
    context = multiprocessing.get_context("spawn")
    for group in cases(names, ks, ms, given.seconds):
        with context.Pool(1, maxtasksperchild=1) as pool:
            fine &= rows([pool.apply(measure, (case,)) for case in group])
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
