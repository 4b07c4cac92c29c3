"""Whatever an algorithm decided, applied in one way."""

from collections.abc import Mapping

import numpy as np

from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints
from shoal.recoding.apply import Applied, Order, apply_clusters, published_sets
from shoal.recoding.chunk_recoding import ChunkRecoding
from shoal.recoding.rows import RowRecoding
from shoal.recoding.synthetic import Synthetic
from shoal.table.columns import Table
from shoal.table.roles import Role

Recoding = RowRecoding | ChunkRecoding | Synthetic


def apply_recoding(
    table: Table,
    trees: Mapping[str, Hierarchy],
    roles: Mapping[str, Role],
    recoding: RowRecoding,
    *,
    smallest: int,
    people: Ints | None = None,
    order: Order | None = None,
) -> Applied:
    """The table as it is published, in the order of the original, which must be shuffled before it leaves.

    For `smallest`, `people` and `order` see `apply_clusters`.
    """
    sets = {each.column: published_sets(table, trees, roles, each) for each in recoding.items}
    table = table.replacing(sets)
    withheld = [each.withheld for each in recoding.items if each.withheld is not None]
    if recoding.clusters is not None and not withheld:
        return apply_clusters(
            table, trees, roles, recoding.clusters, smallest=smallest, people=people, order=order
        )
    if recoding.clusters is None:
        applied = Applied.unchanged(table)
    else:
        applied = apply_clusters(table, trees, roles, recoding.clusters, smallest=smallest, people=people)
    if withheld:
        applied = applied.taking(np.flatnonzero(~np.logical_or.reduce(withheld)[applied.rows]))
    return applied if order is None else applied.in_order(order(applied.table.row_count))
