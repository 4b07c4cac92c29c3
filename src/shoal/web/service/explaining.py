"""Why a value is published as it is, from what a run decided."""

from dataclasses import dataclass

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.explain.items import explain
from shoal.privacy.model import Model
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.recoding import Recoding
from shoal.recoding.rows import RowRecoding

_SHOWN = 6


@dataclass(frozen=True, slots=True, eq=False)
class Recoded:
    """What a run decided about which data, and for which promises."""

    data: LocalData
    models: tuple[Model, ...]
    recoding: Recoding


@dataclass(frozen=True, slots=True)
class Explained:
    """What a value is published as in one part of the records, and why."""

    place: str
    published_as: str | None
    sentence: str


def explained(recoded: Recoded, column: str, row: int | None, value: str | None) -> tuple[Explained, ...]:
    """Explain the value of a record (by its original row) or an item of a set (by its text)."""
    if column in recoded.data.quasi_sets:
        if value is None:
            raise BadInput(Problem("an item of a set is explained by its text", "give a value"))
        found = explain(recoded.data, recoded.models, recoded.recoding, value)
        return tuple(Explained(each.place, each.published_as, each.sentence()) for each in found)
    if column not in recoded.data.quasi:
        what = f"{column!r} is published as it is: only quasi-identifiers are generalized"
        return (Explained("", value, what),)
    if row is None or not 0 <= row < recoded.data.row_count:
        raise BadInput(Problem("a single value is explained by its record", "give the number of a row"))
    return (_of_record(recoded, column, row),)


def _of_record(recoded: Recoded, column: str, row: int) -> Explained:
    clusters = clusters_of(recoded.recoding)
    if clusters is None:
        return Explained("", None, "the search kept no clusters of records for single values")
    cluster = int(clusters.cluster_of_row[row])
    if cluster == SUPPRESSED:
        return Explained("", None, "the record is suppressed: no cluster of enough records could take it in")
    rows = np.flatnonzero(clusters.cluster_of_row == cluster)
    original = recoded.data.table.coded(column)
    codes, counts = np.unique(original.codes[rows], return_counts=True)
    own = original.domain.label(int(original.codes[row])) or "the missing value"
    published = _published(recoded, clusters, column, cluster)
    if len(codes) == 1:
        sentence = f"all {len(rows):,} records of its class have {own}"
    else:
        most = np.argsort(-counts, kind="stable")[:_SHOWN]
        listed = ", ".join(
            f"{original.domain.label(int(codes[each])) or 'missing'} ({counts[each]:,})" for each in most
        )
        more = f" and {len(codes) - _SHOWN} more" if len(codes) > _SHOWN else ""
        sentence = (
            f"{own} is published as {published}, which covers what the {len(rows):,} records of its class"
            f" have: {listed}{more}"
        )
    return Explained(f"class of {len(rows):,} records: ", published, sentence)


def clusters_of(recoding: Recoding) -> GeneralizedClusters | None:
    """The clusters of records that are published alike, if the recoding has any."""
    return recoding.clusters if isinstance(recoding, RowRecoding) else None


def _published(recoded: Recoded, clusters: GeneralizedClusters, column: str, cluster: int) -> str:
    if column in clusters.nodes:
        return recoded.data.trees[column].labels[int(clusters.nodes[column][cluster])]
    low, high = clusters.ranges[column][cluster]
    return f"{low:g}" if low == high else f"[{low:g}, {high:g}]"
