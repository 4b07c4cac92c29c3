"""Disassociated data through their chunks: who knows some terms looks for records that can hold them."""

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Self

import numpy as np

from shoal.attack.finding import Exposure, Finding, exposure_of, exposure_of_shares, share_interval
from shoal.attack.homogeneity import Confidence
from shoal.attack.items import FEWEST_RECORDS, Exposures, attack_with_items, findings_of, most_items
from shoal.attack.links import Linked
from shoal.engine.local import LocalData
from shoal.kernels.arrays import (
    Bools,
    Ints,
    SetArrays,
    frozen_ints,
    frozen_sets,
    owners,
    starts_of,
    taken_rows,
)
from shoal.kernels.attack_chunks import NO_LIMIT, ClusterRoom, TermPlaces, most_records
from shoal.kernels.grouping import group_sets, members
from shoal.progress import Progress
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.label_meaning import items_of_labels

NAME = "chunks"
MOST_SETS = 1_000_000
MOST_SETS_OF_RECORD = 40_000


@dataclass(frozen=True, slots=True, eq=False)
class LinkedChunks:
    """A disassociated release and the original that it was made from.

    `records` are the terms of each original record by their numbers in the release; a term that is not
    published tells nothing.
    """

    original: LocalData
    published: Disassociated
    k: int
    m: int
    records: SetArrays
    seed: int = 0

    @classmethod
    def of(cls, original: LocalData, published: Disassociated, *, k: int, m: int, seed: int = 0) -> Self:
        """Link by terms; BadInput lists those that the original lacks."""
        records = _records_in_terms(original, published)
        return cls(original, published, k, m, records, seed)


def attack_chunks(linked: LinkedChunks, most: int | None, progress: Progress) -> list[Finding]:
    """Attack with 1, 2, 3, ... known terms: `most` of them, or two beyond the promise."""
    findings: list[Finding] = []
    unprotected = Linked(linked.original, linked.original, linked.k, linked.m, seed=linked.seed)
    for known in range(1, most_items(most, unprotected) + 1):
        progress.stage(f"attacking chunks with {known} known {'item' if known == 1 else 'items'}")
        words = "1 item of the set" if known == 1 else f"{known} items of the set"
        after = attack_with_terms(linked, known)
        before = attack_with_items(unprotected, known, MOST_SETS)
        findings += findings_of(NAME, words, known, after, before)
    return [
        replace(finding, promised=finding.items is not None and finding.items <= linked.m)
        for finding in findings
    ]


def attack_with_terms(
    linked: LinkedChunks, known: int, most_sets: int = MOST_SETS, most_of_record: int = MOST_SETS_OF_RECORD
) -> Exposures:
    """The exposure to the least favourable terms, and to terms drawn at random.

    All sets of terms of all records are gone through, or those of a sample of the records when there are more
    than `most_sets`; of a record with more than `most_of_record` sets, so many are drawn.
    """
    rng = np.random.default_rng(linked.seed)
    sizes = np.diff(linked.records.starts)
    ways = _ways(sizes, known)
    rows = _sampled(np.minimum(ways, most_of_record), most_sets, rng)
    candidates = np.full(len(rows), linked.published.record_count, dtype=np.int64)
    below, success = ((candidates < linked.k) & (candidates > 0)).astype(np.float64), 1 / candidates
    telling = np.flatnonzero(sizes[rows])
    if len(telling):
        sets, starts = _known_sets(linked.records, rows[telling], known, most_of_record, rng)
        counts = _candidates_of_sets(linked.published, sets)
        fits = counts > 0
        none = np.iinfo(np.int64).max
        fewest = np.minimum.reduceat(np.where(fits, counts, none), starts)
        candidates[telling] = np.where(fewest == none, 0, fewest)
        tried = np.diff(np.append(starts, len(counts)))
        below[telling] = np.add.reduceat(fits & (counts < linked.k), starts, dtype=np.float64) / tried
        success[telling] = np.add.reduceat(fits / np.maximum(counts, 1), starts) / tried
    total = linked.original.row_count
    worst, drawn = (exposure_of(candidates, linked.k, total), exposure_of_shares(below, success, total))
    if (ways[rows] > most_of_record).any():
        worst, drawn = _as_sample(worst, len(rows)), _as_sample(drawn, len(rows))
    return worst, drawn


