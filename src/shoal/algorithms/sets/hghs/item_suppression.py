"""Suppressing items at a cut: which of its nodes vanish so that no rare set of nodes is left."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.violations import Violation, Violations
from shoal.kernels.arrays import Bools, Ints
from shoal.progress import Progress

_SETS_AT_ONCE = 20_000
_TRIED_AGAIN = 32


@dataclass(frozen=True, slots=True, eq=False)
class Suppressed:
    """A cut, which of its nodes are suppressed, and the loss in the exact numbers of `Cut`."""

    cut: Cut
    nodes: Bools
    loss: int

    @classmethod
    def of(cls, cut: Cut, nodes: Bools) -> Suppressed:
        """A suppressed occurrence costs as much as one that is published as the root."""
        saved = sum(map(cut.cost, np.flatnonzero(nodes).tolist()))
        lost = int(cut.occurrences[nodes].sum()) * cut.tree.leaf_count
        return cls(cut, nodes, cut.loss - saved + lost)

    @property
    def ncp(self) -> float:
        """The mean loss of an occurrence, between 0 and 1."""
        return self.loss / max(1, int(self.cut.occurrences[self.cut.tree.root]) * self.cut.tree.leaf_count)

    def loss_at(self, node: int) -> int:
        """The loss of the occurrences under a node of the cut."""
        whole = int(self.cut.occurrences[node]) * self.cut.tree.leaf_count
        return whole if self.nodes[node] else self.cut.cost(node)

    @property
    def node_of_leaf(self) -> Ints:
        """What each leaf is published as, -1 where it is suppressed."""
        return np.where(self.nodes[self.cut.node_of_leaf], -1, self.cut.node_of_leaf)


def suppress(
    violations: Violations, cut: Cut, nodes: Bools, fresh: Bools, progress: Progress
) -> Suppressed | None:
    """Suppress nodes until no set of at most m nodes is rare, given some that are; None when time is up.

    Only sets with a fresh node are looked at: the others are known to be fine. Of the nodes in rare sets of
    one size always the one is suppressed that is in most of them for its price, the first of several.
    Afterwards the dearest of those that turn out not to be needed are published again.
    """
    suppressed = nodes.copy()
    published = copy.copy(cut)
    published.is_below = cut.is_below | suppressed  # a listing skips sets with such nodes
    for size in range(1, violations.constraint.largest + 1):
        listing = violations.at_cut(published, size, fresh)
        while rare := _next_rare_sets(listing, progress):
            for node in _hitting(np.array(rare, dtype=np.int64), published):
                suppressed[node] = published.is_below[node] = True
        if progress.expired():
            return None
    _publish_again(violations, published, suppressed)
    return Suppressed.of(cut, suppressed)


def _next_rare_sets(listing: Iterator[object], progress: Progress) -> list[tuple[int, ...]]:
    rare: list[tuple[int, ...]] = []
    for each in listing:
        if isinstance(each, Violation):
            rare.append(each.present)
        elif progress.expired():
            return []
        if len(rare) == _SETS_AT_ONCE:
            break
    return rare


def _hitting(rare: Ints, cut: Cut) -> Iterator[int]:
    """Nodes that are together in all the sets, chosen greedily by sets hit for what it costs."""
    sizes = cut.tree.sizes
    prices = cut.occurrences * (cut.tree.leaf_count - np.where(sizes > 1, sizes, 0))
    while len(rare):
        hits = np.bincount(rare.ravel(), minlength=len(prices))
        chosen = int(np.argmax(hits / np.maximum(prices, 1)))
        yield chosen
        rare = rare[(rare != chosen).all(axis=1)]


def _publish_again(violations: Violations, cut: Cut, suppressed: Bools) -> None:
    nodes = np.flatnonzero(suppressed)
    dearest = nodes[np.argsort(-cut.occurrences[nodes], kind="stable")][:_TRIED_AGAIN]
    for node in dearest.tolist():
        cut.is_below[node] = False
        if violations.with_one_of(cut, np.array([node], dtype=np.int64)) is None:
            suppressed[node] = False
        else:
            cut.is_below[node] = True
