"""Published files that are unsafe in ways that are easily read over: none may pass."""

import gzip
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet
import pytest

import shoal as sh

ROLES = {"a": sh.Quasi(), "b": sh.Quasi()}
K2 = sh.KAnonymity(k=2)
SAFE = "a,b\nx,1\nx,1\n"


def holds(file, roles=ROLES, models=K2, **more):
    return all(verdict.holds for verdict in sh.verify(file, roles, models, **more))


@pytest.mark.parametrize(
    "rows",
    [
        "x ,1\n", "X,1\n", "x\u00a0,1\n", "x\u200b,1\n", "e\u0301,1\n\u00e9,1\n", ",1\nNA,1\n", ",1\n ,1\n",
        "*,1\nx,*\n", "x,01\nx,1.0\n", "1e3,1\n1000,1\n", "nan,1\nNaN,1\n", "-0,1\n0,1\n", "TRUE,1\ntrue,1\n",
        '"x""",1\n', '"x\n",1\n',
    ],
)  # fmt: skip
@pytest.mark.parametrize("written", ["plain", "marked", "windows", "zipped"])
def test_texts_that_differ_in_a_letter_are_two_values(tmp_path, rows, written):
    content = (SAFE + rows).encode()
    file = tmp_path / ("file.csv.gz" if written == "zipped" else "file.csv")
    if written == "marked":
        content = b"\xef\xbb\xbf" + content
    elif written == "windows":
        content = content.replace(b"\n", b"\r\n")
    file.write_bytes(gzip.compress(content) if written == "zipped" else content)
    assert not holds(file)


@pytest.mark.parametrize("kind", ["number", "date"])
def test_kinds_do_not_unite_what_is_written_differently(tmp_path, kind):
    file = tmp_path / "file.csv"
    spellings = {"number": ("1", "1.0", "01"), "date": ("2020-01-01", "2020-1-1", "2020-01-01T00:00")}[kind]
    file.write_text("a\n" + "".join(f"{text}\n" for text in (spellings[0], *spellings)))
    assert not holds(file, {"a": sh.Quasi(kind=kind)})


@pytest.mark.parametrize(
    "numbers",
    [
        ("1", "1", "1.0"),
        ("9007199254740993", "9007199254740992", "0.5", "0.5"),
        ("0.1", "0.10000000000000001"),
    ],
)
def test_numbers_of_json_are_what_stands_there(tmp_path, numbers):
    file = tmp_path / "file.jsonl"
    file.write_text("".join(f'{{"a": {number}, "b": "x"}}\n' for number in numbers))
    assert not holds(file)
    file.write_text("".join(f'{{"a": {number}, "b": "x"}}\n' for number in ["1.50", "1.50", "null", "null"]))
    assert holds(file)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([0.0, -0.0]),
        pa.array([float("nan"), None]),
        pa.array([2**53, 2**53 + 1]),
        pa.array([1, 2], type=pa.timestamp("ns")),
        pa.array(
            [datetime(2020, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1)],
            type=pa.timestamp("us", tz="Europe/Paris"),
        ),
        pa.array(["x", "y"]).dictionary_encode(),
        pa.array(["x", ""]),
    ],
    ids=lambda values: str(values.type),
)
def test_typed_values_that_differ_are_two_values(tmp_path, values):
    file = tmp_path / "file.parquet"
    pyarrow.parquet.write_table(pa.table({"a": values, "b": pa.array(["x"] * len(values))}), file)
    assert not holds(file)


SETS, PAIRS = {"items": sh.QuasiSet()}, sh.KmAnonymity(k=2, m=2)


@pytest.mark.parametrize("last", ["a a", "A", "a\u00a0", "a\tb", "b c", "(a|b)", "e\u0301"])
def test_items_that_differ_in_a_letter_are_two_items(tmp_path, last):
    file = tmp_path / "file.txt"
    file.write_text(f"a b\na b\n{last}\n")
    assert not holds(file, SETS, PAIRS)


def test_a_set_is_a_set_however_it_is_ordered(tmp_path):
    file = tmp_path / "file.txt"
    file.write_text("a b\nb a\n")
    assert holds(file, SETS, PAIRS)


def test_a_column_that_tells_all_rows_apart_is_not_insensitive(tmp_path):
    file = tmp_path / "file.csv"
    file.write_text("a,b,c\n" + "".join(f"x,1,n{row}\n" for row in range(20)))
    declared = {**ROLES, "c": sh.Insensitive()}
    (verdict,) = sh.verify(file, declared, K2)
    assert not verdict.holds
    assert "'c' is published untouched and has more values than records / k" in verdict.evidence
    assert not holds(file, ROLES, K2, options=sh.ReadOptions(others="insensitive"))
    assert holds(file, {**ROLES, "c": sh.Insensitive(confirm=True)})


@pytest.mark.parametrize("other", ["*", "", "u ", "e\u0301"])
def test_a_suppressed_value_makes_nothing_diverse(tmp_path, other):
    file = tmp_path / "file.csv"
    first = "\u00e9" if other == "e\u0301" else "u"
    file.write_text(f"a,b,c\nx,1,{first}\nx,1,{other}\n")
    models = (K2, sh.LDiversity(l=2, kind="distinct"))
    assert not holds(file, {**ROLES, "c": sh.Sensitive()}, models)
