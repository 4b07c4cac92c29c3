import gzip
from datetime import date
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.table.columns import Carried, Coded, Kind, Sets
from shoal.table.reading import (
    HowRead,
    LongForm,
    ReadOptions,
    inspect,
    inspect_described,
    read_published,
    read_table,
    to_frame,
)
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Sensitive
from tests.examples import examples
from tests.reference import table as reference
from tests.table.views import plain, values

NUMBER = Quasi(kind=Kind.NUMBER)
DATE = Quasi(kind=Kind.DATE)


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        path = tmp_path / name
        content = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return written


def refusal(source, roles, options=None):
    with pytest.raises(BadInput) as caught:
        read_table(source, roles, options or ReadOptions())
    return str(caught.value)


class TestRoles:
    def test_each_role_reads_its_column_in_its_way(self, write):
        path = write("d.csv", "name,age,born,codes,note\nAnn ,31,2001-05-06,b a b,x \nBob,4.0,,,\n")
        loaded = read_table(
            path,
            {
                "name": Identifier(),
                "age": NUMBER,
                "born": DATE,
                "codes": QuasiSet(),
                "note": Insensitive(),
            },
        )
        assert plain(loaded.table) == {
            "name": ["Ann", "Bob"],
            "age": ["31", "4"],
            "born": ["2001-05-06", None],
            "codes": [["a", "b"], []],
            "note": ["x ", None],
        }
        assert loaded.table.coded("age").domain.numbers.tolist() == [4.0, 31.0]
        assert isinstance(loaded.table.column("note"), Carried)
        assert loaded.notices == (f"{path}, column 'codes': repeated items were counted once, in 1 row",)

    def test_columns_keep_the_order_of_the_file(self, write):
        path = write("d.csv", "b,a\n1,2\n")
        assert list(read_table(path, {"a": Quasi(), "b": Quasi()}).table.columns) == ["b", "a"]

    def test_all_columns_that_are_not_there_are_named_with_the_nearest(self, write):
        message = refusal(write("d.csv", "age,zip\n1,2\n"), {"agee": NUMBER, "zipp": Quasi()})
        assert "'agee'" in message
        assert "did you mean 'age'" in message
        assert "did you mean 'zip'" in message
        assert "columns without a role: 'age', 'zip'" in message

    def test_columns_without_a_role(self, write):
        path = write("d.csv", "a,b,c\n1,2,3\n")
        assert "'b', 'c'" in refusal(path, {"a": Quasi()})
        dropped = read_table(path, {"a": Quasi()}, ReadOptions(others="drop"))
        assert list(dropped.table.columns) == ["a"]
        carried = read_table(path, {"a": Quasi()}, ReadOptions(others="insensitive"))
        assert plain(carried.table) == {"a": ["1"], "b": ["2"], "c": ["3"]}
        assert carried.roles["c"] == Insensitive()

    def test_missing_values_can_be_refused(self, write):
        path = write("d.csv", "a,b\n1,x\n?,x\n,x\n3,x\n")
        roles = {"a": Quasi(missing="reject"), "b": Quasi()}
        message = refusal(path, roles, ReadOptions(missing=("?",)))
        assert f"{path}:3, column 'a': holds missing values" in message
        assert "lines 3, 4" in message

    def test_names_of_columns_are_canonical_too(self, write):
        path = write("d.csv", "\ufeff\ufeff age , e\u0301 \n1,2\n")
        assert list(read_table(path, {"age": Quasi(), "é": Quasi()}).table.columns) == ["age", "é"]

    def test_there_must_be_a_column_left(self, write):
        assert "no column has a role" in refusal(write("d.csv", "a\n1\n"), {}, ReadOptions(others="drop"))


