"""The questions of a search for a cut, answered by Spark in few jobs.

A job takes a moment however little it asks, so questions are foreseen: the sets that break the promise come
in long lists, with what could mend the next of them, and obstacles to expanding nodes for many nodes at once.
What was foreseen in vain costs time only; the answers, and so the decisions, are those of one machine.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Self

import numpy as np

from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.transactions import leaves_under_nodes, occurrences_under_nodes
from shoal.algorithms.sets.cut_search.violations import (
    Pause,
    Violation,
    numbers_of,
    rare_nodes,
    refuse_endless_counting,
)
from shoal.errors import LimitReached
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints, frozen_ints
from shoal.kernels.set_supports import Intervals
from shoal.spark.itemsets import LARGEST_KEY, ItemsetQuestion, SpreadSets, Totals, furthest

SETS_PER_LIST = 1 << 17

_SETS_AT_A_GLANCE = 1 << 12
_SETS_FORESEEN = 1 << 10
_SETS_FORESEEN_PER_ANCHOR = 4
_IMAGES_PER_JOB = 1 << 14
_IMAGES_KEPT = 1 << 20
_NODES_FORESEEN = 1 << 8

Nodes = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SpreadTransactions:
    """What the driver knows about sets in Spark."""

    tree: Hierarchy
    leaves: Intervals
    occurrences: Ints
    supports: Ints
    row_count: int
    non_empty: int
    longest: int

    @classmethod
    def of(cls, tree: Hierarchy, totals: Totals) -> Self:
        """The totals of all rows, for the nodes of their tree."""
        leaves = leaves_under_nodes(tree)
        return cls(
            tree,
            leaves,
            occurrences_under_nodes(totals.occurrences, leaves),
            frozen_ints(totals.supports),
            totals.rows,
            totals.non_empty,
            totals.longest,
        )


class SpreadViolations:
    """Answers which itemsets of sets in Spark are too rare; see `Questions`. For k^m-anonymity alone."""

    def __init__(
        self, transactions: SpreadTransactions, sets: SpreadSets, constraint: ItemConstraint
    ) -> None:
        self.transactions = transactions
        self.constraint = constraint
        self.counted = 0
        self._sets = sets
        self._last: list[int] = transactions.leaves.last.tolist()
        self._rank = _from_left_and_above(transactions.leaves)
        self._chains: dict[int, Nodes] = {}
        self._is_rare: dict[Nodes, bool] = {}
        self._expected: list[int] = []
        self._obstacles: dict[int, Violation] = {}
        self._without_obstacle: set[int] = set()
        self._cut_without_obstacle: Ints = np.empty(0, dtype=np.int64)

    def at_cut(self, cut: Cut, weight: int, fresh: Bools) -> Iterator[Violation | Pause]:
        """Sets that break the promise, in lexicographic order, counted for some first nodes after others."""
        nodes = self._occurring(cut.nodes)
        if weight == 1:
            nodes = nodes[fresh[nodes]]
            self.counted += len(nodes)
            yield from rare_nodes(cut, nodes, self.transactions.supports, self.constraint.k)
            return
        if not fresh[nodes].any():
            return
        start_cut = cut.node_of_leaf.copy()
        number_of_node = numbers_of(nodes, self.transactions.tree.node_count)
        question = self._question(weight, len(nodes), fresh[nodes])
        expected = self._sets.occurrences(question, number_of_node[start_cut])
        refuse_endless_counting(sum(expected.tolist()), weight, self.transactions.longest)
        first, after, found = 0, -1, 0
        while first < len(nodes):
            end = furthest(expected, first)
            part = replace(question, first=first, end=end, after=after)
            numbers = np.where(cut.is_below[start_cut], -1, number_of_node[start_cut])
            (listed,) = self._sets.rare(
                [part], numbers, self.constraint.k, SETS_PER_LIST, int(expected[first:end].sum())
            )
            self.counted += listed.occurrences
            found += len(listed.keys)
            yield Pause(first / len(nodes), found)
            yield from self._still_on(cut, nodes[part.sets(listed.keys)], listed.supports)
            after = int(listed.keys[-1]) if listed.more else -1
            first = after // len(nodes) ** (weight - 1) if listed.more else end
        yield Pause(1.0, found)

    def with_one_of(self, cut: Cut, some: Ints) -> Violation | None:
        """A set with one of the children of a node that was expanded."""
        expanded = self.transactions.tree.parent(int(some[0]))
        rare = self._rare_child(expanded)
        if rare is not None:
            return rare
        if self._has_obstacle(expanded, cut):
            return self._obstacles[expanded]
        before = cut.node_of_leaf.copy()
        first, last = self.transactions.leaves.first[expanded], self.transactions.leaves.last[expanded]
        before[first : last + 1] = expanded
        if expanded not in self._without_obstacle or not np.array_equal(before, self._cut_without_obstacle):
            self._look_for_obstacles(cut, before, expanded)
        return self._obstacles.get(expanded)

    def expect(self, cut: Cut, nodes: Iterable[int]) -> None:  # noqa: ARG002 - asked for when needed
        """The expansions that will be asked about, in their order."""
        self._expected = list(nodes)

    def breaks(self, present: Sequence[int], absent: Sequence[int]) -> bool:
        """Whether too few rows hold the nodes; no row at all breaks nothing."""
        if absent:
            raise TypeError("Spark counts what is present")
        nodes = tuple(sorted(present))
        if len(nodes) > self.constraint.largest:
            return False
        if len(nodes) == 1:
            return 0 < int(self.transactions.supports[nodes[0]]) < self.constraint.k
        if nodes not in self._is_rare:
            self._count_images([nodes, *self._images(nodes)])
        return self._is_rare[nodes]

    def support(self, present: Sequence[int], absent: Sequence[int]) -> int:
        """How many rows hold the nodes."""
        if absent:
            raise TypeError("Spark counts what is present")
        return int(self._supports([tuple(present)], self.transactions.row_count)[0])

    def _still_on(self, cut: Cut, sets: Ints, supports: Ints) -> Iterator[Violation]:
        """The listed sets whose nodes are on the cut when their turn comes."""
        index = _next_on(cut, sets, 0)
        while index < len(sets):
            nodes = tuple(sets[index].tolist())
            if nodes not in self._is_rare:
                self._foresee_mending(cut, sets[index:])
            yield Violation(nodes, (), int(supports[index]))
            index = _next_on(cut, sets, index + 1)

    def _foresee_mending(self, cut: Cut, sets: Ints) -> None:
        """Find out what could mend the sets that come next: the first with each of the next first nodes.

        Mending a set moves some of its nodes up, after which further sets with these are skipped.
        """
        if len(self._is_rare) > _IMAGES_KEPT:
            self._is_rare.clear()
        sets = sets[~cut.is_below[sets].any(axis=1)]
        rank = np.arange(len(sets)) - np.searchsorted(sets[:, 0], sets[:, 0])
        images: dict[Nodes, None] = {}
        for nodes in map(tuple, sets[rank < _SETS_FORESEEN_PER_ANCHOR][:_SETS_FORESEEN].tolist()):
            self._is_rare[nodes] = True
            images.update(dict.fromkeys(self._images(nodes)))
            if len(images) > _IMAGES_PER_JOB:
                break
        self._count_images([nodes for nodes in images if nodes not in self._is_rare])

    def _images(self, nodes: Nodes) -> Iterator[Nodes]:
        """Sets of two and more nodes that these can be generalized to."""
        for chosen in product(*map(self._upwards, nodes)):
            image = self._widest(chosen)
            if len(image) > 1 and image != nodes:
                yield image

    def _upwards(self, node: int) -> Nodes:
        """A node and all above it."""
        if node not in self._chains:
            self._chains[node] = (node, *self.transactions.tree.ancestors(node))
        return self._chains[node]

    def _widest(self, nodes: Nodes) -> Nodes:
        """Those of the nodes that none of the others covers, ascending."""
        widest, end = [], -1
        for node in sorted(set(nodes), key=self._rank.__getitem__):
            if self._last[node] > end:
                widest.append(node)
                end = self._last[node]
        return tuple(sorted(widest))

    def _count_images(self, images: Sequence[Nodes]) -> None:
        k = self.constraint.k
        supports = self._supports(images, k)
        self._is_rare.update(zip(images, ((supports > 0) & (supports < k)).tolist(), strict=True))

    def _supports(self, images: Sequence[Nodes], most: int) -> Ints:
        if not images:
            return np.empty(0, dtype=np.int64)
        widest = max(map(len, images))
        first = np.ones((len(images), widest), dtype=np.int64)
        last = np.zeros((len(images), widest), dtype=np.int64)
        leaves = self.transactions.leaves
        for index, image in enumerate(images):
            first[index, : len(image)] = leaves.first[list(image)]
            last[index, : len(image)] = leaves.last[list(image)]
        return self._sets.supports(first, last, most)

    def _rare_child(self, node: int) -> Violation | None:
        children = self._children_by_support(node)
        if len(children) and self.transactions.supports[children[0]] < self.constraint.k:
            return Violation((int(children[0]),), (), int(self.transactions.supports[children[0]]))
        return None

    def _children_by_support(self, node: int) -> Ints:
        children = self._occurring(self.transactions.tree.children(node))
        return children[np.argsort(self.transactions.supports[children], kind="stable")]

    def _look_for_obstacles(self, cut: Cut, node_of_leaf: Ints, wanted: int) -> None:
        """What breaks at a cut when one node is expanded, for the wanted node and those expected next.

        Of all sets with one of the children it is one with the rarest child, of these a smallest, of these
        the first.
        """
        if not np.array_equal(node_of_leaf, self._cut_without_obstacle):
            self._without_obstacle.clear()
            self._cut_without_obstacle = node_of_leaf
        asked = [wanted, *(node for node in self._expected if self._is_open(node, cut))][:_NODES_FORESEEN]
        for node in asked:  # an obstacle that an earlier cut had may no longer be one
            self._obstacles.pop(node, None)
        children = {node: self._children_by_support(node) for node in asked}
        most = max(map(len, children.values()))
        nodes = self._occurring(np.unique(node_of_leaf))
        numbers = numbers_of(nodes, self.transactions.tree.node_count)
        numbers[nodes] += most
        questions = [
            self._expansion(size, most + len(nodes), node, children[node])
            for node in asked
            for size in range(2, self.constraint.largest + 1)
        ]
        if not questions:
            self._without_obstacle.update(asked)
            return
        expected = sum(int(self.transactions.occurrences[node]) for node in asked)
        found = self._sets.rare(questions, numbers[node_of_leaf], self.constraint.k, 1, expected)
        self.counted += sum(listed.occurrences for listed in found)
        sizes = self.constraint.largest - 1
        for index, node in enumerate(asked):
            first = min(
                (
                    (tuple(question.sets(listed.keys)[0].tolist()), int(listed.supports[0]))
                    for question, listed in zip(
                        questions[index * sizes : (index + 1) * sizes],
                        found[index * sizes : (index + 1) * sizes],
                        strict=True,
                    )
                    if len(listed.keys)
                ),
                key=lambda each: (each[0][0], len(each[0]), each[0]),
                default=None,
            )
            if first is None:
                self._without_obstacle.add(node)
            else:
                of_number = np.concatenate((children[node], np.zeros(most - len(children[node]), int), nodes))
                self._obstacles[node] = Violation(tuple(of_number[list(first[0])].tolist()), (), first[1])

    def _is_open(self, node: int, cut: Cut) -> bool:
        """Whether it is not known what an expected expansion breaks; what was expanded is not on the cut."""
        return (
            cut.holds(node)
            and node not in self._without_obstacle
            and not self._has_obstacle(node, cut)
            and self._rare_child(node) is None
        )

    def _has_obstacle(self, node: int, cut: Cut) -> bool:
        """Whether the known obstacle to expanding a node stands: what is rare stays so at every finer cut."""
        known = self._obstacles.get(node)
        return known is not None and not any(
            cut.is_below[each] and self.transactions.tree.parent(each) != node for each in known.present
        )

    def _expansion(self, size: int, base: int, node: int, children: Ints) -> ItemsetQuestion:
        """Sets with one of the children of a node, which are numbered first."""
        first, last = self.transactions.leaves.first[node], self.transactions.leaves.last[node]
        patch = np.full(last - first + 1, -1, dtype=np.int64)
        for number, child in enumerate(children.tolist()):
            start, end = self.transactions.leaves.first[child], self.transactions.leaves.last[child]
            patch[start - first : end - first + 1] = number
        fresh = np.arange(base) < len(children)
        question = self._question(size, base, fresh)
        return replace(question, end=len(children), patch_at=int(first), patch=patch)

    def _question(self, size: int, base: int, fresh: Bools) -> ItemsetQuestion:
        if base**size > LARGEST_KEY:
            raise LimitReached(
                f"sets of {size} out of {base:,} items cannot be numbered for Spark: ask for a smaller m, or"
                " use a hierarchy whose lowest groups replace the single items"
            )
        return ItemsetQuestion(size=size, base=base, fresh=fresh, first=0, end=base)

    def _occurring(self, nodes: Ints) -> Ints:
        return nodes[self.transactions.occurrences[nodes] > 0]


def _from_left_and_above(leaves: Intervals) -> list[int]:
    """The rank of each node by its first leaf, of those with the same one the upper node first."""
    nodes = np.arange(len(leaves.first))
    rank = np.empty_like(nodes)
    rank[np.lexsort((-nodes, leaves.first))] = nodes
    return rank.tolist()


def _next_on(cut: Cut, sets: Ints, place: int) -> int:
    """The next set whose nodes are all on the cut; the number of sets if there is none."""
    for start in range(place, len(sets), _SETS_AT_A_GLANCE):
        on = ~cut.is_below[sets[start : start + _SETS_AT_A_GLANCE]].any(axis=1)
        if on.any():
            return start + int(on.argmax())
    return len(sets)
