"""A measure of another package: one file, and its line among the entry points."""

from shoal.engine.local import LocalData
from shoal.metrics.catalogue import Measure
from shoal.recoding.recoding import Recoding


def _columns(data: LocalData, recoding: Recoding, k: int) -> float | None:
    return float(len(data.quasi)) if data.quasi else None


COLUMNS = Measure(
    "columns_touched",
    "columns touched",
    "How many quasi-identifiers there are",
    "table",
    "records",
    headline=True,
    compute=_columns,
    interface=1,
)
