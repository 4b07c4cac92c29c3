"""The cheapest way to mend one itemset by generalizing its own items."""

from __future__ import annotations

import heapq

from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.violations import Questions, Violation
from shoal.kernels.arrays import Bools

_Nodes = tuple[int, ...]


class Repairs:
    """Finds, for a violation, the nodes that its own are to be replaced by.

    Of all ways to exchange nodes for nodes above them, the image of the violation must no longer break the
    promise; the way taken adds the least loss, then covers the fewest leaves, then has the smaller node
    numbers. Only `allowed` nodes are used, by default all.
    """

    def __init__(self, violations: Questions, cut: Cut, allowed: Bools | None = None) -> None:
        self._violations, self._cut, self._allowed = violations, cut, allowed
        transactions = violations.transactions
        self._parent: list[int] = transactions.tree.arrays.parent.tolist()
        self._first: list[int] = transactions.leaves.first.tolist()
        self._last: list[int] = transactions.leaves.last.tolist()

    def cheapest(self, violation: Violation) -> _Nodes | None:
        """The nodes to move the cut up to; None if no allowed ones mend the violation.

        Moving any node up never lowers what the choice is made by, so the first that mends is the best.
        """
        start = tuple(sorted({*violation.present, *violation.absent}))
        waiting = [(0, 0, start)]
        met = {start}
        while waiting:
            _, _, nodes = heapq.heappop(waiting)
            if nodes != start and self._mends(nodes, violation):
                return tuple(node for node in nodes if node not in start)
            for node in nodes:
                raised = self._raised(nodes, node)
                if raised is not None and raised not in met:
                    met.add(raised)
                    heapq.heappush(waiting, (*self._price(raised, start), raised))
        return None

    def _raised(self, nodes: _Nodes, node: int) -> _Nodes | None:
        """The nodes with one of them exchanged for its parent, which takes up what it covers."""
        above = self._parent[node]
        if above == node or not (self._allowed is None or self._allowed[above]):
            return None
        return tuple(sorted({above, *(other for other in nodes if not self._covers(above, other))}))

    def _price(self, nodes: _Nodes, start: _Nodes) -> tuple[int, int]:
        added = sum(self._cut.added_loss(node) for node in nodes if node not in start)
        return added, sum(self._last[node] - self._first[node] + 1 for node in nodes)

    def _mends(self, nodes: _Nodes, violation: Violation) -> bool:
        return not self._violations.breaks(
            self._image(nodes, violation.present), self._image(nodes, violation.absent)
        )

    def _image(self, nodes: _Nodes, of: _Nodes) -> _Nodes:
        return tuple(node for node in nodes if any(self._covers(node, each) for each in of))

    def _covers(self, upper: int, lower: int) -> bool:
        return (
            upper >= lower
            and self._first[upper] <= self._first[lower]
            and self._last[lower] <= self._last[upper]
        )
