"""The promise of disassociation itself, by brute force over all originals of a tiny publication.

Every way to put the subrecords of a line together is built up chunk by chunk. Records of a simple cluster are
interchangeable, so states that differ in their order only are one. The terms of a term chunk stand in all
records of their cluster at once: that is one of the originals, and every other one supports less.
"""

from itertools import combinations, permutations

from tests.reference.disassociation import all_clusters, all_terms_of, chunks_of, simple_clusters

MOST_RECORDS = 7


def terms_overlap(line):
    """Whether a term stands in two chunks that one record can be cut into, or twice in a row."""
    rows = [row for below in all_clusters(line) for chunk in chunks_of(below) for row in chunk]
    rows += [below.get("terms", []) for below in all_clusters(line)]
    if any(len(set(row)) < len(row) for row in rows):
        return True
    for cluster in all_clusters(line):
        held = [set().union(*chunk) for chunk in chunks_of(cluster)] + [set(cluster.get("terms", []))]
        below = [terms for child in cluster.get("children", []) for terms in all_terms_of(child)]
        pairs = [*combinations(held, 2), *((terms, other) for terms in held for other in below)]
        if any(one & other for one, other in pairs):
            return True
    return False


def states_of(line):
    """All originals of a line: a tuple of records for each simple cluster."""
    clusters, ranges = simple_clusters(line), {}

    def number(cluster, first):
        last = first + 1
        if "children" in cluster:
            last = first
            for child in cluster["children"]:
                last = number(child, last)
        ranges[id(cluster)] = (first, last)
        return last

    number(line, 0)
    states = {tuple((frozenset(),) * cluster["size"] for cluster in clusters)}
    for cluster in all_clusters(line):
        for chunk in chunks_of(cluster):
            states = {after for state in states for after in _placed(chunk, state, *ranges[id(cluster)])}
    filled = set()
    for state in states:
        records = [
            tuple(record | set(cluster["terms"]) for record in part)
            for cluster, part in zip(clusters, state, strict=True)
        ]
        if all(record for part in records for record in part):
            filled.add(tuple(records))
    return filled


def _placed(chunk, state, first, last):
    places = [(part, place) for part in range(first, last) for place in range(len(state[part]))]
    if len(chunk) > len(places):
        return
    rows = [tuple(sorted(row)) for row in chunk] + [()] * (len(places) - len(chunk))
    for placing in set(permutations(sorted(rows))):
        parts = [list(part) for part in state]
        for (part, place), row in zip(places, placing, strict=True):
            parts[part][place] = parts[part][place] | frozenset(row)
        yield tuple(tuple(sorted(part, key=sorted)) for part in parts)


def largest_supports(line, m):
    """The largest support of each itemset of up to m terms in any original of a line."""
    largest = {}
    for state in states_of(line):
        supports = {}
        for part in state:
            for record in part:
                for size in range(1, m + 1):
                    for itemset in combinations(sorted(record), size):
                        supports[itemset] = supports.get(itemset, 0) + 1
        for itemset, support in supports.items():
            largest[itemset] = max(largest.get(itemset, 0), support)
    return largest


def unprotected(lines, k, m):
    """Itemsets of up to m terms that occur in some original, but in k records of none."""
    totals = {}
    for line in lines:
        for itemset, support in largest_supports(line, m).items():
            totals[itemset] = totals.get(itemset, 0) + support
    return {itemset: support for itemset, support in totals.items() if support < k}


def is_tiny(lines):
    return all(sum(cluster["size"] for cluster in simple_clusters(line)) <= MOST_RECORDS for line in lines)
