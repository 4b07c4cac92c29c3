"""Clusters of disassociated data as text, one top-level cluster per line."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.kernels.compile import kernel

Bytes = NDArray[np.uint8]

PIECES = (
    b'{"size": ',
    b', "chunks": [',
    b'], "terms": [',
    b"]}",
    b', "shared": [',
    b'], "children": [',
    b'{"subrecords": [',
    b", ",
    b"[",
    b"]",
    b"\n",
)
(
    _SIZE,
    _CHUNKS,
    _TERMS,
    _END,
    _SHARED,
    _CHILDREN,
    _SUBRECORDS,
    _COMMA,
    _OPEN,
    _CLOSE,
    _NEW_LINE,
) = range(len(PIECES))
LONGEST_CLUSTER = sum(map(len, PIECES)) + 20  # what stands around the chunks of a cluster, its size included
LONGEST_CHUNK = 30
LONGEST_SUBRECORD = 4
LONGEST_BETWEEN_TERMS = 2


class LaidTexts(NamedTuple):
    """Texts one behind the other: text t is data[starts[t]:starts[t + 1]]."""

    starts: Ints
    data: Bytes


class LineWords(NamedTuple):
    """The terms as JSON, and the PIECES that stand between them."""

    labels: LaidTexts
    pieces: LaidTexts


class ClusterTree(NamedTuple):
    """Clusters before those below them; cluster c has the chunks chunks[c]..chunks[c + 1] - 1.

    Chunk h holds the rows chunk_starts[h]..chunk_starts[h + 1] - 1 of `subrecords`.
    """

    sizes: Ints
    simple: Bools
    parents: Ints
    last: Ints
    chunks: Ints
    chunk_starts: Ints
    subrecords: SetArrays
    term_chunks: SetArrays


@kernel
def write_lines(tree: ClusterTree, first: int, behind: int, words: LineWords, out: Bytes) -> int:
    """Write whole lines, the clusters first..behind - 1, into `out`, which has room; how long they are."""
    pieces = words.pieces
    open_clusters = np.empty(behind - first, dtype=np.int64)
    depth, end = 0, int(np.int64(0))
    for cluster in range(first, behind):
        if tree.parents[cluster] >= 0 and cluster != tree.parents[cluster] + 1:
            end = _put(out, end, pieces, _COMMA)
        end = _put(out, end, pieces, _SIZE)
        end = _put_number(out, end, tree.sizes[cluster])
        end = _put(out, end, pieces, _CHUNKS if tree.simple[cluster] else _SHARED)
        for chunk in range(tree.chunks[cluster], tree.chunks[cluster + 1]):
            if chunk > tree.chunks[cluster]:
                end = _put(out, end, pieces, _COMMA)
            end = _put(out, end, pieces, _SUBRECORDS)
            for row in range(tree.chunk_starts[chunk], tree.chunk_starts[chunk + 1]):
                if row > tree.chunk_starts[chunk]:
                    end = _put(out, end, pieces, _COMMA)
                end = _put(out, end, pieces, _OPEN)
                end = _put_terms(out, end, tree.subrecords, row, words)
                end = _put(out, end, pieces, _CLOSE)
            end = _put(out, end, pieces, _END)
        if tree.simple[cluster]:
            end = _put(out, end, pieces, _TERMS)
            end = _put_terms(out, end, tree.term_chunks, cluster, words)
            end = _put(out, end, pieces, _END)
        else:
            end = _put(out, end, pieces, _CHILDREN)
            open_clusters[depth] = cluster
            depth += 1
        while depth > 0 and tree.last[open_clusters[depth - 1]] == cluster:
            end = _put(out, end, pieces, _END)
            depth -= 1
        if depth == 0:
            end = _put(out, end, pieces, _NEW_LINE)
    return end


@kernel
def _put(out: Bytes, end: int, texts: LaidTexts, number: int) -> int:
    for index in range(texts.starts[number], texts.starts[number + 1]):
        out[end] = texts.data[index]
        end += 1
    return end


@kernel
def _put_terms(out: Bytes, end: int, sets: SetArrays, row: int, words: LineWords) -> int:
    for index in range(sets.starts[row], sets.starts[row + 1]):
        if index > sets.starts[row]:
            end = _put(out, end, words.pieces, _COMMA)
        end = _put(out, end, words.labels, sets.items[index])
    return end


@kernel(part=True)
def _put_number(out: Bytes, end: int, number: int) -> int:
    digits, rest = 1, number // 10
    while rest > 0:
        digits, rest = digits + 1, rest // 10
    for index in range(digits - 1, -1, -1):
        out[end + index] = 48 + number % 10
        number //= 10
    return end + digits
