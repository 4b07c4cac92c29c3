"""Numbers and dates without a tree on a grid of round points, so that clusterings find a tree everywhere.

A cluster is published as the range of the cells that its members lie in. The cells are wider than single
values and do not depend on the cluster, so no range ends at a member because it is the smallest or largest.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from shoal.algorithms.relational.clustering.ends import Ends, derived_ends_notice, find_ends
from shoal.engine.local import LocalData
from shoal.hierarchy.tree import NO_PARENT, ROOT_LABEL, Hierarchy, tree_from_nodes
from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.grouping import members
from shoal.recoding.rows import RowRecoding
from shoal.table.columns import Domain

_FEWEST_CELLS = 32
_LEAST_STEP = 1e-300  # below, numbers have no round multiples any more
_LEAST_WHOLE_STEP = 2.0  # a cell of one integer would end at a member


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The cells of a column: value v lies in cell_of_value[v]; cell c is the range lowers[c]..uppers[c]."""

    lowers: Floats
    uppers: Floats
    cell_of_value: Ints

    @classmethod
    def of(cls, domain: Domain, ends: Ends) -> Self:
        """Cells between the multiples of a round step: _FEWEST_CELLS or more, none of a single integer."""
        numbers = np.empty(0) if domain.numbers is None else domain.numbers
        points = _points(ends)
        return cls(
            lowers=np.concatenate(([ends.lower], points)),
            uppers=np.concatenate((points - 1 if ends.whole else points, [ends.upper])),
            cell_of_value=np.searchsorted(points, numbers, side="right").astype(np.int64),
        )

    def tree(self, domain: Domain) -> Hierarchy:
        """Values under their cells, cells under pairs of cells, pairs under pairs of pairs, up to all values.

        Missing values meet the others in the root only, above all values.
        """
        value_count = len(self.cell_of_value)
        labels = [*domain.texts()]
        parents = [np.empty(0, dtype=np.int64)]
        block_of_below, below = self.cell_of_value, value_count
        level = 0
        while below:
            blocks, parent = np.unique(block_of_below, return_inverse=True)
            parents.append(len(labels) + parent.astype(np.int64))
            labels += [f"{level}/{block}" for block in blocks.tolist()]
            if len(blocks) == 1:
                parents.append(np.array([len(labels)], dtype=np.int64))
                break
            block_of_below, below, level = blocks // 2, len(blocks), level + 1
        return tree_from_nodes([*labels, ROOT_LABEL], np.concatenate((*parents, [NO_PARENT])))


@dataclass(frozen=True, slots=True, eq=False)
class Gridded:
    """Data in which every quasi-identifier has a tree, for some of them only that of a grid."""

    data: LocalData
    ends: Mapping[str, Ends]
    grids: Mapping[str, Grid]

    @property
    def notices(self) -> tuple[str, ...]:
        """What to know about the ends of ranges."""
        return derived_ends_notice(self.ends)

    def published(self, found: RowRecoding) -> RowRecoding:
        """The same clusters with ranges for the columns on a grid; every row must be in a cluster.

        Figures about the loss are dropped, because they are those of the trees and not of the ranges.
        """
        clusters = found.clusters
        if not self.grids or clusters is None:
            return found
        starts, rows = members(clusters.cluster_of_row, clusters.cluster_count)
        ranges = {}
        for name, grid in self.grids.items():
            column = self.data.table.coded(name)
            codes = column.codes[rows]
            lows, highs = (reduce.reduceat(codes, starts[:-1]) for reduce in (np.minimum, np.maximum))
            ranges[name] = _covering_ranges(column.domain, grid, lows, highs)
        nodes = {name: nodes for name, nodes in clusters.nodes.items() if name not in self.grids}
        return replace(found, clusters=replace(clusters, nodes=nodes, ranges=ranges), figures={})


def on_grids(data: LocalData) -> Gridded:
    """Give every quasi-identifier without a tree a grid; BadInput lists those that can have none."""
    ends = find_ends(data)
    domains = {name: data.table.coded(name).domain for name in ends}
    grids = {name: Grid.of(domains[name], ends[name]) for name in ends}
    trees = {name: grid.tree(domains[name]) for name, grid in grids.items()}
    return Gridded(replace(data, trees={**data.trees, **trees}), ends, grids)


def _points(ends: Ends) -> Floats:
    """The multiples of a round step between the ends: 1, 2 or 5 times a power of ten."""
    widest = ends.half_width / (_FEWEST_CELLS / 2)
    if not _LEAST_STEP <= widest < math.inf:
        return np.empty(0)
    digits = math.floor(math.log10(widest))
    step = max(multiple * 10.0**digits for multiple in (1, 2, 5) if multiple * 10.0**digits <= widest)
    if ends.whole and step < _LEAST_WHOLE_STEP:
        step, digits = _LEAST_WHOLE_STEP, 0
    numbers = np.arange(math.floor(ends.lower / step), math.ceil(ends.upper / step) + 1)
    points = np.unique(np.round(numbers * step, -digits) + 0.0)  # no negative zero
    return points[(ends.lower < points) & (points < ends.upper)]


def _covering_ranges(domain: Domain, grid: Grid, lows: Ints, highs: Ints) -> Floats:
    """The cells from the lowest to the highest value of each cluster.

    A cluster of one value is published as that value, one without any as missing, and one that mixes values
    and missing ones is suppressed in this column.
    """
    numbers = np.empty(0) if domain.numbers is None else domain.numbers
    ranges = np.full((len(lows), 2), (-np.inf, np.inf))
    ranges[lows >= domain.missing] = np.nan
    valued = np.flatnonzero(highs < domain.missing)
    lowest, highest = lows[valued], highs[valued]
    several = (lowest < highest)[:, np.newaxis]
    cells = np.stack(
        (grid.lowers[grid.cell_of_value[lowest]], grid.uppers[grid.cell_of_value[highest]]), axis=1
    )
    ranges[valued] = np.where(several, cells, numbers[lowest, np.newaxis])
    return ranges
