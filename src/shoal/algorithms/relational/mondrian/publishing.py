"""What the parts of a partition are published as, and which of them are therefore one cluster."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.relational.clustering.ends import Ends, split_points
from shoal.algorithms.relational.mondrian.large_parts import Places
from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Codes, Floats, Ints, frozen_codes, in_pieces, wide
from shoal.kernels.constraint import ClassConstraint, classes_admissible
from shoal.kernels.grouping import Packed, group_rows, members
from shoal.kernels.mondrian import NO_COLUMN, NO_PART, PartTree, enclosing_cuts
from shoal.kernels.trees import lowest_common_ancestors
from shoal.recoding.generalized_clusters import GeneralizedClusters


@dataclass(frozen=True, slots=True, eq=False)
class MondrianPartition:
    """A table cut into parts, whether or not some of them could be cut further."""

    data: LocalData
    ends: Mapping[str, Ends]
    parts: PartTree


def clusters_of(partition: MondrianPartition, constraint: ClassConstraint) -> GeneralizedClusters:
    """One cluster per published record; parts that are published alike are one cluster.

    Two admissible parts are mostly admissible together, but not always: a person with rows in both counts
    once in their union. Such parts are replaced by the smallest part that holds them all.
    """
    parts = partition.parts
    whole = parts.columns[: parts.state[1]] == NO_COLUMN
    while True:
        chosen = np.flatnonzero(whole)
        chosen = chosen[np.argsort(parts.starts[chosen])]
        nodes, ranges = _published_values(partition, chosen)
        cluster_of_part, first_parts = group_rows(_as_integers(nodes, ranges, len(chosen)))
        cluster_of_row = _cluster_of_row(parts, chosen, cluster_of_part)
        inadmissible = _inadmissible_unions(constraint, cluster_of_row, cluster_of_part, len(first_parts))
        if len(inadmissible) == 0:
            return GeneralizedClusters(
                cluster_of_row,
                nodes={name: wide(column[first_parts]) for name, column in nodes.items()},
                ranges={name: column[first_parts] for name, column in ranges.items()},
            )
        alike = [chosen[cluster_of_part == cluster].tolist() for cluster in inadmissible]
        keep_origins(parts, whole, {origin_of(parts, those) for those in alike})


def _cluster_of_row(parts: PartTree, chosen: Ints, cluster_of_part: Ints) -> Ints:
    """The cluster of each row; the chosen parts are all rows, in their order."""
    many = len(parts.rows) <= np.iinfo(np.int32).max and parts.rows.dtype != np.int64
    cluster_of_row: Ints = np.empty(len(parts.rows), dtype=np.int32 if many else np.int64)
    starts = np.append(parts.starts[chosen], len(parts.rows))
    for first, behind in in_pieces(starts):
        rows = parts.rows[starts[first] : starts[behind]]
        cluster_of_row[rows] = np.repeat(cluster_of_part[first:behind], np.diff(starts[first : behind + 1]))
    return cluster_of_row


def _published_values(
    partition: MondrianPartition, chosen: Ints
) -> tuple[dict[str, Codes], dict[str, Floats]]:
    """The node or range of each chosen part in each column; the parts are all rows, in their order."""
    data, parts = partition.data, partition.parts
    nodes: dict[str, Codes] = {}
    ranges: dict[str, Floats] = {}
    places = Places.of_columns(data)
    for number, name in enumerate(data.quasi):
        of_rows = places.of(number, parts.rows)
        lows = wide(np.minimum.reduceat(of_rows, parts.starts[chosen]))
        highs = wide(np.maximum.reduceat(of_rows, parts.starts[chosen]))
        del of_rows
        if name in data.trees:
            nodes[name] = frozen_codes(_covering_nodes(data.trees[name], lows, highs))
        else:
            ranges[name] = _covering_ranges(partition, number, chosen, lows, highs)
    return nodes, ranges


def _covering_nodes(tree: Hierarchy, lows: Ints, highs: Ints) -> Ints:
    """The lowest node above the places of each part; only the root is above a suppressed cell."""
    nodes = lowest_common_ancestors(
        tree.arrays, np.minimum(lows, tree.missing), np.minimum(highs, tree.missing)
    )
    nodes[highs > tree.missing] = tree.root
    return nodes


def _covering_ranges(
    partition: MondrianPartition, number: int, chosen: Ints, lows: Ints, highs: Ints
) -> Floats:
    """The range between the cuts around each part: never its smallest and largest member.

    A part of one value is published as that value, one without any as missing, and one that mixes values and
    missing ones is suppressed in this column.
    """
    name = partition.data.quasi[number]
    domain = partition.data.table.coded(name).domain
    numbers = np.empty(0) if domain.numbers is None else domain.numbers
    ranges = _regions(partition, number, chosen, numbers)
    one_value = (lows == highs) & (highs < domain.missing)
    ranges[one_value] = numbers[lows[one_value], np.newaxis]
    ranges[highs >= domain.missing] = (-np.inf, np.inf)
    ranges[lows >= domain.missing] = np.nan
    return ranges


def _regions(partition: MondrianPartition, number: int, chosen: Ints, numbers: Floats) -> Floats:
    """Lower and upper end of each part's region: the nearest cuts, or the ends of the column."""
    parts, ends = partition.parts, partition.ends[partition.data.quasi[number]]
    without_rows = parts._replace(rows=np.empty(0, dtype=np.int64))
    below, above = enclosing_cuts(without_rows, chosen, number, len(numbers))
    regions = np.empty((len(chosen), 2), dtype=np.float64)
    for side, (cuts, outer) in enumerate(((below, ends.lower), (above, ends.upper))):
        cut = np.flatnonzero(cuts != NO_PART)
        left = numbers[parts.left_places[cuts[cut]]]
        right = numbers[parts.right_places[cuts[cut]]]
        points = split_points(left, right, whole=ends.whole)
        right_side_begins_later = ends.whole and side == 0
        regions[:, side] = outer
        regions[cut, side] = np.where((left < right) & right_side_begins_later, points + 1, points)
    return regions


