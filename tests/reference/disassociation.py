"""The rules of disassociation over plain clusters, as the parsed lines of a file hold them."""

from itertools import combinations


def simple_clusters(cluster):
    if "children" not in cluster:
        return [cluster]
    return [simple for child in cluster["children"] for simple in simple_clusters(child)]


def all_clusters(cluster):
    return [cluster] + [below for child in cluster.get("children", []) for below in all_clusters(child)]


def chunks_of(cluster):
    """The chunks of a cluster itself, without its term chunk."""
    return [chunk["subrecords"] for chunk in cluster.get("chunks", cluster.get("shared", []))]


def terms_of(chunk):
    return {term for subrecord in chunk for term in subrecord}


def all_terms_of(cluster):
    """One set of terms for each chunk and term chunk of a cluster and of all below it."""
    return [
        terms
        for below in all_clusters(cluster)
        for terms in [*map(terms_of, chunks_of(below)), set(below.get("terms", []))]
    ]


def smallest_support(chunk, m):
    supports = {}
    for subrecord in chunk:
        for size in range(1, m + 1):
            for itemset in combinations(sorted(set(subrecord)), size):
                supports[itemset] = supports.get(itemset, 0) + 1
    return min(supports.values(), default=None)


def smallest(lines, m):
    clusters = [cluster for line in lines for cluster in all_clusters(line)]
    sizes = [cluster["size"] for cluster in clusters if "children" not in cluster]
    supports = [smallest_support(chunk, m) for cluster in clusters for chunk in chunks_of(cluster)]
    return min([*sizes, *(support for support in supports if support is not None)])


def broken_rules(lines, k, m, l=1, sensitive=()):
    """Which rules some cluster breaks."""
    return {
        rule
        for line in lines
        for cluster in all_clusters(line)
        for rule in _broken(cluster, k, m, l, sensitive)
    }


def _broken(cluster, k, m, l, sensitive):
    chunks, terms, size = chunks_of(cluster), cluster.get("terms", []), cluster["size"]
    simple = "children" not in cluster
    if not simple and size != sum(child["size"] for child in cluster["children"]):
        yield "sizes"
    if any(not subrecord for chunk in chunks for subrecord in chunk):
        yield "empty subrecords"
    if any(len(set(row)) < len(row) for chunk in [*chunks, [terms]] for row in chunk):
        yield "repeated terms"
    if any(len(chunk) > size for chunk in chunks):
        yield "rules 1 and 3"
    if any((smallest_support(chunk, m) or k) < k for chunk in chunks):
        yield "rules 1 and 3"
    for number, chunk in enumerate(chunks):
        elsewhere = [terms_of(other) for place, other in enumerate(chunks) if place != number]
        below = [held for child in cluster.get("children", []) for held in all_terms_of(child)]
        if any(terms_of(chunk) & held for held in [*elsewhere, *below, set(terms)]):
            yield "rules 1 and 3"
    if simple and not terms:
        subrecords = sum(map(len, chunks))
        if not chunks or subrecords < size + k * (min(m, len(chunks)) - 1):
            yield "rule 2"
    if simple and size < k:
        yield "rule 4"
    if simple and size < l:
        yield "size for l"
    if any(terms_of(chunk) & set(sensitive) for chunk in chunks):
        yield "sensitive terms"
