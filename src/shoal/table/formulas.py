"""Texts that a spreadsheet would take for formulas."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import BadInput, OutputFailed, Problem
from shoal.table.arrow_form import text_column
from shoal.table.canonical import holds_lists
from shoal.table.columns import Carried, Coded, Column, Domain, Kind, Sets, Table

MARK = "'"  # what spreadsheets show as the sign of a text
# White space and signs of texts that programs skip do not make a formula a text.
_FORMULA = r"^[\s\x00-\x20\x{a0}\x{feff}]*[=+\-@＝＋－＠]|^[\t\r\n]"
_NUMBER = r"^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"


def without_formulas(table: Table) -> Table:
    """The same table with `'` before every text that begins like a formula; numbers stay numbers.

    BadInput for names of columns that begin so, because other programs look for them as they are.
    """
    names = pa.array(list(table.columns), type=pa.string())
    if bad := names.filter(_are_formulas(names)).to_pylist():
        what = "begins like a formula, and names of columns are not changed"
        raise BadInput(*(Problem(what, "rename the column", column=name) for name in bad))
    return table.replacing({name: _neutral(column) for name, column in table.columns.items()})


def marked_item(item: str) -> str:
    """An item as it is published where formulas are marked."""
    return str(_marked(pa.array([item], type=pa.string()), numbers_too=True)[0])


def _neutral(column: Column) -> Column:
    if isinstance(column, Carried):
        if column.separator is not None and holds_lists(column.values.type):
            column = Carried(pa.chunked_array([text_column(column, 0, len(column))]))
        return replace(column, values=_neutral_values(column.values))
    domain = column.domain
    if domain.kind in (Kind.NUMBER, Kind.DATE):
        return column
    # A cell of several items that begins with a number is no number.
    labels = _marked(domain.labels, numbers_too=isinstance(column, Sets))
    if pc.count_distinct(labels).as_py() < len(labels):
        raise OutputFailed(f"a text and the same text after {MARK} both occur, so formulas cannot be marked")
    neutral = Domain(domain.kind, labels, domain.numbers)
    if isinstance(column, Coded):
        return Coded.of(column.codes, neutral)
    return replace(column, domain=neutral)


def _neutral_values(values: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = values.type
    if pa.types.is_dictionary(kind):
        return _neutral_values(values.cast(kind.value_type))
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return _marked(values.cast(pa.string())) if is_text else values


def _marked(texts: pa.Array, *, numbers_too: bool = False) -> pa.Array:
    formulas = pc.match_substring_regex(texts, _FORMULA) if numbers_too else _are_formulas(texts)
    return pc.if_else(formulas, pc.binary_join_element_wise(MARK, texts, ""), texts)


def _are_formulas(texts: pa.Array) -> pa.Array:
    is_number = pc.match_substring_regex(texts, _NUMBER)
    return pc.and_(pc.match_substring_regex(texts, _FORMULA), pc.invert(is_number))
