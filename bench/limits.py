"""Whether every algorithm ends when its time is up, with a safe release or with the word that there is none.

    python bench/limits.py [--data NAME,..] [--algorithms NAME,..] [--promises NAME,..] [--limits 10,60]
                           [--on-limit best|stop] [--results FILE.jsonl] [--again] [--only-late] [--quick]
                           [--keep]

Every algorithm of the catalogue, and `auto`, with every promise that suits the shape of the data: k-anonymity
of tables, with l-diversity (l = 1.2) where a column is sensitive, k^m-anonymity, complete k-anonymity,
disassociation and differential privacy of sets, and (k,k^m)-anonymity of tables with sets; k = 5, m = 2,
epsilon = 1. The data are all that SHOAL_DATA has, each in its widest form, and twice 100,000 baskets over
20,000 items: of the Quest model, and with a long tail.

A search may take 1.2 times its `time_limit` and 2 s. Its seconds are those on the wall from its start to its
decision or its refusal; reading comes before, and kernels are compiled on a few records of the same data,
which a first run of an installation pays for. `total` adds applying, verifying and measuring, which no limit
covers. A search that takes 5 times its limit is ended: it "did not end".

With `--results` every measurement is written down, and those that are there are not made again unless
`--again` says so; `--only-late` makes only those that a shorter limit struck. A limit of 10 s for all takes
about an hour; `--quick` has 2 s for some of the data. After the measurements stands, for each algorithm, the
one that took longest, which is what `--keep` keeps. The exit code is 1 if a search took too long, or ended
otherwise than with a release that was verified or with exit code 4.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

import shoal as sh
from measuring.kept_tables import offer_to_keep, printed_table
from measuring.tables import DATA, TABLES, beginning, frame
from shoal.algorithms.auto.candidates import serving
from shoal.algorithms.search import Limits, Search, WithinLimits
from shoal.errors import LimitReached, ShoalError
from shoal.privacy.promise import Promise
from shoal.progress import Silent
from shoal.run.in_memory import algorithm_for
from shoal.run.prepare import Data
from shoal.table.quest import quest
from shoal.table.reading import ReadOptions

TIMES_THE_LIMIT, SECONDS_MORE = 1.2, 2.0
TIMES_BEFORE_THE_END = 5
SHARE_THAT_STRIKES = 0.7  # auto tries for three quarters of its limit
QUICK = ("groceries", "msweb", "youtube-rt", "coil2000")
SECONDS_AFTER_THE_SEARCH = 900.0
SECONDS_OF_COMPILING = 20.0
RECORDS_TO_COMPILE_WITH = 300
K, M, L = 5, 2, 1.2
BASKETS, ITEMS, LENGTH = 100_000, 20_000, 10
FANOUT = 5

SAFE, LIMIT, ERROR, ENDLESS = "verified release", "limit (exit code 4)", "error", "did not end"

TREES = DATA / "hierarchies"
FORK = multiprocessing.get_context("fork")

PROMISES: Mapping[str, Any] = {
    "k": sh.KAnonymity(K),
    "k-l": Promise((sh.KAnonymity(K), sh.LDiversity(L))),
    "km": sh.KmAnonymity(K, M),
    "km1": sh.KmAnonymity(K, 1),
    "set-k": sh.SetKAnonymity(K),
    "chunks": sh.Disassociation(K, M),
    "noise": sh.DifferentialPrivacy(1.0),
    "k-km": sh.KKmAnonymity(K, M),
}
OF_TABLES, OF_SENSITIVE_TABLES = ("k",), ("k", "k-l")
OF_SETS, OF_BOTH = ("km", "km1", "set-k", "chunks", "noise"), ("k-km",)
# Not every bound can be met, so several are tried.
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    name: {"delta": "frontier"} for name in ("tmerge-r", "tmerge-t", "tmerge-rt")
}
ONLY_WITH: Mapping[str, str] = {"lgr-literal": "km1"}  # serves no larger m; the others are asked for m = 2


def from_files(folder: str, *names: str) -> dict[str, Any]:
    return {name: sh.Quasi(hierarchy=TREES / folder / f"{name}.csv") for name in names}


def numbers(*names: str) -> dict[str, Any]:
    return {name: sh.Quasi(kind="number", hierarchy=sh.fanout(FANOUT)) for name in names}


def categories(*names: str) -> dict[str, Any]:
    return {name: sh.Quasi(hierarchy=sh.fanout(FANOUT)) for name in names}


def columns_of(file: str) -> list[str]:
    return csv.open_csv(DATA / file).schema.names


def bound_table(name: str, sensitive: Any) -> Data:
    """A table as the other benchmarks have it."""
    return sh.read(frame(name), {**TABLES[name].quasi, TABLES[name].sensitive: sensitive})


def table(file: str, roles: Callable[[], Mapping[str, Any]]) -> Data:
    chosen = roles()
    texts = {name: pa.string() for name, role in chosen.items() if getattr(role, "kind", "") != "number"}
    options = csv.ConvertOptions(include_columns=list(chosen), column_types=texts)
    return sh.read(csv.read_csv(DATA / file, convert_options=options), chosen)


def sets(name: str, tree: Any) -> Data:
    chosen = TREES / "groceries" / "item.csv" if name == "groceries" else tree
    return sh.read(DATA / f"{name}.txt.gz", {"items": sh.QuasiSet(hierarchy=chosen)})


def with_tree_of_a_file(bring: Callable[[Any], Data]) -> Data:
    """The same with its tree in a file, as differential privacy wants it."""
    levels = [sorted(bring(sh.flat()).local.table.sets("items").domain.texts())]
    while levels[-1][-1] != levels[-1][0]:
        height = len(levels)
        levels.append([f"{height}:{place // FANOUT**height}" for place in range(len(levels[0]))])
    file = Path(folder_of_trees().name) / "items.csv"
    file.write_text("".join(";".join(line) + "\n" for line in zip(*levels, strict=True)))
    return bring(file)


@cache
def folder_of_trees() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


def baskets(tree: Any) -> Data:
    """Quest baskets, whose items are bought about evenly."""
    column = quest(BASKETS, ITEMS, seed=1)
    return _read_baskets(column.arrays.starts, column.arrays.items, tree)


def long_tail(tree: Any) -> Data:
    """Baskets of independent items, of which few are bought by many and most by hardly anybody."""
    random = np.random.default_rng(1)
    sizes = 1 + random.poisson(LENGTH - 1, BASKETS)
    popularity = 1 / (10 + np.arange(ITEMS)) ** 1.3
    drawn = random.choice(ITEMS, sizes.sum(), p=popularity / popularity.sum())
    cells = np.unique(np.stack((np.repeat(np.arange(BASKETS), sizes), drawn)), axis=1)
    return _read_baskets(np.searchsorted(cells[0], np.arange(BASKETS + 1)), cells[1], tree)


def _read_baskets(starts: Any, items: Any, tree: Any) -> Data:
    names = pa.array([f"i{item:05}" for item in range(ITEMS)])
    lists = pa.ListArray.from_arrays(pa.array(starts, pa.int32()), names.take(pa.array(items)))
    return sh.read(pa.table({"items": lists}), {"items": sh.QuasiSet(hierarchy=tree)})


def both(file: str, roles: Mapping[str, Any]) -> Data:
    return sh.read(DATA / file, roles, options=ReadOptions(others="drop"))


INFORMS = from_files("informs", "DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
FARS = (
    "iage",
    "irace",
    "ideathmon",
    "ideathday",
    "isex",
    "ihispanic",
    "istatenum",
    "iinjury",
)
ADULT_ARX = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation",
    "salary-class",
)  # fmt: skip
YOUTUBE = {
    **numbers("age", "length", "rate", "ratings", "comments"),
    "category": sh.Quasi(hierarchy=sh.flat()),
    "related": sh.QuasiSet(separator=" ", hierarchy=sh.fanout(FANOUT)),
}

# The data by their names, the largest and widest of each shape first.
DATA_SETS: Mapping[str, tuple[tuple[str, ...], Callable[..., Data]]] = {
    "quest": (OF_SETS, baskets),
    "long-tail": (OF_SETS, long_tail),
    **{
        name: (OF_SETS, partial(sets, name))
        for name in ("fruithut", "bms_webview2", "bms_webview1", "msweb", "groceries")
    },
    "youtube-rt": (OF_BOTH, partial(both, "youtube_rt_sample.csv.gz", YOUTUBE)),
    "informs-rt": (
        OF_BOTH,
        partial(
            both,
            "informs2005_rt.csv.gz",
            {**INFORMS, "ICD9": sh.QuasiSet(separator=" ", hierarchy=TREES / "informs" / "ICD9.csv")},
        ),
    ),
    "coil2000-86": (
        OF_TABLES,
        partial(table, "coil2000.csv.gz", lambda: categories(*columns_of("coil2000.csv.gz"))),
    ),
    "creditcard": (
        OF_TABLES,
        partial(table, "creditcard.csv.gz", lambda: numbers(*columns_of("creditcard.csv.gz"))),
    ),
    "adult-14": (OF_SENSITIVE_TABLES, partial(bound_table, "adult-14")),
    "fars": (OF_TABLES, partial(table, "fars.csv.gz", lambda: from_files("fars", *FARS))),
    "adult_48842": (
        OF_TABLES,
        partial(table, "adult_48842.csv.gz", lambda: categories(*columns_of("adult_48842.csv.gz"))),
    ),
    "adult_arx_30162": (
        OF_TABLES,
        partial(table, "adult_arx_30162.csv.gz", lambda: from_files("adult", *ADULT_ARX)),
    ),
    "informs": (OF_TABLES, partial(table, "informs2005_relational.csv.gz", lambda: INFORMS)),
    "nursery": (OF_SENSITIVE_TABLES, partial(bound_table, "nursery")),
    "coil2000": (OF_SENSITIVE_TABLES, partial(bound_table, "coil2000")),
}


@dataclass(frozen=True)
class Case:
    """A search on some data with a promise and a limit."""

    data: str
    promise: str
    algorithm: str
    limit: float
    on_limit: str

    @property
    def allowed(self) -> float:
        return TIMES_THE_LIMIT * self.limit + SECONDS_MORE


@dataclass(frozen=True)
class Found:
    """What came of it; `where` is what a search that took too long was doing when its time was over."""

    case: Case
    what: str
    seconds: float
    total: float
    note: str = ""
    where: str = ""

    @property
    def ratio(self) -> float:
        return self.seconds / self.case.allowed

    @property
    def fine(self) -> bool:
        return self.what in (SAFE, LIMIT) and self.ratio <= 1

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Found:
        return cls(**{**values, "case": Case(**values["case"])})


@lru_cache(maxsize=1)
def load(name: str, promise: str) -> Data:
    promises, bring = DATA_SETS[name]
    if promises is OF_SENSITIVE_TABLES:
        return bring(sh.Sensitive() if promise == "k-l" else sh.Insensitive())
    if promises is not OF_SETS:
        return bring()
    return with_tree_of_a_file(bring) if promise == "noise" else bring(sh.fanout(FANOUT))


class Watched(Silent):
    """Tells when the search begins and when it is over."""

    def __init__(self, sender: Connection) -> None:
        super().__init__()
        self._sender, self.began, self.ended = sender, 0.0, 0.0

    def stage(self, name: str) -> None:
        if name.startswith("searching with") and not self.began:
            self._sender.send("searching")
            self.began = time.perf_counter()
        elif name == "applying":
            self.end()

    def end(self) -> None:
        if not self.ended:
            self.ended = time.perf_counter()
            faulthandler.cancel_dump_traceback_later()
            self._sender.send("searched")


def compile_kernels(case: Case, data: Data) -> None:
    """Let the algorithm run on a few records, so that its kernels are compiled and loaded.

    Once with enough time, and once with none: what ends a search has kernels of its own.
    """
    models = Promise.of(PROMISES[case.promise])
    few = beginning(data.local, RECORDS_TO_COMPILE_WITH)
    for seconds in (SECONDS_OF_COMPILING, 1e-9):
        limits = Limits(time=seconds, on_limit="best")
        search = Search(algorithm=case.algorithm, options=OPTIONS.get(case.algorithm, {}), limits=limits)
        with contextlib.suppress(ShoalError):  # what cannot be searched says so when it is measured
            algorithm, _ = algorithm_for(search, models, few)
            algorithm.find(few, models, np.random.default_rng(0), WithinLimits(Silent(), limits))


def measure(case: Case, sender: Connection, stacks: Any) -> None:
    """Search, apply, verify and measure; runs in a process of its own."""
    data = load(case.data, case.promise)
    compile_kernels(case, data)
    progress, what, note = Watched(sender), SAFE, ""
    faulthandler.dump_traceback_later(case.allowed, file=stacks)
    started = time.perf_counter()
    try:
        result = sh.anonymize(
            data,
            PROMISES[case.promise],
            algorithm=case.algorithm,
            seed=None if case.promise == "noise" else 1,
            time_limit=case.limit,
            on_limit=case.on_limit,
            progress=progress,
            **OPTIONS.get(case.algorithm, {}),
        )
        losses = result.outcome.cost.losses
        note = ", ".join(f"{name} {losses[name]:.4g}" for name in ("ncp", "ul", "lm") if name in losses)
        if case.algorithm == "auto":
            note = f"{result.outcome.provenance.algorithm}: {note}"
    except LimitReached as error:
        what, note = LIMIT, str(error).splitlines()[0]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        what, note = ERROR, f"{type(error).__name__}: {str(error).splitlines()[0]}"
    progress.end()
    total = time.perf_counter() - started
    sender.send(Found(case, what, progress.ended - (progress.began or started), total, note))


def measured_apart(case: Case) -> Found:
    """As `measure`, in a process that is ended when it takes much longer than its limit."""
    load(case.data, case.promise)
    receiver, sender = FORK.Pipe(duplex=False)
    with tempfile.TemporaryFile("w+") as stacks:
        child = FORK.Process(target=measure, args=(case, sender, stacks))
        child.start()
        sender.close()
        try:
            found = await_found(case, receiver)
        finally:
            child.kill()
            child.join()
        stacks.seek(0)
        where = innermost(stacks.read())
    return Found(**{**vars(found), "where": where}) if found.seconds > case.allowed else found


def await_found(case: Case, receiver: Connection) -> Found:
    most = TIMES_BEFORE_THE_END * case.limit
    patience, seconds = 10 * SECONDS_OF_COMPILING + most, float("nan")
    began = time.perf_counter()
    while True:
        try:
            if not receiver.poll(patience):
                searched = seconds == seconds  # noqa: PLR0124 - a number once the search is over
                note = "the search ended, what follows did not" if searched else ""
                return Found(case, ENDLESS, seconds if searched else most, time.perf_counter() - began, note)
            told = receiver.recv()
        except EOFError:
            return Found(case, ERROR, most, time.perf_counter() - began, "the process died")
        if isinstance(told, Found):
            return told
        if told == "searching":
            began, patience = time.perf_counter(), most
        else:
            seconds, patience = time.perf_counter() - began, SECONDS_AFTER_THE_SEARCH


def innermost(stacks: str) -> str:
    """The innermost lines of ours of each thread."""
    said = []
    for stack in stacks.split("\n\n"):
        lines = [line.split("/shoal/")[1] for line in stack.splitlines() if "/shoal/" in line]
        if lines and "threads.py" not in lines[0]:
            said.append(" < ".join(line.replace('", line ', ":") for line in lines[:4]))
    return "; ".join(said)


def cases(given: argparse.Namespace) -> Iterator[Case]:
    for data in given.data:
        for limit in given.limits:
            for promise in DATA_SETS[data][0]:
                if promise not in given.promises:
                    continue
                for algorithm in (*serving(Promise.of(PROMISES[promise])), "auto"):
                    if promise == "km1" and algorithm not in ONLY_WITH:
                        continue
                    if ONLY_WITH.get(algorithm, promise) != promise:
                        continue
                    if not given.algorithms or algorithm in given.algorithms:
                        yield Case(data, promise, algorithm, limit, given.on_limit)


@dataclass
class Kept:
    """What was measured before: lines of a file, of which the last of each case counts."""

    path: Path | None

    def __post_init__(self) -> None:
        lines = self.path.read_text().splitlines() if self.path is not None and self.path.exists() else []
        self.known = {found.case: found for found in (Found.of(json.loads(line)) for line in lines)}

    def measured(self, case: Case, *, again: bool, only_late: bool) -> Found | None:
        known = self.known.get(case)
        if only_late and not self._struck_before(case):
            return None
        if known is not None and not again:
            return known
        found = measured_apart(case)
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps(asdict(found)) + "\n")
        return found

    def _struck_before(self, case: Case) -> bool:
        """Whether a shorter limit ended the search for the same."""
        return any(
            found.seconds >= SHARE_THAT_STRIKES * other.limit
            for other, found in self.known.items()
            if replace(other, limit=case.limit) == case and other.limit < case.limit
        )


def row(found: Found) -> None:
    case, mark = found.case, "" if found.fine else "**"
    cells = (
        case.data,
        case.promise,
        case.algorithm,
        f"{case.limit:g}",
        f"{found.seconds:.1f}",
        f"{found.total:.1f}",
        f"{mark}{found.what}{mark}",
        f"{mark}{found.ratio:.2f}{mark}",
        " ".join(each for each in (found.note[:100], found.where) if each),
    )
    print(f"| {' | '.join(cells)} |", flush=True)


def longest(all_found: Sequence[Found]) -> None:
    """Print, for each algorithm and limit, how its searches ended and the one that took longest."""
    groups = dict[tuple[str, float], list[Found]]()
    for found in all_found:
        groups.setdefault((found.case.algorithm, found.case.limit), []).append(found)
    names = ("algorithm", "limit s", "searches", "releases", "exit code 4", "other ends", "longest s", "on")
    print()
    with printed_table("limits", names) as add_row:
        for (algorithm, limit), some in sorted(groups.items()):
            worst = max(some, key=lambda found: found.seconds)
            ends = [sum(found.what == what for found in some) for what in (SAFE, LIMIT)]
            told = f"{worst.seconds:.1f}", f"{worst.case.data}, {worst.case.promise}"
            add_row(algorithm, f"{limit:g}", len(some), *ends, len(some) - sum(ends), *told)


@cache
def names(text: str) -> tuple[str, ...]:
    return tuple(each for each in text.split(",") if each)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=names, default=tuple(DATA_SETS))
    parser.add_argument("--algorithms", type=names, default=())
    parser.add_argument("--promises", type=names, default=tuple(PROMISES))
    parser.add_argument("--limits", type=lambda text: [float(each) for each in names(text)], default=[10.0])
    parser.add_argument("--on-limit", choices=("best", "stop"), default="best")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only-late", action="store_true")
    parser.add_argument("--quick", action="store_true")
    offer_to_keep(parser)
    given = parser.parse_args()
    if given.quick:
        given.data, given.limits = QUICK, [2.0]
    print(
        "| data | promise | algorithm | limit s | search s | total s | what came out | of what is allowed | |"
    )
    print("| --- | --- | --- | ---: | ---: | ---: | --- | ---: | --- |", flush=True)
    kept, all_found = Kept(given.results), list[Found]()
    for case in cases(given):
        found = kept.measured(case, again=given.again, only_late=given.only_late)
        if found is not None:
            row(found)
            all_found.append(found)
    longest(all_found)
    late = [found for found in all_found if not found.fine]
    print(f"\n{len(late)} broke their limit or failed." if late else "\nAll kept their limits.")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
