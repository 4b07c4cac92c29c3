from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.parameters import Within, parameter
from shoal.algorithms.sets.equal_sets.clusters import (
    OUT_OF_TIME,
    Clustered,
    EqualSets,
    cost_tree,
    drill,
    made_diverse,
    ncp_of,
    suppression_parameter,
)
from shoal.engine.local import LocalData
from shoal.kernels.arrays import Ints, owners
from shoal.kernels.lgr import Regrouping, begin_regrouping, regroup
from shoal.kernels.set_partition import Drill
from shoal.privacy.model import Model
from shoal.privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

_STEPS_PER_SLICE = 20_000_000


@dataclass(frozen=True, slots=True)
class LGR(Algorithm):
    """Local generalization and reallocation: a partition, then its costly clusters are formed anew bottom-up.

    Partition drills down greedily and never looks back. Of its clusters, those that lose something are taken
    up again, in the order in which they fell apart, so that neighbours have most in common. Two neighbours
    are united, published as the finest set that all their records have in common, and divided anew, once for
    each node that could be expanded first; the division that loses least stays. Then four neighbours at a
    time, and so on up to `widest`. Records change clusters by that, and clusters are formed and dissolved,
    but each keeps k records and one common published set.

    The rounds that the paper describes place single records so that every published item, but not every
    published set, occurs k times; that weaker promise is kept by `lgr-literal`.

    Contract
        needs:      rows; one set column with a tree
        gives:      one cut per cluster of records: an item may be generalized in one cluster and not in
                    another
        guarantees: every model passed to find(); without l-diversity never a larger loss than Partition
        cost:       Partition, and for each width about two more for each node of a published set; memory
                    O(occurrences)

    After Kim, A new approach for anonymizing transaction data with set values, Electronics 12(14), 2023, made
    sound. For l-diversity clusters are merged afterwards; see `made_diverse`.
    """

    name = "lgr"
    turn = 3
    needs_trees = True
    serves = (SetKAnonymity, SetLDiversity)
    paper = "Kim. A new approach for anonymizing transaction data with set values. Electronics 12(14), 2023."
    guarantee = "every model holds; without l-diversity no larger loss than partition"
    distributed = Distribution("blocks", (SetKAnonymity,))

    widest: int = parameter(
        4, Within(1), "how many neighbouring clusters are divided anew together at most: more lose less"
    )
    suppression: float = suppression_parameter()

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Partition the records, and form the clusters that lose something anew, as far as time allows."""
        task = EqualSets.of(data, models, self.suppression)
        parts, found = drill(task, progress)
        if not found.notices:
            progress.stage("regrouping")
            found = self._regrouped(task, parts, found, progress)
        return task.recoding(made_diverse(task, found, models, progress))

    def _regrouped(self, task: EqualSets, parts: Drill, found: Clustered, progress: Progress) -> Clustered:
        rows = _rows_that_lose(parts)
        stuck = task.transactions.taking(rows)
        starts, own_starts = parts.sets.starts, stuck.sets.starts
        places = np.arange(own_starts[-1]) + np.repeat(starts[rows] - own_starts[:-1], np.diff(own_starts))
        _, cluster = np.unique(parts.cluster[rows], return_inverse=True)
        anew = begin_regrouping(stuck.sets, cost_tree(task.tree), task.k, parts.node[places], cluster)
        in_time = self._regroup_all(anew, progress)
        cluster_of_row, node_of_occurrence = parts.cluster.copy(), parts.node.copy()
        cluster_of_row[rows] = len(parts.cluster) + anew.drill.cluster
        node_of_occurrence[places] = anew.drill.node
        figures = {"ncp_of_partition": ncp_of(task, parts.node), "records_regrouped": len(rows)}
        return replace(
            found,
            cluster_of_row=cluster_of_row,
            node_of_occurrence=node_of_occurrence,
            notices=() if in_time else (OUT_OF_TIME,),
            figures={**found.figures, **figures},
        )

    def _regroup_all(self, anew: Regrouping, progress: Progress) -> bool:
        """Divide clusters anew at every width; returns whether there was time for all of it."""
        row_count, width = len(anew.drill.order), 2
        while width <= self.widest:
            start = 0
            while start < row_count:
                start = regroup(anew, width, start, _STEPS_PER_SLICE)
                progress.update(start, row_count, f"{width} neighbouring clusters at a time")
                if progress.expired():
                    return False
            width *= 2
        return True


def _rows_that_lose(parts: Drill) -> Ints:
    """Rows of clusters in which something is generalized, cluster by cluster as they fell apart."""
    costs = parts.tree.cost[parts.node]
    rows = owners(parts.sets.starts)
    loss_of_cluster = np.bincount(parts.cluster[rows], costs)
    return parts.order[loss_of_cluster[parts.cluster[parts.order]] > 0]
