"""How many records of a disassociated release can hold some terms together."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints, Items, SetArrays
from shoal.kernels.compile import kernel

NO_LIMIT = 2**53


class TermPlaces(NamedTuple):
    """Where each term stands: places starts[t]..starts[t + 1] - 1 of term t, by rising simple cluster.

    A place is a simple cluster whose records can hold the term, the chunk that holds it there (-1 for the
    term chunk), and the subrecords rows[first:last] of that chunk with the term, ascending.
    """

    starts: Ints
    clusters: Ints
    chunks: Ints
    first: Ints
    last: Ints
    rows: Ints


class ClusterRoom(NamedTuple):
    """The clusters of a release, joint ones before those below them, and the cluster of each chunk.

    spare[c] is how many subrecords a simple cluster has beyond one for each record, NO_LIMIT where a term
    chunk can fill all its records.
    """

    sizes: Ints
    parents: Ints
    spare: Ints
    cluster_of_chunk: Ints


@kernel
def most_records(places: TermPlaces, room: ClusterRoom, itemsets: SetArrays) -> Ints:
    """For each set of terms the most records that hold all of them in any one original.

    In a simple cluster that is the smallest number of subrecords with a part of the set, or as many as leave
    something for every other record; a shared chunk bounds what the clusters below it hold together. Every
    record holds something of its own cluster. Reads only. O(places of the rarest term) per set, about.
    """
    count = len(itemsets.starts) - 1
    most = np.zeros(count, dtype=np.int64)
    held = np.zeros(len(room.sizes), dtype=np.int64)
    limit = np.full(len(room.sizes), NO_LIMIT, dtype=np.int64)
    reached = np.empty(len(room.sizes), dtype=np.int64)
    is_reached = np.zeros(len(room.sizes), dtype=np.bool_)
    for number in range(count):
        terms = itemsets.items[itemsets.starts[number] : itemsets.starts[number + 1]]
        at = np.empty(len(terms), dtype=np.int64)
        rarest = _rarest(places, terms)
        reached_count = 0
        for index in range(places.starts[terms[rarest]], places.starts[terms[rarest] + 1]):
            cluster = places.clusters[index]
            if not _find_places(places, terms, cluster, at):
                continue
            fit = _records_of_cluster(places, room, cluster, at, limit)
            if fit == 0:
                continue
            held[cluster] = fit
            above = cluster
            while above >= 0 and not is_reached[above]:
                is_reached[above] = True
                reached[reached_count] = above
                reached_count += 1
                above = room.parents[above]
        for cluster in np.sort(reached[:reached_count])[::-1]:
            fit = min(held[cluster], limit[cluster])
            if room.parents[cluster] < 0:
                most[number] += fit
            else:
                held[room.parents[cluster]] += fit
            held[cluster] = 0
            limit[cluster] = NO_LIMIT
            is_reached[cluster] = False
    return most


@kernel(part=True)
def _rarest(places: TermPlaces, terms: Items) -> int:
    rarest = 0
    for i in range(1, len(terms)):
        count = places.starts[terms[i] + 1] - places.starts[terms[i]]
        if count < places.starts[terms[rarest] + 1] - places.starts[terms[rarest]]:
            rarest = i
    return rarest


@kernel(part=True)
def _find_places(places: TermPlaces, terms: Items, cluster: int, at: Ints) -> bool:
    """Set at[i] to the place of term i in a cluster; False if one of the terms is not there."""
    for i in range(len(terms)):
        start, end = places.starts[terms[i]], places.starts[terms[i] + 1]
        at[i] = start + np.searchsorted(places.clusters[start:end], cluster)
        if at[i] == end or places.clusters[at[i]] != cluster:
            return False
    return True


@kernel(part=True)
def _records_of_cluster(places: TermPlaces, room: ClusterRoom, cluster: int, at: Ints, limit: Ints) -> int:
    """How many records of a simple cluster can hold the terms; sets the limits of shared chunks above."""
    fewest, parts = room.sizes[cluster], 0
    for i in range(len(at)):
        chunk = places.chunks[at[i]]
        if chunk < 0 or _stands_before(places, at, i):
            continue
        count = _subrecords_with(places, at, i)
        if count == 0:
            return 0
        owner = room.cluster_of_chunk[chunk]
        if owner == cluster:
            fewest = min(fewest, count)
            parts += 1
        else:
            limit[owner] = min(limit[owner], count)
    if parts > 1:
        fewest = min(fewest, max(room.spare[cluster], 0) // (parts - 1))
    return fewest


@kernel(part=True)
def _stands_before(places: TermPlaces, at: Ints, i: int) -> bool:
    """Whether an earlier term is in the same chunk."""
    found = False
    for j in range(i):
        found = found or places.chunks[at[j]] == places.chunks[at[i]]
    return found


@kernel(part=True)
def _subrecords_with(places: TermPlaces, at: Ints, i: int) -> int:
    """How many subrecords of the chunk of term i hold all terms that stand in it."""
    count = 0
    for row in places.rows[places.first[at[i]] : places.last[at[i]]]:
        holds = True
        for j in range(i + 1, len(at)):
            if places.chunks[at[j]] == places.chunks[at[i]]:
                others = places.rows[places.first[at[j]] : places.last[at[j]]]
                where = np.searchsorted(others, row)
                if where == len(others) or others[where] != row:
                    holds = False
                    break
        if holds:
            count += 1
    return count
