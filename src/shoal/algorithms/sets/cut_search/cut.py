"""A cut through a tree while it is searched for: it moves up and down, and knows what it costs."""

from collections.abc import Iterable

import numpy as np

from shoal.algorithms.sets.cut_search.transactions import Counted
from shoal.kernels.arrays import Bools, Ints


class Cut:
    """The node that each leaf is published as, and the loss in exact numbers.

    A node that is no single leaf costs its leaves per occurrence of an item under it; divided by the leaves
    of the tree and by all occurrences that is NCP. `loss_below[u]` is the loss of the occurrences under u,
    for nodes on the cut and above it. `is_below[u]` tells the nodes strictly below the cut.
    """

    def __init__(self, transactions: Counted, node_of_leaf: Ints | None = None) -> None:
        tree = transactions.tree
        self.tree = tree
        self.occurrences = transactions.occurrences
        sizes = tree.sizes
        self._cost = self.occurrences * np.where(sizes > 1, sizes, 0)
        self._first, self._last = transactions.leaves
        self.node_of_leaf: Ints = np.arange(tree.leaf_count, dtype=np.int64)
        self.is_below: Bools = np.zeros(tree.node_count, dtype=np.bool_)
        self.loss_below: Ints = np.zeros(tree.node_count, dtype=np.int64)
        if node_of_leaf is not None:
            self.raise_to(node for node in np.unique(node_of_leaf).tolist() if node >= tree.leaf_count)

    @property
    def nodes(self) -> Ints:
        """The nodes of the cut, ascending."""
        return np.unique(self.node_of_leaf)

    @property
    def loss(self) -> int:
        """The loss of all occurrences together."""
        return int(self.loss_below[self.tree.root])

    @property
    def ncp(self) -> float:
        """The mean loss of an occurrence, between 0 and 1."""
        return self.loss / max(1, int(self.occurrences[self.tree.root]) * self.tree.leaf_count)

    def holds(self, node: int) -> bool:
        """Whether a node is on the cut."""
        return bool(self.tree.leaf_count > 0 and self.node_of_leaf[self._first[node]] == node)

    def cost(self, node: int) -> int:
        """The loss when all items under a node are published as it."""
        return int(self._cost[node])

    def added_loss(self, node: int) -> int:
        """The further loss of moving the cut up to a node."""
        return int(self._cost[node] - self.loss_below[node])

    def raise_to(self, nodes: Iterable[int]) -> None:
        """Move the cut up to the given nodes: all that lies below them is published as they are."""
        for node in nodes:
            self._publish(node)
            self._change_loss(node, int(self._cost[node]))
            self.is_below[self._below(node)] = True

    def expand(self, node: int) -> None:
        """Move the cut down from a node to its children."""
        self._change_loss(node, 0)
        self.is_below[self._below(node)] = False
        for child in self.tree.children(node).tolist():
            self._publish(child)
            self.loss_below[child] = 0
            self._change_loss(child, int(self._cost[child]))
            self.is_below[self._below(child)] = True

    def _publish(self, node: int) -> None:
        self.node_of_leaf[self._first[node] : self._last[node] + 1] = node

    def _change_loss(self, node: int, loss: int) -> None:
        change = loss - int(self.loss_below[node])
        self.loss_below[node] = loss
        for above in self.tree.ancestors(node):
            self.loss_below[above] += change

    def _below(self, node: int) -> Bools:
        below: Bools = (self._first >= self._first[node]) & (self._last <= self._last[node])
        below[node:] = False  # what covers the same leaves from above has a larger number
        return below
