"""Changes to a tree that a person makes: rename, move, group, dissolve."""

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import Hierarchy, tree_from_parents


@dataclass(frozen=True, slots=True)
class Rename:
    """Give an inner label another name; values of the data keep theirs."""

    label: str
    to: str


@dataclass(frozen=True, slots=True)
class Move:
    """Hang a label, with all below it, under another."""

    label: str
    under: str


@dataclass(frozen=True, slots=True)
class Group:
    """Put labels under a new one, which takes the place of the first of them."""

    labels: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Dissolve:
    """Take an inner label out; what was below it hangs under the label above."""

    label: str


Edit = Rename | Move | Group | Dissolve


def edited(tree: Hierarchy, edits: Sequence[Edit]) -> Hierarchy:
    """The tree after all edits in their order; BadInput says which cannot be made.

    Inner labels that lose everything below them vanish.
    """
    leaves = frozenset(tree.leaf_labels)
    parents = {
        tree.labels[node]: tree.labels[tree.parent(node)] for node in range(tree.root) if node != tree.missing
    }
    root = tree.labels[tree.root]
    for edit in edits:
        match edit:
            case Rename(label, to):
                _refuse_unknown_inner(label, parents, leaves, root)
                _refuse_taken(to, parents, root)
                parents = {
                    to if child == label else child: to if above == label else above
                    for child, above in parents.items()
                }
                root = to if label == root else root
            case Move(label, under):
                _refuse_unknown(label, parents)
                _refuse_unknown_inner(under, parents, leaves, root)
                if label in _way_up(under, parents):
                    raise _refused(f"{label!r} cannot hang under {under!r}, which is below it")
                parents[label] = under
            case Group(labels, name):
                _refuse_taken(name, parents, root)
                if not labels:
                    raise _refused("there is nothing to group")
                for label in labels:
                    _refuse_unknown(label, parents)
                above = parents[labels[0]]
                if set(labels) & set(_way_up(above, parents)):
                    raise _refused("a label and one below it cannot stand side by side")
                for label in labels:
                    parents[label] = name
                parents[name] = above
            case Dissolve(label):
                _refuse_unknown(label, parents)
                _refuse_unknown_inner(label, parents, leaves, root)
                up = parents.pop(label)
                parents = {child: up if above == label else above for child, above in parents.items()}
    return tree_from_parents(_without_childless(parents, leaves))


def _without_childless(parents: dict[str, str], leaves: frozenset[str]) -> dict[str, str]:
    while True:
        inner = set(parents.values())
        kept = {child: above for child, above in parents.items() if child in leaves or child in inner}
        if len(kept) == len(parents):
            return kept
        parents = kept


def _way_up(label: str, parents: dict[str, str]) -> list[str]:
    way = [label]
    while way[-1] in parents:
        way.append(parents[way[-1]])
    return way


def _refuse_unknown(label: str, parents: dict[str, str]) -> None:
    if label not in parents:
        raise _refused(f"there is no label {label!r} below the root")


def _refuse_unknown_inner(label: str, parents: dict[str, str], leaves: frozenset[str], root: str) -> None:
    if label in leaves:
        raise _refused(f"{label!r} is a value of the data, which keeps its name and has nothing below it")
    if label != root and label not in parents:
        raise _refused(f"there is no label {label!r}")


def _refuse_taken(name: str, parents: dict[str, str], root: str) -> None:
    if not name or name != " ".join(name.split()) or not name.isprintable():
        raise _refused(f"{name!r} cannot be a label")
    if name == root or name in parents:
        raise _refused(f"there is a label {name!r} already")


def _refused(what: str) -> BadInput:
    return BadInput(Problem(what, "choose another label"))
