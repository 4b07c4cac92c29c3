"""How long Shoal takes to read and encode a CSV file, beside Arrow reading it alone.

    python bench/reading.py [--rows 1000000] [--repeats 7]

Both read the same file in turn; the ratio is that of the fastest runs, and must not exceed 3.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from shoal.table.columns import Kind
from shoal.table.reading import read_table
from shoal.table.roles import Quasi, Sensitive

LIMIT = 3.0
NUMBER = Quasi(kind=Kind.NUMBER)
ROLES = {
    "age": NUMBER,
    "zip": Quasi(),
    "income": NUMBER,
    "sex": Quasi(),
    "education": Quasi(),
    "country": Quasi(),
    "occupation": Sensitive(),
    "hours": NUMBER,
}


def people(rows: int) -> pa.Table:
    draw = np.random.default_rng(7)

    def one_of(word: str, count: int) -> pa.Array:
        labels = pa.array([f"{word} {number}" for number in range(count)])
        return labels.take(pa.array(draw.integers(0, count, rows)))

    return pa.table(
        {
            "age": draw.integers(0, 100, rows),
            "zip": draw.integers(10_000, 100_000, rows),
            "income": np.round(draw.lognormal(10, 1, rows)).astype(np.int64),
            "sex": one_of("sex", 2),
            "education": one_of("level", 16),
            "country": one_of("country", 190),
            "occupation": one_of("occupation", 2000),
            "hours": draw.integers(0, 99, rows),
        }
    )


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        pyarrow.csv.write_csv(people(given.rows), path)
        runs = [
            (seconds(lambda: pyarrow.csv.read_csv(path)), seconds(lambda: read_table(path, ROLES)))
            for _ in range(given.repeats)
        ]
        size = path.stat().st_size / 1e6
    alone, encoded = (min(times) for times in zip(*runs, strict=True))
    print(f"{given.rows:,} rows x {len(ROLES)} columns, {size:.0f} MB, fastest of {given.repeats} runs")
    print(
        f"Arrow alone {alone:.3f} s, read_table {encoded:.3f} s, ratio {encoded / alone:.2f} (limit {LIMIT})"
    )
    return int(encoded / alone > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
