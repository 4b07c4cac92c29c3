"""A column meets its hierarchy: its codes become nodes of the tree.

Sensitive items of a set are not generalized. A builder does not see them, so that no built label tells of
them, and a file may lack them; what the tree lacks becomes a leaf directly under the root. Below the root
they change no node's size.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.hierarchy.files import HierarchyFile
from shoal.hierarchy.labels import with_publishable_labels
from shoal.hierarchy.source import TreeSource
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.unknown import Unknown, unknown_values
from shoal.hierarchy.values import listed, numbers_of
from shoal.kernels.arrays import Ints, freeze, frozen_codes, frozen_floats, in_pieces, looked_up, piece_of
from shoal.table.canonical import canonical
from shoal.table.columns import Coded, Column, Domain, Sets
from shoal.table.multisets import is_counted, item_of
from shoal.table.pairs import sets_of_pieces
from shoal.table.roles import HierarchySource, Quasi, QuasiSet
from shoal.table.written import how_written

_VANISHED = -1


@dataclass(frozen=True, slots=True, eq=False)
class BoundColumn:
    """A column whose codes are nodes of a tree, and what the reader should know about it.

    The domain are the leaves. Of inner nodes only the root may occur: a cell that is suppressed because its
    value is unknown to the hierarchy.
    """

    column: Coded | Sets
    tree: Hierarchy
    notices: tuple[str, ...] = ()


def bind(
    name: str, column: Column, role: Quasi | QuasiSet, source: HierarchySource | None = None
) -> BoundColumn:
    """Bind a column to the tree of its role, or of another source.

    Raises BadInput with all problems of a file, or with all values that the hierarchy lacks unless the role
    says what happens to them.
    """
    if not isinstance(column, Coded | Sets):
        raise TypeError(f"column {name!r} is carried through and cannot have a hierarchy")
    tree = tree_of(name, column.domain, role, source)
    apart = _sensitive_items(role)
    unknown = unknown_values(column, tree.leaf_labels, apart)
    if len(unknown) and role.unknown == "error":
        raise BadInput(*unknown.problems(tree.leaf_labels, name))
    lacked = set(unknown.labels) if role.unknown == "root" else set()
    separator = role.separator if isinstance(role, QuasiSet) else None
    tree = _with_more_leaves(tree, column.domain, apart.union(lacked), separator)
    nodes = _node_of_each_code(column.domain, tree)
    if role.unknown == "suppress" and isinstance(column, Coded):
        nodes[unknown.codes] = tree.root
    notices = (*tree.notices, *_unknown_notices(unknown, role))
    return BoundColumn(
        _on_leaves(column, nodes, tree), tree, tuple(f"column {name!r}: {notice}" for notice in notices)
    )


def bind_part(column: Coded | Sets, role: Quasi | QuasiSet, tree: Hierarchy) -> Coded | Sets:
    """Bind some rows of a column to the tree that was made for all of them, whose values it must know.

    Values that it lacks because the role suppresses them become suppressed cells, or vanish from their set.
    """
    nodes = _node_of_each_code(column.domain, tree)
    if role.unknown == "suppress" and isinstance(column, Coded):
        nodes[nodes == _VANISHED] = tree.root
    return _on_leaves(column, nodes, tree)


def tree_of(
    name: str, domain: Domain, role: Quasi | QuasiSet, source: HierarchySource | None = None
) -> Hierarchy:
    """The tree that a role, or another source, gives for these values; it may lack some of them."""
    recipe = source or role.hierarchy
    if not isinstance(recipe, TreeSource):
        what = "has no hierarchy" if recipe is None else f"has no usable hierarchy, but {recipe!r}"
        raise BadInput(Problem(what, "give it a file or a builder such as flat", column=name))
    separator = role.separator if isinstance(role, QuasiSet) else None
    multiset = isinstance(role, QuasiSet) and role.multiset
    items = _items_without_counts(domain) if multiset else domain
    try:
        if isinstance(recipe, HierarchyFile):
            tree = recipe.outline().tree_over(items, separator, how_written(role))
        else:
            tree = recipe.tree(_without(items, _sensitive_items(role)), separator)
        return with_publishable_labels(_with_counts(tree, domain), separator) if multiset else tree
    except BadInput as error:
        problems = (
            problem if problem.column else replace(problem, column=name) for problem in error.problems
        )
        raise BadInput(*problems) from error


def _items_without_counts(domain: Domain) -> Domain:
    return Domain(domain.kind, pa.array(sorted(set(map(item_of, domain.texts()))), type=pa.string()))


def _with_counts(tree: Hierarchy, domain: Domain) -> Hierarchy:
    """The tree with the counts of each item below it, fewer before more."""
    leaf_of = {label: leaf for leaf, label in enumerate(tree.leaf_labels)}
    counted = [label for label in domain.texts() if is_counted(label) and item_of(label) in leaf_of]
    by_count = sorted(counted, key=lambda label: (len(label), label))
    return tree.with_leaves([(label, leaf_of[item_of(label)]) for label in by_count])


def _sensitive_items(role: Quasi | QuasiSet) -> set[str]:
    return set(map(canonical, role.sensitive)) if isinstance(role, QuasiSet) else set()


def _without(domain: Domain, labels: Collection[str]) -> Domain:
    kept = np.array([text not in labels for text in domain.texts()], dtype=np.bool_)
    if kept.all():
        return domain
    numbers = None if domain.numbers is None else frozen_floats(domain.numbers[kept])
    return Domain(domain.kind, domain.labels.filter(pa.array(kept)), numbers)


def _with_more_leaves(
    tree: Hierarchy, domain: Domain, wanted: Collection[str], separator: str | None
) -> Hierarchy:
    known = set(tree.leaf_labels)
    more = [text for text in domain.texts() if text in wanted and text not in known]
    return with_publishable_labels(tree.with_leaves_under_root(more), separator) if more else tree


def _node_of_each_code(domain: Domain, tree: Hierarchy) -> Ints:
    """The leaf of every value, and the missing value's node behind them; values without a leaf vanish."""
    leaf_of = {label: leaf for leaf, label in enumerate(tree.leaf_labels)}
    leaves = [leaf_of.get(text, _VANISHED) for text in domain.texts()]
    return np.array([*leaves, tree.missing], dtype=np.int64)


