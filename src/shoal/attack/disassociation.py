"""What readers of a disassociated file find who know more than its promise assumes.

The cover problem: somebody who knows how VERPART works learns more than the file says. A term of a later
chunk was refused by the earlier ones, and a term of a term chunk is in fewer than k records, unless it was
moved there to keep rule 2. Where that ties a pair of terms to 1..k-1 records of a cluster, the pair is
*covered*: the file hides it from readers of the file only, not from readers of the algorithm. After
Barakat, Bouna, Nassar, Guyeux, On the evaluation of the privacy breach in disassociated set-valued datasets,
2016. Terms of shared chunks are left out: which clusters refused them is not told.

Known users: somebody who knows the records of some users takes them away. What is left of a cluster can then
break rule 2, which says that a cluster without a term chunk has enough subrecords.
"""

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.arrays import Bools, Ints, frozen_ints, in_pieces, only_items, owners, taken_rows, wide
from shoal.kernels.attack_disassociation import ChunkedClusters, covered_pairs
from shoal.recoding.disassociated import Disassociated
from shoal.table.canonical import canonical_text

_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class CoveredPair:
    """Two terms that 1..k-1 records of a cluster hold both, as the algorithm tells.

    Lines count from 1; nobody knows that of data whose lines were examined apart.
    """

    terms: tuple[str, str]
    line: int | None

    def in_words(self) -> str:
        """The pair for people."""
        where = "" if self.line is None else f" on line {self.line}"
        return f"{self.terms[0]!r} and {self.terms[1]!r}{where}"


@dataclass(frozen=True, slots=True)
class Covers:
    """How far knowing the algorithm undoes a release.

    `pairs` are covered pairs of terms in different record chunks, `term_chunk_pairs` those of a term that all
    records of a cluster hold with one of its term chunk. Clusters are simple ones, and records are theirs.
    """

    k: int
    clusters: int
    records: int
    pairs: int
    clusters_with_pairs: int
    records_with_pairs: int
    term_chunk_pairs: int
    clusters_with_term_chunk_pairs: int
    records_with_term_chunk_pairs: int
    examples: tuple[CoveredPair, ...] = ()

    @property
    def found(self) -> bool:
        """Whether any pair is covered."""
        return self.pairs + self.term_chunk_pairs > 0

    def figures(self) -> dict[str, int]:
        """The finding for machines; anyone who knows the algorithm can count the same in the file."""
        return {
            "pairs": self.pairs,
            "clusters_with_pairs": self.clusters_with_pairs,
            "records_with_pairs": self.records_with_pairs,
            "term_chunk_pairs": self.term_chunk_pairs,
            "clusters_with_term_chunk_pairs": self.clusters_with_term_chunk_pairs,
            "records_with_term_chunk_pairs": self.records_with_term_chunk_pairs,
            "clusters": self.clusters,
            "records": self.records,
        }

    def in_words(self) -> str:
        """The finding for people."""
        if not self.found:
            return (
                "Cover problem: knowing the algorithm ties no pair of terms to fewer than"
                f" k={self.k} records of a cluster."
            )
        example = self.examples[0]
        return (
            "Cover problem: somebody who knows how the algorithm works learns of"
            f" {self.pairs:,} pairs of terms in different chunks that 1 to {self.k - 1} records of a cluster"
            f" hold both, in {_of(self.clusters_with_pairs, self.clusters, 'clusters')} with"
            f" {_of(self.records_with_pairs, self.records, 'records')}; and of {self.term_chunk_pairs:,}"
            " pairs of a term that all records of a cluster hold with one of its term chunk, in"
            f" {_of(self.clusters_with_term_chunk_pairs, self.clusters, 'clusters')}. For example"
            f" {example.in_words()}."
        )

    def merge(self, other: Self) -> Self:
        """The same of the lines of both."""
        examples = sorted((*self.examples, *other.examples), key=attrgetter("terms"))[:_EXAMPLES]
        return replace(
            self,
            **{name: count + other.figures()[name] for name, count in self.figures().items()},
            examples=tuple(replace(example, line=None) for example in examples),
        )


