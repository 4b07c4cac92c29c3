"""One published value: cells that a reader of the file can tell apart are not one, in any format."""

import datetime
import json
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal as sh
from shoal.errors import BadInput

openpyxl = pytest.importorskip("openpyxl")

TABLE = {"age": sh.Quasi(hierarchy=sh.flat())}
SETS = {"items": sh.QuasiSet(hierarchy=sh.flat())}
DAY = datetime.datetime(2020, 1, 1)


def sheet(path, cells):
    book = openpyxl.Workbook(write_only=True)
    rows = book.create_sheet()
    rows.append(["age"])
    for cell in cells:
        rows.append([cell])
    book.save(path)
    return path


def typed(path, cells, kind=None):
    parquet.write_table(pa.table({"age": pa.array(cells, type=kind)}), path)
    return path


def lines(path, cells):
    path.write_text("".join(json.dumps({"items": cell}) + "\n" for cell in cells))
    return path


def smallest(file, roles, model):
    (verdict,) = sh.verify(file, roles, model)
    return verdict.smallest


@pytest.mark.parametrize(
    "cells",
    [
        [20] * 5 + ["20"],
        [20] * 5 + [20.5],
        [DAY] * 5 + ["2020-01-01"],
        [True] * 5 + ["true"],
        ["a"] * 5 + ["a "],
        ["a"] * 3 + [None] + ["a"] * 2,
    ],
    ids=str,
)
def test_cells_of_a_sheet_are_told_apart(tmp_path, cells):
    assert smallest(sheet(tmp_path / "a.xlsx", cells), TABLE, sh.KAnonymity(k=5)) == 1
    alike = [cells[0]] * 5
    assert smallest(sheet(tmp_path / "a.xlsx", alike), TABLE, sh.KAnonymity(k=5)) == 5


def test_a_null_is_not_an_empty_text(tmp_path):
    file = typed(tmp_path / "a.parquet", [None] * 5 + [""], pa.string())
    assert smallest(file, TABLE, sh.KAnonymity(k=5)) == 1
    assert smallest(pa.table({"age": [None] * 5 + [""]}), TABLE, sh.KAnonymity(k=5)) == 1
    (tmp_path / "a.csv").write_text('age,x\n"",1\n,1\n,1\n')
    roles = {**TABLE, "x": sh.Insensitive()}
    assert smallest(tmp_path / "a.csv", roles, sh.KAnonymity(k=3)) == 3, "text has no nulls"


@pytest.mark.parametrize("odd", [[1.0, 2], ["1", 2], None, [1], [1, 2, 2], [1, 2, None], ["", 1, 2]], ids=str)
def test_sets_are_told_apart(tmp_path, odd):
    file = lines(tmp_path / "a.jsonl", [[1, 2]] * 5 + [[]] * 5 + [odd])
    try:
        assert smallest(file, SETS, sh.SetKAnonymity(k=5)) == 1
    except BadInput as error:  # numbers and texts in one column
        assert "changed from" in str(error)  # noqa: PT017


def test_sets_are_equal_in_any_order_and_nulls_among_themselves(tmp_path):
    file = lines(tmp_path / "a.jsonl", [["a", "b"]] * 3 + [["b", "a"]] * 2)
    assert smallest(file, SETS, sh.SetKAnonymity(k=5)) == 5
    file = lines(tmp_path / "b.jsonl", [["a"]] * 5 + [None] * 5)
    assert smallest(file, SETS, sh.SetKAnonymity(k=5)) == 5
    for texts, expected in ((["a b"] * 5 + [None] * 5, 5), (["a b"] * 5 + [None] * 5 + [""], 1)):
        assert smallest(pa.table({"items": texts}), SETS, sh.SetKAnonymity(k=5)) == expected


def test_a_record_without_a_column_is_refused(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"age": "20"}\n' * 5 + "{}\n")
    with pytest.raises(BadInput, match="has no 'age'"):
        sh.verify(file, TABLE, sh.KAnonymity(k=5))


def test_a_row_that_is_empty_in_all_columns_is_a_row(tmp_path):
    data = pa.table({"items": [["a", "b"]] * 10 + [[]] * 5})
    result = sh.anonymize(sh.read(data, SETS), sh.SetKAnonymity(k=5), algorithm="partition")
    for attempt in range(6):  # the order of rows is another each time
        out = result.save(tmp_path / str(attempt), published="p.xlsx")
        assert smallest(out / "p.xlsx", SETS, sh.SetKAnonymity(k=5)) == 5


def test_numbers_are_written_to_the_last_digit(tmp_path):
    values = [0.1 + 0.2, 1 / 3, 2.0**52 + 0.5, 123456.7890123456]
    data = pa.table({"age": ["a"] * 4, "x": values})
    roles = {**TABLE, "x": sh.Insensitive(confirm=True)}
    out = sh.anonymize(sh.read(data, roles), sh.KAnonymity(k=2), algorithm="mondrian", keep_order=True).save(
        tmp_path / "out", published="p.xlsx"
    )
    read = [row[1] for row in openpyxl.load_workbook(out / "p.xlsx").active.iter_rows(values_only=True)]
    assert read[1:] == values


def test_a_decimal_is_the_number_that_it_says(tmp_path):
    data = pa.table({"age": pa.array([Decimal("28.7000")] * 4)})
    roles = {"age": sh.Quasi(kind="number", hierarchy=sh.flat())}
    out = sh.anonymize(sh.read(data, roles), sh.KAnonymity(k=2)).save(tmp_path / "out")
    assert (out / "published.csv").read_text() == "age\n28.7\n28.7\n28.7\n28.7\n"
