"""What differs between two recodings of the same data."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest

import numpy as np

from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.recoding.chunk_recoding import ChunkRecoding
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.recoding import Recoding
from shoal.recoding.rows import ItemRecoding, RowRecoding
from shoal.recoding.synthetic import Synthetic

_FORMS = {RowRecoding: "rows", ChunkRecoding: "chunks", Synthetic: "new records"}


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs; `count` says how often: in so many records, or items, or clusters."""

    what: str
    count: int
    column: str | None = None

    def __str__(self) -> str:
        where = "" if self.column is None else f"column {self.column!r}: "
        return f"{where}{self.count:,} {self.what}"


def diff_recodings(one: Recoding, other: Recoding) -> list[Difference]:
    """What differs in what is decided; empty if nothing does.

    Both must be recodings of the same data and trees. How clusters and parts are numbered does not matter,
    and notices, figures and reasons are not compared.

    Args:
        one: A recoding.
        other: Another one of the same data.

    Returns:
        What differs, and in how many records, items or clusters.

    Raises:
        TypeError: One of them is no recoding.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> data = sh.read(pa.table({"age": [31, 34, 52, 57]}), {"age": sh.Quasi(hierarchy=sh.ranges(10))})
        >>> by_k = [sh.anonymize(data, sh.KAnonymity(k), algorithm="mondrian").recoding for k in (2, 4)]
        >>> sh.diff_recodings(by_k[0], by_k[0])
        []
        >>> for difference in sh.diff_recodings(*by_k):
        ...     print(difference)
        4 records are in a cluster with other records
        column 'age': 4 records are published as another value
    """
    if type(one) is not type(other):
        return [Difference(f"forms: {_FORMS[type(one)]}, and {_FORMS[type(other)]}", 2)]
    if isinstance(one, ChunkRecoding) and isinstance(other, ChunkRecoding):
        return [*_of_chunks(one, other)]
    if isinstance(one, Synthetic) and isinstance(other, Synthetic):
        return [*_of_new_records(one, other)]
    if isinstance(one, RowRecoding) and isinstance(other, RowRecoding):
        return [*_of_clusters(one.clusters, other.clusters), *_of_items(one.items, other.items)]
    raise TypeError(f"{type(one).__name__} is no recoding")


def _told(what: str, differs: Bools, column: str | None = None) -> Iterator[Difference]:
    if count := int(np.count_nonzero(differs)):
        yield Difference(what, count, column)


def _of_clusters(one: GeneralizedClusters | None, other: GeneralizedClusters | None) -> Iterator[Difference]:
    if one is None or other is None:
        if one is not other:
            yield Difference("recoding decides about single values, and one does not", 1)
        return
    first, second = one.cluster_of_row, other.cluster_of_row
    if len(first) != len(second):
        yield Difference("records more in one than in the other", abs(len(first) - len(second)))
        return
    gone = (first == SUPPRESSED, second == SUPPRESSED)
    yield from _told("records are suppressed in the first only", gone[0] & ~gone[1])
    yield from _told("records are suppressed in the second only", gone[1] & ~gone[0])
    kept = ~gone[0] & ~gone[1]
    yield from _told("records are in a cluster with other records", kept & _apart(first, second))
    for column in dict.fromkeys((*one.nodes, *one.ranges, *other.nodes, *other.ranges)):
        values = [_values(each, column) for each in (one, other)]
        if values[0] is None or values[1] is None or values[0].shape[1:] != values[1].shape[1:]:
            yield Difference("records are published as another kind of value", len(first), column)
            continue
        differs: Bools = np.zeros(len(first), dtype=np.bool_)
        ours, theirs = values[0][first[kept]], values[1][second[kept]]
        differs[kept] = ~np.isclose(ours, theirs, rtol=0, atol=0, equal_nan=True).all(axis=1)
        yield from _told("records are published as another value", differs, column)


def _values(clusters: GeneralizedClusters, column: str) -> np.ndarray | None:
    """The node or the ends that each cluster is published as, in one column or in two."""
    if column in clusters.nodes:
        return clusters.nodes[column][:, np.newaxis]
    return clusters.ranges.get(column)


def _apart(first: Ints, second: Ints) -> Bools:
    """The rows whose number in one comes with several numbers in the other."""
    pairs, pair_of_row = np.unique(np.stack((first, second), axis=1), axis=0, return_inverse=True)
    alone: Bools = np.ones(len(pairs), dtype=np.bool_)
    for numbers in pairs.T:
        _, index, times = np.unique(numbers, return_inverse=True, return_counts=True)
        alone &= times[index] == 1
    return ~alone[pair_of_row.ravel()]


