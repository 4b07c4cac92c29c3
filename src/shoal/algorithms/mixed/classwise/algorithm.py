from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.mixed.classwise.class_items import ClassItems, Nodes, UnitedItems
from shoal.algorithms.mixed.joint_search.frontier import knee, verdicts_of
from shoal.algorithms.parameters import OneOf, Within, parameter
from shoal.algorithms.relational.hilbert.algorithm import Hilbert
from shoal.algorithms.relational.kanon_cf.algorithm import KAnonCF
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Ints
from shoal.metrics.items import joint_item_ncp, joint_utility_loss, published_occurrences
from shoal.metrics.relational import combined_cost, costs_of_columns, published_columns
from shoal.privacy.check import require_feasible
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.model import Model
from shoal.privacy.verdict import counted
from shoal.progress import Progress
from shoal.recoding.cuts import SUPPRESSED_ITEM
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.rows import ItemRecoding, RowRecoding

_TIMES_K = (3, 6, 1, 2, 12, 4, 24, 8, 1.5, 16, 32, 64)  # where the knee mostly is comes first
_ROWS_AT_ONCE, _BLOCK = 50_000, 20_000
_MOST_CLOSED = 1_000_000
_SHARE_TO_BEGIN_IN = 0.7  # of the time: another class size takes about as long as those before
_UNIONS, _NODES = "pcta", "itemwise"


