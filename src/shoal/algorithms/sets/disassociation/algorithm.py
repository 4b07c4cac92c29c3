import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.parameters import OneOf, Printed, Within, YesOrNo, as_printed_parameter, parameter
from shoal.algorithms.sets.cut_search.options import threads_parameter
from shoal.algorithms.sets.cut_search.transactions import WithSets, only_set_column
from shoal.algorithms.sets.disassociation.horpart import (
    HorizontalPartition,
    cluster_blocks,
    horizontal_partition,
    settled,
    unite,
)
from shoal.algorithms.sets.disassociation.refine import (
    EARLY,
    RENEWED,
    TERM_ORDERS,
    Refined,
    not_refined,
    refine,
)
from shoal.algorithms.sets.disassociation.verpart import Chunked, shared_chunks, vertical_partition
from shoal.engine.local import LocalData
from shoal.kernels.arrays import Bools, Ints, SetArrays, frozen_ints, owners, starts_of
from shoal.kernels.settle import Bounds
from shoal.kernels.take import preorder, sums_below, take_sets
from shoal.kernels.verpart import ChunkPromise, Chunks
from shoal.privacy.check import require_feasible
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.model import Model
from shoal.privacy.parameters import exact
from shoal.privacy.verdict import counted
from shoal.progress import Progress
from shoal.recoding.chunk_recoding import NOT_PUBLISHED, ChunkRecoding, arranged, joined
from shoal.recoding.disassociated import Disassociated, NestedClusters
from shoal.table.columns import Sets
from shoal.table.roles import QuasiSet
from shoal.threads import in_threads, processors

_CLUSTERS_PER_K = 10

# Clusters are joined within blocks of about so many items. Over all clusters at once the time per record
# rises with their number, and hardly more is joined (1 % of what term chunks hold, with 10 million items).
_ITEMS_PER_BLOCK = 2**20


class _Task(NamedTuple):
    """Clusters to take apart: cluster c holds the rows starts[c]..starts[c + 1] - 1 of `records`."""

    records: SetArrays
    starts: Ints
    is_sensitive: Bools
    model: Disassociation
    threads: int


class _Block(NamedTuple):
    """Clusters that were taken apart, and joined among themselves in so many passes."""

    clusters: Disassociated
    cluster_of_row: Ints
    passes: int


