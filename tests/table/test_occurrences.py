"""A column that is taken batch by batch is the column that is read at once."""

import csv
import math
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import shoal as sh
from shoal.table import columnar, delimited, set_lines
from shoal.table.canonical import MissingTokens
from shoal.table.encoding import takes_lists
from shoal.table.occurrences import Batch, Batches
from shoal.table.reading import read_published, read_table
from tests.examples import examples

FLOATS = st.sampled_from([0.0, -0.0, 1.5, math.nan, math.inf, 2.0**53, 7.0])
CELLS = {
    "string": (pa.string(), st.text("aA é ", max_size=2)),
    "large text": (pa.large_string(), st.sampled_from(["", "a", " a", "NA"])),
    "view": (pa.string_view(), st.sampled_from(["", "a", "b"])),
    "category": (pa.dictionary(pa.int8(), pa.string()), st.sampled_from(["a", "b", "c"])),
    "whole": (pa.int16(), st.integers(-3, 3)),
    "float": (pa.float64(), FLOATS),
    "single": (pa.float32(), FLOATS),
    "yes": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.dates()),
    "time": (pa.timestamp("us", "Europe/Athens"), st.datetimes(timezones=st.timezones())),
    "nothing": (pa.null(), st.none()),
}
ROLES = st.sampled_from(
    [sh.Quasi(), sh.Quasi(kind="number"), sh.Quasi(kind="date"), sh.Sensitive(), sh.Identifier()]
)


@st.composite
def columns(draw):
    kind, cells = CELLS[draw(st.sampled_from(list(CELLS)))]
    rows = draw(st.lists(cells | st.none(), min_size=1, max_size=12))
    try:
        return pa.array(rows, kind)
    except (pa.ArrowException, OverflowError):
        return pa.array([None] * len(rows), kind)


def read(way, source):
    """What a reader finds: the codes, labels and notices of a column, or the problems without the file."""
    try:
        loaded = way(source)
    except sh.ShoalError as error:
        return str(error).replace(str(source), "")
    column = loaded.table.column("x")
    return column.codes.tolist(), column.domain.texts(), loaded.source.types["x"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("batches")


@examples(150)
@given(columns(), ROLES, st.integers(1, 4), st.integers(1, 5))
def test_files_are_read_as_frames_are_whatever_their_batches(path, cells, role, at_once, group):
    file = path / "data.parquet"
    parquet.write_table(pa.table({"x": cells}), file, row_group_size=group)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columnar, "_ROWS_AT_ONCE", at_once)
        in_batches = read(lambda source: read_table(source, {"x": role}), file)
        published = read(lambda source: read_published(source, {"x": role}), file)
    at_once = read(lambda source: read_table(source, {"x": role}), parquet.read_table(file))
    whole = read(lambda source: read_published(source, {"x": role}), file)
    assert published == whole
    if isinstance(in_batches, tuple) and isinstance(at_once, tuple):
        assert in_batches[:2] == at_once[:2]
    else:
        assert isinstance(in_batches, str) == isinstance(at_once, str)


@examples(100)
@given(
    st.lists(
        st.tuples(st.text("aA ,;\"'\n\r1.5é", max_size=4), st.sampled_from(["1", "2.5", "", "x", "nan"])),
        min_size=1,
    ),
    ROLES,
    st.integers(8, 40),
)
def test_large_delimited_files_are_read_as_small_ones_are(path, rows, role, block):
    file = path / "data.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("name", "x"), *rows])
    small = read_all(file, role)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_LARGE", 0)
        patch.setattr(delimited, "_BLOCK", block)
        assert read_all(file, role) == small


def test_texts_of_large_delimited_files_are_never_all_in_memory(tmp_path, monkeypatch):
    file = tmp_path / "data.csv"
    file.write_text("name,note\n" + "Ann,n\nBob,m\n" * 50)
    monkeypatch.setattr(delimited, "_LARGE", 0)
    monkeypatch.setattr(delimited, "_BLOCK", 64)
    raw = delimited.Delimited(file, sh.ReadOptions()).load(("name", "note"), single={"name"})
    assert raw.table.column_names == ["note"]
    assert raw.row_count == 100
    assert len(raw.batches["name"].batches) > 5
    assert all(len(batch.values) <= 2 for batch in raw.batches["name"].batches)


