"""A recoding that comes from elsewhere, and whether it is one of the data at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints
from shoal.recoding.basis import StatedModel
from shoal.recoding.chunk_recoding import ChunkRecoding
from shoal.recoding.cuts import ItemNodes
from shoal.recoding.recoding import Recoding
from shoal.recoding.rows import RowRecoding
from shoal.recoding.synthetic import Synthetic
from shoal.table.columns import Coded, Sets, Table

_OTHER_DATA = "use the data and the policy that it was decided for"


@dataclass(frozen=True, slots=True, eq=False)
class SavedTree:
    """As much of a tree as tells it from others."""

    labels: tuple[str, ...]
    leaf_count: int
    parents: Ints

    def is_that_of(self, tree: Hierarchy | None) -> bool:
        """Whether the numbers of its nodes mean the same in another tree."""
        return (
            tree is not None
            and (self.labels, self.leaf_count) == (tree.labels, tree.leaf_count)
            and np.array_equal(self.parents, tree.arrays.parent)
        )

    def spans(self) -> tuple[Ints, Ints]:
        """The first and the last leaf under each node; the missing value is under none."""
        count = len(self.labels)
        first, last = np.full(count, self.leaf_count), np.full(count, -1)
        first[: self.leaf_count] = last[: self.leaf_count] = np.arange(self.leaf_count)
        for node, above in enumerate(self.parents.tolist()):  # children come before their parents
            if node != self.leaf_count:
                first[above] = min(first[above], first[node])
                last[above] = max(last[above], last[node])
        return first, last


@dataclass(frozen=True, slots=True, eq=False)
class SavedRecoding:
    """A recoding that was read from a file, the trees that it refers to, and what it promised."""

    recoding: Recoding
    trees: Mapping[str, SavedTree]
    promises: tuple[StatedModel, ...] = ()

    def fitting(self, table: Table, trees: Mapping[str, Hierarchy]) -> Recoding:
        """The recoding, if it is one of these data; BadInput names the columns of which it is not."""
        if problems := [*self._other_trees(trees), *_other_data(self.recoding, table)]:
            raise BadInput(*problems)
        return self.recoding

    def _other_trees(self, trees: Mapping[str, Hierarchy]) -> Iterator[Problem]:
        for column, saved in self.trees.items():
            if not saved.is_that_of(trees.get(column)):
                yield Problem("the recoding was decided for another hierarchy", _OTHER_DATA, column=column)


def row_count(recoding: RowRecoding) -> int:
    """How many rows a recoding decides about."""
    if recoding.clusters is not None:
        return len(recoding.clusters.cluster_of_row)
    first = recoding.items[0]
    return len(first.withheld if isinstance(first, ItemNodes) else first.part_of_row)


def _other_data(recoding: Recoding, table: Table) -> Iterator[Problem]:
    """What tells that a recoding was decided for another table, apart from its trees."""
    if isinstance(recoding, Synthetic):
        return
    rows = len(recoding.cluster_of_row) if isinstance(recoding, ChunkRecoding) else row_count(recoding)
    if rows != table.row_count:
        what = f"the recoding is one of {rows:,} records, and the data have {table.row_count:,}"
        yield Problem(what, _OTHER_DATA)
    elif isinstance(recoding, ChunkRecoding):
        yield from _other_items(table, recoding.column, recoding.clusters.terms.texts())
    else:
        for column in recoding.clusters.ranges if recoding.clusters is not None else ():
            content = table.columns.get(column)
            if not isinstance(content, Coded) or content.domain.numbers is None:
                yield Problem("the recoding has ranges for it, and it holds no numbers", column=column)
        for items in recoding.items:
            if isinstance(items, ItemNodes):
                yield from _other_occurrences(table, items)
            elif items.unions is not None:
                labels = items.unions.labels[: items.unions.leaf_count]
                yield from _other_items(table, items.column, list(labels))


def _other_items(table: Table, column: str, items: list[str]) -> Iterator[Problem]:
    content = table.columns.get(column)
    if not isinstance(content, Sets) or content.domain.texts() != items:
        yield Problem("the recoding was decided for other items", _OTHER_DATA, column=column)


def _other_occurrences(table: Table, items: ItemNodes) -> Iterator[Problem]:
    content = table.columns.get(items.column)
    if not isinstance(content, Sets) or len(content.narrow) != len(items.node_of_occurrence):
        yield Problem("the recoding was decided for other sets", _OTHER_DATA, column=items.column)
