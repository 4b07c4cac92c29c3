"""How close the algorithms for k^m-anonymity come to the best cut, on small random instances.

2,000 instances with trees of up to 10 leaves, unbalanced ones too, k = 2..5 and m = 1..4, the same as in the
tests. The loss of each algorithm is divided by that of OA, which is the best cut there is; instances where
that loses nothing are left out of the ratios. LRA has a cut per part and may lose less. Beside them stands AA
as the paper prints it, with a count-tree and its own order, against our AA before the minimal cut.

    python bench/km_instances.py [--instances 2000] [--keep]        # about two minutes
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from measuring.kept_tables import offer_to_keep, show_table
from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.da import DA
from shoal.algorithms.sets.lra import LRA
from shoal.algorithms.sets.oa import OA
from shoal.algorithms.sets.vpa import VPA
from shoal.privacy.km_anonymity import KmAnonymity

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.algorithms.sets.searches import feasible, find, random_case
from tests.reference import km
from tests.reference.count_tree import apriori_by_count_tree

NOT_MINIMAL, BY_COUNT_TREE = "`aa` without the minimal cut", "AA as the paper prints it, with a count-tree"
ALGORITHMS = {
    "`aa`": AA(),
    "`vpa`": VPA(),
    "`aa` without exchanges": AA(exchanges=0),
    NOT_MINIMAL: AA(minimal=False),
    "`da`": DA(),
    "`lra`": LRA(threads=1),
}
COLUMNS = ("", "mean", "worst", "best", "more loss in", "less loss in")


def instances(count: int) -> Iterator[tuple[Any, int, int]]:
    for seed in range(count):
        each, k, m = random_case(seed)
        if feasible(each, k):
            yield each, k, m


def losses(each: Any, k: int, m: int) -> dict[str, float]:
    model = KmAnonymity(k, m)
    found = {name: find(algorithm, each, model).figures["ncp"] for name, algorithm in ALGORITHMS.items()}
    literal = apriori_by_count_tree(each.above, each.leaves, each.transactions, k, m)
    found[BY_COUNT_TREE] = float(km.ncp(each.above, each.leaves, each.transactions, literal))
    found["oa"] = find(OA(), each, model).figures["ncp"]
    return found


def ratios(table: dict[str, np.ndarray], name: str, to: str) -> list[str]:
    lossy = table[to] > 0
    ratio = table[name][lossy] / table[to][lossy]
    more, less = np.mean(ratio > 1 + 1e-9), np.mean(ratio < 1 - 1e-9)
    words = name if to == "oa" else f"{name}, beside {to}"
    return [
        words,
        f"{ratio.mean():.4f}",
        f"{ratio.max():.3f}",
        f"{ratio.min():.3f}",
        f"{100 * more:.1f} %",
        f"{100 * less:.1f} %",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instances", type=int, default=2_000)
    offer_to_keep(parser)
    rows = [losses(*each) for each in instances(parser.parse_args().instances)]
    table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    print(f"{len(rows):,} instances, {np.mean(table['oa'] > 0):.0%} of which have to lose something")
    beside = [*((name, "oa") for name in (*ALGORITHMS, BY_COUNT_TREE)), (BY_COUNT_TREE, NOT_MINIMAL)]
    show_table("km-instances", COLUMNS, (ratios(table, *pair) for pair in beside))


if __name__ == "__main__":
    main()
