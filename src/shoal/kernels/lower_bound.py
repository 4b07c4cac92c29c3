"""How dear it is at least to hide each record among k: the union with its k-th nearest record."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import Few, Trees, UnionCosts, fill_union_costs, looked_up_cost


class Neighbourhoods(NamedTuple):
    """Distinct records in clusters: cluster c holds the records members[starts[c]:starts[c + 1]].

    copies[p] rows of record members[p] are in that cluster. Each record's vector is in `vectors`, each
    cluster's closure in `closures`, and home[r] is a cluster that holds record r.
    """

    vectors: Ints
    closures: Ints
    starts: Ints
    members: Ints
    copies: Ints
    home: Ints


@kernel(part=True)
def fill_floors(trees: Trees, vector: Ints, union_costs: UnionCosts, floors: Floats) -> None:
    """Write what the union with anything under each node costs at least, given the vector's costs.

    Whatever lies under a node that does not cover the vector's node has the same union with it as the node
    itself.
    """
    for j in range(len(vector)):
        for node in range(trees.starts[j], trees.starts[j + 1]):
            covers = union_costs.above[node] == node
            floors[node] = trees.cost[vector[j]] if covers else union_costs.costs[node]


@kernel(part=True)
def offer(few: Few, count: int, cost: float, copies: int) -> int:
    """Insert a cost with its copies in ascending order; returns the new count."""
    index = count
    while index > 0 and few.costs[index - 1] > cost:
        few.costs[index] = few.costs[index - 1]
        few.chosen[index] = few.chosen[index - 1]
        index -= 1
    few.costs[index] = cost
    few.chosen[index] = copies
    return count + 1


@kernel
def distances_to_k(trees: Trees, hoods: Neighbourhoods, k: int, begin: int, end: int) -> Floats:
    """For each record begin..end-1 the cost of the union with the k-th nearest row, itself being the first.

    There must be k rows. The cost must be monotone, or clusters would be passed over that hold nearer rows.
    """
    kth = np.empty(end - begin, dtype=np.float64)
    size = len(trees.cost)
    union_costs = UnionCosts(np.empty(size, dtype=np.float64), np.empty(size, dtype=np.int64))
    floors = np.empty(size, dtype=np.float64)
    few = Few(np.empty(k + 1, dtype=np.int64), np.empty(k + 1, dtype=np.float64))
    for record in range(begin, end):
        fill_union_costs(trees, hoods.vectors[record], union_costs)
        fill_floors(trees, hoods.vectors[record], union_costs, floors)
        count = total = 0
        for turn in range(-1, len(hoods.closures)):
            c = hoods.home[record] if turn == -1 else turn
            if turn == hoods.home[record]:
                continue
            if total >= k:
                floor = 0.0
                for node in hoods.closures[c]:
                    floor += floors[node]
                if floor >= few.costs[count - 1]:
                    continue
            for index in range(hoods.starts[c], hoods.starts[c + 1]):
                cost = looked_up_cost(union_costs, hoods.vectors[hoods.members[index]])
                if total >= k and cost >= few.costs[count - 1]:
                    continue
                count = offer(few, count, cost, min(k, hoods.copies[index]))
                total += min(k, hoods.copies[index])
                while total - few.chosen[count - 1] >= k:
                    count -= 1
                    total -= few.chosen[count]
        kth[record - begin] = few.costs[count - 1]
    return kth
