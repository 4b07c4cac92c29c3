"""ML2 and dML2 as a person would work them out, label by label.

A tree is a dict child -> parent. A record is a list of (item, published): the label of the item itself or of
a node above it, or None if it was suppressed.
"""

from fractions import Fraction
from math import ceil

from tests.reference.frequent import frequent_itemsets


def path_from_root(parents, node):
    return [*path_from_root(parents, parents[node]), node] if node in parents else [node]


def at_level(parents, node, level):
    """The ancestor at that depth; a leaf that is no deeper stays itself, and another node cannot tell."""
    path = path_from_root(parents, node)
    if level < len(path):
        return path[level]
    return node if node not in parents.values() else None


def sets_at_level(parents, sets, level):
    return [{at_level(parents, node, level) for node in nodes} - {None} for nodes in sets]


def itemsets_by_level(parents, sets, minimum_support, longest):
    height = max(len(path_from_root(parents, node)) for node in parents) - 1
    return [
        {
            frozenset(found)
            for found in frequent_itemsets(sets_at_level(parents, sets, level), minimum_support, longest)
        }
        for level in range(height + 1)
    ]


def mining_loss(parents, records, share, longest=None):
    """(ML2, dML2)."""
    minimum_support = max(1, ceil(share * len(records)))
    originals = [[item for item, _ in record] for record in records]
    publications = [[node for _, node in record if node is not None] for record in records]
    original = itemsets_by_level(parents, originals, minimum_support, longest)
    published = itemsets_by_level(parents, publications, minimum_support, longest)
    climbs = [
        climb(parents, itemset, level, published)
        for level, itemsets in enumerate(original)
        for itemset in itemsets
        if itemset not in published[level]
    ]
    total = sum(map(len, original))
    ml2 = 1 - Fraction(sum(map(len, published)), total) if total else Fraction(0)
    return ml2, Fraction(sum(climbs), len(climbs)) if climbs else None


def climb(parents, itemset, level, published):
    """Levels to go up; one above the root if even the root is not found."""
    for upper in range(level, -1, -1):
        if frozenset(at_level(parents, item, upper) for item in itemset) in published[upper]:
            return level - upper
    return level + 1
