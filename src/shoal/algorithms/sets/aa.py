from dataclasses import dataclass

from shoal.algorithms.interface import Distribution
from shoal.algorithms.parameters import as_printed_parameter
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import generalize, generalize_as_printed
from shoal.algorithms.sets.cut_search.options import exchanges_parameter, minimal_parameter
from shoal.algorithms.sets.cut_search.task import CutAlgorithm, CutTask
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding


@dataclass(frozen=True, slots=True)
class AA(CutAlgorithm):
    """Apriori anonymization: generalize for rare items first, then for rare pairs, and so on up to m.

    In each round the sets of nodes of the current cut that fewer than k transactions hold are taken in
    lexicographic order. Each is mended by the replacement of its own nodes by nodes above them that costs
    least; whatever contains a replaced node needs no look any more, which is what makes the order of sizes
    pay. Supports are counted at the current cut only, one first item after the other, so memory does not
    depend on the number of itemsets. Afterwards nodes are expanded again where the promise allows it, and a
    few of the dearest ones are expanded at the expense of others if that pays. With `as_printed` the sets
    come in the order of the paper's count-tree, and the cut stays as they leave it.

    Contract
        needs:      rows; one set column with a tree
        gives:      one cut for all records
        guarantees: every model passed to find(); with `minimal` no node of the cut could be expanded (for
                    l^m-diversity, which is not monotone, the step only improves)
        cost:       about one counting of all m-sets of nodes of the final cut; memory O(items)

    After Terrovitis, Mamoulis, Kalnis, Local and global recoding methods for anonymizing set-valued data,
    VLDB Journal 20(1), 2011, with another way to count and another order; see `generalize`.
    """

    name = "aa"
    recodes_globally = True
    turn = 7
    needs_trees = True
    serves = (KmAnonymity, LmDiversity)
    guarantee = "every model holds; a minimal cut for k^m-anonymity; no bound on the loss"
    distributed = Distribution("counts", (KmAnonymity,))

    minimal: bool = minimal_parameter()
    exchanges: int = exchanges_parameter()
    as_printed: bool = as_printed_parameter()

    def search(self, task: CutTask, progress: Progress) -> RowRecoding:
        """Generalize until every itemset keeps the promise, or up to the root when time is up.

        The transactions may be anywhere.
        """
        cut = Cut(task.violations.transactions)
        way_up = generalize_as_printed if self.as_printed else generalize
        tally = way_up(task.violations, cut, progress)
        return task.finish(cut, tally, progress, minimal=self.minimal, exchanges=self.exchanges)
