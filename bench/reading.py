"""How long Shoal takes to read and encode a CSV file, beside Arrow reading it alone.

    python bench/reading.py [--rows 1000000] [--repeats 11]

Both read the same file in turn, once without quotes and once with all texts quoted; medians of all
runs; the ratio must not exceed 3.
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


def compare(path: Path, repeats: int) -> float:
    runs = [
        (seconds(lambda: pyarrow.csv.read_csv(path)), seconds(lambda: read_table(path, ROLES)))
        for _ in range(repeats)
    ]
    alone, encoded = (statistics.median(times) for times in zip(*runs, strict=True))
    ratio = statistics.median(ours / arrows for arrows, ours in runs)  # neighbours share the machine's mood
    size = path.stat().st_size / 1e6
    print(f"{path.stem}, {size:.0f} MB: Arrow {alone:.3f} s, read_table {encoded:.3f} s, ratio {ratio:.2f}")
    return ratio


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=11)
    given = parser.parse_args()
    table = people(given.rows)
    print(f"{given.rows:,} rows x {len(ROLES)} columns, median of {given.repeats} runs, limit {LIMIT}")
    with tempfile.TemporaryDirectory() as folder:
        ratios = []
        for name, quoting in (("plain", "none"), ("quoted", "needed")):
            path = Path(folder) / f"{name}.csv"
            style = pyarrow.csv.WriteOptions(quoting_style=quoting, quoting_header=quoting)
            pyarrow.csv.write_csv(table, path, style)
            ratios.append(compare(path, given.repeats))
    return int(max(ratios) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