def _of(part: int, whole: int, what: str) -> str:
    return f"{part:,} of {whole:,} {what}"


def covers(published: Disassociated, k: int, m: int) -> Covers:
    """Find the covered pairs of a release that keeps the rules of disassociation with k and m."""
    clusters = published.clusters
    several_chunks = np.bincount(published.chunk_clusters, minlength=len(clusters)) > 1
    listed = covered_pairs(
        _chunked(published), np.flatnonzero(clusters.simple & several_chunks), k, m
    ).reshape(-1, 3)
    holders, terms = _terms_of_all_records(published)
    beside = _rare_terms_of_clusters(published)[holders]
    clusters_beside = np.unique(holders[beside > 0])
    few = int(np.searchsorted(np.cumsum(beside), _EXAMPLES)) + 1  # hold as many pairs as are shown
    shown = np.concatenate((listed[:_EXAMPLES], _with_rare_terms(published, holders[:few], terms[:few])))
    return Covers(
        k=k,
        clusters=int(np.count_nonzero(clusters.simple)),
        records=published.record_count,
        pairs=len(listed),
        clusters_with_pairs=len(np.unique(listed[:, 0])),
        records_with_pairs=int(clusters.sizes[np.unique(listed[:, 0])].sum()),
        term_chunk_pairs=int(beside.sum()),
        clusters_with_term_chunk_pairs=len(clusters_beside),
        records_with_term_chunk_pairs=int(clusters.sizes[clusters_beside].sum()),
        examples=_examples(published, shown[:_EXAMPLES]),
    )


def covered_term_pairs(published: Disassociated, k: int, m: int) -> list[CoveredPair]:
    """All covered pairs one by one."""
    every = np.flatnonzero(published.clusters.simple)
    listed = covered_pairs(_chunked(published), every, k, m).reshape(-1, 3)
    beside = _with_rare_terms(published, *_terms_of_all_records(published))
    return list(_examples(published, np.concatenate((listed, beside))))


def _examples(published: Disassociated, pairs: Ints) -> tuple[CoveredPair, ...]:
    label, lines = published.terms.label, published.clusters.lines
    return tuple(
        CoveredPair((str(label(one)), str(label(other))), int(lines[cluster]))
        for cluster, one, other in pairs.tolist()
    )


def _chunked(published: Disassociated) -> ChunkedClusters:
    cluster_count = len(published.clusters)
    return ChunkedClusters(
        published.clusters.sizes,
        frozen_ints(np.searchsorted(published.chunk_clusters, np.arange(cluster_count + 1))),
        published.chunk_starts,
        published.subrecords,
        len(published.terms),
    )


def _terms_of_all_records(published: Disassociated) -> tuple[Ints, Ints]:
    """Clusters with a term that all their records hold, and the term, cluster by cluster."""
    clusters, term_count = published.clusters, max(1, len(published.terms))
    chunks = np.searchsorted(published.chunk_clusters, np.arange(len(clusters) + 1))
    places_of_cluster = published.subrecords.starts[published.chunk_starts[chunks]]
    found: list[Ints] = [np.empty(0, dtype=np.int64)]
    for first, behind in in_pieces(places_of_cluster):
        starts = places_of_cluster[first : behind + 1]
        terms = published.subrecords.items[starts[0] : starts[-1]]
        keys, supports = np.unique((first + owners(starts)) * term_count + terms, return_counts=True)
        holders = keys // term_count
        found.append(keys[(supports == clusters.sizes[holders]) & clusters.simple[holders]])
    keys = np.concatenate(found)
    return keys // term_count, keys % term_count


def _rare_terms_of_clusters(published: Disassociated) -> Ints:
    """How many terms of its term chunk each cluster has that are not sensitive."""
    is_rare = ~sensitive_terms(published)
    term_chunks = published.term_chunks
    rare_only = term_chunks if is_rare.all() else only_items(term_chunks, is_rare[term_chunks.items])
    return np.diff(rare_only.starts)


