"""VERPART by the letter, and all originals of a cluster that it would publish in the same way."""

from itertools import combinations

from tests.reference.originals import originals_of_line, support


def verpart(records, k, m):
    """Chunks as sets of terms, in their order, and the term chunk."""
    terms = sorted({term for record in records for term in record})
    order = sorted(
        (term for term in terms if support(records, [term]) >= k),
        key=lambda term: (-support(records, [term]), term),
    )
    chunks = []
    for term in order:
        for chunk in chunks:
            if stays_frequent(records, [*chunk, term], k, m):
                chunk.append(term)
                break
        else:
            chunks.append([term])
    term_chunk = {term for term in terms if term not in order}
    if not term_chunk and not enough_subrecords(records, chunks, k, m):
        term_chunk = {order[-1]}
        chunks = [[term for term in chunk if term != order[-1]] for chunk in chunks]
    return [set(chunk) for chunk in chunks if chunk], term_chunk


def stays_frequent(records, terms, k, m):
    supports = [
        support(records, itemset) for size in range(1, m + 1) for itemset in combinations(terms, size)
    ]
    return not any(0 < found < k for found in supports)


def enough_subrecords(records, chunks, k, m):
    subrecords = sum(bool(record & set(chunk)) for chunk in chunks for record in records)
    return bool(chunks) and subrecords >= len(records) + k * (min(m, len(chunks)) - 1)


def published(records, k, m):
    """The cluster as it stands in a file."""
    chunks, terms = verpart(records, k, m)
    return {
        "size": len(records),
        "chunks": [
            {"subrecords": [sorted(record & chunk) for record in records if record & chunk]}
            for chunk in chunks
        ],
        "terms": sorted(terms),
    }


def covered_pairs(cluster, k, m):
    """Pairs of terms in different chunks that 1..k-1 records hold in every original with this publication."""
    chunks = [{term for row in chunk["subrecords"] for term in row} for chunk in cluster["chunks"]]
    holders = [*chunks, set(cluster["terms"])]
    pairs = {
        frozenset((one, other)) for left, right in combinations(holders, 2) for one in left for other in right
    }
    wanted = sorted(map(sorted, chunks)), set(cluster["terms"])
    seen = set()
    for records in originals_of_line(cluster, up_to_order=True):
        key = tuple(sorted(map(tuple, map(sorted, records))))
        if key in seen:
            continue
        seen.add(key)
        found_chunks, found_terms = verpart(records, k, m)
        if (sorted(map(sorted, found_chunks)), found_terms) == wanted:
            pairs = {pair for pair in pairs if 0 < support(records, pair) < k}
    return pairs
