"""VPA on Spark: groups of items are searched in tasks, and then all items together by counts of all rows."""

from collections.abc import Sequence
from functools import partial
from itertools import groupby

import numpy as np
from pyspark.sql import DataFrame

from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.generalization import Tally
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.cut_search.violations import Violations
from shoal.algorithms.sets.vpa import VPA, SearchedGroup, Subtrees, search_group
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints, SetArrays, frozen_ints, frozen_sets, joined_rows, owners, starts_of
from shoal.spark.answers import Answers, Batches, answer
from shoal.spark.blocks import RunClock
from shoal.spark.encoded_sets import ITEMS_PER_CHUNK, chunks_of, sets_of, unpacked
from shoal.spark.violations import SpreadTransactions

ITEMS_PER_ROW = 10  # what a row is reckoned at where a task is bounded by rows

_PROJECTED = "group bigint, starts binary, items binary"
_SEARCHED = "group bigint, nodes binary, found bigint, mended bigint, in_time boolean, counted bigint"
_INT64 = np.dtype("<i8")


def search_groups(
    algorithm: VPA,
    chunks: DataFrame,
    transactions: SpreadTransactions,
    constraint: ItemConstraint,
    *,
    most_rows: int,
    within: RunClock,
) -> tuple[list[SearchedGroup], str]:
    """What groups of items need by themselves, each searched in a task; and how it differs from one machine.

    A group that no task may hold is left to the search of all items.
    """
    subtrees = Subtrees.of(transactions, algorithm.level)
    most = most_rows * ITEMS_PER_ROW
    asked, groups = _divided(subtrees, algorithm.parts, most)
    fitting = [group for group in groups if subtrees.size(group)[0] <= most]
    nothing = SearchedGroup(np.arange(transactions.tree.leaf_count, dtype=np.int64), Tally(), 0)
    if not fitting:
        return [nothing], _how_it_differs(asked, groups, fitting)
    leaves = transactions.leaves
    first = frozen_ints([leaves.first[group[0]] for group in fitting])
    last = frozen_ints([leaves.last[group[-1]] for group in fitting])
    projected = chunks.mapInArrow(partial(_project, first, last), _PROJECTED)
    rows = (
        projected.repartition(len(fitting), "group")
        .sortWithinPartitions("group")
        .mapInArrow(partial(_search_groups, transactions.tree, constraint, fitting, within), _SEARCHED)
        .collect()
    )
    found = [
        SearchedGroup(
            unpacked(row.nodes, _INT64), Tally(row.found, row.mended, in_time=row.in_time), row.counted
        )
        for row in rows
    ]
    return [nothing, *found], _how_it_differs(asked, groups, fitting)


def _how_it_differs(asked: int, groups: Sequence[Ints], fitting: Sequence[Ints]) -> str:
    if len(fitting) < len(groups):
        return (
            f"{len(groups) - len(fitting)} of {len(groups)} groups of items are too large for a task and were"
            " left to the search of all items, so the cut can differ from that of one machine"
        )
    return f"the cut is the one that vpa finds on one machine with parts = {asked}"


def _divided(subtrees: Subtrees, fewest: int, most: int) -> tuple[int, list[Ints]]:
    """Groups of subtrees with so many items each at most, and for how many of them was asked."""
    count = fewest
    groups = subtrees.parts(count)
    while max(subtrees.size(group)[0] for group in groups) > most and count < subtrees.most_parts:
        count = min(2 * count, subtrees.most_parts)
        groups = subtrees.parts(count)
    return count, groups


def _project(first: Ints, last: Ints, batches: Batches) -> Answers:
    """The items first[g]..last[g] of each group of subtrees, without rows that hold none of them."""
    for sets in sets_of(batches):
        rows = owners(sets.starts)
        for group, (lowest, highest) in enumerate(zip(first, last, strict=True)):
            kept = (sets.items >= lowest) & (sets.items <= highest)
            counts = np.bincount(rows[kept], minlength=1)
            starts = starts_of(counts[counts > 0])
            for chunk in chunks_of(SetArrays(frozen_ints(starts), sets.items[kept]), ITEMS_PER_CHUNK):
                yield answer(_PROJECTED, [group] * chunk.num_rows, *chunk.columns)


def _search_groups(
    tree: Hierarchy, constraint: ItemConstraint, groups: Sequence[Ints], within: RunClock, batches: Batches
) -> Answers:
    """What a task does with its groups, one after the other; they come in their order."""
    rows = (batch.slice(index, 1) for batch in batches for index in range(batch.num_rows))
    for group, chunks in groupby(rows, key=lambda row: int(row.column("group")[0].as_py())):
        sets = joined_rows(*sets_of(chunks))
        no_items = frozen_sets(np.zeros_like(sets.starts), [])
        transactions = Transactions(tree, sets, sensitive=no_items, whole_of=frozen_ints([]))
        found = search_group(Violations(transactions, constraint), groups[group], within.progress())
        nodes, tally = found.node_of_leaf.astype(_INT64).tobytes(), found.tally
        row = (group, nodes, tally.found, tally.mended, tally.in_time, found.counted)
        yield answer(_SEARCHED, *([value] for value in row))
