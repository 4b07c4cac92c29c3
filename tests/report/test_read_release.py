"""The stand-alone reader decodes every row as Shoal does, and originals lie in what their labels cover."""

import json
import math
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import shoal as sh
from shoal.report import read_release
from shoal.run.verification import verify_certified
from tests.examples import examples

COUNTRIES = ("Germany", "France", "Japan", "Kenya", "Peru", "Atlantis")
STEPS = ("none", "weak", "medium", "strong", "worst")
PLACES = "ulm;south;*\nhof;south;*\nbonn;west;*\nkiel;north;*\n"
YEARS = "0;0-4;*\n1;0-4;*\n2;0-4;*\n3;0-4;*\n4;0-4;*\n5;5-9;*\n6;5-9;*\n7;many;*\n8;many;*\n9;many;*\n"
TOWNS = ("ulm", "hof", "bonn", "kiel")


def days(start: str) -> st.SearchStrategy:
    return st.integers(0, 3000).map(lambda more: str(date.fromisoformat(start) + timedelta(days=more)))


def cents(low: int, high: int) -> st.SearchStrategy:
    return st.integers(low * 100, high * 100).map(lambda number: number / 100)


CODES = st.text("12", min_size=1, max_size=4)
VALUES = {
    "whole": st.integers(-40, 120),
    "ends": st.integers(0, 100),
    "fraction": cents(-5, 5),
    "right": CODES,
    "left": CODES,
    "day": days("2019-11-01"),
    "period": days("1995-01-01"),
    "first_last": st.sampled_from(["a", "ab", "b", "c", "cc", "d"]),
    "counted": st.integers(0, 30),
    "digits": CODES,
    "prefixes": st.sampled_from(["E11", "E12", "F2", "F20", "G"]),
    "order": st.sampled_from(STEPS),
    "keep": st.sampled_from(TOWNS),
    "country": st.sampled_from(COUNTRIES),
    "flat": st.sampled_from(TOWNS),
    "file": st.sampled_from(TOWNS),
    "shown": st.sampled_from(TOWNS),
    "years": st.integers(0, 9),
    "years_shown": st.integers(0, 9),
    "amount": cents(0, 1000),
    "date": days("2001-01-01"),
}
NUMBERS = {"whole", "ends", "fraction", "counted", "years", "years_shown", "amount"}
DATES = {"day", "period", "date"}


def roles(folder: Path) -> dict[str, sh.Quasi]:
    (folder / "places.csv").write_text(PLACES)
    (folder / "years.csv").write_text(YEARS)
    return {
        "whole": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20)),
        "ends": sh.Quasi(hierarchy=sh.ranges(5, 10, bottom=10, top=90)),
        "fraction": sh.Quasi(kind="number", hierarchy=sh.ranges(0.1, 0.5, 1)),
        "right": sh.Quasi(hierarchy=sh.mask_right()),
        "left": sh.Quasi(hierarchy=sh.mask_left()),
        "day": sh.Quasi(kind="date", hierarchy=sh.dates("day", "month", "quarter", "year")),
        "period": sh.Quasi(hierarchy=sh.dates("month", "decade", "century")),
        "first_last": sh.Quasi(hierarchy=sh.fanout(2)),
        "counted": sh.Quasi(kind="number", hierarchy=sh.fanout(3)),
        "digits": sh.Quasi(hierarchy=sh.digits()),
        "prefixes": sh.Quasi(hierarchy=sh.prefixes(2, 1)),
        "order": sh.Quasi(hierarchy=sh.order(*STEPS), publish_hierarchy=True),
        "keep": sh.Quasi(hierarchy=sh.keep("ulm")),
        "country": sh.Quasi(hierarchy=sh.continents()),
        "flat": sh.Quasi(hierarchy=sh.flat()),
        "file": sh.Quasi(hierarchy=folder / "places.csv"),
        "shown": sh.Quasi(hierarchy=folder / "places.csv", publish_hierarchy=True),
        "years": sh.Quasi(kind="number", hierarchy=folder / "years.csv"),
        "years_shown": sh.Quasi(kind="number", hierarchy=folder / "years.csv", publish_hierarchy=True),
        "amount": sh.Quasi(kind="number"),
        "date": sh.Quasi(kind="date"),
    }