@dataclass(frozen=True, slots=True)
class Classwise(Algorithm):
    """Gather classes of like records, larger than they have to be, and publish the items of each class alone.

    The larger classes are, the more single values lose, and the less items: in more records there is more to
    hide in. k-ANON-CF makes the classes, of `class_size` records or more, or Hilbert where a column has no
    tree. Within each, rare items are united by PCTA; or every occurrence of an item goes down the tree as far
    as leaves every set of at most m of its labels k of its records, as Itemwise does it: whichever loses
    less. Without a class size several are tried, from k on, and what is published is the knee of the curve:
    both losses are put on a scale between their extremes, and the smallest sum is taken.

    Contract
        needs:      rows; quasi-identifiers with trees, or numbers and dates; set columns
        gives:      one node or range per class and column, and unions or nodes of items
        guarantees: (k,k^m)-anonymity
        cost:       k-ANON-CF, PCTA and Itemwise for each class size

    Ours.
    """

    name = "classwise"
    turn = 1
    serves = (KKmAnonymity,)
    paper = "Shoal's own; classes by Kenig, Tassa, 2012, for the promise of Poulis et al., ECML PKDD 2013."
    guarantee = "every model holds in each class; no bound on the loss"
    distributed = Distribution("blocks", (KKmAnonymity,))

    class_size: int = parameter(
        0, Within(0), "how many records a class has at least; 0 means that several sizes are tried"
    )
    items: str = parameter(
        "auto",
        OneOf(("auto", _UNIONS, _NODES)),
        "pcta unites items, itemwise publishes nodes of their hierarchy; auto takes what loses less",
    )

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Try class sizes, or the given one, and take the knee of what they cost."""
        require_feasible(models, data)
        task = _Task(data, max(model.k for model in models if isinstance(model, KKmAnonymity)))
        ways = self._ways(data, models)
        if not data.quasi:  # all records are alike in what they do not have
            return task.with_classes(data.row_count, ways, rng, progress)
        if self.class_size:
            return task.with_classes(max(self.class_size, task.k), ways, rng, progress)
        found: list[RowRecoding] = []
        for number, times in enumerate(_TIMES_K):
            size = round(times * task.k)
            if size > data.row_count and times > 1:
                continue
            if found and progress.expired(_SHARE_TO_BEGIN_IN):
                break
            progress.update(number, len(_TIMES_K))
            found.append(task.with_classes(size, ways, rng, progress))
        return _at_the_knee(data, models, sorted(found, key=lambda each: each.figures["class_size"]))

    def _ways(self, data: LocalData, models: Sequence[Model]) -> dict[str, ClassItems]:
        ways: dict[str, ClassItems] = {}
        if self.items != _UNIONS and (nodes := Nodes.of(data, models)) is not None:
            ways[_NODES] = nodes
        if self.items != _NODES:
            ways[_UNIONS] = UnitedItems.of(data, models)
        if not ways:
            what = "items can go down the hierarchy of one set column, and no deeper than can be counted"
            raise BadInput(Problem(what, 'give the only set column a hierarchy, or use items = "pcta"'))
        return ways


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    data: LocalData
    k: int

    def with_classes(
        self, size: int, ways: Mapping[str, ClassItems], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """The recoding for classes of so many records, with the items that lose less."""
        size = min(size, self.data.row_count)
        clusters = self._classes(size, rng, progress)
        found = {name: way.find(clusters.cluster_of_row, progress) for name, way in ways.items()}
        name = min(found, key=lambda each: self._loss_in_items(found[each]))
        return RowRecoding(
            clusters,
            found[name],
            notices=self._notices(clusters.cluster_of_row, found[name]),
            figures={"items": name, **self._figures(size, clusters, found[name])},
        )

    def _loss_in_items(self, items: Sequence[ItemRecoding]) -> float:
        """UL forgives items that are published as everything beside others, NCP what unions do together."""
        return max(joint_utility_loss(self.data, items), joint_item_ncp(self.data, items))

    def _notices(self, class_of_row: Ints, items: Sequence[ItemRecoding]) -> tuple[str, ...]:
        suppressed = set()
        for each in items:
            sets, nodes = published_occurrences(self.data, each)
            rows = np.repeat(np.arange(len(sets.starts) - 1), np.diff(sets.starts))
            suppressed |= set(class_of_row[rows[nodes == SUPPRESSED_ITEM]].tolist())
        if not suppressed:
            return ()
        return (
            f"items of {counted(len(suppressed), 'class')} were suppressed, because there fewer than"
            f" k={self.k} records have any, however they are generalized",
        )

    def _classes(self, size: int, rng: np.random.Generator, progress: Progress) -> GeneralizedClusters:
        data = self.data
        if not data.quasi:
            return GeneralizedClusters(np.zeros(data.row_count, dtype=np.int64), nodes={})
        block = _BLOCK if data.row_count > _ROWS_AT_ONCE else 0
        search: Algorithm = Hilbert(measure="ncp", block=block)
        if all(name in data.trees for name in data.quasi):
            search = KAnonCF(
                measure="ncp", local_search=False, block=block, most_closed=_MOST_CLOSED, on_limit="best"
            )
        found = search.find(data, [KAnonymity(size)], rng, progress)
        if not isinstance(found, RowRecoding) or found.clusters is None:
            raise TypeError("a search for clusters found none")
        return found.clusters

    def _figures(
        self, size: int, clusters: GeneralizedClusters, items: Sequence[ItemRecoding]
    ) -> dict[str, Any]:
        of_columns = costs_of_columns(published_columns(self.data, clusters), clusters, "ncp")
        return {
            "class_size": size,
            "relational_loss": combined_cost(of_columns, self.data, "ncp"),
            "utility_loss": joint_utility_loss(self.data, items),
            "classes": len(np.unique(clusters.cluster_of_row)),
        }


def _at_the_knee(data: LocalData, models: Sequence[Model], found: Sequence[RowRecoding]) -> RowRecoding:
    """The recoding at the knee of the curve; its figures list all, each of them verified."""
    points = [
        {**each.figures, "holds": all(verdict.holds for verdict in verdicts_of(data, models, each))}
        for each in found
    ]
    safe = [place for place, point in enumerate(points) if point["holds"]]
    best = safe[knee([points[place] for place in safe])]
    notice = (
        f"{len(points)} class sizes were tried; published is class_size = {points[best]['class_size']}, the"
        " knee of the curve: pick another from the frontier if you weigh values and items differently"
    )
    chosen = found[best]
    return replace(chosen, notices=(notice, *chosen.notices), figures={**points[best], "frontier": points})
