"""Records taken apart: the recoding of disassociation, and the order in which it is published."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.kernels.arrays import Ints, freeze, joined_rows, joined_starts, starts_of
from shoal.kernels.take import last_below, preorder, shuffle_groups, take_ranges, take_sets
from shoal.recoding.basis import Basis, Savable
from shoal.recoding.disassociated import Disassociated, NestedClusters

NOT_PUBLISHED = -1

Randoms = Callable[[int], Ints]  # so many numbers of 0 or more, each as likely as any other


@dataclass(frozen=True, slots=True, eq=False)
class ChunkRecoding(Savable):
    """Which chunks the records are published in.

    `clusters` is in the order of the recoding, which follows that of the original and must not leave the
    house: `shuffled` gives what is published. cluster_of_row[r] is the simple cluster of row r, or
    NOT_PUBLISHED for a record without terms. `figures` say what was decided.
    """

    column: str
    clusters: Disassociated
    cluster_of_row: Ints
    notices: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<ChunkRecoding: {len(self.cluster_of_row):,} records of column {self.column!r}>"

    basis: Basis | None = None


def randoms_of_the_system(count: int) -> Ints:
    """Random numbers that no seed can repeat."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.int64) & np.int64(2**63 - 1)


def shuffled(release: Disassociated, randoms: Randoms) -> Disassociated:
    """The same clusters with all that stands side by side in random order."""

    def shuffle(starts: Ints, numbers: Ints) -> Ints:
        mixed = numbers.copy()
        shuffle_groups(starts, mixed, randoms(len(mixed)))
        return mixed

    everything = np.array([0, len(release.clusters)], dtype=np.int64)
    order = shuffle(everything, np.arange(len(release.clusters), dtype=np.int64))
    return arranged(release, order, shuffle)


def as_they_come(starts: Ints, numbers: Ints) -> Ints:  # noqa: ARG001 - the signature of a shuffle
    """No other order within groups."""
    return numbers


def arranged(
    release: Disassociated, order: Ints, within: Callable[[Ints, Ints], Ints] = as_they_come
) -> Disassociated:
    """The same clusters, siblings in the given order and each before those below it.

    `within` puts numbers into another order group by group: the chunks of clusters, then the subrecords of
    chunks.
    """
    clusters = release.clusters
    visited = preorder(clusters.parents, order)
    place_of = np.empty(len(visited), dtype=np.int64)
    place_of[visited] = np.arange(len(visited))
    parents = clusters.parents[visited]
    parents = np.where(parents < 0, -1, place_of[parents])

    counts = np.bincount(release.chunk_clusters, minlength=len(clusters))
    chunks_of_cluster = starts_of(counts)
    chunk_order = within(*take_ranges(chunks_of_cluster, visited))
    starts, subrecords = take_ranges(release.chunk_starts, chunk_order)
    subrecord_order = within(starts, subrecords)
    return Disassociated(
        terms=release.terms,
        clusters=NestedClusters(
            freeze(clusters.sizes[visited]),
            clusters.simple[visited],
            freeze(parents),
            freeze(last_below(parents)),
            freeze(np.cumsum(parents < 0)),
        ),
        chunk_clusters=freeze(place_of[release.chunk_clusters[chunk_order]]),
        chunk_starts=freeze(starts),
        subrecords=take_sets(release.subrecords, subrecord_order),
        term_chunks=take_sets(release.term_chunks, visited),
        sensitive=release.sensitive,
    )


def joined(releases: Sequence[Disassociated]) -> Disassociated:
    """All clusters of several releases of the same terms, one release behind the other."""
    if len(releases) == 1:
        return releases[0]
    clusters = [release.clusters for release in releases]
    before = np.cumsum([0, *(len(each) for each in clusters)])
    lines_before = np.cumsum([0, *(each.lines[-1] for each in clusters)])

    def numbered(columns: Iterable[Ints], before: Ints) -> Ints:
        shifted = [
            np.where(column < 0, column, column + first)
            for column, first in zip(columns, before, strict=False)
        ]
        return freeze(np.concatenate(shifted))

    return Disassociated(
        terms=releases[0].terms,
        clusters=NestedClusters(
            freeze(np.concatenate([each.sizes for each in clusters])),
            np.concatenate([each.simple for each in clusters]),
            numbered((each.parents for each in clusters), before),
            numbered((each.last for each in clusters), before),
            numbered((each.lines for each in clusters), lines_before),
        ),
        chunk_clusters=numbered((release.chunk_clusters for release in releases), before),
        chunk_starts=freeze(joined_starts(release.chunk_starts for release in releases)),
        subrecords=joined_rows(*(release.subrecords for release in releases)),
        term_chunks=joined_rows(*(release.term_chunks for release in releases)),
        sensitive=releases[0].sensitive,
    )
