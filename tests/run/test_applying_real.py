"""A third of real records by what two thirds decided, where they are at hand: SHOAL_DATA names their folder.

Whatever is counted here is counted from the published texts, with nothing of Shoal.
"""

import os
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import shoal as sh

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
K = 10
ADULT = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20, 40)),
    "education": sh.Quasi(hierarchy=sh.flat()),
    "occupation": sh.Quasi(hierarchy=sh.flat()),
    "sex": sh.Quasi(hierarchy=sh.flat()),
}


def split(table: pa.Table) -> tuple[pa.Table, pa.Table]:
    order = np.random.default_rng(7).permutation(table.num_rows)
    return table.take(order[: 2 * len(order) // 3]), table.take(order[2 * len(order) // 3 :])


def released_twice(
    table: pa.Table, roles, model, algorithm: str, folder: Path
) -> tuple[sh.Result, sh.Result]:
    first, rest = split(table)
    earlier = sh.anonymize(sh.read(first, roles), model, algorithm=algorithm, seed=1)
    earlier.save(folder / "first")
    later = sh.load_recoding(folder / "first").apply(sh.read(rest, roles), together_with=folder / "first")
    later.save(folder / "rest")
    return earlier, later


def needs(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not there: set SHOAL_DATA")
    return DATA / name


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()[1:]


@pytest.mark.parametrize("algorithm", ["mondrian", "full-domain"])
def test_adult(tmp_path, algorithm):
    table = csv.read_csv(needs("adult.csv.gz")).select([*ADULT])
    _, later = released_twice(table, ADULT, sh.KAnonymity(K), algorithm, tmp_path)
    before, now = (Counter(lines_of(tmp_path / name / "published.csv")) for name in ("first", "rest"))
    assert min(before.values()) >= K
    assert min(now.values()) >= K
    assert min((before + now).values()) >= K
    left_out = later.outcome.provenance.figures["left_out"]
    assert now.total() + left_out == table.num_rows - 2 * table.num_rows // 3
    assert left_out < 0.15 * table.num_rows / 3  # Mondrian's regions do not overlap: who is alone stays alone


def test_groceries(tmp_path):
    tree = needs("hierarchies/groceries/item.csv")
    lines = sh.read(needs("groceries.txt.gz"), {"items": sh.QuasiSet(hierarchy=tree)}).original
    table = pa.table({"items": [" ".join(items) for items in _sets(lines.sets("items"))]})
    roles = {"items": sh.QuasiSet(hierarchy=tree)}
    _, later = released_twice(table, roles, sh.KmAnonymity(K, 2), "aa", tmp_path)
    before, now = (_supports(lines_of(tmp_path / name / "published.csv")) for name in ("first", "rest"))
    assert min(before.values()) >= K
    assert min(now.values()) >= K
    assert min((before + now).values()) >= K
    assert later.outcome.provenance.figures["left_out"] < 0.1 * table.num_rows / 3


def _sets(sets) -> list[list[str]]:
    texts, starts = sets.domain.texts(), sets.arrays.starts.tolist()
    return [[texts[item] for item in sets.arrays.items[start:end]] for start, end in pairwise(starts)]


def _supports(lines: list[str]) -> Counter[tuple[str, ...]]:
    sets = [sorted(line.strip('"').split()) for line in lines]
    return Counter(each for items in sets for size in (1, 2) for each in combinations(items, size))
