"""The promise, checked by Spark from a published DataFrame alone, in full.

Itemsets and classes are counted where the rows are, and the counts are added up. Promises about what is
inside a class are checked where the whole class was brought together, by the verifier of one machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from shoal.engine.joined_sets import Item, Rarest
from shoal.engine.local import LocalData
from shoal.errors import BadInput, LimitReached, Problem
from shoal.kernels.arrays import frozen_ints
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.items import READING
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from shoal.privacy.verdict import Model, Verdict, Witness, counted, verdict_without_records
from shoal.report.class_sizes import SizeCounts
from shoal.spark.classes import ROWS, EncodeLabels, count_classes, quoted
from shoal.spark.encoded_sets import ITEMS_PER_CHUNK, SCHEMA
from shoal.spark.itemsets import LARGEST_KEY, Question, SpreadSets, furthest
from shoal.spark.reader import ROWS_ON_DISK, ROWS_PER_PART, VALUES, CountValues, Reader
from shoal.table.canonical import canonical
from shoal.table.columns import Coded, Column, Domain, Kind, Sets, Table, category_domain
from shoal.table.reading import ReadOptions, usable_roles
from shoal.table.roles import Identifier, Quasi, QuasiSet, Role, Sensitive

VERDICT = "verdict string"

_INSIDE_CLASSES = (KKmAnonymity, KLmDiversity, LDiversity, AlphaKAnonymity, SetLDiversity)
_NAMES_OF_CHECKED = (
    "k-anonymity, l-diversity, (alpha,k)-anonymity, k^m-anonymity, set-k-anonymity, (k,k^m)-anonymity and"
    " disassociation"
)


@dataclass(frozen=True, eq=False)
class Published:
    """A published DataFrame, and how its values are read."""

    frame: DataFrame
    reader: Reader
    row_count: int

    @classmethod
    def of(cls, frame: DataFrame, roles: Mapping[str, Role], options: ReadOptions) -> Published:
        """The columns that promises are about; what is published untouched beside them is left out."""
        shown = {name: role for name, role in roles.items() if isinstance(role, Quasi | QuasiSet | Sensitive)}
        chosen = frame.select(*map(quoted, shown))
        return cls(chosen, Reader(shown, options, published=True), frame.count())

    @property
    def described(self) -> LocalData:
        """The columns without their rows, of which promises are worded."""
        columns: dict[str, Column] = {
            name: Sets.of([0], [], Domain(Kind.SET, pa.array([], type=pa.string())))
            if isinstance(role, QuasiSet)
            else Coded.of([], category_domain([]))
            for name, role in self.reader.roles.items()
        }
        return LocalData(Table(MappingProxyType(columns), self.row_count), self.reader.roles)


def verify_spark(
    frame: DataFrame, roles: Mapping[str, Role], models: Sequence[Model], options: ReadOptions
) -> tuple[Verdict, ...]:
    """One verdict per promise; a column that should have been dropped breaks the first."""
    for model in models:
        refuse_unverifiable(model)
    frame = frame.toDF(*map(canonical, frame.columns))
    shown = {
        name: role
        for name, role in roles.items()
        if canonical(name) in frame.columns or not isinstance(role, Identifier)
    }
    others = "insensitive" if options.others == "drop" else options.others
    used = usable_roles(
        pa.schema([(name, pa.string()) for name in frame.columns]).empty_table(),
        shown,
        replace(options, others=others),
    )
    verdicts = verify_published_frame(Published.of(frame, used, options), models)
    extra = [name for name, role in used.items() if isinstance(role, Identifier)]
    if options.others == "drop":
        extra += [name for name in used if name not in set(map(canonical, roles))]
    if extra:
        names = ", ".join(map(repr, extra))
        verdicts[0] = replace(
            verdicts[0],
            holds=False,
            evidence=f"the DataFrame holds {names}, which should have been dropped",
            witness=Witness(f"columns {names}", (), 0),
        )
    return tuple(verdicts)


def refuse_unverifiable(model: Model) -> None:
    """Raise BadInput for a promise that Spark cannot check."""
    counts = isinstance(model, KAnonymity | SetKAnonymity | KmAnonymity) and not getattr(
        model, "negative", False
    )
    if not counts and not isinstance(model, (*_INSIDE_CLASSES, Disassociation)):
        raise BadInput(
            Problem(
                f"Spark does not yet verify {model.name}",
                f"it verifies {_NAMES_OF_CHECKED}; other releases can be verified on one machine",
            )
        )


def verify_published_frame(published: Published, models: Sequence[Model]) -> list[Verdict]:
    """One verdict per promise."""
    if published.row_count == 0:
        return [verdict_without_records(model.claim(published.described)) for model in models]
    return [_verify(published, model) for model in models]


def class_sizes(frame: DataFrame, reader: Reader) -> SizeCounts:
    """How many classes of each size the rows form on all quasi-identifiers."""
    rows = count_classes(frame, reader).groupBy(quoted(ROWS)).count().collect()
    sizes = np.array(sorted((row[ROWS], row["count"]) for row in rows), dtype=np.int64).reshape(-1, 2)
    return SizeCounts(frozen_ints(sizes[:, 0]), frozen_ints(sizes[:, 1]))


def _verify(published: Published, model: Model) -> Verdict:
    if isinstance(model, KmAnonymity):
        verdict = model.verdict_on(published.described, rarest_itemset(published, model.m, model.k))
        witness = verdict.witness and replace(verdict.witness, row_count=verdict.smallest or 0)
        return replace(verdict, witness=witness)
    if isinstance(model, KAnonymity | SetKAnonymity):
        return _verify_class_sizes(published, model)
    return _verify_inside_classes(published, model)


def rarest_itemset(published: Published, m: int, k: int) -> Rarest:
    """The itemset of at most m items with the smallest support, by counting all of them."""
    labels = _labels_of_items(published)
    items = [Item(name, label) for name, of_name in labels.items() for label in of_name.to_pylist()]
    encode = EncodeLabels(published.reader, labels, ITEMS_PER_CHUNK)
    chunks = published.frame.mapInArrow(encode, SCHEMA).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        found = _rarest_of(SpreadSets(chunks, len(items)), len(items), m, k)
    finally:
        chunks.unpersist()
    if found is None:
        return Rarest(None, (), frozen_ints([]), 0)
    support, itemset, below = found
    return Rarest(support, tuple(items[number] for number in itemset), frozen_ints([]), below)


def _labels_of_items(published: Published) -> dict[str, pa.StringArray]:
    """All labels of quasi-identifier items by column, in order."""
    roles = published.reader.roles
    names = [name for name, role in roles.items() if isinstance(role, QuasiSet)]
    values = (
        published.frame.mapInArrow(CountValues(published.reader, names), VALUES)
        .filter(sql.col("label").isNotNull())
        .select("column", "label")
        .distinct()
        .collect()
    )
    return {
        name: pa.array(
            sorted(
                row.label
                for row in values
                if row.column == name and row.label not in getattr(roles[name], "sensitive", ())
            ),
            type=pa.string(),
        )
        for name in names
    }


def _rarest_of(sets: SpreadSets, item_count: int, m: int, k: int) -> tuple[int, tuple[int, ...], int] | None:
    """The smallest support, the first of the shortest itemsets that have it, and how many are below k."""
    under_one_root = np.full(item_count + 1, item_count, dtype=np.int64)
    totals = sets.totals(under_one_root)
    supports = totals.supports[:item_count]
    if totals.non_empty == 0:
        return None
    rarest = int(supports.argmin())
    best = (int(supports[rarest]), 1, (rarest,))
    below = int(np.count_nonzero(supports < k))
    numbers = np.arange(item_count, dtype=np.int64)
    for size in range(2, min(m, totals.longest) + 1):
        if item_count**size > LARGEST_KEY:
            raise LimitReached(
                f"sets of {size} out of {item_count:,} items cannot be numbered: check a smaller m"
            )
        fresh = np.ones(item_count, dtype=np.bool_)
        question = Question(size=size, base=item_count, fresh=fresh, first=0, end=item_count)
        expected = sets.occurrences(question, numbers)
        first = 0
        while first < item_count:
            end = furthest(expected, first)
            part = replace(question, first=first, end=end)
            found = sets.rarest(part, numbers, k, int(expected[first:end].sum()))
            below += found.below
            if found.support:
                itemset = tuple(part.sets(frozen_ints([found.key]))[0].tolist())
                best = min(best, (found.support, size, itemset))
            first = end
    return best[0], best[2], below


def _verify_class_sizes(published: Published, model: KAnonymity | SetKAnonymity) -> Verdict:
    wanted: tuple[type, ...] = (Quasi,) if isinstance(model, KAnonymity) else (QuasiSet,)
    names = [name for name, role in published.reader.roles.items() if isinstance(role, wanted)]
    reader = published.reader.only(*names)
    classes = count_classes(published.frame, reader).persist(ROWS_ON_DISK)
    try:
        is_small = sql.col(quoted(ROWS)) < model.k
        figures = classes.agg(
            sql.count("*").alias("classes"),
            sql.min(quoted(ROWS)).alias("smallest"),
            sql.sum(sql.when(is_small, sql.col(quoted(ROWS))).otherwise(0)).alias("rows_below"),
            sql.sum(sql.when(is_small, 1).otherwise(0)).alias("classes_below"),
        ).first()
        if figures is None:
            return verdict_without_records(model.claim(published.described))
        smallest = classes.filter(sql.col(quoted(ROWS)) == figures.smallest).limit(1).first()
    finally:
        classes.unpersist()
    place = _in_words({name: smallest[name] for name in names} if smallest else {})
    size = counted(figures.smallest, "record")
    holds = model.holds_for(figures.smallest)
    what, kind = (
        ("class", "classes") if isinstance(model, KAnonymity) else ("different set", "different_sets")
    )
    reading = "" if isinstance(model, KAnonymity) else f"; {READING}"
    return Verdict(
        holds=holds,
        claim=model.claim(published.described),
        evidence=f"the smallest of {counted(figures.classes, what)} has {size} ({place}){reading}",
        smallest=figures.smallest,
        witness=None
        if holds
        else Witness(f"{place} has {size}, fewer than k={model.k}", (), figures.smallest),
        figures={
            "records": published.row_count,
            kind: figures.classes,
            f"{kind}_below_k": figures.classes_below,
            "share_of_records_below_k": figures.rows_below / published.row_count,
        },
    )


def _in_words(values: Mapping[str, Any]) -> str:
    def word(value: Any) -> str:
        if isinstance(value, list):
            return "{" + ", ".join(value) + "}"
        return "(missing)" if value is None else str(value)

    return ", ".join(f"{name}={word(value)}" for name, value in values.items()) or "all records"


def _verify_inside_classes(published: Published, model: Model) -> Verdict:
    """Bring whole classes together, verify part by part, and unite the verdicts."""
    parts = max(published.frame.rdd.getNumPartitions(), -(-published.row_count // ROWS_PER_PART))
    by_sets = isinstance(model, SetLDiversity)
    keys = [
        _comparable(name, role, published.frame)
        for name, role in published.reader.roles.items()
        if isinstance(role, QuasiSet if by_sets else Quasi)
    ]
    together = published.frame.repartition(parts, *keys) if keys else published.frame.coalesce(1)
    rows = together.mapInArrow(_VerifyPart(published.reader, model), VERDICT).collect()
    return united_verdict(model.claim(published.described), [row.verdict for row in rows])


def _comparable(name: str, role: Role, frame: DataFrame) -> SparkColumn:
    """Equal for rows whose published values are equal, however a set is ordered."""
    column = sql.col(quoted(name))
    if not isinstance(role, QuasiSet):
        return sql.coalesce(column.cast("string"), sql.lit(""))
    if frame.schema[name].dataType.typeName() != "array":
        column = sql.split(column, "\\Q" + role.separator + "\\E")
    return sql.coalesce(sql.array_sort(column.cast("array<string>")), sql.array().cast("array<string>"))


@dataclass(frozen=True, eq=False)
class _VerifyPart:
    reader: Reader
    model: Model

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        filled = [batch for batch in batches if batch.num_rows]
        if filled:
            yield told_verdict(self.model.verify(self.reader.read(pa.Table.from_batches(filled))))


def told_verdict(verdict: Verdict) -> pa.RecordBatch:
    """The verdict about a part, as it travels to the driver."""
    text = json.dumps(
        {
            "holds": verdict.holds,
            "evidence": verdict.evidence,
            "smallest": verdict.smallest,
            "witness": verdict.witness and [verdict.witness.what, verdict.witness.row_count],
            "figures": {name: value for name, value in verdict.figures.items() if _adds_up(value)},
        }
    )
    return pa.RecordBatch.from_arrays([pa.array([text])], names=["verdict"])


def _adds_up(figure: object) -> bool:
    return isinstance(figure, int | float) and not isinstance(figure, bool)


def united_verdict(claim: str, told: Sequence[str]) -> Verdict:
    """The verdict about all parts, each of which holds whole classes, or whole clusters."""
    verdicts = [json.loads(text) for text in told]

    def weakness(verdict: Mapping[str, Any]) -> tuple[bool, float]:
        return verdict["holds"], float("inf") if verdict["smallest"] is None else verdict["smallest"]

    weakest = min(verdicts, key=weakness)
    supports = [verdict["smallest"] for verdict in verdicts if verdict["smallest"] is not None]
    where = f"checked in {counted(len(verdicts), 'part')}, the weakest of which: "
    return Verdict(
        holds=weakest["holds"],
        claim=claim,
        evidence=where + weakest["evidence"],
        smallest=min(supports, default=None),
        witness=weakest["witness"] and Witness(weakest["witness"][0], (), weakest["witness"][1]),
        figures=reduce(_added_figures, (verdict["figures"] for verdict in verdicts)),
    )


def _added_figures(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """Counts are added; of the smallest the smaller stays, of the largest the larger; means are left out."""

    def rule(name: str) -> Callable[[Any, Any], Any] | None:
        if name.startswith("smallest"):
            return min
        if name.startswith("largest"):
            return max
        return None if isinstance(left[name], float) or isinstance(right[name], float) else int.__add__

    return {
        name: combine(left[name], right[name])
        for name in left
        if name in right and (combine := rule(name)) is not None
    }
