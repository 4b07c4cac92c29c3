"""A published Spark DataFrame, checked from what it shows alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql import DataFrame

from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.report.certificate import Statement
from shoal.run.published_file import columns_to_drop
from shoal.run.readers import readers_find
from shoal.run.safety import verdicts_of, verify_release
from shoal.run.statement import statement_of_clusters, statement_of_rows
from shoal.spark.cluster_lines import SparkClusters
from shoal.spark.port import SparkPort
from shoal.table.canonical import canonical
from shoal.table.reading import ReadOptions, usable_roles
from shoal.table.roles import Identifier, Role


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedFrame:
    """What a published DataFrame holds, and one verdict per promise."""

    content: SparkPort | SparkClusters
    verdicts: tuple[Verdict, ...]


def statement_of_frame(checked: VerifiedFrame, roles: Mapping[str, Role], promise: Promise) -> Statement:
    """What may be certified of a DataFrame that was checked."""
    if isinstance(checked.content, SparkClusters):
        attacks = readers_find(checked.content, promise)
        return statement_of_clusters(checked.content, checked.verdicts, roles, promise, attacks)
    return statement_of_rows(checked.content, checked.verdicts, promise)


def verified_frame(
    frame: DataFrame, roles: Mapping[str, Role], promise: Promise, options: ReadOptions
) -> VerifiedFrame:
    """One verdict per promise about a published DataFrame, whatever it holds."""
    if promise.form is Form.CLUSTERS:
        clusters = SparkClusters.of(frame, roles)
        return VerifiedFrame(clusters, verdicts_of(clusters, promise))
    frame = frame.toDF(*map(canonical, frame.columns))
    shown = {
        name: role
        for name, role in roles.items()
        if canonical(name) in frame.columns or not isinstance(role, Identifier)
    }
    others = "insensitive" if options.others == "drop" else options.others
    schema = pa.schema([(name, pa.string()) for name in frame.columns])
    used = usable_roles(schema.empty_table(), shown, replace(options, others=others))
    port = SparkPort.of_release(frame, used, options)
    return VerifiedFrame(port, verify_release(port, promise, columns_to_drop(used, roles, options)))
