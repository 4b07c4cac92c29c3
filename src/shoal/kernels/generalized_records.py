"""Generalized records as vectors of nodes: their unions, their costs, and the nearest of many.

The trees of all columns stand one behind the other, so a node's number tells its column. A generalized
record, or the closure of several records, is a vector of one node per column; its cost is the sum of the
costs of its nodes. The union of two vectors has in each column the lowest node above both.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.compile import kernel

NOTHING = -1


class Trees(NamedTuple):
    """The trees of all columns: column j has the nodes starts[j]..starts[j + 1] - 1.

    Node u covers the leaves first_leaf[u]..last_leaf[u], which are counted in its own column; its parent has
    a larger number, and a root is its own parent. cost[u] is what a cell published as u costs, times the
    weight of its column. unions[union_rows[u] + v] is the lowest node above u and v, two nodes of one column;
    union_rows[u] is NO_TABLE for columns that are too large for a table.
    """

    starts: Ints
    parent: Ints
    first_leaf: Ints
    last_leaf: Ints
    cost: Floats
    unions: Ints
    union_rows: Ints


NO_TABLE = -(2**62)


class UnionCosts(NamedTuple):
    """What it costs to unite with one vector: costs[u] if the other vector has node u in u's column.

    Filled by `fill_union_costs`; then the cost of the union with any vector is a sum of look-ups. `above` is
    room for the nodes that these are the costs of.
    """

    costs: Floats
    above: Ints


class Pool(NamedTuple):
    """Candidates for a union: candidate i is the vector vectors[candidates[i]].

    Vector v counts for copies[v], which is 1 or more.
    """

    vectors: Ints
    candidates: Ints
    copies: Ints


class Few(NamedTuple):
    """Room for some rows of a pool's vectors and what it costs to unite with them."""

    chosen: Ints
    costs: Floats


@kernel
def climbed(trees: Trees, u: int, v: int) -> int:
    """The lowest node above two nodes of one column, by climbing. O(height)."""
    node = max(u, v)  # the other one cannot lie above it: parents have larger numbers
    other = min(u, v)
    first, last = trees.first_leaf[other], trees.last_leaf[other]
    while trees.first_leaf[node] > first or trees.last_leaf[node] < last:
        node = trees.parent[node]
    return node


@kernel
def united(trees: Trees, u: int, v: int) -> int:
    """The lowest node above two nodes of one column."""
    row = trees.union_rows[u]
    return climbed(trees, u, v) if row == NO_TABLE else trees.unions[row + v]


@kernel
def fill_table(trees: Trees, begin: int, end: int, unions: Ints) -> None:
    """Write the unions of all pairs of the nodes begin..end-1, row by row."""
    index = 0
    for u in range(begin, end):
        for v in range(begin, end):
            unions[index] = climbed(trees, u, v)
            index += 1


@kernel
def vector_cost(trees: Trees, vector: Ints) -> float:
    """What a record published as this vector costs."""
    cost = 0.0
    for node in vector:
        cost += trees.cost[node]
    return cost


@kernel
def vector_costs(trees: Trees, vectors: Ints) -> Floats:
    """The cost of each vector."""
    costs = np.empty(len(vectors), dtype=np.float64)
    for i in range(len(vectors)):
        costs[i] = vector_cost(trees, vectors[i])
    return costs


@kernel
def copy_into(into: Ints, vector: Ints) -> None:
    """Write a vector over another one; what Numba does for an assignment takes seconds to compile."""
    for j in range(len(into)):
        into[j] = vector[j]


@kernel
def unite(trees: Trees, into: Ints, vector: Ints) -> None:
    """Replace a vector by its union with another one."""
    for j in range(len(into)):
        into[j] = united(trees, into[j], vector[j])


@kernel
def union_cost(trees: Trees, a: Ints, b: Ints) -> float:
    """The cost of the union of two vectors."""
    cost = 0.0
    for j in range(len(a)):
        cost += trees.cost[united(trees, a[j], b[j])]
    return cost


@kernel
def closures(trees: Trees, vectors: Ints, starts: Ints, members: Ints) -> Ints:
    """The union of the vectors of each group: group g holds members[starts[g]:starts[g + 1]], one or more."""
    unions = np.empty((len(starts) - 1, vectors.shape[1]), dtype=np.int64)
    for g in range(len(unions)):
        copy_into(unions[g], vectors[members[starts[g]]])
        for index in range(starts[g] + 1, starts[g + 1]):
            unite(trees, unions[g], vectors[members[index]])
    return unions


@kernel
def fill_union_costs(trees: Trees, vector: Ints, union_costs: UnionCosts) -> None:
    """Write the cost of the union of each node with the vector's node in the same column. O(nodes)."""
    for j in range(len(vector)):
        mine = vector[j]
        first, last = trees.first_leaf[mine], trees.last_leaf[mine]
        for node in range(trees.starts[j + 1] - 1, trees.starts[j] - 1, -1):  # parents before their children
            covers = node >= mine and trees.first_leaf[node] <= first and trees.last_leaf[node] >= last
            union_costs.above[node] = node if covers else union_costs.above[trees.parent[node]]
            union_costs.costs[node] = trees.cost[union_costs.above[node]]


@kernel
def looked_up_cost(union_costs: UnionCosts, vector: Ints) -> float:
    """The cost of the union with a vector."""
    cost = 0.0
    for node in vector:
        cost += union_costs.costs[node]
    return cost


@kernel(part=True)
def nearest(union_costs: UnionCosts, vectors: Ints, candidates: Ints) -> tuple[int, float]:
    """The place among the candidates, and the cost, of the vector whose union by these costs is cheapest.

    The first one of equals; NOTHING without candidates. candidates[i] is a row of `vectors`. Reads only.
    """
    best, least = NOTHING, np.inf
    for index in range(len(candidates)):
        cost = looked_up_cost(union_costs, vectors[candidates[index]])
        if cost < least:
            best, least = index, cost
    return best, least


@kernel(part=True)
def furthest(union_costs: UnionCosts, vectors: Ints, candidates: Ints) -> tuple[int, float]:
    """As `nearest`, of the vector whose union is dearest."""
    best, most = NOTHING, -np.inf
    for index in range(len(candidates)):
        cost = looked_up_cost(union_costs, vectors[candidates[index]])
        if cost > most:
            best, most = index, cost
    return best, most


@kernel
def nearest_few(union_costs: UnionCosts, pool: Pool, wanted: int, few: Few) -> int:
    """Write the vectors of least union by these costs until they have `wanted` copies in all.

    They come in ascending order of costs, earlier candidates before later ones of the same cost; `few` has
    room for wanted + 1. Returns how many they are: all candidates if these have fewer copies.
    """
    chosen, costs, copies = few.chosen, few.costs, pool.copies
    count = total = 0
    for candidate in pool.candidates:
        cost = looked_up_cost(union_costs, pool.vectors[candidate])
        if total >= wanted and cost >= costs[count - 1]:
            continue
        index = count
        while index > 0 and costs[index - 1] > cost:
            costs[index] = costs[index - 1]
            chosen[index] = chosen[index - 1]
            index -= 1
        costs[index] = cost
        chosen[index] = candidate
        count += 1
        total += copies[candidate]
        while total - copies[chosen[count - 1]] >= wanted:
            count -= 1
            total -= copies[chosen[count]]
    return count
