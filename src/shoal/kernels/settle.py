"""Records move to clusters in which more of their terms are frequent.

A term is covered by a cluster if at least k of its records hold it. Pairs of covered terms are looked up in a
table, so a record is held against a few clusters only.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.heap import sort_ascending

Words = NDArray[np.uint64]

CLUSTERS_PER_PAIR = 8
MOST_TERMS = 10
_EMPTY = -1
_BITS = 64
_PRIME, _MULTIPLIER, _LOW_BITS = 2**31 - 1, 2654435761, 16  # their product stays below 2**63


class Covered(NamedTuple):
    """Cluster c covers terms[starts[c]:starts[c + 1]], ascending; supports[i] records of it hold terms[i]."""

    starts: Ints
    terms: Ints
    supports: Ints


class PairTable(NamedTuple):
    """Open addressing: place h is for the pair keys[h], and clusters[h] are those that cover it.

    `filter` has one bit for each place: a pair whose bit is not set is not in the table. It is small enough
    to stay near the processor, which the table is not.
    """

    keys: Ints
    clusters: Ints
    filter: Words


class Index(NamedTuple):
    """What clusters cover, which terms any of them covers, and where to find those that cover a pair."""

    covered: Covered
    is_covered: Bools
    table: PairTable


class Bounds(NamedTuple):
    """A cluster keeps k records at least, and fewer than `limit`."""

    k: int
    limit: int


@kernel
def count_covered(sets: SetArrays, cluster_starts: Ints, term_count: int, k: int) -> tuple[Ints, int]:
    """Where the covered terms of each cluster begin, and how many pairs of them are looked up in all."""
    counts = np.zeros(term_count, dtype=np.int64)
    starts = np.zeros(len(cluster_starts), dtype=np.int64)
    pairs = 0
    for cluster in range(len(cluster_starts) - 1):
        first = sets.starts[cluster_starts[cluster]]
        last = sets.starts[cluster_starts[cluster + 1]]
        covered = 0
        for index in range(first, last):
            counts[sets.items[index]] += 1
            covered += counts[sets.items[index]] == k
        for index in range(first, last):
            counts[sets.items[index]] = 0
        starts[cluster + 1] = starts[cluster] + covered
        looked_up = min(covered, MOST_TERMS)
        pairs += looked_up * (looked_up - 1) // 2
    return starts, pairs


@kernel
def fill_covered(sets: SetArrays, cluster_starts: Ints, k: int, covered: Covered, is_covered: Bools) -> None:
    """List the covered terms of each cluster, and mark those that any cluster covers."""
    counts = np.zeros(len(is_covered), dtype=np.int64)
    for cluster in range(len(cluster_starts) - 1):
        first = sets.starts[cluster_starts[cluster]]
        last = sets.starts[cluster_starts[cluster + 1]]
        start = covered.starts[cluster]
        filled = int(np.int64(0))
        for index in range(first, last):
            term = sets.items[index]
            counts[term] += 1
            if counts[term] == k:
                covered.terms[start + filled] = term
                filled += 1
                is_covered[term] = True
        sort_ascending(covered.terms[start : start + filled], filled)
        for offset in range(filled):
            covered.supports[start + offset] = counts[covered.terms[start + offset]]
        for index in range(first, last):
            counts[sets.items[index]] = 0


@kernel
def fill_pair_table(covered: Covered, term_count: int, table: PairTable) -> None:
    """Enter each cluster under the pairs of its first covered terms, a few clusters for each pair."""
    for cluster in range(len(covered.starts) - 1):
        start = covered.starts[cluster]
        behind = min(start + MOST_TERMS, covered.starts[cluster + 1])
        for one in range(start, behind):
            for other in range(one + 1, behind):
                key = covered.terms[one] * term_count + covered.terms[other]
                index = _place_of(key, table.keys)
                table.keys[index] = key
                table.filter[index // _BITS] |= np.uint64(1) << np.uint64(index % _BITS)
                for slot in range(CLUSTERS_PER_PAIR):
                    if table.clusters[index, slot] == _EMPTY:
                        table.clusters[index, slot] = cluster
                        break


@kernel(part=True)
def _place_of(key: int, keys: Ints) -> int:
    """Where a key stands, or would; there is always an empty place."""
    index = _hashed(key, len(keys))
    while keys[index] != key and keys[index] != _EMPTY:
        index = (index + 1) % len(keys)
    return index


@kernel
def _hashed(key: int, size: int) -> int:
    """A place for a key; `size` is a power of two."""
    return ((key % _PRIME) * _MULTIPLIER >> _LOW_BITS) % size


@kernel
def settle(sets: SetArrays, cluster_of: Ints, index: Index, bounds: Bounds) -> None:
    """Move each row in turn to the cluster that covers most of its terms, if that is two or more.

    Of equals the first one found stays; the cluster where a row is comes first. Only clusters are looked at
    that cover a pair of the row's first terms. cluster_of is changed, and so are the supports of covered
    terms. O(rows * clusters looked at).
    """
    covered, is_covered, table = index
    term_count = len(is_covered)
    sizes = np.zeros(len(covered.starts) - 1, dtype=np.int64)
    for cluster in cluster_of:
        sizes[cluster] += 1
    row_with = np.full(term_count, _EMPTY, dtype=np.int64)
    seen_by = np.full(len(sizes), _EMPTY, dtype=np.int64)
    looked_up = np.empty(MOST_TERMS, dtype=np.int64)
    for row in range(len(cluster_of)):
        own = cluster_of[row]
        if sizes[own] <= bounds.k:
            continue
        looked_up_count = 0
        for place in range(sets.starts[row], sets.starts[row + 1]):
            term = sets.items[place]
            row_with[term] = row
            if looked_up_count < MOST_TERMS and is_covered[term]:
                looked_up[looked_up_count] = term
                looked_up_count += 1
        best, most = own, max(1, _covered_terms(covered, own, row, row_with, bounds.k))
        if most >= sets.starts[row + 1] - sets.starts[row]:
            continue
        seen_by[own] = row
        for one in range(looked_up_count):
            for other in range(one + 1, looked_up_count):
                place = _known_place(looked_up[one] * term_count + looked_up[other], table)
                if place == _EMPTY:
                    continue
                for cluster in table.clusters[place]:
                    if cluster == _EMPTY:
                        break
                    if seen_by[cluster] == row or sizes[cluster] + 1 >= bounds.limit:
                        continue
                    seen_by[cluster] = row
                    found = _covered_terms(covered, cluster, row, row_with, bounds.k)
                    if found > most:
                        best, most = cluster, found
        if best != own:
            _change_supports(covered, own, row, row_with, -1)
            _change_supports(covered, best, row, row_with, 1)
            sizes[own] -= 1
            sizes[best] += 1
            cluster_of[row] = best


@kernel(part=True)
def _known_place(key: int, table: PairTable) -> int:
    """Where a pair stands in the table, or _EMPTY."""
    index = _hashed(key, len(table.keys))
    while (table.filter[index // _BITS] >> np.uint64(index % _BITS)) & np.uint64(1):
        if table.keys[index] == key:
            return index
        index = (index + 1) % len(table.keys)
    return _EMPTY


@kernel
def _covered_terms(covered: Covered, cluster: int, row: int, row_with: Ints, k: int) -> int:
    """How many terms of a row a cluster covers now."""
    count = 0
    for index in range(covered.starts[cluster], covered.starts[cluster + 1]):
        count += row_with[covered.terms[index]] == row and covered.supports[index] >= k
    return count


@kernel
def _change_supports(covered: Covered, cluster: int, row: int, row_with: Ints, change: int) -> None:
    for index in range(covered.starts[cluster], covered.starts[cluster + 1]):
        if row_with[covered.terms[index]] == row:
            covered.supports[index] += change