class TestValues:
    def test_numbers_that_are_none_are_listed_with_their_lines(self, write):
        rows = "".join(f"bad{number}\n" * 2 for number in range(14))
        message = refusal(write("d.csv", f"age\n5\n{rows}inf\nnan\n"), {"age": NUMBER})
        assert ":3, column 'age', value 'bad0': is not a number (lines 3, 4)" in message
        assert message.count("is not a number") == 10
        assert "16 different values in 30 rows are no numbers" in message

    @pytest.mark.parametrize("text", ["inf", "nan", "-Infinity", "1e400", "9007199254740994"])
    def test_no_number_is_infinite_or_inexact(self, write, text):
        assert "is not a number" in refusal(
            write("d.csv", f"age,x\n{text},1\n"), {"age": NUMBER, "x": Quasi()}
        )

    def test_dates_that_are_none_are_listed(self, write):
        message = refusal(write("d.csv", "born\n2020-01-01\n2020-02-30\n"), {"born": DATE})
        assert ":3, column 'born', value '2020-02-30': is not a date (line 3)" in message

    def test_problems_of_all_columns_come_at_once(self, write):
        path = write("d.csv", "age,born\nx,y\n")
        message = refusal(path, {"age": NUMBER, "born": DATE})
        assert "'age'" in message
        assert "'born'" in message

    def test_missing_tokens_count_in_every_kind(self, write):
        path = write("d.csv", "a,b,c,d\n NA ,-9.0,NA,x NA\nx,NA,2020-01-01,NA\n,,,\n")
        roles = {"a": Quasi(), "b": NUMBER, "c": DATE, "d": QuasiSet()}
        loaded = read_table(path, roles, ReadOptions(missing=("NA", "-9")))
        assert plain(loaded.table) == {
            "a": [None, "x", None],
            "b": [None, None, None],
            "c": [None, "2020-01-01", None],
            "d": [["x"], [], []],
        }

    def test_a_token_with_the_separator_is_a_whole_cell(self, write):
        path = write("d.csv", "d,e\nnot known,1\nknown,1\n")
        options = ReadOptions(missing=("not known",))
        loaded = read_table(path, {"d": QuasiSet(), "e": Quasi()}, options)
        assert values(loaded.table.column("d")) == [[], ["known"]]

    def test_a_comma_of_another_country_is_no_number(self, write):
        assert "'1,5'" in refusal(write("d.csv", "a;b\n1,5;2\n"), {"a": NUMBER, "b": Quasi()})

    @examples(40)
    @given(
        cells=st.lists(
            st.tuples(
                st.text(st.sampled_from(' ab,é"\n;|01'), max_size=4),
                st.text(st.sampled_from("a bA|"), max_size=6),
                st.sampled_from(["1", "1.0", " 2 ", "", "NA", "-9"]),
            ),
            min_size=1,
            max_size=8,
        )
    )
    def test_a_file_means_what_the_reference_says(self, tmp_path_factory, cells):
        path = tmp_path_factory.mktemp("d") / "d.csv"
        quoted = ['"{}","{}","{}"'.format(*(cell.replace('"', '""') for cell in row)) for row in cells]
        path.write_text("\n".join(["a,b,c", *quoted]) + "\n", newline="", encoding="utf-8")
        missing = ("NA", "-9")
        loaded = read_table(
            path, {"a": Quasi(), "b": QuasiSet(separator="|"), "c": NUMBER}, ReadOptions(missing=missing)
        )
        assert plain(loaded.table) == {
            "a": [reference.category(a, missing) for a, _, _ in cells],
            "b": [reference.item_set(b, "|", missing) for _, b, _ in cells],
            "c": [
                None if (value := reference.number(c, missing)) is None else f"{value:g}" for _, _, c in cells
            ],
        }

    def test_codes_are_frozen(self, write):
        table = read_table(write("d.csv", "a,b\n1,x y\n"), {"a": Quasi(), "b": QuasiSet()}).table
        sets = table.sets("b")
        held = (table.coded("a").narrow, sets.narrow)
        for_kernels = (table.coded("a").codes, sets.starts, sets.arrays.items)
        assert [array.dtype for array in (*held, *for_kernels)] == ["u1", "u1", "i8", "i8", "i4"]
        assert not any(array.flags.writeable for array in (*held, *for_kernels))


