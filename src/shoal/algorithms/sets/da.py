from dataclasses import dataclass

import numpy as np

from shoal.algorithms.parameters import as_printed_parameter
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import Repairs, Tally, by_falling_support, mend
from shoal.algorithms.sets.cut_search.options import minimal_parameter
from shoal.algorithms.sets.cut_search.task import CutAlgorithm, ItemTask
from shoal.algorithms.sets.cut_search.violations import Violations
from shoal.errors import Problem
from shoal.kernels.arrays import Ints
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding


@dataclass(frozen=True, slots=True)
class DA(CutAlgorithm):
    """Direct anonymization: look at all itemsets of up to m items, generalized ones included, once.

    Transactions are taken with all nodes above their items. Itemsets come in the order of a depth-first
    walk, wide nodes before narrow ones, so that a rare set of wide nodes is mended before any of the many
    narrower ones that it stands for; with `as_printed` frequent nodes before rare ones. Each rare set is
    mended by the cheapest replacement of its own nodes by nodes above them. It sees far more sets than `aa`
    and is meant for comparison and small data.

    Contract
        needs:      rows; one set column with a tree
        gives:      one cut for all records
        guarantees: k^m-anonymity; with `minimal` no node of the cut could be expanded
        cost:       all m-sets of (items times height) per transaction; memory O(items times height)

    After Terrovitis, Mamoulis, Kalnis, Local and global recoding methods for anonymizing set-valued data,
    VLDB Journal 20(1), 2011; shorter itemsets are looked at, too, because an item may occur in short
    transactions only.
    """

    name = "da"
    recodes_globally = True
    turn = None
    serves = (KmAnonymity,)
    guarantee = "k^m-anonymity; a minimal cut; no bound on the loss"

    without_absence = Problem("da does not look at items that are absent", "use aa")

    minimal: bool = minimal_parameter()
    as_printed: bool = as_printed_parameter()

    def search(self, task: ItemTask, progress: Progress) -> RowRecoding:
        """Mend every rare itemset of the walk, or move up to the root when time is up."""
        violations = task.violations
        cut, tally = Cut(violations.transactions), Tally()
        nodes = by_falling_support(violations, cut) if self.as_printed else _wide_first(violations, cut)
        rare = violations.at_any_level(cut, nodes, violations.constraint.m, lighter=True)
        mend(rare, Repairs(violations, cut), cut, tally, progress)
        return task.finish(cut, tally, progress, minimal=self.minimal)


def _wide_first(violations: Violations, cut: Cut) -> Ints:
    """The nodes on a cut or above it, so that few sets are met of which a rarer one was mended before."""
    tree, nodes = violations.transactions.tree, violations.on_cut_or_above(cut)
    return nodes[np.lexsort((nodes, tree.depths[nodes], -tree.sizes[nodes]))]
