"""Labels that can be published: distinct within a tree, and free of the separator of a set."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import MISSING_LABEL, ROOT_LABEL, Hierarchy
from shoal.hierarchy.values import VALUES_SHOWN
from shoal.table.separators import stays_apart

_SUBSTITUTES = "_-~.+:"
_MARKS = ("~", "+")  # the second for sets whose separator holds the first


def without_separator(label: str, separator: str) -> str:
    """The label with `_` in place of the separator (`-` where the separator itself is `_`).

    An end that would run into the separator behind it is replaced, too.
    """
    substitute = "-" if separator == "_" else "_"
    while separator in label:
        label = label.replace(separator, substitute)
    apart = next(character for character in _SUBSTITUTES if character not in separator)
    return label if stays_apart(label, separator) else label[:-1] + apart


def with_publishable_labels(tree: Hierarchy, separator: str | None = None) -> Hierarchy:
    """The same tree with labels that are distinct and do not contain the separator.

    Leaves keep their labels unless they contain the separator. An inner label that is taken already is
    followed by as many `~` as it takes to be distinct. A notice lists what was renamed. Raises BadInput for
    a leaf that is called like the root.
    """
    if separator is not None and ROOT_LABEL in separator:
        raise BadInput(
            Problem(f"the separator {separator!r} contains '*', the label of everything", "choose another")
        )
    labels = list(tree.labels)
    taken = {MISSING_LABEL}
    for node in _by_right_to_their_label(tree, separator):
        labels[node] = _free_label(labels[node], taken, separator)
        taken.add(labels[node])
    renamed = {old: new for old, new in zip(tree.labels, labels, strict=True) if old != new}
    if not renamed:
        return tree
    return replace(tree, labels=tuple(labels)).noting(_renamed_notice(renamed))


def _by_right_to_their_label(tree: Hierarchy, separator: str | None) -> Iterator[int]:
    """Leaves that may keep their labels, the root, then all that may have to give way."""
    root_label = tree.labels[tree.root]
    if root_label in set(tree.leaf_labels):
        raise BadInput(
            Problem(
                "is a value and also the label of the tree's root",
                "list it among the missing values, or write it in another way",
                value=root_label,
            )
        )
    apart = [
        leaf
        for leaf in range(tree.leaf_count)
        if separator is not None and not stays_apart(tree.labels[leaf], separator)
    ]
    yield from sorted(set(range(tree.leaf_count)).difference(apart))
    yield tree.root
    yield from apart
    yield from range(tree.missing + 1, tree.root)


def _free_label(label: str, taken: set[str], separator: str | None) -> str:
    free = label if separator is None else without_separator(label, separator)
    mark = _MARKS[1] if separator is not None and _MARKS[0] in separator else _MARKS[0]
    while free in taken:
        free += mark
    return free


def _renamed_notice(renamed: Mapping[str, str]) -> str:
    shown = ", ".join(f"{old!r} as {new!r}" for old, new in list(renamed.items())[:VALUES_SHOWN])
    more = f" and {len(renamed) - VALUES_SHOWN} more" if len(renamed) > VALUES_SHOWN else ""
    return f"labels that were taken or contained the separator are written differently: {shown}{more}"
