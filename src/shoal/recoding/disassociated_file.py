"""Disassociated data as files: JSON lines for publication, or a flat table for analysts' tools."""

import json
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from shoal.errors import OutputFailed
from shoal.kernels.arrays import Ints, starts_of
from shoal.kernels.cluster_lines import (
    LONGEST_BETWEEN_TERMS,
    LONGEST_CHUNK,
    LONGEST_CLUSTER,
    LONGEST_SUBRECORD,
    PIECES,
    Bytes,
    ClusterTree,
    LaidTexts,
    LineWords,
    write_lines,
)
from shoal.recoding.disassociated import Disassociated, read_disassociated
from shoal.recoding.flat_table import flat_table, read_flat_table
from shoal.table.writing import maybe_compressed

ENDINGS = (".jsonl", ".jsonl.gz", ".parquet")
_BATCH_BYTES = 2**24


def write_clusters(release: Disassociated, path: Path) -> None:
    """Write clusters as JSON lines or as a flat table, by the ending; on the disk when the call returns."""
    if not path.name.endswith(ENDINGS):
        raise OutputFailed(f"{path}: disassociated data are written as {', '.join(ENDINGS)}")
    try:
        if path.suffix == ".parquet":
            parquet.write_table(flat_table(release), path)
        else:
            with path.open("wb") as file, maybe_compressed(file, path) as stream:
                for lines in json_lines(release):
                    stream.write(lines.tobytes())
        with path.open("rb") as written:
            os.fsync(written.fileno())
    except (OSError, pa.ArrowException) as error:
        raise OutputFailed(f"{path}: cannot be written: {error}") from error


def read_clusters(path: Path, sensitive: Sequence[str] = ()) -> Disassociated:
    """Read a published file in either form; BadInput says what is wrong with it and where."""
    read = read_flat_table if path.suffix == ".parquet" else read_disassociated
    return read(path, sensitive)


def json_lines(release: Disassociated) -> Iterator[Bytes]:
    """The text of the file, some lines at a time."""
    tree = _tree(release)
    labels = _texts([json.dumps(label, ensure_ascii=False).encode() for label in release.terms.texts()])
    words = LineWords(labels, _texts(PIECES))
    tops = np.flatnonzero(tree.parents < 0)
    line_ends = np.append(tops[1:], len(tree.sizes))
    lengths = np.diff(
        starts_of(_longest_lengths(tree, np.diff(labels.starts)))[np.append(tops, len(tree.sizes))]
    )
    batch_of_line = np.cumsum(lengths) // _BATCH_BYTES
    for first, last in _runs(batch_of_line):
        out = np.empty(int(lengths[first:last].sum()), dtype=np.uint8)
        end = write_lines(tree, int(tops[first]), int(line_ends[last - 1]), words, out)
        yield out[:end]


def _runs(numbers: Ints) -> Iterator[tuple[int, int]]:
    """Where runs of equal numbers begin and end."""
    borders = np.flatnonzero(np.diff(numbers)) + 1
    return pairwise([0, *borders.tolist(), len(numbers)])


def _tree(release: Disassociated) -> ClusterTree:
    clusters = release.clusters
    return ClusterTree(
        clusters.sizes,
        clusters.simple,
        clusters.parents,
        clusters.last,
        starts_of(np.bincount(release.chunk_clusters, minlength=len(clusters))),
        release.chunk_starts,
        release.subrecords,
        release.term_chunks,
    )


def _texts(texts: Sequence[bytes]) -> LaidTexts:
    starts = starts_of(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
    return LaidTexts(starts, np.frombuffer(b"".join(texts), dtype=np.uint8))


def _longest_lengths(tree: ClusterTree, label_lengths: Ints) -> Ints:
    """How many bytes each cluster takes at most, without those below it."""
    subrecord_ends = tree.chunk_starts[tree.chunks]
    item_ends = tree.subrecords.starts[subrecord_ends]
    lengths: Ints = LONGEST_CLUSTER + LONGEST_CHUNK * np.diff(tree.chunks)
    lengths += LONGEST_SUBRECORD * np.diff(subrecord_ends)
    for items, ends in (
        (tree.subrecords.items, item_ends),
        (tree.term_chunks.items, tree.term_chunks.starts),
    ):
        lengths += np.diff(starts_of(label_lengths[items] + LONGEST_BETWEEN_TERMS)[ends])
    return lengths
