"""DA and AA as the paper prints them: a count-tree of itemsets with all generalizations, walked in preorder.

Terrovitis, Mamoulis, Kalnis, VLDB Journal 20(1), 2011, algorithms 1, 3 and 4. Trees, transactions and cuts as
in `km`. Items are ordered by falling support, of equal ones the higher first; the root is left out, as the
paper says. Of several cheapest generalizations of an itemset the paper says nothing; here the one with fewer
leaves, then the smaller nodes. A list `trees` is told how many nodes each tree has.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

from tests.reference.km import leaves_below, ncp, path, raised


def apriori_by_count_tree(above, leaves, transactions, k, m, *, trees=None):
    """The cut of AA in the end."""
    cut = {leaf: leaf for leaf in leaves}
    return generalized(above, leaves, transactions, cut, k=k, m=m, inside=set(leaves), trees=trees)


def direct_by_count_tree(above, leaves, transactions, k, m, *, trees=None):
    """The cut of DA in the end, which looks at shorter sets, too."""
    cut = {leaf: leaf for leaf in leaves}
    sizes = range(1, m + 1)
    return _walked(above, leaves, transactions, cut=cut, k=k, sizes=sizes, inside=set(leaves), trees=trees)


def generalized(above, leaves, transactions, cut, *, k, m, inside, trees=None):
    """AA from a given cut, with nodes whose leaves are all inside; what these cannot mend is left."""
    for size in range(1, m + 1):
        cut = _walked(above, leaves, transactions, cut=cut, k=k, sizes=[size], inside=inside, trees=trees)
    return cut


def _walked(above, leaves, transactions, *, cut, k, sizes, inside, trees):
    below = leaves_below(above, leaves)
    extended = [
        {node for node in _extended(above, cut, items) if below[node] <= inside} for items in transactions
    ]
    frequency = Counter(node for items in extended for node in items)
    order = sorted(frequency, key=lambda node: (-frequency[node], len(path(above, node)), node))
    rank = {node: place for place, node in enumerate(order)}
    counts = Counter(
        itemset
        for items in extended
        for size in sizes
        for itemset in combinations(sorted(items, key=rank.get), size)
        if not any(one in path(above, other)[1:] for one in itemset for other in itemset)
    )
    if trees is not None:
        trees.append(len({itemset[:end] for itemset in counts for end in range(1, len(itemset) + 1)}))
    for itemset in sorted(counts, key=lambda nodes: [rank[node] for node in nodes]):
        # Paths with an item that is generalized by now are left.
        if counts[itemset] < k and not any(_is_generalized(above, leaves, cut, node) for node in itemset):
            cut = _merged(above, leaves, transactions, cut=cut, itemset=itemset, k=k, inside=inside)
    return cut


def _extended(above, cut, items):
    """A transaction with all generalizations, without the root and without what the cut generalizes."""
    return {node for leaf in items for node in path(above, cut[leaf]) if above[node] != node}


def _is_generalized(above, leaves, cut, node):
    return any(node in path(above, leaf) and cut[leaf] in path(above, node)[1:] for leaf in leaves)


def _merged(above, leaves, transactions, *, cut, itemset, k, inside):
    below = leaves_below(above, leaves)
    ways = []
    for choice in product(*(path(above, node) for node in itemset)):
        tops = {top for top in choice if not any(other in path(above, top)[1:] for other in choice)}
        support = sum(
            all(any(top in path(above, leaf) for leaf in items) for top in tops) for items in transactions
        )
        if support >= k and all(below[top] <= inside for top in tops):
            rules = [node for node in tops if node not in itemset]
            moved = raised(above, leaves, cut, rules)
            price = (
                ncp(above, leaves, transactions, moved),
                sum(len(below[node]) for node in tops),
                sorted(tops),
            )
            ways.append((price, moved))
    return min(ways, key=lambda way: way[0])[1] if ways else cut
