"""Clusterings of records on trees by definition: closures, costs, the best of all, and slow searches.

A record is a tuple of nodes, one per column; parent[u] is the node above u, a root is its own parent, and
cost[u] is what a cell published as u costs.
"""

from math import log2


def way_up(parent, node):
    way = [node]
    while parent[way[-1]] != way[-1]:
        way.append(parent[way[-1]])
    return way


def closure(parent, records):
    """In each column the lowest node above all records."""
    first, *others = records
    return tuple(
        next(node for node in way_up(parent, cell) if all(node in way_up(parent, o[j]) for o in others))
        for j, cell in enumerate(first)
    )


def cost_of(parent, cost, records):
    """What one record of a cluster costs."""
    return sum(cost[node] for node in closure(parent, records))


def partitions(items, least):
    """All ways to divide items into sets of at least that many."""
    if not items:
        yield []
        return
    first, *rest = items
    for mask in range(2 ** len(rest)):
        block = [first, *(item for i, item in enumerate(rest) if mask >> i & 1)]
        if len(block) >= least:
            others = [item for i, item in enumerate(rest) if not mask >> i & 1]
            for more in partitions(others, least):
                yield [block, *more]


def least_cost(parent, cost, rows, k):
    """The sum of costs over all rows in the best clustering of which every cluster has k rows."""
    return min(
        sum(len(block) * cost_of(parent, cost, [rows[i] for i in block]) for block in blocks)
        for blocks in partitions(list(range(len(rows))), k)
    )


def cheapest_links(distances, copies, k):
    """Join the component of fewer than k copies and the record outside it that are nearest, again and again.

    Returns the pairs of records that were linked; of equal distances the first pair.
    """
    component = {record: {record} for record in range(len(copies))}
    links = []
    while True:
        leaving = [
            (distances[a][b], a, b)
            for a in component
            if sum(copies[r] for r in component[a]) < k
            for b in component
            if b not in component[a]
        ]
        if not leaving:
            return links
        _, a, b = min(leaving)
        links.append((a, b))
        union = component[a] | component[b]
        component.update(dict.fromkeys(union, union))


def component_of(record, links):
    """The records that can be reached by links."""
    reached, before = {record}, set()
    while reached != before:
        before = reached
        reached = before | {end for link in links if set(link) & before for end in link}
    return reached


DISTANCES = {
    "growth": lambda union, m, a, n, b: (m + n) * union - m * a - n * b,
    "excess": lambda union, _m, a, _n, b: union - a - b,
    "scaled": lambda union, m, a, n, b: (union - a - b) / log2(m + n),
    "ratio": lambda union, _m, a, _n, b: union / (a + b + 0.1),
}


def rows_in(cluster):
    return sum(copies for _, copies in cluster)


class Agglomeration:
    """Clusters are lists of pairs of a record and its copies; older clusters come before younger ones."""

    def __init__(self, parent, cost, distance, k, shrinks):
        self.parent, self.cost, self.k, self.shrinks = parent, cost, k, shrinks
        self.distance = DISTANCES[distance]

    def cost_of(self, cluster):
        return cost_of(self.parent, self.cost, [record for record, _ in cluster])

    def apart(self, a, b):
        costs = self.cost_of(a), self.cost_of(b)
        return self.distance(self.cost_of(a + b), rows_in(a), costs[0], rows_in(b), costs[1])

    def shrunk(self, cluster):
        """What remains of a ripe cluster, and what it expelled, in this order."""
        expelled = []
        while self.shrinks and (excess := rows_in(cluster) - self.k) > 0:
            choices = []
            for i, (record, copies) in enumerate(cluster):
                leaving = min(excess, copies)
                stay = [*cluster[:i], (record, copies - leaving), *cluster[i + 1 :]]
                stay = [(r, c) for r, c in stay if c]
                choices.append((self.apart(stay, [(record, leaving)]), -i, stay, [(record, leaving)]))
            _, _, cluster, gone = max(choices)
            expelled.append(gone)
        return cluster, expelled

    def clusters(self, copies):
        """Clusters of k rows or more, given the copies of each record in the order of records."""
        ripe = [[pair] for pair in copies.items() if pair[1] >= self.k]
        unripe = [[pair] for pair in copies.items() if pair[1] < self.k]
        while len(unripe) > 1:
            places = [(i, j) for i in range(len(unripe)) for j in range(i + 1, len(unripe))]
            _, i, j = min((self.apart(unripe[i], unripe[j]), i, j) for i, j in places)
            union = unripe[i] + unripe[j]
            unripe = [cluster for place, cluster in enumerate(unripe) if place not in (i, j)]
            if rows_in(union) < self.k:
                unripe.append(union)
            else:
                union, expelled = self.shrunk(union)
                ripe.append(union)
                unripe += expelled
        left = sorted(pair for cluster in unripe for pair in cluster)
        for record in (record for record, count in left for _ in range(count)):
            self.add_where_least(ripe, record)
        return ripe

    def add_where_least(self, clusters, record):
        def added(cluster):
            size = rows_in(cluster)
            return (size + 1) * self.cost_of([*cluster, (record, 1)]) - size * self.cost_of(cluster)

        min(clusters, key=added).append((record, 1))


def moved_in_turn(parent, cost, copies, cluster_of, order):
    """Move each record of `order` with its copies to the cluster where the sum of costs falls most.

    copies[r] is the number of rows of record r, cluster_of[r] its cluster; returns the clusters afterwards.
    """
    cluster_of = dict(cluster_of)

    def total(members):
        return sum(copies[r] for r in members) * cost_of(parent, cost, members) if members else 0

    for record in order:
        home = cluster_of[record]
        stay = [r for r in cluster_of if cluster_of[r] == home and r != record]
        saved = total([*stay, record]) - total(stay)
        others = {c: [r for r in cluster_of if cluster_of[r] == c] for c in set(cluster_of.values()) - {home}}
        added = [(total([*members, record]) - total(members), c) for c, members in others.items()]
        if added and min(added)[0] < saved - 1e-9:
            cluster_of[record] = min(added)[1]
    return cluster_of
