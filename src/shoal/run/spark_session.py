"""Where a run on Spark begins: a session on the given cluster, and a policy's data in it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import BadInput, MissingExtra, Problem
from shoal.policy.plan import Plan
from shoal.policy.policy_file import PolicyFile
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.progress import Progress

if TYPE_CHECKING:
    from shoal.run.on_spark import SparkResult


def default_output(promise: Promise) -> str:
    """The name of the published files when nobody gives one."""
    return "published.jsonl" if promise.form is Form.CLUSTERS else "published.parquet"


@dataclass(frozen=True)
class SparkRun:
    """Which cluster runs a policy, and where its output goes."""

    master: str
    out: str
    published: str
    replace: bool


def run_on_spark(file: PolicyFile, plan: Plan, where: SparkRun, progress: Progress) -> SparkResult:
    """Anonymize the Parquet files of a policy on a cluster, and write the release from there."""
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtra("Spark", "spark") from error
    from shoal.run.on_spark import OnSpark
    from shoal.run.release import release
    from shoal.run.spark_files import refuse_unusable_url, save_spark
    from shoal.spark.data import read_spark
    from shoal.spark.search import spark_algorithm

    started = time.perf_counter()
    spark_algorithm(plan.search, plan.models)  # what cannot be searched for needs no cluster
    if file.policy.data.path is None or plan.output_table is not None:
        what = "Spark reads and writes Parquet files, not tables of databases"
        raise BadInput(Problem(what, "give data.path, and no output.table", file=str(file.path)))
    if plan.partitioned:
        what = "Spark writes one folder of parts, without partitions"
        raise BadInput(Problem(what, "leave output.partitioned out", file=str(file.path)))
    source = url_of(file, file.policy.data.path)
    progress.stage("starting Spark")
    session = SparkSession.builder.master(where.master).appName("shoal").getOrCreate()
    try:
        refuse_unusable_url(session, where.out, where.published, plan.models, replace=where.replace)
        progress.stage("reading")
        try:
            frame = session.read.parquet(source)
        except PySparkException as error:
            reason = str(error).splitlines()[0]
            raise BadInput(
                Problem(f"Spark cannot read it: {reason}", "give Parquet files that all nodes see", source)
            ) from error
        data = read_spark(frame, plan.roles, plan.read_options, plan.subject)
        engine = OnSpark(data)
        result = release(
            engine,
            plan.models,
            plan.search,
            progress,
            started=started,
            policy_text=plan.policy_text,
            confirmed=plan.confirmed,
            task=plan.task,
        )
        progress.stage("writing and checking the published files")
        save_spark(result, where.out, published=where.published, replace=where.replace)
        return result
    finally:
        session.stop()


def url_of(file: PolicyFile, path: str) -> str:
    """A path of a policy as Spark takes it: URLs as they are, others beside the policy."""
    return path if "://" in path else str(Path(file.beside(path)).absolute())
