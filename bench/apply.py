"""One decision, two files: what of a third of the records can be published by what two thirds decided.

    python bench/apply.py [--k 10] [--seeds 3] [--algorithms kanon-cf,mondrian,...] [--keep]

Two thirds of Adult (k-anonymity, trees of `measuring/tables.py`) or of Groceries (k^m-anonymity, m = 2, its
own taxonomy) are anonymized, the recoding is saved, loaded and applied to the rest. Classes and itemsets are
counted here, from the published texts, with nothing of Shoal: in each file alone and in both together none
may be smaller than k. Printed are the smallest counts, the share of the rest that had to be left out, the
loss by NCP of the first release and of the second with what was left out, and the seconds to apply.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa

import shoal as sh
from measuring.kept_tables import offer_to_keep, printed_table
from measuring.tables import DATA, TABLES, frame

SETS = ("oa", "da", "aa", "lra", "vpa", "hghs", "pcta")
ITEMS = {"items": sh.QuasiSet(hierarchy=DATA / "hierarchies" / "groceries" / "item.csv")}
M = 2
COLUMNS = [
    *("algorithm", "seed", "smallest in the first", "in the second", "in both"),
    *("left out", "NCP of the first", "NCP of the second", "time to apply"),
]

Counted = Callable[[pa.Table], Counter[tuple[str | None, ...]]]


def adult() -> pa.Table:
    return frame("adult").select([*TABLES["adult"].quasi])


def groceries() -> pa.Table:
    with gzip.open(DATA / "groceries.txt.gz", "rt", encoding="utf-8") as lines:
        return pa.table({"items": [line.strip() for line in lines if line.strip()]})


def classes(published: pa.Table) -> Counter[tuple[str | None, ...]]:
    return Counter(zip(*(column.to_pylist() for column in published.columns), strict=True))


def itemsets(published: pa.Table) -> Counter[tuple[str | None, ...]]:
    sets = [sorted((text or "").split()) for text in published.column("items").to_pylist()]
    return Counter(each for items in sets for size in range(1, M + 1) for each in combinations(items, size))


def split(table: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
    """Two thirds and the rest."""
    order = np.random.default_rng(seed).permutation(table.num_rows)
    end = 2 * table.num_rows // 3
    return table.take(order[:end]), table.take(order[end:])


def measured(algorithm: str, k: int, seed: int) -> list[str]:
    """One row of the table; AssertionError if a plain count finds fewer than k."""
    of_sets = algorithm in SETS
    table, roles = (groceries(), ITEMS) if of_sets else (adult(), TABLES["adult"].quasi)
    model: sh.KmAnonymity | sh.KAnonymity = sh.KmAnonymity(k, M) if of_sets else sh.KAnonymity(k)
    count: Counted = itemsets if of_sets else classes
    first, rest = split(table, seed)
    earlier = sh.anonymize(sh.read(first, roles), model, algorithm=algorithm, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        saved = sh.load_recoding(earlier.recoding.save(Path(folder) / "recoding.npz"))
    data = sh.read(rest, roles)
    started = time.perf_counter()
    later = saved.apply(data, together_with=earlier.frame)
    seconds = time.perf_counter() - started
    before, now = count(earlier.frame), count(later.frame)
    smallest = [min(each.values()) for each in (before, now, before + now)]
    assert min(smallest) >= k, smallest
    left_out = 1 - later.frame.num_rows / rest.num_rows
    losses = (f"{each.loss['ncp']:.3f}" for each in (earlier, later))
    return [algorithm, str(seed), *map(str, smallest), f"{left_out:.1%}", *losses, f"{seconds:.2f} s"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--algorithms", default="kanon-cf,mondrian,full-domain,aa,lra,pcta")
    offer_to_keep(parser)
    asked = parser.parse_args()
    with printed_table("apply", COLUMNS) as add_row:
        for algorithm in asked.algorithms.split(","):
            for seed in range(asked.seeds):
                add_row(*measured(algorithm, asked.k, seed))


if __name__ == "__main__":
    main()
