"""A published Spark DataFrame, checked from what it shows alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql import DataFrame

from shoal.engine.answers import SizeCounts
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.report.certificate import Statement
from shoal.report.certified import published_roles
from shoal.run.published_file import columns_to_drop
from shoal.run.safety import tells_apart, verdicts_of, verify_release
from shoal.spark.cluster_lines import SparkClusters
from shoal.spark.port import SparkPort, class_sizes_of
from shoal.table.canonical import canonical
from shoal.table.reading import ReadOptions, usable_roles
from shoal.table.roles import Identifier, QuasiSet, Role


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedFrame:
    """What a published DataFrame holds, and one verdict per promise."""

    content: SparkPort | SparkClusters
    verdicts: tuple[Verdict, ...]


def statement_of_frame(checked: VerifiedFrame, roles: Mapping[str, Role], promise: Promise) -> Statement:
    """What may be certified of a DataFrame that was checked."""
    content = checked.content
    if isinstance(content, SparkClusters):
        sets = [name for name, role in roles.items() if isinstance(role, QuasiSet)]
        return Statement(
            promise=promise,
            columns=published_roles(sets, roles, lambda _, labels: content.terms_held(labels)),
            verdicts=checked.verdicts,
            records=content.record_count,
            class_sizes=SizeCounts.none(),
        )
    return Statement(
        promise=promise,
        columns=published_roles(
            content.frame.columns, roles, content.held, lambda name: tells_apart(content, name, promise.k)
        ),
        verdicts=checked.verdicts,
        records=content.row_count,
        class_sizes=class_sizes_of(content.frame, content.reader),
    )


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
