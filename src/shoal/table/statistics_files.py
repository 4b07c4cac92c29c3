"""Files of SPSS, Stata and SAS, read and written through pyreadstat.

A value that has a label is that label, as these programs show it; where two values of a column have one
label, the column keeps its values. Columns of texts are written as numbers with these texts as labels, so
that the programs know them for categories; those that are too long for a label, and all of SAS, as texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import BadInput, MissingExtra, Problem
from shoal.table.columnar import Typed
from shoal.table.columns import Kind
from shoal.table.options import ReadOptions
from shoal.table.raw import HowRead
from shoal.table.writing import label_value

_READERS: Mapping[str, str] = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
STATISTICS_ENDINGS = tuple(_READERS)
WRITTEN_STATISTICS = (".sav", ".dta", ".xpt")
_LONGEST_LABEL = 120  # bytes, in SPSS; longer ones would be cut off
_MOST_LABELS = 10_000
_LONGEST_NAME = 32  # in Stata and SAS


def open_statistics(path: Path, options: ReadOptions) -> Typed:
    """All columns of a file of a statistics program, with the labels of values in place of these."""
    reader = getattr(_pyreadstat(), _READERS[path.suffix.lower()])
    more = {} if options.encoding is None else {"encoding": options.encoding}
    try:
        columns, about = reader(str(path), output_format="dict", **more)
    except Exception as error:
        what = f"cannot be read as a file of a statistics program: {' '.join(str(error).split())}"
        raise BadInput(
            Problem(what, "check that the file is what its ending says", file=str(path))
        ) from error
    labels = about.variable_value_labels
    arrays = [_column(columns[name], labels.get(name, {})) for name in about.column_names]
    table = pa.Table.from_arrays(arrays, list(about.column_names))
    return Typed(str(path), table, how_read=HowRead(encoding=about.file_encoding))


def write_statistics(columns: Mapping[str, pa.Array], path: Path) -> None:
    """Write columns of single values as a file of the program that its ending names."""
    program = _pyreadstat()
    import pandas as pd

    ending = path.suffix.lower()
    names = _variable_names(columns)
    values, labels = {}, {}
    for name, column in columns.items():
        variable, typed = names[name], _typed(column)
        codes, words = _categories(typed) if ending != ".xpt" else ([], {})
        if words:
            values[variable], labels[variable] = pd.Series(codes, dtype="float64"), words
        else:
            values[variable] = _cells(typed)
    told = {names[name]: name for name in columns}
    frame = pd.DataFrame(values)
    if ending == ".sav":
        program.write_sav(frame, str(path), column_labels=told, variable_value_labels=labels)
    elif ending == ".dta":
        program.write_dta(frame, str(path), column_labels=told, variable_value_labels=labels)
    else:
        program.write_xport(frame, str(path), column_labels=told, file_format_version=8)


def _pyreadstat() -> Any:
    try:
        import pyreadstat
    except ImportError as error:
        raise MissingExtra("Files of SPSS, Stata and SAS", "statistics") from error
    return pyreadstat


def _typed(column: pa.Array) -> pa.Array:
    """Texts that are all numbers, or all days, as such: text files have no types."""
    if not pa.types.is_string(column.type):
        return column
    column = pc.if_else(pc.equal(column, ""), None, column)
    encoded = column.dictionary_encode()
    for kind in (Kind.NUMBER, Kind.DATE):
        values = [label_value(text, kind) for text in encoded.dictionary.to_pylist()]
        if values and not any(isinstance(value, str) for value in values):
            return pa.array(values, pa.float64() if kind is Kind.NUMBER else pa.date32()).take(
                encoded.indices
            )
    return column


def _categories(column: pa.Array) -> tuple[list[int | None], dict[int, str]]:
    """The texts of a column as numbers from 1 on, and which stands for which; none if they are no labels."""
    if not pa.types.is_string(column.type):
        return [], {}
    encoded = column.dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    if len(texts) > _MOST_LABELS or any(len(text.encode()) > _LONGEST_LABEL for text in texts):
        return [], {}
    order = sorted(range(len(texts)), key=texts.__getitem__)
    number_of = {place: number for number, place in enumerate(order, start=1)}
    codes = [None if place is None else number_of[place] for place in encoded.indices.to_pylist()]
    return codes, {number_of[place]: texts[place] for place in order}


def _cells(column: pa.Array) -> Any:
    """A column as pyreadstat takes it: numbers, dates or texts, which are empty where nothing is."""
    if pa.types.is_string(column.type):
        return column.fill_null("").to_pandas()
    if pa.types.is_temporal(column.type):
        return column.to_pandas(date_as_object=True)
    return column.cast(pa.float64()).to_pandas()


def _variable_names(columns: Iterable[str]) -> dict[str, str]:
    """For each column a name that all three programs take."""
    names: dict[str, str] = {}
    for column in columns:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", column)
        plain = (plain if plain[:1].isalpha() else f"v_{plain}")[:_LONGEST_NAME]
        taken = {name.lower() for name in names.values()}
        number = 1
        found = plain
        while found.lower() in taken:
            number += 1
            found = f"{plain[: _LONGEST_NAME - 1 - len(str(number))]}_{number}"
        names[column] = found
    return names


def refuse_published_statistics(path: Path, options: ReadOptions) -> Typed:  # noqa: ARG001
    """Raise BadInput: such files hold notes, labels and times that no check looks through."""
    what = "is a file of a statistics program, which holds more than a table"
    raise BadInput(Problem(what, "check the published .csv, .parquet or .xlsx file", file=str(path)))


def _column(cells: Any, labels: Mapping[Any, str]) -> pa.Array:
    values = [_plain(cell) for cell in cells]
    if labels and len(set(labels.values())) == len(labels):
        shown = {_plain(value): str(label) for value, label in labels.items()}
        if any(value in shown for value in values):
            return pa.array([None if value is None else shown.get(value, str(value)) for value in values])
    return pa.array(values)


def _plain(cell: Any) -> Any:
    """A cell as Python has it: whole numbers as integers, an empty text and no number as nothing."""
    if hasattr(cell, "item"):
        cell = cell.item()
    if isinstance(cell, float):
        return None if cell != cell else int(cell) if cell.is_integer() else cell  # noqa: PLR0124
    if isinstance(cell, datetime) and cell.time() == datetime.min.time():
        return cell.date()
    return cell if isinstance(cell, int | str | date) and cell != "" else None
