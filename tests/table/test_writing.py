import gzip
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import OutputFailed
from shoal.table.canonical import WHITE_SPACE, canonical
from shoal.table.columns import Carried, Coded, Domain, Kind, Sets, Table, category_domain
from shoal.table.reading import read_published, read_table
from shoal.table.roles import Insensitive, Quasi, QuasiSet, Sensitive
from shoal.table.writing import form_problems, write_table
from tests.examples import examples
from tests.table.views import plain

TEXT_FORMATS = ["csv", "tsv", "jsonl", "csv.gz", "tsv.gz", "jsonl.gz"]
FORMATS = [*TEXT_FORMATS, "parquet", "arrow", "feather", "xlsx"]
ROLES = {
    "age": Quasi(kind=Kind.NUMBER),
    "codes": QuasiSet(separator="|"),
    "pay": Sensitive(kind=Kind.NUMBER),
    "born": Sensitive(kind=Kind.DATE),
    "note": Insensitive(),
}

nasty = st.sampled_from(
    [
        "=1+1",
        "a,b",
        'say "hi"',
        "two\nlines",
        "tab\tbed",
        "a;b",
        "NA",
        "*",
        "[1, 2)",
        "(A&B)",
        "2020-01-01",
        "01",
    ]
)
letters = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cn"), exclude_characters=f"{WHITE_SPACE}|"), min_size=1
).map(canonical)
labels = nasty | letters


def coded(values, kind=Kind.CATEGORY):
    present = sorted({value for value in values if value is not None})
    numbers = None
    texts = [str(value) for value in present]
    if kind is Kind.NUMBER:
        numbers = np.array(present, dtype=np.float64)
    if kind is Kind.DATE:
        numbers = np.array([(value - date(1970, 1, 1)).days for value in present], dtype=np.float64)
    codes = [len(present) if value is None else present.index(value) for value in values]
    return Coded.of(codes, Domain(kind, pa.array(texts, type=pa.string()), numbers))


def sets(rows, separator="|"):
    domain = sorted({item for row in rows for item in row})
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    items = [domain.index(item) for row in rows for item in sorted(row)]
    return Sets.of(starts, np.array(items, dtype=np.int64), category_domain(domain), separator)


@st.composite
def tables(draw):
    size = draw(st.integers(1, 5))

    def column(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    return Table.of(
        {
            "age": coded(column(labels | st.none())),
            "codes": sets(column(st.frozensets(labels, max_size=3))),
            "pay": coded(column(st.sampled_from([1, 2, 1000000]) | st.none()), Kind.NUMBER),
            "born": coded(column(st.dates(date(1800, 1, 1)) | st.none()), Kind.DATE),
            "note": Carried(pa.chunked_array([column(labels)])),
        }
    )


@pytest.mark.parametrize("ending", FORMATS)
@examples(15)
@given(table=tables())
def test_what_is_published_reads_back(tmp_path_factory, ending, table):
    path = tmp_path_factory.mktemp("out") / f"d.{ending}"
    write_table(table, path)
    back = read_published(path, ROLES)
    assert plain(back.table) == plain(table)
    assert back.notices == ()


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "txt", "dat", "txt.gz", "parquet"])
@examples(15)
@given(rows=st.lists(st.frozensets(letters, max_size=3), min_size=1, max_size=4))
def test_a_lone_column_of_sets_keeps_every_record(tmp_path_factory, ending, rows):
    path = tmp_path_factory.mktemp("out") / f"d.{ending}"
    table = Table.of({"items": sets(rows, " ")})
    write_table(table, path)
    assert plain(read_published(path, {"items": QuasiSet()}).table) == plain(table)


def small():
    return Table.of(
        {
            "a,b": coded(["x", None, "y\n"]),
            "s": sets([{"b", "a"}, set(), {"c"}]),
            "n": coded([2, 10, None], Kind.NUMBER),
        }
    )


