"""`shoal profile` and the starter policy that it writes."""

import json

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.commands import shoal

FINE, BAD_INPUT = 0, 2
PEOPLE = "full name,age,zip,sex,born,codes,diagnosis,kind\n" + "".join(
    f"Ann Smith{i},{'?' if i == 3 else 20 + i % 30},0{2100 + i % 40},{'fm'[i % 2]},"
    f"19{50 + i % 40}-03-0{1 + i % 9},{' '.join('abcde'[: 1 + i % 4])},{'xyz'[i % 3]},same\n"
    for i in range(60)
)


@pytest.fixture
def people(hospital):
    return hospital.write("people.csv", PEOPLE)


def columns_of(done):
    return {column["name"]: column for column in done.json["columns"]}


def test_columns_are_told_apart(people):
    done = shoal("profile", people, "--missing", "?", "--json")
    assert (done.code, done.json["records"]) == (FINE, 60)
    columns = columns_of(done)
    roles = {name: (column["kind"], column["role"]) for name, column in columns.items()}
    assert roles["full name"] == ("category", "identifier")
    assert roles["age"] == ("number", "quasi")
    assert roles["zip"] == ("category", "quasi")
    assert roles["sex"] == ("category", "quasi")
    assert roles["born"] == ("date", "quasi")
    assert roles["diagnosis"][1] == "sensitive"
    assert roles["kind"][1] == "insensitive"
    assert columns["age"]["missing"] == 1
    assert columns["sex"] == {
        "name": "sex",
        "kind": "category",
        "distinct": 2,
        "missing": 0,
        "unique_share": 0.0,
        "role": "quasi",
        "reason": "one of two values: could be known, and tells people apart",
        "looks_like": "one of two values",
        "decimal": ".",
        "thousands": "",
        "date_format": None,
        "separator": None,
        "ambiguous": False,
        "suspicious": False,
        "notes": [],
        "hierarchy": {"flat": True},
    }


def test_missing_cells_and_declared_tokens_are_not_values(hospital):
    file = hospital.write("x.csv", "age,n\n1,a\n,b\n ,c\nNA,d\n2,e\n")
    column = columns_of(shoal("profile", file, "--missing", "NA", "--json"))["age"]
    assert (column["kind"], column["distinct"], column["missing"]) == ("number", 2, 3)


def test_uniqueness_counts_records_that_stand_alone(hospital):
    file = hospital.write("x.csv", "a,b,c\n1,1,1\n1,1,2\n1,2,1\n1,2,2\n")
    shares = {
        tuple(entry["columns"]): entry["unique_share"]
        for entry in shoal("profile", file, "--json").json["uniqueness"]
    }
    assert shares["b", "c"] == 1.0
    assert shares["b",] == 0.0


def test_people_see_tables(people):
    done = shoal("profile", people)
    assert done.code == FINE
    assert "people.csv: 60 records" in done.out
    assert "can single out this share of the records" in done.words
    assert "only you know what an adversary could know" in done.notices[0]


def test_the_starter_policy_can_be_run(hospital, people):
    policy = hospital.folder / "starter.toml"
    file = hospital.write("people.csv", PEOPLE.replace("codes", "note").replace(" ", ""))
    done = shoal("profile", file, "--policy", policy, "--missing", "?")
    assert done.code == FINE
    assert "starter policy written to" in done.err
    assert shoal("check", policy).code == FINE
    assert shoal("run", policy).code == FINE
    assert (hospital.folder / "starter-out" / "published.csv").is_file()


def test_a_starter_policy_never_overwrites(hospital, people):
    policy = hospital.write("mine.toml", "precious")
    done = shoal("profile", people, "--policy", policy)
    assert done.code == BAD_INPUT
    assert "exists already" in done.errors[0]
    assert policy.read_text() == "precious"


def test_a_starter_policy_in_a_place_that_is_not_there_is_refused(hospital, people):
    done = shoal("profile", people, "--policy", hospital.folder / "nowhere" / "p.toml")
    assert done.code == BAD_INPUT
    assert "cannot be written" in done.errors[0]


def test_odd_names_survive_in_the_starter_policy(hospital):
    file = hospital.write("x.csv", 'a "b" \\ ü.c,[x]\n1,2\n1,3\n')
    policy = hospital.folder / "p.toml"
    assert shoal("profile", file, "--policy", policy).code == FINE
    done = shoal("check", policy)
    assert done.code == 3, done.err  # k = 5 of 2 records


def test_lists_are_sets_and_types_that_cannot_be_told_apart_are_left_out(hospital):
    table = pa.table(
        {
            "items": [["a", "b"], ["a"], [], None],
            "numbers": [[1, 2], [2], [1], [1]],
            "point": [{"x": 1}, {"x": 2}, {"x": 1}, {"x": 2}],
            "size": [1.5, None, 2.0, 2.0],
            "nothing": pa.nulls(4),
        }
    )
    parquet.write_table(table, hospital.folder / "x.parquet")
    done = shoal("profile", hospital.folder / "x.parquet", "--policy", hospital.policy, "--json")
    assert done.code == FINE, done.err
    columns = columns_of(done)
    assert columns["items"]["kind"] == columns["numbers"]["kind"] == "set"
    assert columns["point"]["role"] == "drop"
    assert (columns["size"]["kind"], columns["size"]["missing"]) == ("number", 1)
    assert columns["nothing"]["missing"] == 4
    assert 'others = "drop"' in hospital.policy.read_text()


def test_lines_are_sets(hospital):
    file = hospital.write("baskets.txt", "1 2\n3\n\n2\n")
    done = shoal("profile", file, "--policy", hospital.policy, "--json")
    assert columns_of(done)["items"]["kind"] == "set"
    assert 'model = "km-anonymity"' in hospital.policy.read_text()
    assert json.dumps(done.json)


def test_how_a_file_is_read_can_be_given(tmp_path):
    (tmp_path / "d.csv").write_bytes("name|größe,cm\nAnn|3,5\nBob|4,5\n".encode("cp1250"))
    done = shoal("profile", tmp_path / "d.csv", "--encoding", "cp1250", "--delimiter", "|", "--json")
    assert set(columns_of(done)) == {"name", "größe,cm"}
    assert shoal("profile", tmp_path / "d.csv", "--encoding", "klingon").code == BAD_INPUT


def test_a_sheet_can_be_chosen(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.create_sheet("second").append(["b"])
    book["second"].append([1])
    book.save(tmp_path / "d.xlsx")
    done = shoal("profile", tmp_path / "d.xlsx", "--sheet", "second", "--json")
    assert set(columns_of(done)) == {"b"}
    done = shoal("profile", tmp_path / "d.xlsx", "--sheet", "third")
    assert done.code == BAD_INPUT
