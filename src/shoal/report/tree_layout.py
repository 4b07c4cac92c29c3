"""Where the nodes of a drawn tree stand: one per row, each below the one above it and a step to the right."""

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.explain.levels import CutNode

Points = tuple[list[float | None], list[float | None]]  # across and down; None breaks a line


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """Nodes from the top row to the bottom row; `across[i]` is how far right `nodes[i]` stands."""

    nodes: tuple[CutNode, ...]
    above: tuple[int, ...]
    across: tuple[int, ...]

    def branches(self) -> Points:
        """Lines from each node to the one above it."""
        across: list[float | None] = []
        down: list[float | None] = []
        for row, parent in enumerate(self.above):
            if parent >= 0:
                across += [self.across[parent], self.across[parent], self.across[row], None]
                down += [parent, row, row, None]
        return across, down

    def cut(self) -> Points:
        """One line from the top to the bottom through all that is published, turning between rows."""
        across: list[float | None] = []
        down: list[float | None] = []
        for row, node in enumerate(self.nodes):
            if node.published:
                if down:
                    across.append(self.across[row])
                    down.append(down[-1])
                across += [self.across[row]] * 2
                down += [row - 0.5, row + 0.5]
        return across, down


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
