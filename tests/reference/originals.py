"""All originals of a tiny disassociated publication, by trying every way to put it together.

A publication is a list of parsed lines. An original is a list of records, each a frozenset of terms; the
records of the first simple cluster come first.
"""

from itertools import combinations, permutations, product

from tests.reference.disassociation import all_clusters, chunks_of, simple_clusters, terms_of


def originals_of_line(line, *, up_to_order=False):
    """Every way to place subrecords and terms so that no record is empty.

    Up to order, the first chunk of each simple cluster stays in its first records: they are all alike.
    """
    start, ranges = 0, {}
    for cluster in all_clusters(line):
        ranges[id(cluster)] = range(start, start + cluster["size"])
        if "children" not in cluster:
            start += cluster["size"]
    choices = []
    for cluster in all_clusters(line):
        places = ranges[id(cluster)]
        first = 1 if up_to_order and "children" not in cluster else None
        for chunk in chunks_of(cluster):
            choices.append(_placed(chunk, places)[:first])
            first = None
        choices += [_placed_somewhere(term, places) for term in cluster.get("terms", [])]
    found = set()
    for choice in product(*choices):
        records = [set() for _ in range(line["size"])]
        for placed in choice:
            for place, terms in placed:
                records[place].update(terms)
        if all(records):
            found.add(tuple(frozenset(record) for record in records))
    return sorted(found, key=lambda records: [sorted(record) for record in records])


def _placed(chunk, places):
    return [list(zip(chosen, chunk, strict=True)) for chosen in permutations(places, len(chunk))]


def _placed_somewhere(term, places):
    """In one record, or in several."""
    return [
        [(place, [term]) for place in chosen]
        for count in range(1, len(places) + 1)
        for chosen in combinations(places, count)
    ]


def support(records, itemset):
    return sum(set(itemset) <= record for record in records)


def bounds(lines, itemset):
    """The smallest and the largest support in any original."""
    supports = [
        [support(records, itemset) for records in originals_of_line(line, up_to_order=True)] for line in lines
    ]
    return sum(map(min, supports)), sum(map(max, supports))


def certain_and_possible(lines, itemset):
    """The bounds of the specification: occurrences in chunks; per simple cluster the rarest part."""
    wanted, lower, upper = set(itemset), 0, 0
    for line in lines:
        for cluster in all_clusters(line):
            lower += sum(wanted <= set(row) for chunk in chunks_of(cluster) for row in chunk)
            lower += wanted == wanted & set(cluster.get("terms", [])) and len(wanted) == 1
        for simple in simple_clusters(line):
            above = [cluster for cluster in all_clusters(line) if _is_in(simple, cluster)]
            chunks = [chunk for cluster in above for chunk in chunks_of(cluster)]
            held = set().union(*map(terms_of, chunks), simple["terms"])
            if wanted <= held:
                parts = [
                    sum(wanted & terms_of(chunk) <= set(row) for row in chunk)
                    for chunk in chunks
                    if wanted & terms_of(chunk)
                ]
                upper += min([simple["size"], *parts])
    return lower, upper


def _is_in(simple, cluster):
    """Whether it is this very cluster or one below it; equal clusters may stand elsewhere."""
    return any(below is simple for below in all_clusters(cluster))


def expectation(lines, itemset):
    """Size times the product of the shares, per simple cluster."""
    wanted, total = set(itemset), 0
    for line in lines:
        for simple in simple_clusters(line):
            share, held = 1, set(simple["terms"])
            for cluster in all_clusters(line):
                if not _is_in(simple, cluster):
                    continue
                for chunk in chunks_of(cluster):
                    part = wanted & terms_of(chunk)
                    held |= terms_of(chunk)
                    if part:
                        share *= sum(part <= set(row) for row in chunk) / cluster["size"]
            if wanted <= held:
                total += simple["size"] * share / simple["size"] ** len(wanted & set(simple["terms"]))
    return total


def projects_back(lines, records):
    """Whether records, in the order of the simple clusters, give the publication when projected."""
    start = 0
    for line in lines:
        if not _fits(line, records[start : start + line["size"]], set()):
            return False
        start += line["size"]
    return start == len(records) and all(records)


def _fits(cluster, records, shared):
    """`shared` are the terms of shared chunks above, which records may hold, too."""
    for chunk in chunks_of(cluster):
        projected = [record & terms_of(chunk) for record in records]
        if sorted(map(sorted, filter(None, projected))) != sorted(map(sorted, chunk)):
            return False
    known = shared.union(*map(terms_of, chunks_of(cluster)), cluster.get("terms", []))
    if "children" not in cluster:
        return (
            len(records) == cluster["size"]
            and all(record <= known for record in records)
            and all(any(term in record for record in records) for term in cluster["terms"])
        )
    start = 0
    for child in cluster["children"]:
        if not _fits(child, records[start : start + child["size"]], known):
            return False
        start += child["size"]
    return start == len(records) == cluster["size"]
