"""A few clusters of a disassociated release, drawn as they were cut: chunks side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import SetArrays
from shoal.recoding.disassociated import Disassociated
from shoal.report.html import Html, tag
from shoal.report.wording import counted

DRAWN = 4
_CHILDREN, _DEEPEST = 4, 3
_LINES = 6
_TERMS = 24

Chunk = tuple[tuple[tuple[str, ...], int], ...]  # distinct subrecords, the most frequent first, and how often


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCluster:
    """A cluster: its record chunks, or if it is joint, the chunks that its `children` share.

    `left_out` of its children are not drawn.
    """

    size: int
    chunks: tuple[Chunk, ...]
    terms: tuple[str, ...] = ()
    children: tuple[DrawnCluster, ...] = ()
    left_out: int = 0


def drawn_clusters(released: Disassociated) -> tuple[DrawnCluster, ...]:
    """Clusters that show what there is: the first that stand alone, and the joint ones of fewest clusters."""
    top = np.flatnonzero(released.clusters.parents < 0)
    simple = released.clusters.simple[top]
    joint = top[~simple]
    joint = joint[np.argsort(released.clusters.last[joint] - joint, kind="stable")][: DRAWN // 2]
    alone = top[simple][: DRAWN - len(joint)]
    return tuple(_drawn(released, int(number)) for number in np.sort(np.concatenate((alone, joint))))


def _drawn(released: Disassociated, number: int, depth: int = 1) -> DrawnCluster:
    labels = released.terms.labels
    chunks = np.flatnonzero(released.chunk_clusters == number)
    children = np.flatnonzero(released.clusters.parents == number)
    shown = children[:_CHILDREN] if depth < _DEEPEST else children[:0]
    return DrawnCluster(
        size=int(released.clusters.sizes[number]),
        chunks=tuple(
            _chunk(
                _rows(released.subrecords, released.chunk_starts[chunk], released.chunk_starts[chunk + 1]),
                labels,
            )
            for chunk in chunks.tolist()
        ),
        terms=tuple(
            str(labels[term]) for row in _rows(released.term_chunks, number, number + 1) for term in row
        ),
        children=tuple(_drawn(released, int(child), depth + 1) for child in shown),
        left_out=len(children) - len(shown),
    )


def _rows(sets: SetArrays, first: int, end: int) -> Iterator[list[int]]:
    for row in range(first, end):
        yield sets.items[sets.starts[row] : sets.starts[row + 1]].tolist()


def _chunk(subrecords: Iterator[list[int]], labels: Sequence[object]) -> Chunk:
    counts = Counter(tuple(str(labels[term]) for term in row) for row in subrecords)
    return tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def clusters_as_html(clusters: Sequence[DrawnCluster]) -> Html:
    """The drawing: a frame per cluster, a box per chunk, a line per distinct subrecord."""
    return tag("div", *map(_cluster, clusters), class_="clusters")


def _cluster(cluster: DrawnCluster) -> Html:
    joint = bool(cluster.children or cluster.left_out)
    kind = "shared chunk" if joint else "record chunk"
    boxes = [
        _box(kind, [_subrecord(*entry) for entry in chunk], "shared" if joint else "")
        for chunk in cluster.chunks
    ]
    if cluster.terms:
        boxes.append(_box("term chunk", [tag("li", term) for term in cluster.terms], "terms", _TERMS))
    title = f"{'joint cluster' if joint else 'cluster'} of {counted(cluster.size, 'record')}"
    return tag(
        "div",
        tag("p", title, class_="cluster-title"),
        tag("div", *boxes, class_="chunks"),
        tag("div", *map(_cluster, cluster.children), class_="clusters") if cluster.children else None,
        tag("p", f"… {counted(cluster.left_out, 'more cluster')} below it", class_="quiet cluster-more")
        if cluster.left_out
        else None,
        class_="cluster joint" if joint else "cluster",
    )


def _subrecord(terms: tuple[str, ...], times: int) -> Html:
    return tag("li", " ".join(terms), tag("span", f" ×{times:,}", class_="times") if times > 1 else None)


def _box(kind: str, lines: Sequence[Html], class_: str, most: int = _LINES) -> Html:
    more = len(lines) - most
    shown = [*lines[:most], *([tag("li", f"… {more:,} more", class_="quiet")] if more > 0 else [])]
    return tag(
        "div", tag("p", kind, class_="chunk-title"), tag("ul", *shown), class_=f"chunk {class_}".strip()
    )
