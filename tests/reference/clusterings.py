"""Clusterings of records on trees by definition: closures, costs, the best of all, and slow searches.

A record is a tuple of nodes, one per column; parent[u] is the node above u, a root is its own parent, and
cost[u] is what a cell published as u costs.
"""


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