def test_csv_quotes_only_what_needs_it(tmp_path):
    write_table(small(), tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_text() == '"a,b",s,n\nx,a|b,2\n,,10\n"y\n",c,\n'


def test_a_lone_empty_cell_is_two_quotes(tmp_path):
    write_table(Table.of({"s": sets([{"a"}, set()])}), tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_text() == 's\na\n""\n'
    write_table(Table.of({"a": coded(["x", None])}), tmp_path / "e.csv")
    assert (tmp_path / "e.csv").read_text() == 'a\nx\n""\n'


def test_json_lines_have_types(tmp_path):
    table = small().replacing({"c": Carried(pa.chunked_array([[[1, None], None, []]]))})
    write_table(table, tmp_path / "d.jsonl")
    assert (tmp_path / "d.jsonl").read_text().splitlines() == [
        '{"a,b": "x", "s": ["a", "b"], "n": 2, "c": [1, null]}',
        '{"a,b": null, "s": [], "n": 10, "c": null}',
        '{"a,b": "y\\n", "s": ["c"], "n": null, "c": []}',
    ]


def test_parquet_has_types(tmp_path):
    write_table(small(), tmp_path / "d.parquet")
    schema = pa.parquet.read_schema(tmp_path / "d.parquet")
    assert schema.types == [pa.string(), pa.list_(pa.string()), pa.int64()]


def test_sets_are_in_text_order_whatever_their_codes(tmp_path):
    tree_order = Sets.of([0, 2], [0, 1], category_domain(["z", "a"]), " ")
    for name in ("d.csv", "d.jsonl", "d.parquet"):
        write_table(Table.of({"s": tree_order, "x": coded(["1"])}), tmp_path / name)
    assert (tmp_path / "d.csv").read_text() == "s,x\na z,1\n"
    assert '["a", "z"]' in (tmp_path / "d.jsonl").read_text()
    assert pa.parquet.read_table(tmp_path / "d.parquet")["s"].to_pylist() == [["a", "z"]]


def test_batches_follow_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.table.writing._BATCH_ROWS", 2)
    for ending in FORMATS:
        path = tmp_path / f"d.{ending}"
        write_table(small(), path)
        roles = {"a,b": Quasi(), "s": QuasiSet(separator="|"), "n": Quasi(kind=Kind.NUMBER)}
        assert plain(read_table(path, roles).table)["s"] == [["a", "b"], [], ["c"]]


def test_categories_nobody_has_are_not_written(tmp_path):
    kept = pa.chunked_array([["x", "secret"]]).dictionary_encode().slice(0, 1)
    for name in ("d.parquet", "d.arrow", "d.csv", "d.jsonl", "d.xlsx"):
        write_table(Table.of({"c": Carried(kept)}), tmp_path / name)
        assert b"secret" not in (tmp_path / name).read_bytes()


def test_a_compressed_file_does_not_tell_when_it_was_made(tmp_path):
    write_table(small(), tmp_path / "d.csv.gz")
    header = (tmp_path / "d.csv.gz").read_bytes()[:10]
    assert header[3] == 0  # no file name
    assert header[4:8] == b"\0\0\0\0"  # no time
    assert gzip.decompress((tmp_path / "d.csv.gz").read_bytes()).startswith(b'"a,b"')


@pytest.mark.parametrize(
    ("name", "table", "words"),
    [
        ("d.sav", small(), "cannot tell the format"),
        ("d.parquet.gz", small(), "cannot tell the format"),
        ("d.txt", small(), "one column of sets"),
        ("d.txt", Table.of({"s": sets([{"a\nb"}])}), "'a\\nb' does not fit on a line"),
        ("d.csv", Table.of({"a": coded(["x\0"])}), "NUL"),
        ("d.xlsx", Table.of({"a": coded(["x\r"])}), "Excel cannot hold"),
        ("d.xlsx", Table.of({"a": coded(["x" * 40000])}), "32,767 characters"),
        ("d.csv", Table.of({"a": Carried(pa.chunked_array([[[1]]]))}), "list"),
        ("d.jsonl", Table.of({"a": Carried(pa.chunked_array([[{"b": 1}]]))}), "struct"),
        ("no/folder/d.csv", small(), "cannot be written"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_leaves_nothing(tmp_path, name, table, words):
    with pytest.raises(OutputFailed) as caught:
        write_table(table, tmp_path / name)
    assert words in str(caught.value)
    assert not (tmp_path / name).exists()


def test_excel_has_a_limit_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.table.excel.ROW_LIMIT", 3)
    with pytest.raises(OutputFailed, match="holds 2 records"):
        write_table(small(), tmp_path / "d.xlsx")


def test_what_a_format_cannot_hold_is_known_before_it_is_written(tmp_path):
    lists = pa.table({"age": ["20"] * 3, "tags": [["a"], ["b"], []], "deep": [{"x": 1}] * 3, "n": [1, 2, 3]})
    roles = {"age": Quasi(), **{name: Insensitive() for name in ("tags", "deep", "n")}}
    table = read_table(lists, roles).table
    for name, held in {"p.csv": 1, "p.csv.gz": 1, "p.xlsx": 1, "p.jsonl": 2, "p.parquet": 3}.items():
        problems = form_problems(table, name)
        assert len(problems) == 3 - held, name
        fitting = table.without([problem.column for problem in problems])
        write_table(fitting, tmp_path / name)
