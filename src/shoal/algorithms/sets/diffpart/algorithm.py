from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.parameters import Within, parameter
from shoal.algorithms.sets.cut_search.transactions import set_column
from shoal.algorithms.sets.diffpart.noise import Noise, library_noise, repeatable_noise
from shoal.engine.local import LocalData
from shoal.errors import BadInput, LimitReached, Problem
from shoal.hierarchy.files import HierarchyFile
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints, SetArrays, frozen_ints, frozen_sets
from shoal.kernels.diffpart import branches_held
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.model import Model
from shoal.privacy.parameters import exact
from shoal.progress import Progress
from shoal.recoding.synthetic import Synthetic
from shoal.table.roles import QuasiSet

# Every non-empty set of branches gets a noisy count of its own.
_MOST_BRANCHES = 10
# What rounding can add to the budget along a path stays far below this share of it.
_KEPT_BACK = 1e-9


@dataclass(frozen=True, slots=True)
class DiffPart(Algorithm):
    """Divide the records along the tree of items as long as noisy counts say that it pays.

    All records with items begin as one part, generalized to the root. A part is divided by the highest of its
    nodes: one new part for every non-empty set of the node's children that a record can hold. Each of them
    gets noise on its count, whether it has records or not, and goes on if the noisy count is large enough.
    Half of epsilon is spent on this along every path, in equal shares of what is left; the rest goes into the
    counts of the parts that are sets of items in the end. They are published as so many new records.

    Contract
        needs:      rows; one set column with a tree that comes from a file, not from the data
        gives:      new records, whose number is noisy as well; rare itemsets are mostly lost
        guarantees: differential privacy with epsilon by construction, for one record more or less; nothing
                    that could be checked on the file
        cost:       O(items) for each division of a part; 2^children noisy counts for each of them

    After Chen, Mohammed, Fung, Desai, Xiong, Publishing set-valued data via differential privacy, PVLDB
    4(11), 2011. Empty parts get their noise one by one, which limits nodes to 10 children; noise is discrete.
    """

    name: ClassVar[str] = "diffpart"
    serves: ClassVar[tuple[type[Model], ...]] = (DifferentialPrivacy,)
    paper: ClassVar[str] = (
        "Chen, Mohammed, Fung, Desai, Xiong. Publishing set-valued data via differential privacy. PVLDB"
        " 4(11), 2011."
    )
    guarantee: ClassVar[str] = "differential privacy by construction; no bound on the loss"

    partition_threshold: float = parameter(
        default=1.0,
        rule=Within(0.0, 100.0),
        help="how many standard deviations of the noise, times its height, a part must have to be divided",
    )
    leaf_threshold: float = parameter(
        default=1.0,
        rule=Within(0.0, 100.0),
        help="how many standard deviations of the noise an itemset must have to be published",
    )

    def find(
        self,
        data: LocalData,
        models: Sequence[Model],
        rng: np.random.Generator,
        progress: Progress,
    ) -> Synthetic:
        """Publish noisy counts of itemsets, with noise from the operating system."""
        return self._find(data, models, library_noise(), progress)

    def find_repeatably(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> Synthetic:
        """The same with noise that the generator can repeat: for tests, never for publication."""
        return self._find(data, models, repeatable_noise(rng), progress)

    def _find(self, data: LocalData, models: Sequence[Model], noise: Noise, progress: Progress) -> Synthetic:
        column = _column_alone(data)
        epsilon = min(
            float(exact(model.epsilon)) for model in models if isinstance(model, DifferentialPrivacy)
        )
        sets, tree = data.table.sets(column).arrays, data.trees[column]
        division = _Division(sets, _Branches(tree), noise, self.partition_threshold)
        published: list[tuple[tuple[int, ...], int]] = []
        budget = epsilon * (1 - _KEPT_BACK) / 2
        waiting = [_Part(np.flatnonzero(np.diff(sets.starts) > 0), division.branches.start(), budget)]
        parts = 0
        while waiting:
            progress.update(parts)
            if progress.expired():
                # How many parts there was time for depends on the data, and no noise hides that.
                raise LimitReached("time was up before the noisy counts were complete; raise time_limit")
            part = waiting.pop()
            parts += 1
            if division.branches.inner_count(part.cut):
                waiting += division.divided(part)
                continue
            for_count = budget + part.budget
            count = int(noise(np.array([len(part.rows)], dtype=np.int64), for_count)[0])
            if count >= max(1.0, self.leaf_threshold * math.sqrt(2) / for_count):
                published.append((part.cut, count))
        return _published(column, published, parts, epsilon)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Records with items below all the nodes of a cut and nowhere else, and the budget to divide them."""

    rows: Ints
    cut: tuple[int, ...]
    budget: float


class _Branches:
    """The nodes of a tree at which ways part."""

    def __init__(self, tree: Hierarchy) -> None:
        self.tree = tree
        self._inner = np.zeros(tree.node_count, dtype=np.int64)
        for node in range(tree.leaf_count + 1, tree.node_count):  # children come before parents
            children = tree.children(node)
            self._inner[node] = self._inner[children].sum() + (len(children) > 1)

    def start(self) -> tuple[int, ...]:
        """The cut at the root."""
        return (self._down(self.tree.root),)

    def inner_count(self, cut: tuple[int, ...]) -> int:
        """How often a part with this cut can be divided."""
        return int(self._inner[list(cut)].sum())

    def children(self, node: int) -> tuple[int, ...]:
        """The nodes below, without those that have one child only."""
        return tuple(map(self._down, self.tree.children(node).tolist()))

    def _down(self, node: int) -> int:
        while len(below := self.tree.children(node)) == 1:
            node = int(below[0])
        return node

    def highest(self, cut: tuple[int, ...]) -> int:
        """The node of a cut that is to be divided next, which depends on the tree alone."""
        return max(cut, key=lambda node: (self.tree.heights[node] if self._inner[node] else 0, -node))


@dataclass(frozen=True, slots=True, eq=False)
class _Division:
    """How parts are divided."""

    sets: SetArrays
    branches: _Branches
    noise: Noise
    threshold: float

    def divided(self, part: _Part) -> Iterator[_Part]:
        """The parts of a part that have enough records, as far as noisy counts tell."""
        tree = self.branches.tree
        node = self.branches.highest(part.cut)
        children = self.branches.children(node)
        spent = part.budget / self.branches.inner_count(part.cut)
        held = branches_held(
            self.sets, part.rows, int(tree.arrays.first_leaf[node]), _branch_of_leaf(tree, node)
        )
        order = np.argsort(held, kind="stable")
        counts = np.bincount(held, minlength=1 << len(children)).astype(np.int64)
        ends = np.cumsum(counts)
        deviation = math.sqrt(2) / spent
        # Of so many empty parts, less than one shall pass on the average.
        by_chance = len(children) * math.log(2) / spent
        least = max(self.threshold * int(tree.heights[node]) * deviation, by_chance)
        enough = np.flatnonzero(self.noise(counts[1:], spent) >= least) + 1
        others = tuple(other for other in part.cut if other != node)
        for branches in enough.tolist():
            kept = (child for place, child in enumerate(children) if branches >> place & 1)
            rows = part.rows[order[ends[branches] - counts[branches] : ends[branches]]]
            yield _Part(rows, tuple(sorted((*others, *kept))), part.budget - spent)


def _branch_of_leaf(tree: Hierarchy, node: int) -> Ints:
    children = tree.children(node)
    return np.repeat(np.arange(len(children), dtype=np.int64), tree.sizes[children])


def _published(
    column: str, published: Sequence[tuple[tuple[int, ...], int]], parts: int, epsilon: float
) -> Synthetic:
    starts = np.cumsum([0, *(len(itemset) for itemset, _ in published)])
    counts = frozen_ints([count for _, count in published])
    return Synthetic(
        column=column,
        itemsets=frozen_sets(starts, [item for itemset, _ in published for item in itemset]),
        counts=counts,
        notices=(
            f"differential privacy with epsilon={epsilon:g} follows from how the file was made; nobody can"
            " check it on the file",
            "the published records are new ones: their number is noisy, and most rare items are missing",
        ),
        figures={"parts": parts, "itemsets": len(published), "records": int(counts.sum())},
    )


def _column_alone(data: LocalData) -> str:
    """The set column; refuses whatever would say more than the noise hides."""
    column = set_column(data)
    role = data.roles[column]
    problems = [
        Problem(
            "differential privacy publishes new records, which have no other columns",
            "drop the column",
            column=name,
        )
        for name in data.table.columns
        if name != column
    ]
    if isinstance(role, QuasiSet):
        problems += _problems_of_role(role, column)
    widest = int(np.diff(data.trees[column].child_starts).max(initial=0))
    if widest > _MOST_BRANCHES:
        what = f"a node of the hierarchy has {widest} children, and each set of them needs a noisy count"
        problems.append(
            Problem(what, f"give it inner nodes, no more than {_MOST_BRANCHES} under one", column=column)
        )
    if data.subjects is not None:
        problems.append(Problem("one person can have several records", "unite them with `subject`"))
    if problems:
        raise BadInput(*problems)
    return column


def _problems_of_role(role: QuasiSet, column: str) -> Iterator[Problem]:
    if not isinstance(role.hierarchy, HierarchyFile):
        yield Problem(
            "a hierarchy that is built from the data tells which items occur, and no noise hides that",
            "give all items there could be, and their hierarchy, in a file",
            column=column,
        )
    elif role.hierarchy.outline().intervals:
        yield Problem(
            "a hierarchy of ranges has the values of the data as its leaves, and no noise hides those",
            "list all items there could be in the hierarchy",
            column=column,
        )
    if role.unknown == "root":
        what = "items that the hierarchy lacks would show that they occur"
        yield Problem(what, 'add them to it, or set unknown = "suppress"', column=column)
    if role.multiset:
        what = "how often an item is repeated would show in the names of items, and no noise hides those"
        yield Problem(what, "leave multiset out: repeated items count once", column=column)
    if role.sensitive:
        what = "differential privacy protects all items alike, and none is left out as sensitive"
        yield Problem(what, "remove `sensitive`", column=column)