class TestDelimited:
    @pytest.mark.parametrize(
        ("name", "text", "notices"),
        [
            ("d.csv", "a,b\n1,2\n", 0),
            ("d.csv", "a;b\n1;2\n", 1),
            ("d.csv", "a|b\n1|2\n", 1),
            ("d.csv", "a\tb\n1\t2\n", 1),
            ("d.tsv", "a\tb\n1\t2\n", 0),
            ("d.csv", "a;b\n1,;2\n", 1),
            ("d.csv", '"a","b"\r\n"1","2"\r\n', 0),
            ("d.csv", "a,b\r1,2\r", 0),
            ("d.csv", "a,b\n\n1,2\n\n", 0),
            ("d.csv", "a,b\n1,2", 0),
            ("d.CSV", "a,b\n1,2\n", 0),
            ("d.csv.gz", "a,b\n1,2\n", 0),
        ],
    )
    def test_dialects_are_found_out(self, write, name, text, notices):
        loaded = read_table(write(name, text), {"a": Quasi(), "b": Quasi()})
        assert plain(loaded.table)["b"] == ["2"]
        assert len(loaded.notices) == notices

    def test_the_delimiter_can_be_given(self, write):
        path = write("d.csv", "a:b\n1,2:3\n")
        loaded = read_table(path, {"a": Quasi(), "b": Quasi()}, ReadOptions(delimiter=":"))
        assert plain(loaded.table) == {"a": ["1,2"], "b": ["3"]}

    def test_quotes_can_be_other_or_none(self, write):
        path = write("d.csv", "a,b\n'1,2',\"x\n")
        loaded = read_table(path, {"a": Quasi(), "b": Quasi()}, ReadOptions(quote="'"))
        assert plain(loaded.table) == {"a": ["1,2"], "b": ['"x']}
        path = write("e.csv", 'a,b\n"1,"2\n')
        loaded = read_table(path, {"a": Quasi(), "b": Quasi()}, ReadOptions(quote=""))
        assert plain(loaded.table) == {"a": ['"1'], "b": ['"2']}

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
    def test_encodings_are_found_out(self, write, encoding):
        mark = {"utf-16-le": "\ufeff", "utf-16-be": "\ufeff"}.get(encoding, "")
        path = write("d.csv", (mark + 'a,b\nné,"x\ny"\n').encode(encoding))
        loaded = read_table(path, {"a": Quasi(), "b": Quasi()})
        assert plain(loaded.table) == {"a": ["né"], "b": ["x\ny"]}
        assert bool(loaded.notices) == (encoding == "cp1252")

    def test_an_encoding_can_be_given(self, write):
        path = write("d.csv", "a,b\nж,1\n".encode("cp1251"))
        loaded = read_table(path, {"a": Quasi(), "b": Quasi()}, ReadOptions(encoding="cp1251"))
        assert plain(loaded.table)["a"] == ["ж"]
        message = refusal(path, {"a": Quasi(), "b": Quasi()}, ReadOptions(encoding="utf-8"))
        assert "d.csv:2: is not text in the encoding utf-8" in message

    def test_one_column_has_a_record_on_every_line(self, write):
        path = write("d.csv", 'items\na b\n\n""\nc\n')
        assert plain(read_table(path, {"items": QuasiSet()}).table) == {"items": [["a", "b"], [], [], ["c"]]}

    def test_ragged_lines_are_listed_with_their_lines(self, write):
        path = write("d.csv", 'a,b\n1,"x\ny"\n\n1,2,3\n1\n' + "1,2,3\n" * 12)
        message = refusal(path, {"a": Quasi(), "b": Quasi()})
        assert "d.csv:5: the line has 3 cells where the header has 2" in message
        assert "d.csv:6: the line has 1 cells" in message
        assert "14 lines have a wrong number of cells" in message

    def test_an_item_with_the_delimiter_must_be_quoted(self, write):
        roles = {"id": Quasi(), "items": QuasiSet(separator="|")}
        assert "d.csv:2" in refusal(write("d.csv", "id,items\n1,a,b|c\n"), roles)
        loaded = read_table(write("e.csv", 'id,items\n1,"a,b|c"\n'), roles)
        assert values(loaded.table.column("items")) == [["a,b", "c"]]

    @pytest.mark.parametrize("ending", ["", "\n", "\n3,4\n5,6\n"])
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_a_quote_must_be_closed(self, write, ending, encoding):
        path = write("d.csv", f'a,b\n0,"x\ny"\n1,"2{ending}'.encode(encoding))
        assert "d.csv:4: a cell of this record begins with the quote" in refusal(
            path, {"a": Quasi(), "b": Quasi()}
        )

    def test_an_open_quote_before_much_text(self, write):
        path = write("d.csv", 'a,b\n0,1\n1,"2\n' + "3,4\n" * 50_000)
        assert "d.csv:3: a cell of this record" in refusal(path, {"a": Quasi(), "b": Quasi()})

    def test_quotes_inside_cells_are_ordinary(self, write):
        path = write("d.csv", 'a,b\n5" pipe,x\n')
        assert plain(read_table(path, {"a": Quasi(), "b": Quasi()}).table)["a"] == ['5" pipe']

    def test_names_must_differ(self, write):
        assert "several columns named 'a'" in refusal(write("d.csv", "a, a\n1,2\n"), {"a": Quasi()})

    def test_long_cells_are_read(self, write):
        path = write("d.csv", f'a,b\n1,"{"x" * 9_000_000}"\n')
        assert len(plain(read_table(path, {"a": Quasi(), "b": Quasi()}).table)["b"][0]) == 9_000_000

    def test_lines_after_long_cells_are_still_told(self, write):
        path = write("d.csv", f'a,b\n1,"{"x" * 200_000}"\n1,2,3\n')
        assert "d.csv:3" in refusal(path, {"a": Quasi(), "b": Quasi()})

    def test_a_mark_before_quotes_is_no_name(self, write):
        path = write("d.csv", '\ufeff"a","b"\n1,2\n')
        for options in (ReadOptions(), ReadOptions(encoding="UTF8"), ReadOptions(encoding="utf-8-sig")):
            assert plain(read_table(path, {"a": Quasi(), "b": Quasi()}, options).table)["a"] == ["1"]

    def test_a_token_that_arrow_takes_for_a_number(self, write):
        path = write("d.csv", "a,b\n1, NaN\n2,1\n")
        roles = {"a": Quasi(), "b": NUMBER}
        assert plain(read_table(path, roles, ReadOptions(missing=("NaN",))).table)["b"] == [None, "1"]
        assert "value ' NaN': is not a number (line 2)" in refusal(path, roles)

    def test_a_number_column_with_odd_spellings_is_read_all_the_same(self, write):
        path = write("d.csv", "a,b\n+5,x\n\u2003 7\u2003,x\n5.0,y\n")
        assert plain(read_table(path, {"a": NUMBER, "b": Quasi()}).table)["a"] == ["5", "7", "5"]


