"""What algorithms share that cluster the records of a table: models, parameters, and the steps at the end.

These make any clustering keep the models, improve it, and say how good it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.parameters import OneOf, Printed, Within, YesOrNo, as_printed_parameter, parameter
from shoal.algorithms.relational.clustering.blocks import Blocks, BlockSearch, may_be_cut
from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.diversify import diversify
from shoal.algorithms.relational.clustering.local_search import improved
from shoal.algorithms.relational.clustering.lower_bound import figures_of, in_words, lower_bound
from shoal.algorithms.relational.clustering.of_classes import OF_CLASSES, OF_CLASSES_ALONE
from shoal.algorithms.relational.clustering.portions import PortionSearch, may_be_cut_into_portions
from shoal.algorithms.relational.clustering.records import MEASURES, Records
from shoal.engine.local import LocalData
from shoal.kernels.constraint import ClassConstraint
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

WEIGHT_OF_LOSS = 0.15
_FEW_ROWS = 50_000
Found = tuple[Clustering, tuple[str, ...]]  # clusters, and what to know about the search for them


def weight_parameter() -> Any:
    """Declare what loss weighs when clusters are united for diversity."""
    return parameter(
        WEIGHT_OF_LOSS, Within(0.0, 1.0), "weight of loss against diversity when clusters are united for it"
    )


def block_parameter() -> Any:
    """Declare how large a table is searched at once."""
    return parameter(
        0,
        Within(0),
        "larger tables are cut into blocks of about so many records, which are searched one by one; 0 means"
        " all at once",
        Printed(0),
    )


def local_search_parameter(*, default: bool) -> Any:
    """Declare whether clusters are improved afterwards."""
    return parameter(
        default=default,
        rule=YesOrNo(),
        help="afterwards move and swap records while that lowers the loss",
        printed=Printed(value=False),
    )


def find_in_blocks(
    blocks: Blocks,
    data: LocalData,
    models: Sequence[Model],
    rng: np.random.Generator,
    progress: Progress,
) -> RowRecoding:
    """What clusters of blocks publish after their borders were mended, and records moved over all if few.

    A table that is large even for what all blocks share is cut into portions first, which are searched one
    after the other.
    """
    if may_be_cut_into_portions(data, models, blocks.rows):

        def in_portion(
            portion: LocalData, share: float, own: np.random.Generator, turn: Progress
        ) -> RowRecoding:
            return _find_in_portion(blocks._replace(share=share), portion, models, own, turn)

        return PortionSearch(data, models, blocks.rows).recoding(in_portion, rng, progress)
    return _find_in_portion(blocks, data, models, rng, progress)


def _find_in_portion(
    blocks: Blocks,
    data: LocalData,
    models: Sequence[Model],
    rng: np.random.Generator,
    progress: Progress,
) -> RowRecoding:
    search = BlockSearch.of(data, models, blocks)
    mended = search.mended(search.clusters(rng, progress), progress)
    few = data.row_count <= _FEW_ROWS
    return finish(data, search.records, mended, models, progress, local_search=few, w=blocks.w, bound=0.0)


def finish(
    data: LocalData,
    records: Records,
    clustering: Clustering,
    models: Sequence[Model],
    progress: Progress,
    *,
    local_search: bool,
    w: float = WEIGHT_OF_LOSS,
    bound: float | None = None,
) -> RowRecoding:
    """What a clustering publishes, of which clusters are united until every model holds in each.

    Clusters may come in any size. With `local_search` the cost, which `records` measures, is lowered
    afterwards. Clusters that would be published alike are one. `bound` is a lower bound of the cost of
    any release, if a better one is known than `lower_bound` finds. Raises Infeasible when not even the whole
    table keeps the models.
    """
    constraint = class_constraint_of(data, models)
    progress.stage("diversity")
    kept = diversify(records, clustering, constraint, w, progress)
    final = publishable(records, kept, constraint, w, progress)
    notices: tuple[str, ...] = ()
    if len(constraint.rules) and progress.expired():
        notices += ("time was up: clusters were united for diversity without a search for the best partners",)
    if constraint.k == 1:
        notices += ("no k is promised: a record may stand alone on its quasi-identifiers",)
    if local_search:
        progress.stage("local search")
        better = improved(records, kept, constraint, progress)
        candidate = publishable(records, better.clustering, constraint, w, progress)
        if candidate.cost(records) < final.cost(records):
            final = candidate
        if not better.finished:
            notices += ("time was up: moving more records might have lowered the loss",)
    progress.stage("lower bound")
    if bound is None:
        bound = lower_bound(records, final, constraint.k, progress)
    figures = figures_of(records.measure, final.cost(records), bound)
    return RowRecoding(final.generalized(records), notices=(*notices, *in_words(figures)), figures=figures)


def publishable(
    records: Records, clustering: Clustering, constraint: ClassConstraint, w: float, progress: Progress
) -> Clustering:
    """The clustering in which those that are published alike are one, and every model holds.

    Two admissible clusters are mostly admissible together, but not always: a person with rows in both counts
    once in their union.
    """
    while True:
        united = clustering.unite_alike(records)
        clustering = diversify(records, united, constraint, w, progress)
        if len(clustering) == len(united):
            return clustering


@dataclass(frozen=True, slots=True)
class ClusteringAlgorithm(Algorithm):
    """Makes clusters of k records; what else is promised is kept by uniting them."""

    serves = OF_CLASSES
    guarantee = "every class satisfies every model; no bound on the loss"
    distributed = Distribution("blocks", OF_CLASSES_ALONE)

    measure: str = parameter("ncp", OneOf(MEASURES), "the loss that is kept low")
    local_search: bool = local_search_parameter(default=False)
    w: float = weight_parameter()
    block: int = block_parameter()
    as_printed: bool = as_printed_parameter()

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Unite clusters until every model holds, and lower the cost if that is asked for."""
        if may_be_cut(models, data.row_count, self.block):
            return self.find_in_blocks(data, models, rng, progress)
        k = class_constraint_of(data, models).k
        records = Records.of(data, self.measure)
        clustering, notices = self.clusters(records, k, rng, progress)
        found = finish(data, records, clustering, models, progress, local_search=self.local_search, w=self.w)
        return replace(found, notices=(*notices, *found.notices))

    def find_in_blocks(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """The same in blocks of rows; records are moved and swapped when their borders are mended."""
        on_a_block = replace(self, block=0, local_search=False)
        blocks = Blocks(on_a_block.find, self.block, self.measure, self.w)
        return find_in_blocks(blocks, data, models, rng, progress)

    def clusters(self, records: Records, k: int, rng: np.random.Generator, progress: Progress) -> Found:
        """Clusters of k records or more."""
        raise NotImplementedError
