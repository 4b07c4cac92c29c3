import sys
import zipfile
from datetime import date, datetime

import openpyxl
import pyarrow as pa
import pytest

from shoal.errors import BadInput, MissingExtra
from shoal.table.columns import Kind
from shoal.table.excel import open_excel_as_written, write_excel
from shoal.table.reading import HowRead, ReadOptions, inspect, inspect_described, read_table
from shoal.table.roles import Quasi, Sensitive
from tests.table.views import plain


@pytest.fixture
def workbook(tmp_path):
    def made(**sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append(row)
        path = tmp_path / "d.xlsx"
        book.save(path)
        return path

    return made


def test_cells_have_types(workbook):
    path = workbook(
        one=[
            ["age", "born", "mixed", "seen"],
            [31, datetime(2001, 5, 6), "x", datetime(2001, 5, 6, 12)],
            [4.5, None, 2.0, datetime(2001, 5, 6)],
            [None, datetime(2020, 1, 1), True, None],
            [None, None, None, None],
        ]
    )
    assert inspect(path).to_pydict() == {
        "age": [31.0, 4.5, None],
        "born": [date(2001, 5, 6), None, date(2020, 1, 1)],
        "mixed": ["x", "2", "true"],
        "seen": [datetime(2001, 5, 6, 12), datetime(2001, 5, 6), None],
    }
    roles = {
        "age": Quasi(kind=Kind.NUMBER),
        "born": Quasi(kind=Kind.DATE),
        "mixed": Quasi(),
        "seen": Sensitive(kind=Kind.DATE),
    }
    assert plain(read_table(path, roles).table)["seen"] == ["2001-05-06", "2001-05-06", None]


def test_lines_are_rows_of_the_sheet(workbook):
    path = workbook(one=[["age"], [1], ["x"]])
    with pytest.raises(BadInput, match=r"d\.xlsx:3, column 'age', value 'x'"):
        read_table(path, {"age": Quasi(kind=Kind.NUMBER)})


def test_sheets_are_chosen_by_name(workbook):
    path = workbook(one=[["a"], [1]], two=[["a"], [2]])
    first = read_table(path, {"a": Quasi()})
    assert plain(first.table) == {"a": ["1"]}
    assert "read the first sheet, 'one', of 2" in first.notices[0]
    second = read_table(path, {"a": Quasi()}, ReadOptions(sheet="two"))
    assert plain(second.table) == {"a": ["2"]}
    assert second.notices == ()
    with pytest.raises(BadInput, match="has no sheet 'three'; it has 'one', 'two'"):
        read_table(path, {"a": Quasi()}, ReadOptions(sheet="three"))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "sheet 'one' is empty"),
        ([["a", "b"]], "holds no records"),
        ([["a", "a"], [1, 2]], "several columns"),
    ],
)
def test_sheets_that_cannot_be_used(workbook, rows, words):
    with pytest.raises(BadInput, match=words):
        read_table(workbook(one=rows), {"a": Quasi(), "b": Quasi()})


def test_a_column_without_name_and_values_is_none(workbook):
    path = workbook(one=[["a", None, "b"], [1, None, 2]])
    assert plain(read_table(path, {"a": Quasi(), "b": Quasi()}).table) == {"a": ["1"], "b": ["2"]}


def test_without_openpyxl_the_remedy_is_told(workbook, monkeypatch):
    path = workbook(one=[["a"], [1]])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"shoal\[excel\]"):
        read_table(path, {"a": Quasi()})


def test_a_last_row_without_values_is_a_row_to_every_reader(tmp_path):
    file = tmp_path / "published.xlsx"
    write_excel(file, ["a"], [pa.array(["x", None, None])])
    seen = [row for (row,) in openpyxl.load_workbook(file).worksheets[0].iter_rows(values_only=True)]
    assert seen == ["a", "x", None, None]
    assert open_excel_as_written(file, ReadOptions()).load(("a",)).table.num_rows == 3


def test_a_published_file_that_ends_in_a_row_without_a_cell_is_refused(tmp_path):
    file, bare = tmp_path / "published.xlsx", tmp_path / "bare.xlsx"
    write_excel(file, ["a"], [pa.array(["x", None])])
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(bare, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'<c r="A3"/>', b""))
    with pytest.raises(BadInput, match="ends in a row without a cell"):
        open_excel_as_written(bare, ReadOptions())


def test_cells_that_are_dates_stay_dates_beside_texts(workbook):
    path = workbook(one=[["day"], [datetime(2021, 4, 3)], ["5.4.2021"], [datetime(2021, 4, 6, 12)]])
    loaded = read_table(path, {"day": Quasi(kind=Kind.DATE)}, ReadOptions(date_format="%d.%m.%Y"))
    assert plain(loaded.table)["day"] == ["2021-04-03", "2021-04-05", "2021-04-06"]


def test_a_date_that_could_be_two_days_is_none(workbook):
    path = workbook(one=[["day"], [datetime(2021, 4, 3)], ["2021-25-04"]])
    with pytest.raises(BadInput, match="value '2021-04-03': is not a date"):
        read_table(path, {"day": Quasi(kind=Kind.DATE)}, ReadOptions(date_format="%Y-%d-%m"))


def test_numbers_beside_texts_have_no_style(workbook):
    path = workbook(one=[["wage"], [1.234], ["1.234,5"]])
    with pytest.raises(
        BadInput, match="column 'wage': holds cells that are numbers and cells that are texts"
    ):
        read_table(path, {"wage": Quasi(kind=Kind.NUMBER)}, ReadOptions(decimal=",", thousands="."))


def test_the_sheet_that_was_read_is_told(workbook):
    path = workbook(one=[["a"], [1]], two=[["a"], [2]])
    assert inspect_described(path)[1] == HowRead(sheet="one")
    table, how = inspect_described(path, ReadOptions(sheet="two"))
    assert (table.to_pydict(), how) == ({"a": [2]}, HowRead(sheet="two"))
