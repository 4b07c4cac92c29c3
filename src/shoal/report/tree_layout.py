"""Where the nodes of a drawn tree stand: one per row, each below the one above it and a step to the right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.explain.levels import CutNode

Stretch = list[tuple[float, float]]  # across and down


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """Nodes from the top row to the bottom row; `across[i]` is how far right `nodes[i]` stands."""

    nodes: tuple[CutNode, ...]
    above: tuple[int, ...]
    across: tuple[int, ...]

    def rows_of(self, chosen: Callable[[CutNode], bool]) -> list[int]:
        """The rows of the chosen nodes."""
        return [row for row, node in enumerate(self.nodes) if chosen(node)]

    def branches(self) -> list[Stretch]:
        """Lines from each node to the one above it."""
        return [
            [(self.across[parent], parent), (self.across[parent], row), (self.across[row], row)]
            for row, parent in enumerate(self.above)
            if parent >= 0
        ]

    def cut(self) -> list[Stretch]:
        """One line from the top to the bottom through all that is published, turning between rows."""
        line: Stretch = []
        for row, node in enumerate(self.nodes):
            if node.published:
                across = self.across[row]
                if line:
                    line.append((across, line[-1][1]))
                line += [(across, row - 0.5), (across, row + 0.5)]
        return [line] if line else []


def tree_layout(nodes: Sequence[CutNode]) -> TreeLayout:
    """Each node above its branches, folded ones last."""
    children: list[list[int]] = [[] for _ in nodes]
    depths: list[int] = []
    for index, node in enumerate(nodes):
        depths.append(0 if node.parent < 0 else depths[node.parent] + 1)
        if node.parent >= 0:
            children[node.parent].append(index)
    order: list[int] = []
    waiting = [0] if nodes else []
    while waiting:
        index = waiting.pop()
        order.append(index)
        waiting += sorted(children[index], key=lambda child: (nodes[child].folded, child), reverse=True)
    row_of = {index: row for row, index in enumerate(order)}
    return TreeLayout(
        nodes=tuple(nodes[index] for index in order),
        above=tuple(row_of.get(nodes[index].parent, -1) for index in order),
        across=tuple(depths[index] for index in order),
    )
