"""Disassociated data in Spark: a DataFrame of JSON lines, one top-level cluster each, checked in full."""

import pickle
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, Self, TypeVar

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from shoal.engine.port import Mergeable
from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import frozen_ints, frozen_sets
from shoal.recoding.disassociated import Disassociated, NestedClusters, parse_lines
from shoal.spark.answers import Answers, Batches, answer
from shoal.spark.classes import quoted
from shoal.spark.reader import in_blocks
from shoal.table.canonical import canonical
from shoal.table.columns import Domain, Kind
from shoal.table.roles import QuasiSet, Role

Examination = TypeVar("Examination", bound=Mergeable)

LINE = "value"  # as Spark names the lines of text files

_TERMS = "spelling string, label string, in_chunks boolean"
_LINES_AT_ONCE = 2_000


@dataclass(frozen=True, eq=False)
class SparkClusters:
    """A published DataFrame of lines, all but one rule about which can be checked line by line."""

    lines: DataFrame
    sensitive: tuple[str, ...]

    @classmethod
    def of(cls, frame: DataFrame, roles: Mapping[str, Role]) -> Self:
        """A DataFrame of one column; BadInput for anything else."""
        named = (role.sensitive for role in roles.values() if isinstance(role, QuasiSet))
        return cls(_lines(frame), tuple(item for items in named for item in items))

    def all_terms(self) -> tuple[str, ...]:
        """Every term of the release, in order."""
        return tuple(sorted(row.label for row in terms_of(self.lines).select("label").collect()))

    def terms_held(self, labels: Collection[str]) -> set[str]:
        """Which of these labels are terms of the release."""
        if not labels:
            return set()
        found = terms_of(self.lines).filter(sql.col("label").isin(list(labels))).select("label")
        return {row.label for row in found.collect()}

    def examine(self, examine: Callable[[Disassociated], Examination]) -> Examination:
        """What an examination of all lines finds, by blocks of them."""
        rows = self.lines.mapInArrow(
            partial(_examine_lines, examine, self.sensitive), "found binary"
        ).collect()
        found = [pickle.loads(row.found) for row in rows]  # noqa: S301 - what our own tasks just sent
        for each in found:
            if isinstance(each, Problem):
                raise BadInput(each)
        if not found:
            return examine(_without_clusters(self.sensitive))
        merged: Examination = reduce(lambda one, other: one.merge(other), found)
        return merged

    @property
    def record_count(self) -> int:
        """How many records the clusters have together."""
        return self.examine(_count_records).records

    def spelled_twice(self) -> tuple[str, ...]:
        """Terms that differ only in how they are written: the first of them."""
        twice = (
            terms_of(self.lines)
            .groupBy("spelling")
            .agg(sql.sort_array(sql.collect_list("label")).alias("labels"))
            .filter(sql.size("labels") > 1)
            .orderBy("spelling")
            .first()
        )
        return () if twice is None else tuple(twice.labels)


@dataclass(frozen=True, slots=True)
class _Records:
    records: int

    def merge(self, other: Self) -> Self:
        return replace(self, records=self.records + other.records)


def _count_records(clusters: Disassociated) -> _Records:
    return _Records(clusters.record_count)


def terms_of(lines: DataFrame) -> DataFrame:
    """Every published term once: as it is, as it would be read, and whether it stands in any chunk."""
    counted = lines.mapInArrow(_terms_of_lines, _TERMS)
    return counted.groupBy("spelling", "label").agg(sql.max("in_chunks").alias("in_chunks"))


def _lines(frame: DataFrame) -> DataFrame:
    if len(frame.columns) != 1 or frame.schema[0].dataType.typeName() != "string":
        what = "disassociated data in Spark are one column of JSON lines"
        raise BadInput(Problem(what, 'read them with spark.read.text("...")'))
    return frame.select(sql.col(quoted(frame.columns[0])).alias(LINE)).filter(sql.trim(LINE) != "")


def _without_clusters(sensitive: Sequence[str]) -> Disassociated:
    nothing = frozen_ints([])
    no_sets = frozen_sets([0], [])
    return Disassociated(
        terms=Domain(Kind.SET, pa.array([], type=pa.string())),
        clusters=NestedClusters(nothing, np.zeros(0, dtype=np.bool_), nothing, nothing, nothing),
        chunk_clusters=nothing,
        chunk_starts=frozen_ints([0]),
        subrecords=no_sets,
        term_chunks=no_sets,
        sensitive=tuple(sensitive),
    )


def _read(rows: pa.Table, sensitive: Sequence[str] = ()) -> Disassociated:
    return parse_lines(rows.column(LINE).to_pylist(), sensitive)


def _examine_lines(
    examine: Callable[[Disassociated], Any], sensitive: tuple[str, ...], batches: Batches
) -> Answers:
    for rows in in_blocks(batches, _LINES_AT_ONCE):
        try:
            found: Any = examine(_read(rows, sensitive))
        except BadInput as error:
            found = error.problems[0]
        yield pa.RecordBatch.from_pydict({"found": pa.array([pickle.dumps(found)])})


def _terms_of_lines(batches: Batches) -> Answers:
    for rows in in_blocks(batches, _LINES_AT_ONCE):
        try:
            clusters = _read(rows)
        except BadInput:  # the check of the rules tells
            continue
        labels = clusters.terms.texts()
        in_chunks = np.zeros(len(labels), dtype=np.bool_)
        in_chunks[clusters.subrecords.items] = True
        yield answer(_TERMS, map(canonical, labels), labels, in_chunks)
