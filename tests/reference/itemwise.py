"""Occurrences go down the tree one node at a time, with everything counted anew for every question.

Trees, leaves and transactions are those of `km`. What is published is a dictionary from leaf to node for each
transaction. Transactions may be in groups that are counted apart.
"""

from __future__ import annotations

from itertools import combinations

from tests.reference import km


def descended(above, leaves, transactions, groups, *, k, m):
    """What each leaf of each transaction is published as, after one round through the tree."""
    below = km.leaves_below(above, leaves)
    root = above[-1]
    published = [dict.fromkeys(sorted(each), root) for each in transactions]
    order = _wide_and_frequent_first(below, transactions)
    for node in order:
        for lower in order:
            if below[lower] < below[node]:
                for row in _who_may_go(below, published, groups, nodes=(node, lower), k=k, m=m):
                    published[row] = _moved(below, published[row], node, lower)
    return published


def _wide_and_frequent_first(below, transactions):
    frequency = {node: sum(len(each & held) for each in transactions) for node, held in below.items()}
    occurring = [node for node in below if frequency[node]]
    return sorted(occurring, key=lambda node: (-len(below[node]), -frequency[node], node))


def _moved(below, published, node, lower):
    return {
        leaf: lower if label == node and leaf in below[lower] else label for leaf, label in published.items()
    }


def _who_may_go(below, published, groups, *, nodes, k, m):
    node, lower = nodes
    going = list(
        dict.fromkeys(
            row
            for leaf in sorted(below[lower])
            for row, each in enumerate(published)
            if each.get(leaf) == node
        )
    )
    changed = True
    while changed:
        changed = False
        for row in list(going):
            if _leaves_something_rare(below, published, groups, going, row, nodes=nodes, k=k, m=m):
                going.remove(row)
                changed = True
    return going


def _leaves_something_rare(below, published, groups, going, row, *, nodes, k, m):
    node, lower = nodes
    now = [set(each.values()) for each in published]
    then = [
        set(_moved(below, each, node, lower).values()) if number in going else now[number]
        for number, each in enumerate(published)
    ]
    mine = [number for number in range(len(published)) if groups[number] == groups[row]]
    for labels in _sets_with(lower, then[row], m):
        if sum(labels <= then[number] for number in mine) < k:
            return True
    if node in then[row]:
        return False
    return any(
        0 < sum(labels <= now[number] and node in then[number] for number in mine) < k
        for labels in _sets_with(node, now[row], m)
    )


def _sets_with(label, labels, m):
    others = sorted(labels - {label})
    return [{label, *some} for size in range(m) for some in combinations(others, size)]
