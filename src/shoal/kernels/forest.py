"""A forest over records: small components are linked to their nearest record, large ones are cut.

Vertices are distinct records; a record of which the table has several copies counts for as many. The size of
a component is the number of its copies.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import (
    NOTHING,
    Few,
    Pool,
    Trees,
    UnionCosts,
    fill_union_costs,
    nearest_few,
)


class ClusterForest(NamedTuple):
    """Rooted trees: parent[r] is NOTHING for a root, sizes[r] counts the copies in the subtree of r.

    `order` lists the records with parents before children.
    """

    parent: Ints
    sizes: Ints
    order: Ints


class Hubs(NamedTuple):
    """Where components that no edge divides fall apart: around one record of each.

    root[r] is the root of r's component and hub[root] its hub, the record whose removal leaves branches of
    fewer than k copies. branch[r] names the branch of r; that of the hub is the hub itself. The branch that
    leads to the root has the root's name, any other the name of the hub's child in it.
    """

    root: Ints
    hub: Ints
    branch: Ints


@kernel
def nearest_links(
    trees: Trees, pool: Pool, k: int, records: Ints, union_costs: UnionCosts
) -> tuple[Ints, Ints, Floats]:
    """Tails, heads and costs of the links from these records to their nearest ones.

    Each record of fewer than k copies gets links until it and their heads, or their heads alone, have k
    copies. So a component of fewer than k copies has among them its cheapest link to a record outside.
    All records are candidates of the pool. O(records * columns) per record.
    """
    few = Few(np.empty(k + 1, dtype=np.int64), np.empty(k + 1, dtype=np.float64))
    tails = np.empty(len(records) * k, dtype=np.int64)
    heads = np.empty(len(records) * k, dtype=np.int64)
    costs = np.empty(len(records) * k, dtype=np.float64)
    used = 0
    for record in records:
        if pool.copies[record] >= k:
            continue
        fill_union_costs(trees, pool.vectors[record], union_costs)
        for i in range(nearest_few(union_costs, pool, k, few)):
            if few.chosen[i] != record:
                tails[used] = record
                heads[used] = few.chosen[i]
                costs[used] = few.costs[i]
                used += 1
    return tails[:used].copy(), heads[:used].copy(), costs[:used].copy()


@kernel
def top(above: Ints, record: int) -> int:
    """The last record on the way up, which becomes shorter on the way."""
    while above[record] != record:
        above[record] = above[above[record]]
        record = above[record]
    return record


@kernel
def useful_links(tails: Ints, heads: Ints, copies: Ints, k: int) -> Ints:
    """The links, among some of ascending costs, that join a component of fewer than k copies to another one.

    Taken in this order, each is the cheapest that leaves the component of its tail: a cheaper one would have
    been taken before.
    """
    above = np.arange(len(copies))
    sizes = copies.copy()
    chosen = np.empty(len(copies), dtype=np.int64)
    count = 0
    for link in range(len(tails)):
        a, b = top(above, tails[link]), top(above, heads[link])
        if a != b and sizes[a] < k:
            above[a] = b
            sizes[b] += sizes[a]
            chosen[count] = link
            count += 1
    return chosen[:count].copy()


@kernel
def rooted(starts: Ints, neighbours: Ints, copies: Ints) -> ClusterForest:
    """The forest in which record r is linked to neighbours[starts[r]:starts[r + 1]]."""
    count = len(copies)
    parent = np.full(count, NOTHING, dtype=np.int64)
    order = np.empty(count, dtype=np.int64)
    seen = np.zeros(count, dtype=np.bool_)
    used = 0
    for root in range(count):
        if seen[root]:
            continue
        seen[root] = True
        order[used] = root
        visiting = used
        used += 1
        while visiting < used:
            record = order[visiting]
            visiting += 1
            for place in range(starts[record], starts[record + 1]):
                other = neighbours[place]
                if not seen[other]:
                    seen[other] = True
                    parent[other] = record
                    order[used] = other
                    used += 1
    sizes = copies.copy()
    for place in range(count - 1, -1, -1):
        record = order[place]
        if parent[record] != NOTHING:
            sizes[parent[record]] += sizes[record]
    return ClusterForest(parent, sizes, order)


@kernel
def cut(forest: ClusterForest, tails: Ints, heads: Ints, k: int) -> None:
    """Remove each link that has k copies on both sides, the last ones first. O(depth) per link.

    Afterwards no link has k copies on both sides, as components only shrink.
    """
    parent, sizes = forest.parent, forest.sizes
    for link in range(len(tails) - 1, -1, -1):
        child = tails[link] if parent[tails[link]] == heads[link] else heads[link]
        if sizes[child] < k:
            continue
        root = parent[child]
        while parent[root] != NOTHING:
            root = parent[root]
        if sizes[root] - sizes[child] < k:
            continue
        record = parent[child]
        while record != NOTHING:
            sizes[record] -= sizes[child]
            record = parent[record]
        parent[child] = NOTHING


@kernel
def hubs_of(forest: ClusterForest, k: int) -> Hubs:
    """Find the hub and the branches of each component; no link may have k copies on both sides.

    So records whose subtree has k copies are on one way down from the root, and the last one is the hub. The
    hub of a component of fewer than k copies is its root.
    """
    parent, sizes, order = forest
    root = np.empty(len(parent), dtype=np.int64)
    hub = np.empty(len(parent), dtype=np.int64)
    branch = np.empty(len(parent), dtype=np.int64)
    for record in order:
        root[record] = record if parent[record] == NOTHING else root[parent[record]]
        if parent[record] == NOTHING or sizes[record] >= k:
            hub[root[record]] = record
    for record in order:
        if record == hub[root[record]] or parent[record] == NOTHING or parent[record] == hub[root[record]]:
            branch[record] = record
        else:
            branch[record] = branch[parent[record]]
    return Hubs(root, hub, branch)


@kernel
def divide(starts: Ints, branch_sizes: Ints, hub_copies: Ints, k: int) -> tuple[Ints, Ints]:
    """Divide components around their hubs into parts of at least k copies, numbered from 0.

    Component c has the branches starts[c]..starts[c + 1] - 1, in descending order of their sizes, which are
    below k, and hub_copies[c] copies of its hub, 1 or more. Returns the part of each branch and that of each
    copy of a hub, component by component. Branches are gathered until they have k copies; copies of the hub
    complete the last part, and one completes a branch of k - 1 where the rest would otherwise be too small.
    No part has more than max(2k - 1, 3k - 5) copies, unless it is of a hub's only.
    """
    most = max(2 * k - 1, 3 * k - 5)
    part_of_branch = np.empty(len(branch_sizes), dtype=np.int64)
    part_of_copy = np.empty(hub_copies.sum(), dtype=np.int64)
    part = copy = 0
    for c in range(len(hub_copies)):
        branch, end = starts[c], starts[c + 1]
        last_copy = copy + hub_copies[c]
        left = hub_copies[c] + branch_sizes[branch:end].sum()
        while left > most and branch < end:
            wanted = k
            if branch_sizes[branch] == k - 1 and left < 3 * k - 2:
                wanted = k - 1
            size = 0
            while size < wanted and branch < end:
                size += branch_sizes[branch]
                part_of_branch[branch] = part
                branch += 1
            for _ in range(size, k):
                part_of_copy[copy] = part
                copy += 1
            left -= max(size, k)
            part += 1
        part_of_branch[branch:end] = part
        part_of_copy[copy:last_copy] = part
        copy = last_copy
        part += 1
    return part_of_branch, part_of_copy