@examples(60)
@given(
    st.lists(st.lists(st.text("abé;", max_size=2), max_size=4).map(" ".join), min_size=1),
    st.booleans(),
    st.integers(8, 40),
)
def test_sets_of_large_files_are_read_as_those_of_small_ones_are(path, cells, multiset, block):
    role = sh.QuasiSet(separator=" ", multiset=multiset)
    file, lines = path / "data.csv", path / "data.txt"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("name", "items"), *(("n", cell) for cell in cells)])
    lines.write_text("".join(f"{cell}\n" for cell in cells), encoding="utf-8")
    small = [read_sets(each, role) for each in (file, lines)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_LARGE", 0)
        patch.setattr(delimited, "_BLOCK", block)
        patch.setattr(set_lines, "_PIECE", block)
        assert [read_sets(each, role) for each in (file, lines)] == small


def test_texts_of_sets_are_never_all_in_memory(tmp_path, monkeypatch):
    file = tmp_path / "data.txt"
    file.write_text("a b\nb\n" * 50)
    monkeypatch.setattr(set_lines, "_PIECE", 64)
    takes = takes_lists(sh.QuasiSet(), MissingTokens.of(()))
    raw = set_lines.SetLines(file, sh.ReadOptions()).load(("items",), lists={"items": takes})
    assert raw.table.column_names == []
    assert raw.row_count == 100
    assert len(raw.lists["items"].batches) > 3
    assert all(len(batch.items.values) <= 2 for batch in raw.lists["items"].batches)


def read_sets(file, role):
    """What a reader finds in a column of sets, or the problems."""
    try:
        loaded = read_table(file, {"items": role}, sh.ReadOptions(others="drop"))
    except sh.ShoalError as error:
        return str(error)
    sets = loaded.table.sets("items")
    return sets.starts.tolist(), sets.narrow.tolist(), sets.domain.texts(), loaded.notices


def read_all(file, role):
    """What a reader finds in a file of two columns, or the problems."""
    try:
        table = read_table(file, {"name": sh.Quasi(), "x": role}).table
    except sh.ShoalError as error:
        return str(error)
    return [(column.codes.tolist(), column.domain.texts()) for column in map(table.column, ("name", "x"))]


@examples(100)
@given(columns(), st.lists(st.integers(0, 12), max_size=4))
def test_batches_have_the_entries_of_the_column(cells, borders):
    borders = sorted({0, len(cells), *(min(each, len(cells)) for each in borders)})
    pieces = [cells.slice(first, last - first) for first, last in pairwise(borders)]
    kind = cells.type
    whole, parted = (Batches(kind, tuple(map(Batch.of, those))).occurrences() for those in ([cells], pieces))
    codes = [each.codes(np.arange(len(each.entries)), len(each.entries)).tolist() for each in (whole, parted)]
    shown = [
        [str(each.entries[code]) if code < len(each.entries) else None for code in of_rows]
        for each, of_rows in zip((whole, parted), codes, strict=True)
    ]
    assert shown[0] == shown[1]
    assert [each is None for each in shown[0]] == cells.is_null().to_pylist()


def test_texts_that_a_reader_keeps_and_no_row_has_are_no_values():
    kept = pa.DictionaryArray.from_arrays(pa.array([2, None, 0, 2], pa.int32()), ["a", "b", "c"])
    batch = Batch.of_read_as_dictionary(kept)
    assert batch.values.to_pylist() == ["a", "c"]
    assert batch.places.tolist() == [1, 2, 0, 1]


def test_a_file_that_changed_since_it_was_opened_is_refused(tmp_path):
    file = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"x": ["a"]}), file)
    opened = columnar.open_parquet(file, sh.ReadOptions())
    parquet.write_table(pa.table({"y": ["a"]}), file)
    with pytest.raises(pa.ArrowInvalid, match="changed while it was read"):
        opened.load(["x"])


def test_parts_with_values_and_parts_with_lists_are_read_at_once(tmp_path):
    parquet.write_table(pa.table({"x": pa.nulls(2)}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"x": [["a"]]}), tmp_path / "b.parquet")
    with pytest.raises(sh.ShoalError, match="holds lists"):
        read_table(tmp_path, {"x": sh.Quasi()})


def test_parts_may_hold_whole_and_other_numbers(tmp_path):
    parquet.write_table(pa.table({"x": [3, 1]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"x": [2.5, 1.0]}), tmp_path / "b.parquet")
    column = read_table(tmp_path, {"x": sh.Quasi(kind="number")}).table.coded("x")
    assert [column.domain.label(code) for code in column.codes.tolist()] == ["3", "1", "2.5", "1"]
