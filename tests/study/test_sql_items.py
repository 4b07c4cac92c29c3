"""Items of sets counted in DuckDB, as Shoal counts them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal as sh
from shoal.study.convert import convert_release

duckdb = pytest.importorskip("duckdb", reason="needs duckdb: pip install duckdb")

ITEM = "SELECT sum(lower), sum(expected), sum(upper) FROM {view} WHERE item = '{item}'"
BOTH = """
    SELECT sum(lower), sum(expected), sum(upper) FROM (
        SELECT record, min(lower) AS lower, product(expected) AS expected, min(upper) AS upper
        FROM {view} WHERE item IN ('{one}', '{other}') GROUP BY record HAVING count(*) = 2)
"""
CODES = "a;south;*\nb;south;*\nc;south;*\nd;north;*\ne;north;*\nf;north;*\n"


def sets(rows: int = 60) -> list[list[str]]:
    rng = np.random.default_rng(3)
    return [
        sorted({str(item) for item in rng.choice(list("abcdef"), rng.integers(0, 4))}) for _ in range(rows)
    ]


def asked_by_sql(folder: Path, monkeypatch, *questions: str) -> list[tuple[float, float, float]]:
    convert_release(folder, "sql", folder / "release.sql")
    monkeypatch.chdir(folder)
    with duckdb.connect() as connection:
        connection.execute((folder / "release.sql").read_text(encoding="utf-8"))
        return [connection.execute(question).fetchone() for question in questions]


def assert_same(folder: Path, name: str, monkeypatch, **where: str) -> None:
    """Every item, and every pair of the first, has the bounds and the expectation of `sh.query`."""
    view, more = f'"{name}_items"', "".join(f" AND {column} = '{value}'" for column, value in where.items())
    first, *others = known = sh.open_release(folder).atoms[name].values
    single = [ITEM.format(view=view, item=item) + more for item in known]
    pairs = [BOTH.format(view=view, one=first, other=item) for item in others] if not where else []
    asked = [[item] for item in known] + [[first, item] for item in others][: len(pairs)]
    for found, items in zip(asked_by_sql(folder, monkeypatch, *single, *pairs), asked, strict=True):
        (ours,) = sh.query(folder, where={name: items, **where}).itertuples(index=False)
        assert [number or 0 for number in found] == pytest.approx([ours.lower, ours.expected, ours.upper])


@pytest.mark.parametrize("published", ["published.txt", "published.csv"])
def test_sets_alone(tmp_path, monkeypatch, published):
    (tmp_path / "sets.txt").write_text("".join(" ".join(each) + "\n" for each in sets()))
    data = sh.read(tmp_path / "sets.txt", {"items": sh.QuasiSet()})
    result = sh.anonymize(data, sh.KmAnonymity(k=5, m=2), algorithm="pcta")
    folder = result.save(tmp_path / "out", published=published)
    assert_same(folder, "items", monkeypatch)


@pytest.mark.parametrize("shown", [True, False], ids=["hierarchy shown", "hierarchy hidden"])
@pytest.mark.parametrize("published", ["published.csv", "published.parquet", "published.jsonl"])
def test_sets_beside_single_values(tmp_path, monkeypatch, published, shown):
    (tmp_path / "codes.csv").write_text(CODES)
    frame = pd.DataFrame({"age": [20, 21, 40, 41] * 15, "the drugs": [" ".join(each) for each in sets()]})
    frame["ill"] = ["yes", "no", "no"] * 20
    drugs = sh.QuasiSet(hierarchy=tmp_path / "codes.csv", publish_hierarchy=shown)
    columns = {"age": sh.Quasi(hierarchy=sh.ranges(10)), "the drugs": drugs, "ill": sh.Sensitive()}
    result = sh.anonymize(
        sh.read(frame, columns), sh.KKmAnonymity(k=6, m=2), algorithm="rmerge-rt", delta=0.9
    )
    folder = result.save(tmp_path / "out", published=published)
    assert "north" in {label for labels in sh.open_release(folder).labels()["the drugs"] for label in labels}
    assert_same(folder, "the drugs", monkeypatch)
    assert_same(folder, "the drugs", monkeypatch, ill="yes")


def test_records_that_tell_nothing_may_hold_any_item(tmp_path, monkeypatch):
    """Suppressed records look so: rows of `*` with an empty set."""
    frame = pd.DataFrame({"age": ["30"] * 6 + ["80", "85", "90"], "drugs": ["a b"] * 6 + [""] * 3})
    columns = {"age": sh.Quasi(hierarchy=sh.flat()), "drugs": sh.QuasiSet()}
    data = sh.read(frame, columns)
    result = sh.anonymize(data, sh.KKmAnonymity(k=3, m=1), algorithm="rmerge-rt", delta=0.34, seed=0)
    folder = result.save(tmp_path / "out", published="published.csv")
    assert (sh.open_release(folder).labels()["age"] == "*").sum() == 3
    assert sh.query(folder, where={"drugs": "a"})["upper"].tolist() == [9]
    assert_same(folder, "drugs", monkeypatch)
