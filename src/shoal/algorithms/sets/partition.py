from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.sets.equal_sets.clusters import EqualSets, drill, made_diverse, suppression_parameter
from shoal.engine.local import LocalData
from shoal.privacy.model import Model
from shoal.privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding


@dataclass(frozen=True, slots=True)
class Partition(Algorithm):
    """Drill down from the root: parts of records that are published alike are divided while k remain.

    All records begin in one part, published as the root. Of the nodes that a part is published as, the one
    whose expansion would lower the loss most is expanded; each record goes to the sub-part of those that hold
    the same children of it. Records of sub-parts below k are pooled and keep the node as it was. If the pool
    has fewer than k, sub-parts that can spare records give those that lose least by staying behind; if there
    are not enough, the node is not expanded. A pool does not expand the same node again unless it has fallen
    apart. It ends when no node of any part can be expanded.

    Contract
        needs:      rows; one set column with a tree
        gives:      one cut per cluster of records: an item may be generalized in one cluster and not in
                    another
        guarantees: every model passed to find()
        cost:       O(occurrences) per expansion of a part, at most occurrences * height in all; memory
                    O(occurrences); neither depends on how many children a node has

    After He, Naughton, Anonymization of set-valued data via top-down, local generalization, VLDB 2009. For
    l-diversity clusters are merged afterwards; see `made_diverse`.
    """

    name = "partition"
    turn = 4
    needs_trees = True
    serves = (SetKAnonymity, SetLDiversity)
    paper = "He, Naughton. Anonymization of set-valued data via top-down, local generalization. VLDB 2009."
    guarantee = "every model holds; no bound on the loss"
    distributed = Distribution("blocks", (SetKAnonymity,))

    suppression: float = suppression_parameter()

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Divide the records until nothing can be expanded, or as far as time allows."""
        task = EqualSets.of(data, models, self.suppression)
        _, found = drill(task, progress)
        return task.recoding(made_diverse(task, found, models, progress))
