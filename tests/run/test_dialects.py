"""Published files in the dialect of their readers, checked from their bytes by everybody who checks."""

import subprocess
import sys
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as sh
from shoal.errors import BadInput, InvalidParameter, OutputFailed
from shoal.run.verification import verify_certified, write_verifier
from tests.cli.commands import shoal

COLUMNS = {
    "größe": sh.Quasi(kind="number", hierarchy=sh.ranges(0.5, 1)),
    "geboren": sh.Quasi(kind="date", hierarchy=sh.dates("month", "year"), date_format="%d.%m.%Y"),
    "miete": sh.Sensitive(kind="number"),
    "notiz": sh.Insensitive(confirm=True),
}
GERMAN = sh.ReadOptions(decimal=",")


def german_file(folder: Path, encoding: str = "utf-8") -> Path:
    """Three records that stay as they are, and three that are generalized together."""
    same = ["1,5;03.05.1980;700,25;a"] * 3
    others = ["2,1;01.01.1990;800,5;b", "2,2;02.01.1990;900,75;b", "2,4;09.01.1990;650,5;ü"]
    file = folder / "daten.csv"
    file.write_bytes("\n".join(["größe;geboren;miete;notiz", *same, *others, ""]).encode(encoding))
    return file


def released(folder: Path, encoding: str = "utf-8") -> sh.Result:
    data = sh.read(german_file(folder, encoding), COLUMNS, options=GERMAN)
    return sh.anonymize(data, sh.KAnonymity(3), algorithm="mondrian", seed=1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_a_file_is_written_as_it_was_read(tmp_path, encoding):
    folder = released(tmp_path, encoding).save(tmp_path / "out")
    content = (folder / "published.csv").read_bytes()
    text = content.decode(encoding)
    assert content.startswith(b"\xef\xbb\xbf") == (encoding == "utf-8-sig")
    assert text.splitlines()[0] == "größe;geboren;miete;notiz"
    assert "1,5;1980-05-03;700,25;a" in text.splitlines()
    assert "[2, 2.5);1990-01;800,5;b" in text.splitlines()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_everybody_who_checks_reads_it_back(tmp_path, encoding):
    folder = released(tmp_path, encoding).save(tmp_path / "out")
    file, certificate = folder / "published.csv", folder / "certificate.json"
    assert verify_certified(file, certificate).holds
    write_verifier(tmp_path / "tools")
    check = [sys.executable, tmp_path / "tools" / "verify_release.py", certificate, file]
    assert subprocess.run(check, check=False, capture_output=True).stdout.startswith(b"TRUE")
    read = [sys.executable, tmp_path / "tools" / "read_release.py", folder]
    decoded = subprocess.run(read, check=True, capture_output=True).stdout.decode()
    assert '"größe": {"label": "1,5", "form": "value", "lower": 1.5, "upper": 1.5' in decoded
    bounds = sh.open_release(folder).bounds()
    assert sorted(bounds["größe_lower"]) == [1.5, 1.5, 1.5, 2, 2, 2]
    assert sorted(bounds["miete"])[0] == 650.5


def test_another_dialect_can_be_asked_for(tmp_path):
    dialect = sh.Dialect(delimiter="|", decimal=".", encoding="utf-8", bom=True)
    folder = released(tmp_path).save(tmp_path / "out", dialect=dialect)
    lines = (folder / "published.csv").read_bytes().decode("utf-8-sig").splitlines()
    assert lines[0] == "größe|geboren|miete|notiz"
    assert "1.5|1980-05-03|700.25|a" in lines
    assert verify_certified(folder / "published.csv", folder / "certificate.json").holds


def test_letters_that_an_encoding_lacks_are_told(tmp_path):
    with pytest.raises(OutputFailed, match="the encoding ascii has no 'öß'; write utf-8"):
        released(tmp_path).save(tmp_path / "out", dialect=sh.Dialect(encoding="ascii"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"delimiter": ";;"},
        {"delimiter": '"'},
        {"decimal": ";"},
        {"delimiter": ",", "decimal": ","},
        {"encoding": "utf-16"},
        {"encoding": "no such"},
        {"encoding": "cp1252", "bom": True},
    ],
)
def test_what_no_reader_could_read_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        sh.Dialect(**wrong)


