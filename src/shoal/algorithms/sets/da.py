from dataclasses import dataclass

from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import Repairs, Tally, mend
from shoal.algorithms.sets.cut_search.options import minimal_parameter
from shoal.algorithms.sets.cut_search.task import CutAlgorithm, ItemTask
from shoal.errors import Problem
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding


@dataclass(frozen=True, slots=True)
class DA(CutAlgorithm):
    """Direct anonymization: look at all itemsets of up to m items, generalized ones included, once.

    Transactions are taken with all nodes above their items. Itemsets come in the order of a depth-first
    walk, wide nodes before narrow ones, so that a rare set of wide nodes is mended before any of the many
    narrower ones that it stands for. Each rare set is mended by the cheapest replacement of its own nodes by
    nodes above them. It sees far more sets than `aa` and is meant for comparison and small data.

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
    turn = None
    serves = (KmAnonymity,)
    guarantee = "k^m-anonymity; a minimal cut; no bound on the loss"

    without_absence = Problem("da does not look at items that are absent", "use aa")

    minimal: bool = minimal_parameter()

    def search(self, task: ItemTask, progress: Progress) -> RowRecoding:
        """Mend every rare itemset of the walk, or move up to the root when time is up."""
        violations = task.violations
        cut, tally = Cut(violations.transactions), Tally()
        mend(violations.at_any_level(cut), Repairs(violations, cut), cut, tally, progress)
        return task.finish(cut, tally, progress, minimal=self.minimal)
