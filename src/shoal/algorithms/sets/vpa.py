from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.algorithms.interface import Distribution
from shoal.algorithms.parameters import Within, as_printed_parameter, parameter
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import Tally, generalize, generalize_as_printed
from shoal.algorithms.sets.cut_search.options import (
    exchanges_parameter,
    memory_parameter,
    minimal_parameter,
    threads_parameter,
)
from shoal.algorithms.sets.cut_search.parts import Room, balanced_borders
from shoal.algorithms.sets.cut_search.task import CutAlgorithm, CutTask, ItemTask
from shoal.algorithms.sets.cut_search.transactions import Counted
from shoal.algorithms.sets.cut_search.violations import Violations
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding
from shoal.threads import in_threads


@dataclass(frozen=True, slots=True)
class VPA(CutAlgorithm):
    """Vertical partitioning: groups of items are searched apart before all of them together.

    The tree is divided into the subtrees of a level, and these into groups of about equally many occurrences,
    neighbours together. AA runs on the items of each group alone, and moves the cut up to nodes that lie in
    the group as a whole; what that does not mend is left. What all groups decided is where a last AA over all
    items starts, so that only sets with items of several groups are still to mend. With `as_printed` both are
    AA as that is printed.

    Contract
        needs:      rows; one set column with a tree
        gives:      one cut for all records
        guarantees: those of AA
        cost:       AA for each group, in threads, and a counting of all m-sets of nodes of the final cut;
                    memory O(items of a group) for each thread, and O(items) at the end

    After Terrovitis, Mamoulis, Kalnis, Local and global recoding methods for anonymizing set-valued data,
    VLDB Journal 20(1), 2011.
    """

    name = "vpa"
    recodes_globally = True
    turn = None
    serves = (KmAnonymity, LmDiversity)
    guarantee = "every model holds; a minimal cut for k^m-anonymity; no bound on the loss"
    distributed = Distribution("counts", (KmAnonymity,))

    parts: int = parameter(
        3, Within(1), "how many groups of items, or more if memory_limit asks for smaller ones"
    )
    level: int = parameter(
        default=1,
        rule=Within(0),
        help="height of the subtrees that stay together, counted from the leaves; 0 means single items",
    )
    minimal: bool = minimal_parameter()
    exchanges: int = exchanges_parameter()
    threads: int = threads_parameter()
    memory_limit: float = memory_parameter()
    as_printed: bool = as_printed_parameter()

    def search(self, task: ItemTask, progress: Progress) -> RowRecoding:
        """Generalize within groups of items, then across them, until every itemset keeps the promise."""
        violations = task.violations
        subtrees = Subtrees.of(violations.transactions, self.level)
        room = Room.beside(violations, self.memory_limit)
        groups = room.divide(subtrees, self.parts)
        progress.stage(f"searching {len(groups)} groups of items")
        searches = [partial(search_group, violations, group, as_printed=self.as_printed) for group in groups]
        found = in_threads(searches, progress, room.at_once(subtrees, groups, self.threads))
        return self.search_all(task, found, progress)

    def search_all(self, task: CutTask, found: Sequence[SearchedGroup], progress: Progress) -> RowRecoding:
        """Go on from what groups of items need by themselves, wherever the transactions are."""
        progress.stage("searching all items")
        violations = task.violations
        cut = Cut(violations.transactions, np.maximum.reduce([group.node_of_leaf for group in found]))
        way_up = generalize_as_printed if self.as_printed else generalize
        tally = way_up(violations, cut, progress)
        for group in found:
            tally.found += group.tally.found
            tally.mended += group.tally.mended
            tally.in_time &= group.tally.in_time
            violations.counted += group.counted
        return task.finish(cut, tally, progress, minimal=self.minimal, exchanges=self.exchanges)


@dataclass(frozen=True, slots=True, eq=False)
class Subtrees:
    """The roots of subtrees in tree order, to be grouped with their neighbours.

    `occurrences` tells how often items under each node occur, in so many rows.
    """

    roots: Ints
    occurrences: Ints
    row_count: int

    @classmethod
    def of(cls, transactions: Counted, level: int) -> Subtrees:
        """The largest subtrees that have at most so many levels below their root."""
        roots = subtrees_of_level(transactions.tree, level)
        return cls(roots, transactions.occurrences, transactions.row_count)

    @property
    def most_parts(self) -> int:
        """A group has at least one subtree."""
        return len(self.roots)

    def parts(self, count: int) -> list[Ints]:
        """About so many groups, in which items occur about equally often."""
        return np.split(self.roots, balanced_borders(self.occurrences[self.roots], count))

    def size(self, group: Ints) -> tuple[int, int]:
        """Items and rows of a group."""
        return int(self.occurrences[group].sum()), self.row_count


def subtrees_of_level(tree: Hierarchy, level: int) -> Ints:
    """The roots of all largest subtrees that have at most so many levels below their root, in tree order.

    In an unbalanced tree these start at different depths: a leaf beside taller subtrees is one of its own.
    A tree without leaves is one.
    """
    if tree.leaf_count == 0:
        return np.array([tree.root], dtype=np.int64)
    heights, above = tree.heights, tree.heights[tree.arrays.parent]
    is_top = (heights <= level) & ((above > level) | (np.arange(tree.node_count) == tree.root))
    is_top[tree.missing] = False
    tops = np.flatnonzero(is_top)
    return tops[np.argsort(tree.arrays.first_leaf[tops], kind="stable")]


@dataclass(frozen=True, slots=True, eq=False)
class SearchedGroup:
    """What the items of a group need by themselves, and what it took to find that out."""

    node_of_leaf: Ints
    tally: Tally
    counted: int


def search_group(
    violations: Violations, group: Ints, progress: Progress, *, as_printed: bool = False
) -> SearchedGroup:
    """Look at the items of neighbouring subtrees alone; other leaves stay as they are."""
    transactions = violations.transactions
    first, last = transactions.leaves
    inside: Bools = (first >= first[group[0]]) & (last <= last[group[-1]])
    part = Violations(transactions.within(inside[: transactions.tree.leaf_count]), violations.constraint)
    cut = Cut(part.transactions)
    way_up = generalize_as_printed if as_printed else generalize
    tally = way_up(part, cut, progress, allowed=inside)
    return SearchedGroup(cut.node_of_leaf, tally, part.counted)
