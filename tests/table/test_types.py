"""One meaning of missing values in every role, and columns that come back as the types they were."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal as sh
from shoal.errors import BadInput, InvalidParameter, OutputFailed
from shoal.table.columns import Kind
from shoal.table.reading import ReadOptions, read_table, to_frame
from shoal.table.writing import form_problems, write_table
from tests.table.views import values

ROLES = {"insensitive": sh.Insensitive(), "sensitive": sh.Sensitive(), "quasi": sh.Quasi()}
SINGLE_VALUES = ROLES.values()


def back(frame, role, options=None):
    loaded = read_table(frame, {"x": role}, options or ReadOptions())
    return to_frame(loaded.table, loaded.source)


PANDAS = {
    "Int64": pd.array([1, None, 3], dtype="Int64"),
    "Int8": pd.array([1, 2, 3], dtype="Int8"),
    "int64": np.array([1, 2, 3]),
    "int16": np.array([1, 2, 3], dtype="int16"),
    "float64": np.array([1.5, np.nan, 3]),
    "Float64": pd.array([1.5, None, 3], dtype="Float64"),
    "boolean": pd.array([True, None, False], dtype="boolean"),
    "bool": np.array([True, False, True]),
    "category": pd.Categorical(["lo", None, "hi"]),
    "ordered category": pd.Categorical(["lo", "mid", "hi"], ["lo", "mid", "hi"], ordered=True),
    "category of numbers": pd.Categorical([20, 3, None], [20, 3], ordered=True),
    "datetime": pd.to_datetime(["2021-01-01 10:30", None, "2021-01-02"], format="ISO8601"),
    "day": pd.to_datetime(["2021-01-01", "2021-01-03", "2021-01-02"]),
    "datetime with a zone": pd.to_datetime(["2021-07-01 10:30", None, "2021-01-02 00:00"]).tz_localize(
        "Europe/Berlin"
    ),
    "string": pd.array(["a", None, "b"], dtype="string"),
    "object": pd.Series(["a", "b", "c"], dtype=object),
}


@pytest.mark.parametrize("role", SINGLE_VALUES, ids=ROLES)
@pytest.mark.parametrize("column", PANDAS.values(), ids=PANDAS)
def test_pandas(column, role):
    frame = pd.DataFrame({"x": column})
    pd.testing.assert_frame_equal(back(frame, role), frame)


POLARS = {
    "Int64": pl.Series([1, None, 3]),
    "Int8": pl.Series([1, 2, 3], dtype=pl.Int8),
    "Float64": pl.Series([1.5, None, 3]),
    "Boolean": pl.Series([True, None, False]),
    "Categorical": pl.Series(["lo", None, "hi"], dtype=pl.Categorical),
    "Enum": pl.Series(["lo", None, "hi"], dtype=pl.Enum(["lo", "hi"])),
    "Date": pl.Series([date(2021, 1, 2), None, date(2021, 1, 1)]),
    "Datetime": pl.Series([datetime(2021, 1, 2, 10, 30), None, datetime(2021, 1, 1)]),
    "Datetime with a zone": pl.Series([datetime(2021, 7, 1, 10), None]).dt.replace_time_zone("Europe/Berlin"),
    "String": pl.Series(["a", None, "b"]),
}


@pytest.mark.parametrize("role", SINGLE_VALUES, ids=ROLES)
@pytest.mark.parametrize("column", POLARS.values(), ids=POLARS)
def test_polars(column, role):
    frame = pl.DataFrame({"x": column})
    assert back(frame, role).equals(frame)
    assert back(frame, role).schema == frame.schema


ARROW = {
    "int32": pa.array([1, None, 3], pa.int32()),
    "double": pa.array([1.5, None, 3]),
    "bool": pa.array([True, None, False]),
    "date": pa.array([date(2021, 1, 2), None]),
    "timestamp": pa.array([datetime(2021, 1, 2, 10, 30), None], pa.timestamp("ms")),
    "timestamp with a zone": pa.array([datetime(2021, 1, 2, 10, 30), None], pa.timestamp("us", "Asia/Tokyo")),
    "large string": pa.array(["a", None], pa.large_string()),
    "decimal": pa.array([1, None], pa.decimal128(5, 2)),
}


@pytest.mark.parametrize("role", SINGLE_VALUES, ids=ROLES)
@pytest.mark.parametrize("column", ARROW.values(), ids=ARROW)
def test_arrow(column, role):
    frame = pa.table({"x": column})
    assert back(frame, role).equals(frame)


def test_only_published_categories_are_listed():
    frame = pd.DataFrame({"x": pd.Categorical(["lo", "hi"], ["lo", "secret", "hi"], ordered=True)})
    for role in SINGLE_VALUES:
        assert back(frame, role)["x"].cat.categories.tolist() == ["lo", "hi"]
    enum = pl.DataFrame({"x": pl.Series(["lo"], dtype=pl.Enum(["lo", "secret"]))})
    for role in SINGLE_VALUES:
        assert back(enum, role).schema["x"] == pl.Enum(["lo"])


def test_generalized_columns_are_what_their_labels_are():
    frame = pd.DataFrame(
        {"age": pd.array([20, 21, 30, 31], dtype="Int64"), "x": pd.array([1, 2, 1, 2], "Int64")}
    )
    roles = {"age": sh.Quasi(kind="number", hierarchy=sh.ranges(10)), "x": sh.Sensitive()}
    released = sh.anonymize(sh.read(frame, roles), sh.KAnonymity(2)).frame
    assert sorted(set(released["age"])) == ["20-29", "30-39"]
    assert released["x"].dtype == "Int64"


LISTS = [["a", "b"], None, [], ["b", "a"]]


class TestLists:
    def test_an_untouched_list_comes_back(self):
        pandas = pd.DataFrame({"x": LISTS})
        assert back(pandas, sh.Insensitive())["x"].tolist() == LISTS
        polars = pl.DataFrame({"x": LISTS})
        assert back(polars, sh.Insensitive()).equals(polars)
        arrow = pa.table({"x": LISTS})
        assert back(arrow, sh.Insensitive()).equals(arrow)

    def test_lists_are_told_apart_by_their_items_and_their_order(self):
        data = sh.read(pa.table({"x": [*LISTS, ["a", "b"], None]}), {"x": sh.Insensitive()})
        assert data.local.combinations(["x"]).distinct == 4
        numbers = pa.table({"x": [[[1], [2]], [[1], [2]], [[1, 2]]]})
        assert sh.read(numbers, {"x": sh.Insensitive()}).local.combinations(["x"]).distinct == 2

    def test_an_untouched_list_that_tells_nothing_needs_no_word(self):
        frame = pa.table({"age": [1, 1, 2, 2], "x": [["a", "b"]] * 4})
        data = sh.read(frame, {"age": sh.Quasi(kind="number"), "x": sh.Insensitive()})
        assert sh.anonymize(data, sh.KAnonymity(2)).frame.column("x").to_pylist() == [["a", "b"]] * 4

    @pytest.mark.parametrize("name", ["p.csv", "p.tsv.gz", "p.xlsx"])
    def test_a_file_of_texts_needs_a_separator(self, tmp_path, name):
        table = read_table(pa.table({"x": LISTS}), {"x": sh.Insensitive()}).table
        (problem,) = form_problems(table, name)
        assert "column 'x': holds lists, which" in str(problem)
        assert "give it a separator" in str(problem)
        with pytest.raises(OutputFailed, match="give it a separator"):
            write_table(table, tmp_path / name)

    def test_lists_are_joined_by_their_separator(self, tmp_path):
        table = read_table(
            pa.table({"x": LISTS, "n": [[1, None], [2], None, [3]]}),
            {"x": sh.Insensitive(separator="|"), "n": sh.Insensitive(separator=";")},
        ).table
        write_table(table, tmp_path / "p.csv")
        assert (tmp_path / "p.csv").read_text() == "x,n\na|b,1;\n,2\n,\nb|a,3\n"
        write_table(table, tmp_path / "p.jsonl")
        assert '"x": ["a", "b"]' in (tmp_path / "p.jsonl").read_text()

    def test_no_item_may_hold_the_separator(self):
        with pytest.raises(BadInput, match="contains the separator"):
            read_table(pa.table({"x": [["a|b"]]}), {"x": sh.Insensitive(separator="|")})
        with pytest.raises(InvalidParameter, match="at least one character"):
            sh.Insensitive(separator="")

    def test_a_single_value_is_no_list(self):
        with pytest.raises(
            BadInput, match="holds lists, where its role asks for single values; make it a set"
        ):
            read_table(pa.table({"x": LISTS}), {"x": sh.Sensitive()})


MISSING = {
    "null": pa.array(["a", None]),
    "empty text": pa.array(["a", ""]),
    "white space": pa.array(["a", " \u00a0"]),
    "token": pa.array(["a", "NA"]),
    "token with white space": pa.array(["a", "NA "]),
    "NaN": pa.array([1.5, float("nan")]),
    "NaN in single precision": pa.array([1.5, float("nan")], pa.float32()),
    "token among whole numbers": pa.array([1, -9]),
    "token among numbers": pa.array([1.5, -9]),
    "null among truth values": pa.array([True, None]),
    "token among categories": pa.array(["a", "NA"]).dictionary_encode(),
    "NaT": pa.array(pd.to_datetime(["2021-01-01", None])),
}


@pytest.mark.parametrize("role", [*SINGLE_VALUES, sh.Identifier()], ids=[*ROLES, "identifier"])
@pytest.mark.parametrize("column", MISSING.values(), ids=MISSING)
def test_missing_values_mean_the_same_in_every_role(column, role):
    options = ReadOptions(missing=("NA", "-9"))
    found = values(read_table(pa.table({"x": column}), {"x": role}, options).table.column("x"))
    assert [value is None for value in found] == [False, True]


@pytest.mark.parametrize("frame", [
    pd.DataFrame({"x": ["a", None]}), pd.DataFrame({"x": ["a", pd.NA]}), pd.DataFrame({"x": ["a", np.nan]}),
    pd.DataFrame({"x": pd.array(["a", pd.NA], dtype="string")}), pl.DataFrame({"x": ["a", None]}),
    pl.DataFrame({"x": [1.0, float("nan")]}),
], ids=["None", "NA in objects", "NaN in objects", "NA in strings", "null", "NaN"])  # fmt: skip
@pytest.mark.parametrize("role", [*SINGLE_VALUES, sh.Quasi(kind=Kind.CATEGORY, missing="own")])
def test_missing_values_of_frames(frame, role):
    found = values(read_table(frame, {"x": role}).table.column("x"))
    assert [value is None for value in found] == [False, True]


def test_a_whole_number_that_became_missing_leaves_the_others_whole():
    frame = pd.DataFrame({"x": [1, -9], "y": [True, False]})
    published = to_frame(*_read(frame, ReadOptions(missing=("-9", "false"))))
    assert published["x"].dtype == "Int64"
    assert published["y"].dtype == "boolean"
    assert published["x"].tolist() == [1, pd.NA]


def _read(frame, options):
    loaded = read_table(frame, dict.fromkeys(frame.columns, sh.Insensitive()), options)
    return loaded.table, loaded.source


def test_tokens_are_missing_in_the_published_file_too(tmp_path):
    (tmp_path / "d.csv").write_text("x,y\n?,1\n b ,?\n")
    roles = {"x": sh.Insensitive(), "y": sh.Insensitive()}
    table = read_table(tmp_path / "d.csv", roles, ReadOptions(missing=("?",))).table
    write_table(table, tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text() == "x,y\n,1\n b ,\n"
