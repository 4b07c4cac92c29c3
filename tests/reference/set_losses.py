"""tKd, tKd-ML2, re and tlost as a person would work them out. Records are sets of labels."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

from tests.reference.disassociation import all_clusters, chunks_of
from tests.reference.frequent import top_itemsets


def tkd(records, published, top, sizes=range(100)):
    """The share of lost itemsets among those of the given sizes; None if there are none."""
    return _lost(top_itemsets(records, top), top_itemsets(published, top), sizes)


def tkd_ml2(parents, rank, records, published, top):
    """The same over all nodes of a tree but its root, where `rank` orders nodes."""
    return _lost(
        top_generalized(parents, rank, records, top),
        top_generalized(parents, rank, published, top),
        range(100),
    )


def _lost(original, published, sizes):
    wanted = [itemset for itemset in original if len(itemset) in sizes]
    found = [itemset for itemset in wanted if itemset in published]
    return 1 - Fraction(len(found), len(wanted)) if wanted else None


def path_up(parents, node):
    """The node and all above it but the root."""
    return [node, *path_up(parents, parents[node])] if node in parents else []


def top_generalized(parents, rank, records, top):
    supports = Counter()
    for record in records:
        nodes = sorted({upper for node in record for upper in path_up(parents, node)}, key=rank)
        for size in range(1, len(nodes) + 1):
            for itemset in combinations(nodes, size):
                if not any(
                    one in path_up(parents, other) for one in itemset for other in itemset if one != other
                ):
                    supports[itemset] += 1
    best = sorted(supports, key=lambda itemset: (-supports[itemset], [rank(node) for node in itemset]))
    return set(best[:top])


def ranked(records):
    supports = Counter(term for record in records for term in record)
    return sorted(supports, key=lambda term: (-supports[term], term))


def weight(parents, node, term):
    """How much a published node counts for a term: one n-th if it stands for n leaves."""
    if node != term and node not in path_up(parents, term) and node in parents:
        return Fraction(0)
    leaves = [leaf for leaf in parents if leaf not in parents.values()]
    below = [leaf for leaf in leaves if leaf == node or node in path_up(parents, leaf) or node not in parents]
    return Fraction(1, len(below))


def pair_support(parents, records, pair):
    return sum(
        max((weight(parents, node, pair[0]) for node in record), default=0)
        * max((weight(parents, node, pair[1]) for node in record), default=0)
        for record in records
    )


def relative_error(true, estimates):
    """Both by pair; pairs that are 0 on both sides are skipped, and None if all are."""
    errors = [
        abs(true[pair] - estimates[pair]) / Fraction(true[pair] + estimates[pair], 2)
        for pair in true
        if true[pair] + estimates[pair]
    ]
    return sum(errors) / len(errors) if errors else None


def certain_records(lines):
    """Subrecords of all chunks, and terms of term chunks by themselves."""
    clusters = [cluster for line in lines for cluster in all_clusters(line)]
    return [
        *(set(row) for cluster in clusters for chunk in chunks_of(cluster) for row in chunk),
        *({term} for cluster in clusters for term in cluster.get("terms", [])),
    ]


def tlost(records, lines, k):
    supports = Counter(term for record in records for term in record)
    frequent = {term for term in supports if supports[term] > k}
    clusters = [cluster for line in lines for cluster in all_clusters(line)]
    in_chunks = {
        term for cluster in clusters for chunk in chunks_of(cluster) for row in chunk for term in row
    }
    in_terms = {term for cluster in clusters for term in cluster.get("terms", [])}
    return Fraction(len(frequent & in_terms - in_chunks), len(frequent)) if frequent else Fraction(0)
