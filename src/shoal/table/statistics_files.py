"""Files of SPSS, Stata and SAS, read through pyreadstat.

A value that has a label is that label, as these programs show it; where two values of a column have one
label, the column keeps its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import BadInput, MissingExtra, Problem
from shoal.table.columnar import Typed
from shoal.table.options import ReadOptions
from shoal.table.raw import HowRead

_READERS: Mapping[str, str] = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
STATISTICS_ENDINGS = tuple(_READERS)


def open_statistics(path: Path, options: ReadOptions) -> Typed:
    """All columns of a file of a statistics program, with the labels of values in place of these."""
    try:
        import pyreadstat
    except ImportError as error:
        raise MissingExtra("Reading files of SPSS, Stata and SAS", "statistics") from error
    reader = getattr(pyreadstat, _READERS[path.suffix.lower()])
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
