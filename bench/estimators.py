"""Which estimate of item counts is best: three estimators, and the default in their middle, on real releases.

    python bench/estimators.py [CASE]... [--keep]

The average relative error (ARE) of 100 counts of one item and of two, drawn from the records: by `items` (1/n
for each of the n items of a label), `subsets` (uniform over non-empty subsets), `likelihood` (by how often
the items seem to occur in the whole file), and `best`, the default of `shoal query`: half `items`, half
`likelihood`. CASE chooses by a part of a name, such as "webview1 lra". Two tables:

seen      INFORMS diagnoses (ICD-9 tree), Groceries (its taxonomy) and WebView-1 (fan-out 5), k = 5, m = 2;
          WebView-2, FruitHut and MSWeb (fan-out 5), k = 10, m = 2; INFORMS and some of YouTube with values
          and sets, k = 25, m = 2. `best` and the rounds of `likelihood` were chosen by looking at these.
unseen    the sets once more with k = 20, and INFORMS and YouTube with k = 10, by other algorithms where there
          are, with other queries: nothing was chosen by them.

There is no target: with 100 queries, differences of the means by a few percent are chance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

import shoal as sh
from measuring.kept_tables import KEEP, printed_table
from measuring.tables import DATA
from shoal.algorithms.catalogue import make_algorithm
from shoal.engine.local import LocalData
from shoal.metrics.estimates import RecordsEstimator, relative_errors
from shoal.metrics.item_shares import ITEM_ESTIMATORS
from shoal.metrics.workloads import generate_workload
from shoal.privacy.model import Model
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Role

INFORMS = DATA / "hierarchies" / "informs"
VALUES = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
YOUTUBE_VALUES = ("age", "length", "rate", "ratings", "comments")
SEEN_SEED, UNSEEN_SEED, QUERIES, SIZES = 7, 31337, 100, (1, 2)

Errors = dict[tuple[str, int], float]


@dataclass(frozen=True)
class Case:
    """One release."""

    data: str
    load: Callable[[], LocalData]
    algorithm: str
    model: Model
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.data} {self.algorithm}"


def informs(values: tuple[str, ...] = ()) -> LocalData:
    roles: dict[str, Role] = {
        name: sh.Quasi(hierarchy=sh.HierarchyFile(INFORMS / f"{name}.csv")) for name in values
    }
    roles["ICD9"] = sh.QuasiSet(hierarchy=sh.HierarchyFile(INFORMS / "ICD9.csv"))
    file = DATA / "informs2005_rt.csv.gz"
    return sh.read(file, roles, options=sh.ReadOptions(others="drop")).local


def groceries() -> LocalData:
    tree = sh.HierarchyFile(DATA / "hierarchies" / "groceries" / "item.csv")
    return sh.read(DATA / "groceries.txt.gz", {"items": sh.QuasiSet(hierarchy=tree)}).local


def baskets(name: str) -> LocalData:
    return sh.read(DATA / f"{name}.txt.gz", {"items": sh.QuasiSet(hierarchy=sh.fanout(5))}).local


def youtube() -> LocalData:
    roles: dict[str, Role] = {
        name: sh.Quasi(kind=Kind.NUMBER, hierarchy=sh.fanout(5)) for name in YOUTUBE_VALUES
    }
    roles["category"] = sh.Quasi(hierarchy=sh.flat())
    roles["related"] = sh.QuasiSet(hierarchy=sh.fanout(5))
    file = DATA / "youtube_rt_sample.csv.gz"
    return sh.read(file, roles, options=sh.ReadOptions(others="drop")).local


TREES: Mapping[str, Callable[[], LocalData]] = {"informs": informs, "groceries": groceries}
SETS = ("informs", "groceries", "bms_webview1", "bms_webview2", "fruithut", "msweb")


def of_sets(data: str, algorithms: Sequence[str], k: int) -> Iterator[Case]:
    load = TREES.get(data, partial(baskets, data))
    return (Case(data, load, algorithm, sh.KmAnonymity(k, 2)) for algorithm in algorithms)


def of_tables(algorithms: Mapping[str, Mapping[str, Any]], k: int) -> Iterator[Case]:
    for algorithm, options in algorithms.items():
        model = sh.KKmAnonymity(k, 2)
        yield Case("informs with values", lambda: informs(VALUES), algorithm, model, options)
        yield Case("youtube with values", youtube, algorithm, model, options)


def seen() -> Iterator[Case]:
    for data in SETS[:3]:
        yield from of_sets(data, ("lra", "hghs", "pcta", "itemwise"), k=5)
    for data in SETS[3:]:
        yield from of_sets(data, ("lra", "hghs", "itemwise"), k=10)
    yield from of_tables({"rmerge-rt": {"items": "pcta"}, "classwise": {}}, k=25)


def unseen() -> Iterator[Case]:
    for data in SETS:
        yield from of_sets(data, ("lra", "vpa", "itemwise"), k=20)
    yield from of_tables({"rmerge-r": {"items": "pcta"}, "classwise": {}}, k=10)


def errors_of(case: Case, seed: int) -> Errors:
    data = case.load()
    algorithm = make_algorithm(case.algorithm, case.options)
    recoding = algorithm.find(data, [case.model], np.random.default_rng(seed), Silent())
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=case.model.hides_among)
    truth, found = RecordsEstimator(data, data.table), {}
    for name in ITEM_ESTIMATORS:
        published = RecordsEstimator(data, released.table, name)  # type: ignore[arg-type]
        for items in SIZES:
            rng = np.random.default_rng(seed)
            queries = generate_workload(data, rng, values=0, items=items, count=QUERIES)
            found[name, items] = relative_errors(queries, truth, published).are
    return found


def show_table(title: str, cases: Iterator[Case], seed: int, chosen: list[str]) -> None:
    """The errors in each release, and their mean."""
    heads = [f"{name}, {items}" for name in ITEM_ESTIMATORS for items in SIZES]
    with printed_table(f"estimators-{title}", [title, *heads]) as add_row:
        measured = []
        for case in cases:
            if not chosen or any(part in case.name for part in chosen):
                measured.append(errors_of(case, seed))
                add_row(case.name, *(f"{error:.3f}" for error in measured[-1].values()))
        if measured:
            means = (fmean(errors[key] for errors in measured) for key in measured[0])
            add_row("mean", *(f"{mean:.3f}" for mean in means))


def main(words: list[str]) -> None:
    chosen = [word for word in words if word != KEEP]
    show_table("seen", seen(), SEEN_SEED, chosen)
    show_table("unseen", unseen(), UNSEEN_SEED, chosen)


if __name__ == "__main__":
    main(sys.argv[1:])
