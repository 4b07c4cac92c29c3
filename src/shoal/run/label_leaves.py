"""How many items the labels of published sets stand for: what it takes to know that one is absent."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.hierarchy.files import HierarchyFile
from shoal.hierarchy.tree import Hierarchy
from shoal.table.columns import Table
from shoal.table.roles import QuasiSet, Role


def leaves_by_label(trees: Mapping[str, Hierarchy]) -> dict[str, dict[str, int]]:
    """The leaves under every label of each tree."""
    return {name: dict(zip(tree.labels, tree.sizes.tolist(), strict=True)) for name, tree in trees.items()}


def leaves_from_files(table: Table, roles: Mapping[str, Role]) -> dict[str, dict[str, int]]:
    """The same for published sets whose hierarchy is a file; a built one is not known from the release."""
    return leaves_by_label(
        {
            name: role.hierarchy.tree(table.sets(name).domain, role.separator)
            for name, role in roles.items()
            if isinstance(role, QuasiSet)
            and isinstance(role.hierarchy, HierarchyFile)
            and name in table.columns
        }
    )
