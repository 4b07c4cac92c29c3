"""What a published file carries beside its table: nothing in ours, and what others add is noticed."""

import gzip
import io
import zipfile

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.table.beside import beside_the_table
from shoal.table.reading import read_table
from shoal.table.roles import Insensitive, Quasi, QuasiSet
from shoal.table.writing import write_table

openpyxl = pytest.importorskip("openpyxl")

ROWS = "age,items,note\n" + "".join(f"{20 + i % 3},a b,{'x' if i % 2 else ''}\n" for i in range(12))
ROLES = {"age": Quasi(), "items": QuasiSet(), "note": Insensitive()}
ENDINGS = ("csv", "csv.gz", "tsv", "jsonl", "jsonl.gz", "parquet", "arrow", "xlsx")


@pytest.fixture
def table(tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    return read_table(tmp_path / "data.csv", ROLES).table


@pytest.mark.parametrize("ending", ENDINGS)
def test_ours_hold_nothing_beside_and_are_the_same_whenever_they_are_written(tmp_path, table, ending):
    first, second = tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"
    write_table(table, first)
    write_table(table, second)
    found = beside_the_table(first)
    assert (found.refused, found.listed) == ((), ())
    assert first.read_bytes() == second.read_bytes()


def workbook(path, change=lambda *_: None):
    book = openpyxl.Workbook()
    book.active.append(["age", "zip"])
    for _ in range(3):
        book.active.append(["20-29", "12**"])
    change(book, book.active)
    book.save(path)
    return beside_the_table(path)


def very_hidden(book, _):
    book.create_sheet("raw").sheet_state = "veryHidden"


def defined_name(book, _):
    from openpyxl.workbook.defined_name import DefinedName

    book.defined_names["who"] = DefinedName("who", attr_text='"Bob"')


def note(_, sheet):
    from openpyxl.comments import Comment

    sheet["A2"].comment = Comment("Bob", "x")


def hidden_row(_, sheet):
    sheet.row_dimensions[2].hidden = True


def link(_, sheet):
    sheet["A2"].hyperlink = "https://bob.example"


def formula(_, sheet):
    sheet["C2"] = "=1+1"


def footer(_, sheet):
    sheet.oddFooter.center.text = "Bob"


@pytest.mark.parametrize("change", [very_hidden, defined_name, note, hidden_row, link, formula, footer])
def test_what_a_workbook_can_hide_is_refused(tmp_path, change):
    assert workbook(tmp_path / "b.xlsx", change).refused


def test_what_excel_adds_on_its_own_is_listed(tmp_path):
    found = workbook(tmp_path / "b.xlsx")
    assert found.refused == ()
    assert any("docProps/core.xml" in each for each in found.listed)
    assert any("the time at which it was saved" in each for each in found.listed)


def test_a_part_that_nobody_knows_and_a_text_in_no_cell_are_refused(tmp_path):
    path = tmp_path / "b.xlsx"
    workbook(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/raw.bin", b"Bob")
    assert "xl/raw.bin" in beside_the_table(path).refused[0]
    workbook(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/sharedStrings.xml", "<sst><si><t>Bob</t></si></sst>")
    assert any("texts that stand in no cell" in each for each in beside_the_table(path).refused)


def test_metadata_are_refused_wherever_they_stand(tmp_path):
    table = pa.table({"age": ["20"] * 3})
    of_column = pa.table(
        [table.column(0)], schema=pa.schema([pa.field("age", pa.string(), metadata={"raw": "Bob"})])
    )
    for index, content in enumerate((table.replace_schema_metadata({"raw": "Bob"}), of_column)):
        path = tmp_path / f"{index}.parquet"
        parquet.write_table(content, path)
        assert "'raw'" in beside_the_table(path).refused[0]
        arrow = tmp_path / f"{index}.arrow"
        with pa.OSFile(str(arrow), "wb") as sink, pa.ipc.new_file(sink, content.schema) as writer:
            writer.write_table(content)
        assert "'raw'" in beside_the_table(arrow).refused[0]


def write_arrow(path, table):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return beside_the_table(path)


def test_categories_without_rows_and_values_under_nulls_are_refused(tmp_path):
    unused = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["20", "Bob"]))
    assert "categories" in write_arrow(tmp_path / "a.arrow", pa.table({"age": unused})).refused[0]
    full = pa.array([77, 20, 20])
    hidden = pa.Array.from_buffers(pa.int64(), 3, [pa.py_buffer(b"\x06"), full.buffers()[1]])
    found = write_arrow(tmp_path / "b.arrow", pa.table({"age": hidden}))
    assert "where it is null" in found.refused[0]
    assert write_arrow(tmp_path / "c.arrow", pa.table({"age": pa.array([None, 20])})).refused == ()


def test_the_header_of_a_gzip_file_is_looked_at(tmp_path):
    path = tmp_path / "a.csv.gz"
    with path.open("wb") as file, gzip.GzipFile("bob.csv", "wb", fileobj=file) as stream:
        stream.write(b"age\n20\n")
    found = beside_the_table(path)
    assert found.refused == ()
    assert "gzip header" in found.listed[0]
    content = io.BytesIO(gzip.compress(b"age\n20\n", mtime=0)).getvalue()
    path.write_bytes(content[:3] + bytes([content[3] | 16]) + content[4:10] + b"Bob\0" + content[10:])
    assert "a comment" in beside_the_table(path).refused[0]
    for more in (b"\0", b"Bob", gzip.compress(b"Bob", mtime=0)):
        path.write_bytes(content + more)
        assert "bytes behind what was compressed" in beside_the_table(path).refused[0]


@pytest.mark.parametrize("ending", ["xlsx", "parquet", "arrow", "csv.gz"])
def test_what_cannot_be_looked_through_is_refused(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"PK\x03\x04 junk and more junk")
    found = beside_the_table(path)
    assert found.refused == ("beside its table the file holds what cannot be looked through",)
    assert beside_the_table(tmp_path / f"none.{ending}").refused == ()


def test_a_format_that_nobody_looks_through_is_refused(tmp_path):
    file = tmp_path / "published.orc"
    file.write_bytes(b"ORC")
    assert beside_the_table(file).refused