def _with_rare_terms(published: Disassociated, holders: Ints, terms: Ints) -> Ints:
    """Cluster, a term that all its records hold, and a term of its term chunk that fewer than k hold."""
    # A term of all records makes for subrecords enough, so no frequent term was moved to keep rule 2.
    beside = taken_rows(published.term_chunks, holders)
    counts = np.diff(beside.starts)
    pairs = np.stack((np.repeat(holders, counts), np.repeat(terms, counts), wide(beside.items)), axis=1)
    return pairs[~sensitive_terms(published)[beside.items]]


def sensitive_terms(published: Disassociated) -> Bools:
    """Which terms are sensitive; these are in term chunks however frequent they are."""
    sensitive = canonical_text(pa.array(published.sensitive, type=pa.string()))
    marked = pc.is_in(canonical_text(published.terms.labels), value_set=sensitive)
    return np.asarray(marked.to_numpy(zero_copy_only=False), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class KnownUsers:
    """How many known users it takes at least to break rule 2 for the rest of each simple cluster.

    `needed[i]` is that number for a cluster of sizes[i] records, 0 where no number of them breaks it.
    """

    needed: Ints
    sizes: Ints

    def merge(self, other: Self) -> Self:
        """The same of the clusters of both."""
        needed, sizes = (self.needed, other.needed), (self.sizes, other.sizes)
        return replace(
            self, needed=frozen_ints(np.concatenate(needed)), sizes=frozen_ints(np.concatenate(sizes))
        )

    def clusters_broken_by(self, known: int) -> int:
        """Clusters that so many known users can break."""
        return int(np.count_nonzero((self.needed > 0) & (self.needed <= known)))

    def records_broken_by(self, known: int) -> int:
        """Records in such clusters."""
        return int(self.sizes[(self.needed > 0) & (self.needed <= known)].sum())

    def figures(self, known: int) -> dict[str, int]:
        """The finding for machines."""
        return {
            "known": known,
            "clusters_broken": self.clusters_broken_by(known),
            "records_broken": self.records_broken_by(known),
            "clusters": len(self.sizes),
            "records": int(self.sizes.sum()),
        }

    def in_words(self, known: int) -> str:
        """The finding for people."""
        clusters, records = self.clusters_broken_by(known), self.records_broken_by(known)
        users = "1 user" if known == 1 else f"{known:,} users"
        if clusters == 0:
            return f"Known users: taking away the records of {users} leaves rule 2 intact in every cluster."
        return (
            f"Known users: somebody who knows the records of {users} of a cluster and takes them away can"
            f" break rule 2 for the rest in {_of(clusters, len(self.sizes), 'clusters')} with"
            f" {_of(records, int(self.sizes.sum()), 'records')}."
        )


def known_users(published: Disassociated, k: int, m: int) -> KnownUsers:
    """The fewest users whose records, taken away, can break rule 2 for what is left of each simple cluster.

    At worst a known record has a subrecord in each of the v chunks, so that the slack in rule 2 shrinks by
    v - 1 with every one; that many records exist only while the smallest chunk lasts.
    """
    simple = np.flatnonzero(published.clusters.simple)
    sizes = published.clusters.sizes[simple]
    counts = np.diff(published.chunk_starts)
    chunks = np.bincount(published.chunk_clusters, minlength=len(published.clusters))[simple]
    subrecords = np.bincount(published.chunk_clusters, counts, len(published.clusters))[simple].astype(
        np.int64
    )
    smallest = np.full(len(published.clusters), np.iinfo(np.int64).max)
    np.minimum.at(smallest, published.chunk_clusters, counts)
    exposed = (np.diff(published.term_chunks.starts)[simple] == 0) & (chunks > 1)
    slack = subrecords - sizes - k * (np.minimum(m, chunks) - 1)
    needed = np.where(exposed, slack // np.maximum(chunks - 1, 1) + 1, 0)
    needed = np.where(needed <= smallest[simple], np.maximum(needed, 0), 0)
    return KnownUsers(frozen_ints(needed), frozen_ints(sizes))
