"""A disassociated release: clusters of records whose rare combinations of terms were taken apart.

On file it is JSON lines, one top-level cluster per line. A simple cluster is
`{"size": 5, "chunks": [{"subrecords": [["a", "b"], ...]}, ...], "terms": ["x", ...]}`, a joint one
`{"size": 10, "shared": [{"subrecords": [...]}], "children": [...]}`.
"""

from __future__ import annotations

import gzip
import json
import zlib
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from shoal.errors import BadInput, Problem, did_you_mean
from shoal.kernels.arrays import Bools, Ints, SetArrays, freeze, frozen_ints, in_pieces, owners, starts_of
from shoal.table.canonical import canonical_text
from shoal.table.columns import Domain, Kind
from shoal.table.parts import parts_of

PROBLEMS_SHOWN = 20
_LARGEST_SIZE = 2**53
_SIMPLE_KEYS = ("size", "chunks", "terms")
_JOINT_KEYS = ("size", "shared", "children")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class NestedClusters:
    """All clusters, simple and joint, each before the clusters below it.

    Cluster c holds the clusters c + 1..last[c]; `parents[c]` is the joint cluster just above it, -1 for one
    that stands alone on its line of the file, `lines[c]`, which counts from 1.
    """

    sizes: Ints
    simple: Bools
    parents: Ints
    last: Ints
    lines: Ints

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Disassociated:
    """What a disassociated file says, in arrays; it may still say something that does not fit together.

    Chunk h belongs to cluster chunk_clusters[h]: one of its record chunks if the cluster is simple, one of
    its shared chunks if it is joint; its subrecords are rows chunk_starts[h]..chunk_starts[h + 1] - 1 of
    `subrecords`. Row c of `term_chunks` is the term chunk of cluster c, empty for a joint one. Terms ascend
    within a row; a term that stands twice in it is kept twice. Chunks stand in the order of their clusters,
    clusters in the order of their lines. `sensitive` are labels.
    """

    terms: Domain
    clusters: NestedClusters
    chunk_clusters: Ints
    chunk_starts: Ints
    subrecords: SetArrays
    term_chunks: SetArrays
    sensitive: tuple[str, ...] = ()

    def __repr__(self) -> str:
        terms, clusters = len(self.terms.labels), len(self.clusters.sizes)
        return f"<Disassociated: {self.record_count:,} records, {terms:,} terms, {clusters:,} clusters>"

    @property
    def record_count(self) -> int:
        """How many records were taken apart."""
        return int(self.clusters.sizes[self.clusters.parents < 0].sum())

    def all_terms(self) -> tuple[str, ...]:
        """Every term of the release, in order."""
        return tuple(self.terms.texts())

    def terms_held(self, labels: Collection[str]) -> set[str]:
        """Which of these labels are terms of the release."""
        return set(labels).intersection(self.terms.texts())

    def examine(self, examine: Callable[[Disassociated], T]) -> T:
        """What an examination of all lines finds."""
        return examine(self)

    def spelled_twice(self) -> tuple[str, ...]:
        """Terms such as `flu` and `flu `, which differ only in how they are written: the first of them."""
        spellings = canonical_text(self.terms.labels).dictionary_encode().indices.to_numpy()
        several = np.flatnonzero(np.bincount(spellings, minlength=1)[spellings] > 1)
        alike = several[spellings[several] == spellings[several[0]]] if len(several) else several
        return tuple(str(self.terms.label(int(term))) for term in alike)


def chunk_figures(released: Disassociated) -> dict[str, int]:
    """How many chunks of which kind a release has; anyone can count them in the file."""
    simple = released.clusters.simple
    in_record_chunk = simple[released.chunk_clusters]
    sizes = released.clusters.sizes[simple]
    return {
        "clusters": int(simple.sum()),
        "joint clusters": int((~simple).sum()),
        "records in the smallest cluster": int(sizes.min()),
        "records in the largest cluster": int(sizes.max()),
        "record chunks": int(in_record_chunk.sum()),
        "shared chunks": int((~in_record_chunk).sum()),
        "terms in chunks, counted in each subrecord": len(released.subrecords.items),
        "terms in term chunks": len(released.term_chunks.items),
    }


