from __future__ import annotations

import copy
import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.interface import Distribution
from shoal.algorithms.parameters import Within, as_printed_parameter, parameter
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import generalize
from shoal.algorithms.sets.cut_search.task import CutAlgorithm, ItemTask
from shoal.algorithms.sets.cut_search.violations import Violation, Violations
from shoal.errors import Problem
from shoal.kernels.arrays import Bools, Ints
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Progress
from shoal.recoding.cuts import Cuts
from shoal.recoding.rows import RowRecoding

_SETS_AT_ONCE = 20_000
_TRIED_AGAIN = 32


@dataclass(frozen=True, slots=True)
class HgHs(CutAlgorithm):
    """Generalize by one cut for all records and suppress items altogether where that costs less.

    Cuts are searched best first, from the most general one and from the cut that AA would begin with. Of a
    cut, its neighbours are looked at: those with one node expanded, the dearest node first, then those with
    one family of siblings replaced by their parent. At each cut items are suppressed until no set of at most
    m published items occurs in fewer than k records: of the nodes in the sets that still do, always the one
    that is in most of them for its price. A suppressed occurrence costs as much as one published as the root.
    Few items stand in the way of many sets, so suppressing these can cost less than generalizing the rest.
    Of these the dearest that turn out not to stand in the way are published again. With `as_printed` the
    search begins at the most general cut alone, and what is suppressed at a cut is chosen for that cut anew.

    Contract
        needs:      rows; one set column with a tree
        gives:      one cut for all records; some items removed from all of them
        guarantees: k^m-anonymity; but for `as_printed` never a larger loss than the first cut of AA
        cost:       up to `most_cuts` cuts, each counted anew around the node that changed; the number of cuts
                    is exponential in the number of items, so small trees only are searched to the end

    After Liu, Wang, Anonymizing transaction data by integrating suppression and generalization, PAKDD 2010.
    """

    name = "hghs"
    recodes_globally = True
    turn = 2
    needs_trees = True
    heeds_absence = False
    serves = (KmAnonymity,)
    paper = (
        "Liu, Wang. Anonymizing transaction data by integrating suppression and generalization. PAKDD 2010."
    )
    guarantee = "k^m-anonymity; no larger loss than a first cut of aa; no bound beyond that"
    distributed = Distribution("blocks", (KmAnonymity,))

    without_absence = Problem(
        "hghs does not know how to suppress items against knowledge of absent ones",
        "use aa, or promise k^m-anonymity without negative knowledge",
    )

    most_cuts: int = parameter(300, Within(1), "how many cuts are looked at before the best so far is taken")
    as_printed: bool = as_printed_parameter()

    def search(self, task: ItemTask, progress: Progress) -> RowRecoding:
        """Search cuts until none is left, `most_cuts` were looked at, or time is up."""
        search = _Search(task.violations, self.most_cuts, progress, as_printed=self.as_printed)
        best = search.best()
        everybody = np.zeros(task.row_count, dtype=np.int64)
        return RowRecoding(
            items=(Cuts(task.column, everybody, best.node_of_leaf[np.newaxis, :]),),
            notices=(*task.notices, *search.notices()),
            figures={
                "cuts_looked_at": search.looked_at,
                "nodes_on_cut": len(best.cut.nodes),
                "items_suppressed": int(np.count_nonzero(best.nodes[best.cut.node_of_leaf])),
                "ncp": best.ncp,
            },
        )


