"""Algorithms that see rows: the data are divided into blocks that fit a task, and each is searched alone.

What holds for every block holds for all of them together, because classes and itemsets can only gain rows
when blocks are put side by side.
"""

import json
import math
import operator
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import fsum
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.pandas.types import from_arrow_schema

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.search import Limits, WithinLimits
from shoal.algorithms.within_levels import AsAsked, asks_for_levels
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Infeasible, LimitReached, Problem, ShoalError
from shoal.kernels.arrays import Ints
from shoal.metrics.catalogue import measure_rows, measure_rows_by_column
from shoal.metrics.mining import Measured
from shoal.metrics.node_costs import NODE_COSTS
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import counted
from shoal.progress import Silent
from shoal.recoding.cuts import Cuts
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.recoding import apply_recoding
from shoal.recoding.rows import RowRecoding
from shoal.spark.answers import Answers, Batches
from shoal.spark.block_tasks import BLOCK, add_block, whole_blocks
from shoal.spark.brought import (
    VALUES,
    levels_losses,
    packed,
    telling_notices,
    unpacked_table,
    with_published_nodes,
    with_published_values,
)
from shoal.spark.classes import quoted
from shoal.spark.data import SparkData, SparkFound, empty_table
from shoal.spark.divide import Box, Division
from shoal.spark.publish_tasks import typed
from shoal.spark.reader import ROWS_ON_DISK, Reader
from shoal.table.roles import Role
from shoal.threads import at_most

ROWS_PER_BLOCK = "spark.shoal.rowsPerBlock"
_ROWS = 200_000
_ROWS_WITH_SETS = 20_000  # of a table: the time of uniting clusters grows with the square of their number

_FACTS = "shoal facts"
_NAME = "shoal name"
_ROWS_BROUGHT = "shoal rows"
_MEANS = (*NODE_COSTS, "ul", "item_ncp")
_AMBIGUITY = "log10_am"
_FROM_VALUE_COUNTS = ("entropy", "monotone_entropy", _AMBIGUITY)  # of all rows, which a tree must list
_NOTICES_SHOWN = 5
_KINDS = (LimitReached, BadInput, ShoalError)  # of errors that tasks raise


@dataclass(frozen=True)
class RunClock:
    """The limits of a run as its tasks see them; it started then, on the clock of the driver."""

    limits: Limits
    started: float

    @classmethod
    def starting_now(cls, limits: Limits) -> Self:
        """Time runs from here."""
        return cls(limits, time.time())

    def progress(self) -> WithinLimits:
        """What a search asks whether it should end."""
        return WithinLimits(Silent(), self.limits, seconds_gone=max(0.0, time.time() - self.started))


class ReleasedBlock(NamedTuple):
    """What is published of a block, how its search went, and rows for the driver to measure, by a name."""

    published: pa.Table
    facts: Mapping[str, Any]
    brought: Mapping[str, pa.Table]


class TaskOfBlock(Protocol):
    """What a task does with the rows of a block."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of what it gives back."""

    def release(self, rows: pa.Table, block: int) -> ReleasedBlock:
        """What becomes of the rows of a block; raises ShoalError if there is no way."""