def read_disassociated(path: Path, sensitive: Sequence[str] = ()) -> Disassociated:
    """Read a file of JSON lines, or a folder of such files, whose lines are numbered through.

    Raises BadInput with every line that does not have the form of a cluster.
    """
    try:
        numbered = enumerate((line for part in parts_of(path) for line in _lines_of(part)), start=1)
        return _encode(
            ((number, text) for number, text in numbered if text.strip()), _parsed, str(path), sensitive
        )
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(Problem(f"cannot be read: {error}", "name a readable file", file=str(path))) from error


def _lines_of(file: Path) -> Iterator[bytes]:
    with (gzip.open if file.suffix == ".gz" else open)(file, "rb") as stream:
        yield from stream


def parse_lines(lines: Iterable[str], sensitive: Sequence[str] = ()) -> Disassociated:
    """Read lines of a file that are at hand; raises BadInput as `read_disassociated` does."""
    numbered = enumerate((line.encode() for line in lines), start=1)
    return _encode(numbered, _parsed, "disassociated data", sensitive)


def disassociated(clusters: Iterable[Mapping[str, Any]], sensitive: Sequence[str] = ()) -> Disassociated:
    """Encode clusters that have the form of the parsed lines of a file."""
    return _encode(enumerate(clusters, start=1), lambda cluster: cluster, "disassociated data", sensitive)


def _encode(
    lines: Iterable[tuple[int, T]], parse: Callable[[T], Any], source: str, sensitive: Sequence[str]
) -> Disassociated:
    encoder = _Encoder()
    problems: list[Problem] = []
    for number, line in lines:
        try:
            encoder.add(parse(line), number)
        except _Misshapen as error:
            problems.append(Problem(error.what, error.remedy, file=source, line=number))
            if len(problems) == PROBLEMS_SHOWN:
                break
    if not problems and not encoder.sizes:
        problems.append(Problem("holds no cluster", "name a disassociated file", file=source))
    if problems:
        raise BadInput(*problems)
    return encoder.encoded(tuple(sensitive))


class _Misshapen(Exception):
    """A line that is not a cluster."""

    def __init__(self, what: str, remedy: str = "see the format of disassociated data") -> None:
        self.what, self.remedy = what, remedy
        super().__init__(what)


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8-sig"), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError as error:
        raise _Misshapen(f"is not UTF-8 text ({error.reason})", "save it as UTF-8") from None
    except RecursionError:
        raise _Misshapen("clusters are nested too deeply", "join clusters in fewer levels") from None
    except ValueError as error:
        raise _Misshapen(f"is not JSON ({error})", "write one cluster per line") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; readers do not agree on which of two equal keys counts."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise _Misshapen("an object has a key twice", "get the file again from its publisher")
    return content


class _Numbering(dict[str, int]):
    """Terms numbered as they come."""

    def __missing__(self, term: str) -> int:
        try:
            term.encode()
        except UnicodeEncodeError:
            raise _Misshapen(f"the term {term!r} is not Unicode text") from None
        self[term] = len(self)
        return self[term]


