"""What the algorithms for tables with sets have in common before and after clusters are united."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.mixed.joint_search.clusters import JointClusters
from shoal.algorithms.mixed.joint_search.diversity import require_possible, unite_for_diversity
from shoal.algorithms.mixed.joint_search.first_clusters import CLUSTER, first_clusters
from shoal.algorithms.mixed.joint_search.item_step import ItemStep, PartItems, TreeStep, UnionStep
from shoal.algorithms.mixed.joint_search.joint_sets import JointSets
from shoal.algorithms.relational.clustering.records import Records
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.task import fitting
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.privacy.check import require_feasible
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

Parts = dict[int, PartItems]

_NEARLY_ALL = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class JointTask:
    """A table with sets and what is required of it."""

    data: LocalData
    models: tuple[Model, ...]
    records: Records
    sets: JointSets
    constraint: ItemConstraint
    step: ItemStep
    notices: tuple[str, ...]
    first: str = CLUSTER

    @classmethod
    def of(
        cls,
        data: LocalData,
        models: Sequence[Model],
        *,
        items: str,
        minimal: bool,
        as_printed: bool = False,
        first: str = CLUSTER,
        measure: str = "ncp",
    ) -> Self:
        """Check that the task can be done; raises Infeasible, or BadInput for columns it is not made for."""
        require_feasible(models, data)
        constraint = ItemConstraint.of_classes(models)
        require_possible(data, constraint)
        sets = JointSets.of(data)
        constraint, notices = fitting(constraint, sets.transactions.tree, sets.transactions.longest)
        return cls(
            data=data,
            models=tuple(models),
            records=Records.of(data, measure),
            sets=sets,
            constraint=constraint,
            step=TreeStep(sets, constraint, minimal=minimal, as_printed=as_printed)
            if _over_trees(data, sets, items)
            else UnionStep(data, sets, constraint),
            notices=notices,
            first=first,
        )

    def initial_clusters(self, rng: np.random.Generator, progress: Progress) -> JointClusters:
        """The first clusters, united where a sensitive item has too large a share, numbered without gaps."""
        clustering = first_clusters(
            self.data, self.records, self.constraint.k, self.first, rng=rng, progress=progress
        )
        clusters = JointClusters(self.records, clustering.unite_alike(self.records))
        unite_for_diversity(self.sets.transactions, clusters, self.constraint, progress)
        return clusters.copy()

    def solve(self, clusters: JointClusters, progress: Progress) -> Parts:
        """The item step for every cluster."""
        alive = clusters.alive.tolist()
        parts = {}
        for index, cluster in enumerate(alive):
            progress.update(index, len(alive), "items of clusters")
            parts[cluster] = self.step.solve(clusters.rows(cluster), progress)
        return parts

    def utility_loss(self, parts: Parts) -> float:
        """UL of all records."""
        return sum(part.loss for part in parts.values()) / max(1, self.data.row_count)

    def joint(
        self, clusters: JointClusters, parts: Parts, figures: Mapping[str, Any], notices: Sequence[str] = ()
    ) -> RowRecoding:
        """The recoding that clusters and their items are published as."""
        clustering = clusters.clustering()
        in_order = [parts[cluster] for cluster in clusters.alive.tolist()]
        suppressed, loss = sum(part.suppressed for part in in_order), self.utility_loss(parts)
        hurried = sum(not part.in_time for part in in_order)
        return RowRecoding(
            clusters=clustering.unite_alike(self.records).generalized(self.records),
            items=self.step.cuts(in_order, clustering.cluster_of_row),
            notices=(
                *self.notices,
                *notices,
                *_hurry_notices(hurried),
                *_suppression_notices(suppressed, self.constraint, hurried=bool(hurried)),
                *_tree_notices(self.step, loss),
            ),
            figures={
                "clusters": len(in_order),
                "largest_cluster": int(clustering.sizes.max(initial=0)),
                "clusters_with_suppressed_items": suppressed,
                "relational_loss": clusters.loss,
                "utility_loss": loss,
                **figures,
            },
        )


class JointAlgorithm(Algorithm):
    """Publishes single values and items together; `items`, `minimal` and `as_printed` steer the item step."""

    __slots__ = ()
    serves = (KKmAnonymity, KLmDiversity)
    paper = (
        "Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction "
        "attributes. ECML PKDD 2013."
    )
    distributed = Distribution("blocks", serves)

    items: str
    minimal: bool
    as_printed: bool

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Check that the task can be done, and search."""
        return self.search(self.task(data, models), rng, progress)

    def task(self, data: LocalData, models: Sequence[Model]) -> JointTask:
        """The table with sets, what is required of it, and how it is looked at."""
        return JointTask.of(data, models, items=self.items, minimal=self.minimal, as_printed=self.as_printed)

    def search(self, task: JointTask, rng: np.random.Generator, progress: Progress) -> RowRecoding:
        """Clusters of records whose items are safe among themselves."""
        raise NotImplementedError


class BoundAlgorithm(JointAlgorithm):
    """Unites the clusters that `first` gathers, with the loss in single values by `measure`."""

    __slots__ = ()

    first: str
    measure: str

    def task(self, data: LocalData, models: Sequence[Model]) -> JointTask:
        """As the options have it."""
        return JointTask.of(
            data,
            models,
            items=self.items,
            minimal=self.minimal,
            as_printed=self.as_printed,
            first=self.first,
            measure=self.measure,
        )


def _over_trees(data: LocalData, sets: JointSets, items: str) -> bool:
    """Whether items are generalized over trees; BadInput if that is asked for and some column has none."""
    without = [name for name in sets.columns if name not in data.trees]
    if items == "aa" and without:
        raise BadInput(
            *(
                Problem(
                    "the item step aa needs a hierarchy",
                    'give the column one, such as fanout, or use items = "pcta"',
                    column=name,
                )
                for name in without
            )
        )
    return items != "pcta" and not without


def _tree_notices(step: ItemStep, loss: float) -> tuple[str, ...]:
    if not isinstance(step, TreeStep) or loss <= _NEARLY_ALL:
        return ()
    return (
        f"items lose {loss:.0%} over their hierarchy, because a class has few records to hide in; with"
        ' items = "pcta", which unites items freely, they mostly lose less',
    )


def _hurry_notices(hurried: int) -> tuple[str, ...]:
    if not hurried:
        return ()
    return (
        f"time was up before the items of {_clusters(hurried)} were looked at, so they are published in the"
        " coarsest way or not at all",
    )


def _suppression_notices(suppressed: int, constraint: ItemConstraint, *, hurried: bool) -> tuple[str, ...]:
    if not suppressed:
        return ()
    if hurried:
        return (f"items of {_clusters(suppressed)} were suppressed; with more time it might be fewer",)
    return (
        f"items of {_clusters(suppressed)} were suppressed, because there they occur in fewer than"
        f" k={constraint.k} records, or give too much away, however they are generalized",
    )


def _clusters(count: int) -> str:
    return "1 cluster" if count == 1 else f"{count:,} clusters"