class TestOtherFormats:
    def test_one_set_per_line(self, write):
        loaded = read_table(write("d.txt", "b a\n\n a  c \r\nd"), {"items": QuasiSet()})
        assert plain(loaded.table) == {"items": [["a", "b"], [], ["a", "c"], ["d"]]}

    def test_the_last_line_end_adds_no_record(self, write):
        assert read_table(write("d.dat", "1 2\n3\n"), {"items": QuasiSet()}).table.row_count == 2
        assert read_table(write("e.dat.gz", "\n"), {"items": QuasiSet()}).table.row_count == 1

    def test_lines_may_use_another_separator(self, write):
        loaded = read_table(write("d.txt", "whole milk,bread\n"), {"items": QuasiSet(separator=",")})
        assert plain(loaded.table) == {"items": [["bread", "whole milk"]]}

    def test_many_lines_in_pieces(self, write, monkeypatch):
        monkeypatch.setattr("shoal.table.set_lines._PIECE", 7)
        lines = [f"{number} x" for number in range(50)]
        loaded = read_table(write("d.txt", "\n".join(lines)), {"items": QuasiSet()})
        assert values(loaded.table.column("items")) == [[str(number), "x"] for number in range(50)]

    def test_json_lines(self, write):
        text = '{"a": 1, "s": ["x", "y"], "d": "2020-01-01"}\n\n{"a": 2.5, "s": [], "d": null}\n'
        loaded = read_table(write("d.jsonl", text), {"a": NUMBER, "s": QuasiSet(), "d": Quasi()})
        assert plain(loaded.table) == {
            "a": ["1", "2.5"],
            "s": [["x", "y"], []],
            "d": ["2020-01-01", None],
        }

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
    def test_json_lines_in_other_encodings(self, write, encoding):
        path = write("d.jsonl", '{"a": "né"}\n'.encode(encoding))
        assert plain(read_table(path, {"a": Quasi()}).table) == {"a": ["né"]}

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ('[{"a": 1}]', "one JSON array"),
            ('{"a": 1}\n{"a": "x"}\n', "changed from number to string"),
            ('{"a": 1}\n{"b', "closing quotation mark"),
            ('{"a": {"b": 1}}\n', "type struct"),
        ],
    )
    def test_bad_json_lines(self, write, text, words):
        assert words in refusal(write("d.jsonl", text), {"a": Quasi()})

    @pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "ipc"])
    def test_typed_files(self, tmp_path, ending):
        table = pa.table(
            {
                "age": pa.array([31, None], pa.int8()),
                "born": [date(2001, 5, 6), None],
                "codes": pa.array([["b", "a", "b", None], None], pa.large_list(pa.large_string())),
                "sex": pa.array(["m", "f"]).dictionary_encode(),
                "note": pa.array([1.5, None], pa.float32()),
            }
        )
        path = tmp_path / f"d.{ending}"
        if ending == "parquet":
            pa.parquet.write_table(table, path)
        elif ending == "ipc":
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
        else:
            pa.feather.write_feather(table, path)
        roles = {"age": NUMBER, "born": DATE, "codes": QuasiSet(), "sex": Quasi(), "note": Insensitive()}
        loaded = read_table(path, roles).table
        assert plain(loaded) == {
            "age": ["31", None],
            "born": ["2001-05-06", None],
            "codes": [["a", "b"], []],
            "sex": ["m", "f"],
            "note": [1.5, None],
        }
        assert loaded.column("note").values.type == pa.float32()

    def test_an_item_of_a_list_may_not_contain_the_separator(self, tmp_path):
        path = tmp_path / "d.parquet"
        pa.parquet.write_table(pa.table({"s": [["whole milk"], ["bread"]]}), path)
        assert "value 'whole milk': the item contains the separator ' '" in refusal(path, {"s": QuasiSet()})
        assert read_table(path, {"s": QuasiSet(separator="|")}).table.row_count == 2

    def test_lists_are_no_single_values(self, tmp_path):
        path = tmp_path / "d.parquet"
        pa.parquet.write_table(pa.table({"s": [["a"]]}), path)
        assert "make it a set column" in refusal(path, {"s": Quasi()})