def as_original(name: str, value: object) -> object:
    if value is None or name in DATES:
        return value
    return value if name in NUMBERS else str(value)


@pytest.mark.parametrize("name", VALUES)
@examples(6, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), ending=st.sampled_from(["csv", "tsv", "jsonl", "parquet", "csv.gz"]))
def test_rows_are_decoded_alike_and_hold_their_originals(name, data, ending):
    cells = data.draw(st.lists(st.one_of(VALUES[name], VALUES[name], st.none()), min_size=3, max_size=30))
    if all(cell is None for cell in cells):
        cells[0] = data.draw(VALUES[name])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        frame = pd.DataFrame({name: pd.Series(cells, dtype=object)})
        read = sh.read(frame, {name: roles(folder)[name]})
        made = sh.anonymize(read, sh.KAnonymity(k=2), algorithm="mondrian", keep_order=True)
        out = made.save(folder / "out", published=f"published.{ending}")
        rows = [row[name] for row in read_release.read(out)]
        release = sh.open_release(out)
        labels, bounds = release.labels(), release.bounds()
        assert verify_certified(out / f"published.{ending}", out / "certificate.json").holds
        assert [None if row is None else row["label"] for row in rows] == [
            None if pd.isna(label) else label for label in labels[name]
        ]
        if f"{name}_lower" in bounds:
            for end in ("lower", "upper"):
                assert_same([row and row.get(end) for row in rows], bounds[f"{name}_{end}"])
        if len(rows) == len(cells):  # nobody was left out
            for row, cell in zip(rows, cells, strict=True):
                assert read_release.covers(row, as_original(name, cell)), (row, cell)


def assert_same(ends: list, column: pd.Series) -> None:
    for end, found in zip(ends, column, strict=True):
        if end is None:
            assert pd.isna(found)
        elif isinstance(end, str):
            assert str(found) == end
        else:
            assert math.isclose(found, end)


ITEM_HIERARCHIES = {
    "fanout": sh.QuasiSet(hierarchy=sh.fanout(2)),
    "flat": sh.QuasiSet(hierarchy=sh.flat()),
    "ranges": sh.QuasiSet(hierarchy=sh.ranges(2, 4)),
    "none": sh.QuasiSet(),
}


@pytest.mark.parametrize("name", ITEM_HIERARCHIES)
@examples(6, suppress_health_check=[HealthCheck.too_slow])
@given(sets=st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=4), min_size=4, max_size=20))
def test_items_lie_in_a_label_of_their_set(name, sets):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "sets.txt").write_text("".join(" ".join(map(str, sorted(each))) + "\n" for each in sets))
        data = sh.read(folder / "sets.txt", {"items": ITEM_HIERARCHIES[name]})
        algorithm = "pcta" if name == "none" else "aa"
        made = sh.anonymize(data, sh.KmAnonymity(k=2, m=2), algorithm=algorithm, seed=1, keep_order=True)
        out = made.save(folder / "out", published="published.csv")
        rows = [row["items"] for row in read_release.read(out)]
        labels = sh.open_release(out).labels()["items"]
        assert [sorted(entry["label"] for entry in row) for row in rows] == [sorted(each) for each in labels]
        numbers = json.loads((out / "codebook.json").read_text())["columns"]["items"]["kind"] == "number"
        for row, items in zip(rows, sets, strict=True):
            for entry in row:  # what was suppressed vanished; what is there stands for an item of the set
                assert any(read_release.covers(entry, item if numbers else str(item)) for item in items)


def test_the_script_runs_alone_and_says_what_is_missing(tmp_path):
    data = sh.read(pd.DataFrame({"age": [20, 21, 33, 34]}), {"age": sh.Quasi(hierarchy=sh.ranges(10))})
    out = sh.anonymize(data, sh.KAnonymity(k=2)).save(tmp_path / "out")
    command = [sys.executable, "-I", read_release.__file__, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert {json.loads(line)["age"]["lower"] for line in done.stdout.splitlines()} == {20, 30}
    content = json.loads((out / "codebook.json").read_text())
    del content["columns"]["age"]["labels"]["20-29"]
    (out / "codebook.json").write_text(json.dumps(content))
    failed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (failed.returncode, "'20-29' is not in the codebook" in failed.stderr) == (1, True)
    assert subprocess.run(command[:-1], capture_output=True, check=False).returncode == 2
