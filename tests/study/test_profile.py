import random
from datetime import datetime, time
from decimal import Decimal

import pyarrow as pa
import pytest

import shoal as sh
from shoal.errors import BadInput

ODD = {
    "nulls": pa.nulls(3),
    "empty": ["", "", ""],
    "yes or no": [True, False, None],
    "bytes": [b"a", b"b", b"c"],
    "records": [{"a": 1}, {"a": 2}, {"a": 3}],
    "large": [2**62, 1, 2],
    "decimals": [Decimal("1.10"), None, Decimal("2.20")],
    "moments": [datetime(2020, 1, 1), None, datetime(2021, 1, 1, 5)],
    "times": [time(1, 2), time(3, 4), None],
    "not numbers": [float("nan"), 1.5, float("inf")],
    "signs": ["😀", "🙂 ok", ""],
    "lists": [["a"], ["b", "a"], []],
    "durations": pa.array([1, 2, 3], pa.duration("s")),
    "categories": pa.array(["a", " a", None]).dictionary_encode(),
}


@pytest.mark.parametrize("name", ODD)
def test_whatever_a_column_holds_it_is_looked_at(name):
    (column,) = sh.profile(pa.table({name: ODD[name]})).columns
    assert column.name == name
    assert column.role in ("quasi", "insensitive", "drop")
    assert (column.role == "drop") == (name in ("bytes", "records", "durations"))


def test_a_table_without_rows_is_told():
    with pytest.raises(BadInput, match="holds no records"):
        sh.profile(pa.table({"a": pa.array([], pa.string())}))


def test_words_for_missing_values_are_found_in_many_languages():
    found = sh.profile(pa.table({"age": ["1", "unbekannt", "N/A", "okänd", "不明", "3"]}))
    assert set(found.missing) == {"", "unbekannt", "N/A", "okänd", "不明"}
    assert (found.columns[0].kind, found.columns[0].missing) == ("number", 4)


def test_sets_of_numbers_are_no_numbers_of_people(tmp_path):
    draw = random.Random(6)
    baskets = [" ".join(str(draw.randrange(1_000, 1_400)) for _ in range(1 + n % 9)) for n in range(600)]
    lines = tmp_path / "baskets.txt"
    lines.write_text("\n".join([*baskets, *baskets]))
    found = sh.profile(lines)
    assert (found.columns[0].kind, found.subject) == ("set", None)
    table = tmp_path / "baskets.csv"
    table.write_text("\n".join(["age,related", *(f"{20 + n % 60},{each}" for n, each in enumerate(baskets))]))
    related = sh.profile(table).columns[1]
    assert (related.kind, related.separator, related.role) == ("set", " ", "quasi")
