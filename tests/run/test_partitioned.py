"""A release in folders called by values of its columns, as its data were."""

import json
import subprocess
import sys
from urllib.parse import quote

import duckdb
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

import shoal as sh
from shoal.run.verification import write_verifier
from shoal.study.open_release import open_release
from shoal.table.columns import Coded, Table, category_domain
from shoal.table.partitions import write_partitioned
from tests.cli.commands import Hospital, files_in, shoal

COLUMNS = {
    "year": 'role = "quasi", kind = "number", hierarchy = { ranges = [10] }',
    "town": 'role = "quasi", hierarchy = { flat = true }',
    "age": 'role = "quasi", kind = "number", hierarchy = { ranges = [10, 20] }',
    "ill": 'role = "sensitive"',
}
TOWNS = ("Ulm", "a/b=c", None)
RECORDS = [
    {"year": year, "town": town, "age": 20 + 3 * number, "ill": f"ill {number % 3}"}
    for year in ("2019", "2021")
    for town in TOWNS
    for number in range(6)
]


@pytest.fixture
def hospital(tmp_path):
    hospital = Hospital(tmp_path)
    for year in ("2019", "2021"):
        for town in TOWNS:
            folder = "__HIVE_DEFAULT_PARTITION__" if town is None else quote(town, safe="")
            rows = [row for row in RECORDS if (row["year"], row["town"]) == (year, town)]
            part = tmp_path / "data" / f"year={year}" / f"town={folder}" / "0.parquet"
            part.parent.mkdir(parents=True)
            parquet.write_table(pa.Table.from_pylist(rows).select(["age", "ill"]), part)
    hospital.write_policy(
        COLUMNS, path="data", algorithm='name = "mondrian"', output='path = "p.parquet"\npartitioned = true'
    )
    return hospital


def test_folders_in_are_folders_out(hospital, tmp_path):
    done = shoal("run", hospital.policy, "--json")
    assert done.code == 0, done.out
    published = hospital.out / "p.parquet"
    folders = {part.parent.relative_to(published).as_posix() for part in published.rglob("*.parquet")}
    assert {folder.count("/") for folder in folders} == {1}
    assert all(folder.startswith("year=20") and "/town=" in folder for folder in folders)
    opened = open_release(hospital.out, library="pyarrow").labels()
    assert opened.num_rows == len(RECORDS)
    read = dataset.dataset(published, partitioning="hive").to_table().to_pylist()
    shown = {(row["town"], row["age"], row["ill"]) for row in read}
    assert shown == {(row["town"], row["age"], row["ill"]) for row in opened.to_pylist()}
    sizes = duckdb.sql(
        f"SELECT count(*) FROM read_parquet('{published}/**/*.parquet', hive_partitioning=true)"
        " GROUP BY year, town, age"
    ).fetchall()
    assert min(sizes)[0] >= 2
    certificate = hospital.out / "certificate.json"
    assert shoal("verify", published, "--certificate", certificate).code == 0
    assert shoal("verify", published, "--policy", hospital.policy).code == 0
    verifier, _, reader = write_verifier(tmp_path / "tools")
    assert _ran(verifier, certificate, published) == 0
    decoded = subprocess.run([sys.executable, reader, hospital.out], capture_output=True, check=True)
    rows = [json.loads(line) for line in decoded.stdout.splitlines()]
    assert len(rows) == len(RECORDS)
    assert set(rows[0]) == {"year", "town", "age", "ill"}


def test_folders_that_are_no_partitions_are_refused(hospital, tmp_path):
    assert shoal("run", hospital.policy).code == 0
    published = hospital.out / "p.parquet"
    verifier, *_ = write_verifier(tmp_path / "tools")
    for folder in ("somebody", "year=secret"):
        (published / folder).mkdir()
        done = shoal("verify", published, "--policy", hospital.policy)
        assert done.code == 1
        assert f"folders that are no partitions: {folder}" in done.words
        assert _ran(verifier, hospital.out / "certificate.json", published) == 2
        (published / folder).rmdir()


def test_what_cannot_be_partitioned_is_refused_before_the_search(hospital):
    lines = shoal("run", hospital.policy, "--set", 'output.path="p.csv"').errors
    assert "partitions are written as Parquet" in lines[0]
    plain = hospital.write("plain.csv", "year,town,age,ill\n2019,Ulm,31,a\n2019,Ulm,32,b\n")
    for words in (("--data", plain), ("--data", plain, "--dry-run")):
        done = shoal("run", hospital.policy, *words)
        assert done.code == 2
        assert "the data are in no folders such as year=2020" in done.errors[0]
    done = shoal("run", hospital.policy, "--out", "-")
    assert "which standard output cannot hold" in done.errors[0]
    assert not hospital.out.exists()


def test_only_published_columns_call_folders(hospital):
    data = sh.read(
        hospital.folder / "data",
        {
            "year": sh.Identifier(),
            "town": sh.Quasi(hierarchy=sh.flat()),
            "age": sh.Quasi(kind="number", hierarchy=sh.ranges(10, 20)),
            "ill": sh.Sensitive(),
        },
    )
    result = sh.anonymize(data, sh.KAnonymity(k=2), algorithm="mondrian")
    saved = result.save(hospital.out, published="p.parquet", partitioned=True)
    assert {path.name for path in (saved / "p.parquet").iterdir()} >= {"town=Ulm", "town=a%2Fb%3Dc"}
    with pytest.raises(sh.BadInput, match="is on another machine"):
        result.save("s3://bucket/release")


def test_a_value_that_says_missing_is_refused_and_nothing_is_left(tmp_path):
    hive_null = "__HIVE_DEFAULT_PARTITION__"
    table = Table.of(
        {
            "town": Coded.of([0, 0], category_domain([hive_null])),
            "age": Coded.of([0, 0], category_domain(["1"])),
        }
    )
    with pytest.raises(sh.ShoalError, match="is one of missing values"):
        write_partitioned(table, tmp_path / "out", ["town"], {})
    assert not files_in(tmp_path)


def _ran(script, certificate, published):
    return subprocess.run([sys.executable, script, certificate, published], check=False).returncode