def _of_items(one: tuple[ItemRecoding, ...], other: tuple[ItemRecoding, ...]) -> Iterator[Difference]:
    ours, theirs = ({items.column: items for items in each} for each in (one, other))
    for column in dict.fromkeys((*ours, *theirs)):
        if column not in ours or column not in theirs:
            yield Difference("recoding decides about its items, and one does not", 1, column)
        else:
            yield from _of_column(ours[column], theirs[column])


def _of_column(one: ItemRecoding, other: ItemRecoding) -> Iterator[Difference]:
    column = one.column
    if isinstance(one, Cuts) and isinstance(other, Cuts):
        yield from _of_cuts(one, other)
    elif isinstance(one, Cuts) or isinstance(other, Cuts):
        yield Difference("recoding has cuts, and one a node for each occurrence", 1, column)
    elif len(one.node_of_occurrence) != len(other.node_of_occurrence):
        more = abs(len(one.node_of_occurrence) - len(other.node_of_occurrence))
        yield Difference("items more in one than in the other", more, column)
    else:
        yield from _told("records are withheld in one only", one.withheld != other.withheld, column)
        differs = one.node_of_occurrence != other.node_of_occurrence
        yield from _told("occurrences of items are published as another node", differs, column)


def _withheld(cuts: Cuts) -> Bools:
    return np.zeros(len(cuts.part_of_row), dtype=np.bool_) if cuts.withheld is None else cuts.withheld


def _of_cuts(one: Cuts, other: Cuts) -> Iterator[Difference]:
    """The records whose items would be published otherwise, whichever they are."""
    column = one.column
    if (one.unions is None) != (other.unions is None):
        yield Difference("recoding unites items, and one has a tree", 1, column)
        return
    sizes = [(len(each.part_of_row), each.node_of_leaf.shape[1]) for each in (one, other)]
    if sizes[0] != sizes[1]:
        yield Difference("recodings are of other records or items", 2, column)
        return
    yield from _told("records are withheld in one only", _withheld(one) != _withheld(other), column)
    ours, theirs = _words(one), _words(other)
    pairs, pair_of_row = np.unique(
        np.stack((one.part_of_row, other.part_of_row), axis=1), axis=0, return_inverse=True
    )
    differs = (ours[pairs[:, 0]] != theirs[pairs[:, 1]]).any(axis=1)
    yield from _told("records have another cut", differs[pair_of_row.ravel()], column)


def _words(cuts: Cuts) -> np.ndarray:
    """What items are published as, in numbers that mean the same in both; labels where there is no tree."""
    if cuts.unions is None:
        return cuts.node_of_leaf
    labels = np.array([*cuts.unions.labels, None], dtype=object)
    return labels[np.where(cuts.node_of_leaf == SUPPRESSED_ITEM, -1, cuts.node_of_leaf)]


def _of_chunks(one: ChunkRecoding, other: ChunkRecoding) -> Iterator[Difference]:
    if len(one.cluster_of_row) != len(other.cluster_of_row):
        more = abs(len(one.cluster_of_row) - len(other.cluster_of_row))
        yield Difference("records more in one than in the other", more, one.column)
        return
    yield from _told(
        "records are in a cluster with other records",
        _apart(one.cluster_of_row, other.cluster_of_row),
        one.column,
    )
    contents = zip_longest(_content(one.clusters), _content(other.clusters))
    if changed := sum(ours != theirs for ours, theirs in contents):
        yield Difference("clusters are taken apart otherwise", changed, one.column)


def _content(release: Disassociated) -> list[tuple[object, ...]]:
    """What each cluster consists of, in the order of the recoding."""
    subrecords, terms = _lists(release.subrecords), _lists(release.term_chunks)
    starts = release.chunk_starts.tolist()
    chunks: list[list[object]] = [[] for _ in range(len(release.clusters))]
    for chunk, cluster in enumerate(release.chunk_clusters.tolist()):
        chunks[cluster].append(subrecords[starts[chunk] : starts[chunk + 1]])
    clusters = release.clusters
    columns = (clusters.sizes, clusters.simple, clusters.parents)
    return list(zip(*(column.tolist() for column in columns), chunks, terms, strict=True))


def _of_new_records(one: Synthetic, other: Synthetic) -> Iterator[Difference]:
    counts = [dict(zip(_lists(each.itemsets), each.counts.tolist(), strict=True)) for each in (one, other)]
    itemsets = dict.fromkeys((*counts[0], *counts[1]))
    if changed := sum(counts[0].get(each, 0) != counts[1].get(each, 0) for each in itemsets):
        yield Difference("itemsets are published another number of times", changed, one.column)


def _lists(sets: SetArrays) -> list[tuple[int, ...]]:
    items = sets.items.tolist()
    return [tuple(items[start:end]) for start, end in pairwise(sets.starts.tolist())]
