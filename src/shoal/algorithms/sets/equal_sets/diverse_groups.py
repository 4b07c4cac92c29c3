"""Merging groups of equal sets until no sensitive item has too large a share of any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.cut_search.violations import share_limit
from shoal.algorithms.sets.equal_sets.groups import EqualSets, Grouped, cost_tree
from shoal.errors import Infeasible
from shoal.kernels.diverse_groups import merge_all, merge_until_diverse, row_groups
from shoal.kernels.shares import share_exceeded
from shoal.privacy.model import Model
from shoal.privacy.parameters import exact
from shoal.privacy.set_k_anonymity import SetLDiversity
from shoal.privacy.verdict import counted
from shoal.progress import Progress

_GROUPS_PER_SLICE = 100


def made_diverse(task: EqualSets, found: Grouped, models: Sequence[Model], progress: Progress) -> Grouped:
    """The groups merged until every sensitive item's share of each is at most 1/l; none are without an l.

    When time is up all records with items become one group, which is diverse if any division is. Raises
    Infeasible when the records without items, who can only hide among themselves, are not diverse.
    """
    diverse = [model for model in models if isinstance(model, SetLDiversity)]
    if not diverse:
        return found
    constraint = ItemConstraint(1, 0, l=max(exact(model.l) for model in diverse), diverse_m=1)
    _refuse_uniform_empty_records(task, constraint)
    _, group_of_row = np.unique(found.group_of_row, return_inverse=True)
    groups = row_groups(task.transactions.sets, cost_tree(task.tree), group_of_row)
    limit = share_limit(task.transactions, constraint)
    progress.stage("merging groups for diversity")
    count, merged, notices = len(groups.first), 0, found.notices
    for start in range(0, count, _GROUPS_PER_SLICE):
        merged += merge_until_diverse(groups, limit, start, min(start + _GROUPS_PER_SLICE, count))
        progress.update(min(start + _GROUPS_PER_SLICE, count), count, f"{merged:,} groups merged")
        if progress.expired():
            merge_all(groups)
            notices = (*notices, "time was up before all groups were diverse, so all were made one")
            break
    figures = {**found.figures, "merged_for_diversity": merged}
    return replace(
        found, group_of_row=groups.group, node_of_occurrence=groups.node, notices=notices, figures=figures
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
