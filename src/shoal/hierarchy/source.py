"""Where trees come from."""

from typing import Protocol, runtime_checkable

from shoal.hierarchy.tree import Hierarchy
from shoal.table.columns import Domain


@runtime_checkable
class TreeSource(Protocol):
    """A recipe for a column's tree: a file or a builder."""

    def describe(self) -> str:
        """The recipe in a few words."""

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree for these values; its labels do not contain the separator of a set."""