@dataclass(frozen=True, eq=False)
class PublishRows:
    """Find what to do with the rows of a block, do it, and measure what it cost.

    `value_counts` are those of all rows, which uncertainty is about. One of `every` rows comes to the driver
    for what is measured of sets there, and one of `every_of_values` for what is of single values.
    """

    reader: Reader
    algorithm: Algorithm
    models: tuple[Model, ...]
    schema: pa.Schema
    seed: int
    within: RunClock
    boxes: Mapping[int, Box] = field(default_factory=dict)
    measured_as: Mapping[str, Role] = field(default_factory=dict)
    value_counts: Mapping[str, Ints] = field(default_factory=dict)
    every: int = 1
    every_of_values: int = 1
    withhold_empty: bool = False

    def release(self, rows: pa.Table, block: int) -> ReleasedBlock:
        """The rows as they are published."""
        data = self.reader.read(rows)
        recoding = _as_it_is(data) if block < 0 else self._found(data, block)
        brought = with_published_nodes(data, recoding, self.every)
        if block < 0 and self.withhold_empty:
            return ReleasedBlock(self.schema.empty_table(), {}, brought)
        promise = Promise(self.models)
        applied = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=promise.fewest_stars)
        brought |= with_published_values(data, applied, self.every_of_values)
        measured, counts = replace(data, roles=self.measured_as or data.roles), self.value_counts
        by_column = measure_rows_by_column(measured, recoding, counts)
        joined = data.joined_sets()
        facts = {
            "losses": self._that_unite(measure_rows(measured, recoding, promise.k, counts), data.quasi),
            "columns": {name: self._that_unite(each, [name]) for name, each in by_column.items()},
            "items": {name: len(joined.of_column(name).items) for name in data.quasi_sets},
            "notices": list(recoding.notices),
        }
        return ReleasedBlock(typed(applied.table, self.schema), facts, brought)

    def _that_unite(self, losses: Mapping[str, float], columns: Sequence[str]) -> dict[str, float]:
        """The losses of all blocks that tell those of all rows."""
        known = all(name in self.value_counts for name in columns)
        return {
            name: loss
            for name, loss in losses.items()
            if name in (*_MEANS, _AMBIGUITY) and (known or name not in _FROM_VALUE_COUNTS)
        }

    def _found(self, data: LocalData, block: int) -> RowRecoding:
        rng = np.random.default_rng([self.seed, block])
        algorithm = AsAsked(self.algorithm) if asks_for_levels(data.roles) else self.algorithm
        with at_most(threads=1):  # Spark has a task for every processor already
            recoding = algorithm.find(data, self.models, rng, self.within.progress())
        if not isinstance(recoding, RowRecoding):
            raise TypeError(f"{self.algorithm.name} publishes no rows")
        if recoding.clusters is None or block not in self.boxes:
            return recoding
        return replace(recoding, clusters=within_box(recoding.clusters, self.boxes[block]))


def _as_it_is(data: LocalData) -> RowRecoding:
    """Nothing is generalized: there are no items."""
    (column,) = data.quasi_sets
    leaves = np.arange(data.trees[column].leaf_count, dtype=np.int64)[np.newaxis, :]
    return RowRecoding(items=(Cuts(column, np.zeros(data.row_count, dtype=np.int64), leaves),))


def within_box(clusters: GeneralizedClusters, box: Box) -> GeneralizedClusters:
    """The clusters with ranges that end where the block does, not where the whole column does."""
    ranges = dict(clusters.ranges)
    for name, (lower, upper) in box.items():
        narrowed = np.clip(ranges[name], lower, upper)
        ranges[name] = np.where(np.isfinite(ranges[name]), narrowed, ranges[name])
    return replace(clusters, ranges=ranges)


def search_here(task: TaskOfBlock, batches: Batches) -> Answers:
    """What a worker does with its blocks: what is published, and rows more that tell facts and bring rows.

    The blocks one after the other; they come in their order, and one is in memory at a time.
    """
    schema = with_facts(task.schema)
    for block, rows in whole_blocks(batches):
        facts: dict[str, Any] = {"block": block, "rows": rows.num_rows}
        try:
            published, told, brought = task.release(rows, block)
            for name in schema.names[len(task.schema) :]:
                published = published.append_column(
                    schema.field(name), pa.nulls(len(published), schema.field(name).type)
                )
            yield from published.to_batches()
            for name, table in brought.items():
                row = {_FACTS: "", _NAME: name, _ROWS_BROUGHT: packed(table)}
                yield pa.RecordBatch.from_pylist([row], schema=schema)
            facts |= told
        except ShoalError as error:
            kind = next(kind for kind in _KINDS if isinstance(error, kind))
            facts |= {"error": str(error), "kind": kind.__name__}
        yield pa.RecordBatch.from_pylist([{_FACTS: json.dumps(facts)}], schema=schema)


