"""What `auto` takes and loses on large tables, beside Mondrian.

    python bench/large.py [--data adult,fars] [--drawn | --mixed] [--records 100000,1000000] [--k 10,50]
                          [--keep]

Records are drawn with replacement from the real table; if mixed, the cells of each column are drawn on their
own, so that few records are equal. Each measurement has its own process and begins after kernels are
compiled. The last lines are exponents of growth between the smallest and the largest number of records.
Targets at 1,000,000 mixed records: at least 20 % less LM than Mondrian in 120 s and 2 GB on two processors;
at 10,000,000 in 1,200 s and 8 GB; exponents at most 1.1.
"""

from __future__ import annotations

import argparse
import itertools
import math
import multiprocessing
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import shoal as sh
from measuring.cells import peak_memory_mb
from measuring.kept_tables import offer_to_keep, printed_table
from measuring.tables import beginning, load
from shoal.algorithms.auto.candidates import automatic
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.search import Limits
from shoal.engine.local import LocalData
from shoal.metrics.relational import table_cost
from shoal.privacy.check import verify_all
from shoal.privacy.model import Model
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.recoding.rows import RowRecoding

RECORDS_TO_COMPILE_WITH = 10_000
COLUMNS = (
    *("data", "records", "k", "LM % Mondrian", "LM % auto", "beside Mondrian", "seconds", "of processors"),
    *("peak MB", "seconds of Mondrian", "its peak MB", "auto took"),
)


@dataclass(frozen=True)
class Measured:
    algorithm: str
    lm: float
    seconds: float
    processor_seconds: float
    memory_mb: float
    notices: tuple[str, ...]


def measured(name: str, records: int, k: int, algorithm: str, *, mixed: bool) -> Measured:
    data, models = load(name, records, mixed=mixed), [sh.KAnonymity(k)]
    search(beginning(data, RECORDS_TO_COMPILE_WITH), models, algorithm)
    started, computed = time.perf_counter(), time.process_time()
    recoding = search(data, models, algorithm)
    seconds, processor_seconds = time.perf_counter() - started, time.process_time() - computed
    memory = peak_memory_mb()
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=k).table
    if not all(verdict.holds for verdict in verify_all(models, LocalData(released, data.roles))):
        raise AssertionError(f"{algorithm} broke its promise")
    lm = table_cost(data, recoding.clusters, "lm")
    return Measured(algorithm, lm, seconds, processor_seconds, memory, recoding.notices)


def search(data: LocalData, models: list[Model], algorithm: str) -> RowRecoding:
    chosen = automatic(models, {}, Limits(), data) if algorithm == "auto" else make_algorithm(algorithm, {})
    found = chosen.find(data, models, np.random.default_rng(0), Silent())
    if not isinstance(found, RowRecoding):
        raise TypeError(f"{algorithm} did not cluster rows")
    return found


def apart(*case: Any, mixed: bool) -> Measured:
    """The same in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        return pool.apply(measured, case, {"mixed": mixed})


def row(by_mondrian: Measured, by_auto: Measured) -> list[str]:
    """What both lose, and what they take."""
    return [
        f"{100 * by_mondrian.lm:.3f}",
        f"{100 * by_auto.lm:.3f}",
        f"{by_auto.lm / by_mondrian.lm if by_mondrian.lm else 1:.3f}",
        f"{by_auto.seconds:.1f}",
        f"{by_auto.processor_seconds:.1f}",
        f"{by_auto.memory_mb:,.0f}",
        f"{by_mondrian.seconds:.1f}",
        f"{by_mondrian.memory_mb:,.0f}",
        "; ".join(notice for notice in by_auto.notices if "auto" in notice),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", default="adult,fars")
    parser.add_argument("--drawn", action="store_true", help="records drawn whole, not mixed")
    parser.add_argument("--records", default="100000,1000000")
    parser.add_argument("--k", default="10,50")
    offer_to_keep(parser)
    given = parser.parse_args()
    sizes, ks = ([int(each) for each in text.split(",")] for text in (given.records, given.k))
    took: dict[tuple[str, int], list[float]] = {}
    with printed_table("large-tables", COLUMNS) as add_row:
        for name, k, records in itertools.product(given.data.split(","), ks, sizes):
            by_mondrian, by_auto = (
                apart(name, records, k, each, mixed=not given.drawn) for each in ("mondrian", "auto")
            )
            add_row(name, f"{records:,}", k, *row(by_mondrian, by_auto))
            took.setdefault((name, k), []).append(by_auto.processor_seconds)
    for (name, k), seconds in took.items():
        if len(sizes) > 1:
            power = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
            print(f"{name}, k = {k}: grows with the records to the power {power:.2f}")


if __name__ == "__main__":
    main()
