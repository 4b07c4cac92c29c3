"""Quasi-identifiers as places along a line: leaves in tree order, numbers and dates in their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.algorithms.relational.clustering.ends import Ends
from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.mondrian import Ordered
from shoal.table.columns import Coded

_ABSENT = -1


def ordered_columns(data: LocalData, ends: Mapping[str, Ends]) -> Ordered:
    """The quasi-identifiers in table order; those without a tree have `ends`."""
    names = data.quasi
    columns = [data.table.coded(name) for name in names]
    trees = [data.trees.get(name) for name in names]
    known = [tree for tree in trees if tree is not None]
    numbers = [
        _numbers(column) if tree is None else np.empty(0) for column, tree in zip(columns, trees, strict=True)
    ]
    weights = data.weights()
    return Ordered(
        codes=_places(columns, trees, data.row_count),
        value_counts=np.array([len(column.domain) for column in columns], dtype=np.int64),
        weights=np.array([weights[name] for name in names], dtype=np.float64),
        widths=np.array([_width(data.trees.get(name), ends.get(name)) for name in names], dtype=np.float64),
        tree_starts=_starts([0 if tree is None else tree.node_count for tree in trees]),
        parents=_joined([tree.arrays.parent for tree in known]),
        last_leaves=_joined([tree.arrays.last_leaf for tree in known]),
        node_sizes=_joined([tree.sizes for tree in known]),
        number_starts=_starts([len(part) for part in numbers]),
        numbers=np.concatenate([np.empty(0), *numbers]),
    )


def _places(columns: Sequence[Coded], trees: Sequence[Hierarchy | None], row_count: int) -> Ints:
    places = np.empty((row_count, len(columns)), dtype=np.int64)
    for number, (column, tree) in enumerate(zip(columns, trees, strict=True)):
        places[:, number] = column.codes
        if tree is not None:
            places[column.codes == tree.root, number] = len(column.domain) + 1
    return places


def _numbers(column: Coded) -> Floats:
    return np.empty(0) if column.domain.numbers is None else column.domain.numbers


def _width(tree: Hierarchy | None, ends: Ends | None) -> float:
    if tree is not None:
        return float(tree.leaf_count)
    return ends.half_width if ends is not None and ends.half_width > 0 else 1.0


def _starts(lengths: Sequence[int]) -> Ints:
    """Where each piece begins when pieces are joined; absent where a piece is empty."""
    starts = np.cumsum([0, *lengths])[:-1]
    return np.where(np.array(lengths, dtype=np.int64) > 0, starts, _ABSENT).astype(np.int64)


def _joined(pieces: Sequence[Ints]) -> Ints:
    return np.concatenate([np.empty(0, dtype=np.int64), *pieces])
