"""Costs of single published cells, from 0 for an untouched value: one home for searches and measures.

A cost is additive: the cost of a column is the sum over its cells. Searches ask for the cost of every node of
a tree once and then only look costs up.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from shoal.errors import UnknownName
from shoal.kernels.arrays import Floats
from shoal.metrics.covers import NodeCover

NodeCost = Callable[[NodeCover], Floats]


def lm(cover: NodeCover) -> Floats:
    """Width over the domain's width; without numbers the other values covered over the other values."""
    if cover.span is not None:
        return cover.span
    return (cover.leaves - 1) / max(cover.domain_size - 1, 1)


def ncp(cover: NodeCover) -> Floats:
    """Width over the domain's width; without numbers the values covered over all, 0 for a single one."""
    if cover.span is not None:
        return cover.span
    return np.where(cover.leaves > 1, cover.leaves / cover.domain_size, 0.0)


def tree_height(cover: NodeCover) -> Floats:
    """Height of the subtree under the cell over the height of the tree."""
    return cover.climb


def entropy(cover: NodeCover) -> Floats:
    """Uncertainty in bits of the original value given the published one; a coarser cell may cost less."""
    return cover.bits


def monotone_entropy(cover: NodeCover) -> Floats:
    """Entropy times the share of records that the cell covers: a coarser cell never costs less."""
    return cover.share * cover.bits


NODE_COSTS: Mapping[str, NodeCost] = MappingProxyType(
    {"ncp": ncp, "lm": lm, "tree": tree_height, "entropy": entropy, "monotone_entropy": monotone_entropy}
)


_UNCERTAINTIES = frozenset({"entropy", "monotone_entropy"})


def node_cost(measure: str) -> NodeCost:
    """A cost by name."""
    if measure not in NODE_COSTS:
        raise UnknownName("The costs per cell", "measure", measure, NODE_COSTS)
    return NODE_COSTS[measure]


def suppressed_cost(measure: str, whole_column: float) -> float:
    """The cost of a cell of a suppressed record, given that of a cell that hides the whole column.

    The entropies measure what is still known, and of a suppressed record that is as much as of a cell that
    hides all; under the other measures the cell is lost.
    """
    return whole_column if measure in _UNCERTAINTIES else 1.0
