"""Clusters of rows, each published as the finest set that all its rows have in common, and merging them."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints, Items, SetArrays
from shoal.kernels.common_sets import (
    CostTree,
    TwoSets,
    add_to_left,
    common_set,
    loss_as,
    publish_as,
    published_set,
    room_for_two_sets,
)
from shoal.kernels.compile import kernel
from shoal.kernels.shares import ShareLimit, count_row, exceeds

_NONE = -1
_NEVER = 2**62


class RowClusters(NamedTuple):
    """Rows in clusters; the rows of cluster g are first[g], next[first[g]], and so on to -1.

    `cluster[r]`, `size[g]` and `loss[g]`, the loss of all occurrences in the cluster, are kept up to date,
    and so is `node[p]`, what the occurrence sets.items[p] is published as. Clusters may be empty. `two` is
    memory for one step.
    """

    sets: SetArrays
    tree: CostTree
    node: Items
    cluster: Ints
    first: Ints
    next: Ints
    size: Ints
    loss: Ints
    two: TwoSets


def row_clusters(sets: SetArrays, tree: CostTree, cluster: Ints) -> RowClusters:
    """The given clusters, numbered from 0; no row is empty."""
    row_count, cluster_count = len(sets.starts) - 1, int(cluster.max(initial=_NONE)) + 1
    clusters = RowClusters(
        sets=sets,
        tree=tree,
        node=np.empty(len(sets.items), dtype=np.int32),
        cluster=cluster.copy(),
        first=np.full(cluster_count, _NONE, dtype=np.int64),
        next=np.full(row_count, _NONE, dtype=np.int64),
        size=np.zeros(cluster_count, dtype=np.int64),
        loss=np.zeros(cluster_count, dtype=np.int64),
        two=room_for_two_sets(sets),
    )
    _fill(clusters)
    return clusters


@kernel
def _fill(clusters: RowClusters) -> None:
    for row in range(len(clusters.cluster) - 1, -1, -1):
        _link(clusters, row, clusters.cluster[row])
    for number in range(len(clusters.first)):
        if clusters.size[number] > 0:
            _publish(clusters, number)


@kernel
def merge_until_diverse(clusters: RowClusters, limit: ShareLimit, start: int, end: int) -> int:
    """Merge each cluster start..end-1 in which a sensitive item has too large a share; returns how many were.

    A cluster is merged with the cluster that makes it safe at least added loss, or if none does, with the one
    of least added loss, and so on. All rows together must be safe.
    """
    merged = 0
    for number in range(start, end):
        while clusters.size[number] > 0 and _unsafe(clusters, limit, number, _NONE):
            other = _best_partner(clusters, limit, number)
            _move_all(clusters, other, number)
            merged += 1
    return merged


@kernel
def merge_all(clusters: RowClusters) -> None:
    """Make one cluster of all rows."""
    for number in range(1, len(clusters.first)):
        clusters.first[number] = _NONE
        clusters.size[number] = 0
        clusters.loss[number] = 0
    clusters.first[0] = _NONE
    clusters.size[0] = 0
    for row in range(len(clusters.cluster)):
        _link(clusters, row, 0)
    _publish(clusters, 0)


@kernel(part=True)
def _best_partner(clusters: RowClusters, limit: ShareLimit, number: int) -> int:
    best, least, nearest, least_of_all = _NONE, _NEVER, _NONE, _NEVER
    for other in range(len(clusters.first)):
        if other == number or clusters.size[other] == 0:
            continue
        added = _added_by_merging(clusters, number, other, least)
        if added < least and not _unsafe(clusters, limit, number, other):
            best, least = other, added
        if added < least_of_all:
            nearest, least_of_all = other, added
    return best if best != _NONE else nearest


@kernel
def _unsafe(clusters: RowClusters, limit: ShareLimit, number: int, other: int) -> bool:
    """Whether a sensitive item has too large a share of one cluster, or of two together."""
    rows, distinct = 0, 0
    for cluster in (number, other):
        row = clusters.first[cluster] if cluster != _NONE else _NONE
        while row != _NONE:
            distinct = count_row(limit, row, distinct)
            rows += 1
            row = clusters.next[row]
    return exceeds(limit, rows, distinct)


@kernel(part=True)
def _added_by_merging(clusters: RowClusters, number: int, other: int, bound: int) -> int:
    """The loss that uniting two clusters adds; where it is no less than the bound only that is certain."""
    count = published_set(clusters.sets, clusters.first[number], clusters.node, clusters.two.left)
    other_count = published_set(clusters.sets, clusters.first[other], clusters.node, clusters.two.right)
    common_set(clusters.tree, clusters.two, count, other_count)
    added = _cluster_loss(clusters, number, clusters.two.common) - clusters.loss[number]
    if added < bound:
        added += _cluster_loss(clusters, other, clusters.two.common) - clusters.loss[other]
    return added


@kernel(part=True)
def _move_all(clusters: RowClusters, old: int, new: int) -> None:
    row = clusters.first[old]
    while row != _NONE:
        following = clusters.next[row]
        _link(clusters, row, new)
        row = following
    clusters.first[old] = _NONE
    clusters.size[old] = 0
    clusters.loss[old] = 0
    _publish(clusters, new)


@kernel
def _publish(clusters: RowClusters, number: int) -> None:
    """Publish the rows of a cluster as the finest set that they have in common."""
    _common_set_of(clusters, number)
    row = clusters.first[number]
    while row != _NONE:
        publish_as(clusters.tree, clusters.sets, row, clusters.two.left, clusters.node)
        row = clusters.next[row]
    clusters.loss[number] = _cluster_loss(clusters, number, clusters.two.left)


@kernel(part=True)
def _common_set_of(clusters: RowClusters, number: int) -> None:
    """Put the finest common set of a cluster's rows into `two.left`."""
    count, row = 0, clusters.first[number]
    while row != _NONE:
        start, own = clusters.sets.starts[row], clusters.sets.starts[row + 1] - clusters.sets.starts[row]
        for index in range(own):
            clusters.two.right[index] = clusters.sets.items[start + index]
        count = add_to_left(clusters.tree, clusters.two, count, own)
        row = clusters.next[row]


@kernel
def _cluster_loss(clusters: RowClusters, number: int, nodes: Ints) -> int:
    """What the rows of a cluster cost together when they are published as the given set."""
    loss, row = 0, clusters.first[number]
    while row != _NONE:
        loss += loss_as(clusters.tree, clusters.sets, row, nodes)
        row = clusters.next[row]
    return loss


@kernel
def _link(clusters: RowClusters, row: int, number: int) -> None:
    clusters.cluster[row] = number
    clusters.next[row] = clusters.first[number]
    clusters.first[number] = row
    clusters.size[number] += 1
