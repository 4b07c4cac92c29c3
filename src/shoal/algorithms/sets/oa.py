import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from shoal.algorithms.parameters import Within, parameter
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import Tally
from shoal.algorithms.sets.cut_search.task import CutAlgorithm, ItemTask
from shoal.algorithms.sets.cut_search.violations import Violations
from shoal.errors import LimitReached
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

_Nodes = frozenset[int]


@dataclass(frozen=True, slots=True)
class OA(CutAlgorithm):
    """Optimal anonymization: try cuts from the most detailed one upwards and keep the cheapest safe one.

    Cuts are taken breadth-first. One that is safe is a candidate, and nothing above it can be cheaper. One
    that is not puts the cuts directly above it into the queue: those with one family of siblings replaced by
    their parent. Cuts that cost no less than the best candidate are passed over, and so are those that
    contain an itemset already known to be rare. The number of cuts is exponential in the number of items.

    Contract
        needs:      rows; one set column with a small tree
        gives:      one cut for all records
        guarantees: k^m-anonymity at the least NCP that one cut can have
        cost:       up to `most_cuts` checks of the whole data; refuses trees with more cuts

    After Terrovitis, Mamoulis, Kalnis, Local and global recoding methods for anonymizing set-valued data,
    VLDB Journal 20(1), 2011.
    """

    name = "oa"
    recodes_globally = True
    turn = None
    serves = (KmAnonymity,)
    guarantee = "k^m-anonymity with the least loss of all cuts"

    most_cuts: int = parameter(100_000, Within(1), "refuse trees with more cuts than this")

    def search(self, task: ItemTask, progress: Progress) -> RowRecoding:
        """Try cuts until none is left that could be cheaper; raises LimitReached for too large a tree."""
        search = _Search(task.violations)
        if search.cut_count > self.most_cuts:
            raise LimitReached(
                f"{self.name} would have to choose among {_in_words(search.cut_count)} cuts, and most_cuts is"
                f" {self.most_cuts:,}: use aa, or a smaller hierarchy, or raise most_cuts"
            )
        nodes, in_time = search.best(progress)
        cut = Cut(task.violations.transactions)
        cut.raise_to(node for node in nodes if node > cut.tree.leaf_count)
        found = task.finish(cut, Tally(in_time=in_time), progress, minimal=False)
        return replace(found, figures={**found.figures, "cuts": search.cut_count, "cuts_tried": search.tried})


class _Search:
    """Cuts as sets of nodes; subtrees whose items never occur do not matter and stay leaves."""

    def __init__(self, violations: Violations) -> None:
        self.tried = 0
        self._violations = violations
        self._tree: Hierarchy = violations.transactions.tree
        self._occurrences: Ints = violations.transactions.occurrences
        self._cost = Cut(violations.transactions).cost
        self.cut_count = self._count_cuts()
        self._rare: list[_Nodes] = []

    def best(self, progress: Progress) -> tuple[_Nodes, bool]:
        """The safe cut of least loss, the first of several; and whether time was enough to be sure."""
        best, least = frozenset({self._tree.root}), self._cost(self._tree.root)
        start = frozenset(leaf for leaf in range(self._tree.leaf_count) if self._occurrences[leaf] > 0)
        waiting, met = deque([start]), {start}
        while waiting:
            nodes = waiting.popleft()
            loss = sum(map(self._cost, nodes))
            if loss < least or nodes == start:
                if self._is_safe(nodes):
                    best, least = nodes, loss
                    continue
                above = [each for each in self._directly_above(nodes) if each not in met]
                met.update(above)
                waiting.extend(above)
            progress.update(self.tried, self.cut_count, f"{len(waiting):,} cuts wait")
            if progress.expired():
                return best, False
        return best, True

    def _is_safe(self, nodes: _Nodes) -> bool:
        if any(itemset <= nodes for itemset in self._rare):
            return False
        self.tried += 1
        cut = Cut(self._violations.transactions)
        cut.raise_to(node for node in nodes if node > self._tree.leaf_count)
        violation = self._violations.first_at(cut)
        if violation is not None and not violation.absent:
            self._rare.append(frozenset(violation.present))
        return violation is None

    def _directly_above(self, nodes: _Nodes) -> Iterator[_Nodes]:
        for parent in sorted({self._tree.parent(node) for node in nodes}):
            children = frozenset(self._present_children(parent))
            if children and children <= nodes:
                yield nodes - children | {parent}

    def _present_children(self, node: int) -> list[int]:
        children = self._tree.children(node)
        return list(children[self._occurrences[children] > 0].tolist())

    def _count_cuts(self) -> int:
        counts = [1] * self._tree.node_count
        for node in range(self._tree.leaf_count + 1, self._tree.node_count):
            if self._occurrences[node] > 0:
                counts[node] = 1 + math.prod(counts[child] for child in self._present_children(node))
        return counts[self._tree.root]


def _in_words(count: int) -> str:
    digits = math.floor(math.log10(count))
    return f"{count:,}" if digits < 12 else f"about 10^{digits}"
