"""Uniting clusters until each may be published: what clusters hold, and which union serves best.

What a cluster holds is kept in sorted lists without repeats, of which a union is a merge. With S sensitive
columns, list c < S has the pairs value * people_count + person of column c and in how many rows each occurs.
Where rows are not people, list S + c has the people with a value of column c, and list 2 S all people.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.constraint import ClassConstraint
from shoal.kernels.diversity import class_figure, shortfall, sized_class_holds
from shoal.kernels.generalized_records import (
    Trees,
    UnionCosts,
    fill_union_costs,
    looked_up_cost,
    unite,
    vector_cost,
)

# Stands for an infinite gap, so that among such unions the one of least loss is still preferred.
HOPELESS = 1e9


class ClusterUnions(NamedTuple):
    """What unions are judged by: what they cost, what they need, and the weight of the cost against that."""

    trees: Trees
    constraint: ClassConstraint
    w: float


class UnitedClusters(NamedTuple):
    """Clusters under way; cluster c is one of alive[:state[0]], in ascending order.

    It has sizes[c] rows, the closure vectors[c], and list l at keys[starts[c, l]:starts[c, l] +
    lengths[c, l]], with counts beside the keys. The lists have room for twice of what is in use at first,
    which never grows; state[1] is where the next list may begin. gaps[c] is 0 for a cluster that may be
    published, and otherwise how far it is from that, but above 0. united_into[c] is the cluster that c went
    into, c itself while it is alive.
    """

    state: Ints
    alive: Ints
    sizes: Ints
    vectors: Ints
    starts: Ints
    lengths: Ints
    keys: Ints
    counts: Ints
    gaps: Floats
    united_into: Ints


class Scratch(NamedTuple):
    """Room to merge the lists of two clusters: list l is at keys[bounds[l]:bounds[l + 1]]."""

    keys: Ints
    counts: Ints
    bounds: Ints
    values: Ints
    row_counts: Ints
    people_counts: Ints
    union_costs: UnionCosts


@kernel(part=True)
def copy_lists(clusters: UnitedClusters, c: int, scratch: Scratch) -> None:
    """Write the lists of one cluster into the scratch space."""
    used = 0
    for number in range(clusters.starts.shape[1]):
        start = clusters.starts[c, number]
        for index in range(start, start + clusters.lengths[c, number]):
            scratch.keys[used] = clusters.keys[index]
            scratch.counts[used] = clusters.counts[index]
            used += 1
        scratch.bounds[number + 1] = used


@kernel
def merge_lists(clusters: UnitedClusters, a: int, b: int, scratch: Scratch) -> None:
    """Write the lists of the union of two clusters into the scratch space."""
    used = 0
    for number in range(clusters.starts.shape[1]):
        left, right = clusters.starts[a, number], clusters.starts[b, number]
        left_end = left + clusters.lengths[a, number]
        right_end = right + clusters.lengths[b, number]
        while left < left_end or right < right_end:
            both = left < left_end and right < right_end
            take_left = clusters.keys[left] <= clusters.keys[right] if both else left < left_end
            take_right = clusters.keys[right] <= clusters.keys[left] if both else right < right_end
            scratch.counts[used] = 0
            if take_left:
                scratch.keys[used] = clusters.keys[left]
                scratch.counts[used] += clusters.counts[left]
            if take_right:
                scratch.keys[used] = clusters.keys[right]
                scratch.counts[used] += clusters.counts[right]
            left += take_left
            right += take_right
            used += 1
        scratch.bounds[number + 1] = used


@kernel(part=True)
def count_values(constraint: ClassConstraint, scratch: Scratch, column: int) -> tuple[int, int]:
    """Write the values of a column in the scratch lists, their rows and people; returns values and rows."""
    value_count = row_count = 0
    for index in range(scratch.bounds[column], scratch.bounds[column + 1]):
        value = scratch.keys[index] // constraint.people_count
        if value_count == 0 or scratch.values[value_count - 1] != value:
            scratch.values[value_count] = value
            scratch.row_counts[value_count] = 0
            scratch.people_counts[value_count] = 0
            value_count += 1
        scratch.row_counts[value_count - 1] += scratch.counts[index]
        scratch.people_counts[value_count - 1] += 1
        row_count += scratch.counts[index]
    return value_count, row_count


@kernel
def gap_in(rule: Ints, totals: Ints, size: int, values: Ints, counts: Ints) -> float:
    """How far a class is from a rule; 0 only if it holds."""
    if sized_class_holds(rule, size, values, counts, totals):
        return 0.0
    figure = class_figure(rule, size, values, counts, totals)
    return min(HOPELESS, max(shortfall(rule, figure), 1e-300))


@kernel
def gap_of(constraint: ClassConstraint, scratch: Scratch, size: int) -> float:
    """How far the cluster in the scratch lists, of `size` rows, is from what is needed; 0 if it has all."""
    columns = constraint.sensitive.shape[1]
    count_people = len(constraint.people) > 0
    support = size
    if count_people:
        support = scratch.bounds[2 * columns + 1] - scratch.bounds[2 * columns]
    gap = np.float64(max(0, constraint.k - support))
    if len(constraint.rules) == 0:
        return gap
    for column in range(columns):
        value_count, row_count = count_values(constraint, scratch, column)
        part = slice(constraint.total_starts[column], constraint.total_starts[column + 1])
        values = scratch.values[:value_count]
        for number in range(len(constraint.rules)):
            rule = constraint.rules[number]
            gap += gap_in(
                rule, constraint.row_totals[part], row_count, values, scratch.row_counts[:value_count]
            )
            if count_people:
                people = scratch.bounds[columns + column + 1] - scratch.bounds[columns + column]
                gap += gap_in(
                    rule, constraint.people_totals[part], people, values, scratch.people_counts[:value_count]
                )
    return gap


@kernel
def judge(constraint: ClassConstraint, clusters: UnitedClusters, scratch: Scratch) -> None:
    """Write the gap of every cluster."""
    for index in range(clusters.state[0]):
        c = clusters.alive[index]
        copy_lists(clusters, c, scratch)
        clusters.gaps[c] = gap_of(constraint, scratch, clusters.sizes[c])


@kernel(part=True)
def worst_place(clusters: UnitedClusters) -> int:
    """The place in `alive` of the cluster with the largest gap, the first of equals."""
    worst = 0
    for index in range(1, clusters.state[0]):
        if clusters.gaps[clusters.alive[index]] > clusters.gaps[clusters.alive[worst]]:
            worst = index
    return worst


@kernel(part=True)
def best_partner(unions: ClusterUnions, clusters: UnitedClusters, mine: int, scratch: Scratch) -> int:
    """The place in `alive` of the partner for the cluster at place `mine` of least w * loss + (1 - w) * gap.

    The loss is what the union adds to the sum of costs over records. The first of equals.
    """
    trees, w = unions.trees, unions.w
    c = clusters.alive[mine]
    fill_union_costs(trees, clusters.vectors[c], scratch.union_costs)
    own = clusters.sizes[c] * vector_cost(trees, clusters.vectors[c])
    best, least = -1, np.inf
    for index in range(clusters.state[0]):
        if index == mine:
            continue
        other = clusters.alive[index]
        cost = looked_up_cost(scratch.union_costs, clusters.vectors[other])
        size = clusters.sizes[c] + clusters.sizes[other]
        loss = size * cost - own - clusters.sizes[other] * vector_cost(trees, clusters.vectors[other])
        if w * loss >= least:  # gaps are never below 0
            continue
        merge_lists(clusters, c, other, scratch)
        score = w * loss + (1 - w) * gap_of(unions.constraint, scratch, size)
        if score < least:
            best, least = index, score
    return best


@kernel(part=True)
def make_room(clusters: UnitedClusters, wanted: int) -> None:
    """Move the lists in use to the front if `wanted` places do not fit behind them."""
    if clusters.state[1] + wanted <= len(clusters.keys):
        return
    keys, counts = clusters.keys.copy(), clusters.counts.copy()
    used = 0
    for index in range(clusters.state[0]):
        c = clusters.alive[index]
        for number in range(clusters.starts.shape[1]):
            start = clusters.starts[c, number]
            clusters.starts[c, number] = used
            for offset in range(clusters.lengths[c, number]):
                clusters.keys[used] = keys[start + offset]
                clusters.counts[used] = counts[start + offset]
                used += 1
    clusters.state[1] = used


@kernel(part=True)
def unite_clusters(
    unions: ClusterUnions, clusters: UnitedClusters, mine: int, other: int, scratch: Scratch
) -> None:
    """Unite the clusters at two places of `alive`; the union takes the first one's number."""
    c, gone = clusters.alive[mine], clusters.alive[other]
    for index in range(other, clusters.state[0] - 1):
        clusters.alive[index] = clusters.alive[index + 1]
    clusters.state[0] -= 1
    take_in(unions, clusters, c, gone, scratch)


