import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.parameters import OneOf, Within, parameter
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.of_classes import OF_CLASSES
from shoal.algorithms.relational.clustering.records import MEASURES, Records
from shoal.algorithms.relational.full_domain.lattice import Lattice
from shoal.algorithms.relational.full_domain.lattice_search import LatticeSearch, Safety
from shoal.engine.local import LocalData
from shoal.errors import LimitReached
from shoal.metrics.node_costs import suppressed_cost
from shoal.metrics.relational import normalized_weights
from shoal.privacy.model import Model
from shoal.privacy.parameters import exact
from shoal.progress import Progress
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.rows import RowRecoding

_MOST_CHOICES = 10_000_000


@dataclass(frozen=True, slots=True)
class FullDomain(Algorithm):
    """Publish every column at one level of its tree, at the levels that cost least of all that are safe.

    Level h of a tree has, for each value, the highest node above it whose subtree is at most h high. Choices
    of levels are looked at from the cheapest on. What an unsafe choice tells about finer ones is used: of the
    choices between a cheap one and a coarse one above it, the one in the middle is looked at first. Records
    in classes that would be unsafe may be suppressed, up to a share of all that is 0 unless it is asked for;
    a suppressed record counts as lost in every column.

    Contract
        needs:      rows; quasi-identifiers with trees
        gives:      one level per column; some records suppressed if that was allowed
        guarantees: every class satisfies every model passed to find(), and no choice of levels that does so
                    costs less, unless time was up
        cost:       O(choices looked at * distinct records * columns), memory O(n * columns + choices)

    After Kohlmayer, Prasser, Eckert, Kemper, Kuhn, Flash: efficient, stable and optimal k-anonymity,
    PASSAT 2012, and LeFevre, DeWitt, Ramakrishnan, Incognito, SIGMOD 2005.
    """

    name = "full-domain"
    recodes_globally = True
    turn = None
    serves = OF_CLASSES
    paper = (
        "Kohlmayer, Prasser, Eckert, Kemper, Kuhn. Flash: efficient, stable and optimal k-anonymity. "
        "PASSAT 2012."
    )
    guarantee = (
        "every class satisfies every model; the least loss of all ways to publish each column at one level"
    )

    measure: str = parameter("ncp", OneOf(MEASURES), "the loss that is made least")
    suppression: float = parameter(0.0, Within(0.0, 1.0), "the share of records that may be suppressed")

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Look for the cheapest safe choice of levels; the best one so far if time is up."""
        constraint = class_constraint_of(data, models)
        records = Records.of(data, self.measure)
        lattice = Lattice.of(records, [data.trees[name] for name in records.columns])
        if lattice.size > _MOST_CHOICES:
            raise LimitReached(_too_many_choices(lattice))
        allowed = math.floor(exact(self.suppression) * records.row_count)
        safety = Safety(records, constraint, allowed)
        progress.stage("levels")
        search = LatticeSearch(lattice, safety, self._costs_of_suppressed(data, records))
        finished = search.run(progress)
        notices: tuple[str, ...] = ()
        if constraint.k == 1:
            notices += ("no k is promised: a record may stand alone on its quasi-identifiers",)
        if not finished:
            notices += (_time_was_up(search),)
        return RowRecoding(_clusters(search), notices=notices, figures=_figures(search))

    def _costs_of_suppressed(self, data: LocalData, records: Records) -> list[float]:
        """What a suppressed record costs in each column."""
        weights = normalized_weights(data.weights())
        roots = records.trees.cost[records.trees.starts[1:] - 1].tolist()
        return [
            weights[name] and weights[name] * suppressed_cost(self.measure, root / weights[name])
            for name, root in zip(records.columns, roots, strict=True)
        ]


def _clusters(search: LatticeSearch) -> GeneralizedClusters:
    """What the best choice publishes."""
    records = search.lattice.records
    classes = search.history.classes(search.best)
    safe = search.safety.judge(classes).safe
    cluster_of_class = np.where(safe, np.cumsum(safe) - 1, SUPPRESSED)
    return GeneralizedClusters(
        cluster_of_class[classes.class_of_record[records.record_of_row]],
        nodes={
            name: classes.vectors[safe, number] - records.trees.starts[number]
            for number, name in enumerate(records.columns)
        },
    )


def _figures(search: LatticeSearch) -> dict[str, Any]:
    lattice = search.lattice
    return {
        "levels": {
            name: int(lattice.heights[number][search.best[number]])
            for number, name in enumerate(lattice.records.columns)
        },
        "choices": lattice.size,
        "choices_looked_at": search.looked_at,
    }


def _too_many_choices(lattice: Lattice) -> str:
    levels = ", ".join(
        f"{name} {count}" for name, count in zip(lattice.records.columns, lattice.shape, strict=True)
    )
    return (
        f"full-domain would have to search {lattice.size:,} choices of levels (levels: {levels}), and "
        f"{_MOST_CHOICES:,} is the most; give some columns hierarchies with fewer levels, or use an "
        "algorithm that recodes locally, such as hilbert"
    )


def _time_was_up(search: LatticeSearch) -> str:
    return (
        f"time was up: {search.looked_at:,} of {search.lattice.size:,} choices of levels were looked at, "
        "and one that costs less may be left"
    )
