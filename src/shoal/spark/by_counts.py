"""Algorithms that ask counts only: they run on the driver as they do on one machine, and Spark counts."""

from functools import partial

import numpy as np
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.task import CutTask, fitting
from shoal.algorithms.sets.cut_search.transactions import set_column
from shoal.algorithms.sets.vpa import VPA
from shoal.algorithms.within_levels import Trimmed, one_cut_in_whole_tree, trimmed_trees
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Floats, Ints, SetArrays, frozen_items
from shoal.metrics.items import utility_loss, weights_of_words
from shoal.metrics.mining import Measured, levels_loss
from shoal.progress import Progress
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts
from shoal.spark.blocks import PublishRows, most_rows_per_block
from shoal.spark.brought import told_of_a_sample
from shoal.spark.classes import quoted
from shoal.spark.data import SparkData, SparkFound
from shoal.spark.encoded_sets import ITEMS_PER_CHUNK, SCHEMA
from shoal.spark.itemsets import SpreadSets
from shoal.spark.publish_tasks import publish_cut
from shoal.spark.reader import ROWS_PER_PART, encode_sets
from shoal.spark.violations import SpreadTransactions, SpreadViolations
from shoal.spark.vpa import search_groups

ROWS_PER_GROUP = 200_000

SAME = "the cut is the one that the same search finds on one machine"


def search_by_counts(data: SparkData, task: PublishRows, progress: Progress) -> SparkFound:
    """Find one cut for all rows, as on one machine, and publish the rows under it."""
    column, algorithm = set_column(data), task.algorithm
    progress.stage("encoding")
    limits = trimmed_trees({column: data.roles[column]}, data.trees)
    tree = limits[column].tree if limits else data.trees[column]
    chunks = encoded_sets(data, column, limits)
    try:
        sets = SpreadSets(chunks, tree.leaf_count)
        transactions = SpreadTransactions.of(tree, sets.totals(tree.arrays.parent))
        constraint, notices = fitting(ItemConstraint.of(task.models), tree, transactions.longest)
        violations = SpreadViolations(transactions, sets, constraint)
        progress.stage(f"searching with {algorithm.name}")
        cut_task = CutTask(column, 0, violations, notices)
        if isinstance(algorithm, AA):
            recoding, how = algorithm.search(cut_task, progress), SAME
        elif isinstance(algorithm, VPA):
            most = most_rows_per_block(data, ROWS_PER_GROUP)
            found, how = search_groups(
                algorithm, chunks, transactions, constraint, most_rows=most, within=task.within
            )
            recoding = algorithm.search_all(cut_task, found, progress)
        else:
            raise TypeError(f"{algorithm.name} does not say how it asks for counts")
        if not limits:
            measured = _losses(data, column, recoding.cuts.node_of_leaf[0], sets, transactions)
    finally:
        chunks.unpersist()
    if limits:
        occurs = transactions.occurrences[: tree.leaf_count] > 0
        recoding = one_cut_in_whole_tree(recoding, limits[column], occurs, data.row_count)
        measured = measure_cut(data, recoding.cuts)
    publish = partial(publish_cut, data.reader, recoding.cuts, task.schema)
    return SparkFound(
        frame=data.frame.mapInArrow(publish, from_arrow_schema(task.schema)),
        losses=measured.losses,
        column_losses={column: measured.losses},
        notices=(*recoding.notices, how, *measured.notices),
        figures={**recoding.figures, "spark_jobs": sets.jobs},
        recoding=recoding,
    )


def measure_cut(data: SparkData, cuts: Cuts) -> Measured:
    """What one cut for all rows costs."""
    tree = data.trees[cuts.column]
    chunks = encoded_sets(data, cuts.column, {})
    try:
        sets = SpreadSets(chunks, tree.leaf_count)
        transactions = SpreadTransactions.of(tree, sets.totals(tree.arrays.parent))
        return _losses(data, cuts.column, cuts.node_of_leaf[0], sets, transactions)
    finally:
        chunks.unpersist()


def _losses(
    data: SparkData, column: str, node_of_leaf: Ints, sets: SpreadSets, transactions: SpreadTransactions
) -> Measured:
    """The same measures as on one machine: NCP from the counts of items, UL row by row."""
    tree, role = data.trees[column], data.roles[column]
    weights = np.array(
        [getattr(role, "item_weights", {}).get(label, 1.0) for label in tree.leaf_labels], dtype=np.float64
    )
    occurrences = transactions.occurrences[: tree.leaf_count]
    sizes = np.where(node_of_leaf == SUPPRESSED_ITEM, tree.leaf_count, tree.sizes[node_of_leaf])
    lost = int((occurrences * np.where(sizes > 1, sizes, 0)).sum())
    ncp = lost / max(1, int(occurrences.sum()) * tree.leaf_count)
    lost_by_rows = sets.total(partial(_utility_loss, tree, node_of_leaf, weights_of_words(tree, weights)))
    every = data.rows_for_one
    brought = sets.some_rows(every)
    of_levels = told_of_a_sample(levels_loss(tree, brought, frozen_items(node_of_leaf)[brought.items]), every)
    losses = {"ncp": ncp, "ul": lost_by_rows / max(1, transactions.row_count)}
    return Measured(losses) | of_levels


def _utility_loss(tree: Hierarchy, node_of_leaf: Ints, weights: Floats, sets: SetArrays) -> float:
    """UL summed over rows."""
    return utility_loss(tree, sets, frozen_items(node_of_leaf)[sets.items], weights) * (len(sets.starts) - 1)


def encoded_sets(data: SparkData, column: str, trees: Trimmed) -> DataFrame:
    """The items of a column in chunks, as leaves of its tree, spread over the executors and kept there."""
    encode = partial(encode_sets, data.reader.only(column), trees, ITEMS_PER_CHUNK)
    chunks = data.frame.select(quoted(column)).mapInArrow(encode, SCHEMA)
    return chunks.repartition(parts_of(data)).persist(StorageLevel.MEMORY_AND_DISK)


def parts_of(data: SparkData) -> int:
    """Into how many parts rows are divided: one for each processor at least, none with too many rows."""
    processors = int(data.frame.sparkSession.conf.get("spark.default.parallelism", "0") or 0)
    needed = -(-data.row_count // most_rows_per_block(data, ROWS_PER_PART))
    return max(data.frame.rdd.getNumPartitions(), processors, needed, 1)
