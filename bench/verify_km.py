"""How long an exact check of k^m-anonymity with m = 2 takes on 1,000,000 sets of about 10 items.

Beside it stands the least that any exact check must do: a pass over the same sets that adds one to a dense
table for each of their pairs. Both start from encoded arrays in one process and are compiled beforehand; the
table is allocated and cleared outside the clock. Two files: one as it would come in, 5,000 items of skewed
frequency with many rare pairs, and one as it would be published, the same items as 100 nodes of a tree. Exit
code 1 above the target.

    python bench/verify_km.py [--rows N]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numba
import numpy as np

from shoal.engine.local import LocalData
from shoal.kernels.arrays import SetArrays
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.table.columns import Sets, Table, category_domain
from shoal.table.roles import QuasiSet

ITEMS = 5_000
NODES = 100
AVERAGE_LENGTH = 10
K = 5
TARGET = 3


@numba.njit
def add_pairs(starts: np.ndarray, items: np.ndarray, table: np.ndarray) -> None:
    for row in range(len(starts) - 1):
        for left in range(starts[row], starts[row + 1]):
            for right in range(left + 1, starts[row + 1]):
                table[items[left], items[right]] += 1


def drawn(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and item of every occurrence; items with small numbers are drawn more often."""
    sizes = rng.poisson(AVERAGE_LENGTH - 1, rows) + 1
    items = (ITEMS * rng.random(sizes.sum()) ** 2.5).astype(np.int64)
    return np.repeat(np.arange(rows), sizes), items


def sets_of(rows: np.ndarray, items: np.ndarray, row_count: int) -> Sets:
    """The occurrences as sets: each item once per row."""
    keys = np.unique(rows * ITEMS + items)
    starts = np.concatenate(([0], np.cumsum(np.bincount(keys // ITEMS, minlength=row_count))))
    return Sets.of(starts, keys % ITEMS, category_domain([f"{item:04}" for item in range(items.max() + 1)]))


def seconds(
    work: Callable[[], object], before: Callable[[], object] = lambda: None, repeats: int = 5
) -> float:
    taken = []
    for _ in range(repeats):
        before()
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def pair_count(sets: SetArrays) -> int:
    sizes = np.diff(sets.starts)
    return int((sizes * (sizes - 1) // 2).sum())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    row_count = parser.parse_args().rows
    rows, items = drawn(np.random.default_rng(1), row_count)
    worst = 0.0
    for name, published in (("incoming", items), ("published", items * NODES // ITEMS)):
        column = sets_of(rows, published, row_count)
        data = LocalData(Table.of({"basket": column}), {"basket": QuasiSet()})
        table = np.zeros((len(column.domain), len(column.domain)), dtype=np.int32)
        verdict = KmAnonymity(K, 2).verify(data)  # compiles, and is not timed
        add_pairs(column.arrays.starts[:2], column.arrays.items, table)

        reference = seconds(
            lambda column=column, table=table: add_pairs(column.arrays.starts, column.arrays.items, table),
            before=lambda table=table: table.fill(0),
        )
        ours = seconds(lambda data=data: KmAnonymity(K, 2).verify(data))
        rare_pairs = int(np.count_nonzero((table > 0) & (table < K)))
        rare_items = int(np.count_nonzero(np.bincount(column.arrays.items) < K))
        assert verdict.figures["itemsets_below_k"] == rare_pairs + rare_items
        worst = max(worst, ours / reference)
        print(
            f"{name}: {row_count:,} sets of {len(column.arrays.items) / row_count:.1f} items,"
            f" {pair_count(column.arrays):,} pairs, smallest support {verdict.smallest:,}:"
            f" checked in {ours:.2f} s, reference pass {reference:.2f} s, ratio {ours / reference:.2f}"
        )
    print(f"largest ratio {worst:.2f}, target at most {TARGET}")
    return 0 if worst <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
