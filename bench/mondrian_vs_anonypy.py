"""What Mondrian costs on Adult: Shoal beside anonypy, same columns, same k, same scoring, one process.

45,222 records; quasi-identifiers age, workclass, education, marital-status, occupation, race, sex and
native-country; k = 10. Shoal has the hierarchies of ARX; anonypy takes none, publishes the set of values of
a class and, for age, its smallest and largest member. Both publications are scored from their text alone.

NCP of a cell, between 0 and 1:
    a single value                  0
    numbers (age)                   width of the range / width of the domain, 1 to 100; `*` covers it
    a node of the hierarchy         its leaves / leaves of the hierarchy
    a set of values                 as the lowest node of the hierarchy above all of them
NCP of the table: the mean over columns and records. Compiling is not timed. Exit code 1 if Shoal loses more.

    python bench/mondrian_vs_anonypy.py [--k K]
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import anonypy
import numpy as np
import pandas as pd
import pyarrow as pa

from shoal.algorithms.relational.mondrian import Mondrian
from shoal.engine.local import LocalData
from shoal.hierarchy.tree import tree_from_parents
from shoal.kernels.arrays import frozen_floats
from shoal.privacy.k_anonymity import KAnonymity
from shoal.progress import Silent
from shoal.recoding.apply import apply
from shoal.table.columns import Coded, Domain, Kind, Table
from shoal.table.roles import Quasi

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
CATEGORIES = ("workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
QUASI = ("age", *CATEGORIES)
SENSITIVE = "salary-class"
AGES = (1.0, 100.0)

Record = tuple[str, ...]


@dataclass(frozen=True)
class Tree:
    """A hierarchy as its file gives it: the label above each label."""

    parents: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> Tree:
        parents: dict[str, str] = {}
        with path.open(newline="") as file:
            for levels in csv.reader(file, delimiter=";"):
                distinct = list(dict.fromkeys(levels))
                parents.update(pairwise(distinct))
        return cls(parents)

    @cached_property
    def leaves_under(self) -> Counter[str]:
        leaves = set(self.parents) - set(self.parents.values())
        return Counter(node for leaf in leaves for node in self.upward(leaf))

    def upward(self, label: str) -> list[str]:
        way = [label]
        while way[-1] in self.parents:
            way.append(self.parents[way[-1]])
        return way

    def lowest_common(self, labels: Iterable[str]) -> str:
        first, *others = (self.upward(label) for label in labels)
        return next(node for node in first if all(node in way for way in others))


def cost_of_number(text: str) -> float:
    """`38`, `35-39`, `[35, 39]` or `*`."""
    if text == "*":
        return 1.0
    ends = [float(end) for end in re.findall(r"\d+(?:\.\d+)?", text)]
    return min((ends[-1] - ends[0]) / (AGES[1] - AGES[0]), 1.0)


def cost_of_category(text: str, tree: Tree) -> float:
    """A label of the tree, or several values joined by commas."""
    leaves = tree.leaves_under[tree.lowest_common(text.split(","))]
    return 0.0 if leaves == 1 else leaves / max(tree.leaves_under.values())


def ncp(published: Counter[Record], trees: Mapping[str, Tree]) -> dict[str, float]:
    """The mean cost of each column over all records; the one scoring of both tools."""
    total = dict.fromkeys(QUASI, 0.0)
    for record, count in published.items():
        for name, text in zip(QUASI, record, strict=True):
            cost = cost_of_number(text) if name == "age" else cost_of_category(text, trees[name])
            total[name] += count * cost
    return {name: cost / published.total() for name, cost in total.items()}


def local_data(frame: pd.DataFrame, trees: Mapping[str, Tree], *, age_ranges: bool) -> LocalData:
    """The frame as Shoal takes it; age with its hierarchy or as a plain number."""
    columns, roles, bound = {}, {}, {}
    for name in QUASI:
        if name == "age" and age_ranges:
            ages, codes = np.unique(frame[name].to_numpy(), return_inverse=True)
            labels, numbers = [str(age) for age in ages], frozen_floats(ages)
            columns[name] = Coded.of(codes, Domain(Kind.NUMBER, pa.array(labels), numbers))
            roles[name] = Quasi(kind=Kind.NUMBER, bounds=AGES)
        else:
            tree = tree_from_parents(trees[name].parents)
            code_of = {label: code for code, label in enumerate(tree.leaf_labels)}
            codes = frame[name].astype(str).map(code_of).to_numpy()
            columns[name] = Coded.of(codes, Domain(Kind.CATEGORY, pa.array(tree.leaf_labels)))
            roles[name], bound[name] = Quasi(), tree
    return LocalData(Table.of(columns), roles, bound)


def with_shoal(data: LocalData, mode: str, k: int) -> tuple[float, Counter[Record]]:
    started = time.perf_counter()
    groups = Mondrian(mode=mode).find(data, [KAnonymity(k)], np.random.default_rng(0), Silent())
    table = apply(data.table, data.trees, data.roles, groups, smallest=k).table
    seconds = time.perf_counter() - started
    texts = [np.array(table.coded(name).domain.texts())[table.coded(name).codes] for name in QUASI]
    return seconds, Counter(zip(*(column.tolist() for column in texts), strict=True))


def with_anonypy(frame: pd.DataFrame, k: int) -> tuple[float, Counter[Record]]:
    typed = frame.astype(dict.fromkeys((*CATEGORIES, SENSITIVE), "category"))
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = anonypy.Preserver(typed, list(QUASI), SENSITIVE).anonymize_k_anonymity(k=k)
    seconds = time.perf_counter() - started
    published: Counter[Record] = Counter()
    for row in rows:
        published[tuple(row[name][0] for name in QUASI)] += row["count"]
    return seconds, published


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k", type=int, default=10)
    k = parser.parse_args().k
    if not (DATA / "adult.csv.gz").exists():
        print(f"no adult.csv.gz in {DATA}; set SHOAL_DATA")
        return 0
    frame = pd.read_csv(DATA / "adult.csv.gz")[[*QUASI, SENSITIVE]]
    trees = {name: Tree.read(DATA / "hierarchies" / "adult" / f"{name}.csv") for name in QUASI}
    data = local_data(frame, trees, age_ranges=False)
    ranges = local_data(frame, trees, age_ranges=True)
    with_shoal(ranges, "relaxed", k)  # compiles, and is not timed

    runs = {
        "Shoal, strict": with_shoal(data, "strict", k),
        "Shoal, relaxed": with_shoal(data, "relaxed", k),
        "Shoal, strict, ranges of age": with_shoal(ranges, "strict", k),
        "anonypy": with_anonypy(frame, k),
    }
    print(f"{len(frame):,} records, {len(QUASI)} columns, k = {k}")
    print(f"{'':30}{'NCP':>8}{'seconds':>10}{'classes':>9}  NCP by column")
    scores = {}
    for name, (seconds, published) in runs.items():
        columns = ncp(published, trees)
        scores[name] = sum(columns.values()) / len(columns)
        assert published.total() == len(frame)
        assert min(published.values()) >= k
        by_column = " ".join(f"{column} {cost:.3f}" for column, cost in columns.items())
        print(f"{name:30}{scores[name]:8.4f}{seconds:10.3f}{len(published):9,}  {by_column}")
    for name in runs:
        if name != "anonypy":
            print(
                f"{name}: {scores[name] / scores['anonypy']:.2f} of anonypy's NCP, "
                f"{runs['anonypy'][0] / runs[name][0]:.0f} times as fast"
            )
    return 0 if max(scores, key=scores.__getitem__) == "anonypy" else 1


if __name__ == "__main__":
    sys.exit(main())
