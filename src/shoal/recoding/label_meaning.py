"""What published labels stand for: the original values of a column, or the items of a set."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.values import listed, numbers_of
from shoal.kernels.arrays import Bools, Ints
from shoal.recoding.label_cover import union_covers
from shoal.table.columns import Domain

SUPPRESSED_CELL = "*"

_RANGE = re.compile(r"\[(?P<low>.+), (?P<high>.+)\]")


def spans_of_labels(
    column: str, labels: Sequence[str], original: Domain, tree: Hierarchy | None
) -> tuple[Ints, Ints]:
    """First and last original code that each label stands for, and behind the labels the missing value.

    Codes are in the order of the column: leaves of its tree, or its values; the missing value is the code
    behind the last. A suppressed cell stands for everything. BadInput lists labels that stand for nothing.
    """
    first, last, known = _spans_of_ranges(labels, original) if tree is None else _spans_of_nodes(labels, tree)
    everything = np.array([label == SUPPRESSED_CELL for label in labels], dtype=np.bool_) & ~known
    first[everything], last[everything] = 0, original.missing
    _refuse_unknown(column, labels, known | everything)
    return np.append(first, original.missing), np.append(last, original.missing)


def items_of_labels(
    column: str, labels: Sequence[str], original: Domain, tree: Hierarchy | None
) -> list[range | list[int]]:
    """The original items that each label of a set stands for; BadInput lists labels that stand for nothing.

    A label is a node of the tree or an item, or several items united as in `(A|B)`.
    """
    code_of = {text: code for code, text in enumerate(original.texts())}
    items: list[range | list[int]] = [_united_items(label, code_of) for label in labels]
    if tree is not None:
        first, last, is_node = _spans_of_nodes(labels, tree)
        for index in np.flatnonzero(is_node).tolist():
            items[index] = range(int(first[index]), min(int(last[index]), tree.leaf_count - 1) + 1)
    _refuse_unknown(column, labels, np.array([len(found) > 0 for found in items], dtype=np.bool_))
    return items


def _spans_of_nodes(labels: Sequence[str], tree: Hierarchy) -> tuple[Ints, Ints, Bools]:
    node_of = {label: node for node, label in enumerate(tree.labels) if node != tree.missing}
    nodes = np.array([node_of.get(label, -1) for label in labels], dtype=np.int64)
    return tree.arrays.first_leaf[nodes], tree.arrays.last_leaf[nodes], nodes >= 0


def _spans_of_ranges(labels: Sequence[str], original: Domain) -> tuple[Ints, Ints, Bools]:
    """Ranges `[lo, hi]` of numbers or dates, or the one value that a range holds."""
    ends = [
        found.group("low", "high") if (found := _RANGE.fullmatch(label)) else (label, label)
        for label in labels
    ]
    if original.numbers is None:
        code_of = {text: code for code, text in enumerate(original.texts())}
        codes = np.array([code_of.get(label, -1) for label in labels], dtype=np.int64)
        return codes, codes.copy(), codes >= 0
    low, high = (numbers_of([end[side] for end in ends], original.kind) for side in (0, 1))
    known = np.isfinite(low) & np.isfinite(high)
    first = np.searchsorted(original.numbers, np.where(known, low, 0.0), side="left")
    last = np.searchsorted(original.numbers, np.where(known, high, 0.0), side="right") - 1
    return first.astype(np.int64), last.astype(np.int64), known


def _united_items(label: str, code_of: Mapping[str, int]) -> list[int]:
    if label in code_of:
        return [code_of[label]]
    known = [union.values for union in union_covers(label) if all(part in code_of for part in union.values)]
    return [code_of[part] for part in known[0]] if len(known) == 1 else []


def _refuse_unknown(column: str, labels: Sequence[str], known: Bools) -> None:
    unknown = [label for label, is_known in zip(labels, known.tolist(), strict=True) if not is_known]
    if unknown:
        raise BadInput(
            Problem(
                f"the published file holds {listed(unknown)}, which stand for no value of the original",
                "name the original and the policy from which the file was made",
                column=column,
            )
        )
