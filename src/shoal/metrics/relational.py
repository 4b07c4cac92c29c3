"""What generalizing a table cost: original records compared with the clusters they are published in.

A suppressed record costs 1 in every column under NCP, LM and the tree measure, and the uncertainty of the
whole column under the entropies. A missing value that is published as missing costs 0; one that is published
as the root costs what the root costs. A column with one value in its domain costs 0 under NCP and LM in
whatever form it is published.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.grouping import group_rows
from shoal.metrics.covers import NodeCover, node_cover, range_cover
from shoal.metrics.node_costs import node_cost, suppressed_cost
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.table.columns import Coded, code_counts
from shoal.table.roles import Quasi

NOT_COUNTED: Mapping[str, Ints] = MappingProxyType({})

_SUPPRESSED_RANGE = (-np.inf, np.inf)


@dataclass(frozen=True, slots=True, eq=False)
class PublishedColumn:
    """The cells that a column can be published as, and the cell of each cluster; the last cell hides all."""

    cover: NodeCover
    cell_of_cluster: Ints

    @property
    def leaves_of_cluster(self) -> Ints:
        """How many original values each cluster's cell stands for."""
        return self.cover.leaves[self.cell_of_cluster]


def published_columns(
    data: LocalData, clusters: GeneralizedClusters, value_counts: Mapping[str, Ints] = NOT_COUNTED
) -> dict[str, PublishedColumn]:
    """Every quasi-identifier with single values as the clusters publish it.

    `value_counts` tell how many records have each value and, last, none, where these are some of them only.
    """
    return {name: _published_column(data, clusters, name, value_counts.get(name)) for name in data.quasi}


def column_costs(data: LocalData, clusters: GeneralizedClusters, measure: str) -> dict[str, float]:
    """The mean cost of a record in each quasi-identifier: one of NODE_COSTS, by name."""
    return costs_of_columns(published_columns(data, clusters), clusters, measure)


def table_cost(data: LocalData, clusters: GeneralizedClusters, measure: str) -> float:
    """The mean over records of the mean cost over columns; NCP weights the columns as their roles say."""
    return combined_cost(column_costs(data, clusters, measure), data, measure)


def costs_of_columns(
    columns: dict[str, PublishedColumn], clusters: GeneralizedClusters, measure: str
) -> dict[str, float]:
    """The mean cost of a record in each of the given columns."""
    sizes = cluster_sizes(clusters)
    return {name: _mean_cost(column, sizes, clusters, measure) for name, column in columns.items()}


def combined_cost(costs: dict[str, float], data: LocalData, measure: str) -> float:
    """The costs of all columns in one figure; 0 without columns."""
    weights = normalized_weights(data.weights() if measure == "ncp" else dict.fromkeys(costs, 1.0))
    return float(sum(weights[name] * cost for name, cost in costs.items()))


def log10_ambiguity(columns: dict[str, PublishedColumn], clusters: GeneralizedClusters) -> float:
    """The decimal logarithm of AM: the mean number of original records that a published one could stand for.

    A published record could have been any combination of the values under its cells, a suppressed one any
    combination at all. The product overflows with a few wide columns, so it never leaves the logarithm.
    """
    sizes = cluster_sizes(clusters)
    exponents = np.zeros(len(sizes) + 1, dtype=np.float64)
    for column in columns.values():
        exponents[:-1] += np.log10(column.leaves_of_cluster)
        exponents[-1] += np.log10(column.cover.domain_size)
    records = np.append(sizes, clusters.suppressed_count)
    occupied = records > 0
    if not occupied.any():
        return 0.0
    highest = float(exponents[occupied].max())
    mean = np.dot(records[occupied], 10.0 ** (exponents[occupied] - highest)) / records.sum()
    return highest + float(np.log10(mean))