def _as_integers(nodes: Mapping[str, Codes], ranges: Mapping[str, Floats], count: int) -> Ints:
    """One row per part, equal where all published values are: the bits of a float stand for it."""
    packed = Packed.of(list(nodes.values())).rows(0, count)
    columns = [column.view(np.int64) for column in ranges.values()]
    return np.ascontiguousarray(np.hstack([packed, *columns]))


def _inadmissible_unions(
    constraint: ClassConstraint, cluster_of_row: Ints, cluster_of_part: Ints, cluster_count: int
) -> Ints:
    """The clusters of several parts that must not be published."""
    if len(constraint.rules) == 0:
        return np.empty(0, dtype=np.int64)  # k rows, or people, remain k in a union
    several = np.bincount(cluster_of_part, minlength=cluster_count) > 1
    holds: Bools = classes_admissible(constraint, *members(wide(cluster_of_row), cluster_count))
    return np.flatnonzero(several & ~holds)


def origin_of(parts: PartTree, alike: Sequence[int]) -> int:
    """The smallest part that all the given ones were cut out of."""
    remaining = set(alike)
    while len(remaining) > 1:
        latest = max(remaining)  # a part has a larger number than the one it was cut out of
        remaining.remove(latest)
        remaining.add(int(parts.parents[latest]))
    return remaining.pop()


def keep_origins(parts: PartTree, whole: Bools, origins: Iterable[int]) -> None:
    """Mark the origins as whole instead of all that was cut out of them, writing `whole`."""
    starts, ends = parts.starts[: len(whole)], parts.ends[: len(whole)]
    for origin in sorted(origins, reverse=True):  # one that holds another comes later, and clears its mark
        whole[(starts[origin] <= starts) & (ends <= ends[origin])] = False
        whole[origin] = True