class _Encoder:
    """Collects clusters line by line and turns them into arrays."""

    def __init__(self) -> None:
        self.number_of = _Numbering()
        self.sizes: list[int] = []
        self.simple: list[bool] = []
        self.parents: list[int] = []
        self.lines: list[int] = []
        self.chunk_clusters: list[int] = []
        self.chunks = _Rows(self.number_of)
        self.term_chunks = _Rows(self.number_of)

    def add(self, content: Any, line: int) -> None:
        """Take in the cluster of one line and all clusters below it."""
        waiting = [(content, -1)]
        while waiting:
            cluster, parent = waiting.pop()
            number = len(self.sizes)
            simple = not (isinstance(cluster, dict) and "children" in cluster)
            _check_keys(cluster, _SIMPLE_KEYS if simple else _JOINT_KEYS, "a cluster")
            self.sizes.append(_size(cluster["size"]))
            self.simple.append(simple)
            self.parents.append(parent)
            self.lines.append(line)
            for chunk in _list(cluster["chunks" if simple else "shared"], "chunks"):
                _check_keys(chunk, ("subrecords",), "a chunk")
                self.chunk_clusters.append(number)
                self.chunks.add(_list(chunk["subrecords"], "subrecords"))
            self.term_chunks.add([cluster["terms"] if simple else []])
            if not simple:
                children = _list(cluster["children"], "children")
                if not children:
                    raise _Misshapen("a joint cluster has no children", "write it as a simple cluster")
                waiting += [(child, number) for child in reversed(children)]

    def encoded(self, sensitive: tuple[str, ...]) -> Disassociated:
        """All that was taken in, with terms numbered in their order."""
        labels = sorted(self.number_of)
        ranks = np.empty(len(labels), dtype=np.int64)
        ranks[[self.number_of[label] for label in labels]] = np.arange(len(labels))
        last = np.arange(len(self.sizes))
        for number in range(len(self.sizes) - 1, 0, -1):  # children stand behind their parents
            if self.parents[number] >= 0:
                last[self.parents[number]] = max(last[self.parents[number]], last[number])
        return Disassociated(
            terms=Domain(Kind.SET, pa.array(labels, type=pa.string())),
            clusters=NestedClusters(
                frozen_ints(self.sizes),
                np.array(self.simple, dtype=np.bool_),
                frozen_ints(self.parents),
                frozen_ints(last),
                frozen_ints(self.lines),
            ),
            chunk_clusters=frozen_ints(self.chunk_clusters),
            chunk_starts=frozen_ints(starts_of(self.chunks.counts)),
            subrecords=self.chunks.encoded(ranks),
            term_chunks=self.term_chunks.encoded(ranks),
            sensitive=sensitive,
        )


class _Rows:
    """Lists of lists of terms, as they come."""

    def __init__(self, number_of: _Numbering) -> None:
        self._number_of = number_of
        self.counts: list[int] = []
        self._sizes = array("i")
        self._terms = array("i")

    def add(self, rows: list[Any]) -> None:
        if not set(map(type, rows)) <= {list}:
            raise _Misshapen("subrecords and term chunks are lists of terms")
        terms = list(chain.from_iterable(rows))
        if not set(map(type, terms)) <= {str}:
            raise _Misshapen("every term is a text", "put terms in quotes")
        self.counts.append(len(rows))
        self._sizes.extend(map(len, rows))
        self._terms.extend(map(self._number_of.__getitem__, terms))

    def encoded(self, ranks: Ints) -> SetArrays:
        """All rows, each ascending."""
        starts = starts_of(np.array(self._sizes, dtype=np.int64))
        terms, items = np.array(self._terms, dtype=np.int32), np.empty(len(self._terms), dtype=np.int32)
        for first, behind in in_pieces(starts):
            places = slice(starts[first], starts[behind])
            rows = owners(starts[first : behind + 1] - starts[first]) * len(ranks)
            # One sort of row and term together sorts the terms of every row.
            items[places] = np.sort(rows + ranks[terms[places]]) - rows
        return SetArrays(freeze(starts), freeze(items))


def _check_keys(given: Any, expected: tuple[str, ...], what: str) -> None:
    if not isinstance(given, dict):
        raise _Misshapen(f"{what} is an object with {', '.join(expected)}, got {_shortened(given)}")
    for key in given:
        if key not in expected:
            raise _Misshapen(f"{what} has no {key!r}{did_you_mean(key, expected)}", "")
    for key in expected:
        if key not in given:
            raise _Misshapen(f"{what} lacks {key!r}; it takes {', '.join(expected)}", "")


def _list(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise _Misshapen(f"{what} must be a list, got {_shortened(given)}")
    return given


def _size(given: Any) -> int:
    if type(given) is not int or not 0 < given < _LARGEST_SIZE:
        raise _Misshapen(f"size must be a number of records, got {_shortened(given)}")
    return given


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
