"""k^m-anonymity by generalization with plain sets and dictionaries: what each search is meant to do.

A tree is a list `above`: above[u] is the node over u, the root is its own. Transactions are sets of leaves. A
cut is a dictionary from leaf to node.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product


def path(above, node):
    """The node and all above it, the root last."""
    nodes = [node]
    while above[nodes[-1]] != nodes[-1]:
        nodes.append(above[nodes[-1]])
    return nodes


def leaves_below(above, leaves):
    """The leaves under every node that has any."""
    below = {}
    for leaf in leaves:
        for node in path(above, leaf):
            below.setdefault(node, set()).add(leaf)
    return below


def published(transactions, cut):
    return [{cut[leaf] for leaf in each} for each in transactions]


def supports(sets, size):
    """How many sets hold each itemset of the given size."""
    return Counter(itemset for each in sets for itemset in combinations(sorted(each), size))


def is_safe(sets, k, m):
    return all(count >= k for size in range(1, m + 1) for count in supports(sets, size).values())


def ncp(above, leaves, transactions, cut):
    below = leaves_below(above, leaves)
    costs = [
        Fraction(len(below[cut[leaf]]), len(leaves)) if len(below[cut[leaf]]) > 1 else Fraction(0)
        for each in transactions
        for leaf in each
    ]
    return sum(costs, Fraction(0)) / max(1, len(costs))


def raised(above, leaves, cut, nodes):
    """The cut moved up to the given nodes."""
    below = leaves_below(above, leaves)
    moved = dict(cut)
    # Wider nodes last; of two that cover the same leaves the upper one, which has the larger number.
    for node in sorted(nodes, key=lambda each: (len(below[each]), each)):
        moved |= dict.fromkeys(below[node], node)
    return moved


def replacements(above, leaves, cut, itemset):
    """Every cut that one gets by moving nodes of an itemset up, with the image of the itemset."""
    for choice in product(*(path(above, node) for node in itemset)):
        moved = raised(above, leaves, cut, choice)
        a_leaf = {node: next(leaf for leaf in leaves if cut[leaf] == node) for node in itemset}
        yield moved, tuple(sorted({moved[a_leaf[node]] for node in itemset}))


def mended(above, leaves, transactions, *, cut, itemset, k):
    """The cheapest cut in which the image of the itemset has at least k transactions."""
    below = leaves_below(above, leaves)
    ways = []
    for moved, image in replacements(above, leaves, cut, itemset):
        support = sum(set(image) <= each for each in published(transactions, moved))
        if support >= k:
            price = ncp(above, leaves, transactions, moved), sum(len(below[node]) for node in image), image
            ways.append((price, moved))
    return min(ways, key=lambda way: way[0])[1]


def apriori(above, leaves, transactions, k, m):
    """The cut after mending rare itemsets of sizes 1..m, each listing in lexicographic order."""
    cut = {leaf: leaf for leaf in leaves}
    for size in range(1, m + 1):
        while True:
            counts = supports(published(transactions, cut), size)
            rare = sorted(itemset for itemset, count in counts.items() if count < k)
            if not rare:
                break
            for itemset in rare:
                if set(itemset) <= set(cut.values()):
                    cut = mended(above, leaves, transactions, cut=cut, itemset=itemset, k=k)
    return cut


def all_cuts(above, leaves):
    """Every cut through the tree."""
    nodes = {node for leaf in leaves for node in path(above, leaf)}
    children = {node: [each for each in nodes if above[each] == node != each] for node in nodes}

    def cuts_below(node):
        yield {node}
        if children[node]:
            for choice in product(*(list(cuts_below(child)) for child in children[node])):
                yield set().union(*choice)

    root = next(node for node in nodes if above[node] == node)
    for nodes_of_cut in cuts_below(root):
        yield {leaf: next(node for node in path(above, leaf) if node in nodes_of_cut) for leaf in leaves}


def least_loss(above, leaves, transactions, k, m):
    """The smallest NCP of a safe cut; None if there is none."""
    losses = [
        ncp(above, leaves, transactions, cut)
        for cut in all_cuts(above, leaves)
        if is_safe(published(transactions, cut), k, m)
    ]
    return min(losses, default=None)


def expansions(above, leaves, cut):
    """Every cut with one inner node replaced by its children."""
    for node in set(cut.values()):
        if node in leaves:
            continue
        yield (
            node,
            {
                leaf: next(each for each in path(above, leaf) if above[each] == node) if top == node else top
                for leaf, top in cut.items()
            },
        )


def facts_hold(sets, leaves, k, m):
    """Whether everything that takes at most m facts to know fits no set or at least k."""
    items = sorted(set().union(*sets))
    facts = [(item, True, 1) for item in items] + [(item, False, leaves[item]) for item in items]
    for size in range(1, m + 1):
        for known in combinations(facts, size):
            if sum(weight for _, _, weight in known) <= m:
                support = sum(all((item in each) == there for item, there, _ in known) for each in sets)
                if 0 < support < k:
                    return False
    return True
