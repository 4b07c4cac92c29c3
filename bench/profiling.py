"""How long a profile takes, beside reading and encoding the same file, and beside Arrow reading it alone.

    python bench/profiling.py [--rows 1000000] [--repeats 5]

All three read the same file of 20 columns in turn; medians; profile must not take more than 3 times what
`read_table` takes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from shoal.study.profile import profile
from shoal.table.columns import Kind
from shoal.table.reading import read_table
from shoal.table.roles import Quasi

LIMIT = 3.0
KINDS = {"n": Kind.NUMBER, "d": Kind.DATE}


def people(rows: int) -> pa.Table:
    """Columns of numbers (n), days (d) and texts (t), among them some that name people."""
    draw = np.random.default_rng(7)

    def one_of(values: list[str]) -> pa.Array:
        return pa.array(values).take(pa.array(draw.integers(0, len(values), rows)))

    names = [
        f"{first}{rest}" for first in "ABDEGHKLMNOPRST" for rest in ("anna", "ilda", "orbert", "uise", "arek")
    ]
    days = np.datetime64("1940-01-01") + draw.integers(0, 25_000, rows)
    persons = draw.integers(0, max(rows // 4, 1), rows)
    columns = {f"n{place}": draw.integers(0, 10 ** (place + 2), rows) for place in range(6)}
    columns |= {f"n{place}": np.round(draw.normal(70, 12, rows), 1) for place in range(6, 9)}
    columns |= {"d1": days, "d2": np.datetime64("2020-01-01") + draw.integers(0, 1500, rows)}
    columns |= {
        "t_name": one_of(names),
        "t_mail": pa.array(np.char.add(persons.astype(str), "@example.org")),
        "t_number": pa.array(np.char.add("P-", persons.astype(str))),
        "t_note": pa.array(np.char.add("seen again on day ", draw.integers(0, rows, rows).astype(str))),
        "t_zip": pa.array(np.char.zfill(draw.integers(0, 99_999, rows).astype(str), 5)),
        "t_sex": one_of(["f", "m"]),
        "t_level": one_of([f"level {number}" for number in range(16)]),
        "t_country": one_of([f"country {number}" for number in range(190)]),
        "t_job": one_of([f"occupation {number}" for number in range(2000)]),
    }
    return pa.table(columns)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    table = people(given.rows)
    roles = {name: Quasi(kind=KINDS.get(name[0], Kind.CATEGORY)) for name in table.column_names}
    profile(table.slice(0, 1000))  # lists are loaded once
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        pyarrow.csv.write_csv(table, path)
        runs = [
            (
                seconds(lambda: pyarrow.csv.read_csv(path)),
                seconds(lambda: read_table(path, roles)),
                seconds(lambda: profile(path)),
            )
            for _ in range(given.repeats)
        ]
    arrow, reading, looking = (statistics.median(times) for times in zip(*runs, strict=True))
    ratio = statistics.median(looks / reads for _, reads, looks in runs)
    print(
        f"{given.rows:,} rows x {table.num_columns} columns: Arrow {arrow:.2f} s, read_table {reading:.2f} s,"
        f" profile {looking:.2f} s; profile takes {ratio:.2f} times what read_table takes (limit {LIMIT}) and"
        f" {looking / arrow:.2f} times what Arrow alone takes"
    )
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
