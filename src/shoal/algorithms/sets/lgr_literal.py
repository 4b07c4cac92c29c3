from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.sets.equal_sets.clusters import EqualSets, drill
from shoal.algorithms.sets.lgr import LGR
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Infeasible, Problem
from shoal.kernels.arrays import Bools, Ints, Items, owners
from shoal.kernels.lgr import Published, roll_back
from shoal.kernels.set_partition import Drill
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.model import Model
from shoal.privacy.verdict import counted
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

_RECORDS_PER_SLICE = 10_000


@dataclass(frozen=True, slots=True)
class LGRLiteral(Algorithm):
    """The rounds of the LGR paper as they are printed: every published item, not every set, occurs k times.

    After Partition, the records of left-over clusters wait, with their own items. In their order, each has
    its deepest node raised to its parent until every one of its nodes is in k finished records, and then is
    finished, too; one that would reach the root gets its items back. Then, while some item is in fewer than k
    records, the item of least loss, the first in tree order of several, is published as the root in all
    records that wait. The paper calls the result k-anonymous, but equal items do not make equal sets: what
    holds is k^m-anonymity with m = 1. It is here for comparison; `lgr` keeps the whole promise.

    Contract
        needs:      rows; one set column with a tree
        gives:      what each item of each record is published as
        guarantees: k^1-anonymity
        cost:       Partition, and O(items^2 * height) for each record that waits; memory O(occurrences)

    After Kim, A new approach for anonymizing transaction data with set values, Electronics 12(14), 2023.
    """

    name = "lgr-literal"
    turn = None
    serves = (KmAnonymity,)
    paper = LGR.paper
    guarantee = "k^m-anonymity with m = 1 only; no bound on the loss"

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Partition the records and go through the rounds; BadInput for any m but 1."""
        k = _checked_k(models)
        task = EqualSets.for_rounds(data, models, k)
        parts, found = drill(task, progress)
        left_over = np.flatnonzero(parts.left_over)
        waiting = left_over[np.argsort(task.rows[left_over])]
        supports = _supports(parts, np.flatnonzero(~parts.left_over))
        tree, node = task.tree, parts.node.copy()
        published = Published(parts.sets, tree.arrays, tree.depths, node, supports)
        finished = _roll_back(published, waiting, k, progress)
        raised = _raise_to_root(task, waiting[~finished], node, supports)
        figures = {
            **found.figures,
            "records_waiting": len(waiting),
            "records_rolled_back": int(np.count_nonzero(finished)),
            "items_raised_to_root": raised,
        }
        return task.recoding(replace(found, node_of_occurrence=node, figures=figures))


def _roll_back(published: Published, waiting: Ints, k: int, progress: Progress) -> Bools:
    """Which of the waiting records are finished; none of those that there was no time for."""
    finished: Bools = np.zeros(len(waiting), dtype=np.bool_)
    for begin in range(0, len(waiting), _RECORDS_PER_SLICE):
        progress.update(begin, len(waiting), "records rolled back")
        if progress.expired():
            _put_back(published, waiting[begin:])
            break
        some = slice(begin, begin + _RECORDS_PER_SLICE)
        finished[some] = roll_back(published, waiting[some], k)
    return finished


def _put_back(published: Published, rows: Ints) -> None:
    """Publish the given rows with their own items."""
    is_one: Bools = np.zeros(len(published.sets.starts) - 1, dtype=np.bool_)
    is_one[rows] = True
    places = np.flatnonzero(is_one[owners(published.sets.starts)])
    published.node[places] = published.sets.items[places]


def _checked_k(models: Sequence[Model]) -> int:
    counting = [model for model in models if isinstance(model, KmAnonymity)]
    if any(model.m != 1 or model.negative for model in counting):
        raise BadInput(
            Problem(
                "lgr-literal keeps k^m-anonymity with m = 1 only, and not against knowledge of absent items",
                "use aa for larger m, or lgr for complete k-anonymity of sets",
            )
        )
    return max((model.k for model in counting), default=1)


def _supports(parts: Drill, rows: Ints) -> Ints:
    """How many of the given rows of a partition hold each node."""
    starts = parts.sets.starts
    row_of_occurrence = owners(starts)
    # What lies under one node stands side by side.
    is_first = np.ones(len(parts.node), dtype=np.bool_)
    is_first[1:] = (np.diff(parts.node) != 0) | (np.diff(row_of_occurrence) != 0)
    counted_here = is_first & np.isin(row_of_occurrence, rows)
    return np.bincount(parts.node[counted_here], minlength=len(parts.tree.cost)).astype(np.int64)


def _raise_to_root(task: EqualSets, rows: Ints, node: Items, supports: Ints) -> int:
    """Publish items of the given rows as the root until none is rare; returns how many items.

    Items are raised in the order of their loss, and all are leaves, so in tree order. Raising more than the
    last rare one is needed only while the root is rare itself.
    """
    sets, root = task.transactions.sets, task.tree.root
    is_waiting = np.zeros(task.transactions.row_count, dtype=np.bool_)
    is_waiting[rows] = True
    row_of_occurrence = owners(sets.starts)
    places = np.flatnonzero(is_waiting[row_of_occurrence])
    items = sets.items[places]
    leaves, occurrences = np.unique(items, return_counts=True)
    rare = np.flatnonzero(supports[leaves] + occurrences < task.k)
    if len(rare) == 0:
        return 0
    firsts = np.sort(np.searchsorted(leaves, sets.items[sets.starts[rows]]))  # of each row's own items
    missing = task.k - int(supports[root])
    last = int(rare[-1])
    if missing > 0:
        if len(firsts) < missing:
            raise Infeasible(
                f"k^1-anonymity with k={task.k} cannot be met by the rounds of lgr-literal: they leave"
                f" {counted(len(firsts), 'record')} at the root; use aa or lgr",
                records=task.data.row_count,
                left_at_root=len(firsts),
            )
        last = max(last, int(firsts[missing - 1]))
    node[places[items <= leaves[last]]] = root
    return last + 1
