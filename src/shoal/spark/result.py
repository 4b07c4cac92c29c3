"""What a run on Spark gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.run.judged import Judged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.privacy.verdict import Model
    from shoal.recoding.cuts import Cuts
    from shoal.report.outcome import Outcome
    from shoal.spark.data import SparkData


@dataclass(frozen=True, eq=False)
class SparkResult(Judged):
    """A release that was checked, with its cost.

    `frame` is the release as a Spark DataFrame, which is persisted: what was checked is what is read from
    it. Its rows stand in an order that only their content decides. `cuts` are those of a global recoding.
    """

    outcome: Outcome
    frame: DataFrame
    data: SparkData
    models: tuple[Model, ...]
    cuts: Cuts | None = None