class TestLongForm:
    OPTIONS = ReadOptions(long=LongForm("id", "item"))

    def test_pairs_become_one_set_per_id(self, write):
        text = "id,item\n7,milk\n3,bread\n7,whole cake\n7,milk\n,x\n,y\n3,\n"
        loaded = read_table(write("d.csv", text), {"items": QuasiSet(separator="|")}, self.OPTIONS)
        assert plain(loaded.table) == {"items": [["milk", "whole cake"], ["bread"], ["x"], ["y"]]}
        assert list(loaded.roles) == ["items"]

    def test_a_glance_shows_the_sets_that_it_becomes(self, write):
        path = write("d.csv", "id,item,sex\n7,milk,m\n3,bread,f\n7,cake,m\n,x,m\n,y,\n3,,f\n")
        shown = inspect(path, self.OPTIONS).to_pydict()
        assert shown == {
            "items": [["milk", "cake"], ["bread"], ["x"], ["y"]],
            "sex": ["m", "f", "m", ""],
        }
        with pytest.raises(BadInput, match="column 'item'"):
            inspect(write("e.csv", "id,thing\n1,a\n"), self.OPTIONS)

    def test_other_columns_must_agree(self, write):
        roles = {"items": QuasiSet(), "sex": Quasi()}
        same = read_table(write("d.csv", "id,item,sex\n1,a,m\n1,b,m\n"), roles, self.OPTIONS)
        assert plain(same.table) == {"items": [["a", "b"]], "sex": ["m"]}
        path = write("e.csv", "id,item,sex\n1,a,m\n1,b,f\n2,a,m\n")
        assert "column 'sex': 1 subjects of 'id' have several values" in refusal(path, roles, self.OPTIONS)

    def test_the_sets_need_a_role(self, write):
        assert "column 'items'" in refusal(write("d.csv", "id,item\n1,a\n"), {}, self.OPTIONS)

    def test_the_columns_must_be_there(self, write):
        message = refusal(write("d.csv", "id,thing\n1,a\n"), {"items": QuasiSet()}, self.OPTIONS)
        assert "column 'item'" in message

    def test_another_column_may_not_be_called_items(self, write):
        options = ReadOptions(long=LongForm("id", "item"), others="insensitive")
        path = write("d.csv", "id,item,items\n1,a,x\n")
        assert "the name of another column" in refusal(path, {"items": QuasiSet()}, options)

    @examples(30)
    @given(
        pairs=st.lists(st.tuples(st.sampled_from(["", "1", "2", "3"]), st.sampled_from("abc")), min_size=1)
    )
    def test_subjects_keep_all_their_items(self, pairs):
        frame = pa.table({"id": [one for one, _ in pairs], "item": [item for _, item in pairs]})
        loaded = read_table(frame, {"items": QuasiSet()}, self.OPTIONS)
        assert values(loaded.table.column("items")) == reference.united(
            [one or None for one, _ in pairs], [[item] for _, item in pairs]
        )


def frames():
    columns = {"age": [31, 4], "sex": ["m", None], "codes": [["b", "a"], []], "note": [1.5, 2.5]}
    return {
        "pandas": pd.DataFrame(columns, index=[7, 7]),
        "polars": pl.DataFrame(columns),
        "pyarrow": pa.table(columns),
    }


