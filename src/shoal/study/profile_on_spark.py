"""The profile of a Spark DataFrame: counts are made where the rows are, looks are at samples of values."""

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import ArrayType, AtomicType, BinaryType, DataType

from shoal.detect.missing import MISSING_WORDS
from shoal.spark.classes import quoted
from shoal.spark.port import count_column
from shoal.study.profile import (
    ONLY_YOU_KNOW,
    ColumnProfile,
    CountedColumn,
    Profile,
    looks_at,
    profiled_columns,
    subject_of,
)
from shoal.table.reading import ReadOptions


def profile_spark(frame: DataFrame, options: ReadOptions) -> Profile:
    """Look at every column of a DataFrame."""
    records = frame.count()
    tokens = tuple(dict.fromkeys((*options.missing, *_tokens_found(frame))))
    counted = [_counted(frame, name, records, tokens) for name in frame.columns]
    looks = looks_at(counted)
    columns = profiled_columns(counted, looks, records)
    return Profile(
        records=records,
        columns=columns,
        uniqueness=tuple(_uniqueness(frame, columns, records)),
        missing=tokens,
        subject=subject_of(counted, looks, records),
        notices=(ONLY_YOU_KNOW,),
    )


def _tokens_found(frame: DataFrame) -> list[str]:
    """Texts of the frame that say that a value is missing."""
    found: list[str] = []
    for field in frame.schema.fields:
        if field.dataType.typeName() == "string":
            value = sql.trim(sql.col(quoted(field.name))).alias("value")
            spelled = frame.select(value).filter(sql.lower("value").isin(*MISSING_WORDS)).distinct()
            found += [row["value"] for row in spelled.collect()]
    return sorted(set(found))


def _counted(frame: DataFrame, name: str, records: int, missing: Sequence[str]) -> CountedColumn:
    kind = frame.schema[name].dataType
    if isinstance(kind, ArrayType) and _is_plain(kind.elementType):
        counted = count_column(frame, name)
        return CountedColumn(name, counted.observed, 0, counted.alone, to_arrow_type(kind), separator=" ")
    if not _is_plain(kind):
        return CountedColumn(name, None, 0, 0, pa.string())
    counted = count_column(frame, name, missing)
    absent = records - counted.observed.present
    return CountedColumn(name, counted.observed, absent, counted.alone, counted.observed.type)


def _is_plain(kind: DataType) -> bool:
    return isinstance(kind, AtomicType) and not isinstance(kind, BinaryType)


def _uniqueness(
    frame: DataFrame, columns: Sequence[ColumnProfile], records: int
) -> list[tuple[tuple[str, ...], float]]:
    """All columns that could be known together, then the single ones."""
    known = [column for column in columns if column.role == "quasi" and column.kind != "set"]
    names = tuple(column.name for column in known)
    shown: list[tuple[tuple[str, ...], float]] = []
    if len(names) > 2:
        alone = frame.groupBy(*map(quoted, names)).count().filter(sql.col("count") == 1).count()
        shown.append((names, alone / max(records, 1)))
    singles = [((column.name,), column.unique_share) for column in known]
    return shown + sorted(singles, key=lambda entry: -entry[1])[:10]
