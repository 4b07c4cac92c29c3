"""In which order a cluster looks for its partner."""

from __future__ import annotations

from enum import Enum

import numpy as np

from shoal.algorithms.mixed.joint_search.closeness import Closeness
from shoal.algorithms.mixed.joint_search.clusters import JointClusters
from shoal.kernels.arrays import Floats, Ints


class Order(Enum):
    """By single values, by items, or by the sum of the ranks in both orders."""

    VALUES = "r"
    ITEMS = "t"
    BOTH = "rt"


def ordered(
    order: Order, clusters: JointClusters, closeness: Closeness, seed: int, others: Ints
) -> tuple[Ints, Floats]:
    """The other clusters, best partner first, and what a record costs after a union with each.

    Equals are in the order of their numbers.
    """
    costs = clusters.union_costs(seed, others)
    if order is Order.VALUES:
        places = np.argsort(costs, kind="stable")
    elif order is Order.ITEMS:
        places = np.argsort(closeness.of_unions(seed, others), kind="stable")
    else:
        places = np.argsort(ranks(costs) + ranks(closeness.of_unions(seed, others)), kind="stable")
    return others[places], costs[places]


def ranks(figures: Floats) -> Ints:
    """The place of each figure in ascending order; of equals the first is ahead."""
    places: Ints = np.empty(len(figures), dtype=np.int64)
    places[np.argsort(figures, kind="stable")] = np.arange(len(figures))
    return places
