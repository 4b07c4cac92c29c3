"""Data in many files: folders, patterns, partitions, and files that were made smaller."""

import bz2
import json
import zipfile

import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

import shoal as sh
from shoal.errors import BadInput
from shoal.table.reading import inspect, read_table
from tests.cli.commands import COLUMNS, PATIENTS, Hospital, files_in, records_of, shoal

ROLES = {"age": sh.Quasi(kind="number"), "sex": sh.Insensitive(), "ill": sh.Sensitive()}
HEADER, *ROWS = PATIENTS.splitlines(keepends=True)


@pytest.fixture
def hospital(tmp_path):
    return Hospital(tmp_path)


def refusal(path, roles=ROLES) -> str:
    with pytest.raises(BadInput) as refused:
        read_table(path, roles)
    return str(refused.value)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "data"
    (folder / "below").mkdir(parents=True)
    (folder / "a.csv").write_text(HEADER + "".join(ROWS[:5]))
    (folder / "below" / "b.csv").write_text("sex,age,ill\n" + "".join(_turned(row) for row in ROWS[5:]))
    (folder / "_SUCCESS").write_text("")
    (folder / ".hidden.csv").write_text("x\n1\n")
    return folder


def _turned(row: str) -> str:
    age, sex, ill = row.strip().split(",")
    return f"{sex},{age},{ill}\n"


@pytest.mark.parametrize("pattern", ["", "**/*.csv"])
def test_all_files_of_a_folder_or_a_pattern_are_one_table(folder, pattern):
    loaded = read_table(folder / pattern, ROLES)
    assert loaded.table.row_count == 12
    table = inspect(folder / pattern)
    assert [dict(zip(("age", "sex", "ill"), row.strip().split(","), strict=True)) for row in ROWS] == [
        {name: entry[name] for name in ("age", "sex", "ill")} for entry in table.to_pylist()
    ]


def test_a_run_takes_a_folder_and_its_reruns_notice_new_parts(folder, hospital):
    policy = hospital.write_policy(COLUMNS, path="data", algorithm='name = "mondrian"')
    words = ("run", policy, "--if-changed", "--json")
    assert shoal(*words).json["records"] == 12
    assert shoal(*words).json["unchanged"]
    (folder / "c.csv").write_text(PATIENTS)
    assert shoal(*words).json["records"] == 24
    done = shoal("run", policy, "--out", folder / "out")
    assert done.code == 2
    assert "whose files are the data" in done.errors[0]


def test_problems_name_the_part_and_its_line(folder):
    path = folder / "below" / "b.csv"
    path.write_text(path.read_text() + "f,old,a\n")
    assert f"{path}:9, column 'age', value 'old'" in refusal(folder)
    path.write_text("sex,age\nf,1\n")
    assert f"{path}: has other columns than {folder / 'a.csv'}: 'ill'" in refusal(folder)


def test_numbers_of_one_part_may_be_written_otherwise(folder):
    path = folder / "a.csv"
    path.write_text(path.read_text() + "?,f,a\n")
    loaded = read_table(folder, ROLES, sh.ReadOptions(missing=("?",)))
    assert loaded.table.row_count == 13


def test_what_is_no_data_is_refused(folder, tmp_path):
    (folder / "d.parquet").write_bytes(b"")
    assert "holds files of several formats: .csv .parquet; name those of one" in refusal(folder)
    assert "matches no files" in refusal(folder / "*.tsv")
    (tmp_path / "nothing").mkdir()
    assert "holds no files" in refusal(tmp_path / "nothing")


def test_folders_of_partitions_are_columns(tmp_path):
    rows = pa.table({"age": [1, 2, 3, 4], "year": ["2020", "2021", "2020", None], "town": ["a b/c"] * 4})
    dataset.write_dataset(
        rows, tmp_path / "parts", format="parquet", partitioning=["year", "town"], partitioning_flavor="hive"
    )
    assert "year=2020" in {path.name for path in (tmp_path / "parts").iterdir()}
    found = inspect(tmp_path / "parts").to_pylist()
    assert sorted(found, key=lambda row: row["age"]) == rows.select(["age", "year", "town"]).to_pylist()
    roles = {"age": sh.Quasi(kind="number"), "year": sh.Quasi(kind="number"), "town": sh.Insensitive()}
    assert sh.read(tmp_path / "parts", roles).local.quasi == ("age", "year")


def test_parts_must_lie_in_the_same_partitions(tmp_path):
    (tmp_path / "x=1").mkdir()
    for path in (tmp_path / "x=1" / "a.parquet", tmp_path / "b.parquet"):
        parquet.write_table(pa.table({"y": [1]}), path)
    assert "lies in other partitions" in refusal(tmp_path, {"y": sh.Insensitive()})
    (tmp_path / "b.parquet").unlink()
    parquet.write_table(pa.table({"x": [1]}), tmp_path / "x=1" / "a.parquet")
    assert "has columns that its folders are called by: 'x'" in refusal(tmp_path, {"x": sh.Insensitive()})


def test_parts_of_different_types_are_refused(tmp_path):
    parquet.write_table(pa.table({"y": [1]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"y": [[1]]}), tmp_path / "b.parquet")
    assert "columns of different types" in refusal(tmp_path, {"y": sh.Insensitive()})


def packed(path, content: bytes):
    if path.suffix == ".bz2":
        path.write_bytes(bz2.compress(content))
    elif path.suffix == ".zst":
        with pa.output_stream(path, compression="zstd") as stream:
            stream.write(content)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("folder/data.csv", content)
            archive.writestr("__MACOSX/._data.csv", b"")
    return path


@pytest.mark.parametrize("ending", [".csv.bz2", ".csv.zst", ".zip", ".csv.zip"])
def test_compressed_text_is_read(hospital, ending):
    path = packed(hospital.folder / f"data{ending}", PATIENTS.encode())
    done = shoal("run", hospital.write_policy(COLUMNS, path=path.name, algorithm='name = "mondrian"'))
    assert done.code == 0, done.err
    assert len(records_of(hospital.published)) == 12
    packed(path, (PATIENTS + "1,f\n").encode())
    assert f"{path}:14" in refusal(path)


def test_archives_that_cannot_be_read_are_refused(tmp_path):
    path = tmp_path / "data.zip"
    path.write_bytes(b"PK no zip")
    assert "is no readable zip archive" in refusal(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", PATIENTS)
        archive.writestr("b.csv", PATIENTS)
    assert "holds 2 files where one is read; unpack it and name the folder" in refusal(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.exe", PATIENTS)
    assert "cannot tell the format" in refusal(path)


def test_what_is_published_is_never_an_archive(hospital):
    packed(hospital.folder / "p.zip", PATIENTS.encode())
    hospital.write("data.csv", PATIENTS)
    done = shoal("verify", hospital.folder / "p.zip", "--policy", hospital.write_policy(COLUMNS))
    assert done.code == 2
    assert "cannot tell the format" in done.errors[0]


def test_json_lines_in_parts_keep_their_types(tmp_path):
    for name, age in (("a.jsonl", 1), ("b.jsonl", 2)):
        (tmp_path / name).write_text(json.dumps({"age": age}) + "\n")
    assert inspect(tmp_path).to_pylist() == [{"age": 1}, {"age": 2}]
    assert files_in(tmp_path) == ["a.jsonl", "b.jsonl"]
