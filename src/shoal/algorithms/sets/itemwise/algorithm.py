from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.sets.cut_search.task import ItemTask
from shoal.algorithms.sets.cut_search.transactions import with_sensitive_items
from shoal.algorithms.sets.itemwise.descent import descend, largest_m
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.metrics.items import item_ncp
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.cuts import ItemNodes
from shoal.recoding.rows import RowRecoding

_DOWNCODING = (
    "items are published in as much detail as the search could give them, and who knows that can sometimes"
    " conclude more from it (downcoding)"
)
_OUT_OF_TIME = "time was up before the search ended: some items could be published in more detail"


@dataclass(frozen=True, slots=True)
class Itemwise(Algorithm):
    """Each occurrence of an item is published in as much detail as the promise allows in its record.

    All items begin at the root of the tree, where every record shows the same. Then, from the root downwards,
    the occurrences at a node are moved to the nodes below it, the widest first: of the records that hold the
    lower node those go down together which leave every set of at most m labels, with the lower node or the
    upper one, k records or none. Who cannot go stays. So an item may be published as itself in records where
    it is common beside the others, and as a wider node in the rest. Moving down never harms those that went
    before, and the promise holds after every step: the search can stop at any time.

    Contract
        needs:      rows; one set column with a tree
        gives:      a node for each occurrence of an item
        guarantees: k^m-anonymity at every moment; no bound on the loss
        cost:       about (height of the tree)^2 times the sets of m labels that records show; memory O(sets
                    of m - 1 labels beside one node)

    Ours. It recodes locally as LRA does, but by single items instead of parts of the records.
    """

    name = "itemwise"
    turn = 1
    needs_trees = True
    heeds_absence = False
    serves = (KmAnonymity,)
    paper = "Shoal's own; local recoding after Terrovitis, Mamoulis, Kalnis, VLDB Journal 20(1), 2011."
    guarantee = "k^m-anonymity; no bound on the loss"
    distributed = Distribution("blocks", (KmAnonymity,))

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Move occurrences down until none can, or time is up."""
        task = ItemTask.of(data, models)
        transactions, constraint = task.violations.transactions, task.violations.constraint
        _refuse_what_cannot_be_counted(task)
        progress.stage("publishing items in more detail")
        everybody = np.zeros(task.row_count, dtype=np.int64)
        found = descend(transactions, everybody, constraint.k, constraint.m, progress)
        nodes = with_sensitive_items(data, task.column, found.node_of_occurrence)
        return RowRecoding(
            items=(ItemNodes(task.column, nodes, np.zeros(task.row_count, dtype=np.bool_)),),
            notices=(*task.notices, _DOWNCODING if found.in_time else _OUT_OF_TIME),
            figures={
                "labels": len(np.unique(found.node_of_occurrence)),
                "ncp": item_ncp(transactions.tree, transactions.sets, found.node_of_occurrence),
            },
        )


def _refuse_what_cannot_be_counted(task: ItemTask) -> None:
    constraint, most = task.violations.constraint, largest_m(task.violations.transactions)
    if constraint.negative:
        what = (
            "where items are generalized in some records only it cannot be told which are absent, so itemwise"
            " gives no promise about negative knowledge"
        )
        raise BadInput(Problem(what, "use aa or vpa", column=task.column))
    if constraint.m > most:
        what = f"itemwise counts sets of at most {most} items of a hierarchy of this size"
        raise BadInput(Problem(what, "use lra, or a smaller m", column=task.column))
