"""What the algorithms for complete k-anonymity of sets have in common before and after their search.

Records without items cannot truthfully be published with others: k or more of them are a cluster of their
own, and the search is about the rest.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from shoal.algorithms.parameters import Within, parameter
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.transactions import Transactions, set_column, with_sensitive_items
from shoal.algorithms.sets.cut_search.violations import share_limit
from shoal.algorithms.sets.equal_sets.gray_order import gray_order
from shoal.engine.local import LocalData
from shoal.errors import Infeasible
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints, Items, counts_of, freeze, frozen_ints, in_pieces
from shoal.kernels.common_sets import CostTree
from shoal.kernels.diverse_clusters import merge_all, merge_until_diverse, row_clusters
from shoal.kernels.set_partition import (
    Drill,
    begin_drill,
    clusters_found,
    drill_down,
    expansions_made,
    finish_as_they_are,
    rows_finished,
)
from shoal.kernels.shares import share_exceeded
from shoal.privacy.check import require_feasible
from shoal.privacy.model import Model
from shoal.privacy.parameters import exact
from shoal.privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from shoal.privacy.verdict import counted
from shoal.progress import Progress
from shoal.recoding.cuts import SUPPRESSED_ITEM, ItemNodes
from shoal.recoding.rows import RowRecoding

_CLUSTERS_PER_SLICE = 100
_STEPS_PER_SLICE = 20_000_000

OUT_OF_TIME = "time was up before the search ended: some items could be published in more detail"


def suppression_parameter() -> Any:
    """Declare how many records may be withheld."""
    return parameter(
        0.0,
        Within(0.0, 1.0),
        "the share of records that may be withheld: empty sets, of which there are fewer than k",
    )


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """The cluster of each row of a task, and what each occurrence is published as.

    `notices` and `figures` say how it was found.
    """

    cluster_of_row: Ints
    node_of_occurrence: Items
    notices: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class EqualSets:
    """A set column whose records shall have at least k equal ones each.

    `rows` are the records with items, in an order that depends on what they hold and not on where they stand;
    `transactions` are these rows in this order.
    """

    column: str
    k: int
    data: LocalData
    rows: Ints
    transactions: Transactions
    withheld: Bools

    @classmethod
    def of(cls, data: LocalData, models: Sequence[Model], suppression: float) -> Self:
        """Check that the task can be done; raises Infeasible, or BadInput for columns it is not made for.

        Where fewer than k records have no item, or fewer than k have one, these are withheld if no more than
        the given share of all records may be.
        """
        k = max((model.k for model in models if isinstance(model, SetKAnonymity)), default=1)
        column = set_column(data)
        require_feasible(models, data)
        every = Transactions.of(data)
        withheld = _too_few(every, k)
        records_to_withhold(every.non_empty, every.row_count - every.non_empty, k, suppression)
        return cls._ordered(column, k, data, every, withheld)

    @classmethod
    def for_rounds(cls, data: LocalData, models: Sequence[Model], k: int) -> Self:
        """The same for a promise that records without items cannot break."""
        column = set_column(data)
        require_feasible(models, data)
        every = Transactions.of(data)
        return cls._ordered(column, k, data, every, np.zeros(data.row_count, dtype=np.bool_))

    @classmethod
    def _ordered(cls, column: str, k: int, data: LocalData, every: Transactions, withheld: Bools) -> Self:
        order = gray_order(every.sets, every.tree.leaf_count)
        rows = order[(every.sizes[order] > 0) & ~withheld[order]]
        return cls(column, k, data, frozen_ints(rows), every.taking(rows), withheld)

    @property
    def tree(self) -> Hierarchy:
        """The tree of the items."""
        return self.transactions.tree

    def recoding(self, found: Clustered) -> RowRecoding:
        """The recoding in terms of all records of the data."""
        nodes = with_sensitive_items(self.data, self.column, self._in_order_of_data(found.node_of_occurrence))
        if self.withheld.any():
            nodes = nodes.copy()
            nodes[np.repeat(self.withheld, self.data.table.sets(self.column).sizes)] = SUPPRESSED_ITEM
        clusters = len(np.unique(found.cluster_of_row)) + self._has_empty_cluster
        figures = {"groups": clusters, **found.figures, "ncp": ncp_of(self, found.node_of_occurrence)}
        return RowRecoding(
            items=(ItemNodes(self.column, freeze(nodes), self.withheld),),
            notices=(*self._withheld_notice(), *found.notices),
            figures=figures,
        )

    @property
    def _has_empty_cluster(self) -> bool:
        """Whether records without items are published."""
        return self.data.row_count > len(self.rows) + int(np.count_nonzero(self.withheld))

    def _withheld_notice(self) -> tuple[str, ...]:
        count = int(np.count_nonzero(self.withheld))
        if count == 0:
            return ()
        were = "was" if count == 1 else "were"
        return (f"{counted(count, 'record')} could not be hidden among k and {were} withheld",)

    def _in_order_of_data(self, node_of_occurrence: Items) -> Items:
        """What the items of all records are published as; those of withheld ones stay as they are."""
        every, own = self.data.joined_sets().quasi, self.transactions.sets.starts
        nodes = every.items.copy()
        for first, behind in in_pieces(own):
            places = own[first : behind + 1]
            offsets = np.repeat(every.starts[self.rows[first:behind]] - places[:-1], np.diff(places))
            nodes[np.arange(places[0], places[-1]) + offsets] = node_of_occurrence[places[0] : places[-1]]
        return nodes


def drill(task: EqualSets, progress: Progress) -> tuple[Drill, Clustered]:
    """Partition the records from the root downwards, as far as time allows."""
    under_way = begin_drill(task.transactions.sets, cost_tree(task.tree), task.k)
    in_time = True
    progress.update(0, len(task.rows))
    while not drill_down(under_way, _STEPS_PER_SLICE):
        progress.update(rows_finished(under_way), len(task.rows), f"{clusters_found(under_way):,} clusters")
        if progress.expired():
            finish_as_they_are(under_way)
            in_time = False
    figures = {"expansions": expansions_made(under_way)}
    notices = () if in_time else (OUT_OF_TIME,)
    return under_way, Clustered(under_way.cluster, under_way.node, notices, figures)


def cost_tree(tree: Hierarchy) -> CostTree:
    """The tree as kernels see it; a node that is no single item costs its leaves per occurrence."""
    sizes = tree.sizes
    return CostTree(
        *tree.arrays, tree.child_starts, tree.child_nodes, frozen_ints(np.where(sizes > 1, sizes, 0))
    )


def ncp_of(task: EqualSets, node_of_occurrence: Items) -> float:
    """The mean loss of an occurrence, between 0 and 1."""
    cost = cost_tree(task.tree).cost
    total = int(counts_of(node_of_occurrence, len(cost)) @ cost)
    return total / max(1, len(node_of_occurrence) * task.tree.leaf_count)


def _too_few(every: Transactions, k: int) -> Bools:
    """Records that have no k to hide among, because either those without or those with items are too few."""
    is_empty = every.sizes == 0
    empty = every.row_count - every.non_empty
    too_few: Bools = np.where(is_empty, empty < k, every.non_empty < k)
    return too_few


def records_to_withhold(with_items: int, empty: int, k: int, suppression: float) -> int:
    """How many records must be withheld; raises Infeasible if more than the given share of all would be."""
    count = sum(records for records in (with_items, empty) if records < k)
    records = with_items + empty
    if count <= math.floor(exact(suppression) * records) and count < records:
        return count
    share = math.ceil(1e6 * count / records) / 1e6
    raise Infeasible(
        f"complete k-anonymity of sets with k={k} cannot be met: there are"
        f" {counted(with_items, 'record')} with items and {empty:,} without, an empty set can only hide among"
        f" empty sets, and {counted(count, 'record')} would have to be withheld"
        + (f"; allow it with suppression = {share:g}" if count < records else ""),
        records=records,
        empty_records=empty,
        withheld=count,
    )


def made_diverse(task: EqualSets, found: Clustered, models: Sequence[Model], progress: Progress) -> Clustered:
    """The clusters merged until every sensitive item's share of each is at most 1/l; none are without an l.

    When time is up all records with items become one cluster, which is diverse if any division is. Raises
    Infeasible when the records without items, who can only hide among themselves, are not diverse.
    """
    diverse = [model for model in models if isinstance(model, SetLDiversity)]
    if not diverse:
        return found
    constraint = ItemConstraint(1, 0, l=max(exact(model.l) for model in diverse), diverse_m=1)
    _refuse_uniform_empty_records(task, constraint)
    _, cluster_of_row = np.unique(found.cluster_of_row, return_inverse=True)
    clusters = row_clusters(task.transactions.sets, cost_tree(task.tree), cluster_of_row)
    limit = share_limit(task.transactions, constraint)
    progress.stage("merging clusters for diversity")
    count, merged, notices = len(clusters.first), 0, found.notices
    for start in range(0, count, _CLUSTERS_PER_SLICE):
        merged += merge_until_diverse(clusters, limit, start, min(start + _CLUSTERS_PER_SLICE, count))
        progress.update(min(start + _CLUSTERS_PER_SLICE, count), count, f"{merged:,} clusters merged")
        if progress.expired():
            merge_all(clusters)
            notices = (*notices, "time was up before all clusters were diverse, so all were made one")
            break
    figures = {**found.figures, "merged_for_diversity": merged}
    return replace(
        found,
        cluster_of_row=clusters.cluster,
        node_of_occurrence=clusters.node,
        notices=notices,
        figures=figures,
    )


def _refuse_uniform_empty_records(task: EqualSets, constraint: ItemConstraint) -> None:
    every = Transactions.of(task.data)
    empty = np.flatnonzero((every.sizes == 0) & ~task.withheld)
    if share_exceeded(share_limit(every, constraint), empty):
        raise Infeasible(
            f"l-diversity of equal sets with l={constraint.l} cannot be met: of the"
            f" {counted(len(empty), 'record')} without items, who can only hide among themselves, too many"
            " share a sensitive item or value",
            records=task.data.row_count,
        )
