"""Random releases for comparing measures with their twins, in both forms."""

from dataclasses import dataclass
from math import inf, nan

import numpy as np
from hypothesis import strategies as st

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy, tree_from_parents
from shoal.kernels.arrays import frozen_floats, frozen_ints
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.table.columns import Kind
from shoal.table.roles import Quasi
from tests.builders import local_data
from tests.reference.metrics import SUPPRESSED, RangeColumn, TreeColumn, above


@dataclass
class Release:
    data: LocalData
    clusters: GeneralizedClusters
    columns: list
    published: list
    weights: list


@st.composite
def parent_maps(draw, max_leaves=6):
    """A tree as child -> parent: runs of neighbours are united some times, then all under one root."""
    forest = [str(value) for value in draw(st.permutations(range(draw(st.integers(1, max_leaves)))))]
    parents = {}
    for number in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(forest) - 1))
        stop = draw(st.integers(start + 1, len(forest)))
        node = f"n{number}"
        parents.update((child, node) for child in forest[start:stop])
        forest[start:stop] = [node]
    parents.update((child, "*") for child in forest)
    return parents


@st.composite
def releases(draw):
    """One to three columns, with trees or without, in up to three clusters, some records suppressed."""
    row_count = draw(st.integers(0, 8))
    cluster_of_row = draw(_cluster_numbers(row_count))
    kinds = draw(st.lists(st.sampled_from(["category", "number on a tree", "range"]), min_size=1, max_size=3))
    weights = [draw(st.sampled_from([0.0, 0.5, 1.0, 3.0])) for _ in kinds]
    roles, trees, values, columns, cells = {}, {}, [], [], []
    for place, (kind, weight) in enumerate(zip(kinds, weights, strict=True)):
        name = f"c{place}"
        column, cell_of_cluster, role, tree = draw(_columns(kind, weight, cluster_of_row))
        roles[name], columns = role, [*columns, column]
        values.append(column.values)
        cells.append(cell_of_cluster)
        if tree is not None:
            trees[name] = tree
    data = local_data(list(zip(*values, strict=True)), roles, trees=trees)
    published = [["gone" if g < 0 else of_cluster[g] for g in cluster_of_row] for of_cluster in cells]
    return Release(data, _clusters(cluster_of_row, roles, trees, cells), columns, published, weights)


@st.composite
def _cluster_numbers(draw, row_count):
    drawn = draw(st.lists(st.integers(-1, 2), min_size=row_count, max_size=row_count))
    used = sorted({number for number in drawn if number >= 0})
    return [used.index(number) if number >= 0 else -1 for number in drawn]


@st.composite
def _columns(draw, kind, weight, cluster_of_row):
    row_count = len(cluster_of_row)
    if kind == "range":
        bounds = draw(st.sampled_from([None, (-2.0, 3.0), (0.0, 9.0)]))
        column = RangeColumn(draw(_some(st.integers(0, 6), row_count)), bounds)
        role = Quasi(kind=Kind.NUMBER, bounds=bounds, weight=weight)
        cell_of_cluster = [draw(_ranges(members)) for members in _members(column.values, cluster_of_row)]
        return column, cell_of_cluster, role, None
    parents = draw(parent_maps())
    leaves = [node for node in parents if node not in parents.values()]
    values = draw(_some(st.sampled_from([*leaves, "*"]), row_count))
    on_numbers = kind == "number on a tree"
    column = TreeColumn(parents, values, {leaf: int(leaf) for leaf in leaves} if on_numbers else None)
    role = Quasi(kind=Kind.NUMBER if on_numbers else Kind.CATEGORY, weight=weight)
    cell_of_cluster = [draw(_nodes(column, members)) for members in _members(values, cluster_of_row)]
    return column, cell_of_cluster, role, tree_from_parents(parents)


def _some(values, count):
    return st.lists(st.none() | values, min_size=count, max_size=count)


def _members(values, cluster_of_row):
    cluster_count = max(cluster_of_row, default=-1) + 1
    return [
        [value for value, of_row in zip(values, cluster_of_row, strict=True) if of_row == cluster]
        for cluster in range(cluster_count)
    ]


def _ranges(members):
    """The range of a cluster's values, or a cell that hides all; with missing values only the latter."""
    if all(value is None for value in members):
        return st.sampled_from([None, SUPPRESSED])
    if None in members:
        return st.just(SUPPRESSED)
    rounded = (min(members) - 4, max(members) + 4)
    return st.sampled_from([(min(members), max(members)), rounded, SUPPRESSED])


def _nodes(column, members):
    if all(value is None for value in members):
        return st.sampled_from([None, column.root])
    if None in members or column.root in members:
        return st.just(column.root)
    common = [
        node
        for node in [members[0], *above(column.parents, members[0])]
        if all(node == value or node in above(column.parents, value) for value in members)
    ]
    return st.sampled_from(common)


def _clusters(cluster_of_row, roles, trees, cells):
    nodes, ranges = {}, {}
    for name, of_cluster in zip(roles, cells, strict=True):
        if name in trees:
            nodes[name] = frozen_ints([_node(trees[name], cell) for cell in of_cluster])
        else:
            ends = [_ends(cell, cluster) for cluster, cell in enumerate(of_cluster)]
            ranges[name] = frozen_floats(np.array(ends, dtype=np.float64).reshape(-1, 2))
    return GeneralizedClusters(frozen_ints(cluster_of_row), nodes, ranges)


def _ends(cell, cluster):
    if cell is None:
        return nan, nan
    return (inf if cluster % 2 else -inf, inf) if cell == SUPPRESSED else cell


def _node(tree: Hierarchy, cell):
    return tree.missing if cell is None else tree.labels.index(cell)
