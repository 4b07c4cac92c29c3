"""Whatever an algorithm decided, applied in one way."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints
from shoal.recoding.apply import Applied, apply
from shoal.recoding.apply_cuts import apply_cuts, apply_item_nodes
from shoal.recoding.cuts import Cuts
from shoal.recoding.groups import Groups
from shoal.recoding.item_nodes import ItemNodes
from shoal.recoding.joint import Joint
from shoal.recoding.pieces import Pieces
from shoal.recoding.synthetic import Synthetic
from shoal.table.columns import Table
from shoal.table.roles import Role

OfRows = Groups | Cuts | ItemNodes | Joint
Recoding = OfRows | Pieces | Synthetic


def apply_recoding(
    table: Table,
    trees: Mapping[str, Hierarchy],
    roles: Mapping[str, Role],
    recoding: OfRows,
    *,
    smallest: int,
    people: Ints | None = None,
) -> Applied:
    """The table as it is published, in the order of the original, which must be shuffled before it leaves."""
    if isinstance(recoding, Cuts):
        return apply_cuts(table, trees, roles, recoding)
    if isinstance(recoding, ItemNodes):
        return apply_item_nodes(table, trees, recoding)
    if isinstance(recoding, Joint):
        return _apply_joint(table, trees, roles, recoding)
    return apply(table, trees, roles, recoding, smallest=smallest, people=people)


def _apply_joint(
    table: Table, trees: Mapping[str, Hierarchy], roles: Mapping[str, Role], joint: Joint
) -> Applied:
    applied = apply(table, trees, roles, joint.groups, smallest=1)
    for cuts in joint.cuts:
        applied = apply_cuts(applied.table, trees, roles, cuts)
    return applied
