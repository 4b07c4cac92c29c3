"""Which itemsets break the promise at a cut, in the order in which they are to be mended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.sets.cut import Cut
from shoal.algorithms.sets.requirement import Requirement
from shoal.algorithms.sets.transactions import Transactions
from shoal.kernels.arrays import Bools, Ints, SetArrays, frozen_ints
from shoal.kernels.rare_sets import (
    DONE,
    FOUND,
    Numbered,
    RareSets,
    Wanted,
    begin,
    found,
    lay_out,
    lay_out_with_absent,
    next_broken,
    progress_of,
)
from shoal.kernels.shares import ShareLimit, share_exceeded

_STEPS_PER_SLICE = 50_000_000


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
    """No violation, but time to look at the clock: how much of the listing is done, how many were found."""

    share_done: float
    found: int


class Violations:
    """Answers which itemsets of some transactions break a requirement."""

    def __init__(self, transactions: Transactions, requirement: Requirement) -> None:
        self.transactions = transactions
        self.requirement = requirement
        self._limit = _share_limit(transactions, requirement)
        self._no_limit = _share_limit(transactions, Requirement(1, 0))

    def at_cut(self, cut: Cut, weight: int, fresh: Bools) -> Iterator[Violation | Pause]:
        """Sets of so many facts about nodes of the cut, at least one of them fresh, in lexicographic order.

        Present nodes come before absent ones. The cut may be moved up while this goes on: sets with a node
        that is no longer on it are skipped.
        """
        nodes = cut.nodes
        nodes = nodes[self.transactions.occurrences[nodes] > 0]
        rows = self._rows_with_enough_items(weight)
        if not fresh[nodes].all():
            rows = rows[self._holding(nodes[fresh[nodes]])[rows]]
        yield from self._list(self._numbered(nodes, fresh[nodes], len(nodes), cut), rows, cut, weight)

    def with_some_of(self, cut: Cut, some: Ints, weight: int) -> Violation | None:
        """A set of so many facts about nodes of the cut, one of the given nodes among them, that breaks."""
        supports = self.transactions.supports
        first = some[np.argsort(supports[some], kind="stable")]
        first = first[supports[first] > 0]
        if weight == 1 and not (self.requirement.negative or self.requirement.is_diverse(1)):
            rarest = int(supports[first[0]]) if len(first) else self.requirement.k
            return Violation((int(first[0]),), (), rarest) if rarest < self.requirement.k_for(1) else None
        others = np.setdiff1d(cut.nodes, first, assume_unique=True)
        others = others[supports[others] > 0]
        rows = self._rows_with_enough_items(weight)
        anchors = len(first)
        if self.requirement.negative:
            anchors += len(others)
        else:
            rows = rows[self._holding(first)[rows]]
        nodes = np.concatenate((first, others))
        fresh = np.zeros(len(nodes), dtype=np.bool_)
        fresh[: len(first)] = True
        for each in self._list(self._numbered(nodes, fresh, anchors, cut), rows, cut, weight):
            if isinstance(each, Violation):
                return each
        return None

    def at_any_level(self, cut: Cut) -> Iterator[Violation | Pause]:
        """Sets of at most m nodes on the cut or above it, none above another, each before longer ones.

        Wide nodes come before narrow ones. Nodes that the cut leaves behind are skipped.
        """
        tree, occurrences = self.transactions.tree, self.transactions.occurrences
        nodes = np.flatnonzero((occurrences > 0) & ~cut.is_below)
        nodes = nodes[nodes != tree.root]
        nodes = nodes[np.lexsort((nodes, tree.depths[nodes], -tree.sizes[nodes]))]
        number = _numbers(nodes, tree.node_count)
        above = [
            sorted(number[node] for node in (leaf, *tree.ancestors(leaf)) if number[node] >= 0)
            for leaf in range(tree.leaf_count)
        ]
        numbers_of_leaf = SetArrays(
            np.cumsum([0, *map(len, above)], dtype=np.int64),
            np.array([each for numbers in above for each in numbers], dtype=np.int64),
        )
        rows = self._rows_with_enough_items(1)
        laid = lay_out(self.transactions.sets, rows, numbers_of_leaf, len(nodes))
        weight = self.requirement.m
        numbered = self._numbered(nodes, np.ones(len(nodes), dtype=np.bool_), len(nodes), cut)
        wanted = Wanted(weight, lighter=True, k=self.requirement.k, limit=self._no_limit)
        yield from _stream(begin(laid, rows, numbered, wanted), nodes)

    def breaks(self, present: Sequence[int], absent: Sequence[int]) -> bool:
        """Whether too few rows, or too many with one sensitive item, fit; no row at all breaks nothing."""
        weight = len(present) + sum(int(self.transactions.tree.sizes[node]) for node in absent)
        if weight > self.requirement.largest or not set(present).isdisjoint(absent):
            return False
        k = self.requirement.k_for(weight)
        if not self.requirement.is_diverse(weight):
            return 0 < len(self.transactions.rows(present, absent, most=k)) < k
        rows = self.transactions.rows(present, absent)
        return 0 < len(rows) < k or share_exceeded(self._limit, rows)

    def _list(self, numbered: Numbered, rows: Ints, cut: Cut, weight: int) -> Iterator[Violation | Pause]:
        nodes = numbered.node_of
        number = _numbers(nodes, self.transactions.tree.node_count)
        leaf_count = self.transactions.tree.leaf_count
        numbers_of_leaf = SetArrays(np.arange(leaf_count + 1, dtype=np.int64), number[cut.node_of_leaf])
        laid = lay_out(self.transactions.sets, rows, numbers_of_leaf, len(nodes))
        if self.requirement.negative:
            laid, numbered = self._with_absent(laid, numbered)
        limit = self._limit if self.requirement.is_diverse(weight) else self._no_limit
        wanted = Wanted(weight, lighter=False, k=self.requirement.k_for(weight), limit=limit)
        yield from _stream(begin(laid, rows, numbered, wanted), nodes)

    def _numbered(self, nodes: Ints, fresh: Bools, anchors: int, cut: Cut) -> Numbered:
        leaves = self.transactions.leaves
        weights = np.ones(len(nodes), dtype=np.int64)
        return Numbered(nodes, leaves.first[nodes], leaves.last[nodes], weights, fresh, anchors, cut.is_below)

    def _with_absent(self, laid: Ints, numbered: Numbered) -> tuple[Ints, Numbered]:
        count = len(numbered.node_of)
        sizes = self.transactions.tree.sizes[numbered.node_of]
        absent_number = np.where(sizes <= self.requirement.m, count + np.arange(count), -1)
        wider = Numbered(
            node_of=np.concatenate((numbered.node_of, numbered.node_of)),
            first_leaf=np.concatenate((numbered.first_leaf, numbered.first_leaf)),
            last_leaf=np.concatenate((numbered.last_leaf, numbered.last_leaf)),
            weights=np.concatenate((numbered.weights, sizes)),
            fresh=np.concatenate((numbered.fresh, numbered.fresh)),
            anchors=2 * count,
            dropped=numbered.dropped,
        )
        return lay_out_with_absent(laid, count, absent_number), wider

    def _rows_with_enough_items(self, weight: int) -> Ints:
        if self.requirement.negative:
            return np.arange(self.transactions.row_count, dtype=np.int64)
        return np.flatnonzero(np.diff(self.transactions.sets.starts) >= weight)

    def _holding(self, nodes: Ints) -> Bools:
        """Which rows hold one of the nodes; with negative knowledge all rows say something about them."""
        index, leaves = self.transactions.index, self.transactions.leaves
        holding = np.full(self.transactions.row_count, self.requirement.negative, dtype=np.bool_)
        for node in nodes.tolist():
            start, end = index.starts[leaves.first[node]], index.starts[leaves.last[node] + 1]
            holding[index.rows[start:end]] = True
        return holding


def _stream(rare: RareSets, nodes: Ints) -> Iterator[Violation | Pause]:
    while (state := next_broken(rare, _STEPS_PER_SLICE)) != DONE:
        if state == FOUND:
            numbers, support = found(rare)
            present, absent = numbers[numbers < len(nodes)], numbers[numbers >= len(nodes)] - len(nodes)
            yield Violation(tuple(nodes[present].tolist()), tuple(nodes[absent].tolist()), int(support))
        anchor, seen = progress_of(rare)
        yield Pause(anchor / len(nodes), int(seen))


def _numbers(nodes: Ints, node_count: int) -> Ints:
    """The place of each node in the list, -1 for the others."""
    number = np.full(node_count, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    return number


def _share_limit(transactions: Transactions, requirement: Requirement) -> ShareLimit:
    """The limit in numbers; without diversity there are no sensitive items for it."""
    whole_of = transactions.whole_of if requirement.diverse_m > 0 else frozen_ints([])
    return ShareLimit(
        transactions.sensitive,
        whole_of,
        requirement.l.numerator,
        requirement.l.denominator,
        np.zeros(len(whole_of), dtype=np.int64),
        np.empty(len(whole_of), dtype=np.int64),
    )
