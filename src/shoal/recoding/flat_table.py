"""Disassociated data as one flat table, for analysts' tools.

It has one row for each term of each subrecord and term chunk: `cluster` and `parent`, which number the
clusters from 0, each before those below it (`parent` is null for one that stands alone); `size`, the records
of the cluster; `chunk` within the cluster and `subrecord` within the chunk, both from 0, and both null for a
term of the term chunk; and the `term`.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Bools, Ints, SetArrays, frozen_ints, frozen_sets, owners, starts_of
from shoal.kernels.take import last_below
from shoal.recoding.disassociated import Disassociated, NestedClusters
from shoal.table.columns import Domain, Kind

COLUMNS = ("cluster", "parent", "size", "chunk", "subrecord", "term")
_NULL = -1
_MAY_BE_NULL = ("parent", "chunk", "subrecord")


def flat_table(release: Disassociated) -> pa.Table:
    """One row for each term of each subrecord and term chunk."""
    clusters, count = release.clusters, len(release.clusters)
    chunk_of_subrecord = owners(release.chunk_starts)
    subrecord_of_item = owners(release.subrecords.starts)
    chunk_of_item = chunk_of_subrecord[subrecord_of_item]
    cluster_of_item = release.chunk_clusters[chunk_of_item]
    first_chunks = np.searchsorted(release.chunk_clusters, np.arange(count))
    cluster_of_term = owners(release.term_chunks.starts)
    cluster = np.concatenate((cluster_of_item, cluster_of_term))
    order = np.argsort(cluster, kind="stable")
    in_term_chunk = (np.arange(len(cluster)) >= len(cluster_of_item))[order]
    nothing = np.zeros(len(cluster_of_term), dtype=np.int64)

    def nullable(values: Ints) -> pa.Array:
        return pa.array(np.concatenate((values, nothing))[order], mask=in_term_chunk)

    cluster, parents = cluster[order], clusters.parents[cluster[order]]
    terms = np.concatenate((release.subrecords.items, release.term_chunks.items))[order]
    return pa.table(
        {
            "cluster": cluster,
            "parent": pa.array(parents, mask=parents < 0),
            "size": clusters.sizes[cluster],
            "chunk": nullable(chunk_of_item - first_chunks[cluster_of_item]),
            "subrecord": nullable(subrecord_of_item - release.chunk_starts[chunk_of_item]),
            "term": release.terms.labels.take(pa.array(terms)),
        }
    )


def read_flat_table(path: Path, sensitive: Sequence[str] = ()) -> Disassociated:
    """Read a Parquet file of such a table, its rows in any order; BadInput says where it is not one."""
    try:
        table = parquet.read_table(path)
    except (OSError, pa.ArrowException) as error:
        what = f"cannot be read as a Parquet file: {error}"
        raise BadInput(Problem(what, "name a disassociated file", file=str(path))) from error
    return _Reader(str(path)).read(table, tuple(sensitive))


class _Reader:
    """Turns the table of a file into clusters; whatever does not fit is a BadInput about that file."""

    def __init__(self, file: str) -> None:
        self._file = file

    def read(self, table: pa.Table, sensitive: tuple[str, ...]) -> Disassociated:
        """The clusters that the rows describe."""
        if table.column_names != list(COLUMNS):
            what = f"has the columns {', '.join(table.column_names)}"
            raise self._bad(f"{what}, but a flat disassociated table has {', '.join(COLUMNS)}")
        if table.num_rows == 0:
            raise self._bad("holds no cluster")
        columns = {name: self._numbers(table, name) for name in COLUMNS[:-1]}
        terms, labels = self._terms(table)
        half_null = (columns["chunk"] == _NULL) != (columns["subrecord"] == _NULL)
        self._refuse(half_null, "has a chunk without a subrecord, or a subrecord without a chunk")
        in_term_chunk = columns["chunk"] == _NULL
        order = np.lexsort((terms, columns["subrecord"], columns["chunk"], in_term_chunk, columns["cluster"]))
        clusters = self._clusters(columns, order)
        joint_terms = in_term_chunk & ~clusters.simple[columns["cluster"]]
        self._refuse(joint_terms, "puts a term chunk into a cluster that has clusters below it")
        ordered = {name: values[order] for name, values in columns.items()}
        terms, in_chunk = terms[order], ~in_term_chunk[order]
        in_chunks = {name: values[in_chunk] for name, values in ordered.items()}
        new_chunk = _changes(in_chunks["cluster"], in_chunks["chunk"])
        new_subrecord = new_chunk | _changes(in_chunks["subrecord"])
        return Disassociated(
            terms=Domain(Kind.SET, labels),
            clusters=clusters,
            chunk_clusters=frozen_ints(in_chunks["cluster"][new_chunk]),
            chunk_starts=_starts_of(new_chunk[new_subrecord]),
            subrecords=frozen_sets(_starts_of(new_subrecord), terms[in_chunk]),
            term_chunks=_sets(ordered["cluster"][~in_chunk], terms[~in_chunk], len(clusters)),
            sensitive=sensitive,
        )

    def _clusters(self, columns: dict[str, Ints], order: Ints) -> NestedClusters:
        cluster = columns["cluster"][order]
        steps = np.diff(cluster, prepend=-1)
        gaps = order[(steps > 1) | (cluster < 0)]
        self._refuse_rows(gaps, "leaves out a cluster: they are numbered from 0 without gaps")
        first_rows = order[steps == 1]
        for name in ("size", "parent"):
            differs = columns[name] != columns[name][first_rows][columns["cluster"]]
            self._refuse(differs, f"tells another {name} of its cluster than a row before it")
        sizes, parents = columns["size"][first_rows], columns["parent"][first_rows]
        self._refuse_rows(first_rows[sizes < 1], "has a size that is no number of records")
        numbers = np.arange(len(parents))
        self._refuse_rows(first_rows[parents >= numbers], "has a parent that does not come before it")
        last = last_below(parents)
        outside = (parents >= 0) & (
            last[np.maximum(parents, 0)] - parents >= _sizes_of_trees(parents)[parents]
        )
        self._refuse_rows(first_rows[outside], "stands outside the clusters of its parent")
        simple = np.ones(len(parents), dtype=np.bool_)
        simple[parents[parents >= 0]] = False
        lines = frozen_ints(np.cumsum(parents < 0))
        return NestedClusters(frozen_ints(sizes), simple, frozen_ints(parents), frozen_ints(last), lines)

    def _numbers(self, table: pa.Table, name: str) -> Ints:
        column = table.column(name)
        if not pa.types.is_integer(column.type):
            raise self._bad(f"the column {name!r} holds {column.type}, not whole numbers")
        if name not in _MAY_BE_NULL:
            self._refuse(_is_null(column), f"has no {name}")
        try:
            filled = column.cast(pa.int64()).fill_null(_NULL).combine_chunks()
        except pa.ArrowInvalid as error:
            raise self._bad(f"the column {name!r} holds numbers that are too large ({error})") from error
        return frozen_ints(filled.to_numpy(zero_copy_only=False))

    def _terms(self, table: pa.Table) -> tuple[Ints, pa.StringArray]:
        column = table.column("term")
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            raise self._bad(f"the column 'term' holds {column.type}, not texts")
        self._refuse(_is_null(column), "has no term")
        encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
        order = pc.array_sort_indices(encoded.dictionary).to_numpy()
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        return ranks[encoded.indices.to_numpy()], encoded.dictionary.take(pa.array(order))

    def _refuse(self, wrong: Bools, what: str) -> None:
        self._refuse_rows(np.flatnonzero(wrong), what)

    def _refuse_rows(self, rows: Ints, what: str) -> None:
        if len(rows):
            raise self._bad(f"row {int(rows.min()) + 1} {what}")

    def _bad(self, what: str) -> BadInput:
        return BadInput(Problem(what, "see the format of disassociated data", file=self._file))


def _is_null(column: pa.ChunkedArray) -> Bools:
    return np.asarray(column.is_null().combine_chunks().to_numpy(zero_copy_only=False), dtype=np.bool_)


def _changes(*columns: Ints) -> Bools:
    """Where a row differs from the one before it; the first does."""
    changed = np.zeros(len(columns[0]), dtype=np.bool_)
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    changed[:1] = True
    return changed


def _starts_of(is_first: Bools) -> Ints:
    return frozen_ints(np.append(np.flatnonzero(is_first), len(is_first)))


def _sets(row_of: Ints, terms: Ints, count: int) -> SetArrays:
    starts = starts_of(np.bincount(row_of, minlength=count))
    return frozen_sets(starts, terms)


def _sizes_of_trees(parents: Ints) -> Ints:
    """How many clusters each holds, itself included."""
    sizes = np.ones(len(parents), dtype=np.int64)
    for cluster in range(len(parents) - 1, -1, -1):
        if parents[cluster] >= 0:
            sizes[parents[cluster]] += sizes[cluster]
    return sizes