def with_facts(schema: pa.Schema) -> pa.Schema:
    """The columns of a release, and those for facts and for rows that come to the driver."""
    brought = [(_NAME, pa.string()), (_ROWS_BROUGHT, pa.binary())]
    return pa.schema([*schema, (_FACTS, pa.string()), *brought])


@dataclass(frozen=True, eq=False)
class Searched:
    """What all blocks publish, how their searches went, and what they brought to the driver.

    `working` is to be unpersisted in the end.
    """

    published: DataFrame
    facts: tuple[Mapping[str, Any], ...]
    working: DataFrame
    brought: Mapping[str, Sequence[pa.Table]] = field(default_factory=dict)

    def released(self, data: SparkData, division: Division, notices: tuple[str, ...]) -> SparkFound:
        """What was decided for the rows of all blocks, and what it cost."""
        losses, column_losses = self.losses(of_sets=not data.quasi), self.column_losses()
        of_levels = self._levels(data)
        for name, measured in of_levels.items():
            column_losses[name] |= measured.losses
            if len(data.quasi_sets) == 1:
                losses |= measured.losses
        told = dict.fromkeys(notice for measured in of_levels.values() for notice in measured.notices)
        telling = telling_notices(self.brought.get(VALUES, ()), data.quasi, data.rows_for_one_of_values)
        return SparkFound(
            frame=self.published,
            losses=losses,
            column_losses=column_losses,
            notices=(*notices, *told, *telling),
            figures=self.figures(division),
            working=self.working,
        )

    def _levels(self, data: SparkData) -> dict[str, Measured]:
        """What a miner of all levels of a tree misses, of columns that all blocks publish as its nodes."""
        of_sets = {name: self.brought.get(name, ()) for name in data.quasi_sets}
        of_nodes = {name: each for name, each in of_sets.items() if len(each) == len(self.facts)}
        return levels_losses(data.trees, of_nodes, data.rows_for_one)

    def figures(self, division: Division) -> dict[str, Any]:
        """How the work was divided."""
        return {
            "blocks": division.block_count,
            "rows_of_the_largest_block": max(int(fact["rows"]) for fact in self.facts),
            "rows_dealt_by_turns": division.dealt_rows,
        }

    def notices(self) -> tuple[str, ...]:
        """What the searches noticed, each once; figures in it are those of one block."""
        told = dict.fromkeys(notice for fact in self.facts for notice in fact.get("notices", ()))
        if len(self.facts) == 1:
            return tuple(told)
        shown = [f"in a block: {notice}" for notice in list(told)[:_NOTICES_SHOWN]]
        more = len(told) - len(shown)
        return (*shown, f"{counted(more, 'more notice')} of single blocks left out") if more else tuple(shown)

    def losses(self, *, of_sets: bool) -> dict[str, float]:
        """The means over all rows, or over all items, from those of the blocks."""
        by_items = ("item_ncp", "ncp") if of_sets else ("item_ncp",)
        return united_losses(
            [
                MeasuredBlock(fact["rows"], sum(fact["items"].values()), fact["losses"])
                for fact in self.facts
                if "losses" in fact
            ],
            by_items,
        )

    def column_losses(self) -> dict[str, dict[str, float]]:
        """The same for each column."""
        measured = [fact for fact in self.facts if "columns" in fact]
        names = dict.fromkeys(name for fact in measured for name in fact["columns"])
        return {
            name: united_losses(
                [
                    MeasuredBlock(fact["rows"], fact["items"].get(name, 0), fact["columns"].get(name, {}))
                    for fact in measured
                ],
                ("ncp",) if any(name in fact["items"] for fact in measured) else (),
            )
            for name in names
        }


class MeasuredBlock(NamedTuple):
    """What a block lost, and over how many rows and items the losses are means."""

    rows: int
    items: int
    losses: Mapping[str, float]


def united_losses(measured: Sequence[MeasuredBlock], by_items: Sequence[str]) -> dict[str, float]:
    """The means of all blocks from those of each, which are over items as named, others over rows."""
    losses = {}
    for name in _MEANS:
        weighted = [
            (each.items if name in by_items else each.rows, each.losses[name])
            for each in measured
            if name in each.losses
        ]
        if weighted:
            total = sum(weight for weight, _ in weighted)
            losses[name] = fsum(weight * loss for weight, loss in weighted) / max(1, total)
    if measured and all(_AMBIGUITY in each.losses for each in measured):
        losses[_AMBIGUITY] = _log10_of_mean(
            [each.losses[_AMBIGUITY] for each in measured], [each.rows for each in measured]
        )
    return losses


