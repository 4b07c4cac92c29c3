"""Complete k-anonymity of sets with plain sets and dictionaries: what each search is meant to do.

Trees, leaves and transactions are those of `km`. A published set is a set of nodes, none above another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations

from tests.reference import km
from tests.reference.km_parts import gray_order


def cost(below, node):
    return len(below[node]) if len(below[node]) > 1 else 0


def child_towards(above, node, leaf):
    """The child of a node on the way to a leaf; None if the node is the leaf."""
    way = km.path(above, leaf)
    return way[way.index(node) - 1] if node != leaf else None


def children_held(above, below, node, items):
    return frozenset(child_towards(above, node, leaf) for leaf in items & below[node])


def saved(above, below, node, items):
    """What expanding a node saves one record."""
    return sum(
        cost(below, node) - cost(below, child_towards(above, node, leaf)) for leaf in items & below[node]
    )


def partition(above, leaves, transactions, k):
    """The set of nodes that each transaction is published as; an empty one as itself."""
    below = km.leaves_below(above, leaves)
    order = [row for row in gray_order(transactions, len(leaves)) if transactions[row]]
    root = above[-1]
    published = [frozenset()] * len(transactions)
    waiting = [(order, frozenset({root}), frozenset())] if order else []
    while waiting:
        rows, nodes, kept = waiting.pop()
        divided = divide(above, below, transactions, rows=rows, nodes=nodes, closed=kept, k=k)
        if divided is None:
            for row in rows:
                published[row] = nodes
        else:
            waiting += divided
    return published


def divide(above, below, transactions, *, rows, nodes, closed, k):
    """The parts that come of expanding the best node that can be expanded; None if none can."""
    gains = {
        node: sum(saved(above, below, node, transactions[row]) for row in rows)
        for node in nodes - closed
        if any(child_towards(above, node, leaf) is not None for leaf in below[node])
    }
    for node in sorted(gains, key=lambda each: (-gains[each], each)):
        parts = defaultdict(list)
        for row in rows:
            parts[children_held(above, below, node, transactions[row])].append(row)
        if len(parts) == 1:
            (children,) = parts
            return [(rows, nodes - {node} | children, closed)]
        pool = [row for row in rows for part in parts.values() if len(part) < k and row in part]
        spare = sum(len(part) - k for part in parts.values() if len(part) >= k)
        if len(pool) == len(rows) or (0 < len(pool) < k and len(pool) + spare < k):
            closed = closed | {node}
            continue
        lose_least = sorted(
            (saved(above, below, node, transactions[row]), rows.index(row), row) for row in rows
        )
        for _, _, row in lose_least:
            part = next(part for part in parts.values() if row in part)
            if 0 < len(pool) < k < len(part):
                part.remove(row)
                pool.append(row)
        survivors = [
            (part, nodes - {node} | children, frozenset())
            for children, part in parts.items()
            if len(part) >= k
        ]
        left_over = [(sorted(pool, key=rows.index), nodes, frozenset({node}))] if pool else []
        return survivors + left_over
    return None


def is_k_anonymous(published, k):
    return all(count >= k for count in Counter(map(frozenset, published)).values())


def is_truthful(above, leaves, items, nodes):
    """Whether every item lies under one node, and every node over an item."""
    below = km.leaves_below(above, leaves)
    return all(sum(leaf in below[node] for node in nodes) == 1 for leaf in items) and all(
        below[node] & items for node in nodes
    )


def ncp(above, leaves, transactions, published):
    below = km.leaves_below(above, leaves)
    costs = [
        Fraction(cost(below, node), len(leaves))
        for items, nodes in zip(transactions, published, strict=True)
        for leaf in items
        for node in nodes
        if leaf in below[node]
    ]
    return sum(costs, Fraction(0)) / max(1, len(costs))


def common_sets(above, left, right):
    """Every published set that two published sets can be generalized to."""
    candidates = {node for each in left | right for node in km.path(above, each)}
    for size in range(1, len(candidates) + 1):
        for nodes in combinations(sorted(candidates), size):
            above_each = [set(km.path(above, each)) & set(nodes) for each in left | right]
            held = [set.union(*(set(km.path(above, each)) for each in side)) for side in (left, right)]
            if all(len(some) == 1 for some in above_each) and set(nodes) <= held[0] & held[1]:
                yield frozenset(nodes)


def is_finer(above, fine, coarse):
    """Whether each node of one set lies under a node of the other, or is one."""
    return all(set(km.path(above, node)) & coarse for node in fine)
