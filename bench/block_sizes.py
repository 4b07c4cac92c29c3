"""`kanon-cf` in blocks of so many rows, on records whose columns were drawn from Adult on their own.

    python bench/block_sizes.py [--records 300000] [--blocks 20000,50000,150000] [--keep]

k = 10, LM; borders of blocks are mended as they always are.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import shoal as sh
from measuring.kept_tables import offer_to_keep, printed_table
from measuring.tables import load
from shoal.algorithms.catalogue import make_algorithm
from shoal.metrics.relational import table_cost
from shoal.progress import Silent
from shoal.recoding.rows import RowRecoding

COLUMNS = ("rows of a block, at least", "LM %", "seconds of processors")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=300_000)
    parser.add_argument("--blocks", default="20000,50000,150000")
    offer_to_keep(parser)
    given = parser.parse_args()
    data, models = load("adult", given.records, mixed=True), [sh.KAnonymity(10)]
    with printed_table("block-sizes", COLUMNS) as add_row:
        for block in map(int, given.blocks.split(",")):
            started = time.process_time()
            found = make_algorithm("kanon-cf", {"block": block}).find(
                data, models, np.random.default_rng(0), Silent()
            )
            seconds = time.process_time() - started
            if not isinstance(found, RowRecoding):
                raise TypeError("kanon-cf did not cluster rows")
            add_row(f"{block:,}", f"{100 * table_cost(data, found.clusters, 'lm'):.2f}", f"{seconds:.0f}")


if __name__ == "__main__":
    main()