def test_a_policy_chooses_the_dialect(tmp_path):
    german_file(tmp_path)
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[data]\npath = "daten.csv"\ndecimal = ","\ndate_format = "%d.%m.%Y"\n[columns]\n'
        '"größe" = { role = "quasi", kind = "number", hierarchy = { ranges = [0.5, 1] } }\n'
        'geboren = { role = "quasi", kind = "date", hierarchy = { dates = ["month", "year"] } }\n'
        'miete = { role = "sensitive", kind = "number" }\nnotiz = { role = "insensitive", confirm = true }\n'
        '[privacy]\nmodel = "k-anonymity"\nk = 3\n[output]\ndelimiter = "|"\nencoding = "cp1252"\n',
        encoding="utf-8",
    )
    assert shoal("run", policy).code == 0
    file = tmp_path / "policy-out" / "published.csv"
    assert "1,5|1980-05-03|700,25|a" in file.read_text(encoding="cp1252").splitlines()
    assert shoal("verify", file, "--policy", policy).code == 0
    policy.write_text(policy.read_text(encoding="utf-8") + 'path = "published.parquet"\n', encoding="utf-8")
    assert "are for delimited text" in shoal("run", policy, "--replace").err


def test_excel_holds_numbers_and_dates_beside_labels(tmp_path):
    folder = released(tmp_path).save(tmp_path / "out", published="published.xlsx")
    sheet = openpyxl.load_workbook(folder / "published.xlsx").active
    rows = sorted(sheet.iter_rows(min_row=2, values_only=True), key=str)
    assert [type(cell).__name__ for cell in rows[-1]] == ["float", "datetime", "float", "str"]
    assert rows[0][:2] == ("[2, 2.5)", "1990-01")
    assert verify_certified(folder / "published.xlsx", folder / "certificate.json").holds
    assert sorted(sh.open_release(folder).bounds()["größe_lower"]) == [1.5, 1.5, 1.5, 2, 2, 2]


def test_texts_that_are_all_numbers_are_numbers_in_excel_and_codes_stay_texts(tmp_path):
    table = pa.table({"a": ["x"] * 4, "n": ["1", "2.5", "2.5", None], "code": ["01", "02", "02", "02"]})
    roles = {name: sh.Insensitive(confirm=True) for name in ("n", "code")} | {
        "a": sh.Quasi(hierarchy=sh.flat())
    }
    result = sh.anonymize(sh.read(table, roles), sh.KAnonymity(2), algorithm="mondrian")
    folder = result.save(tmp_path / "out", published="published.xlsx")
    sheet = openpyxl.load_workbook(folder / "published.xlsx").active
    rows = list(sheet.iter_rows(min_row=2, values_only=True))
    assert sorted((row[1] for row in rows), key=str) == [1, 2.5, 2.5, None]
    assert {row[2] for row in rows} == {"01", "02"}


def test_parquet_has_the_types_of_columns_that_stayed(tmp_path):
    table = pa.table({"n": [1, 1, 2, 2], "day": ["2020-01-01"] * 2 + ["2020-01-02"] * 2, "x": ["a"] * 4})
    roles = {
        "n": sh.Quasi(kind="number", hierarchy=sh.ranges(5)),
        "day": sh.Quasi(kind="date", hierarchy=sh.dates("month")),
        "x": sh.Quasi(hierarchy=sh.flat()),
    }
    result = sh.anonymize(sh.read(table, roles), sh.KAnonymity(2), algorithm="mondrian")
    folder = result.save(tmp_path / "out", published="published.parquet")
    schema = pq.read_schema(folder / "published.parquet")
    assert [str(kind) for kind in schema.types] == ["int64", "date32[day]", "string"]
    assert verify_certified(folder / "published.parquet", folder / "certificate.json").holds
    assert sh.open_release(folder).midpoints()["n"].tolist().count(1) == 2


def test_a_codebook_that_lies_about_the_dialect_is_refused(tmp_path):
    folder = released(tmp_path).save(tmp_path / "out")
    codebook = folder / "codebook.json"
    codebook.write_text(codebook.read_text().replace('"delimiter": ";"', '"delimiter": ";;"'))
    with pytest.raises(BadInput, match="delimiter must be one ASCII character"):
        sh.open_release(folder)