class _Search:
    """Best first over cuts, each looked at once."""

    def __init__(
        self, violations: Violations, most_cuts: int, progress: Progress, *, as_printed: bool
    ) -> None:
        self.looked_at = 0
        self._as_printed = as_printed
        self._violations = violations
        self._tree = violations.transactions.tree
        self._occurrences = violations.transactions.occurrences
        self._most = most_cuts
        self._progress = progress
        self._met: set[bytes] = set()
        self._waiting: list[tuple[int, int, Suppressed, Iterator[_Neighbour]]] = []

    def best(self) -> Suppressed:
        """The cheapest cut that was found."""
        best = min(self._first_cuts(), key=lambda state: state.loss)
        while self._waiting and self.looked_at < self._most and not self._progress.expired():
            _, _, state, neighbours = self._waiting[0]
            neighbour = next(neighbours, None)
            if neighbour is None:
                heapq.heappop(self._waiting)
                continue
            found = self._suppressed(state, neighbour)
            if found is not None:
                self._wait(found)
                best = min(best, found, key=lambda state: state.loss)
            self._progress.update(self.looked_at, self._most, f"{100 * best.ncp:.2f} % lost at best")
        return best

    def notices(self) -> tuple[str, ...]:
        """Why the search ended before all cuts were looked at; nothing if they were."""
        if not self._waiting:
            return ()
        if self.looked_at < self._most:
            return ("time was up before the search ended: another cut may lose less",)
        return (f"the search stopped after {self._most:,} cuts (most_cuts): another may lose less",)

    def _suppressed(self, state: Suppressed, neighbour: _Neighbour) -> Suppressed | None:
        """A neighbour with what has to be suppressed at it: from what is at the state, or from nothing."""
        nobody = np.zeros(self._tree.node_count, dtype=np.bool_)
        if self._as_printed:
            return suppress(self._violations, neighbour.cut, nobody, ~nobody, self._progress)
        known, fresh = state.nodes & neighbour.kept, ~neighbour.kept
        found = suppress(self._violations, neighbour.cut, known, fresh, self._progress)
        return found and published_again(self._violations, found, self._progress)

    def _first_cuts(self) -> Iterator[Suppressed]:
        """The root, which is always safe, and the cut that AA begins with."""
        for_all = Cut(self._violations.transactions)
        for_all.raise_to([self._tree.root])
        first = [for_all]
        if not self._as_printed:
            first.append(Cut(self._violations.transactions))
            generalize(self._violations, first[-1], self._progress)
        for cut in first:
            if self._is_new(cut):
                state = Suppressed.of(cut, np.zeros(self._tree.node_count, dtype=np.bool_))
                self._wait(state)
                yield state

    def _wait(self, state: Suppressed) -> None:
        self.looked_at += 1
        heapq.heappush(self._waiting, (state.loss, self.looked_at, state, self._neighbours(state)))

    def _is_new(self, cut: Cut) -> bool:
        key = cut.node_of_leaf.tobytes()
        if key in self._met:
            return False
        self._met.add(key)
        return True

    def _neighbours(self, state: Suppressed) -> Iterator[_Neighbour]:
        """Cuts that differ in one family of siblings and were not met before."""
        occurring = [node for node in state.cut.nodes.tolist() if self._occurrences[node] > 0]
        inner = [node for node in occurring if node > self._tree.leaf_count]
        for node in sorted(inner, key=lambda node: (-state.loss_at(node), node)):
            cut = Cut(self._violations.transactions, state.cut.node_of_leaf)
            cut.expand(node)
            if self._is_new(cut):
                yield _Neighbour.with_fresh(cut, self._tree.children(node))
        parents = {self._tree.parent(node) for node in occurring if node != self._tree.root}
        whole = [node for node in parents if self._is_family(state.cut, node)]
        for node in sorted(whole, key=lambda node: (state.cut.cost(node), node)):
            cut = Cut(self._violations.transactions, state.cut.node_of_leaf)
            cut.raise_to([node])
            if self._is_new(cut):
                yield _Neighbour.with_fresh(cut, np.array([node], dtype=np.int64))

    def _is_family(self, cut: Cut, parent: int) -> bool:
        """Whether all children of a node that occur are on the cut."""
        children = self._tree.children(parent)
        return all(cut.holds(child) for child in children[self._occurrences[children] > 0].tolist())


@dataclass(frozen=True, slots=True, eq=False)
class _Neighbour:
    """A cut, and the nodes that it has in common with the one it was made from."""

    cut: Cut
    kept: Bools

    @classmethod
    def with_fresh(cls, cut: Cut, fresh: Ints) -> _Neighbour:
        kept = np.zeros(cut.tree.node_count, dtype=np.bool_)
        kept[cut.nodes] = True
        kept[fresh] = False
        return cls(cut, kept)


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
    """
    suppressed, published = nodes.copy(), without(cut, nodes)
    for size in range(1, violations.constraint.largest + 1):
        listing = violations.at_cut(published, size, fresh)
        while rare := _next_rare_sets(listing, progress):
            for node in _hitting(np.array(rare, dtype=np.int64), published):
                suppressed[node] = published.is_below[node] = True
        if progress.expired():
            return None
    return Suppressed.of(cut, suppressed)


def without(cut: Cut, nodes: Bools) -> Cut:
    """The same cut, of which a listing skips sets with these nodes."""
    published = copy.copy(cut)
    published.is_below = cut.is_below | nodes
    return published


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


def published_again(violations: Violations, found: Suppressed, progress: Progress) -> Suppressed:
    """The same without the dearest suppressed nodes that turn out not to be needed, as far as time allows."""
    suppressed, cut = found.nodes.copy(), without(found.cut, found.nodes)
    nodes = np.flatnonzero(suppressed)
    dearest = nodes[np.argsort(-cut.occurrences[nodes], kind="stable")][:_TRIED_AGAIN]
    for node in dearest.tolist():
        if progress.expired():
            break
        cut.is_below[node] = False
        if violations.with_one_of(cut, np.array([node], dtype=np.int64)) is None:
            suppressed[node] = False
        else:
            cut.is_below[node] = True
    return Suppressed.of(found.cut, suppressed)