class TestFrames:
    ROLES: ClassVar = {"age": NUMBER, "sex": Quasi(), "codes": QuasiSet(), "note": Insensitive()}

    @pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
    def test_frames_come_and_go_in_kind(self, library):
        frame = frames()[library]
        loaded = read_table(frame, self.ROLES)
        assert plain(loaded.table) == {
            "age": ["31", "4"],
            "sex": ["m", None],
            "codes": [["a", "b"], []],
            "note": [1.5, 2.5],
        }
        back = to_frame(loaded.table.take(np.array([1, 0])), loaded.source)
        assert type(back) is type(frame)
        assert list(back["age"]) == [4, 31] if library != "pyarrow" else back["age"].to_pylist() == [4, 31]
        if library == "pandas":
            assert list(back.index) == [0, 1]
            assert back["age"].dtype == frame["age"].dtype

    def test_the_caller_s_frame_stays_as_it_is(self):
        frame = frames()["pandas"]
        before = frame.copy(deep=True)
        read_table(frame, self.ROLES)
        pd.testing.assert_frame_equal(frame, before)

    def test_generalized_values_come_back_as_texts(self):
        loaded = read_table(pd.DataFrame({"age": [31, 4]}), {"age": Quasi()})
        released = read_table(pd.DataFrame({"age": ["30-39", "4"]}), {"age": Quasi()})
        assert list(to_frame(released.table, loaded.source)["age"]) == ["30-39", "4"]

    def test_sets_come_back_as_they_were_written(self):
        texts, lists = pd.DataFrame({"s": ["b a", ""]}), pd.DataFrame({"s": [["b", "a"], []]})
        loaded = read_table(texts, {"s": QuasiSet()})
        assert list(to_frame(loaded.table, loaded.source)["s"]) == ["a b", ""]
        loaded = read_table(lists, {"s": QuasiSet()})
        assert [list(items) for items in to_frame(loaded.table, loaded.source)["s"]] == [["a", "b"], []]

    def test_a_file_comes_back_as_an_arrow_table(self, write):
        loaded = read_table(write("d.csv", "a\n1\n"), {"a": NUMBER})
        assert to_frame(loaded.table, loaded.source).to_pydict() == {"a": [1]}

    def test_categories_nobody_has_do_not_come_back(self):
        frame = pd.DataFrame({"a": [1, 2], "c": pd.Categorical(["x", "secret"])})
        loaded = read_table(frame, {"a": Quasi(), "c": Insensitive()})
        back = to_frame(loaded.table.take(np.array([0])), loaded.source)
        assert list(back["c"].cat.categories) == ["x"]

    @pytest.mark.parametrize(
        ("frame", "words"),
        [
            (pd.DataFrame({1: [1]}), "names that are no texts: 1"),
            (pd.DataFrame([[1, 2]], columns=["a", "a"]), "same name"),
            (pd.DataFrame({"a": [object()]}), "column 'a': holds cells that are not all of one simple type"),
            (pd.DataFrame({"a": [1, "x"]}), "column 'a': holds cells"),
            (pd.DataFrame({"a": [{"b": 1}]}), "type struct"),
            (pl.DataFrame({"a": [b"x"]}), "type"),
            (pd.DataFrame({"a": pd.interval_range(0, 2)}), "type"),
            (pd.DataFrame({"a": pd.to_timedelta([1, 2])}), "type duration"),
            (pl.LazyFrame({"a": [1]}), "collect()"),
            (pd.Series([1]), "is no frame"),
            (5, "is no frame"),
            (pd.DataFrame({"a": []}), "holds no records"),
        ],
        ids=[
            "number name",
            "same names",
            "objects",
            "mixed",
            "dicts",
            "bytes",
            "intervals",
            "durations",
            "lazy",
            "series",
            "int",
            "empty",
        ],
    )
    def test_frames_that_cannot_be_used(self, frame, words):
        assert words in refusal(frame, {"a": Quasi()}, ReadOptions(others="drop"))

    def test_places_in_frames_are_rows(self):
        message = refusal(pd.DataFrame({"a": ["1", "x"]}), {"a": NUMBER})
        assert message.startswith("the frame, column 'a', value 'x': is not a number (row 2)")


class TestBadFiles:
    ROLES: ClassVar = {"a": Quasi(), "b": Quasi()}

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            ("d.csv", b"", "is empty"),
            ("d.csv.gz", b"", "is empty"),
            ("d.csv", b"\n\n", "blank lines only"),
            ("d.csv", b"a,b\n", "holds no records"),
            ("d.csv", b"a,b", "holds no records"),
            ("d.jsonl", b"\n", "holds no records"),
            ("d.csv", b"a,b\n1,\0\n", "d.csv:2: holds NUL characters"),
            ("d.csv", b"a,b\n\x81\x01,\xff\n", "d.csv:2: is not text in the encoding utf-8"),
            ("d.csv", "a,b\n1,2\n".encode("utf-16-le"), "NUL"),
            ("d.csv", b"PK\x03\x04rest", "give it its own ending, .xlsx"),
            ("d.csv", b"PAR1rest", ".parquet"),
            ("d.txt", b"\x1f\x8brest", "add .gz to its name"),
            ("d.parquet", b"a,b\n1,2\n", "cannot be read"),
            ("d.parquet", b"PAR1abcdPAR1", "cannot be read"),
            ("d.arrow", b"a,b\n1,2\n", "cannot be read"),
            ("d.arrow", b"ARROW1junk", "cannot be read"),
            ("d.xlsx", b"a,b\n1,2\n", "is no Excel workbook"),
            ("d.xlsx", b"PK\x03\x04junk", "is no Excel workbook"),
            ("d.xls", b"x", "cannot tell the format from its ending (.xls); it takes .csv"),
            ("data", b"x", "cannot tell the format from its ending (no ending)"),
            ("d.parquet.gz", b"x", "cannot tell the format"),
        ],
    )
    def test_one_sentence_tells_what_is_wrong(self, write, name, content, words):
        path = write(name, content)
        message = refusal(path, self.ROLES)
        assert words in message
        assert str(path) in message

    def test_paths_that_are_no_files(self, tmp_path):
        (tmp_path / "folder.csv").mkdir()
        assert "holds no files" in refusal(tmp_path / "folder.csv", self.ROLES)
        assert "does not exist" in refusal(str(tmp_path / "no.csv"), self.ROLES)

    def test_a_compressed_file_must_be_whole(self, tmp_path):
        path = tmp_path / "d.csv.gz"
        path.write_bytes(gzip.compress(b"a,b\n1,2\n" * 1000)[:-20])
        assert "cannot be read: Truncated" in refusal(path, self.ROLES)
        path.write_bytes(b"a,b\n1,2\n")
        assert "cannot be read" in refusal(path, self.ROLES)

    @pytest.mark.parametrize("name", ["d.csv", "d.txt", "d.jsonl"])
    def test_a_line_without_end_is_refused_at_once(self, write, monkeypatch, name):
        monkeypatch.setattr("shoal.table.text_file.LINE_LIMIT", 1000)
        monkeypatch.setattr("shoal.table.text_file._PIECE", 300)
        path = write(name, b"a,b\n1,2\n" + b"x" * 5000 + b"\n1,2\n")
        assert f"{name}:3: the line is longer than" in refusal(path, self.ROLES)

    def test_a_record_without_end_is_refused(self, write, monkeypatch):
        monkeypatch.setattr("shoal.table.delimited._BLOCK", 500)
        monkeypatch.setattr("shoal.table.delimited.LINE_LIMIT", 1000)
        path = write("d.csv", 'a,b\n1,"' + "x\n" * 3000 + '"\n')
        assert "a record is longer than" in refusal(path, self.ROLES)

    def test_a_header_without_end_is_refused(self, write):
        assert "cannot be a header" in refusal(write("d.csv", b"x" * 2**21), self.ROLES)