def _log10_of_mean(exponents: Sequence[float], weights: Sequence[int]) -> float:
    """The decimal logarithm of the mean of powers of ten, which may be too large for a float."""
    highest = max(exponents)
    powers = [10.0 ** (exponent - highest) for exponent in exponents]
    return highest + math.log10(fsum(map(operator.mul, weights, powers)) / sum(weights))


def search_blocks(data: SparkData, division: Division, task: TaskOfBlock, most: int) -> Searched:
    """Bring the rows of each block together, search, and hear how it went; raises what a block raised."""
    tasks = max(1, min(len(division.sizes), -(-2 * data.row_count // most)))
    found = (
        rows_with_block(data, division)
        .repartition(tasks, quoted(BLOCK))
        .sortWithinPartitions(quoted(BLOCK), content_of(data))
        .mapInArrow(partial(search_here, task), from_arrow_schema(with_facts(task.schema)))
        .persist(ROWS_ON_DISK)
    )
    columns = (_FACTS, _NAME, _ROWS_BROUGHT)
    told = found.filter(sql.col(quoted(_FACTS)).isNotNull()).select(*map(quoted, columns)).collect()
    facts = sorted((json.loads(row[0]) for row in told if row[0]), key=lambda fact: int(fact["block"]))
    try:
        _raise_first_error(facts)
    except ShoalError:
        found.unpersist()
        raise
    brought: dict[str, list[pa.Table]] = {}
    for _, name, rows in told:
        if name is not None:
            brought.setdefault(name, []).append(unpacked_table(rows))
    published = found.filter(sql.col(quoted(_FACTS)).isNull()).drop(*columns)
    return Searched(published, tuple(facts), found, brought)


def rows_with_block(data: SparkData, division: Division) -> DataFrame:
    """The rows with the number of their block beside them."""
    schema = pa.schema([*empty_table(data.frame).schema, (BLOCK, pa.int64())])
    frame = data.frame.sortWithinPartitions(content_of(data)) if division.dealt else data.frame
    adding = partial(add_block, data.reader, division.splits, division.dealt)
    return frame.mapInArrow(adding, from_arrow_schema(schema))


def content_of(data: SparkData) -> SparkColumn:
    """What rows are ordered by, so that only their content decides in which order they come to a task.

    One that is repeated after a failure decides as before, and no class is published half in one way and half
    in another.
    """
    return sql.xxhash64(*map(quoted, data.frame.columns))


def _raise_first_error(facts: Sequence[Mapping[str, Any]]) -> None:
    failed = [fact for fact in facts if "error" in fact]
    if not failed:
        return
    first = failed[0]
    if first["kind"] == LimitReached.__name__:
        raise LimitReached(first["error"])
    if first["kind"] == BadInput.__name__:
        raise BadInput(Problem(first["error"]))
    raise Infeasible(
        f"{len(failed)} of {counted(len(facts), 'block')} cannot keep the promise alone, the first because:"
        f" {first['error']}; raise {ROWS_PER_BLOCK}, or run on one machine"
    )


def rows_searched_at_once(data: SparkData) -> int:
    """How many rows a task that searches may hold."""
    return most_rows_per_block(data, _ROWS_WITH_SETS if data.quasi and data.quasi_sets else _ROWS)


def most_rows_per_block(data: SparkData, default: int) -> int:
    """How many rows a task may hold, as the session or the cluster says."""
    given = data.frame.sparkSession.conf.get(ROWS_PER_BLOCK, None)
    if given is None:
        return default
    if not given.isdecimal() or int(given) < 1:
        raise BadInput(Problem(f"{ROWS_PER_BLOCK} is {given!r}", "give a number of rows of 1 or more"))
    return int(given)
