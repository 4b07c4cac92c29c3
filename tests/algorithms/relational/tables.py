"""Random tables with unbalanced trees, missing values, suppressed cells and people with several rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import NO_PARENT, Hierarchy, tree_from_nodes, tree_from_parents
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Role, Sensitive
from tests.builders import local_data
from tests.hierarchy.trees import parent_maps

NUMBERS = st.none() | st.integers(-3, 6) | st.sampled_from([0.25, 1.5, 2.125])
WHOLE_NUMBERS = st.none() | st.integers(-3, 6)


@dataclass(frozen=True)
class Drawn:
    rows: list[tuple[Any, ...]]
    roles: dict[str, Role]
    trees: dict[str, Hierarchy]
    subjects: list[int] | None

    @property
    def data(self) -> LocalData:
        return local_data(self.rows, self.roles, trees=self.trees, subjects=self.subjects)

    @property
    def on_trees(self) -> Drawn:
        """The same table with a tree for each quasi-identifier."""
        trees = {
            name: self.trees.get(name) or number_tree(row[place] for row in self.rows)
            for place, (name, role) in enumerate(self.roles.items())
            if isinstance(role, Quasi)
        }
        return replace(self, trees=trees)


def number_tree(values: Iterable[float | None]) -> Hierarchy:
    """Numbers in threes under the root; those that are left over are directly under it."""
    numbers = sorted({value for value in values if value is not None})
    threes = [f"{numbers[i]}.." for i in range(0, len(numbers) - 2, 3)]
    parents = [1 + i // 3 if i // 3 < len(threes) else 0 for i in range(len(numbers))]
    labels = ["*", *threes, *map(str, numbers)]
    return tree_from_nodes(labels, [NO_PARENT, *[0] * len(threes), *parents], order=range(len(labels)))


@st.composite
def tables(draw: st.DrawFn, least_rows: int = 1, most_rows: int = 16, with_subjects: bool = True) -> Drawn:
    """Up to four quasi-identifiers, trees first, and a sensitive column `illness` of small numbers."""
    roles: dict[str, Role] = {}
    trees: dict[str, Hierarchy] = {}
    cells = []
    weights = st.sampled_from([1.0, 1.0, 0.5, 2.0, 0.0])
    for number in range(draw(st.integers(0, 2))):
        tree = tree_from_parents(draw(parent_maps(most_nodes=9)))
        trees[f"tree{number}"] = tree
        roles[f"tree{number}"] = Quasi(weight=draw(weights))
        cells.append(st.sampled_from([*tree.leaf_labels, None, tree.labels[tree.root]]))
    for number in range(draw(st.integers(0 if trees else 1, 2))):
        roles[f"number{number}"] = Quasi(kind=Kind.NUMBER, weight=draw(weights))
        cells.append(draw(st.sampled_from([NUMBERS, WHOLE_NUMBERS])))
    roles["illness"] = Sensitive(kind=Kind.NUMBER)
    cells.append(st.sampled_from([1, 2, 5, None]))
    rows = draw(st.lists(st.tuples(*cells), min_size=least_rows, max_size=most_rows))
    subjects = None
    if with_subjects and draw(st.booleans()):
        subjects = draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    return Drawn(rows, roles, trees, subjects)
