"""Disassociation on Spark: records are brought together by frequent terms, and taken apart where they are.

Clusters are joined within a branch only. What is published goes from the tasks to the files as JSON lines.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from shoal.algorithms.sets.disassociation.algorithm import Disassociate
from shoal.engine.memory import peak_memory_mb
from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.policy.plan import Search
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.verdict import counted
from shoal.progress import Progress
from shoal.recoding.pieces import Randoms, shuffled
from shoal.recoding.publication import json_lines
from shoal.report.certified import published_roles
from shoal.report.clusters import pieces_in_figures
from shoal.report.outcome import Outcome, Promise
from shoal.run.found import refuse_broken
from shoal.run.release import WithinLimits
from shoal.spark.blocks import Searched, Within, most_rows_per_branch, search_branches
from shoal.spark.by_counts import parts_of
from shoal.spark.classes import quoted
from shoal.spark.cluster_lines import LINE, sensitive_terms, terms_of, verify_lines
from shoal.spark.data import SparkData
from shoal.spark.divide import Division, Size, divide_sets
from shoal.spark.publish_tasks import in_order_of_content
from shoal.spark.reader import ROWS_ON_DISK, VALUES, CountValues, Reader
from shoal.spark.result import SparkResult
from shoal.spark.verification import class_sizes

ROWS_PER_BRANCH = 200_000


def release_pieces(
    algorithm: Disassociate,
    data: SparkData,
    model: Disassociation,
    search: Search,
    progress: Progress,
    *,
    started: float,
    notices: Sequence[str],
    policy_text: str,
) -> SparkResult:
    """Divide the rows, take the records of each branch apart, verify and measure."""
    searching = time.perf_counter()
    column = _column(data)
    most = most_rows_per_branch(data, ROWS_PER_BRANCH)
    progress.stage("dividing the rows into branches")
    size = Size(most, max(model.least, most // 4))
    division = divide_sets(data, column, size, WithinLimits(progress, search.limits), sensitive=True)
    if reason := model.too_few_with_items(data.row_count - division.empty_rows):
        raise reason
    progress.stage(f"searching {division.branch_count:,} branches with {algorithm.name}")
    secret = secrets.token_bytes(32) if not search.reproducible else str(search.seed).encode()
    task = TakeApart(data.reader, algorithm, model, Within.starting_now(search.limits), secret)
    found = search_branches(data, division, task, most)
    search_seconds = time.perf_counter() - searching

    progress.stage("putting the pieces into another order")
    published = in_order_of_content(found.published, parts_of(data)).persist(ROWS_ON_DISK)
    progress.stage("verifying")
    verdict = verify_lines(published, model, sensitive_terms(data.roles))
    found.working.unpersist()
    refuse_broken((verdict,))

    progress.stage("measuring")
    terms = terms_of(published).persist(ROWS_ON_DISK)
    sensitive = [
        row.label for row in terms.filter(sql.col("label").isin(list(sensitive_terms(data.roles)))).collect()
    ]
    losses = {"tlost": _lost_terms(data, column, terms, model.k)}
    terms.unpersist()
    outcome = Outcome(
        model=model.name,
        algorithm=algorithm.name,
        verdicts=(verdict,),
        quasi=data.quasi_sets,
        sensitive=tuple(sensitive),
        roles=published_roles([column], data.roles, {column: sensitive}),
        records=data.row_count,
        published_records=data.row_count - division.empty_rows,
        suppressed_records=division.empty_rows,
        losses=losses,
        column_losses={},
        class_sizes_before=class_sizes(data.frame, data.reader),
        class_sizes_after=frozen_ints([]),
        columns=(column,),
        examples=(),
        seconds={"total": time.perf_counter() - started, "algorithm": search_seconds},
        peak_memory_mb=peak_memory_mb(),
        publishable=not search.reproducible,
        notices=(*data.notices, *notices, *_notices(division, found, most)),
        policy=policy_text,
        promises=(Promise.of(model),),
        figures={"engine": "spark", **found.figures(division)},
        pieces=_added_up([fact["pieces"] for fact in found.facts if "pieces" in fact]),
    )
    return SparkResult(outcome, published, data, (model,))


def _column(data: SparkData) -> str:
    if len(data.quasi_sets) != 1:
        what = f"disassociation takes one set column, and there are {len(data.quasi_sets)}"
        raise BadInput(Problem(what, "publish each set column on its own"))
    return data.quasi_sets[0]


@dataclass(frozen=True, eq=False)
class TakeApart:
    """What a task does with a branch: records become pieces, and these lines of JSON."""

    reader: Reader
    algorithm: Disassociate
    model: Disassociation
    within: Within
    secret: bytes

    @property
    def schema(self) -> pa.Schema:
        """Lines."""
        return pa.schema([(LINE, pa.string())])

    def release(self, rows: pa.Table, branch: int) -> tuple[pa.Table, dict[str, Any]]:
        """The clusters of a branch; records without items are left out."""
        if branch < 0:
            return self.schema.empty_table(), {}
        rng = np.random.default_rng(0)  # which disassociation does not ask
        pieces = self.algorithm.find(self.reader.read(rows), [self.model], rng, self.within.progress())
        released = shuffled(pieces.clusters, randoms_of(self.secret, branch))
        text = b"".join(block.tobytes() for block in json_lines(released)).decode()
        lines = pa.array(text.rstrip("\n").split("\n"), type=pa.string())
        return pa.table([lines], schema=self.schema), {
            "pieces": pieces_in_figures(released),
            "notices": list(pieces.notices),
        }


def randoms_of(secret: bytes, branch: int) -> Randoms:
    """Random numbers that only who knows the secret can repeat, which is drawn by the driver for one run.

    A task that is repeated after a failure must put its pieces into the same order as before.
    """
    calls = iter(range(2**62))

    def randoms(count: int) -> Ints:
        stream = hashlib.shake_256(secret + f":{branch}:{next(calls)}".encode())
        numbers = np.frombuffer(stream.digest(8 * count), dtype=np.int64)
        return numbers & np.int64(2**63 - 1)

    return randoms


def _lost_terms(data: SparkData, column: str, terms: DataFrame, k: int) -> float:
    """tlost: of the terms with a support above k, the share that are in term chunks only."""
    counting = CountValues(data.reader.only(column), [column])
    supports = (
        data.frame.select(quoted(column))
        .mapInArrow(counting, VALUES)
        .filter(sql.col("label").isNotNull())
        .groupBy("label")
        .agg(sql.sum("rows").alias("rows"))
    )
    frequent = supports.filter(sql.col("rows") > k).join(terms, "label", "left")
    lost = sql.sum(sql.when(~sql.col("in_chunks"), 1).otherwise(0))
    row = frequent.agg(sql.count("*").alias("frequent"), lost.alias("lost")).first()
    return row.lost / row.frequent if row is not None and row.frequent else 0.0


def _added_up(pieces: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Figures of all branches: the smallest of the smallest, the largest of the largest, others added."""
    return {
        name: (min if "smallest" in name else max if "largest" in name else sum)(
            each[name] for each in pieces
        )
        for name in pieces[0]
    }


def _notices(division: Division, found: Searched, most: int) -> list[str]:
    notices = list(found.notices())
    if empty := division.empty_rows:
        notices.append(
            f"{counted(empty, 'record')} without items {'is' if empty == 1 else 'are'} left out: that there"
            " are no empty records is part of the promise"
        )
    if division.branch_count == 1:
        notices.append(
            f"all records fitted one branch of at most {most:,}, so disassociation ran as on one machine"
        )
        return notices
    dealt = (
        f" {division.dealt_rows:,} records that no term divides were dealt out by turns;"
        if division.dealt_rows
        else ""
    )
    notices.append(
        f"the records were divided by their most frequent terms into {division.branch_count:,} branches of at"
        f" most about {most:,}, and each was taken apart alone;{dealt} clusters are joined within a branch"
        " only, so that fewer terms may stand in shared chunks than on one machine"
    )
    return notices
