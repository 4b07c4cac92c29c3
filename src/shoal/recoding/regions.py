"""An earlier recoding for other records: its regions, in the trees and values of the data at hand.

A region is what the records of one cluster were published as: a node or a range per column, and the cuts of
their items. Nodes are found again by their labels, which must cover the same values as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Floats, Ints, frozen_ints
from shoal.kernels.grouping import group_rows
from shoal.kernels.regions import NO_REGION, Boxes, settled_regions
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.rows import RowRecoding
from shoal.recoding.saved_recoding import SavedTree
from shoal.table.columns import Domain, Table

NOT_THERE = -1
_ANY_VALUE = (-np.inf, np.inf)
_OTHER_TREE = (
    "give it the hierarchy that the recoding was decided with; one that is built from the values that occur,"
    " such as fanout, has to be saved as a file first (shoal hierarchy build)"
)


@dataclass(frozen=True, slots=True, eq=False)
class RegionColumn:
    """What each region publishes a column as: `cells` are nodes, or rows of `ranges`.

    It covers the codes from lower[g] to upper[g] of the data at hand, none where the first is larger, and
    costs[g] of what the column says, between 0 and 1, are lost.
    """

    name: str
    cells: Ints
    lower: Ints
    upper: Ints
    costs: Floats
    ranges: Floats | None = None

    def taking(self, regions: Ints) -> RegionColumn:
        """Some of the regions, in the given order."""
        return RegionColumn(
            self.name,
            self.cells[regions],
            self.lower[regions],
            self.upper[regions],
            self.costs[regions],
            self.ranges,
        )

    def is_global(self) -> bool:
        """Whether every value has one label at most, whatever stands in other columns."""
        _, first = np.unique(self.cells, return_index=True)
        lower, upper = self.lower[first], self.upper[first]
        order = np.argsort(lower[lower <= upper], kind="stable")
        lower, upper = lower[lower <= upper][order], upper[lower <= upper][order]
        return bool((upper[:-1] < lower[1:]).all())

    def cells_of(self, codes: Ints) -> Ints:
        """The cell of each code, or NOT_THERE, where every value has one at most."""
        _, first = np.unique(self.cells, return_index=True)
        first = first[self.lower[first] <= self.upper[first]]
        first = first[np.argsort(self.lower[first], kind="stable")]
        if not len(first):
            return np.full(len(codes), NOT_THERE, dtype=np.int64)
        at = first[np.maximum(np.searchsorted(self.lower[first], codes, side="right") - 1, 0)]
        covered = (self.lower[at] <= codes) & (codes <= self.upper[at])
        return np.where(covered, self.cells[at], NOT_THERE)


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """Different regions of an earlier recoding; parts[g, i] is the part of the i-th recoding of items."""

    columns: tuple[RegionColumn, ...]
    parts: Ints

    def __len__(self) -> int:
        return len(self.parts)

    def cheapest_first(self, cost_of_parts: tuple[Floats, ...], weights: Mapping[str, float]) -> Regions:
        """The same regions in the order of what they lose; of equal ones that which was decided first."""
        costs = np.zeros(len(self))
        for column in self.columns:
            costs += weights.get(column.name, 1.0) * column.costs
        for place, of_parts in enumerate(cost_of_parts):
            costs += of_parts[self.parts[:, place]]
        order = np.argsort(costs, kind="stable")
        return Regions(tuple(column.taking(order) for column in self.columns), self.parts[order])


@dataclass(frozen=True, slots=True, eq=False)
class Assigned:
    """The clusters of new records, SUPPRESSED where no region takes them, and the parts of their items.

    part_of_row[r, i] is that of the i-th column of sets. Without single values there are no clusters.
    """

    clusters: GeneralizedClusters | None
    part_of_row: Ints

    @property
    def fits(self) -> Bools:
        """Which records a region takes."""
        if self.clusters is None:
            return np.ones(len(self.part_of_row), dtype=np.bool_)
        return np.array(self.clusters.cluster_of_row != SUPPRESSED)


def regions_of(
    recoding: RowRecoding, saved: Mapping[str, SavedTree], table: Table, trees: Mapping[str, Hierarchy]
) -> Regions:
    """The regions of a recoding of single values, for a table with these trees.

    BadInput names the columns whose trees are not those that it was decided with.
    """
    clusters = recoding.clusters
    if clusters is None:
        raise ValueError("a recoding of sets alone has no regions")
    chosen = np.stack([clusters.cluster_of_row, *(cuts.part_of_row for cuts in recoding.all_cuts)], axis=1)
    chosen = np.unique(chosen[chosen[:, 0] != SUPPRESSED], axis=0)
    cluster, parts = chosen[:, 0], chosen[:, 1:]
    problems: list[Problem] = []
    columns: list[RegionColumn] = []
    for name, nodes in clusters.nodes.items():
        found = list(other_meanings(name, saved[name], trees.get(name), np.unique(nodes)))
        problems += found
        if not found:
            columns.append(_column_of_nodes(name, nodes[cluster], saved[name], trees[name]))
    if problems:
        raise BadInput(*problems)
    columns += [
        _column_of_ranges(name, ranges[cluster], table.coded(name).domain)
        for name, ranges in clusters.ranges.items()
    ]
    keys = np.stack([*(column.cells for column in columns), *parts.T], axis=1)
    _, first = np.unique(keys, axis=0, return_index=True)
    first = np.sort(first)
    return Regions(tuple(column.taking(first) for column in columns), np.ascontiguousarray(parts[first]))


def assign(table: Table, trees: Mapping[str, Hierarchy], regions: Regions, least: int) -> Assigned:
    """Every record in the first region that covers it and ends with at least `least` of them.

    Where every value of every column has one label, whatever stands beside it, records are published by
    these labels, also in combinations that no earlier record had.
    """
    codes = [_codes(table, trees, column.name) for column in regions.columns]
    if regions.parts.max(initial=0) == 0 and all(column.is_global() for column in regions.columns):
        return _assign_by_columns(regions, codes, table.row_count)
    boxes = Boxes(
        np.stack([column.lower for column in regions.columns], axis=1),
        np.stack([column.upper for column in regions.columns], axis=1),
    )
    settled = settled_regions(np.stack(codes, axis=1), boxes, least)
    used, cluster_of_row = np.unique(settled[settled != NO_REGION], return_inverse=True)
    of_row = np.full(table.row_count, SUPPRESSED, dtype=np.int64)
    of_row[settled != NO_REGION] = cluster_of_row
    cells = {column.name: column.cells[used] for column in regions.columns}
    return Assigned(_clusters(regions, of_row, cells), regions.parts[settled])


def in_use(clusters: GeneralizedClusters, kept: Bools) -> GeneralizedClusters:
    """The same clusters without the records that are not kept, and without clusters that lose all theirs."""
    cluster_of_row = np.where(kept, clusters.cluster_of_row, SUPPRESSED)
    published = cluster_of_row != SUPPRESSED
    used, numbers = np.unique(cluster_of_row[published], return_inverse=True)
    renumbered = np.full(len(cluster_of_row), SUPPRESSED, dtype=np.int64)
    renumbered[published] = numbers
    return GeneralizedClusters(
        frozen_ints(renumbered),
        {name: nodes[used] for name, nodes in clusters.nodes.items()},
        {name: ranges[used] for name, ranges in clusters.ranges.items()},
    )


def nodes_by_label(saved: SavedTree, tree: Hierarchy) -> Ints:
    """For each node of an earlier tree the one of the same label, or NOT_THERE."""
    node_of = {label: node for node, label in enumerate(tree.labels) if node != tree.missing}
    nodes = np.array([node_of.get(label, NOT_THERE) for label in saved.labels], dtype=np.int64)
    nodes[saved.leaf_count] = tree.missing
    return nodes


def other_meanings(column: str, saved: SavedTree, tree: Hierarchy | None, nodes: Ints) -> Iterator[Problem]:
    """A problem if labels that were published do not cover the same values in the tree at hand."""
    if tree is None:
        yield Problem("has no hierarchy, and the recoding was decided with one", _OTHER_TREE, column=column)
        return
    first, last = saved.spans()
    leaf_of = {label: leaf for leaf, label in enumerate(tree.leaf_labels)}
    leaves = np.array([leaf_of.get(label, NOT_THERE) for label in saved.labels[: saved.leaf_count]])
    there = np.flatnonzero(leaves != NOT_THERE)
    here = leaves[there]
    same = nodes_by_label(saved, tree)
    for node in nodes[nodes > saved.leaf_count].tolist():  # leaves and the missing value are themselves
        under = (first[node] <= there) & (there <= last[node])
        found = same[node]
        if found == NOT_THERE:
            differs = under
        else:
            under_now = (tree.arrays.first_leaf[found] <= here) & (here <= tree.arrays.last_leaf[found])
            differs = under != under_now
        if differs.any():
            value = saved.labels[there[np.argmax(differs)]]
            what = f"the label {saved.labels[node]!r} does not cover the same values as it did before"
            yield Problem(what, _OTHER_TREE, column=column, value=value)
            return


def _column_of_nodes(name: str, nodes: Ints, saved: SavedTree, tree: Hierarchy) -> RegionColumn:
    here = nodes_by_label(saved, tree)[nodes]
    known = here != NOT_THERE
    lower = np.where(known, tree.arrays.first_leaf[here], 1)
    upper = np.where(known, tree.arrays.last_leaf[here], 0)
    upper[here == tree.root] = tree.leaf_count + 1  # the root alone covers a suppressed cell
    costs = (tree.sizes[here] - 1) / max(tree.leaf_count - 1, 1)
    return RegionColumn(name, here, lower, upper, costs)


def _column_of_ranges(name: str, ranges: Floats, domain: Domain) -> RegionColumn:
    if domain.numbers is None:
        what = "the recoding has ranges for it, and it holds no numbers"
        raise BadInput(Problem(what, "read it as the kind that it was decided with", column=name))
    no_value, any_value = np.isnan(ranges[:, :1]), np.isinf(ranges[:, :1])
    comparable = np.where(no_value, np.inf, np.where(any_value, _ANY_VALUE, ranges))
    distinct, cells = np.unique(comparable, axis=0, return_inverse=True)
    missing, everything = distinct[:, 0] == np.inf, distinct[:, 0] == -np.inf
    distinct[missing] = np.nan
    lower = np.searchsorted(domain.numbers, distinct[:, 0], side="left")
    upper = np.searchsorted(domain.numbers, distinct[:, 1], side="right") - 1
    lower[missing] = upper[missing] = upper[everything] = domain.missing
    lower[everything] = 0
    extent = float(np.ptp(domain.numbers)) if len(domain) else 0.0
    plain = ~missing & ~everything
    costs = np.where(everything, 1.0, 0.0)
    costs[plain] = np.minimum((distinct[plain, 1] - distinct[plain, 0]) / (extent or 1.0), 1.0)
    return RegionColumn(name, cells.ravel(), lower[cells], upper[cells], costs[cells], distinct)


def _codes(table: Table, trees: Mapping[str, Hierarchy], name: str) -> Ints:
    """The codes of a column, a suppressed cell behind the missing value."""
    coded = table.coded(name)
    return np.minimum(coded.codes, coded.domain.missing + 1) if name in trees else coded.codes


def _assign_by_columns(regions: Regions, codes: list[Ints], row_count: int) -> Assigned:
    cells = [column.cells_of(of_rows) for column, of_rows in zip(regions.columns, codes, strict=True)]
    together = np.stack(cells, axis=1)
    fits = (together != NOT_THERE).all(axis=1)
    numbers, first = group_rows(together[fits])
    cluster_of_row = np.full(row_count, SUPPRESSED, dtype=np.int64)
    cluster_of_row[fits] = numbers
    of_clusters = together[fits][first]
    named = {column.name: of_clusters[:, place] for place, column in enumerate(regions.columns)}
    parts = np.zeros((row_count, regions.parts.shape[1]), dtype=np.int64)
    return Assigned(_clusters(regions, cluster_of_row, named), parts)


def _clusters(regions: Regions, cluster_of_row: Ints, cells: Mapping[str, Ints]) -> GeneralizedClusters:
    return GeneralizedClusters(
        frozen_ints(cluster_of_row),
        {column.name: cells[column.name] for column in regions.columns if column.ranges is None},
        {
            column.name: column.ranges[cells[column.name]]
            for column in regions.columns
            if column.ranges is not None
        },
    )