@dataclass(frozen=True, slots=True)
class Disassociate(Algorithm):
    """All terms stay; which of them stand together in a record is told only where that is frequent.

    HORPART puts similar records into clusters; unless `settle` is off, as in the paper, some of them then
    move to clusters in which more of their terms are frequent. VERPART divides the terms of a cluster
    into chunks in which every combination of up to m terms is held by at least k records, or by none, and
    lists the other terms without their records. REFINE joins clusters, so that terms that are too rare in
    each of them become a shared chunk. Clusters are neighbours by the terms that are in most term chunks:
    counted before every pass as in the paper, or as long as many are joined, or once, which takes less time.

    The algorithm of the paper does not keep its own guarantee in three places. Here no cluster is smaller
    than k: HORPART's small ones are united with neighbours. And REFINE takes a term out of the term chunks
    only where none of them is emptied that the guarantee leans on, and where the term stands in no chunk
    below.

    Contract
        needs:      rows; one set column; no tree
        gives:      chunks of the records, every term of every record in one of them
        guarantees: all rules of disassociation; sensitive terms stay in term chunks
        cost:       O(items) for each level of HORPART, of which a set has as many as it is long at most;
                    VERPART O(terms^2) bitmap operations for each cluster with m = 2; REFINE O(terms in term
                    chunks) for each pass; memory about 10 numbers per item

    After Terrovitis, Liagouris, Mamoulis, Skiadopoulos, Privacy preservation by disassociation, PVLDB 5(10),
    2012.
    """

    name = "disassociation"
    serves = (Disassociation,)
    paper = (
        "Terrovitis, Liagouris, Mamoulis, Skiadopoulos. Privacy preservation by disassociation. PVLDB 5(10),"
        " 2012."
    )
    guarantee = "the model holds; every term is published as it is; no bound on the loss"
    distributed = Distribution("clusters", (Disassociation,))

    max_cluster_size: int = parameter(
        default=0,
        rule=Within(0),
        help="clusters have fewer records than this, where the promise allows it; 0 means 10 k",
    )
    refine: bool = parameter(
        default=True, rule=YesOrNo(), help="join clusters over terms that are rare in each of them"
    )
    term_order: str = parameter(
        default=EARLY,
        rule=OneOf(tuple(TERM_ORDERS)),
        help="when to count in how many term chunks a term is, by which clusters are joined: renewed before"
        " every pass (as in the paper), early only while many are joined, or once",
        printed=Printed(value=RENEWED),
    )
    settle: bool = parameter(
        default=True,
        rule=YesOrNo(),
        help="after HORPART, move records to clusters where more of their terms are frequent",
        printed=Printed(value=False),
    )
    threads: int = threads_parameter()
    as_printed: bool = as_printed_parameter()

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> ChunkRecoding:
        """Take the records apart so that all rules hold."""
        model = _the_model(models)
        column = column_of_terms(data)
        sets = data.table.sets(column)
        require_feasible(models, data)
        threads = self.threads or processors()
        is_sensitive = _is_sensitive(sets, _labels(data, column))
        with_terms = np.flatnonzero(sets.sizes)

        progress.stage("bringing similar records together")
        split = self._split(_records_with_terms(sets, with_terms), ~is_sensitive, model, threads, progress)
        partition = self._united(split, is_sensitive, model, threads)

        progress.stage("taking clusters apart")
        blocks = cluster_blocks(partition, _ITEMS_PER_BLOCK)

        def take_apart(first: int, last: int, progress: Progress) -> _Block:
            task = _Task(*_rows_of(partition, first, last), is_sensitive, model, threads // len(blocks) or 1)
            return self._take_apart(task, sets, _labels(data, column), progress)

        found = in_threads([partial(take_apart, *block) for block in blocks], progress, threads)
        clusters = joined([block.clusters for block in found])
        return ChunkRecoding(
            column=column,
            clusters=clusters,
            cluster_of_row=_cluster_of_row(len(sets), with_terms[partition.rows], found),
            notices=_notices(len(sets) - len(with_terms)),
            figures=_figures(clusters, max(block.passes for block in found)),
        )

    def _take_apart(self, task: _Task, sets: Sets, labels: tuple[str, ...], progress: Progress) -> _Block:
        """VERPART and REFINE on neighbouring clusters."""
        sizes, promise = np.diff(task.starts), ChunkPromise(task.model.k, task.model.m)
        chunked = vertical_partition(
            task.records, task.starts, task.is_sensitive, promise, threads=task.threads, progress=progress
        )
        refined = (
            refine(chunked, sizes, task.is_sensitive, promise.k, progress, term_order=self.term_order)
            if self.refine
            else not_refined(chunked)
        )
        shared = shared_chunks(
            refined.shared,
            chunked.held,
            len(task.records.starts) - 1,
            promise,
            threads=task.threads,
            progress=progress,
        )
        clusters = _by_node(sets, labels, sizes, (chunked, shared), refined)
        order = np.arange(len(refined.parents), dtype=np.int64)
        places = np.empty_like(order)
        places[preorder(refined.parents, order)] = order
        return _Block(arranged(clusters, order), np.repeat(places[: len(sizes)], sizes), refined.passes)

    def _split(
        self, records: SetArrays, split_by: Bools, model: Disassociation, threads: int, progress: Progress
    ) -> HorizontalPartition:
        return horizontal_partition(records, split_by, self._limit(model), threads, progress)

    def _united(
        self, partition: HorizontalPartition, is_sensitive: Bools, model: Disassociation, threads: int
    ) -> HorizontalPartition:
        limit = self._limit(model)
        if self.settle:
            partition = settled(partition, ~is_sensitive, Bounds(model.k, limit), threads)
        l = Fraction(1) if model.l is None else exact(model.l)
        return unite(partition, is_sensitive, least=max(model.k, math.ceil(l)), limit=limit, l=l)

    def _limit(self, model: Disassociation) -> int:
        return self.max_cluster_size or _CLUSTERS_PER_K * model.k


def _records_with_terms(sets: Sets, with_terms: Ints) -> SetArrays:
    records = sets.arrays
    return records if len(with_terms) == len(sets) else take_sets(records, with_terms)


def _rows_of(partition: HorizontalPartition, first: int, last: int) -> tuple[SetArrays, Ints]:
    """The records of the clusters from `first` to before `last`, and where each starts among them."""
    starts, records = partition.starts[first : last + 1], partition.records
    bounds = records.starts[starts[0] : starts[-1] + 1]
    near = SetArrays(bounds - bounds[0], records.items[bounds[0] : bounds[-1]])
    return near, starts - starts[0]


def column_of_terms(data: WithSets) -> str:
    """The one set column, which is all that disassociated data hold."""
    return only_set_column(data, "disassociation takes one set column", "publish each set column on its own")


def _the_model(models: Sequence[Model]) -> Disassociation:
    (model,) = models
    if not isinstance(model, Disassociation):
        raise TypeError(f"disassociation does not serve {model.name}")
    return model


def _labels(data: LocalData, column: str) -> tuple[str, ...]:
    role = data.roles[column]
    return role.sensitive if isinstance(role, QuasiSet) else ()


def _is_sensitive(sets: Sets, labels: Sequence[str]) -> Bools:
    marked = pc.is_in(sets.domain.labels, value_set=pa.array(labels, type=pa.string()))
    return np.asarray(marked.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _by_node(
    sets: Sets, labels: tuple[str, ...], sizes: Ints, chunked: tuple[Chunked, Chunks], refined: Refined
) -> Disassociated:
    """All clusters, numbered as nodes of their tree: simple ones first."""
    parents, simple_count = refined.parents, len(sizes)
    joint_count = len(parents) - simple_count
    all_sizes = np.concatenate((sizes, np.zeros(joint_count, dtype=np.int64)))
    sums_below(parents, all_sizes)  # a joint cluster comes after those it joins
    (simple, shared) = chunked
    chunk_counts, subrecord_counts, item_counts = (
        np.concatenate(pair) for pair in zip(simple.chunks[:3], shared[:3], strict=True)
    )
    items = np.concatenate((simple.chunks.items, shared.items))
    held = simple.held
    cluster_of_entry = owners(held.starts)
    left = np.bincount(cluster_of_entry[~refined.out], minlength=len(parents))
    return Disassociated(
        terms=sets.domain,
        clusters=NestedClusters(
            sizes=all_sizes,
            simple=np.arange(len(parents)) < simple_count,
            parents=parents,
            last=parents,
            lines=parents,
        ),
        chunk_clusters=np.repeat(np.arange(len(parents)), chunk_counts),
        chunk_starts=starts_of(subrecord_counts),
        subrecords=SetArrays(starts_of(item_counts), items),
        term_chunks=SetArrays(starts_of(left), held.terms[~refined.out]),
        sensitive=labels,
    )


def _cluster_of_row(count: int, rows: Ints, blocks: Sequence[_Block]) -> Ints:
    """The simple cluster of each row, by its place among all; `rows` stand in the order of clusters."""
    before = starts_of(np.array([len(block.clusters.clusters) for block in blocks], dtype=np.int64))
    cluster_of_row = np.full(count, NOT_PUBLISHED, dtype=np.int64)
    cluster_of_row[rows] = np.concatenate(
        [first + block.cluster_of_row for first, block in zip(before, blocks, strict=False)]
    )
    return frozen_ints(cluster_of_row)


def _notices(empty: int) -> tuple[str, ...]:
    if empty == 0:
        return ()
    return (
        f"{counted(empty, 'record')} without items {'is' if empty == 1 else 'are'} left out: that there are"
        " no empty records is part of the promise",
    )


def _figures(clusters: Disassociated, passes: int) -> dict[str, Any]:
    simple = clusters.clusters.simple
    is_shared = ~simple[clusters.chunk_clusters]
    return {
        "simple_clusters": int(simple.sum()),
        "joint_clusters": int((~simple).sum()),
        "largest_cluster": int(clusters.clusters.sizes[simple].max()),
        "record_chunks": int((~is_shared).sum()),
        "shared_chunks": int(is_shared.sum()),
        "terms_in_term_chunks": len(clusters.term_chunks.items),
        "passes_of_refine": passes,
    }