@kernel
def take_in(unions: ClusterUnions, clusters: UnitedClusters, c: int, gone: int, scratch: Scratch) -> None:
    """Let cluster c have what another one holds, which is left with empty lists."""
    clusters.united_into[gone] = c
    merge_lists(clusters, c, gone, scratch)
    clusters.lengths[gone] = 0
    clusters.sizes[c] += clusters.sizes[gone]
    unite(unions.trees, clusters.vectors[c], clusters.vectors[gone])
    clusters.gaps[c] = gap_of(unions.constraint, scratch, clusters.sizes[c])
    lists = clusters.starts.shape[1]
    make_room(clusters, int(scratch.bounds[lists]))
    for number in range(lists):
        begin, end = scratch.bounds[number], scratch.bounds[number + 1]
        clusters.starts[c, number] = clusters.state[1] + begin
        clusters.lengths[c, number] = end - begin
    for index in range(scratch.bounds[lists]):
        clusters.keys[clusters.state[1] + index] = scratch.keys[index]
        clusters.counts[clusters.state[1] + index] = scratch.counts[index]
    clusters.state[1] += scratch.bounds[lists]


@kernel
def unite_worst(unions: ClusterUnions, clusters: UnitedClusters, scratch: Scratch, most: int) -> int:
    """Unite the cluster of the largest gap with its best partner, at most `most` times.

    Returns the number of unions; fewer than `most` when
    every cluster may be published, or when only one is left.
    """
    for done in range(most):
        mine = worst_place(clusters)
        if clusters.state[0] < 2 or clusters.gaps[clusters.alive[mine]] == 0:
            return done
        other = best_partner(unions, clusters, mine, scratch)
        unite_clusters(unions, clusters, mine, other, scratch)
    return most


@kernel
def unite_neighbours(unions: ClusterUnions, clusters: UnitedClusters, scratch: Scratch) -> int:
    """Unite each cluster that may not be published with those after it until it may.

    The last one is united with those before. Returns the number of unions. One look at each cluster, for when
    there is no time to look for partners.
    """
    count, kept = clusters.state[0], 0
    alive = clusters.alive[:count].copy()
    for index in range(count):
        last = alive[kept - 1] if kept > 0 else -1
        if last >= 0 and clusters.gaps[last] > 0:
            take_in(unions, clusters, last, alive[index], scratch)
        else:
            alive[kept] = alive[index]
            kept += 1
    while kept > 1 and clusters.gaps[alive[kept - 1]] > 0:
        kept -= 1
        take_in(unions, clusters, alive[kept - 1], alive[kept], scratch)
    clusters.alive[:kept] = alive[:kept]
    clusters.state[0] = kept
    return count - kept
