"""Quasi-identifiers as clusterings see them: distinct records on trees, with what each node costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels import generalized_records as closures
from shoal.kernels.arrays import Floats, Ints, wide
from shoal.kernels.generalized_records import NO_TABLE, Trees, UnionCosts, fill_table
from shoal.kernels.grouping import members
from shoal.metrics.covers import node_cover
from shoal.metrics.node_costs import NODE_COSTS, NodeCost, node_cost
from shoal.metrics.relational import leaf_counts, normalized_weights
from shoal.table.columns import Coded

MEASURES = tuple(NODE_COSTS)

_NODES_IN_A_TABLE = 512


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The distinct records of a table, in the order of their values, so that the order of rows is forgotten.

    nodes[r, j] is the node of record r in column j, numbered as in `trees`. Record r is that of counts[r]
    rows of the table, those at rows[row_starts[r]:row_starts[r + 1]]; a position in `rows` is called a place,
    and record_of_place[p] is its record. The cost of a record published as a vector of nodes is the sum of
    trees.cost over them. The arrays are not to be written; they are not frozen, because kernels that take
    closures, too, would have to be compiled twice.
    """

    columns: tuple[str, ...]
    measure: str
    trees: Trees
    nodes: Ints
    counts: Ints
    row_starts: Ints
    rows: Ints
    record_of_place: Ints
    record_of_row: Ints

    @classmethod
    def of(cls, data: LocalData, measure: str | NodeCost) -> Self:
        """The records of a table whose quasi-identifiers all have trees; BadInput lists those without.

        The measure is a name of NODE_COSTS, or any other cost per published cell. Columns count by their
        weights, whatever the measure.
        """
        trees = _trees_of(data)
        starts = np.cumsum([0, *(tree.node_count for tree in trees)], dtype=np.int64)
        columns = [data.table.coded(name) for name in data.quasi]
        record_of_row, nodes = _distinct(data, starts)
        row_starts, rows = members(record_of_row, len(nodes))
        counts = np.diff(row_starts)
        return cls(
            columns=data.quasi,
            measure=measure if isinstance(measure, str) else getattr(measure, "__name__", "cost"),
            trees=_joined(trees, starts, _costs(data, columns, trees, measure)),
            nodes=nodes,
            counts=counts,
            row_starts=row_starts,
            rows=rows,
            record_of_place=np.repeat(np.arange(len(nodes), dtype=np.int64), counts),
            record_of_row=record_of_row,
        )

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def row_count(self) -> int:
        """How many rows the table has."""
        return len(self.record_of_row)

    @property
    def monotone(self) -> bool:
        """Whether a coarser node of these trees never costs less than a finer one."""
        return bool((self.trees.cost[self.trees.parent] >= self.trees.cost).all())

    def room_for_union_costs(self) -> UnionCosts:
        """Empty costs of the right size."""
        size = len(self.trees.cost)
        return UnionCosts(np.empty(size, dtype=np.float64), np.empty(size, dtype=np.int64))

    def union_cost(self, first: Ints, second: Ints) -> float:
        """The cost of a record published as the union of two vectors of nodes."""
        return closures.union_cost(self.trees, first, second)


def _trees_of(data: LocalData) -> list[Hierarchy]:
    problems = [
        Problem("this algorithm needs a hierarchy for it", _remedy(data, name), column=name)
        for name in data.quasi
        if name not in data.trees
    ]
    if problems:
        raise BadInput(*problems)
    return [data.trees[name] for name in data.quasi]


def _remedy(data: LocalData, name: str) -> str:
    if data.table.coded(name).domain.numbers is None:
        return "give it one, such as a file or { flat = true }"
    remedy = "give it one, such as { ranges = [5, 10, 20] } or { fanout = 5 }"
    return remedy if data.quasi_sets else f"{remedy}, or use mondrian"


def _distinct(data: LocalData, starts: Ints) -> tuple[Ints, Ints]:
    """The record of each row and the distinct records in the order of their values."""
    classes = data.classes(data.quasi)
    distinct = np.empty((len(classes), len(data.quasi)), dtype=np.int64)
    for number, name in enumerate(data.quasi):
        distinct[:, number] = wide(data.table.coded(name).narrow[classes.first_rows])
        distinct[:, number] += starts[number]
    order = np.lexsort(distinct.T[::-1]) if data.quasi else np.arange(len(distinct))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[classes.class_of_row], distinct[order]


def _costs(
    data: LocalData, columns: Sequence[Coded], trees: Sequence[Hierarchy], measure: str | NodeCost
) -> list[Floats]:
    cost = node_cost(measure) if isinstance(measure, str) else measure
    weights = normalized_weights(data.weights())
    return [
        weights[name] * cost(node_cover(tree, column.domain.numbers, leaf_counts(column, tree.leaf_count)))
        for name, column, tree in zip(data.quasi, columns, trees, strict=True)
    ]


def _joined(trees: Sequence[Hierarchy], starts: Ints, costs: Sequence[Floats]) -> Trees:
    none: Ints = np.empty(0, dtype=np.int64)
    plain = Trees(
        starts=starts,
        parent=np.concatenate(
            [none, *(tree.arrays.parent + start for tree, start in zip(trees, starts[:-1], strict=True))]
        ),
        first_leaf=np.concatenate([none, *(tree.arrays.first_leaf for tree in trees)]),
        last_leaf=np.concatenate([none, *(tree.arrays.last_leaf for tree in trees)]),
        cost=np.concatenate([np.empty(0), *costs]),
        unions=none,
        union_rows=np.full(starts[-1], NO_TABLE, dtype=np.int64),
    )
    tables, used = [none], 0
    for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        width = end - begin
        if width <= _NODES_IN_A_TABLE:
            table = np.empty(width * width, dtype=np.int64)
            fill_table(plain, begin, end, table)
            plain.union_rows[begin:end] = used + np.arange(width) * width - begin
            tables.append(table)
            used += len(table)
    return plain._replace(unions=np.concatenate(tables))