def sensitive_guess(published: Disassociated, is_sensitive: Bools) -> Confidence | None:
    """The best guess of a sensitive term by somebody who knows in which cluster a person is.

    A term chunk has no counts, so the file ties each of its terms to one of the cluster's records.
    """
    terms = published.term_chunks
    clusters = owners(terms.starts)
    places = np.flatnonzero(is_sensitive[terms.items])
    if len(places) == 0:
        return None
    smallest = places[np.argmin(published.clusters.sizes[clusters[places]])]
    return Confidence(
        known="which cluster a person is in",
        items=None,
        because=(f"line {int(published.clusters.lines[clusters[smallest]])}",),
        sensitive=str(published.terms.label(int(terms.items[smallest]))),
        holding=1,
        knowing=int(published.clusters.sizes[clusters[smallest]]),
    )


def _records_in_terms(original: LocalData, published: Disassociated) -> SetArrays:
    name = original.quasi_sets[0]
    sets = original.joined_sets()
    domain = original.table.sets(name).domain
    meant = items_of_labels(name, published.terms.texts(), domain, original.trees.get(name))
    term_of_item = np.full(len(domain) + 1, -1, dtype=np.int64)
    for term, items in enumerate(meant):
        term_of_item[list(items)] = term
    held = sets.of_column(name)
    terms = term_of_item[held.items]
    rows = owners(held.starts)[terms >= 0]
    terms = terms[terms >= 0]
    order = np.lexsort((terms, rows))
    starts = np.searchsorted(rows, np.arange(len(held.starts)))
    return frozen_sets(starts, terms[order])


def _ways(sizes: Ints, known: int) -> Ints:
    """In how many ways so many of the terms of each record can be chosen; all, where there are fewer."""
    distinct, index = np.unique(sizes, return_inverse=True)
    ways = [min(comb(size, min(size, known)), NO_LIMIT) for size in distinct.tolist()]
    return np.array(ways, dtype=np.int64)[index]


def _sampled(sets: Ints, most_sets: int, rng: np.random.Generator) -> Ints:
    if sets.sum() <= most_sets:
        return np.arange(len(sets), dtype=np.int64)
    order = rng.permutation(len(sets))
    wanted = int(np.searchsorted(np.cumsum(sets[order]), most_sets))
    return np.sort(order[: max(wanted, FEWEST_RECORDS)]).astype(np.int64)


def _known_sets(
    records: SetArrays, rows: Ints, known: int, most_of_record: int, rng: np.random.Generator
) -> tuple[SetArrays, Ints]:
    """The sets of terms that may be known of each row, and where those of each row begin."""
    sizes = np.diff(records.starts)[rows]
    rows_of, lengths, flat = [], [], []
    for size in np.unique(sizes).tolist():
        of_size = np.flatnonzero(sizes == size)
        terms = records.items[records.starts[rows[of_size]][:, None] + np.arange(size)]
        chosen = terms[:, _choices(size, min(size, known), most_of_record, rng)]
        rows_of.append(np.repeat(of_size, chosen.shape[1]))
        lengths.append(np.full(len(rows_of[-1]), chosen.shape[2], dtype=np.int64))
        flat.append(chosen.ravel())
    owner, length, items = np.concatenate(rows_of), np.concatenate(lengths), np.concatenate(flat)
    order = np.argsort(owner, kind="stable")
    before = (np.cumsum(length) - length)[order]
    starts = starts_of(length[order])
    places = np.arange(starts[-1]) + np.repeat(before - starts[:-1], length[order])
    firsts = np.searchsorted(owner[order], np.arange(len(rows)))
    return frozen_sets(starts, items[places]), frozen_ints(firsts)