def normalized_weights(weights: dict[str, float]) -> dict[str, float]:
    """The same weights with the sum 1; equal ones if all are 0."""
    total = sum(weights.values())
    if total == 0:
        return dict.fromkeys(weights, 1 / max(len(weights), 1))
    return {name: weight / total for name, weight in weights.items()}


def cluster_sizes(clusters: GeneralizedClusters) -> Ints:
    """How many records each cluster holds."""
    return clusters.sizes


def leaf_counts(column: Coded, leaf_count: int) -> Ints:
    """How many records have each value and, last, how many have none.

    A cell that was suppressed before the search has the code of the root and no value to count.
    """
    return code_counts(column, leaf_count + 1)[: leaf_count + 1]


def _published_column(
    data: LocalData, clusters: GeneralizedClusters, name: str, counts: Ints | None
) -> PublishedColumn:
    tree = data.trees.get(name)
    column = data.table.coded(name)
    if tree is not None and name in clusters.nodes:
        counts = leaf_counts(column, tree.leaf_count) if counts is None else counts
        cover = node_cover(tree, column.domain.numbers, counts)
        return PublishedColumn(cover, clusters.nodes[name])
    role = data.roles[name]
    bounds = role.bounds if isinstance(role, Quasi) else None
    return _published_ranges(column, clusters.ranges[name], bounds)


def _published_ranges(column: Coded, ranges: Floats, bounds: tuple[float, float] | None) -> PublishedColumn:
    numbers = column.domain.numbers
    if numbers is None:
        raise TypeError("a column that is published as ranges must hold numbers or dates")
    cells = np.vstack((ranges, _SUPPRESSED_RANGE))
    cover = range_cover(cells, numbers, leaf_counts(column, len(numbers)), bounds)
    return PublishedColumn(cover, np.arange(len(ranges), dtype=np.int64))


def _mean_cost(column: PublishedColumn, sizes: Ints, clusters: GeneralizedClusters, measure: str) -> float:
    cells = node_cost(measure)(column.cover)
    suppressed = suppressed_cost(measure, float(cells[-1]))
    total = np.dot(cells[column.cell_of_cluster], sizes) + suppressed * clusters.suppressed_count
    return float(total / max(len(clusters.cluster_of_row), 1))


def class_sizes(clusters: GeneralizedClusters) -> Ints:
    """The sizes of the published classes, in the order of their first cluster.

    Clusters that are published alike are one class; suppressed records are in none.
    """
    sizes = cluster_sizes(clusters)
    occupied = np.flatnonzero(sizes)
    class_of_cluster, first_clusters = group_rows(_published_records(clusters)[occupied])
    return np.bincount(class_of_cluster, sizes[occupied], len(first_clusters)).astype(np.int64)


def discernibility(clusters: GeneralizedClusters) -> float:
    """The sum over records of the size of their class; a suppressed record counts as many as there are."""
    published = float(np.square(class_sizes(clusters).astype(np.float64)).sum())
    return published + float(clusters.suppressed_count) * len(clusters.cluster_of_row)


def average_class_size(clusters: GeneralizedClusters, k: int) -> float:
    """C_avg: records per published class, in multiples of k.

    Suppressed records are records without a class; when nothing is published, all are taken as one class.
    """
    if k < 1:
        raise InvalidParameter("average_class_size", "k", k, "an integer of 1 or more")
    return len(clusters.cluster_of_row) / max(len(class_sizes(clusters)), 1) / k


def _published_records(clusters: GeneralizedClusters) -> Ints:
    columns = [np.asarray(nodes) for nodes in clusters.nodes.values()]
    for ranges in clusters.ranges.values():
        # Infinite ends are a suppressed cell whatever their sign; NaNs and both zeros are equal in np.unique.
        alike = np.where(np.isinf(ranges), np.inf, ranges)
        columns += [np.unique(ends, return_inverse=True)[1] for ends in alike.T]
    if not columns:
        return np.zeros((clusters.cluster_count, 1), dtype=np.int64)
    return np.stack(columns, axis=1).astype(np.int64)
