"""Moving a cut up until no itemset breaks the promise: what AA does, for whoever needs it on a part."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.violations import Pause, Questions, Violation, Violations
from shoal.kernels.arrays import Bools, Ints
from shoal.progress import Progress

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


@dataclass(slots=True)
class Tally:
    """What a search did: itemsets that broke the promise, those mended, and those left as they are.

    `in_time` is False when time was up and everything was moved up to the root.
    """

    found: int = 0
    mended: int = 0
    left: int = 0
    in_time: bool = True


def generalize(violations: Questions, cut: Cut, progress: Progress, *, allowed: Bools | None = None) -> Tally:
    """Move the cut up until the sets of at most m nodes keep the promise.

    For sizes 1..m in turn, the sets of nodes of the cut that break the promise are listed in lexicographic
    order, and each one that is still on the cut is mended; a size is listed until nothing is left. With
    diversity the sizes start again, because what was fine may break when items are united. The cut may start
    anywhere. Violations that no allowed node mends are left.
    """
    tally = Tally()
    largest = violations.constraint.largest
    repairs = Repairs(violations, cut, allowed)
    # Sets of nodes that were all listed before, at this size, need not be counted again.
    listed = np.zeros((largest + 1, violations.transactions.tree.node_count), dtype=np.bool_)
    moved = True
    while moved:
        mended = tally.mended
        for size in range(1, largest + 1):
            while tally.in_time and not listed[size, cut.nodes].all():
                nodes = cut.nodes
                mend(violations.at_cut(cut, size, ~listed[size]), repairs, cut, tally, progress)
                listed[size, nodes] = True
        moved = tally.in_time and tally.mended > mended and violations.constraint.diverse_m > 0
    return tally


def generalize_as_printed(
    violations: Questions, cut: Cut, progress: Progress, *, allowed: Bools | None = None
) -> Tally:
    """The same in the order of the paper's Algorithm 4: one walk through a count-tree for each size.

    The tree holds nodes of all levels, so a rare set of wide nodes may be mended before any that it stands
    for was met. What the paper only sketches, diversity and facts of absence, is kept as in `generalize`.
    """
    constraint = violations.constraint
    if constraint.diverse_m or constraint.negative:
        return generalize(violations, cut, progress, allowed=allowed)
    if not isinstance(violations, Violations):
        raise TypeError("a count-tree is walked in memory only")
    tally, repairs = Tally(), Repairs(violations, cut, allowed)
    for size in range(1, constraint.m + 1):
        nodes = by_falling_support(violations, cut)
        if allowed is not None:
            nodes = nodes[allowed[nodes]]
        if tally.in_time:
            mend(violations.at_any_level(cut, nodes, size, lighter=False), repairs, cut, tally, progress)
    return tally


def by_falling_support(violations: Violations, cut: Cut) -> Ints:
    """The nodes on a cut or above it in the order of the paper's count-tree, each before those below it."""
    nodes, transactions = violations.on_cut_or_above(cut), violations.transactions
    return nodes[np.lexsort((nodes, transactions.tree.depths[nodes], -transactions.supports[nodes]))]


def mend(
    listing: Iterator[Violation | Pause], repairs: Repairs, cut: Cut, tally: Tally, progress: Progress
) -> None:
    """Move the cut up for each of the listed sets, or up to the root if time is up before the last."""
    found_before = tally.found
    for each in listing:
        if isinstance(each, Pause):
            tally.found = found_before + each.found
            note = f"{tally.mended:,} itemsets resolved, {tally.found:,} found so far"
            progress.update(each.share_done, 1, note)
            if progress.expired():
                cut.raise_to([cut.tree.root])
                tally.in_time = False
                return
        elif (nodes := repairs.cheapest(each)) is not None:
            cut.raise_to(nodes)
            tally.mended += 1
        else:
            tally.left += 1