def _on_leaves(column: Coded | Sets, nodes: Ints, tree: Hierarchy) -> Coded | Sets:
    domain = _domain_of_leaves(column.domain, nodes, tree)
    if np.array_equal(nodes, np.arange(len(nodes))):  # the data have all leaves, in the order of the tree
        return replace(column, domain=domain)
    if isinstance(column, Coded):
        return Coded(freeze(looked_up(frozen_codes(nodes), column.narrow)), domain)
    sets = column.arrays
    pieces = (
        (np.diff(sets.starts[first : behind + 1]), nodes[piece_of(sets, first, behind).items])
        for first, behind in in_pieces(sets.starts)
    )
    bound, _ = sets_of_pieces(pieces, len(column), len(sets.items), domain, column.separator)
    return bound


def _domain_of_leaves(domain: Domain, nodes: Ints, tree: Hierarchy) -> Domain:
    labels = pa.array(tree.leaf_labels, type=pa.string())
    if domain.numbers is None:
        return Domain(domain.kind, labels)
    numbers = numbers_of(tree.leaf_labels, domain.kind)
    leaves = nodes[:-1]
    on_leaf = (leaves != _VANISHED) & (leaves < tree.leaf_count)
    numbers[leaves[on_leaf]] = domain.numbers[on_leaf]
    return Domain(domain.kind, labels, frozen_floats(numbers))


def _unknown_notices(unknown: Unknown, role: Quasi | QuasiSet) -> list[str]:
    if not len(unknown):
        return []
    if role.unknown == "root":
        fate = "hang directly under its root"
    else:
        fate = "are suppressed" if isinstance(role, Quasi) else "vanish from their sets"
    return [f"{unknown.summary()} that the hierarchy lacks {fate}: {listed(unknown.labels)}"]
