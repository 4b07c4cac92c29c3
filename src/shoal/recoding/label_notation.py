"""How the labels of each kind of hierarchy are read, and what those of a published column cover.

The hierarchy of the original says which labels are values and how the others are written. What they cover
comes from the labels themselves, or from a hierarchy that its publisher lets everybody see.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.hierarchy.binding import tree_of
from shoal.hierarchy.builders import Dates, Digits, Fanout, Mask, Order, Prefixes, Ranges
from shoal.hierarchy.files import HierarchyFile
from shoal.hierarchy.tree import ROOT_LABEL, Hierarchy
from shoal.hierarchy.values import all_numbers
from shoal.recoding.label_cover import (
    EVERYTHING,
    NAME,
    Cover,
    CoverForm,
    beginning_cover,
    between_cover,
    masked_left_cover,
    masked_right_cover,
    number_of,
    range_cover,
    union_covers,
    value_cover,
)
from shoal.table.columns import Domain, Kind
from shoal.table.formulas import MARK
from shoal.table.roles import Quasi, QuasiSet

Reading = Callable[[str], Cover | None]


def may_be_published(source: object) -> bool:
    """Whether a hierarchy can be shown without telling which values the data hold."""
    return isinstance(source, Order) or (isinstance(source, HierarchyFile) and not source.outline().intervals)


def unpublishable_tree(column: str, role: Quasi | QuasiSet) -> list[Problem]:
    """Why a hierarchy cannot be shown to everybody, although its publisher asks for it."""
    try:
        if not role.publish_hierarchy or may_be_published(role.hierarchy):
            return []
    except BadInput:  # binding the column tells what is wrong with the file
        return []
    what = "publish_hierarchy would tell which values the data hold, because the hierarchy is made from them"
    return [
        Problem(what, "leave it out, or write the hierarchy as a file of values or an order", column=column)
    ]


def public_tree(name: str, role: Quasi | QuasiSet) -> Hierarchy | None:
    """The hierarchy that everybody may see, none of whose labels comes from the data."""
    if not role.publish_hierarchy or not may_be_published(role.hierarchy):
        return None
    values = role.hierarchy.values if isinstance(role.hierarchy, Order) else ()
    kind = Kind.SET if isinstance(role, QuasiSet) else Kind(role.kind)
    return tree_of(name, Domain(kind, pa.array(values, type=pa.string())), role)


def kind_of_values(role: Quasi | QuasiSet, tree: Hierarchy | None) -> Kind:
    """Whether what the labels of a column stand for are numbers, dates or texts."""
    source, kind = role.hierarchy, Kind(role.kind)
    if isinstance(source, Ranges):
        return Kind.NUMBER
    if isinstance(source, Dates):
        return Kind.DATE
    if isinstance(source, HierarchyFile) and (outline := source.outline()).intervals:
        return Kind.DATE if outline.value_type == "date" else Kind.NUMBER
    if isinstance(source, Fanout) and tree is not None and all_numbers(_values_of(tree, kind)):
        return Kind.NUMBER
    return kind if kind in (Kind.NUMBER, Kind.DATE) else Kind.CATEGORY


def texts_in(label: str) -> set[str]:
    """What in a label of a column without a hierarchy could be a value of it."""
    plain = label.removeprefix(MARK)
    return {label, plain, *(item for union in union_covers(plain) for item in union.values)}


def _values_of(tree: Hierarchy, kind: Kind) -> Domain:
    return Domain(kind, pa.array(tree.leaf_labels, type=pa.string()))


class LabelReader:
    """Reads the published labels of one column.

    `role` and `tree` are those of the original, and `values` those of its values that labels name or could
    be taken for: see `texts_in`. `shown` is the hierarchy that everybody may see.
    """

    def __init__(
        self,
        role: Quasi | QuasiSet,
        tree: Hierarchy | None,
        values: Collection[str],
        shown: Hierarchy | None = None,
    ) -> None:
        self.kind = kind_of_values(role, tree)
        self._source, self._tree, self._shown = role.hierarchy, tree, shown
        self._values = frozenset(values)
        self._node_of = {} if tree is None else {label: node for node, label in enumerate(tree.labels)}
        self._shown_node = {} if shown is None else {label: node for node, label in enumerate(shown.labels)}

    def cover(self, label: str) -> Cover:
        """What a label of the published file covers."""
        plain = label if label in self._node_of or label in self._values else label.removeprefix(MARK)
        if self._tree is None:
            return self._without_tree(label, plain)
        node = self._node_of.get(plain)
        if node is None and plain != ROOT_LABEL:
            return self._united(plain)
        if node is None or node == self._tree.root:
            return EVERYTHING
        if plain in self._shown_node:
            return values_below(self._shown_node[plain], self._shown, label, self.kind)
        if node < self._tree.leaf_count:
            return value_cover(label, self.kind)
        found = next(filter(None, (read(plain) for read in self._readings())), None)
        return found if found is not None and self._fits(found, node) else NAME

    def _without_tree(self, label: str, plain: str) -> Cover:
        if plain in self._values:
            return value_cover(label, self.kind)
        if plain == ROOT_LABEL:
            return EVERYTHING
        if self.kind is not Kind.CATEGORY:
            return range_cover(plain, self.kind) or NAME
        return self._united(plain)

    def _united(self, plain: str) -> Cover:
        """Items are united with a tree as well as without; what can be read in two ways tells nothing."""
        known = [union for union in union_covers(plain) if self._values.issuperset(union.values)]
        return known[0] if len(known) == 1 else NAME

    def _readings(self) -> Sequence[Reading]:
        match self._source:
            case Mask(side="right"):
                return (masked_right_cover,)
            case Mask():
                return (masked_left_cover,)
            case Digits() | Prefixes():
                return (beginning_cover,)
            case Fanout() if self.kind is Kind.CATEGORY:
                return (between_cover,)
            case _ if self.kind is Kind.CATEGORY:
                return ()
            case source:
                whole = isinstance(source, Ranges)
                return (lambda label: range_cover(label, self.kind, whole=whole),)

    def _fits(self, cover: Cover, node: int) -> bool:
        """Whether every value below a node is covered: labels of files can look like ranges and be none."""
        tree = self._tree
        if tree is None:
            return False
        leaves = tree.labels[tree.arrays.first_leaf[node] : tree.arrays.last_leaf[node] + 1]
        return all(cover.holds(leaf, number_of(leaf, self.kind)) for leaf in leaves)


def values_below(node: int, tree: Hierarchy | None, label: str, kind: Kind) -> Cover:
    """The values below a node of a hierarchy that everybody may see."""
    if tree is None or node < tree.leaf_count:
        return value_cover(label, kind)
    first, last = int(tree.arrays.first_leaf[node]), int(tree.arrays.last_leaf[node])
    values = tree.labels[first : last + 1]
    numbers = [number for value in values if (number := number_of(value, kind)) is not None]
    if len(numbers) < len(values):
        return Cover(CoverForm.VALUES, values=values)
    return Cover(CoverForm.VALUES, min(numbers), max(numbers), values=values)
