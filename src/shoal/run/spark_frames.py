"""A published Spark DataFrame, checked from what it shows alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import DataFrame

from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.run.safety import verify_release
from shoal.run.verification import columns_to_drop
from shoal.spark.cluster_lines import SparkClusters
from shoal.spark.port import SparkPort
from shoal.table.canonical import canonical
from shoal.table.reading import ReadOptions, usable_roles
from shoal.table.roles import Identifier, Role


def verify_frame(
    frame: DataFrame, roles: Mapping[str, Role], promise: Promise, options: ReadOptions
) -> tuple[Verdict, ...]:
    """One verdict per promise about a published DataFrame, whatever it holds."""
    if promise.form is Form.CLUSTERS:
        clusters = SparkClusters.of(frame, roles)
        return tuple(model.verify(clusters) for model in promise)
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
    return verify_release(port, promise, columns_to_drop(used, roles, options))
