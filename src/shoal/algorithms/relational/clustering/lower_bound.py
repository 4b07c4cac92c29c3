"""How low the cost of a table can be at best.

Let d be a monotone cost. In any release of which every class has k rows, a record r is published as a vector
that covers r and k - 1 other rows, hence, for each of them, the union of r with it. So r costs at least as
much as its union with the (k - 1)-th nearest other row, nearness being the cost of the union. The mean of
that over all rows is a lower bound for the cost of every release without suppressed records, also where
models ask for more than k rows.
"""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.arrays import Ints
from shoal.kernels.grouping import group_rows, members
from shoal.kernels.lower_bound import Neighbourhoods, distances_to_k
from shoal.progress import Progress
from shoal.threads import in_threads, processors

_LOOKUPS_AT_MOST = 2 * 10**10
_RECORDS_PER_SLICE = 500


def figures_of(measure: str, cost: float, bound: float | None) -> dict[str, Any]:
    """What a search tells of its cost, and of how much a release may lose less at most."""
    excess = None
    if bound is not None and cost <= bound:
        excess = 0.0
    elif bound is not None and bound > 0:
        excess = cost / bound - 1
    return {"measure": measure, "cost": cost, "lower_bound": bound, "above_best_at_most": excess}


def in_words(figures: Mapping[str, Any]) -> tuple[str, ...]:
    """Say how near to optimal the cost is, where that says something."""
    excess = figures["above_best_at_most"]
    if excess is None or excess >= 1:
        return ()
    return (f"the loss by {figures['measure']} is within {100 * excess:.3g} % of optimal",)


def lower_bound(records: Records, clustering: Clustering, k: int, progress: Progress) -> float | None:
    """The least mean cost of a record in any release with classes of k rows, at least.

    The clustering is any one of the records, the better the faster. None if the cost is not monotone, the
    table too large, or time is up.
    """
    lookups = len(records) * len(clustering) * len(records.columns)
    if not records.monotone or lookups > _LOOKUPS_AT_MOST:
        return None
    hoods = _neighbourhoods(records, clustering)
    slices = [
        partial(_cost_of_slice, records, hoods, k, begin)
        for begin in range(0, len(records), _RECORDS_PER_SLICE)
    ]
    costs = in_threads(slices, progress, processors())
    if None in costs:
        return None
    return math.fsum(cost for cost in costs if cost is not None) / records.row_count


def _cost_of_slice(
    records: Records, hoods: Neighbourhoods, k: int, begin: int, progress: Progress
) -> float | None:
    """What the rows of some records cost at least together; None if time is up."""
    if progress.expired():
        return None
    end = min(begin + _RECORDS_PER_SLICE, len(records))
    distances = distances_to_k(records.trees, hoods, k, begin, end)
    return float(np.dot(distances, records.counts[begin:end]))


def _neighbourhoods(records: Records, clustering: Clustering) -> Neighbourhoods:
    pairs = np.stack((clustering.cluster_of_row, records.record_of_row), axis=1)
    entry_of_row, first_rows = group_rows(pairs)
    cluster, record = pairs[first_rows].T
    copies: Ints = np.bincount(entry_of_row, minlength=len(first_rows)).astype(np.int64)
    starts, entries = members(np.ascontiguousarray(cluster), len(clustering))
    home = np.empty(len(records), dtype=np.int64)
    home[record] = cluster
    return Neighbourhoods(
        vectors=records.nodes,
        closures=clustering.closures(records),
        starts=starts,
        members=record[entries],
        copies=copies[entries],
        home=home,
    )
