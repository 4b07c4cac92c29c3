"""A tree as text for people."""

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import Hierarchy

_INDENT = "  "


def describe(tree: Hierarchy) -> str:
    """The tree in one line."""
    inner = tree.node_count - tree.leaf_count - 1
    return (
        f"{_counted(tree.leaf_count, 'value')} under {_counted(inner, 'label')}, height {tree.height},"
        f" root {tree.labels[tree.root]!r}"
    )


def show(tree: Hierarchy, *, children: int = 20, lines: int = 500) -> str:
    """The tree as indented lines, each inner label with the number of values under it.

    At most `children` of a node and at most `lines` in all are shown; the rest is counted.
    """
    for name, value in (("children", children), ("lines", lines)):
        if value < 1:
            raise InvalidParameter("show", name, value, "1 or more")
    shown: list[str] = []
    waiting: list[tuple[int, int | None, str]] = [(0, tree.root, _line(tree, tree.root))]
    while waiting and len(shown) < lines:
        depth, node, text = waiting.pop()
        shown.append(f"{_INDENT * depth}{text}")
        below = [] if node is None else tree.children(node).tolist()
        if len(below) > children:
            waiting.append((depth + 1, None, f"... {len(below) - children} more"))
        waiting.extend((depth + 1, child, _line(tree, child)) for child in reversed(below[:children]))
    if waiting:
        shown.append("...")
    return "\n".join(shown)


def _line(tree: Hierarchy, node: int) -> str:
    label = tree.labels[node]
    return label if node < tree.leaf_count else f"{label}  ({_counted(int(tree.sizes[node]), 'value')})"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