def _choices(size: int, chosen: int, most: int, rng: np.random.Generator) -> Ints:
    """All choices of so many places, ascending, or `most` drawn ones where there are more."""
    if comb(size, chosen) <= most:
        return np.array(list(combinations(range(size), chosen)), dtype=np.int64).reshape(-1, chosen)
    drawn = np.argpartition(rng.random((most, size)), chosen, axis=1)[:, :chosen]
    return np.sort(drawn, axis=1).astype(np.int64)


def _candidates_of_sets(published: Disassociated, sets: SetArrays) -> Ints:
    """How many records can hold each set of terms; equal sets are looked for once."""
    set_of, firsts = group_sets(sets)
    of_distinct = most_records(_places(published), _room(published), taken_rows(sets, firsts))
    return frozen_ints(of_distinct[set_of])


def _room(published: Disassociated) -> ClusterRoom:
    clusters = published.clusters
    subrecords = np.bincount(
        published.chunk_clusters, np.diff(published.chunk_starts), minlength=len(clusters)
    ).astype(np.int64)
    has_terms = np.diff(published.term_chunks.starts) > 0
    spare = np.where(has_terms, NO_LIMIT, subrecords - clusters.sizes)
    return ClusterRoom(clusters.sizes, clusters.parents, frozen_ints(spare), published.chunk_clusters)


def _places(published: Disassociated) -> TermPlaces:
    """Every term in every simple cluster whose records can hold it; in chunks of its own first."""
    subrecords = published.subrecords
    row_of_item = owners(subrecords.starts)
    chunk_of_row = owners(published.chunk_starts)
    chunk_of_item = chunk_of_row[row_of_item]
    by_chunk = np.lexsort((row_of_item, subrecords.items, chunk_of_item))
    term_count = max(1, len(published.terms))
    keys = (chunk_of_item * term_count + subrecords.items)[by_chunk]
    distinct, first = np.unique(keys, return_index=True)
    last = np.append(first[1:], len(keys))
    chunks, terms = distinct // term_count, distinct % term_count
    owner = published.chunk_clusters[chunks]
    below = _simple_clusters_below(published)
    counts = np.diff(below.starts)[owner]
    repeated = np.repeat(np.arange(len(distinct)), counts)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    at = below.items[below.starts[owner][repeated] + offsets]
    in_term_chunk = owners(published.term_chunks.starts)
    nowhere = np.full(len(in_term_chunk), -1, dtype=np.int64)
    empty = np.zeros(len(in_term_chunk), dtype=np.int64)
    columns = [
        np.concatenate((terms[repeated], published.term_chunks.items)),
        np.concatenate((at, in_term_chunk)),
        np.concatenate((chunks[repeated], nowhere)),
        np.concatenate((first[repeated], empty)),
        np.concatenate((last[repeated], empty)),
    ]
    order = np.lexsort((columns[1], columns[0]))
    term, cluster, chunk, begin, end = (column[order] for column in columns)
    # A term that stands twice for a cluster breaks the rules of disassociation; one place is enough.
    once = np.concatenate(([True], (np.diff(term) != 0) | (np.diff(cluster) != 0)))[: len(term)]
    starts, _ = members(term[once], len(published.terms))
    return TermPlaces(
        frozen_ints(starts),
        frozen_ints(cluster[once]),
        frozen_ints(chunk[once]),
        frozen_ints(begin[once]),
        frozen_ints(end[once]),
        frozen_ints(row_of_item[by_chunk]),
    )


def _simple_clusters_below(published: Disassociated) -> SetArrays:
    """The simple clusters of each cluster; a simple one has itself."""
    clusters = published.clusters
    simple = np.flatnonzero(clusters.simple)
    first = np.searchsorted(simple, np.arange(len(clusters)))
    last = np.searchsorted(simple, clusters.last, side="right")
    counts = last - first
    starts = starts_of(counts)
    places = np.arange(starts[-1]) + np.repeat(first - starts[:-1], counts)
    return frozen_sets(starts, simple[places])


def _as_sample(exposure: Exposure, tried: int) -> Exposure:
    return replace(exposure, interval=share_interval(exposure.below_k * tried, tried))
