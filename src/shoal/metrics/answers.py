"""How many records hold an itemset, answered from a disassociated release without reconstructing it.

An itemset falls into parts: the terms of each chunk, and every term of a term chunk by itself. In a simple
cluster of s records, parts that n1, n2, .. of them hold for certain overlap in n1 + n2 + .. - (parts - 1) s
records or more, and in no more than the rarest of them. Of a shared chunk's subrecords, as many must lie in
a cluster below as the other clusters have no room for. If subrecords are combined independently of each
other, the expected share of records with all parts is the product of the parts' shares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Bools, Floats, Ints, SetArrays, owners
from shoal.recoding.disassociated import Disassociated, NestedClusters

LARGEST_ITEMSET = 62


@dataclass(frozen=True, slots=True)
class Answer:
    """The support of an itemset: no less, as expected, no more.

    `unknown` are terms that the release does not hold; with one of them nobody holds the itemset. `true` is
    how many records of the original do, if it was given, and `error` how far the expectation is from it,
    relative to it.
    """

    itemset: tuple[str, ...]
    lower: int
    expected: float
    upper: int
    records: int
    unknown: tuple[str, ...] = ()
    true: int | None = None

    @property
    def error(self) -> float | None:
        """|expected - true| / max(true, 1); None without an original."""
        return None if self.true is None else abs(self.expected - self.true) / max(self.true, 1)


def support_of(published: Disassociated, itemset: Sequence[str]) -> Answer:
    """Bounds and expectation of an itemset's support in any original; the release must fit together."""
    terms = tuple(dict.fromkeys(itemset))
    if not 1 <= len(terms) <= LARGEST_ITEMSET:
        raise InvalidParameter("query", "itemset", itemset, f"1 to {LARGEST_ITEMSET} terms")
    codes = [published.terms.labels.index(term).as_py() for term in terms]
    unknown = tuple(term for term, code in zip(terms, codes, strict=True) if code < 0)
    records = published.record_count
    if unknown:
        return Answer(terms, 0, 0.0, 0, records, unknown)
    lower, expected, upper = _Parts.of(published, codes).support()
    return Answer(terms, lower, expected, upper, records)


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """The parts into which an itemset falls, bit i standing for its i-th term.

    In cluster c itself, `here[c]` are the terms of its chunks and term chunk; its parts are counts of records
    that hold them for certain. A cluster without a part has nothing to say: `least` is 0, `most` unlimited.
    """

    clusters: NestedClusters
    everything: int
    here: Ints
    parts: Ints
    certain: Ints
    most: Ints
    share: Floats

    @classmethod
    def of(cls, published: Disassociated, codes: Sequence[int]) -> Self:
        clusters = published.clusters
        bit_of = np.zeros(len(published.terms), dtype=np.int64)
        bit_of[list(codes)] = 1 << np.arange(len(codes))
        in_chunk, counts = _chunks_with_terms(published, bit_of)
        term_chunk = _united_bits(published.term_chunks, bit_of)
        here, parts = term_chunk.copy(), np.bitwise_count(term_chunk).astype(np.int64)
        certain, most = parts.copy(), clusters.sizes.copy()
        share = (1.0 / clusters.sizes) ** parts
        held = np.flatnonzero(in_chunk)
        holders = published.chunk_clusters[held]
        np.bitwise_or.at(here, holders, in_chunk[held])
        np.add.at(parts, holders, 1)
        np.add.at(certain, holders, counts[held])
        np.minimum.at(most, holders, counts[held])
        np.multiply.at(share, holders, counts[held] / clusters.sizes[holders])
        return cls(clusters, (1 << len(codes)) - 1, here, parts, certain, most, share)

    def support(self) -> tuple[int, float, int]:
        """The sum over simple clusters, with what the joint ones above allow."""
        clusters = self.clusters
        total = _Totals(self.here.copy(), self.parts.copy(), self.certain.copy(), self.share.copy())
        for generation in _generations(clusters.parents)[1:]:
            total.inherit(self, generation, clusters.parents[generation])
        complete = total.here == self.everything
        simple = clusters.simple & complete
        lower = np.where(complete, total.certain - (total.parts - 1) * clusters.sizes, 0)
        lower = np.maximum(lower, 0)
        upper = np.where(simple, self.most, 0)
        expected = float((clusters.sizes * total.share)[simple].sum())
        own = (self.here == self.everything) & ~clusters.simple
        return self._summed(lower, upper, simple, own, expected)

    def _summed(
        self, lower: Ints, upper: Ints, simple: Bools, own: Bools, expected: float
    ) -> tuple[int, float, int]:
        """Add up from below; a joint cluster may know better than the sum of what is in it."""
        parents, least = self.clusters.parents, np.where(simple, lower, 0)
        for generation in reversed(_generations(parents)):
            joint = generation[~self.clusters.simple[generation]]
            upper[joint] = np.minimum(upper[joint], self.most[joint])
            known = joint[own[joint]]
            least[known] = np.maximum(least[known], lower[known])
            inner = generation[parents[generation] >= 0]
            np.add.at(least, parents[inner], least[inner])
            np.add.at(upper, parents[inner], upper[inner])
        top = parents < 0
        return int(least[top].sum()), expected, int(upper[top].sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Totals:
    """The parts of each cluster together with those of the joint clusters above it."""

    here: Ints
    parts: Ints
    certain: Ints
    share: Floats

    def inherit(self, own: _Parts, clusters: Ints, parents: Ints) -> None:
        """Add what the parents have; of their certain records, those that fit nowhere else are here."""
        sizes = own.clusters.sizes
        elsewhere = sizes[parents] - sizes[clusters]
        self.here[clusters] |= self.here[parents]
        # Parts that are not certain here add nothing, but each of them can miss a record.
        self.certain[clusters] += np.maximum(self.certain[parents] - self.parts[parents] * elsewhere, 0)
        self.parts[clusters] += self.parts[parents]
        self.share[clusters] *= self.share[parents]


def _chunks_with_terms(published: Disassociated, bit_of: Ints) -> tuple[Ints, Ints]:
    """The terms of the itemset in each chunk, and how many of its subrecords hold all of those."""
    in_subrecord = _united_bits(published.subrecords, bit_of)
    chunk_of = owners(published.chunk_starts)
    in_chunk = np.zeros(len(published.chunk_clusters), dtype=np.int64)
    np.bitwise_or.at(in_chunk, chunk_of, in_subrecord)
    whole = (in_subrecord != 0) & (in_subrecord == in_chunk[chunk_of])
    return in_chunk, np.bincount(chunk_of[whole], minlength=len(in_chunk)).astype(np.int64)


def _united_bits(sets: SetArrays, bit_of: Ints) -> Ints:
    bits = np.zeros(len(sets.starts) - 1, dtype=np.int64)
    hits = np.flatnonzero(bit_of[sets.items])
    rows = np.searchsorted(sets.starts, hits, side="right") - 1
    np.bitwise_or.at(bits, rows, bit_of[sets.items[hits]])
    return bits


def _generations(parents: Ints) -> list[Ints]:
    """The clusters that stand alone, then those just below them, and so on."""
    depths = np.zeros(len(parents), dtype=np.int64)
    inner = np.flatnonzero(parents >= 0)
    waiting = inner
    while len(waiting):
        deeper = depths[parents[waiting]] + 1
        changed = depths[waiting] != deeper
        depths[waiting] = deeper
        waiting = waiting[changed]
    order = np.argsort(depths, kind="stable")
    return np.split(order, np.searchsorted(depths[order], np.arange(1, int(depths.max(initial=0)) + 1)))
