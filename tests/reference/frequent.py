"""Frequent itemsets by trying every subset of every record."""

from collections import Counter
from itertools import combinations


def frequent_itemsets(records, minimum_support, longest=None):
    """Itemset -> support, itemsets as sorted tuples in lexicographic order."""
    supports = Counter(
        itemset
        for record in records
        for size in range(1, min(len(record), longest or len(record)) + 1)
        for itemset in combinations(sorted(record), size)
    )
    return {
        itemset: supports[itemset] for itemset in sorted(supports) if supports[itemset] >= minimum_support
    }


def top_itemsets(records, most, longest=None):
    """The first `most` itemsets by support, then by itemset."""
    supports = frequent_itemsets(records, 1, longest)
    best = sorted(supports, key=lambda itemset: (-supports[itemset], itemset))[:most]
    return {itemset: supports[itemset] for itemset in best}
