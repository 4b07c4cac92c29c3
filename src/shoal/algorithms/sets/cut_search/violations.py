"""Which itemsets break the promise at a cut, in the order in which they are to be mended."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, floor, log10
from typing import Protocol

import numpy as np

from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.transactions import Counted, Transactions
from shoal.errors import InvalidParameter, LimitReached
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints, Items, SetArrays, frozen_ints, frozen_sets, starts_of
from shoal.kernels.rare_itemsets import (
    DONE,
    FOUND,
    NODE,
    PAUSED,
    WEIGHT,
    Numbered,
    WantedSets,
    begin,
    found,
    lay_out,
    lay_out_with_absent,
    next_broken,
    progress_of,
)
from shoal.kernels.shares import ShareLimit, share_exceeded

_STEPS_PER_SLICE = 50_000_000
MOST_SUBSETS = 10**13  # about a day's counting
_LARGEST_PRODUCT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Violation:
    """Nodes that somebody may know to be there, or to be absent, and how many rows fit: too few of them.

    With sensitive items the rows may be enough, but too many of them share one.
    """

    present: tuple[int, ...]
    absent: tuple[int, ...]
    support: int


@dataclass(frozen=True, slots=True)
class Pause:
    """No violation, but time to look at the clock: how much is done, and what was found so far."""

    share_done: float
    found: int


class Questions(Protocol):
    """What a search for a cut asks about transactions, wherever they are.

    `counted` is how many occurrences of itemsets were counted for all answers so far.
    """

    counted: int

    @property
    def transactions(self) -> Counted:
        """The tree, and how often items occur."""

    @property
    def constraint(self) -> ItemConstraint:
        """What is asked of every itemset."""

    def at_cut(self, cut: Cut, weight: int, fresh: Bools) -> Iterator[Violation | Pause]:
        """Sets of so many facts about nodes of the cut, at least one of them fresh, in lexicographic order.

        Present nodes come before absent ones. The cut may be moved up while this goes on: sets with a node
        that is no longer on it are skipped.
        """

    def with_one_of(self, cut: Cut, some: Ints) -> Violation | None:
        """A set that breaks the promise, one of the given nodes of the cut among its nodes."""

    def expect(self, cut: Cut, nodes: Iterable[int]) -> None:
        """Foresee that `with_one_of` will be asked about the children of these nodes of the cut in turn.

        Whoever needs as long for one answer as for many can look for them now.
        """

    def breaks(self, present: Sequence[int], absent: Sequence[int]) -> bool:
        """Whether too few rows, or too many with one sensitive item, fit; no row at all breaks nothing."""

    def support(self, present: Sequence[int], absent: Sequence[int]) -> int:
        """How many rows hold the present nodes and none of the absent ones."""


@dataclass(frozen=True, slots=True)
class _Laid:
    """Rows laid out over numbered nodes; numbers beyond the nodes stand for their absence."""

    items: Items
    rows: Ints
    nodes: Ints
    numbered: Numbered


class Violations:
    """Answers which itemsets of transactions in memory break a constraint; see `Questions`."""

    def __init__(self, transactions: Transactions, constraint: ItemConstraint) -> None:
        self.transactions = transactions
        self.constraint = constraint
        self._limit = share_limit(transactions, constraint)
        self._no_limit = share_limit(transactions, ItemConstraint(1, 0))
        self.counted = 0

    def at_cut(self, cut: Cut, weight: int, fresh: Bools) -> Iterator[Violation | Pause]:
        """Sets that break the promise, in lexicographic order."""
        nodes = self._occurring(cut.nodes)
        if weight == 1 and not (self.constraint.negative or self.constraint.is_diverse(1)):
            nodes = nodes[fresh[nodes]]
            self.counted += len(nodes)
            yield from rare_nodes(cut, nodes, self.transactions.supports, self.constraint.k_for(1))
            return
        rows = self._rows_with(weight)
        if not fresh[nodes].all():
            rows = rows[self._holding(nodes[fresh[nodes]])[rows]]
        laid = self._laid_at(cut, nodes, fresh[nodes], rows)
        self._refuse_endless_counting(laid, weight)
        yield from self._list(laid, weight)

    def first_at(self, cut: Cut) -> Violation | None:
        """A smallest set of nodes of the cut that breaks the promise."""
        fresh = np.ones(self.transactions.tree.node_count, dtype=np.bool_)
        weights = range(1, self.constraint.largest + 1)
        return _first_violation(self.at_cut(cut, weight, fresh) for weight in weights)

    def with_one_of(self, cut: Cut, some: Ints) -> Violation | None:
        """A set of nodes of the cut, one of the given nodes among them, that breaks the promise."""
        some = self._occurring(some)
        some = some[np.argsort(self.transactions.supports[some], kind="stable")]
        if self.constraint.negative:
            return self._with_any_of(cut, some)
        rare = self.transactions.supports[some] < self.constraint.k_for(1)
        if rare.any():
            return Violation((int(some[0]),), (), int(self.transactions.supports[some[0]]))
        others = np.setdiff1d(self._occurring(cut.nodes), some, assume_unique=True)
        for index in range(len(some)):
            # Sets with an earlier one of the nodes were looked at with that one.
            nodes = np.concatenate((some[index:], others))
            found = self._with_first_of(cut, nodes)
            if found is not None:
                return found
        return None

    def expect(self, cut: Cut, nodes: Iterable[int]) -> None:
        """Each answer is found when it is asked for."""

    def support(self, present: Sequence[int], absent: Sequence[int]) -> int:
        """How many rows hold the present nodes and none of the absent ones."""
        return len(self.transactions.rows(present, absent))

    def on_cut_or_above(self, cut: Cut) -> Ints:
        """The nodes that may stand in the published sets of this cut or a more general one; not the root."""
        wanted = ~cut.is_below
        wanted[self.transactions.tree.root] = False
        return self._occurring(np.flatnonzero(wanted))

    def at_any_level(self, cut: Cut, nodes: Ints, size: int, *, lighter: bool) -> Iterator[Violation | Pause]:
        """Rare sets of so many of the given nodes, or of fewer if `lighter`, none above another.

        They come in the order in which the nodes stand, each before longer ones. The nodes are on the cut or
        above it, none before one that is above it, and those that the cut leaves behind are skipped.
        """
        numbers_of_leaf = numbers_at_all_levels(self.transactions.tree, nodes)
        rows = self._rows_with(1 if lighter else size)
        numbered = self._numbered(cut, nodes, np.ones(len(nodes), dtype=np.bool_))
        items = lay_out(self.transactions.sets, rows, numbers_of_leaf, len(nodes))
        wanted = WantedSets(size, lighter=lighter, k=self.constraint.k, limit=self._no_limit)
        laid = _Laid(items, rows, nodes, numbered)
        self._refuse_endless_counting(laid, size)
        yield from self._stream(laid, wanted)

    def breaks(self, present: Sequence[int], absent: Sequence[int]) -> bool:
        """Whether too few rows, or too many with one sensitive item, fit; no row at all breaks nothing."""
        weight = len(present) + sum(int(self.transactions.tree.sizes[node]) for node in absent)
        if weight > self.constraint.largest or not set(present).isdisjoint(absent):
            return False
        k = self.constraint.k_for(weight)
        if not self.constraint.is_diverse(weight):
            return 0 < len(self.transactions.rows(present, absent, most=k)) < k
        rows = self.transactions.rows(present, absent)
        return 0 < len(rows) < k or share_exceeded(self._limit, rows)

    def _refuse_endless_counting(self, laid: _Laid, size: int) -> None:
        if len(laid.rows) * comb(laid.numbered.what.shape[1], size) <= MOST_SUBSETS:
            return  # however long the rows are
        marks = np.flatnonzero(laid.items >= laid.numbered.what.shape[1])
        rows_of_length = np.bincount(np.diff(marks, prepend=-1) - 1)
        subsets = sum(comb(length, size) * count for length, count in enumerate(rows_of_length.tolist()))
        refuse_endless_counting(subsets, size, max(0, len(rows_of_length) - 1))

    def _with_first_of(self, cut: Cut, nodes: Ints) -> Violation | None:
        """A set with the first of the given nodes, and others of them, that breaks the promise."""
        is_first = np.arange(len(nodes)) == 0
        laid = self._laid_at(cut, nodes, is_first, np.flatnonzero(self._holding(nodes[:1])), anchors=1)
        weights = range(1 if self.constraint.is_diverse(1) else 2, self.constraint.largest + 1)
        return _first_violation(self._list(laid, weight) for weight in weights)

    def _with_any_of(self, cut: Cut, some: Ints) -> Violation | None:
        """The same as `with_one_of` where rows without these nodes say something about them, too."""
        nodes = self._occurring(cut.nodes)
        laid = self._laid_at(cut, nodes, np.isin(nodes, some), self._rows_with(0))
        return _first_violation(self._list(laid, weight) for weight in range(1, self.constraint.largest + 1))

    def _list(self, laid: _Laid, weight: int) -> Iterator[Violation | Pause]:
        limit = self._limit if self.constraint.is_diverse(weight) else self._no_limit
        k = self.constraint.k_for(weight)
        yield from self._stream(laid, WantedSets(weight, lighter=False, k=k, limit=limit))

    def _stream(self, laid: _Laid, wanted: WantedSets) -> Iterator[Violation | Pause]:
        nodes = laid.nodes
        rare = begin(laid.items, laid.rows, laid.numbered, wanted)
        state, counted = PAUSED, 0
        while state != DONE:
            state = next_broken(rare, _STEPS_PER_SLICE)
            done = progress_of(rare)
            self.counted += done.counted - counted
            counted = done.counted
            if state == FOUND:
                numbers, support = found(rare)
                present, absent = numbers[numbers < len(nodes)], numbers[numbers >= len(nodes)] - len(nodes)
                yield Violation(tuple(nodes[present].tolist()), tuple(nodes[absent].tolist()), support)
            yield Pause(done.anchor / max(1, laid.numbered.anchors), done.found)

    def _laid_at(
        self, cut: Cut, nodes: Ints, fresh: Bools, rows: Ints, *, anchors: int | None = None
    ) -> _Laid:
        """Rows over the given nodes of a cut; leaves under other nodes are left out."""
        number_of_leaf = numbers_of(nodes, self.transactions.tree.node_count)[cut.node_of_leaf]
        listed = number_of_leaf >= 0
        starts = starts_of(listed)
        numbers_of_leaf = frozen_sets(starts, number_of_leaf[listed])
        items = lay_out(self.transactions.sets, rows, numbers_of_leaf, len(nodes))
        numbered = self._numbered(cut, nodes, fresh, anchors=anchors)
        if self.constraint.negative:
            items, numbered = self._with_absent(items, numbered)
        return _Laid(items, rows, nodes, numbered)

    def _numbered(self, cut: Cut, nodes: Ints, fresh: Bools, *, anchors: int | None = None) -> Numbered:
        leaves = self.transactions.leaves
        weights = np.ones(len(nodes), dtype=np.int64)
        what = np.stack((nodes, leaves.first[nodes], leaves.last[nodes], weights, fresh.astype(np.int64)))
        return Numbered(what, len(nodes) if anchors is None else anchors, cut.is_below)

    def _with_absent(self, items: Items, numbered: Numbered) -> tuple[Items, Numbered]:
        """The same with the absence of each node as a number of its own, unless it takes too much to know."""
        count = numbered.what.shape[1]
        sizes = self.transactions.tree.sizes[numbered.what[NODE]]
        absent_number = np.where(sizes <= self.constraint.m, count + np.arange(count), -1)
        what = np.tile(numbered.what, 2)
        what[WEIGHT, count:] = sizes
        wider = Numbered(what, 2 * count, numbered.dropped)
        return lay_out_with_absent(items, count, absent_number), wider

    def _occurring(self, nodes: Ints) -> Ints:
        return nodes[self.transactions.occurrences[nodes] > 0]

    def _rows_with(self, item_count: int) -> Ints:
        """Rows with enough items to hold a set; what is absent can be known of any row."""
        least = 0 if self.constraint.negative else item_count
        return np.flatnonzero(self.transactions.sizes >= least)

    def _holding(self, nodes: Ints) -> Bools:
        """Which rows hold one of the nodes; with negative knowledge all rows say something about them."""
        index, leaves = self.transactions.index, self.transactions.leaves
        holding = np.full(self.transactions.row_count, self.constraint.negative, dtype=np.bool_)
        for node in nodes.tolist():
            start, end = index.starts[leaves.first[node]], index.starts[leaves.last[node] + 1]
            holding[index.rows[start:end]] = True
        return holding


def _first_violation(listings: Iterable[Iterator[Violation | Pause]]) -> Violation | None:
    violations = (each for listing in listings for each in listing if isinstance(each, Violation))
    return next(violations, None)


def rare_nodes(cut: Cut, nodes: Ints, supports: Ints, k: int) -> Iterator[Violation | Pause]:
    """Single nodes with too few rows, whose supports are known."""
    rare = nodes[supports[nodes] < k].tolist()
    for index, node in enumerate(rare):
        if not cut.is_below[node]:
            yield Violation((node,), (), int(supports[node]))
        yield Pause((index + 1) / len(rare), len(rare))


def refuse_endless_counting(subsets: int, size: int, longest: int) -> None:
    """Raise LimitReached where a few huge transactions have more subsets than can be counted."""
    if subsets > MOST_SUBSETS:
        raise LimitReached(
            f"the transactions have about 10^{floor(log10(subsets))} subsets of {size} items, the longest one"
            f" {longest:,} items, and counting them would take days: ask for a smaller m, or leave out the"
            " longest transactions"
        )


def numbers_of(nodes: Ints, node_count: int) -> Ints:
    """The place of each node in the list, -1 for the others."""
    number = np.full(node_count, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    return number


def numbers_at_all_levels(tree: Hierarchy, nodes: Ints) -> SetArrays:
    """For each leaf the numbers of those of the given nodes that are the leaf or above it."""
    number = numbers_of(nodes, tree.node_count)
    above = [
        [number[node] for node in (leaf, *tree.ancestors(leaf)) if number[node] >= 0]
        for leaf in range(tree.leaf_count)
    ]
    return frozen_sets(np.cumsum([0, *map(len, above)]), [each for numbers in above for each in numbers])


def share_limit(transactions: Transactions, constraint: ItemConstraint) -> ShareLimit:
    """The limit in numbers; without diversity there are no sensitive items for it."""
    whole_of = transactions.whole_of if constraint.diverse_m > 0 else frozen_ints([])
    if constraint.l.numerator > _LARGEST_PRODUCT // max(1, transactions.row_count):
        raise InvalidParameter(
            "LmDiversity", "l", constraint.l, "a number with fewer digits for so many records"
        )
    return ShareLimit(
        transactions.sensitive,
        whole_of,
        constraint.l.numerator,
        constraint.l.denominator,
        np.zeros(len(whole_of), dtype=np.int64),
        np.empty(len(whole_of), dtype=np.int64),
    )
