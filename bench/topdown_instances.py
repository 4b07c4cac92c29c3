"""How close the algorithms for complete k-anonymity of sets, and HgHs, come to the best, on small instances.

    python bench/topdown_instances.py [--instances 1000]        # about two minutes

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


def tell(name: str, losses: Iterable[tuple[float, float]]) -> None:
    found, best = np.array(list(losses)).T
    lossy = best > 0
    ratio = found[lossy] / best[lossy]
    print(
        f"{name:32} mean {ratio.mean():.4f}  worst {ratio.max():.4f}  more in {np.sum(ratio > 1 + 1e-9):,}"
        f" and less in {np.sum(ratio < 1 - 1e-9):,} of {len(ratio):,} instances"
        f"; something for nothing in {np.sum(found[~lossy] > 0):,} of {np.sum(~lossy):,}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instances", type=int, default=1_000)
    most = parser.parse_args().instances
    tell("lgr / partition", islice(against_partition(), most))
    tell("partition / best grouping", islice(against_all_groupings(Partition()), most))
    tell("lgr / best grouping", islice(against_all_groupings(LGR()), most))
    tell("hghs / best cut, suppression", islice(against_all_suppressions(), most))


if __name__ == "__main__":
    main()
