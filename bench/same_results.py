"""Whether searches with a seed decide the same before and after a change of the code, and are as fast.

    python bench/same_results.py record FILE.json [--only PATTERN]...
    python bench/same_results.py compare OLD.json NEW.json
    python bench/same_results.py times --old OLD/src --new NEW/src [--only PATTERN]... [--repeats 3]

record      runs every algorithm of the catalogue with every model that it serves, on tables, sets and tables
            with sets, and writes down all losses, the number of published records, a digest of what is
            published (the rows as sorted lines) and processor seconds. PYTHONPATH says which sources run.
            A few minutes on one core once kernels are compiled. The exit code is 1 if a case fails, or if
            an algorithm has no case with one of its models.
compare     a Markdown table of both files. The exit code is 1 if anything but time differs.
times       every case of 0.2 s or more, or those that are named, with both sources in turn: two processes
            that stay alive, a first run of each case that does not count, then the least processor time of
            several. The exit code is 1 if a case fails.

A pattern is a case's name, with * for any letters. Only what `shoal` exports is called, and the catalogue, so
that the script runs with older and newer sources. Without a command, as in `make bench`, it prints this.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

import shoal as sh
from shoal.algorithms.catalogue import describe_algorithms

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
TREES = DATA / "hierarchies"
SEED, LEAST_SECONDS = 7, 0.2

K = sh.KAnonymity(5)
MODELS: Mapping[str, tuple[Any, ...]] = {
    "k": (K,),
    "k+l": (K, sh.LDiversity(2)),
    "k+distinct": (K, sh.LDiversity(3, "distinct")),
    "k+entropy": (K, sh.LDiversity(3, "entropy")),
    "k+recursive": (K, sh.LDiversity(2, "recursive", 2)),
    "k+t": (K, sh.TCloseness(0.5)),
    "k+ordered": (K, sh.TCloseness(0.3, "ordered")),
    "alpha-k": (sh.AlphaKAnonymity(0.4, 5),),
    "km1": (sh.KmAnonymity(5, 1),),
    "km": (sh.KmAnonymity(5, 2),),
    "km3": (sh.KmAnonymity(5, 3),),
    "km-negative": (sh.KmAnonymity(5, 1, negative=True),),
    "lm": (sh.LmDiversity(2, 2),),
    "set-k": (sh.SetKAnonymity(5),),
    "set-k+l": (sh.SetKAnonymity(5), sh.SetLDiversity(2)),
    "k-km": (sh.KKmAnonymity(10, 2),),
    "k-lm": (sh.KLmDiversity(10, 2, 2),),
    "pieces": (sh.Disassociation(5, 2),),
    "pieces+l": (sh.Disassociation(5, 2, 2),),
    "noise": (sh.DifferentialPrivacy(1.0),),
}


def quasi(recipe: Any, *names: str, kind: Any = "category") -> dict[str, Any]:
    """Columns with trees of one recipe, or from the files of a folder."""
    files = {name: TREES / recipe / f"{name}.csv" for name in names} if isinstance(recipe, str) else {}
    return {name: sh.Quasi(kind=kind, hierarchy=files.get(name, recipe)) for name in names}


def items(hierarchy: Any, *sensitive: str, name: str = "items") -> dict[str, Any]:
    return {name: sh.QuasiSet(hierarchy=hierarchy, sensitive=sensitive)}


ADULT = quasi("adult", "workclass", "education", "marital-status", "race", "sex", "native-country")
NURSERY = quasi(sh.flat(), "parents", "form", "housing", "finance", "social", "health")
COIL = quasi(sh.fanout(4), "MOSTYPE", "MGODRK", "MGODPR", "MGEMLEEF", "MAANTHUI")
FARS = quasi("fars", "iage", "irace", "ideathmon", "isex", "ihispanic", "istatenum")
INFORMS = quasi("informs", "DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
RANGES = quasi(None, "age", "education-num", "hours-per-week", "capital-gain", kind="number")
YOUTUBE = quasi(sh.fanout(5), "age", "length", "rate", "ratings", "comments", kind="number")
YOUTUBE |= quasi(sh.flat(), "category")
GROCERIES, ICD9 = TREES / "groceries" / "item.csv", TREES / "informs" / "ICD9.csv"
ILLNESSES = ("250", "296", "300", "311", "401", "493")
SENSITIVE: Any = sh.Sensitive()

# The roles of a file's columns; a file can be read in several ways, which the word after the + tells apart.
ROLES: Mapping[str, Mapping[str, Any]] = {
    "adult": {**ADULT, **quasi("adult_peer", "age", kind="number"), "occupation": SENSITIVE},
    "adult+ranges": {**RANGES, **quasi(sh.flat(), "sex", "race"), "occupation": SENSITIVE},
    "adult+ordered": {**ADULT, "education-num": sh.Sensitive(kind="number")},
    "adult_48842": {**ADULT, **quasi(sh.ranges(5, 10, 20, 40), "age", kind="number")},
    "nursery": {**NURSERY, **quasi(sh.fanout(2), "children", "has_nurs"), "class": SENSITIVE},
    "coil2000": {**COIL, "MRELGE": SENSITIVE},
    "fars": {**FARS, "iinjury": SENSITIVE},
    **{name: items(sh.fanout(5)) for name in ("bms_webview1", "bms_webview2", "fruithut", "msweb")},
    "msweb+bare": items(None),
    "msweb+sensitive": items(sh.fanout(5), "1020", "1041", "1046", "1067"),
    "groceries": items(GROCERIES),
    "groceries+flatter": items(sh.fanout(13)),
    "groceries+sensitive": items(GROCERIES, "29", "105", "127", "167"),
    "informs2005_rt": {**INFORMS, **items(ICD9, name="ICD9")},
    "informs2005_rt+sensitive": {**INFORMS, **items(ICD9, *ILLNESSES, name="ICD9")},
    "youtube_rt_sample": {**YOUTUBE, **items(sh.fanout(5), name="related")},
}


@dataclass(frozen=True)
class Case:
    """An algorithm with a promise on some rows of a data set; 0 rows are all."""

    algorithm: str
    data: str
    promise: str
    rows: int
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        options = (f"{option}={value}" for option, value in self.options.items())
        return " ".join((self.algorithm, self.data, str(self.rows or "all"), self.promise, *options))


def grid(algorithms: str, data: str, promises: str, rows: int = 0, **options: Any) -> Iterator[Case]:
    for algorithm, source, promise in product(algorithms.split(), data.split(), promises.split()):
        yield Case(algorithm, source, promise, rows, options)


def on_tables() -> Iterator[Case]:
    fast, clusters = "mondrian hilbert full-domain", "k-member cluster forest agglomerative"
    for algorithms, rows in ((fast, 0), (clusters, 15_000), ("sequential", 8_000), ("kanon-cf", 3_000)):
        yield from grid(algorithms, "adult", "k k+l k+t alpha-k", rows)
        yield from grid(algorithms, "adult_48842 nursery coil2000 fars", "k", rows)
    yield from grid(fast, "adult", "k+distinct k+entropy k+recursive")
    yield from grid(f"{fast} cluster", "adult+ordered", "k+ordered")
    yield from grid("mondrian hilbert", "adult+ranges", "k k+t")
    yield from grid("mondrian", "adult fars", "k k+l", mode="relaxed")
    yield from grid("full-domain", "adult fars", "k k+l", suppression=0.05, measure="lm")
    yield from grid("hilbert k-member forest", "adult", "k k+l", 3_000, local_search=True, measure="lm")
    yield from grid("cluster agglomerative sequential", "fars", "k", 5_000, measure="entropy")
    yield from grid("agglomerative", "adult", "k", 5_000, distance="ratio", modified=False)
    yield from grid("kanon-cf", "fars", "k", 5_000, local_search=False, measure="entropy")
    yield from grid("auto", "adult nursery", "k k+l", 2_000)


def on_sets() -> Iterator[Case]:
    files = "bms_webview1 bms_webview2 fruithut msweb groceries"
    diverse = "msweb+sensitive groceries+sensitive"
    yield from grid("aa lra vpa da", files, "km km3")
    yield from grid("lgr-literal", files, "km1")
    yield from grid("lgr partition", files, "set-k")
    yield from grid("hghs", "bms_webview1 msweb groceries", "km")
    yield from grid("oa", "groceries+flatter", "km")
    yield from grid("pcta", "bms_webview1 fruithut msweb groceries", "km", 5_000)
    yield from grid("pcta auto", "msweb+bare", "km")
    yield from grid("aa vpa", "bms_webview1 groceries", "km-negative", 5_000)
    yield from grid("aa lra vpa pcta", diverse, "lm")
    yield from grid("lgr partition", diverse, "set-k+l")
    yield from grid("lgr partition", "bms_webview2 groceries", "set-k", suppression=0.2)
    yield from grid("aa vpa da", "bms_webview2 fruithut", "km3", minimal=False)
    yield from grid("lra", "bms_webview2 fruithut", "km", parts=5, single_items=False, threads=2)
    yield from grid("vpa", "bms_webview2 fruithut", "km3", parts=5, level=2, exchanges=0)
    yield from grid("disassociation", files, "pieces")
    yield from grid("disassociation", files, "pieces", settle=False, term_order="renewed")
    yield from grid("disassociation", diverse, "pieces+l")
    yield from grid("disassociation", "fruithut", "pieces", refine=False, max_cluster_size=50)
    yield from grid("diffpart", "groceries", "noise")
    yield from grid("diffpart", "groceries", "noise", partition_threshold=0.2, leaf_threshold=0.2)


def on_tables_with_sets() -> Iterator[Case]:
    informs, diverse, youtube = "informs2005_rt", "informs2005_rt+sensitive", "youtube_rt_sample"
    rum, tum = "rmerge-rt rmerge-r rmerge-t", "tmerge-rt tmerge-r tmerge-t"
    for merging, delta in ((rum, 0.7), (tum, 0.45)):
        yield from grid(merging, informs, "k-km", 3_000, items="pcta", delta=delta)
        yield from grid(merging, diverse, "k-lm", 3_000, items="pcta", delta=delta)
        yield from grid(merging, youtube, "k-km", 1_500, items="pcta", delta=delta)
    yield from grid(rum, f"{informs} {youtube}", "k-km", 4_000, items="aa")
    yield from grid("rfirst", f"{informs} {youtube}", "k-km", 2_000)
    yield from grid("rfirst", diverse, "k-lm", 3_000, items="pcta")
    yield from grid("tfirst", f"{informs} {youtube}", "k-km", 4_000, parts=50)
    yield from grid("tfirst", diverse, "k-lm", 3_000, items="pcta", parts=20)
    yield from grid("rmerge-rt tmerge-rt", informs, "k-km", 1_000, items="pcta", delta="frontier")
    yield from grid("rmerge-t", informs, "k-km", 500, items="pcta", closeness="loss")
    yield from grid("auto", informs, "k-km", 1_000)
    yield from grid("auto", diverse, "k-lm", 1_000)


CASES = {case.name: case for case in (*on_tables(), *on_sets(), *on_tables_with_sets())}


def read(case: Case) -> Any:
    """The whole file, or a frame of some of its rows, drawn with a fixed seed."""
    roles = ROLES[case.data]
    file = DATA / f"{case.data.partition('+')[0]}.{'txt' if 'items' in roles else 'csv'}.gz"
    options = sh.ReadOptions(others="drop", missing=("", "?"))
    if not case.rows:
        return sh.read(file, roles, options=options)
    if "items" in roles:
        frame = pa.table({"items": gzip.decompress(file.read_bytes()).decode().splitlines()})
    else:
        texts = csv.ConvertOptions(column_types=dict.fromkeys(roles, pa.string()))
        frame = csv.read_csv(file, convert_options=texts)
    drawn = np.random.default_rng(SEED).permutation(len(frame))[: case.rows]
    return sh.read(frame.take(drawn), roles, options=options)


def run(case: Case) -> tuple[Any, float]:
    """The result, and the processor seconds that it took without reading."""
    data, started = read(case), time.process_time()
    how = {"algorithm": case.algorithm, "seed": SEED, "reproducible": True, **case.options}
    return sh.anonymize(data, MODELS[case.promise], **how), time.process_time() - started


def digest(frame: pa.Table) -> str:
    rows = zip(*(column.to_pylist() for column in frame.columns), strict=True)
    lines = "\n".join((repr(frame.column_names), *sorted(map(repr, rows))))
    return hashlib.sha256(lines.encode()).hexdigest()


def saved_facts(result: Any) -> dict[str, Any]:
    """What the saved release tells about itself."""
    with tempfile.TemporaryDirectory() as folder:
        return json.loads((result.save(Path(folder) / "release") / "result.json").read_text(encoding="utf-8"))


def facts(case: Case) -> dict[str, Any]:
    """What is written down about a case; seconds of the search are on the clock."""
    models = [repr(model) for model in MODELS[case.promise]]
    about = {"algorithm": case.algorithm, "models": models, "data": case.data, "rows": case.rows or "all"}
    try:
        result, total = run(case)
        saved = saved_facts(result)
        published = {"published_records": saved["published_records"], "sha256": digest(result.frame)}
        seconds = {"search": saved["seconds"]["algorithm"], "total": total}
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is a result that differs
        return {**about, "failure": f"{type(error).__name__}: {error}"}
    return {**about, "loss": result.loss, **published, "seconds": seconds}


def chosen(patterns: Sequence[str]) -> list[Case]:
    """The cases with a name that fits a pattern; all if there is none."""
    return [case for name, case in CASES.items() if any(fnmatchcase(name, each) for each in patterns or "*")]


def gaps() -> list[str]:
    """Algorithms that are not tried with one of the models that they serve."""
    tried = {(case.algorithm, model.name) for case in CASES.values() for model in MODELS[case.promise]}
    served = [(each["name"], model) for each in describe_algorithms() for model in each["models"]]
    return [f"{name} with {model} has no case" for name, model in served if (name, model) not in tried]


def record(file: Path, only: Sequence[str]) -> int:
    found, started = dict[str, dict[str, Any]](), time.process_time()
    for case in chosen(only):
        found[case.name] = each = facts(case)
        print(case.name, each.get("failure") or f"{each['seconds']['total']:.2f} s", sep=": ", flush=True)
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    wrong = [*(f"{name} failed" for name in found if "failure" in found[name]), *gaps()]
    print("", f"{len(found)} cases, {time.process_time() - started:.0f} s", *wrong, sep="\n")
    return 1 if wrong else 0


def compare(old_file: Path, new_file: Path) -> int:
    old, new = (json.loads(file.read_text(encoding="utf-8")) for file in (old_file, new_file))
    print("| case | loss old | loss new | same content |", "| --- | ---: | ---: | --- |", sep="\n")
    differ, missing = 0, {"failure": "missing"}
    for name in dict.fromkeys((*old, *new)):
        one, other = old.get(name, missing), new.get(name, missing)
        losses = [{key: repr(loss) for key, loss in each.get("loss", {}).items()} for each in (one, other)]
        measures = list(dict.fromkeys((*losses[0], *losses[1], "none")))
        shown = next((key for key in measures if losses[0].get(key) != losses[1].get(key)), measures[0])
        cells = [
            each.get("failure") or f"{shown} {loss.get(shown)}"
            for each, loss in zip((one, other), losses, strict=True)
        ]
        same = all(one.get(key) == other.get(key) for key in ("sha256", "published_records", "failure"))
        differ += not same or losses[0] != losses[1]
        print(f"| {name} | {' | '.join(cells)} | {'yes' if same else 'NO'} |")
    print(f"\n{differ} cases differ." if differ else f"\nAll {len(old)} cases are the same.")
    return 1 if differ else 0


def work() -> int:
    """Run the cases that are named on standard input, and answer with their processor seconds."""
    print(sh.__file__, flush=True)
    for line in sys.stdin:
        try:
            seconds = run(CASES[line.rstrip("\n")])[1]
        except Exception as error:  # noqa: BLE001 - the other cases can still be measured
            print(error, file=sys.stderr)
            seconds = math.nan
        print(seconds, flush=True)
    return 0


class Worker:
    """A process that runs cases with the sources of one folder."""

    def __init__(self, sources: Path) -> None:
        words, self.sources = [sys.executable, __file__, "work"], sources.resolve()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(self.sources)}, **pipes)
        if self.sources not in Path(self._answer()).parents:
            raise SystemExit(f"{sources} holds no sources of Shoal")

    def _answer(self) -> str:
        return self._process.stdout.readline().rstrip("\n")

    def seconds(self, case: Case) -> float:
        self._process.stdin.write(f"{case.name}\n")
        self._process.stdin.flush()
        return float(self._answer())

    def end(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def least_seconds(case: Case, workers: Sequence[Worker], repeats: int, at_least: float) -> list[float]:
    """The least seconds of each worker, who take turns; nothing if the case is too short."""
    for worker in workers:
        worker.seconds(case)
    runs = {worker: [worker.seconds(case)] for worker in workers}
    if runs[workers[0]][0] < at_least:
        return []
    for turn in range(1, repeats):
        for worker in workers[:: -1 if turn % 2 else 1]:
            runs[worker].append(worker.seconds(case))
    return [min(runs[worker]) for worker in workers]


def times(old: Path, new: Path, only: Sequence[str], repeats: int) -> int:
    workers, ratios = [Worker(old), Worker(new)], dict[str, float]()
    print("| case | s old | s new | new / old |", "| --- | ---: | ---: | ---: |", sep="\n", flush=True)
    for case in chosen(only):
        if seconds := least_seconds(case, workers, repeats, 0 if only else LEAST_SECONDS):
            ratios[case.name] = ratio = seconds[1] / seconds[0]
            print(f"| {case.name} | {seconds[0]:.3f} | {seconds[1]:.3f} | {ratio:.2f} |", flush=True)
    for worker in workers:
        worker.end()
    known = {name: ratio for name, ratio in ratios.items() if not math.isnan(ratio)}
    if known:
        worst, mean = max(known, key=known.__getitem__), statistics.geometric_mean(known.values())
        print(f"\n{len(known)} cases, geometric mean {mean:.3f}, worst {known[worst]:.2f}: {worst}")
    return 1 if len(known) < len(ratios) else 0


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    commands = parser.add_subparsers(dest="command")
    adding = {name: commands.add_parser(name) for name in ("record", "compare", "times", "work")}
    adding["record"].add_argument("file", type=Path)
    adding["compare"].add_argument("old_file", type=Path)
    adding["compare"].add_argument("new_file", type=Path)
    adding["times"].add_argument("--old", type=Path, required=True)
    adding["times"].add_argument("--new", type=Path, required=True)
    adding["times"].add_argument("--repeats", type=int, default=3)
    for name in ("record", "times"):
        adding[name].add_argument("--only", action="append", default=[], metavar="PATTERN")
    given = vars(parser.parse_args())
    command = given.pop("command")
    if command is None:
        parser.print_help()
        return 0
    return {"record": record, "compare": compare, "times": times, "work": work}[command](**given)


if __name__ == "__main__":
    sys.exit(main())
