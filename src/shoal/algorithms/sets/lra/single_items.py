"""Transactions of one item: what they need apart from all others."""

from __future__ import annotations

import numpy as np

from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.kernels.arrays import Bools, Ints


def may_leave(transactions: Transactions, node_of_leaf: Ints, k: int) -> Bools:
    """Which transactions of one item can be published apart from the others without harm to anybody.

    No set of two nodes is held by them, so only single nodes have fewer transactions when they leave: those
    of a node stay if too few others would hold it then, or if too few of them hold it.
    """
    alone = np.flatnonzero(transactions.sizes == 1)
    nodes = node_of_leaf[transactions.sets.items[transactions.sets.starts[alone]]]
    leaving = np.bincount(nodes, minlength=transactions.tree.node_count)
    staying = transactions.supports - leaving
    free = (leaving >= k) & ((staying == 0) | (staying >= k))
    chosen = np.zeros(transactions.row_count, dtype=np.bool_)
    chosen[alone[free[nodes]]] = True
    return chosen
