"""Reads one file of a statistics program and writes its table to standard output, as a stream of Arrow.

    python -m shoal.table.statistics_reader FILE ENCODING

pyreadstat is C, and a damaged file can end the process that reads it: so this is one of its own.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

READERS: Mapping[str, str] = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
ENCODING = b"encoding"
SINGLE = "float"  # what pyreadstat calls numbers of single precision
REFUSED = 3  # the exit code with which the reason stands on standard error
_LARGEST_WHOLE = 2**53  # above it a float is no longer a number that somebody wrote


def main(file: str, encoding: str) -> int:
    """Write the table; what else is printed while it is read goes to standard error."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as stream:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        try:
            table = _read(Path(file), encoding)
        except Exception as error:  # noqa: BLE001 - damage has no end
            sys.stderr.write(f"{error}\n")
            return REFUSED
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
    return 0


def _read(path: Path, encoding: str) -> pa.Table:
    import pyreadstat

    reader = getattr(pyreadstat, READERS[path.suffix.lower()])
    columns, about = reader(str(path), output_format="dict", **({"encoding": encoding} if encoding else {}))
    labels, types = about.variable_value_labels, about.readstat_variable_types
    cells = {
        name: map(_shortest, column) if types[name] == SINGLE else column for name, column in columns.items()
    }
    arrays = [_column(cells[name], labels.get(name, {})) for name in about.column_names]
    return pa.Table.from_arrays(arrays, list(about.column_names)).replace_schema_metadata(
        {ENCODING: about.file_encoding or ""}
    )


def _column(cells: Any, labels: Mapping[Any, str]) -> pa.Array:
    values = [_plain(cell) for cell in cells]
    if labels and len(set(labels.values())) == len(labels):
        shown = {_plain(value): str(label) for value, label in labels.items()}
        if any(value in shown for value in values):
            return pa.array([None if value is None else shown.get(value, str(value)) for value in values])
    return pa.array(values)


def _shortest(cell: Any) -> Any:
    """A fraction of single precision as the program shows it: 5.1, not 5.099999904632568."""
    return float(str(np.float32(cell))) if isinstance(cell, float) and not cell.is_integer() else cell


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) <= _LARGEST_WHOLE


def _plain(cell: Any) -> Any:
    """A cell as Python has it: whole numbers as integers, an empty text and no number as nothing."""
    if hasattr(cell, "item"):
        cell = cell.item()
    if isinstance(cell, float):
        return None if math.isnan(cell) else int(cell) if _is_whole(cell) else cell
    if isinstance(cell, datetime) and cell.time() == datetime.min.time():
        return cell.date()
    return cell if isinstance(cell, int | str | date) and cell != "" else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
