"""Possible originals of a disassociated release: random, and each consistent with all that it says."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from shoal.errors import BadInput, Problem, UnknownName
from shoal.kernels.arrays import Bools, Floats, Ints, frozen_ints, starts_of
from shoal.kernels.reconstruction import ClusterLayout, random_original
from shoal.recoding.disassociated import Disassociated
from shoal.table.columns import Sets

_PROBLEMS_SHOWN = 20


def reconstructions(
    published: Disassociated, copies: int, rng: np.random.Generator, *, source: str = "the release"
) -> Iterator[Sets]:
    """Originals drawn at random, one after the other, each only when it is asked for.

    Records stand in the order of their clusters. The release must fit together (`privacy.disassociation`
    checks that); raises BadInput where records would have to stay empty.
    """
    layout = _layout(published)
    _refuse_records_without_terms(published, layout, source)
    return (
        Sets.of(*random_original(layout, published.subrecords, published.term_chunks, rng), published.terms)
        for _ in range(copies)
    )


def mean_supports(copies: Iterable[Sets], itemsets: Sequence[Sequence[str]]) -> Floats:
    """How many records hold each itemset, on the average of several copies."""
    counts = [[_support(copy, itemset) for itemset in itemsets] for copy in copies]
    if not counts:
        raise BadInput(Problem("there are no copies to take the average of", "make one at least"))
    means: Floats = np.mean(np.array(counts, dtype=np.float64), axis=0)
    return means


def _support(copy: Sets, itemset: Sequence[str]) -> int:
    wanted = [_code(copy, term) for term in dict.fromkeys(itemset)]
    hits = np.flatnonzero(np.isin(copy.narrow, wanted))
    rows = np.searchsorted(copy.starts, hits, side="right") - 1
    if not wanted:
        return len(copy)
    return int(np.count_nonzero(np.bincount(rows, minlength=1) == len(wanted)))


def _code(copy: Sets, term: str) -> int:
    code = copy.domain.labels.index(term).as_py()
    if code < 0:
        raise UnknownName("The release", "term", term, ())
    return int(code)


def _layout(published: Disassociated) -> ClusterLayout:
    clusters = published.clusters
    records_before = starts_of(np.where(clusters.simple, clusters.sizes, 0))
    return ClusterLayout(
        sizes=clusters.sizes,
        simple=clusters.simple,
        first_record=frozen_ints(records_before[:-1]),
        first_chunk=frozen_ints(np.searchsorted(published.chunk_clusters, np.arange(len(clusters) + 1))),
        chunk_starts=published.chunk_starts,
        record_count=int(records_before[-1]),
    )


def _refuse_records_without_terms(published: Disassociated, layout: ClusterLayout, source: str) -> None:
    """Records of a cluster without term chunk must be filled by its subrecords, or by those shared above."""
    clusters = published.clusters
    subrecords = np.diff(published.chunk_starts[layout.first_chunk])
    without_terms = clusters.simple & (np.diff(published.term_chunks.starts) == 0)
    waiting = np.where(without_terms, np.maximum(clusters.sizes - subrecords, 0), 0)
    if not waiting.any():
        return
    left = _left_by_shared_chunks(waiting, subrecords, clusters.parents, clusters.simple)
    problems = [
        Problem(
            f"no original fits: {left[cluster]:,} of the {clusters.sizes[cluster]:,} records would be empty,"
            " for there are too few subrecords and no term chunk",
            "get the file again from its publisher",
            file=source,
            line=int(clusters.lines[cluster]),
        )
        for cluster in np.flatnonzero((left > 0) & (clusters.parents < 0))[:_PROBLEMS_SHOWN]
    ]
    if problems:
        raise BadInput(*problems)


def _left_by_shared_chunks(waiting: Ints, subrecords: Ints, parents: Ints, simple: Bools) -> Ints:
    """Records in each cluster that the shared subrecords up to it cannot fill."""
    left = waiting.copy()
    for cluster in range(len(left) - 1, -1, -1):  # clusters stand before those in them
        if not simple[cluster]:
            left[cluster] = max(0, left[cluster] - subrecords[cluster])
        if parents[cluster] >= 0:
            left[parents[cluster]] += left[cluster]
    return left