class TestPublished:
    ROLES: ClassVar = {
        "name": Identifier(),
        "age": Quasi(kind=Kind.NUMBER, missing="reject"),
        "pay": Sensitive(kind=Kind.NUMBER),
        "ill": Sensitive(),
    }

    def test_quasi_identifiers_are_labels_and_identifiers_may_be_gone(self, write):
        path = write("d.csv", "age,pay,ill\n20-29,5,flu\nNA,NA,NA\n*,*,*\n,,\n")
        loaded = read_published(
            path, self.ROLES, ReadOptions(missing=("NA",), delimiter=";", encoding="utf-16")
        )
        assert plain(loaded.table) == {
            "age": ["20-29", "NA", "*", None],
            "pay": ["5", None, None, None],
            "ill": ["flu", None, None, None],
        }
        assert loaded.table.coded("age").domain.kind == Kind.CATEGORY

    def test_pseudonyms_may_be_there(self, write):
        path = write("d.csv", "name,age,pay,ill\nab,1,2,3\n")
        assert plain(read_published(path, self.ROLES).table)["name"] == ["ab"]

    def test_other_columns_must_be_there(self, write):
        with pytest.raises(BadInput, match="'pay'"):
            read_published(write("d.csv", "age,ill\n1,2\n"), self.ROLES)

    def test_sets_of_a_long_form_are_read_as_published(self, write):
        options = ReadOptions(long=LongForm("id", "item"))
        loaded = read_published(write("d.csv", "items\nNA b\n"), {"items": QuasiSet()}, options)
        assert plain(loaded.table) == {"items": [["NA", "b"]]}

    @pytest.mark.parametrize("other", ["A ", "\ufeffA", "\xa0A", "A\t"])
    def test_what_a_reader_can_tell_apart_is_not_one_value(self, write, other):
        path = write("d.csv", f"a,s\nA,x\n{other},x \n")
        loaded = read_published(path, {"a": Quasi(), "s": Sensitive()})
        assert plain(loaded.table) == {"a": ["A", other], "s": ["x", "x"]}
        [notice] = loaded.notices
        first, second = sorted(["A", other])
        assert f"{first!a} and {second!a} differ only in how they are written" in notice

    def test_normal_forms_and_blanks_are_told_apart(self, write):
        loaded = read_published(write("d.csv", "a,b\n\u00e9,\ne\u0301, \n"), {"a": Quasi(), "b": Quasi()})
        assert plain(loaded.table) == {"a": ["\u00e9", "e\u0301"], "b": [None, " "]}

    def test_items_are_told_apart_as_they_are_written_unless_they_are_sensitive(self, write):
        path = write("d.csv", "d\na|x\na |x \n")
        loaded = read_published(path, {"d": QuasiSet(separator="|", sensitive=("x",))})
        assert plain(loaded.table) == {"d": [["a", "x"], ["a ", "x"]]}

    def test_a_repeated_item_is_another_item(self, write):
        path = write("d.csv", "d\nb|a|b|b|x|x\na|b\nb|b\n|\n")
        loaded = read_published(path, {"d": QuasiSet(separator="|", sensitive=("x",))})
        assert plain(loaded.table) == {"d": [["a", "b", "b|b", "b|b|b", "x"], ["a", "b"], ["b", "b|b"], []]}
        assert "items are repeated in 2 rows" in loaded.notices[0]


def test_inspect_shows_columns_as_they_stand(write):
    assert inspect(write("d.csv", "a,b\n 1,NA\n")).to_pydict() == {"a": [" 1"], "b": ["NA"]}
    assert inspect(write("d.txt", "x y\n")).to_pydict() == {"items": ["x y"]}
    assert inspect(pl.DataFrame({"a": [1]})).to_pydict() == {"a": [1]}
    with pytest.raises(BadInput, match="no records"):
        inspect(write("e.csv", "a,b\n"))
    with pytest.raises(BadInput, match="several columns"):
        inspect(write("f.csv", "a,a\n1,2\n"))


