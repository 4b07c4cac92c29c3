"""How close the algorithms for complete k-anonymity of sets, and HgHs, come to the best, on small instances.

    python bench/topdown_instances.py [--instances 1000] [--keep]        # about two minutes

Three comparisons, all on random instances of the tests, and in each the losses (NCP) are divided:

- lgr by partition, up to 60 records and trees of up to 16 leaves;
- both by the best of all groupings, up to 8 records;
- hghs by the best of all cuts with any of their nodes suppressed, trees of up to 6 leaves, k = 2..4 and
  m = 1..3.

Instances where the divisor loses nothing are left out of the ratios and counted apart.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path

import numpy as np

from measuring.kept_tables import offer_to_keep, printed_table
from shoal.algorithms.sets.hghs import HgHs
from shoal.algorithms.sets.lgr import LGR
from shoal.algorithms.sets.partition import Partition
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.set_k_anonymity import SetKAnonymity

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.algorithms.sets.instances import Instance, instance_with_items, tiny_case
from tests.algorithms.sets.searches import feasible, find, with_items
from tests.reference import topdown

MOST_CUTS = 100_000
ROWS_FOR_ALL_GROUPINGS = 8
COLUMNS = ("", "mean", "worst", "more in", "less in", "of", "something for nothing in", "of those")


def loss(algorithm: object, each: Instance, k: int) -> float:
    return find(algorithm, each, SetKAnonymity(k)).figures["ncp"]


def against_partition() -> Iterator[tuple[float, float]]:
    for each, k in filter(None, map(instance_with_items, count())):
        yield loss(LGR(), each, k), loss(Partition(), each, k)


def against_all_groupings(algorithm: object) -> Iterator[tuple[float, float]]:
    instances = (instance_with_items(seed, ROWS_FOR_ALL_GROUPINGS) for seed in count())
    for each, k in filter(None, instances):
        best = topdown.least_loss_of_equal_sets(each.above, each.leaves, each.transactions, k)
        yield loss(algorithm, each, k), float(best)


def against_all_suppressions() -> Iterator[tuple[float, float]]:
    for each, k, m in map(tiny_case, count()):
        if feasible(each, k) and with_items(each.transactions) > 0:
            best = topdown.least_loss_with_suppression(each.above, each.leaves, each.transactions, k, m)
            yield find(HgHs(most_cuts=MOST_CUTS), each, KmAnonymity(k, m)).figures["ncp"], float(best)


def ratios(losses: Iterable[tuple[float, float]]) -> list[str]:
    found, best = np.array(list(losses)).T
    lossy = best > 0
    ratio = found[lossy] / best[lossy]
    counts = [ratio > 1 + 1e-9, ratio < 1 - 1e-9, lossy, found[~lossy] > 0, ~lossy]
    return [f"{ratio.mean():.4f}", f"{ratio.max():.4f}", *(f"{np.sum(each):,}" for each in counts)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instances", type=int, default=1_000)
    offer_to_keep(parser)
    most = parser.parse_args().instances
    few = f"up to {ROWS_FOR_ALL_GROUPINGS} records"
    compared = {
        "`lgr` / `partition` (up to 60 records)": against_partition(),
        f"`partition` / best grouping ({few})": against_all_groupings(Partition()),
        f"`lgr` / best grouping ({few})": against_all_groupings(LGR()),
        "`hghs` / best cut with any nodes suppressed (up to 6 leaves)": against_all_suppressions(),
    }
    with printed_table("topdown-instances", COLUMNS) as add_row:
        for name, losses in compared.items():
            add_row(name, *ratios(islice(losses, most)))


if __name__ == "__main__":
    main()
