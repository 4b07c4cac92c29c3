from shoal.hierarchy.unknown import nearest, rows_of_each_value, unknown_values
from shoal.table.columns import Kind
from tests.builders import column_of_kind, set_column


def test_rows_of_each_value():
    assert rows_of_each_value(column_of_kind(["b", None, "a", "b"], Kind.CATEGORY)).tolist() == [1, 2]
    assert rows_of_each_value(set_column([["a"], ["a", "b"], []])).tolist() == [2, 1]


def test_unknown_values_are_counted():
    unknown = unknown_values(column_of_kind(["b", "c", "a", "b"], Kind.CATEGORY), ["c"], exempt=["a"])
    assert list(unknown.labels) == ["b"]
    assert unknown.summary() == "1 value in 2 cells"


def test_nearest_among_many():
    known = [f"{letter}{number:05}" for letter in "xyz" for number in range(5000)]
    assert nearest("y00017x", known)[0] == "y00017"
    assert nearest("qqq", ["Spain"]) == []
