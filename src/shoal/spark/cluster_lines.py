"""Disassociated data in Spark: a DataFrame of JSON lines, one top-level cluster each, checked in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import SetArrays, frozen_ints
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.verdict import Model, Verdict, Witness, verdict_without_records
from shoal.recoding.disassociated import Clusters, Disassociated, parse_lines
from shoal.spark.classes import quoted
from shoal.spark.reader import in_blocks
from shoal.spark.verification import VERDICT, told_verdict, united_verdict, verify_spark
from shoal.table.canonical import canonical
from shoal.table.columns import Domain, Kind
from shoal.table.reading import ReadOptions
from shoal.table.roles import QuasiSet, Role

LINE = "value"  # as Spark names the lines of text files

_TERMS = "spelling string, label string, in_chunks boolean"
_LINES_AT_ONCE = 2_000


def verify_frame(
    frame: DataFrame, roles: Mapping[str, Role], models: Sequence[Model], options: ReadOptions
) -> tuple[Verdict, ...]:
    """One verdict per promise about a published DataFrame, whatever it holds."""
    if isinstance(models[0], Disassociation):
        return (verify_lines(frame, models[0], sensitive_terms(roles)),)
    return verify_spark(frame, roles, models, options)


def sensitive_terms(roles: Mapping[str, Role]) -> tuple[str, ...]:
    """The items that the roles name as sensitive."""
    return tuple(item for role in roles.values() if isinstance(role, QuasiSet) for item in role.sensitive)


def verify_lines(frame: DataFrame, model: Disassociation, sensitive: Sequence[str]) -> Verdict:
    """Check all rules: all but one are about single lines, and whoever has a line can check it."""
    lines = _lines(frame)
    if model.l is not None and not sensitive:
        raise BadInput(Problem("l protects sensitive terms, and none is named", "name the sensitive terms"))
    told = lines.mapInArrow(_VerifyLines(model, tuple(sensitive)), VERDICT).collect()
    terms = terms_of(lines)
    named = terms.filter(sql.col("label").isin(list(sensitive))).select("label").collect()
    claim = model.claim(_with_terms([row.label for row in named], sensitive))
    if not told:
        return verdict_without_records(claim)
    verdict = united_verdict(claim, [row.verdict for row in told])
    twice = (
        terms.groupBy("spelling")
        .agg(sql.sort_array(sql.collect_list("label")).alias("labels"))
        .filter(sql.size("labels") > 1)
        .first()
    )
    if twice is None:
        return verdict
    what = f"the terms {' and '.join(map(ascii, twice.labels))} differ only in how they are written"
    evidence = what if verdict.holds else f"{verdict.evidence}; {what}"
    return replace(verdict, holds=False, evidence=evidence, witness=verdict.witness or Witness(what, (), 0))


def terms_of(lines: DataFrame) -> DataFrame:
    """Every published term once: as it is, as it would be read, and whether it stands in any chunk."""
    counted = lines.mapInArrow(_TermsOfLines(), _TERMS)
    return counted.groupBy("spelling", "label").agg(sql.max("in_chunks").alias("in_chunks"))


def _lines(frame: DataFrame) -> DataFrame:
    if len(frame.columns) != 1 or frame.schema[0].dataType.typeName() != "string":
        what = "disassociated data in Spark are one column of JSON lines"
        raise BadInput(Problem(what, 'read them with spark.read.text("...")'))
    return frame.select(sql.col(quoted(frame.columns[0])).alias(LINE)).filter(sql.trim(LINE) != "")


def _with_terms(labels: Sequence[str], sensitive: Sequence[str]) -> Disassociated:
    """A publication without clusters that holds some terms, of which a promise is worded."""
    nothing = frozen_ints([])
    no_sets = SetArrays(frozen_ints([0]), nothing)
    return Disassociated(
        terms=Domain(Kind.SET, pa.array(sorted(labels), type=pa.string())),
        clusters=Clusters(nothing, np.zeros(0, dtype=np.bool_), nothing, nothing, nothing),
        chunk_clusters=nothing,
        chunk_starts=frozen_ints([0]),
        subrecords=no_sets,
        term_chunks=no_sets,
        sensitive=tuple(sensitive),
    )


def _read(rows: pa.Table, sensitive: Sequence[str] = ()) -> Disassociated:
    return parse_lines(rows.column(LINE).to_pylist(), sensitive)


@dataclass(frozen=True, eq=False)
class _VerifyLines:
    model: Disassociation
    sensitive: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in in_blocks(batches, _LINES_AT_ONCE):
            try:
                verdict = self.model.verify(_read(rows, self.sensitive))
            except BadInput as error:
                what = str(error.problems[0].what)
                verdict = Verdict(
                    holds=False, claim="", evidence=f"a line {what}", witness=Witness(f"a line {what}", (), 1)
                )
            yield told_verdict(verdict)


@dataclass(frozen=True, eq=False)
class _TermsOfLines:
    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in in_blocks(batches, _LINES_AT_ONCE):
            try:
                clusters = _read(rows)
            except BadInput:  # the check of the rules tells
                continue
            labels = clusters.terms.texts()
            in_chunks = np.zeros(len(labels), dtype=np.bool_)
            in_chunks[clusters.subrecords.items] = True
            columns = [pa.array(map(canonical, labels)), pa.array(labels), pa.array(in_chunks)]
            yield pa.RecordBatch.from_arrays(columns, names=[part.split()[0] for part in _TERMS.split(", ")])