@pytest.mark.parametrize(
    "options",
    [
        {"missing": "NA"},
        {"missing": (1,)},
        {"others": "keep"},
        {"delimiter": ",,"},
        {"delimiter": "é"},
        {"quote": "''"},
        {"quote": ",", "delimiter": ","},
        {"encoding": "latin-17"},
        {"encoding": "base64"},
    ],
)
def test_options_check_themselves(options):
    with pytest.raises(InvalidParameter):
        ReadOptions(**options)


def test_long_form_names_two_columns():
    with pytest.raises(InvalidParameter):
        LongForm("a", "a")


def test_a_frame_may_change_after_it_was_read():
    numbers = np.arange(3)
    loaded = read_table(pa.table({"a": pa.array(numbers)}), {"a": Insensitive()})
    numbers[:] = 9
    assert plain(loaded.table) == {"a": [0, 1, 2]}


def test_one_column_cannot_have_two_roles(write):
    roles = {"age": Quasi(), " age": Insensitive()}
    assert "column 'age': has 2 roles" in refusal(write("d.csv", "age\n1\n"), roles)


def test_sensitive_items_are_found_however_they_are_written(write):
    role = QuasiSet(separator="|", sensitive=("e\u0301 ", "Flu", "none"))
    loaded = read_table(write("d.csv", "d\n\u00e9|flu\n"), {"d": role})
    assert role.sensitive == ("\u00e9", "Flu", "none")
    assert "do not occur: 'Flu', 'none'; did you mean 'flu'?" in loaded.notices[0]


def test_sets_and_single_values_have_their_own_columns(write):
    table = read_table(write("d.csv", "a,b\n1,2\n"), {"a": Sensitive(kind=Kind.SET), "b": Sensitive()}).table
    assert isinstance(table.column("a"), Sets)
    assert isinstance(table.column("b"), Coded)


def test_a_file_of_lines_is_called_as_the_only_column_of_sets(tmp_path):
    path = tmp_path / "baskets.txt"
    path.write_text("a b\nc\n")
    assert read_table(path, {"basket": QuasiSet()}).table.row_count == 2
    assert read_table(path, {"items": QuasiSet()}).table.row_count == 2
    with pytest.raises(BadInput, match="no such column"):
        read_table(path, {"one": QuasiSet(), "other": QuasiSet()})


@pytest.mark.parametrize(("items", "separator"), [(["a|", "b"], "||"), (["a||b"], "||"), (["ab", "c"], "bb")])
def test_items_that_run_into_the_separator_are_refused(items, separator):
    table = pa.table({"items": [items] * 3})
    with pytest.raises(BadInput, match="contains the separator"):
        read_table(table, {"items": QuasiSet(separator=separator)})
    assert read_table(pa.table({"items": [["|a", "b"]] * 3}), {"items": QuasiSet(separator="||")})


def test_texts_that_are_none_and_views_of_texts(tmp_path):
    offsets = pa.array([0, 1, 2], type=pa.int32()).buffers()[1]
    bad = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"\xffA")])
    with pytest.raises(BadInput, match="UTF8"):
        read_table(pa.table({"zip": bad}), {"zip": Quasi()})
    view = pa.array(["12", "13"], type=pa.string_view())
    roles = {"zip": Quasi(), "note": Insensitive(), "ill": Sensitive()}
    read = read_table(pa.table({"zip": view, "note": view, "ill": view}), roles).table
    assert read.coded("zip").domain.texts() == ["12", "13"]


@pytest.mark.parametrize(
    ("name", "content", "how"),
    [
        ("d.csv", "a;b\n1;2\n", HowRead(encoding="utf-8", delimiter=";", quote='"')),
        ("d.tsv", "a\tb\n1\t2\n", HowRead(encoding="utf-8", delimiter="\t", quote='"')),
        ("d.csv", "a,b\né,2\n".encode("cp1252"), HowRead(encoding="cp1252", delimiter=",", quote='"')),
        ("d.csv.gz", "\ufeffa,b\n1,2\n", HowRead(encoding="utf-8-sig", delimiter=",", quote='"')),
        ("d.txt", "a b\n", HowRead(encoding="utf-8")),
        ("d.jsonl", '{"a": 1}\n', HowRead(encoding="utf-8")),
    ],
)
def test_what_was_found_out_about_a_file_is_told(write, name, content, how):
    table, found = inspect_described(write(name, content))
    assert found == how
    assert table.num_rows == 1


def test_about_a_frame_nothing_had_to_be_found_out():
    assert inspect_described(pa.table({"a": [1]}))[1] == HowRead()
