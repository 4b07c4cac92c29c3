"""HORPART, VERPART and REFINE over plain sets, as slow and as literal as they come.

A release is a list of parsed lines, as in a file. Records are frozensets; terms are compared as texts.
"""

from collections import Counter
from itertools import combinations


def disassociate(records, promise, limit, sensitive=(), l=1, *, settle=True, term_order="early"):
    """All clusters as nested dictionaries; `lines` makes a release of them."""
    k, m = promise
    clusters = horpart([r for r in records if r], set(sensitive), limit)
    if settle:
        clusters = settled(clusters, set(sensitive), k, limit)
    clusters = united(clusters, k, limit, sensitive, l)
    nodes = [verpart(cluster, k, m, sensitive) for cluster in clusters]
    return refine(nodes, k, m, sensitive, term_order)


def horpart(records, ignored, limit):
    """Clusters of fewer than `limit` records, in the order in which they are split off."""
    if len(records) < limit:
        return [records] if records else []
    counts = Counter(term for record in records for term in record if term not in ignored)
    if not counts:
        pieces = 1 + (len(records) - 1) // max(1, limit - 1)
        cuts = [len(records) * piece // pieces for piece in range(pieces + 1)]
        return [records[cuts[piece] : cuts[piece + 1]] for piece in range(pieces)]
    term = min(counts, key=lambda term: (-counts[term], term))
    having = [record for record in records if term in record]
    others = [record for record in records if term not in record]
    return horpart(having, ignored | {term}, limit) + horpart(others, ignored, limit)


def settled(clusters, ignored, k, limit, *, most_terms=10, clusters_per_pair=8):
    """One record after the other goes where most of its terms were held by k records and still are."""
    clusters = [list(cluster) for cluster in clusters]
    counts = [Counter(t for record in cluster for t in record - ignored) for cluster in clusters]
    covered = [{term: n for term, n in count.items() if n >= k} for count in counts]
    under = {}
    for number, terms in enumerate(covered):
        for pair in combinations(sorted(terms)[:most_terms], 2):
            if len(under.setdefault(pair, [])) < clusters_per_pair:
                under[pair].append(number)
    anywhere = set().union(*covered)
    placed = [(record, number) for number, cluster in enumerate(clusters) for record in cluster]
    sizes = [len(cluster) for cluster in clusters]
    for place, (record, own) in enumerate(placed):
        if sizes[own] <= k:
            continue
        looked_up = sorted((record - ignored) & anywhere)[:most_terms]
        candidates = [number for pair in combinations(looked_up, 2) for number in under.get(pair, [])]
        best, most = own, max(1, sum(covered[own].get(term, 0) >= k for term in record))
        for number in candidates:
            found = sum(covered[number].get(term, 0) >= k for term in record)
            if found > most and sizes[number] + 1 < limit:
                best, most = number, found
        for number, change in ((own, -1), (best, 1)):
            sizes[number] += change
            for term in record & covered[number].keys():
                covered[number][term] += change
        placed[place] = (record, best)
    return [[record for record, of in placed if of == number] for number in range(len(clusters))]


def united(clusters, k, limit, sensitive, l):
    """Clusters that fall short go to the one before, or to the next if that one is full without them."""
    made = [[]]
    for cluster in clusters:
        before = made[-1]
        full = before and suffices(before, k, sensitive, l)
        if full and (suffices(cluster, k, sensitive, l) or len(before) + len(cluster) >= limit):
            made.append([])
        made[-1] = made[-1] + cluster
    while len(made) > 1 and not suffices(made[-1], k, sensitive, l):
        last = made.pop()
        made[-1] = made[-1] + last
    return made


def suffices(cluster, k, sensitive, l):
    counts = [sum(term in record for record in cluster) for term in sensitive]
    return len(cluster) >= max(k, l) and all(count * l <= len(cluster) for count in counts)


def is_anonymous(projected, k, m):
    counts = Counter(
        combination
        for subrecord in projected
        for size in range(1, m + 1)
        for combination in combinations(sorted(subrecord), size)
    )
    return all(count >= k for count in counts.values())


def chunks_over(records, terms, k, m):
    """Terms by falling support, greedily into chunks that stay k^m-anonymous."""
    support = Counter(term for record in records for term in record)
    remaining = sorted(terms, key=lambda term: (-support[term], term))
    chunks = []
    while remaining:
        current = []
        for term in remaining:
            if is_anonymous([record & {*current, term} for record in records], k, m):
                current.append(term)
        chunks.append(current)
        remaining = [term for term in remaining if term not in current]
    return chunks


def projected(records, chunk):
    return [sorted(record & set(chunk)) for record in records if record & set(chunk)]


def has_enough(records, chunks, k, m):
    """Rule 2 for a cluster without a term chunk."""
    subrecords = sum(len(projected(records, chunk)) for chunk in chunks)
    return bool(chunks) and subrecords >= len(records) + k * (min(m, len(chunks)) - 1)


def verpart(records, k, m, sensitive=()):
    support = Counter(term for record in records for term in record)
    frequent = [term for term in support if support[term] >= k and term not in sensitive]
    chunks = chunks_over(records, frequent, k, m)
    terms = set(support) - set(frequent)
    while not terms and not has_enough(records, chunks, k, m):
        least = max((term for chunk in chunks for term in chunk), key=lambda term: (-support[term], term))
        chunks = [[term for term in chunk if term != least] for chunk in chunks]
        chunks = [chunk for chunk in chunks if chunk]
        terms.add(least)
    return {"records": records, "chunks": chunks, "terms": terms}


def simple_nodes(node):
    return [simple for child in node["children"] for simple in simple_nodes(child)] if joint(node) else [node]


def joint(node):
    return "children" in node


def records_of(node):
    return [record for simple in simple_nodes(node) for record in simple["records"]]


def virtual_terms(node, sensitive):
    return set().union(*(simple["terms"] for simple in simple_nodes(node))) - set(sensitive)


def used_terms(node):
    own = {term for chunk in node["chunks"] for term in chunk}
    return own.union(*map(used_terms, node.get("children", [])))


def depth(node):
    return 1 + max(map(depth, node["children"])) if joint(node) else 0


def join(one, other, k, m, sensitive):
    """The joint cluster of two, or None if it does not pay; takes the shared terms out of those below."""
    records = records_of(one) + records_of(other)
    support = Counter(term for record in records for term in record)
    simple = simple_nodes(one) + simple_nodes(other)
    shared, left = [], [set(node["terms"]) for node in simple]
    in_both = virtual_terms(one, sensitive) & virtual_terms(other, sensitive)
    for term in sorted(in_both, key=lambda term: (-support[term], term)):
        if support[term] < k or term in used_terms(one) | used_terms(other):
            continue
        if all(
            term not in terms or terms != {term} or has_enough(node["records"], node["chunks"], k, m)
            for node, terms in zip(simple, left, strict=True)
        ):
            shared.append(term)
            left = [terms - {term} for terms in left]
    concerned = [node for node in simple if node["terms"] & set(shared)]
    places = sum(len(node["terms"] & set(shared)) for node in simple)
    in_clusters = sum(len(node["records"]) for node in concerned)
    if not shared or sum(support[term] for term in shared) * in_clusters < places * len(records):
        return None
    for node in simple:
        node["terms"] -= set(shared)
    return {"children": [one, other], "chunks": chunks_over(records, shared, k, m)}


def ranked_terms(nodes, sensitive):
    """Terms in most (virtual) term chunks first."""
    frequency = Counter(term for node in nodes for term in virtual_terms(node, sensitive))
    letters = sorted(frequency, key=lambda term: (-frequency[term], term))
    return {term: place for place, term in enumerate(letters)}


def refine(nodes, k, m, sensitive=(), term_order="early", *, deepest=40):
    rank = ranked_terms(nodes, sensitive)
    while True:
        words = [sorted(rank[term] for term in virtual_terms(node, sensitive)) for node in nodes]
        nodes = [nodes[place] for place in sorted(range(len(nodes)), key=words.__getitem__)]
        kept, new, place = [], [], 0
        while place < len(nodes):
            pair = nodes[place : place + 2]
            made = None
            if len(pair) == 2 and max(map(depth, pair)) < deepest:
                made = join(*pair, k, m, sensitive)
            if made is None:
                kept.append(pair[0])
                place += 1
            else:
                new.append(made)
                place += 2
        nodes = kept + new
        if not new:
            return nodes
        if term_order == "renewed" or (term_order == "early" and 100 * len(new) >= len(nodes)):
            rank = ranked_terms(nodes, sensitive)


def line(node):
    """A node as a line of the file, everything in an order of its own."""
    chunks = [{"subrecords": sorted(projected(records_of(node), chunk))} for chunk in node["chunks"]]
    chunks.sort(key=str)
    if joint(node):
        children = sorted((line(child) for child in node["children"]), key=str)
        return {"size": len(records_of(node)), "shared": chunks, "children": children}
    return {"size": len(node["records"]), "chunks": chunks, "terms": sorted(node["terms"])}


def lines(nodes):
    return sorted((line(node) for node in nodes), key=str)


def in_own_order(cluster):
    """A parsed line in the order in which `line` writes."""
    key = "shared" if "children" in cluster else "chunks"
    chunks = [{"subrecords": sorted(sorted(row) for row in chunk["subrecords"])} for chunk in cluster[key]]
    chunks.sort(key=str)
    if "children" in cluster:
        children = sorted(map(in_own_order, cluster["children"]), key=str)
        return {"size": cluster["size"], "shared": chunks, "children": children}
    return {"size": cluster["size"], "chunks": chunks, "terms": sorted(cluster["terms"])}
