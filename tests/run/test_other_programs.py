"""Published files as other programs read them: with numbers as numbers and dates as dates."""

import csv
import datetime
import json
import shutil
import subprocess

import pyarrow as pa
import pytest

import shoal as sh

duckdb = pytest.importorskip("duckdb", reason="needs duckdb: pip install duckdb")
pd = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
pl = pytest.importorskip("polars", reason="needs polars: pip install polars")

COLUMNS = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(10)),
    "ward": sh.Quasi(hierarchy=sh.flat()),
    "fee": sh.Sensitive(kind="number"),
    "seen": sh.Sensitive(kind="date"),
    "days": sh.Insensitive(confirm=True),
}
FEES = [10.25, 20.5, 30.75, 40.5]


def table() -> pa.Table:
    """Ages that stay whole numbers, fees with fractions, days, and names with letters of another country."""
    return pa.table(
        {
            "age": [30, 30, 45, 45],
            "ward": ["Süd", "Süd", "Nord; alt", "Nord; alt"],
            "fee": FEES,
            "seen": ["2024-05-01", "2024-05-02", "2024-05-03", "2024-05-04"],
            "days": [1, 2, 3, 4],
        }
    )


@pytest.fixture
def published(tmp_path):
    """A release of the table under a name, in a dialect."""

    def saved(name, **dialect):
        result = sh.anonymize(sh.read(table(), COLUMNS), sh.KAnonymity(2), algorithm="mondrian", seed=1)
        return result.save(tmp_path / "out", published=name, dialect=sh.Dialect(**dialect)) / name

    return saved


GERMAN = {"delimiter": ";", "decimal": ",", "bom": True}


def test_pandas(published):
    frame = pd.read_csv(published("published.csv", **GERMAN), sep=";", decimal=",", parse_dates=["seen"])
    assert sorted(frame["fee"]) == FEES
    assert str(frame["age"].dtype) == "int64"
    assert frame["seen"].dtype.kind == "M"
    assert set(frame["ward"]) == {"Süd", "Nord; alt"}


@pytest.mark.parametrize("name", ["published.parquet", "published.arrow", "published.xlsx"])
def test_pandas_reads_types(published, name):
    file = published(name)
    read = {"parquet": pd.read_parquet, "arrow": pd.read_feather, "xlsx": pd.read_excel}[name.split(".")[1]]
    frame = read(file)
    assert sorted(frame["fee"]) == FEES
    assert str(frame["age"].dtype) == "int64"
    assert min(pd.to_datetime(frame["seen"])) == pd.Timestamp("2024-05-01")
    assert not isinstance(frame["seen"].iloc[0], str)


def test_polars(published):
    frame = pl.read_csv(published("published.csv"), try_parse_dates=True)
    assert frame.schema["age"] == pl.Int64
    assert frame.schema["fee"] == pl.Float64
    assert frame.schema["seen"] == pl.Date


def test_polars_reads_parquet(published):
    frame = pl.read_parquet(published("published.parquet"))
    assert (frame.schema["age"], frame.schema["seen"]) == (pl.Int64, pl.Date)
    assert sorted(frame["fee"].to_list()) == FEES


@pytest.mark.parametrize(
    ("name", "dialect", "reading"),
    [
        ("published.csv", {}, "read_csv('{}')"),
        ("published.csv", GERMAN, "read_csv('{}', delim = ';', decimal_separator = ',')"),
        ("published.parquet", {}, "read_parquet('{}')"),
    ],
)
def test_duckdb(published, name, dialect, reading):
    relation = duckdb.connect().sql(f"FROM {reading.format(published(name, **dialect))}")
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    assert (kinds["age"], kinds["fee"], kinds["seen"]) == ("BIGINT", "DOUBLE", "DATE")
    assert sorted(row[2] for row in relation.fetchall()) == FEES


@pytest.mark.parametrize(
    ("dialect", "function"), [({}, "read.csv"), ({"delimiter": ";", "decimal": ","}, "read.csv2")]
)
def test_r(published, dialect, function):
    if shutil.which("Rscript") is None:
        pytest.skip("needs R: apt-get install r-base-core")
    file = published("published.csv", **dialect)
    script = (
        f'd <- {function}("{file}", encoding = "UTF-8"); d$seen <- as.Date(d$seen);'
        'cat(class(d$age), class(d$fee), class(d$seen), sum(d$fee), max(nchar(d$ward)), nrow(d), sep = "\\n")'
    )
    run = subprocess.run(["Rscript", "--vanilla", "-e", script], check=True, capture_output=True, text=True)
    assert run.stdout.split() == ["integer", "numeric", "Date", "102", "9", "4"]


def by_libreoffice(file, folder, filter_options=""):
    """The cells of a file as LibreOffice has them, written as plain numbers and days."""
    if shutil.which("soffice") is None:
        pytest.skip("needs LibreOffice: apt-get install libreoffice-calc")
    profile = f"-env:UserInstallation=file://{folder}/profile"
    opened = [f"--infilter={filter_options}"] if filter_options else []
    command = ["soffice", profile, "--headless", *opened, "--convert-to", "fods", "--outdir", folder, file]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return (folder / f"{file.stem}.fods").read_text(encoding="utf-8")


def test_libreoffice_reads_a_workbook(published, tmp_path):
    sheet = by_libreoffice(published("published.xlsx"), tmp_path)
    assert sheet.count('office:value-type="date" office:date-value="2024-05-0') == 4
    for number in ("10.25", "20.5", "30.75", "40.5", "30", "45"):
        assert f'office:value-type="float" office:value="{number}"' in sheet


def test_libreoffice_reads_german_text(published, tmp_path):
    german = "Text - txt - csv (StarCalc):59,34,76,1,,1031,false,true"
    sheet = by_libreoffice(published("published.csv", **GERMAN), tmp_path, german)
    for number in ("10.25", "20.5", "30.75", "40.5", "30", "45"):
        assert f'office:value-type="float" office:value="{number}"' in sheet
    assert "Süd" in sheet
    assert "Nord; alt" in sheet


def test_python_reads_the_dialect_that_the_codebook_states(published):
    file = published("published.csv", **GERMAN)
    dialect = json.loads(file.with_name("codebook.json").read_text(encoding="utf-8"))["dialect"]
    assert dialect == {"delimiter": ";", "decimal": ","}
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter=dialect["delimiter"]))
    assert sorted(float(row["fee"].replace(",", ".")) for row in rows) == FEES
    assert min(datetime.date.fromisoformat(row["seen"]) for row in rows) == datetime.date(2024, 5, 1)
