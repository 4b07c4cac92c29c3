"""Disassociation on Spark: records are brought together by frequent terms, and taken apart where they are.

Clusters are joined within a block only. What is published goes from the tasks to the files as JSON lines.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.search import Search
from shoal.algorithms.sets.disassociation.algorithm import column_of_terms
from shoal.kernels.arrays import Ints
from shoal.metrics.mining import Measured, measure_chunks
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import counted
from shoal.progress import Progress
from shoal.recoding.chunk_recoding import ChunkRecoding, Randoms, shuffled
from shoal.recoding.disassociated import Disassociated, chunk_figures, parse_lines
from shoal.recoding.disassociated_file import json_lines
from shoal.spark.blocks import ReleasedBlock, RunClock, Searched, most_rows_per_block, search_blocks
from shoal.spark.brought import rows_for_one, told_of_a_sample
from shoal.spark.classes import quoted
from shoal.spark.cluster_lines import LINE, terms_of
from shoal.spark.data import SparkData, SparkFound
from shoal.spark.divide import Division, Size, divide_sets
from shoal.spark.reader import VALUES, Reader, count_values

ROWS_PER_BLOCK = 200_000

_ORIGINAL = "original"
_LINES = "lines"


def search_clusters(
    algorithm: Algorithm, data: SparkData, promise: Promise, search: Search, progress: Progress
) -> SparkFound:
    """Divide the rows, and take the records of each block apart."""
    model = promise.main
    if not isinstance(model, Disassociation):
        raise TypeError(f"{algorithm.name} keeps disassociation, not {promise}")
    column = column_of_terms(data)
    most = most_rows_per_block(data, ROWS_PER_BLOCK)
    progress.stage("dividing the rows into blocks")
    size = Size(most, max(model.least, most // 4))
    division = divide_sets(data, column, size, progress, sensitive=True)
    progress.stage(f"searching {division.block_count:,} blocks with {algorithm.name}")
    secret = secrets.token_bytes(32) if not search.reproducible else str(search.seed).encode()
    supports = _supports(data, column)
    every = rows_for_one(_total(supports))
    within = RunClock.starting_now(search.limits)
    task = TakeApart(data.reader, algorithm, column, model, within, secret, every)
    found = search_blocks(data, division, task, most)
    measured = _measured(data.reader.only(column), found.brought, column, model.k, every)
    lost = {"tlost": _lost_terms(supports, terms_of(found.published), model.k)}
    return SparkFound(
        frame=found.published,
        losses=measured.losses | lost,
        notices=(*_notices(division, found, most), *measured.notices),
        figures=found.figures(division),
        working=found.working,
        left_out=division.empty_rows,
        chunks=_added_up([fact["chunks"] for fact in found.facts if "chunks" in fact]),
    )


@dataclass(frozen=True, eq=False)
class TakeApart:
    """What a task does with a block: records become chunks, and these lines of JSON.

    One of `every` lines comes to the driver, with the records that it was made of.
    """

    reader: Reader
    algorithm: Algorithm
    column: str
    model: Disassociation
    within: RunClock
    secret: bytes
    every: int = 1

    @property
    def schema(self) -> pa.Schema:
        """Lines."""
        return pa.schema([(LINE, pa.string())])

    def release(self, rows: pa.Table, block: int) -> ReleasedBlock:
        """The clusters of a block; records without items are left out."""
        column = rows.select([self.column])
        if block < 0:
            some = column.take(np.arange(0, len(rows), self.every))
            return ReleasedBlock(self.schema.empty_table(), {}, {_ORIGINAL: some})
        rng = np.random.default_rng(0)  # which disassociation does not ask
        recoding = self.algorithm.find(self.reader.read(rows), [self.model], rng, self.within.progress())
        if not isinstance(recoding, ChunkRecoding):
            raise TypeError(f"{self.algorithm.name} publishes no clusters")
        released = shuffled(recoding.clusters, randoms_of(self.secret, block))
        facts = {"chunks": chunk_figures(released), "notices": list(recoding.notices)}
        return ReleasedBlock(self._lines(released), facts, self._some_lines(recoding, column))

    def _some_lines(self, recoding: ChunkRecoding, records: pa.Table) -> dict[str, pa.Table]:
        """One of `every` lines, which count from 1, with the records that it was made of."""
        lines = self._lines(recoding.clusters)
        line_of_row = recoding.clusters.clusters.lines[recoding.cluster_of_row]
        return {
            _ORIGINAL: records.take(np.flatnonzero(line_of_row % self.every == 0)),
            _LINES: lines.take(np.arange(self.every - 1, len(lines), self.every)),
        }

    def _lines(self, release: Disassociated) -> pa.Table:
        text = b"".join(block.tobytes() for block in json_lines(release)).decode()
        lines = pa.array(text.rstrip("\n").split("\n"), type=pa.string())
        return pa.table([lines], schema=self.schema)


def randoms_of(secret: bytes, block: int) -> Randoms:
    """Random numbers that only who knows the secret can repeat, which is drawn by the driver for one run.

    A task that is repeated after a failure must put its chunks into the same order as before.
    """
    calls = iter(range(2**62))

    def randoms(count: int) -> Ints:
        stream = hashlib.shake_256(secret + f":{block}:{next(calls)}".encode())
        numbers = np.frombuffer(stream.digest(8 * count), dtype=np.int64)
        return numbers & np.int64(2**63 - 1)

    return randoms


def _measured(
    reader: Reader, brought: Mapping[str, Sequence[pa.Table]], column: str, k: int, every: int
) -> Measured:
    """What the lines on the driver tell of the records that they were made of."""
    if not any(len(lines) for lines in brought.get(_LINES, ())):
        return Measured()
    lines = pa.concat_tables(brought[_LINES])[LINE].to_pylist()
    original = reader.read(pa.concat_tables(brought[_ORIGINAL])).table.sets(column)
    losses = measure_chunks(original, parse_lines(lines), k, reader.trees.get(column))
    del losses["tlost"]  # which takes the supports of all rows
    return told_of_a_sample(Measured(losses), every)


def _supports(data: SparkData, column: str) -> DataFrame:
    """How many rows hold each term."""
    counting = partial(count_values, data.reader.only(column), [column])
    return (
        data.frame.select(quoted(column))
        .mapInArrow(counting, VALUES)
        .filter(sql.col("label").isNotNull())
        .groupBy("label")
        .agg(sql.sum("rows").alias("rows"))
    )


def _total(supports: DataFrame) -> int:
    row = supports.agg(sql.sum("rows").alias("rows")).first()
    return int(row.rows or 0) if row is not None else 0


def _lost_terms(supports: DataFrame, terms: DataFrame, k: int) -> float:
    """tlost: of the terms with a support above k, the share that are in term chunks only."""
    frequent = supports.filter(sql.col("rows") > k).join(terms, "label", "left")
    lost = sql.sum(sql.when(~sql.col("in_chunks"), 1).otherwise(0))
    row = frequent.agg(sql.count("*").alias("frequent"), lost.alias("lost")).first()
    return row.lost / row.frequent if row is not None and row.frequent else 0.0


def _added_up(figures: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Figures of all blocks: the smallest of the smallest, the largest of the largest, others added."""
    return {
        name: (min if "smallest" in name else max if "largest" in name else sum)(
            each[name] for each in figures
        )
        for name in figures[0]
    }


def _notices(division: Division, found: Searched, most: int) -> list[str]:
    notices = list(found.notices())
    if empty := division.empty_rows:
        notices.append(
            f"{counted(empty, 'record')} without items {'is' if empty == 1 else 'are'} left out: that there"
            " are no empty records is part of the promise"
        )
    if division.block_count == 1:
        notices.append(
            f"all records fitted one block of at most {most:,}, so disassociation ran as on one machine"
        )
        return notices
    dealt = (
        f" {division.dealt_rows:,} records that no term divides were dealt out by turns;"
        if division.dealt_rows
        else ""
    )
    notices.append(
        f"the records were divided by their most frequent terms into {division.block_count:,} blocks of at"
        f" most about {most:,}, and each was taken apart alone;{dealt} clusters are joined within a block"
        " only, so that fewer terms may stand in shared chunks than on one machine"
    )
    return notices
