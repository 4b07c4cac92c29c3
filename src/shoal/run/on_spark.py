"""A run whose rows are on a cluster: the driver decides, the rows stay where they are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike

import numpy as np
from pyspark.sql import DataFrame

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.search import Search
from shoal.algorithms.within_levels import KEEPS_TO_NO_LEVELS, asks_for_levels, trimmed_trees
from shoal.engine.answers import SizeCounts
from shoal.errors import BadInput, Problem
from shoal.metrics.tasks.usefulness import Task, Usefulness
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding
from shoal.report.outcome import Changes, Outcome
from shoal.run.engine import Losses, Release
from shoal.run.judged import Judged
from shoal.run.readers import readers_find
from shoal.run.spark_files import save_spark
from shoal.run.spark_session import default_output
from shoal.spark.by_counts import parts_of
from shoal.spark.cluster_lines import SparkClusters
from shoal.spark.data import SparkData, SparkFound
from shoal.spark.port import SparkPort, class_sizes_of
from shoal.spark.publish_tasks import in_order_of_content
from shoal.spark.reader import ROWS_ON_DISK
from shoal.spark.search import search_on_spark, spark_algorithm


@dataclass(frozen=True, eq=False)
class SparkResult(Judged):
    """A release that was checked, with its cost.

    `frame` is the release as a Spark DataFrame, which is persisted: what was checked is what is read from
    it. Its rows stand in an order that only their content decides. `recoding` is that of a global cut.
    """

    outcome: Outcome
    frame: DataFrame
    data: SparkData
    recoding: RowRecoding | None = None

    def save(
        self, folder: str | PathLike[str], *, published: str | None = None, replace: bool = False
    ) -> str:
        """Write what may be published, and beside it what tells of it, to a path as Spark sees it."""
        promise = self.outcome.claim.promise
        name = default_output(promise) if published is None else published
        return save_spark(self, os.fspath(folder), published=name, replace=replace)


@dataclass(frozen=True, eq=False)
class OnSpark:
    """Data in a Spark DataFrame."""

    data: SparkData

    @property
    def port(self) -> SparkPort:
        """The original."""
        return self.data.port

    @property
    def notices(self) -> tuple[str, ...]:
        """What reading the data noticed."""
        return self.data.notices

    @property
    def figures(self) -> dict[str, str]:
        """Where it ran."""
        return {"engine": "spark"}

    def problems(self, promise: Promise, search: Search) -> list[Problem]:  # noqa: ARG002
        """Levels that cannot be kept to; other things are refused where they occur."""
        if promise.form is Form.CLUSTERS and asks_for_levels(self.data.roles):
            return [KEEPS_TO_NO_LEVELS]
        try:
            trimmed_trees(self.data.roles, self.data.trees)
        except BadInput as error:
            return list(error.problems)
        return []

    def task_problems(self, task: Task, promise: Promise) -> list[Problem]:  # noqa: ARG002
        """Models are trained on one machine."""
        what = f"usefulness for predicting {task.target!r} is not measured on Spark"
        return [Problem(what, "leave the target out, or run on one machine")]

    def usefulness(self, task: Task, released: Release, progress: Progress) -> Usefulness:
        """Nobody gets here: it was refused before the search."""
        raise NotImplementedError(f"no models are trained on Spark to predict {task.target!r}")

    def algorithm_for(self, search: Search, promise: Promise) -> tuple[Algorithm, tuple[str, ...]]:
        """The algorithm that shall search, if it runs on Spark; several are tried if nobody named it."""
        return spark_algorithm(search, promise, self.data)

    def search(
        self, algorithm: Algorithm, promise: Promise, search: Search, progress: Progress
    ) -> SparkFound:
        """Decide how the rows are published."""
        return search_on_spark(algorithm, self.data, promise, search, progress)

    def publish(self, found: SparkFound, promise: Promise, search: Search) -> Release:
        """The rows in an order of their content, kept where they were made."""
        frame = found.frame if search.keep_order else in_order_of_content(found.frame, parts_of(self.data))
        frame = frame.persist(ROWS_ON_DISK)
        if promise.form is Form.CLUSTERS:
            return self._of_clusters(found, frame, promise)
        port = SparkPort.of_release(frame, self.data.roles, self.data.options)
        if found.working is not None:
            found.working.unpersist()
        return Release(
            content=frame,
            port=port,
            columns=tuple(self.data.roles),
            sensitive=self.data.sensitive,
            published_records=port.row_count,
            suppressed_records=self.data.row_count - port.row_count,
            class_sizes=class_sizes_of(frame, port.reader),
            held=port.held,
        )

    def _of_clusters(self, found: SparkFound, frame: DataFrame, promise: Promise) -> Release:
        port = SparkClusters.of(frame, self.data.roles)
        frame.count()  # all of it is made before what it was made of is given up
        if found.working is not None:
            found.working.unpersist()
        held = port.terms_held(port.sensitive)
        return Release(
            content=frame,
            port=port,
            columns=self.data.quasi_sets,
            sensitive=tuple(term for term in port.sensitive if term in held),
            published_records=self.data.row_count - found.left_out,
            suppressed_records=found.left_out,
            class_sizes=SizeCounts.none(),
            held=lambda _, labels: port.terms_held(labels),
            attacks=readers_find(port, promise),
        )

    def cost(self, found: SparkFound, released: Release, promise: Promise) -> Losses:
        """What was measured where the rows are, and what the sizes of classes tell."""
        losses = dict(found.losses)
        if self.data.quasi:
            sizes = released.class_sizes
            if self.data.quasi_sets:
                sizes = class_sizes_of(released.content, released.port.reader.only(*self.data.quasi))
            losses |= _losses_of_classes(sizes, self.data.row_count, promise.k)
        return Losses(losses, found.column_losses)

    def class_sizes(self) -> SizeCounts:
        """The classes that the original records form on all quasi-identifiers."""
        return class_sizes_of(self.data.frame, self.data.reader)

    def changes(self, found: SparkFound, released: Release, promise: Promise) -> Changes:  # noqa: ARG002
        """Only what is counted: reasons and examples would need the rows."""
        return Changes(columns=tuple(released.columns), chunks=found.chunks)

    def result(self, outcome: Outcome, found: SparkFound, released: Release) -> SparkResult:
        """What a caller gets."""
        return SparkResult(outcome, released.content, self.data, found.recoding)


def _losses_of_classes(sizes: SizeCounts, records: int, k: int) -> dict[str, float]:
    """What the sizes of classes of single values tell; a suppressed record is as all records."""
    suppressed = records - int((sizes.classes * sizes.sizes).sum())
    published = float((sizes.classes * np.square(sizes.sizes.astype(np.float64))).sum())
    return {
        "discernibility": published + float(suppressed) * records,
        "c_avg": records / max(1, sizes.class_count) / k,
    }
