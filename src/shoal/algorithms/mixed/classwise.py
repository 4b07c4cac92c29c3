from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.parameters import Within, parameter
from shoal.algorithms.relational.kanon_cf.algorithm import KAnonCF
from shoal.algorithms.sets.cut_search.transactions import Transactions, quasi_places
from shoal.algorithms.sets.itemwise.descent import descend, largest_m
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Bools, Ints, frozen_ints
from shoal.metrics.items import joint_utility_loss
from shoal.metrics.relational import combined_cost, costs_of_columns, published_columns
from shoal.privacy.check import require_feasible
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.model import Model
from shoal.privacy.verdict import counted
from shoal.progress import Progress
from shoal.recoding.cuts import SUPPRESSED_ITEM, ItemNodes
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.rows import RowRecoding

_TIMES_K = (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
_ROWS_AT_ONCE, _BLOCK = 50_000, 20_000
_MOST_CLOSED = 1_000_000
_SHARE_FOR_EACH = 0.8 / len(_TIMES_K)  # of the time


@dataclass(frozen=True, slots=True)
class Classwise(Algorithm):
    """Gather classes of like records, larger than they have to be, and publish items itemwise in each class.

    The larger classes are, the more single values lose, and the less items: in more records there is more to
    hide in. k-ANON-CF makes the classes, of `class_size` records or more; within each, every occurrence of an
    item goes down the tree as far as leaves every set of at most m of its labels k of its records. Without a
    class size several are tried, from k on, and what is published is the knee of the curve: both losses are
    put on a scale between their extremes, and the smallest sum is taken.

    Contract
        needs:      rows; quasi-identifiers with trees; one set column with a tree
        gives:      one node per class and column, and a node for each occurrence of an item
        guarantees: (k,k^m)-anonymity
        cost:       k-ANON-CF and Itemwise for each class size

    Ours.
    """

    name = "classwise"
    serves = (KKmAnonymity,)
    paper = "Shoal's own; classes by Kenig, Tassa, 2012, for the promise of Poulis et al., ECML PKDD 2013."
    guarantee = "every model holds in each class; no bound on the loss"
    distributed = Distribution("blocks", (KKmAnonymity,))

    class_size: int = parameter(
        0, Within(0), "how many records a class has at least; 0 means that several sizes are tried"
    )

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Try class sizes, or the given one, and take the knee of what they cost."""
        require_feasible(models, data)
        task = _Task.of(data, models)
        if not data.quasi:  # all records are alike in what they do not have
            return task.with_classes(data.row_count, rng, progress)
        if self.class_size:
            return task.with_classes(max(self.class_size, task.k), rng, progress)
        found: list[RowRecoding] = []
        for number, times in enumerate(_TIMES_K):
            size = round(times * task.k)
            if found and (size > data.row_count or progress.expired(number * _SHARE_FOR_EACH)):
                break
            progress.update(number, len(_TIMES_K))
            found.append(task.with_classes(size, rng, progress))
        return _at_the_knee(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    data: LocalData
    column: str
    transactions: Transactions
    k: int
    m: int

    @classmethod
    def of(cls, data: LocalData, models: Sequence[Model]) -> _Task:
        joint = [model for model in models if isinstance(model, KKmAnonymity)]
        bare = [name for name in (*data.quasi, *data.quasi_sets) if name not in data.trees]
        problems = [
            Problem("classwise needs a hierarchy for it", "give it one, or use rmerge-rt", column=name)
            for name in bare
        ]
        if len(data.quasi_sets) != 1:
            what = f"classwise publishes one set column, and there are {len(data.quasi_sets)}"
            problems.append(Problem(what, "use rmerge-rt"))
        if problems:
            raise BadInput(*problems)
        transactions = Transactions.of(data)
        m = min(max(model.m for model in joint), max(1, transactions.longest))
        if m > (most := largest_m(transactions, data.row_count)):
            what = f"classwise counts sets of at most {most} items of a hierarchy of this size"
            raise BadInput(Problem(what, "use rmerge-rt, or a smaller m", column=data.quasi_sets[0]))
        return cls(data, data.quasi_sets[0], transactions, max(model.k for model in joint), m)

    def with_classes(self, size: int, rng: np.random.Generator, progress: Progress) -> RowRecoding:
        """The decision for classes of so many records."""
        size = min(size, self.data.row_count)
        clusters = self._classes(size, rng, progress)
        items = self._items(clusters.cluster_of_row, progress)
        return RowRecoding(
            clusters,
            (items,),
            notices=self._notices(clusters.cluster_of_row),
            figures=self._figures(size, clusters, items),
        )

    def _notices(self, class_of_row: Ints) -> tuple[str, ...]:
        holding = self._records_with_items(class_of_row)
        suppressed = int(np.count_nonzero((holding > 0) & (holding < self.k)))
        if not suppressed:
            return ()
        return (
            f"items of {counted(suppressed, 'class')} were suppressed, because there fewer than"
            f" k={self.k} records have any",
        )

    def _records_with_items(self, class_of_row: Ints) -> Ints:
        return np.bincount(class_of_row, self.transactions.sizes > 0).astype(np.int64)

    def _classes(self, size: int, rng: np.random.Generator, progress: Progress) -> GeneralizedClusters:
        if not self.data.quasi:
            return GeneralizedClusters(np.zeros(self.data.row_count, dtype=np.int64), nodes={})
        search = KAnonCF(
            measure="ncp",
            local_search=False,
            block=_BLOCK if self.data.row_count > _ROWS_AT_ONCE else 0,
            most_closed=_MOST_CLOSED,
            on_limit="best",
        )
        clusters = search.find(self.data, [KAnonymity(size)], rng, progress).clusters
        if clusters is None:
            raise TypeError("a search for clusters found none")
        return clusters

    def _items(self, class_of_row: Ints, progress: Progress) -> ItemNodes:
        """Items go down within their class; a class in which fewer than k records have any shows none."""
        transactions = self.transactions
        shown: Bools = (self._records_with_items(class_of_row) >= self.k)[class_of_row]
        rows = np.flatnonzero(shown)
        nodes = np.full(len(transactions.sets.items), SUPPRESSED_ITEM, dtype=np.int64)
        if len(rows):
            found = descend(transactions.taking(rows), class_of_row[rows], self.k, self.m, progress)
            nodes[np.repeat(shown, transactions.sizes)] = found.node_of_occurrence
        every = np.array(self.data.table.sets(self.column).arrays.items)  # sensitive items stay as they are
        every[quasi_places(self.data, self.column)] = nodes
        return ItemNodes(self.column, frozen_ints(every), np.zeros(self.data.row_count, dtype=np.bool_))

    def _figures(self, size: int, clusters: GeneralizedClusters, items: ItemNodes) -> dict[str, Any]:
        of_columns = costs_of_columns(published_columns(self.data, clusters), clusters, "ncp")
        return {
            "class_size": size,
            "relational_loss": combined_cost(of_columns, self.data, "ncp"),
            "utility_loss": joint_utility_loss(self.data, (items,)),
            "classes": len(np.unique(clusters.cluster_of_row)),
            "holds": True,
        }


def _at_the_knee(found: Sequence[RowRecoding]) -> RowRecoding:
    """The decision with the smallest sum of both losses, each between its extremes; its figures list all."""
    points = [dict(each.figures) for each in found]
    scaled = [_scaled([point[name] for point in points]) for name in ("relational_loss", "utility_loss")]
    knee = int(np.argmin(np.sum(scaled, axis=0)))
    notice = (
        f"{len(points)} class sizes were tried; published is class_size = {points[knee]['class_size']}, the"
        " knee of the curve: pick another from the frontier if you weigh values and items differently"
    )
    chosen = found[knee]
    return replace(chosen, notices=(notice, *chosen.notices), figures={**points[knee], "frontier": points})


def _scaled(losses: Sequence[float]) -> list[float]:
    least, most = min(losses), max(losses)
    return [(loss - least) / (most - least) if most > least else 0.0 for loss in losses]
