"""A cheaper cut than a minimal one: let other items pay for the dearest node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.repair import Repairs
from shoal.algorithms.sets.cut_search.specialization import Specialized, specialize
from shoal.algorithms.sets.cut_search.violations import Questions, Violation
from shoal.kernels.arrays import Bools, Ints
from shoal.progress import Progress


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The best cut found, how it was made minimal, and how many exchanges were made."""

    cut: Cut
    step: Specialized
    made: int


def exchange(violations: Questions, cut: Cut, step: Specialized, tries: int, progress: Progress) -> Exchanged:
    """Expand a node of a minimal cut all the same, and mend what breaks by moving up other nodes.

    The dearest node is tried first. If the cut, made minimal again, loses less than before, it is taken and
    the search starts over from it. A try is given up once the others have paid twice what the expansion
    saves: making the cut minimal seldom brings back that much. For k^m-anonymity only.
    """
    best, made = cut, 0
    waiting = _dearest_first(best)
    while waiting and tries > 0 and not progress.expired():
        tries -= 1
        other = _paid_by_others(violations, best, waiting.pop(0))
        if other is not None:
            other_step = specialize(violations, other, progress)
            if other.loss < best.loss:
                best, step, made = other, other_step, made + 1
                waiting = _dearest_first(best)
        progress.update(made, made + tries, f"{made:,} exchanges made")
    return Exchanged(best, step, made)


def _dearest_first(cut: Cut) -> list[int]:
    nodes = [node for node in cut.nodes.tolist() if cut.cost(node) > 0]
    return sorted(nodes, key=lambda node: (-cut.cost(node), node))


def _paid_by_others(violations: Questions, cut: Cut, node: int) -> Cut | None:
    """The cut with one node expanded and others moved up for it; None if that costs too much."""
    other = Cut(violations.transactions, cut.node_of_leaf)
    other.expand(node)
    allowed = np.ones(other.tree.node_count, dtype=np.bool_)
    allowed[[node, *other.tree.ancestors(node)]] = False
    most = cut.loss + (cut.loss - other.loss)
    return other if _mended(violations, other, cut.nodes, allowed, most) else None


def _mended(violations: Questions, cut: Cut, safe: Ints, allowed: Bools, most: int) -> bool:
    """Move the cut up until it is safe again; False once the loss exceeds `most` or nothing helps.

    Sets of `safe` nodes only are known to be fine.
    """
    repairs = Repairs(violations, cut, allowed)
    for size in range(1, violations.constraint.largest + 1):
        listed = np.zeros(cut.tree.node_count, dtype=np.bool_)
        listed[safe] = True
        while not listed[cut.nodes].all():
            nodes = cut.nodes
            for each in violations.at_cut(cut, size, ~listed):
                if isinstance(each, Violation):
                    replaced = repairs.cheapest(each)
                    if replaced is None:
                        return False
                    cut.raise_to(replaced)
                    if cut.loss > most:
                        return False
            listed[nodes] = True
    return True
