from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Any

import numpy as np

from shoal.algorithms.interface import Distribution
from shoal.algorithms.parameters import Printed, Within, YesOrNo, as_printed_parameter, parameter
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import generalize, generalize_as_printed
from shoal.algorithms.sets.cut_search.options import (
    exchanges_parameter,
    memory_parameter,
    minimal_parameter,
    threads_parameter,
)
from shoal.algorithms.sets.cut_search.parts import Room, balanced_borders
from shoal.algorithms.sets.cut_search.specialization import obstacles_at, specialize
from shoal.algorithms.sets.cut_search.task import DOWNCODING, CutAlgorithm, ItemTask, reasons_of
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.cut_search.violations import Violation, Violations
from shoal.algorithms.sets.equal_sets.gray_order import gray_order, hamming_distances
from shoal.errors import Problem
from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.progress import Progress
from shoal.recoding.cuts import Cuts
from shoal.recoding.rows import RowRecoding
from shoal.threads import in_threads

_TRIED = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class LRA(CutAlgorithm):
    """Local recoding: similar transactions form parts, and each part has a cut of its own.

    Transactions are put into the order of the Gray code, in which neighbours have many items in common. The
    order is divided into parts with about equal numbers of m-subsets; each border is moved, by a few places
    at most, to where neighbours differ most. AA runs on every part. An itemset has k transactions in each
    part that holds it, so it has them in the whole. A part that cannot keep the promise even with every item
    published as the root is united with a neighbour: it has too few transactions that are not empty, or too
    many of them share a sensitive item.

    A part has fewer transactions to hide in than all the data, so unless parts have little in common more
    parts lose more. That is why, by default, one part, two and three are tried and the best is kept. At the
    end transactions of one item, which support no larger itemset, get a part and a cut of their own. So the
    loss is at most that of AA, and less where such transactions are many. With `as_printed` there are three
    parts, or as many as asked for, of which each has the cut of AA as that is printed.

    Contract
        needs:      rows; one set column with a tree
        gives:      one cut per part: an item may be generalized in one part and not in another
        guarantees: every model passed to find(), in each part alone; with `minimal` the cut of a part is
                    minimal as in AA
        cost:       sorting, and AA for each part of each division tried, in threads; memory O(items of a
                    part) for each thread

    After Terrovitis, Mamoulis, Kalnis, Local and global recoding methods for anonymizing set-valued data,
    VLDB Journal 20(1), 2011; the choice of the number of parts and the part for single items are ours.
    """

    name = "lra"
    turn = 5
    needs_trees = True
    heeds_absence = False
    serves = (KmAnonymity, LmDiversity)
    guarantee = "every model holds in each part; a minimal cut per part; no bound on the loss"
    distributed = Distribution("parts", (KmAnonymity,))

    without_absence = Problem(
        "with a cut per part it cannot be told which items are absent, so lra gives no promise about negative"
        " knowledge",
        "use aa or vpa",
    )

    parts: int = parameter(
        default=0,
        rule=Within(0),
        help="how many parts of similar transactions, or more if memory_limit asks for smaller ones; 0 means"
        " that one, two and three are tried and what loses least is kept",
        printed=Printed(3, ours=(0,)),
    )
    flexibility: int = parameter(
        default=10, rule=Within(0), help="how many transactions a border between parts may be moved"
    )
    minimal: bool = minimal_parameter()
    exchanges: int = exchanges_parameter()
    single_items: bool = parameter(
        default=True,
        rule=YesOrNo(),
        help="transactions of one item get a part of their own, where they can be published in more detail",
        printed=Printed(value=False),
    )
    threads: int = threads_parameter()
    memory_limit: float = memory_parameter()
    as_printed: bool = as_printed_parameter()

    def search(self, task: ItemTask, progress: Progress) -> RowRecoding:
        """Divide the transactions and generalize each part until every itemset keeps the promise."""
        ordered = _OrderedRows.of(task.violations, self.flexibility)
        room = Room.beside(task.violations, self.memory_limit)
        divisions = self._divisions(ordered, room)
        parts = [rows for division in divisions for rows in division]
        progress.stage(f"searching {len(parts)} parts")
        searches = [partial(self._search, task, rows) for rows in parts]
        each = iter(in_threads(searches, progress, room.at_once(ordered, parts, self.threads)))
        searched = [[_Part(rows, next(each)) for rows in division] for division in divisions]
        best = min(searched, key=partial(_loss, task))
        found = _joined(task, best, _notices(searched, best))
        if self.single_items and task.violations.constraint.diverse_m == 0 and not progress.expired():
            progress.stage("searching transactions of one item")
            return self._with_single_items_apart(task, best, found, progress)
        return found

    def _divisions(self, ordered: _OrderedRows, room: Room) -> list[Sequence[Ints]]:
        counts = (self.parts,) if self.parts else _TRIED
        divisions = (room.divide(ordered, count) for count in counts)
        return list({len(division): division for division in divisions}.values())

    def _search(self, task: ItemTask, rows: Ints, progress: Progress) -> RowRecoding:
        part = _task_of_part(task, rows)
        cut = Cut(part.violations.transactions)
        way_up = generalize_as_printed if self.as_printed else generalize
        tally = way_up(part.violations, cut, progress)
        return part.finish(cut, tally, progress, minimal=self.minimal, exchanges=self.exchanges)

    def _with_single_items_apart(
        self, task: ItemTask, parts: Sequence[_Part], found: RowRecoding, progress: Progress
    ) -> RowRecoding:
        """The same with a part more for transactions of one item, if any may leave and that pays."""
        leaving = [part.may_leave(task) for part in parts]
        rows = np.concatenate([part.rows[chosen] for part, chosen in zip(parts, leaving, strict=True)])
        if len(rows) == 0:
            return found
        apart = _Part(rows, self._search(task, rows, progress))
        rest = [
            part.without(chosen, task, progress, minimal=self.minimal)
            for part, chosen in zip(parts, leaving, strict=True)
            if not chosen.all()
        ]
        saved = _loss(task, parts) - _loss(task, [*rest, apart])
        if saved <= 0 or progress.expired():
            return found
        return _joined_anew(task, [*rest, apart], found, saved)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some of the transactions and their cut."""

    rows: Ints
    recoding: RowRecoding

    @property
    def cuts(self) -> Cuts:
        """The cut of the part, as of one for all records."""
        return self.recoding.cuts

    def loss(self, task: ItemTask) -> int:
        """What `Cut` calls the loss."""
        transactions = task.violations.transactions
        sizes = transactions.tree.sizes
        cost = np.where(sizes > 1, sizes, 0)[self.cuts.node_of_leaf[0]]
        return int(cost[transactions.taking(self.rows).sets.items].sum())

    def may_leave(self, task: ItemTask) -> Bools:
        """Which of the transactions may leave; empty ones go with the last others."""
        transactions = task.violations.transactions.taking(self.rows)
        chosen = may_leave(transactions, self.cuts.node_of_leaf[0], task.violations.constraint.k)
        everybody: Bools = np.full_like(chosen, fill_value=chosen.sum() == transactions.non_empty)
        return chosen | everybody

    def without(self, leaving: Bools, task: ItemTask, progress: Progress, *, minimal: bool) -> _Part:
        """The part without some transactions: their items may have stood in the way of more detail."""
        rows = self.rows[~leaving]
        violations = _task_of_part(task, rows).violations
        cut = Cut(violations.transactions, self.cuts.node_of_leaf[0])
        known = {reason.node: Violation(reason.itemset, (), reason.support) for reason in self.cuts.reasons}
        if minimal:
            known = specialize(violations, cut, progress, known).obstacles
        reasons = reasons_of(obstacles_at(violations, cut, known, progress), violations.constraint)
        cuts = replace(self.cuts, node_of_leaf=cut.node_of_leaf[np.newaxis], reasons=reasons)
        return _Part(rows, replace(self.recoding, items=(cuts,)))


@dataclass(frozen=True, slots=True, eq=False)
class _OrderedRows:
    """Transactions in the order of the Gray code, to be cut into any number of parts."""

    violations: Violations
    order: Ints
    sizes: Ints
    flexibility: int

    @classmethod
    def of(cls, violations: Violations, flexibility: int) -> _OrderedRows:
        transactions = violations.transactions
        order = gray_order(transactions.sets, transactions.tree.leaf_count)
        return cls(violations, order, np.diff(transactions.sets.starts), flexibility)

    @property
    def most_parts(self) -> int:
        """No more parts than this have enough transactions."""
        return self.violations.transactions.non_empty // self.violations.constraint.k

    def size(self, rows: Ints) -> tuple[int, int]:
        """Items and rows of a part."""
        return int(self.sizes[rows].sum()), len(rows)

    def parts(self, count: int) -> list[Ints]:
        """The rows of about so many parts, each of which can keep the promise."""
        sets, m = self.violations.transactions.sets, self.violations.constraint.largest
        borders = [
            moved_border(sets, self.order, border, self.flexibility)
            for border in balanced_borders(subset_counts(self.sizes, m)[self.order], count).tolist()
        ]
        return united(np.split(self.order, sorted(set(borders))), self._can_keep_the_promise)

    def _can_keep_the_promise(self, rows: Ints) -> bool:
        """Whether the promise holds among some rows when each of their items is published as the root."""
        transactions, constraint = self.violations.transactions, self.violations.constraint
        with_items = rows[self.sizes[rows] > 0]
        if len(with_items) < constraint.k or constraint.diverse_m == 0:
            return len(with_items) >= constraint.k
        part = Violations(transactions.taking(with_items), constraint)
        return not part.breaks((transactions.tree.root,), ())


def subset_counts(sizes: Ints, m: int) -> Ints:
    """The number of m-subsets of sets of the given sizes, divided by a power of 2 if they would be huge."""
    distinct, index, sets = np.unique(sizes, return_inverse=True, return_counts=True)
    counts = [comb(size, m) for size in distinct.tolist()]
    total = sum(count * times for count, times in zip(counts, sets.tolist(), strict=True))
    excess = max(0, total.bit_length() - 40)
    return np.array([count >> excess for count in counts], dtype=np.int64)[index]


def moved_border(sets: SetArrays, order: Ints, border: int, flexibility: int) -> int:
    """The place near a border where neighbours differ in most items; of equal ones the nearest, the first."""
    places = np.arange(max(1, border - flexibility), min(len(order) - 1, border + flexibility) + 1)
    distances = hamming_distances(sets, order[places[0] - 1 : places[-1] + 1])
    return int(places[np.lexsort((places, np.abs(places - border), -distances))[0]])


def united(parts: Sequence[Ints], can_stand_alone: Callable[[Ints], bool]) -> list[Ints]:
    """The parts in their order, each that cannot stand alone united with the next, or the one before."""
    standing: list[Ints] = []
    waiting: Ints = np.empty(0, dtype=np.int64)
    for part in parts:
        waiting = np.concatenate((waiting, part))
        if can_stand_alone(waiting):
            standing.append(waiting)
            waiting = np.empty(0, dtype=np.int64)
    while len(waiting) and standing:
        waiting = np.concatenate((standing.pop(), waiting))
        if can_stand_alone(waiting):
            return [*standing, waiting]
    return [*standing, waiting] if len(waiting) or not standing else standing


def _task_of_part(task: ItemTask, rows: Ints) -> ItemTask:
    violations = task.violations
    return replace(
        task,
        row_count=len(rows),
        violations=Violations(violations.transactions.taking(rows), violations.constraint),
        notices=(),
    )


def _loss(task: ItemTask, parts: Sequence[_Part]) -> int:
    return sum(part.loss(task) for part in parts)


def _joined(task: ItemTask, parts: Sequence[_Part], notices: tuple[str, ...]) -> RowRecoding:
    part_of_row = np.empty(task.violations.transactions.row_count, dtype=np.int64)
    for number, part in enumerate(parts):
        part_of_row[part.rows] = number
    cuts = Cuts(
        column=task.column,
        part_of_row=part_of_row,
        node_of_leaf=np.concatenate([part.cuts.node_of_leaf for part in parts]),
        reasons=tuple(
            replace(reason, part=number) for number, part in enumerate(parts) for reason in part.cuts.reasons
        ),
    )
    return RowRecoding(
        items=(cuts,),
        notices=(*task.notices, *notices),
        figures={"parts": len(parts), **_figures(task.violations.transactions, parts)},
    )


def _joined_anew(task: ItemTask, parts: Sequence[_Part], before: RowRecoding, saved: int) -> RowRecoding:
    """The last part is new; the figures of the others are those before it was made."""
    transactions, apart = task.violations.transactions, parts[-1]
    ncp = before.figures["ncp"]
    counted = before.figures["occurrences_counted"] + apart.recoding.figures["occurrences_counted"]
    notice = (
        f"{len(apart.rows):,} transactions of one item form part {len(parts)}, where they are published in"
        " more detail"
    )
    joined = _joined(task, parts, ())
    return replace(
        joined,
        notices=(*before.notices, notice),
        figures={
            **before.figures,
            "parts": len(parts),
            "single_items_apart": len(apart.rows),
            "occurrences_counted": counted,
            "nodes_on_cut": sum(len(np.unique(nodes)) for nodes in joined.cuts.node_of_leaf),
            "ncp_before_single_items": ncp,
            "ncp": ncp - saved / (len(transactions.sets.items) * transactions.tree.leaf_count),
        },
    )


def _notices(searched: Sequence[Sequence[_Part]], best: Sequence[_Part]) -> tuple[str, ...]:
    """How the parts were chosen, what is true of each of them, and once what is true of the method."""
    tried = [str(len(parts)) for parts in searched]
    choice = f"{', '.join(tried)} parts of similar transactions were tried, and {len(best)} lost least"
    of_parts = [
        notice if notice == DOWNCODING else f"part {number} of {len(best)}: {notice}"
        for number, part in enumerate(best, start=1)
        for notice in part.recoding.notices
    ]
    return tuple(dict.fromkeys([choice, *of_parts] if len(tried) > 1 else of_parts))


def _figures(transactions: Transactions, parts: Sequence[_Part]) -> dict[str, Any]:
    """Counts of all parts together, and losses as means over all occurrences."""
    sizes = np.diff(transactions.sets.starts)
    occurrences = [int(sizes[part.rows].sum()) for part in parts]
    found = [part.recoding.figures for part in parts]
    figures: dict[str, Any] = {}
    for name, value in (figure for each in found for figure in each.items()):
        if isinstance(value, float):
            # A part that ran out of time lacks what came before a later step; then nothing came after it.
            losses = [each.get(name, each["ncp"]) for each in found]
            weighted = sum(count * loss for count, loss in zip(occurrences, losses, strict=True))
            figures[name] = weighted / max(1, sum(occurrences))
        else:
            figures[name] = sum(each.get(name, 0) for each in found)
    return figures


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
