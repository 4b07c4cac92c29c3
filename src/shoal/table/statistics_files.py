"""Files of SPSS, Stata and SAS, read and written through pyreadstat.

A value that has a label is that label, as these programs show it; where two values of a column have one
label, the column keeps its values. Columns of texts are written as numbers with these texts as labels, so
that the programs know them for categories; those that are too long for a label, and all of SAS, as texts.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import BadInput, MissingExtra, Problem
from shoal.table import statistics_reader
from shoal.table.columnar import Typed
from shoal.table.columns import Kind
from shoal.table.options import ReadOptions
from shoal.table.raw import HowRead
from shoal.table.statistics_reader import READERS
from shoal.table.writing import label_value

STATISTICS_ENDINGS = tuple(READERS)
WRITTEN_STATISTICS = (".sav", ".dta", ".xpt")
_LONGEST_LABEL = 120  # bytes, in SPSS; longer ones would be cut off
_MOST_LABELS = 10_000
_LONGEST_NAME = 32  # in Stata and SAS


def open_statistics(path: Path, options: ReadOptions) -> Typed:
    """All columns of a file of a statistics program, with the labels of values in place of these.

    They are read in a process of their own: a damaged file can end the one in which pyreadstat reads it.
    """
    _pyreadstat()
    words = [sys.executable, "-m", statistics_reader.__name__, str(path), options.encoding or ""]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        raise BadInput(_unreadable(path, done))
    table = pa.ipc.open_stream(done.stdout).read_all()
    encoding = table.schema.metadata[statistics_reader.ENCODING].decode() or None
    return Typed(str(path), table.replace_schema_metadata(None), how_read=HowRead(encoding=encoding))


def _unreadable(path: Path, done: subprocess.CompletedProcess[bytes]) -> Problem:
    told = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != statistics_reader.REFUSED:
        told = f"pyreadstat ended while it read it (code {done.returncode})"
    what = f"cannot be read as a file of a statistics program: {' '.join(told.split())}"
    return Problem(what, "check that the file is complete and what its ending says", file=str(path))


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
