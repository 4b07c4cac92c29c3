"""Texts that a spreadsheet would run are marked, and nothing else is changed."""

import pyarrow as pa
import pytest

from shoal.errors import BadInput, OutputFailed
from shoal.table.columns import Carried, Coded, Kind, Sets, Table, category_domain, number_domain
from shoal.table.formulas import without_formulas

TEXTS = ["=1+1", "+a", "-x", "@sum", "\t=1", "\rx", "＝1"]
HARMLESS = ["", "*", "-5", "+3.5", "-1e9", "1-2", "a=b", "[-5, 3)", "'quoted"]


def carried(*texts: str | None) -> Carried:
    return Carried(pa.chunked_array([list(texts)], type=pa.string()))


@pytest.mark.parametrize("text", TEXTS)
def test_what_begins_like_a_formula_is_marked(text):
    assert without_formulas(Table.of({"a": carried(text)})).columns["a"].values.to_pylist() == [f"'{text}"]


@pytest.mark.parametrize("text", [*HARMLESS, None])
def test_everything_else_stays(text):
    assert without_formulas(Table.of({"a": carried(text)})).columns["a"].values.to_pylist() == [text]


def test_labels_of_single_values_and_items_are_marked_and_numbers_are_not():
    domain = category_domain(["+b", "a"])
    table = Table.of(
        {
            "single": Coded.of([0, 1, 2], domain),
            "set": Sets.of([0, 2, 2, 3], [0, 1, 0], domain),
            "number": Coded.of([0, 1, 0], number_domain([-1, 2], ["-1", "2"])),
            "dictionary": Carried(pa.chunked_array([pa.array(["=a", "b", None]).dictionary_encode()])),
            "count": Carried(pa.chunked_array([[-1, 2, 3]])),
        }
    )
    neutral = without_formulas(table)
    assert neutral.coded("single").domain.texts() == ["'+b", "a"]
    assert neutral.sets("set").domain.texts() == ["'+b", "a"]
    assert neutral.coded("single").codes.tolist() == [0, 1, 2]
    assert neutral.coded("number").domain.kind is Kind.NUMBER
    assert neutral.columns["dictionary"].values.to_pylist() == ["'=a", "b", None]
    assert neutral.columns["count"].values.to_pylist() == [-1, 2, 3]


def test_two_texts_never_become_one():
    with pytest.raises(OutputFailed, match="both occur"):
        without_formulas(Table.of({"a": Coded.of([0, 1], category_domain(["'=x", "=x"]))}))


def test_names_of_columns_are_not_changed_but_refused():
    with pytest.raises(BadInput, match="begins like a formula"):
        without_formulas(Table.of({"=a": carried("b")}))
