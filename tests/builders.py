"""Small data sets written by hand: plain rows and nested trees become `LocalData`.

    colours = tree({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})
    data = local_data(
        [("red", 31, "flu"), (None, 28, "cold")],
        {"colour": Quasi(), "age": Quasi(kind=Kind.NUMBER), "illness": Sensitive()},
        trees={"colour": colours},
    )

None is a missing value; in a column with a tree the root's label is a suppressed cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy, tree_from_parents
from shoal.kernels.arrays import frozen_floats, frozen_ints
from shoal.table.columns import Carried, Coded, Column, Domain, Kind, Sets, Table
from shoal.table.roles import Identifier, Insensitive, QuasiSet, Role

Nested = Mapping[str, Any] | Sequence[str]

EPOCH = date(1970, 1, 1)


def tree(nested: Mapping[str, Nested]) -> Hierarchy:
    """The tree of nested mappings; a list holds leaves, and so does a mapping to something empty."""
    ((root, below),) = nested.items()
    return tree_from_parents(dict(_edges(root, below)))


def flat_tree(labels: Iterable[str], root: str = "*") -> Hierarchy:
    """All labels directly under the root."""
    return tree({root: list(labels)})


def local_data(
    rows: Sequence[Sequence[Any]],
    roles: Mapping[str, Role],
    *,
    trees: Mapping[str, Hierarchy] | None = None,
    subjects: Sequence[int] | None = None,
) -> LocalData:
    """The rows as a table whose columns are the roles in their order."""
    trees = trees or {}
    columns = {
        name: column([row[place] for row in rows], role, trees.get(name))
        for place, (name, role) in enumerate(roles.items())
    }
    return LocalData(
        Table.of(columns, len(rows)),
        dict(roles),
        dict(trees),
        None if subjects is None else frozen_ints(subjects),
    )


def column(values: Sequence[Any], role: Role, hierarchy: Hierarchy | None = None) -> Column:
    """One column as its role says."""
    if isinstance(role, Identifier | Insensitive):
        return Carried(pa.chunked_array([pa.array(values)]))
    if isinstance(role, QuasiSet):
        return set_column(values, role.separator, hierarchy)
    if hierarchy is not None:
        return column_on_tree(values, hierarchy, role.kind)
    return column_of_kind(values, role.kind)


def column_on_tree(values: Sequence[Any], hierarchy: Hierarchy, kind: Kind = Kind.CATEGORY) -> Coded:
    """Values as leaves of a tree."""
    code_of = {label: leaf for leaf, label in enumerate(hierarchy.leaf_labels)}
    code_of[hierarchy.labels[hierarchy.root]] = hierarchy.root
    codes = [hierarchy.missing if value is None else code_of[str(value)] for value in values]
    labels = pa.array(hierarchy.leaf_labels, type=pa.string())
    numbers = None
    if kind == Kind.NUMBER:
        numbers = frozen_floats([float(label) for label in hierarchy.leaf_labels])
    return Coded.of(codes, Domain(kind, labels, numbers))


def column_of_kind(values: Sequence[Any], kind: Kind) -> Coded:
    """Values without a tree, in their own order."""
    distinct = sorted({value for value in values if value is not None})
    code_of = {value: code for code, value in enumerate(distinct)}
    codes = [len(distinct) if value is None else code_of[value] for value in values]
    labels = pa.array([str(value) for value in distinct], type=pa.string())
    numbers = None
    if kind == Kind.NUMBER:
        numbers = frozen_floats([float(value) for value in distinct])
    if kind == Kind.DATE:
        numbers = frozen_floats([float((value - EPOCH).days) for value in distinct])
    return Coded.of(codes, Domain(kind, labels, numbers))


def set_column(
    values: Sequence[Iterable[str]], separator: str = " ", hierarchy: Hierarchy | None = None
) -> Sets:
    """Sets of labels; codes are leaves of the tree, or places in the sorted list of items."""
    if hierarchy is not None:
        items = list(hierarchy.leaf_labels)
    else:
        items = sorted({item for value in values for item in value})
    code_of = {item: code for code, item in enumerate(items)}
    codes = [sorted({code_of[item] for item in value}) for value in values]
    starts = np.concatenate(([0], np.cumsum([len(row) for row in codes], dtype=np.int64)))
    return Sets.of(
        starts,
        [code for row in codes for code in row],
        Domain(Kind.SET, pa.array(items, type=pa.string())),
        separator,
    )


def _edges(parent: str, below: Nested) -> Iterator[tuple[str, str]]:
    for child in below:
        yield child, parent
        if isinstance(below, Mapping):
            yield from _edges(child, below[child])
